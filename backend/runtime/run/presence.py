"""Presence by the open pages: one of them is seen and was used lately, and time went by as it should.

A page in Outrider's own window is seen only while the window itself is, by the window's word: engines call the page of a
minimised window visible.

When presence ends while a campaign runs, it does not come back by a movement of the mouse: whatever the user finds on the
screen, they say first that it goes on (`returned`).
"""

import threading
from collections.abc import Callable
from typing import NamedTuple

from backend.domain.device.visit import ABSENCE, LastUse, Visit, continued, end_of_last, is_worth_keeping
from backend.ports.clock import Clock
from backend.runtime.workspace import Workspace
from backend.store.queries.device import logs
from backend.store.small_file import load_small, save_small
from backend.turn.presence import Presence

FILE = "last-visit.json"
"""When the user was last here; beside the database, in no log, as each device has its own."""
_MOST_BYTES = 1024 * 1024
GRACE_MS = 5_000
"""A page may be hidden so long, or between two connections: a glance elsewhere is no absence."""
JUMP_MS = 60_000
"""If the clock on the wall and the one that only counts differ by more, the machine slept or the clock was set."""
MOST_PAGES = 64
_COMMAND = ""
"""The key of a command's own sign: pressing Start is using a page."""


class _PageActivity(NamedTuple):
    """When a page was last used, by both clocks, and since when it is hidden (by the one that only counts); ms."""

    wall: int
    counted: int
    hidden: int | None = None
    in_window: bool = False


class PagePresence(Presence):
    """`runs` says whether there is anything to pause; `on_change` hears when the pause began (ms UTC), None when it ended."""

    def __init__(
        self,
        clock: Clock,
        *,
        minutes: int,
        runs: Callable[[], bool],
        on_change: Callable[[int | None], None],
        grace_ms: int = GRACE_MS,
    ) -> None:
        super().__init__()
        self.grace_ms = grace_ms
        self._window_ms = minutes * 60_000
        self._clock = clock
        self._runs = runs
        self._on_change = on_change
        self._guard = threading.Lock()
        self._signs: dict[str, _PageActivity] = {}
        self._here = False
        self._away_since: int | None = None
        self._window_shown = False
        self._window_hidden: int | None = None
        """Since when it is not seen (by the clock that only counts), once it was."""

    def report_active(self, page: str, idle_ms: int, *, in_window: bool = False) -> None:
        """The page is visible and was used this long ago; whether that is so `in_window` is for the window to say."""
        self._look()
        with self._guard:
            self._sign(page, idle_ms, in_window=in_window)

    def window_seen(self, seen: bool) -> None:
        """Outrider's own window can be seen, or not any more; until it says so, it is not."""
        with self._guard:
            if seen:
                self._signs = self._counting()  # what ended meanwhile does not come back by itself
                self._window_shown, self._window_hidden = True, None
            elif self._window_shown and self._window_hidden is None:
                self._window_hidden = self._clock.real_time().monotonic
                self._hide([_COMMAND])

    def hidden(self, page: str) -> None:
        """The page is not visible any more."""
        with self._guard:
            self._hide([page, _COMMAND])

    def leave(self) -> None:
        """No page is connected any more."""
        with self._guard:
            self._hide(list(self._signs))

    def resume(self) -> None:
        """The user says that it may go on, by a command of theirs."""
        self._look()
        with self._guard:
            self._sign(_COMMAND, 0)
            self._away_since = None
        self._on_change(None)

    def is_present(self, now: int) -> bool:
        """Whether the user is here, in their own time: a rehearsal's clock may jump over a week while they sit there."""
        return self._look()

    def _look(self) -> bool:
        """Notice that presence ended; whether it holds."""
        runs = self._runs()
        with self._guard:
            self._signs = self._counting()
            ended, self._here = self._here and not self._signs, bool(self._signs)
            began = self._clock.now() if ended and runs and self._away_since is None else None
            if began is not None:
                self._away_since = began
            if not runs and self._away_since is not None:
                self._away_since = None
            present = self._here and self._away_since is None
        if began is not None:
            self._on_change(began)
        return present

    def _counting(self) -> dict[str, _PageActivity]:
        return {page: sign for page, sign in self._signs.items() if self._counts(sign)}

    def _counts(self, sign: _PageActivity) -> bool:
        real = self._clock.real_time()
        wall, counted = real.wall - sign.wall, real.monotonic - sign.counted
        if abs(wall - counted) > JUMP_MS or max(wall, counted) > self._window_ms:
            return False
        if sign.in_window and not self._window_shown:
            return False
        hidden = (sign.hidden, self._window_hidden if sign.in_window else None)
        return all(since is None or real.monotonic - since <= self.grace_ms for since in hidden)

    def _sign(self, page: str, idle_ms: int, *, in_window: bool = False) -> None:
        if page in self._signs or len(self._signs) < MOST_PAGES:
            real = self._clock.real_time()
            self._signs[page] = _PageActivity(real.wall - idle_ms, real.monotonic - idle_ms, in_window=in_window)
            self._here = self._here or self._counts(self._signs[page])

    def _hide(self, pages: list[str]) -> None:
        now = self._clock.real_time().monotonic
        for page in pages:
            if page in self._signs and self._signs[page].hidden is None:
                self._signs[page] = self._signs[page]._replace(hidden=now)


class Visits:
    """Notes when Outrider is used, at most every few minutes and when it closes."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._file = workspace.settings.data_dir / FILE
        self._lock = threading.Lock()
        self._visit: Visit | None = load_small(self._file, Visit, _MOST_BYTES)
        self._used_at: int | None = None

    def before(self) -> LastUse | None:
        """When the user was last here before this visit; None if that is not known."""
        return end_of_last(self._visit, self._workspace.clock.now())

    def note(self, idle_ms: int) -> None:
        """Note that a page was used `idle_ms` ago."""
        at = self._workspace.clock.now() - idle_ms
        with self._lock:
            self._used_at = at
            if is_worth_keeping(self._visit, at):
                self._keep(at)

    def close(self) -> None:
        """Note the end of the visit: whoever closes Outrider has seen everything so far."""
        now = self._workspace.clock.now()
        with self._lock:
            if self._used_at is not None and now - self._used_at <= ABSENCE:
                self._keep(now)

    def _keep(self, at: int) -> None:
        use = LastUse(at=at, events=self._workspace.database.query(logs.last_event_seqs))
        self._visit = continued(self._visit, use)
        save_small(self._file, self._visit)
