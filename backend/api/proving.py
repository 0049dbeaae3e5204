"""Proofs about the logs, walked in the background: both hash chains, and whether the tables are what the event log says."""

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass

from backend.api.wire.timeline import ChainLine, Flaw, Proof, ReplayLine
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.store import replay, verification
from backend.store.database import Database
from backend.store.projections import LostRowError


class _StoppedError(Exception):
    """Outrider closes."""


@dataclass
class _Walk:
    """One proof under way; replaced as a whole, so that whoever reads it needs no lock."""

    proof: Proof
    thread: threading.Thread | None = None


class Proving:
    """The last proof of each campaign; one walk at a time for each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._walks: dict[str, _Walk] = {}
        self._closing = threading.Event()

    def begin(self, campaign_id: str) -> Proof:
        """Walk now, unless a walk is under way."""
        with self._lock:
            walk = self._walks.get(campaign_id)
            if walk is None or not walk.proof.running:
                walk = _Walk(Proof(running=True))
                walk.thread = threading.Thread(target=self._work, args=(campaign_id, walk), name="proof", daemon=True)
                self._walks[campaign_id] = walk
                walk.thread.start()
            return walk.proof

    def last(self, campaign_id: str) -> Proof:
        """How far the walk is, or what the last one found."""
        walk = self._walks.get(campaign_id)
        return walk.proof if walk else Proof(running=False)

    def close(self) -> None:
        """Stop walking."""
        self._closing.set()
        for walk in list(self._walks.values()):
            if walk.thread is not None:
                walk.thread.join()

    def _work(self, campaign_id: str, walk: _Walk) -> None:
        try:
            self._prove(campaign_id, walk)
        except _StoppedError:
            self._say(walk, running=False)
        except OutriderError as error:
            self._say(walk, running=False, error=f"{error.sentence} {error.remedy}")
        except Exception as error:
            self._say(walk, running=False, error=f"The logs could not be read: {error}")
            raise  # the interpreter's hook tells the terminal

    def _prove(self, campaign_id: str, walk: _Walk) -> None:
        def told(stage: str, done: int) -> None:
            if self._closing.is_set():
                raise _StoppedError
            self._say(walk, stage=stage, done=done)

        with self._database.read() as connection:
            for stream in (campaign_id, WORKSPACE):
                lengths = _lengths(connection, stream)
                self._say(walk, of=max(lengths))
                chains = tuple(_line(report) for report in verification.verify(connection, stream, told))
                self._say(walk, chains=(*walk.proof.chains, *chains))
            (events,) = connection.execute("SELECT coalesce(sum(event_seq), 0) FROM log_heads").fetchone()
        self._say(walk, stage="replay", done=0, of=events)
        self._say(walk, replay=self._replayed(lambda done: told("replay", done)), running=False)

    def _replayed(self, told: Callable[[int], None]) -> ReplayLine:
        try:
            found = replay.check(self._database, told)
        except (LostRowError, LookupError, ValueError, sqlite3.Error) as error:
            return ReplayLine(equal=False, differences=0, first=f"the log cannot be folded: {error}")
        first = " ".join([found[0].table, *map(str, found[0].key)]) if found else ""
        return ReplayLine(equal=not found, differences=len(found), first=first)

    @staticmethod
    def _say(walk: _Walk, **news: object) -> None:
        walk.proof = walk.proof.model_copy(update=news)


def _lengths(connection: sqlite3.Connection, stream: str) -> tuple[int, int]:
    row: tuple[int, int] | None = connection.execute(
        "SELECT event_seq, audit_seq FROM log_heads WHERE campaign_id=?", (stream,)
    ).fetchone()
    return row or (0, 0)


def _line(report: verification.ChainReport) -> ChainLine:
    return ChainLine(
        stream="workspace" if report.campaign_id == WORKSPACE else "campaign",
        log="events" if report.log == "event_log" else "audit",
        length=report.length,
        erased=report.redacted,
        broken=Flaw(seq=report.broken.seq, detail=report.broken.detail) if report.broken else None,
    )
