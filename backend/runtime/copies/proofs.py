"""Proofs about the logs, walked in the background: both hash chains, and whether the tables are what the event log says."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from backend.domain.events.events import WORKSPACE
from backend.domain.events.signature import fingerprint
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.ports.signer import Signer
from backend.runtime.worker import Workers
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.log.verification import BrokenEntry
from backend.store.queries.device import logs


class ChainLine(Shape):
    """One chain; `erased` entries have lost their payload on a person's request and still verify."""

    stream: Literal["campaign", "workspace"]
    log: Literal["events", "audit"]
    length: int
    erased: int
    broken: BrokenEntry | None


class SignatureLine(Shape):
    """A stream's signatures: up to which entries they hold, by which key the last one is (for people to compare), and what is wrong
    with the first that does not hold, or is missing."""

    stream: Literal["campaign", "workspace"]
    held: int
    events: int
    audits: int
    fingerprint: str = ""
    problem: str = ""


class ReplayLine(Shape):
    """Whether every row of every table is what the event log says; `first` names the first that is not."""

    equal: bool
    differences: int
    first: str


class Proof(Shape):
    """A walk over the logs: how far it is (`done` of `of` entries in `stage`), and what it found so far."""

    running: bool
    stage: str = ""
    done: int = 0
    of: int = 0
    chains: tuple[ChainLine, ...] = ()
    signatures: tuple[SignatureLine, ...] = ()
    replay: ReplayLine | None = None
    error: str = ""


class _StoppedError(Exception):
    """Outrider closes."""


@dataclass
class _RunningProof:
    """One proof under way; replaced as a whole, so that whoever reads it needs no lock."""

    proof: Proof


class LogProofs:
    """The last proof of each campaign; one walk at a time, in the order in which they were asked for."""

    def __init__(self, database: Database, workers: Workers, signer: Signer | None = None) -> None:
        self._database = database
        self._signer = signer
        self._lock = threading.Lock()
        self._worker = workers.add("proofs", self._work)
        self._walks: dict[str, _RunningProof] = {}
        self._queue: deque[str] = deque()

    def begin(self, campaign_id: str) -> Proof:
        """Walk now, unless a walk is under way. Raises `closing`."""
        with self._lock:  # the worker looks at what is wanted only when this is over
            walk = self._walks.get(campaign_id)
            if walk is None or not walk.proof.running:
                self._worker.start()
                walk = self._walks[campaign_id] = _RunningProof(Proof(running=True))
                self._queue.append(campaign_id)
            return walk.proof

    def last(self, campaign_id: str) -> Proof:
        """How far the walk is, or what the last one found."""
        walk = self._walks.get(campaign_id)
        return walk.proof if walk else Proof(running=False)

    def close(self) -> None:
        """Stop walking."""
        self._worker.stop()
        self._worker.join()

    def _work(self) -> float | None:
        with self._lock:
            if not self._queue:
                return None
            campaign_id = self._queue.popleft()
            walk = self._walks[campaign_id]
        self._worker.doing = f"proving the logs of campaign {campaign_id}"
        try:
            self._prove(campaign_id, walk)
        except _StoppedError:
            self._say(walk, running=False)
        except OutriderError as error:
            self._say(walk, running=False, error=f"{error.sentence} {error.remedy}")
            raise
        except Exception as error:
            self._say(walk, running=False, error=f"The logs could not be read: {error}")
            raise
        return 0.0  # another may have been asked for meanwhile

    def _prove(self, campaign_id: str, walk: _RunningProof) -> None:
        def told(stage: str, done: int) -> None:
            if self._worker.stopping.is_set():
                raise _StoppedError
            self._say(walk, stage=stage, done=done)

        with self._database.read() as connection:
            for stream in (campaign_id, WORKSPACE):
                lengths = logs.lengths(connection, stream)
                self._say(walk, of=max(lengths))
                chains = tuple(_line(report) for report in verification.verify(connection, stream, told))
                self._say(walk, chains=(*walk.proof.chains, *chains))
                if self._signer is not None:
                    signed = verification.verify_signatures(connection, self._signer, stream)
                    self._say(walk, signatures=(*walk.proof.signatures, *map(_signature_line, signed)))
            events = logs.count_events(connection)
        self._say(walk, stage="replay", done=0, of=events)
        self._say(walk, replay=self._replayed(lambda done: told("replay", done)), running=False)

    def _replayed(self, on_progress: Callable[[int], None]) -> ReplayLine:
        try:
            differences = replay.find_differences(self._database, on_progress)
        except OutriderError as error:
            if error.code != "log_not_foldable":
                raise
            return ReplayLine(equal=False, differences=0, first=error.sentence)
        first = " ".join([differences[0].table, *map(str, differences[0].key)]) if differences else ""
        return ReplayLine(equal=not differences, differences=len(differences), first=first)

    @staticmethod
    def _say(walk: _RunningProof, **news: object) -> None:
        walk.proof = walk.proof.model_copy(update=news)


def _line(report: verification.ChainReport) -> ChainLine:
    return ChainLine.showing(
        report,
        stream="workspace" if report.campaign_id == WORKSPACE else "campaign",
        log="events" if report.log == "event_log" else "audit",
    )


def _signature_line(report: verification.SignatureReport) -> SignatureLine:
    problem = ""
    if report.broken:
        where = f"event {report.broken.event_seq}, audit entry {report.broken.audit_seq}"
        problem = f"The signature at {where} does not hold: {report.broken.detail}."
    elif report.missing:
        problem = f"Outside effects are not signed from event {report.missing} on."
    return SignatureLine(
        stream="workspace" if report.campaign_id == WORKSPACE else "campaign",
        held=report.valid_count,
        events=report.event_seq,
        audits=report.audit_seq,
        fingerprint=fingerprint(report.key_id),
        problem=problem,
    )
