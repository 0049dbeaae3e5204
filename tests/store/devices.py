"""Devices with a database each and the simplest shared store there can be, to see what becomes of what they record."""

import pickle
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TypeVar

from backend.domain.events.events import AuditEntry
from backend.ports.shared_store import Batch, LoggedAudit, LoggedEvent, SharedStoreConflictError
from backend.store.database import Database
from backend.store.log.heads_file import LogHeads
from backend.store.log.journal import Journal
from backend.store.replication import replica
from backend.store.replication.replica import AttachedProject, DivergedError
from tests.fakes.clock import START
from tests.fakes.ids import SeededIds
from tests.store.streams import Streams

Entry = TypeVar("Entry", LoggedEvent, LoggedAudit)


class MemorySharedStore:
    """Both logs of every stream; appends what follows on them, or nothing."""

    def __init__(self) -> None:
        self.events: dict[str, list[LoggedEvent]] = {}
        self.audits: dict[str, list[LoggedAudit]] = {}

    def append(self, batch: Batch) -> tuple[int, int]:
        events = self.events.setdefault(batch.campaign_id, [])
        audits = self.audits.setdefault(batch.campaign_id, [])
        new_events, new_audits = _beyond(events, batch.events), _beyond(audits, batch.audits)
        if (new_events and new_events[0].seq != len(events) + 1) or (
            new_audits and new_audits[0].seq != len(audits) + 1
        ):
            raise SharedStoreConflictError
        events += new_events
        audits += new_audits
        return len(events), len(audits)


class FiledSharedStore(MemorySharedStore):
    """One that several processes, one after the other, find as the last left it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        if path.exists():
            self.events, self.audits = pickle.loads(path.read_bytes())

    def append(self, batch: Batch) -> tuple[int, int]:
        heads = super().append(batch)
        written = self._path.with_suffix(".new")
        written.write_bytes(pickle.dumps((self.events, self.audits)))
        written.replace(self._path)
        return heads


def _beyond(log: list[Entry], entries: tuple[Entry, ...]) -> list[Entry]:
    for entry in entries:
        if entry.seq <= len(log) and log[entry.seq - 1] != entry:
            raise SharedStoreConflictError
    return [entry for entry in entries if entry.seq > len(log)]


class Device:
    """One data folder; `opened` again it is the same device after a crash."""

    def __init__(self, path: Path, name: str, journal: Journal | None = None) -> None:
        self.path = path
        self.name = name
        self.launches = 0
        self.journal = journal or self._opened()

    def reopen(self) -> None:
        self.close()
        self.journal = self._opened()

    def _opened(self) -> Journal:
        self.launches += 1
        return Journal(Database(self.path), SeededIds(f"{self.name} {self.launches}"))

    def close(self) -> None:
        self.journal.database.close()

    def attach(self) -> None:
        with self.journal.transaction() as transaction:
            replica.attach(
                transaction, AttachedProject("https://x.test", "key", "u", "u@x.test", self.name, self.name, START)
            )

    def acknowledge(self, campaign_id: str, event_seq: int, audit_seq: int) -> None:
        with self.journal.transaction() as transaction:
            replica.acknowledge(transaction, campaign_id, event_seq, audit_seq)

    def adopt(self, campaign_id: str, events: Sequence[LoggedEvent], audits: Sequence[LoggedAudit]) -> None:
        with self.journal.transaction() as transaction:
            replica.adopt(transaction, campaign_id, events, audits)

    def synchronise(self, shared_store: MemorySharedStore) -> None:
        """All of its steps."""
        for _ in self.synchronise_by_steps(shared_store):
            pass

    def synchronise_by_steps(self, shared_store: MemorySharedStore, page: int = 7) -> Iterator[str]:
        """Everything that is to be done to be in sync; between two of what it yields the process may end."""
        with self.journal.database.read() as connection:
            attached = replica.project(connection)
        if attached is None:
            self.attach()
            yield "attached"
        for stream in sorted({*shared_store.events, *self.behind()}):
            while not (yield from self._step(shared_store, stream, page)):
                pass

    def behind(self) -> list[str]:
        return self.journal.database.query(replica.streams_to_push)

    def _step(self, shared_store: MemorySharedStore, stream: str, page: int) -> Generator[str, None, bool]:
        yield from self._pull(shared_store, stream, page)
        with self.journal.transaction() as transaction:
            replica.reapply(transaction, stream, START)
        yield "followed"
        while True:
            batch = self.journal.database.query(replica.next_batch, stream, most=page, most_bytes=10_000)
            if batch is None:
                return True
            try:
                heads = shared_store.append(batch)
            except SharedStoreConflictError:
                return False
            yield "pushed"
            self.acknowledge(stream, *heads)
            yield "acknowledged"

    def _pull(self, shared_store: MemorySharedStore, stream: str, page: int) -> Iterator[str]:
        while True:
            with self.journal.database.read() as connection:
                row = connection.execute("SELECT event_seq, audit_seq FROM acknowledged WHERE campaign_id=?", (stream,))
                event_seq, audit_seq = row.fetchone() or (0, 0)
            events = shared_store.events.get(stream, [])[event_seq : event_seq + page]
            audits = shared_store.audits.get(stream, [])[audit_seq : audit_seq + page]
            if not events and not audits:
                return
            try:
                self.adopt(stream, events, audits)
                yield "adopted"
            except DivergedError:
                with self.journal.transaction() as transaction:
                    replica.roll_back_unacknowledged(transaction, stream, START)
                yield "rolled back"


class Person:
    """Decides at random what is legal on one device; knows what is there by looking."""

    def __init__(self, random: Random, device: Device, first: int) -> None:
        self._random = random
        self._device = device
        self._streams = Streams(random)
        self._first = first
        self.events: list[bytes] = []
        self.audits: list[bytes] = []

    def decide(self) -> None:
        """One transaction with a few events and audits; nothing if what it would make is there by now."""
        device, random = self._device, self._random
        device.journal.database.query(self._streams.look, self._first)
        steps = self._streams.take(random.randint(1, 4))
        actor, cause = random.choice(("user", "controller")), f"c{random.randint(0, 5)}"
        with suppress(sqlite3.IntegrityError), device.journal.transaction() as transaction:
            streams = sorted({step.campaign_id for step in steps})
            before = {stream: transaction.head(stream) for stream in streams}
            for campaign, at, event in steps:
                transaction.record(campaign, [event], actor=actor, cause=cause, at=at)
            for stream in streams:
                if random.random() < 0.3:
                    transaction.audit(stream, [AuditEntry("looked", {})], actor="agent", cause=cause, at=START)
            self._note(transaction.connection, before)

    def _note(self, connection: sqlite3.Connection, before: dict[str, LogHeads]) -> None:
        for stream, head in before.items():
            for log, after, salts in (("event", head.event_seq, self.events), ("audit", head.audit_seq, self.audits)):
                sql = f"SELECT salt FROM {log}_log WHERE campaign_id=? AND seq>?"
                salts += [row[0] for row in connection.execute(sql, (stream, after))]
