"""The app's assistant: works in the background on what the user asks."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from backend.commands.requests import RequestCommands
from backend.domain.turn.request import CONTINUE, UNDERSTOOD_AS, Attachment, PlainCommand, plain_command
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.ports.proposer import asks_model
from backend.ports.sync_status import MAY_ACT
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import ReplyTail, StepTicker
from backend.runtime.run.continuation import ContinuationEnd, ContinuationLoop
from backend.runtime.run.presence import PagePresence
from backend.runtime.run.run_service import RunService
from backend.runtime.sync.sync_service import SyncService
from backend.runtime.workspace import Workspace
from backend.store.log.transaction import Committed
from backend.store.queries.campaign import campaigns
from backend.store.queries.turn import requests
from backend.store.queries.turn.requests import RunnableRequest
from backend.turn.loop import TurnCallbacks

CLOSE_SECONDS = 30.0


class AssistantService:
    """Takes what the user says, and works on it in the background, request after request, as the database lists them."""

    def __init__(
        self,
        workspace: Workspace,
        feed: LiveFeed,
        run_service: RunService,
        presence: PagePresence,
        sync: SyncService,
        build_loop: Callable[..., ContinuationLoop],
    ) -> None:
        self._build_loop = build_loop
        self._workspace = workspace
        self._feed = feed
        self._run_service = run_service
        self._presence = presence
        self._sync = sync
        sync.on_handover_requested.append(self._hand_over)
        self._lock = threading.Lock()
        self._current: RunnableRequest | None = None
        self._stopped: set[str] = set()
        self._failed_requests: set[str] = set()
        self._local_requests: set[str] = set()  # requests said and questions answered at this device in this launch
        self._may_not = False
        self._loop: ContinuationLoop | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._worker = workspace.workers.add("assistant", self._work)
        self._closing = self._worker.stopping

    def open(self) -> None:
        """What the last launch left in the middle asks whether it goes on; then everything new is worked on."""
        if not self._sync.attached:  # or another device may be working on it: see `_request`
            self._interrupted()
        self._unsubscribe = self._workspace.journal.subscribe(self._committed)
        self._worker.start()

    def _interrupted(self) -> None:
        for waiting in self._waiting():
            if not self._sync.attached or not self._ours(waiting):
                self._commands(waiting.campaign_id).interrupted(*waiting)

    # --- what the API asks ---

    def submit(
        self,
        campaign_id: str,
        text: str,
        attached: Sequence[Attachment],
        *,
        key: str,
        shown: PlainCommand | None = None,
    ) -> str:
        """What the user says; the id of the request. A plain command is carried out at once, and no model is asked.

        `shown` is the command that the user was shown before they sent it; raises `command_not_shown` if it is another.
        """
        command = None if attached else plain_command(text)
        if command != shown:
            raise OutriderError(
                "command_not_shown", command=UNDERSTOOD_AS[command] if command else "words to the assistant"
            )
        commands = self._commands(campaign_id)
        if command is None:
            return commands.begin(campaign_id, text, attached, key=key)
        request_id, fresh = commands.record_plain_command(campaign_id, text, key=key)
        if fresh:
            sentence, code = self._start(campaign_id) if command == "go" else self._pause(campaign_id)
            commands.add_result(campaign_id, request_id, sentence, code)
        return request_id

    def current_request(self, campaign_id: str) -> str | None:
        """The request of this campaign that turns run for now, or that is next, by what is recorded: its end is heard of once."""
        with self._lock:
            current = self._current
        waiting = [waiting.request_id for waiting in self._waiting() if waiting.campaign_id == campaign_id]
        if current is not None and current.request_id in waiting:
            return current.request_id
        return next(iter(waiting), None)

    def stop(self, campaign_id: str) -> None:
        """End what this campaign's requests are at: no model is waited for, and what one says later is not acted on."""
        with self._lock:
            current, loop = self._current, self._loop
            waiting = [waiting.request_id for waiting in self._waiting() if waiting.campaign_id == campaign_id]
            self._stopped.update(waiting)
        if loop is not None and current is not None and current.campaign_id == campaign_id:
            loop.proposer.cancel()
        for request_id in waiting:  # what has not begun yet ends at once
            if current is None or current.request_id != request_id:
                self._commands(campaign_id).abandon(campaign_id, request_id, "Stopped by you.", ContinuationEnd.STOPPED)

    def stop_accepting(self) -> None:
        """Begin no further turn; what is not settled is asked about at the next start. Does not wait."""
        self._worker.stop()

    def close(self) -> None:
        """Halt, and wait for the turn in flight; a model that is silent for too long is not waited for."""
        self.stop_accepting()
        unsubscribe, self._unsubscribe = self._unsubscribe, lambda: None
        unsubscribe()
        if not self._worker.join(CLOSE_SECONDS) and self._loop is not None:
            self._loop.proposer.cancel()
            self._worker.join()

    # --- in the background ---

    def _committed(self, committed: Committed) -> None:
        waking_events = [recorded.event for recorded in committed.events if recorded.event.kind in _WAKING]
        if waking_events and not committed.adopted:  # what was said at another device is worked on there
            self._local_requests.update(event.changes.get("request_id", event.entity_id) for event in waking_events)
            self._worker.wake()

    def _ours(self, waiting: RunnableRequest) -> bool:
        if not self._sync.attached or waiting.request_id in self._local_requests:
            return True
        with self._workspace.database.read() as connection:
            return not self._local_requests.isdisjoint(requests.questions(connection, waiting.request_id))

    def _hand_over(self, _: str) -> None:
        self._may_not = True

    def _work(self) -> None:
        while not self._closing.is_set() and (waiting := self._next()):
            self._worker.doing = f"working on request {waiting.request_id}"
            try:
                self._request(waiting)
            except Exception as error:
                if not _passes(error):
                    self._failed_requests.add(waiting.request_id)
                    with suppress(Exception):  # if it cannot even be told, the request is asked about at the next start
                        self._tell_defect(waiting)
                raise
            finally:
                with self._lock:
                    self._current = None

    def _next(self) -> RunnableRequest | None:
        open_ = (waiting for waiting in self._waiting() if waiting.request_id not in self._failed_requests)
        request = next((waiting for waiting in open_ if self._ours(waiting)), None)
        with self._lock:
            self._current = request
        return request

    def _request(self, waiting: RunnableRequest) -> None:
        """Turns are recorded by the device that acts; whatever another one left in the middle is known by then."""
        try:
            with self._sync.hold_lease(self._closing.is_set):
                self._may_not = False
                if self._sync.attached:
                    self._interrupted()
                self._turns(waiting)
        except OutriderError as error:
            if not self._closing.is_set():
                self._commands(waiting.campaign_id).abandon(*waiting, error.sentence, error.code)

    def _turns(self, waiting: RunnableRequest) -> None:
        campaign_id, request_id = waiting
        if self._answered(waiting) == ("continue_campaign", CONTINUE):
            self._commands(campaign_id).finish(campaign_id, request_id, *self._start(campaign_id))
            return
        growing = ReplyTail()
        growing.request_id = request_id

        def show_text(campaign_id: str, turn: int, text: str, whole: bool) -> None:
            if not by_model:  # an answer from the data is there at once; its form is nobody's words
                return
            self._feed.announce("reply", growing.append(campaign_id, turn, text, whole=whole))

        def stepped(campaign_id: str, step: int, _: str) -> None:
            ticker = StepTicker(campaign_id=campaign_id, step=step, what="", request_id=request_id)
            self._feed.announce("request step", ticker)

        def halted() -> ContinuationEnd | None:
            if self._closing.is_set():
                return ContinuationEnd.CLOSED
            if self._may_not or self._sync.describe() not in MAY_ACT:
                return ContinuationEnd.MAY_NOT
            return ContinuationEnd.STOPPED if request_id in self._stopped else None

        loop = self._build_loop(
            self._workspace,
            lambda: self._clock(campaign_id),
            self._presence,
            proposer=self._run_service.proposer,
            callbacks=TurnCallbacks(stepped, show_text, lambda: request_id in self._stopped),
        )
        with self._lock:
            self._loop = loop
        by_model = self._asks_model(loop, campaign_id)
        loop.run(campaign_id, request_id, halted)
        with self._lock:
            self._loop = None
        self._stopped.discard(request_id)  # what is asked now goes on with its answer

    def _asks_model(self, loop: ContinuationLoop, campaign_id: str) -> bool:
        campaign = self._workspace.database.query(campaigns.campaign, campaign_id)
        return campaign is None or asks_model(loop.proposer, campaign)

    def _tell_defect(self, waiting: RunnableRequest) -> None:
        error = OutriderError("internal_error")
        self._commands(waiting.campaign_id).abandon(*waiting, error.sentence, error.code)

    # --- the user's own acts ---

    def _start(self, campaign_id: str) -> tuple[str, str]:
        self._presence.resume()  # who says or clicks this is here
        try:
            self._run_service.start(campaign_id)
        except OutriderError as error:
            return f"{error.sentence} {error.remedy}", error.code
        return "The campaign goes on from where it stood.", ""

    def _pause(self, campaign_id: str) -> tuple[str, str]:
        if not self._run_service.is_running(campaign_id):
            return "The campaign does not run.", ""
        self._run_service.stop(campaign_id)
        return "The campaign stops after the current action.", ""

    # --- what is so ---

    def _waiting(self) -> list[RunnableRequest]:
        return self._workspace.database.query(requests.runnable_requests)

    def _answered(self, waiting: RunnableRequest) -> tuple[str, str] | None:
        return self._workspace.database.query(requests.answered, waiting.request_id)

    def _clock(self, campaign_id: str) -> Clock:
        return self._run_service.clock(campaign_id)

    def _commands(self, campaign_id: str) -> RequestCommands:
        return self._workspace.commands(self._clock(campaign_id)).requests


def _passes(error: Exception) -> bool:
    """Whether the same request may go well a little later, without anybody doing anything about it."""
    return isinstance(error, OutriderError) and error.code.startswith("database_")


_WAKING = frozenset({"ConversationSaid", "InputAnswered"})
"""Events that come with whatever gives the assistant something to do."""
