"""Wakes campaigns when a wake request is due, and only while the user is here; what is armed is on disk and survives the launch."""

from collections.abc import Callable

from backend.commands.runtime import RuntimeCommands
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal
from backend.store.queries.turn import wake_requests
from backend.store.queries.turn.wake_requests import WakeRequest

ACTOR = "controller"
_WAITS = frozenset({"run_elsewhere", "turn_in_flight"})
"""Something else runs: a timer stays armed until that is over."""
LONGEST_WAIT_SECONDS = 60.0
"""A clock may be set meanwhile, or the machine sleep, and no wait counts that; on Windows none may be longer than 49 days."""


class WakeTimers:
    """Timers by the time of the machine, whatever clock a rehearsal lives by.

    `wake` has the campaign take up its turns, or gives its words to the assistant; it raises what prevents that.
    """

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        workers: Workers,
        *,
        present: Callable[[], bool],
        wake: Callable[[WakeRequest], None],
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._present = present
        self._wake = wake
        self._firing = workers.scheduler.lock()  # held while the shared store is asked
        self._worker = workers.add("wake timers", self._work)

    def open(self) -> None:
        """Arm what is on disk, after a restart and after an upgrade alike."""
        self._worker.start()

    def look(self) -> None:
        """Something was armed, or the user is here: look whether something is due."""
        self._worker.wake()

    def close(self) -> None:
        """Wake nothing more; what is armed stays armed."""
        self._worker.stop()
        self._worker.join()

    def wake_now(self, campaign_id: str, text: str) -> None:
        """The user wakes the campaign; raises what keeps it from that."""
        commands = RuntimeCommands(self._journal, self._clock)
        with self._firing:
            request_id = commands.ask_to_wake(campaign_id, self._clock.now(), text)
            request = self._journal.database.query(wake_requests.armed_of, campaign_id, request_id)
            refused = self._fire(request) if request is not None else None
            if refused is not None and refused.code in _WAITS:
                commands.settle_wake(campaign_id, request_id, "refused", refused.code)
        if refused is not None:
            raise refused

    def _work(self) -> float | None:
        with self._firing:
            armed = self._journal.database.query(wake_requests.armed)
            for request in armed:
                wait = (request.due_at - self._clock.now()) / 1_000
                if wait > 0:
                    return min(wait, LONGEST_WAIT_SECONDS)
                if self._worker.stopping.is_set() or not self._present():
                    return None  # a page that is used again has it look
                self._worker.doing = f"waking campaign {request.campaign_id}"
                self._fire(request)
        return None

    def _fire(self, request: WakeRequest) -> OutriderError | None:
        """Wake it, and keep what came of it; why not, if it could not be woken."""
        commands = RuntimeCommands(self._journal, self._clock, ACTOR)
        try:
            self._wake(request)
        except OutriderError as error:
            if error.code not in _WAITS:
                reason = f"{error.sentence} [{error.code}]"
                commands.settle_wake(request.campaign_id, request.id, "refused", reason)
            return error
        commands.settle_wake(request.campaign_id, request.id, "woken")
        return None
