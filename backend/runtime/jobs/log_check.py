"""Verifies the logs in the background: at each start what is new since the last time, and then, slowly, everything again.

Up to where each chain was verified is in `outrider.verified`, a file beside the database, which only a walk over the entries moves
on. It saves time at the start and decides nothing: what was damaged before that place is found by the walk over everything.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from backend.domain.events.events import WORKSPACE, AuditEntry
from backend.domain.model.campaign import DAY
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.runtime.worker import Workers
from backend.store.log import verification
from backend.store.log.heads_file import HeadsFile, KeptHeads, LogHeads, verified_path
from backend.store.log.journal import Journal
from backend.store.log.verification import BEGINNING, LOGS, ChainPoint, LogName
from backend.store.queries.device import logs, search_indexes

NEW_AT_ONCE = 5_000
"""Entries that are walked in one round of what is new."""
NEW_PAUSE_SECONDS = 0.01
AGAIN_AT_ONCE = 1_000
AGAIN_PAUSE_SECONDS = 0.1
"""The walk over everything takes a tenth of a core at most."""
NEXT_SECONDS = 600.0
"""How long after a walk what is new by then is verified."""


class _Chain(NamedTuple):
    stream: str
    log: LogName


class LogCheck:
    """What is known of the chains; `refuse` is asked before anything acts, and `on_broken` told what was found."""

    def __init__(
        self, journal: Journal, workers: Workers, on_broken: Callable[[OutriderError], None] = lambda _: None
    ) -> None:
        self._database = journal.database
        self._on_broken = on_broken
        self._file = HeadsFile(verified_path(journal.database.path))
        self._worker = workers.add("log check", self._work)
        self._verified: dict[_Chain, ChainPoint] | None = None
        self._new: deque[_Chain] = deque()
        self._again: deque[_Chain] = deque()
        self._again_at: dict[_Chain, ChainPoint] = {}
        self._again_due = self._rested = True
        self._broken: OutriderError | None = None

    def open(self) -> None:
        """Begin in the background; nothing is waited for."""
        self._worker.start()

    def close(self) -> None:
        """End the round in flight."""
        self._worker.stop()
        self._worker.join()

    def refuse(self) -> None:
        """Raises `log_broken` for what was found so far."""
        if self._broken is not None:
            raise self._broken

    def verify_new(self) -> None:
        """Everything behind what was verified before, in all streams. Raises `log_broken` for the first that does not fit."""
        self._look()
        while self._new:
            self._walk_new()

    def verify_again(self) -> None:
        """Everything from the beginning. Raises `log_broken` for the first that does not fit."""
        self._look_again()
        while self._again:
            self._walk_again()

    def _work(self) -> float | None:
        if self._rested:
            self._look()
            self._rested = False
        if self._new:
            self._worker.doing = "verifying the newest log entries"
            self._walk_new()
            return NEW_PAUSE_SECONDS
        if self._again_due:
            self._look_again()
        if self._again:
            self._worker.doing = "verifying all log entries again"
            self._walk_again()
            return AGAIN_PAUSE_SECONDS
        self._rested = True
        return NEXT_SECONDS

    def _look(self) -> None:
        """Where there may be something new: in every stream."""
        self._new.extend(_chains(self._database.query(logs.last_event_seqs)))

    def _look_again(self) -> None:
        """Everything is walked, also what no record of an end speaks of; once in a launch."""
        self._again.extend(_chains(self._database.query(verification.streams)))
        self._again_due = False

    def _walk_new(self) -> None:
        chain, verified = self._new[0], self._known()
        verified[chain], whole = self._walk(chain, verified.get(chain, BEGINNING), NEW_AT_ONCE)
        if whole:
            self._new.popleft()
            if not self._new:
                self._keep(verified)

    def _walk_again(self) -> None:
        chain = self._again[0]
        self._again_at[chain], whole = self._walk(chain, self._again_at.get(chain, BEGINNING), AGAIN_AT_ONCE)
        if whole:
            del self._again_at[self._again.popleft()]
            if not self._again:
                self._broken = None  # a backup was put back, or another device brought what is sound

    def _walk(self, chain: _Chain, since: ChainPoint, most: int) -> tuple[ChainPoint, bool]:
        part = self._database.query(verification.verify_part, chain.stream, chain.log, since, most)
        if part.broken is not None:
            self._new.clear()
            self._again.clear()
            self._again_at.clear()
            self._again_due = self._rested = True
            seq, detail = part.broken.seq, part.broken.detail
            self._broken = OutriderError("log_broken", log=chain.log, campaign=chain.stream, seq=seq, detail=detail)
            self._on_broken(self._broken)
            raise self._broken
        return part.end, part.whole

    def _known(self) -> dict[_Chain, ChainPoint]:
        if self._verified is None:
            self._verified = self._read()
        return self._verified

    def _read(self) -> dict[_Chain, ChainPoint]:
        """A file that is damaged, or of another time, vouches for nothing."""
        kept_heads: KeptHeads | None = None
        with suppress(OutriderError):
            kept_heads = self._file.read()
        points: dict[_Chain, ChainPoint] = {}
        for stream, head in kept_heads.heads.items() if kept_heads else ():
            points[_Chain(stream, "event_log")] = ChainPoint(head.event_seq, head.event_hash)
            points[_Chain(stream, "audit_log")] = ChainPoint(head.audit_seq, head.audit_hash)
        return points

    def _keep(self, verified: Mapping[_Chain, ChainPoint]) -> None:
        heads = {
            stream: LogHeads(*verified[_Chain(stream, "event_log")], *verified[_Chain(stream, "audit_log")])
            for stream in {chain.stream for chain in verified}
        }
        with suppress(OSError):  # a full disk: the next start walks further
            self._file.write(KeptHeads(heads))


def _chains(streams: Iterable[str]) -> list[_Chain]:
    return [_Chain(stream, log) for stream in sorted(streams) for log in LOGS]


SEARCH_FIRST_SECONDS = 20.0
"""After the start of the app, which has more urgent things to read."""


def mend_search(journal: Journal, clock: Clock) -> float:
    """Make damaged indexes anew, and tell it in the workspace's audit log; in how many seconds to look again."""
    with journal.database.write() as connection:
        mended = search_indexes.mend(connection)
    if mended:
        entry = AuditEntry("search_index_rebuilt", {"indexes": mended})
        journal.record(WORKSPACE, events=(), audits=(entry,), actor="system", cause="damage", at=clock.now())
    return DAY / 1_000
