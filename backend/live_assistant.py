"""The app's assistant: one thread that works on what the user asked, request after request, as the database lists them."""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from backend.api.feed import LiveFeed
from backend.api.growing import GrowingReply
from backend.api.wire.feed import StepTicker
from backend.assistant.loop import ContinuationLoop, Halt
from backend.controller.presence import Presence
from backend.controller.request_commands import RequestCommands
from backend.domain.errors import OutriderError
from backend.domain.request import CONTINUE, Given, plain_command
from backend.live_sync import LiveSync
from backend.ports.clock import Clock
from backend.ports.proposer import Proposer
from backend.ports.standing import MAY_ACT
from backend.store import requests
from backend.store.journal import Committed
from backend.store.requests import Waiting
from backend.wiring import Workspace, continuation

CLOSE_SECONDS = 30.0


class Runs(Protocol):
    """What the assistant needs of the background runner."""

    proposer: Proposer | None

    def start(self, campaign_id: str) -> None:
        """Start or continue."""
        ...

    def stop(self, campaign_id: str) -> None:
        """Stop after the current action."""
        ...

    def runs(self, campaign_id: str) -> bool:
        """Whether this campaign runs now."""
        ...

    def returned(self) -> None:
        """The user is here and says that it may go on."""
        ...

    def clock(self, campaign_id: str) -> Clock:
        """The campaign's clock at this moment."""
        ...

    @property
    def presence(self) -> Presence:
        """Whether the user is here."""
        ...


class LiveAssistant:
    """Takes what the user says, and works on it in the background."""

    def __init__(self, workspace: Workspace, feed: LiveFeed, session: Runs, sync: LiveSync) -> None:
        self._workspace = workspace
        self._feed = feed
        self._session = session
        self._sync = sync
        sync.on_wanted.append(self._hand_over)
        self._lock = threading.Lock()
        self._wake, self._closing = threading.Event(), threading.Event()
        self._current: Waiting | None = None
        self._stopped: set[str] = set()
        self._left: set[str] = set()
        self._here: set[str] = set()  # requests said and questions answered at this device in this launch
        self._may_not = False
        self._loop: ContinuationLoop | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._work, name="assistant")

    def open(self) -> None:
        """What the last launch left in the middle asks whether it goes on; then everything new is worked on."""
        if not self._sync.attached:  # or another device may be working on it: see `_request`
            self._interrupted()
        self._unsubscribe = self._workspace.journal.subscribe(self._committed)
        self._wake.set()
        self._thread.start()

    def _interrupted(self) -> None:
        for waiting in self._waiting():
            if not self._sync.attached or not self._ours(waiting):
                self._commands(waiting.campaign_id).interrupted(*waiting)

    # --- what the API asks ---

    def say(self, campaign_id: str, text: str, attached: Sequence[Given], *, key: str) -> str:
        """What the user says; the id of the request. A plain command is carried out at once, and no model is asked."""
        wanted = None if attached else plain_command(text)
        commands = self._commands(campaign_id)
        if wanted is None:
            return commands.begin(campaign_id, text, attached, key=key)
        request_id, fresh = commands.said(campaign_id, text, key=key)
        if fresh:
            sentence, code = self._start(campaign_id) if wanted == "go" else self._pause(campaign_id)
            commands.tell(campaign_id, request_id, sentence, code)
        return request_id

    def working(self, campaign_id: str) -> str | None:
        """The request of this campaign that turns run for now, or that is next."""
        with self._lock:
            current = self._current
        if current is not None and current.campaign_id == campaign_id:
            return current.request_id
        return next((waiting.request_id for waiting in self._waiting() if waiting.campaign_id == campaign_id), None)

    def stop(self, campaign_id: str) -> None:
        """No turn follows the one in flight, for any of this campaign's requests."""
        with self._lock:
            current = self._current
            waiting = [waiting.request_id for waiting in self._waiting() if waiting.campaign_id == campaign_id]
            self._stopped.update(waiting)
        for request_id in waiting:  # what has not begun yet ends at once
            if current is None or current.request_id != request_id:
                self._commands(campaign_id).give_up(campaign_id, request_id, "Stopped by you.", Halt.STOPPED)

    def halt(self) -> None:
        """Begin no further turn; what is not settled is asked about at the next start. Does not wait."""
        self._closing.set()
        self._wake.set()

    def close(self) -> None:
        """Halt, and wait for the turn in flight; a model that is silent for too long is not waited for."""
        self.halt()
        unsubscribe, self._unsubscribe = self._unsubscribe, lambda: None
        unsubscribe()
        if self._thread.ident is None:  # it never began
            return
        self._thread.join(CLOSE_SECONDS)
        if self._thread.is_alive() and self._loop is not None:
            self._loop.bounded.leave()
            self._thread.join()

    # --- the thread ---

    def _committed(self, committed: Committed) -> None:
        said = [recorded.event for recorded in committed.events if recorded.event.kind in _WAKING]
        if said and not committed.adopted:  # what was said at another device is worked on there
            self._here.update(event.changes.get("request_id", event.entity_id) for event in said)
            self._wake.set()

    def _ours(self, waiting: Waiting) -> bool:
        if not self._sync.attached or waiting.request_id in self._here:
            return True
        with self._workspace.database.read() as connection:
            return not self._here.isdisjoint(requests.questions(connection, waiting.request_id))

    def _hand_over(self, _: str) -> None:
        self._may_not = True

    def _work(self) -> None:
        while not self._closing.is_set():
            self._wake.wait()
            self._wake.clear()
            while not self._closing.is_set() and (waiting := self._next()):
                try:
                    self._request(waiting)
                except Exception as error:  # noqa: BLE001 - the thread's last resort, told to the terminal and the page
                    self._left.add(waiting.request_id)
                    threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))
                    self._tell_defect(waiting)
                finally:
                    with self._lock:
                        self._current = None

    def _next(self) -> Waiting | None:
        open_ = (waiting for waiting in self._waiting() if waiting.request_id not in self._left)
        found = next((waiting for waiting in open_ if self._ours(waiting)), None)
        with self._lock:
            self._current = found
        return found

    def _request(self, waiting: Waiting) -> None:
        """Turns are recorded by the device that acts; whatever another one left in the middle is known by then."""
        try:
            with self._sync.acting(self._closing.is_set):
                self._may_not = False
                if self._sync.attached:
                    self._interrupted()
                self._turns(waiting)
        except OutriderError as error:
            if not self._closing.is_set():
                self._commands(waiting.campaign_id).give_up(*waiting, error.sentence, error.code)

    def _turns(self, waiting: Waiting) -> None:
        campaign_id, request_id = waiting
        if self._answered(waiting) == ("continue_campaign", CONTINUE):
            self._commands(campaign_id).settle(campaign_id, request_id, *self._start(campaign_id))
            return
        growing = GrowingReply()
        growing.request_id = request_id

        def heard(campaign_id: str, turn: int, text: str, whole: bool) -> None:
            self._feed.announce("reply", growing.hear(campaign_id, turn, text, whole=whole))

        def stepped(campaign_id: str, step: int, _: str) -> None:
            ticker = StepTicker(campaign_id=campaign_id, step=step, what="", request_id=request_id)
            self._feed.announce("request step", ticker)

        def halted() -> Halt | None:
            if self._closing.is_set():
                return Halt.CLOSED
            if self._may_not or self._sync.word() not in MAY_ACT:
                return Halt.MAY_NOT
            return Halt.STOPPED if request_id in self._stopped else None

        proposer, presence = self._session.proposer, self._session.presence
        loop = continuation(
            self._workspace,
            lambda: self._clock(campaign_id),
            presence,
            proposer=proposer,
            on_text=heard,
            on_step=stepped,
        )
        self._loop = loop
        loop.run(campaign_id, request_id, halted)
        self._stopped.discard(request_id)  # what is asked now goes on with its answer

    def _tell_defect(self, waiting: Waiting) -> None:
        error = OutriderError("internal_error")
        try:
            self._commands(waiting.campaign_id).give_up(*waiting, error.sentence, error.code)
        except Exception as second:  # noqa: BLE001 - the disk may be full: the request is left, and asked about at the next start
            threading.excepthook(threading.ExceptHookArgs((type(second), second, second.__traceback__, None)))

    # --- the user's own acts ---

    def _start(self, campaign_id: str) -> tuple[str, str]:
        self._session.returned()  # who says or clicks this is here
        try:
            self._session.start(campaign_id)
        except OutriderError as error:
            return f"{error.sentence} {error.remedy}", error.code
        return "The campaign goes on from where it stood.", ""

    def _pause(self, campaign_id: str) -> tuple[str, str]:
        if not self._session.runs(campaign_id):
            return "The campaign does not run.", ""
        self._session.stop(campaign_id)
        return "The campaign stops after the current action.", ""

    # --- what is so ---

    def _waiting(self) -> list[Waiting]:
        with self._workspace.database.read() as connection:
            return requests.waiting(connection)

    def _answered(self, waiting: Waiting) -> tuple[str, str] | None:
        with self._workspace.database.read() as connection:
            return requests.answered(connection, waiting.request_id)

    def _clock(self, campaign_id: str) -> Clock:
        return self._session.clock(campaign_id)

    def _commands(self, campaign_id: str) -> RequestCommands:
        return self._workspace.commands(self._clock(campaign_id)).requests


_WAKING = frozenset({"ConversationSaid", "InputAnswered"})
"""Events that come with whatever gives the assistant something to do."""
