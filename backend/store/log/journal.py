"""The one way in which anything is written: each transaction on disk as a whole, signed, and told to those who listen."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from backend.domain.events.events import AuditEntry, Event
from backend.domain.values.errors import OutriderError
from backend.ports.ids import Ids
from backend.store.database import Database
from backend.store.log.heads_file import HeadsKeeper
from backend.store.log.log_signer import LogSigner
from backend.store.log.transaction import Committed, Transaction
from backend.store.queries.people import person_index


class Journal:
    """The store's only door for writing; listeners hear of a transaction after it is on disk."""

    def __init__(
        self, database: Database, ids: Ids, heads: HeadsKeeper | None = None, signing: LogSigner | None = None
    ) -> None:
        """`heads` keeps where the logs end in a file of its own, so that a loss is noticed; `signing` signs them."""
        self.database = database
        self.ids = ids
        self.heads = heads
        self.signing = signing
        self.commits = 0
        self._order = threading.RLock()
        self._listeners: list[Callable[[Committed], None]] = []
        if person_index.is_behind(database):
            with database.write() as connection:  # a step of the schema says so
                person_index.index_people(connection)

    def subscribe(self, listener: Callable[[Committed], None]) -> Callable[[], None]:
        """Call `listener` after each commit; it must be quick and must not raise. Returns the way to stop it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """One transaction on disk when the block ends, nothing at all if it raises."""
        with self._order:  # listeners hear commits in their order
            with self.database.write() as connection:
                transaction = Transaction(connection, self.ids)
                yield transaction
                if self.signing is not None and transaction.effects:
                    self.signing.sign(transaction, transaction.effects, max(transaction.effects.values()))
                added = transaction.finish()
                if self.heads is not None and transaction.rewound:
                    self.heads.lower(transaction.rewound)
            self.commits += 1
            if transaction.erased:
                with suppress(OutriderError):  # it is recorded all the same; the next checkpoint tries again
                    self.database.empty_wal()
            if self.heads is not None:
                self.heads.committed()
            for committed in added:
                for listener in tuple(self._listeners):
                    listener(committed)

    def sign_heads(self, at: int) -> None:
        """Sign every stream whose end no signature covers; `at` in ms UTC. Nothing without a key at hand."""
        if self.signing is not None and self.signing.signer.is_open:
            with self.transaction() as transaction:
                self.signing.sign_all(transaction, at)

    def keep_heads(self) -> None:
        """Have it on disk outside the database where the logs end: right before an act outside, and at the end."""
        if self.heads is not None:
            self.heads.keep()

    def record(
        self,
        campaign_id: str,
        *,
        events: Sequence[Event],
        audits: Sequence[AuditEntry] = (),
        actor: str,
        cause: str,
        at: int,
    ) -> None:
        """One transaction with one stream in it."""
        with self.transaction() as transaction:
            transaction.audit(campaign_id, audits, actor=actor, cause=cause, at=at)
            transaction.record(campaign_id, events, actor=actor, cause=cause, at=at)


class WouldRecordError(Exception):
    """Something would have been recorded; nothing was."""


class _UndoneError(Exception):
    """Ends a trial."""


class TrialJournal(Journal):
    """Tells what would change nothing: every transaction is undone, and one that recorded something raises `WouldRecordError`."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(journal.database, journal.ids)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        with suppress(_UndoneError), self.database.write() as connection:
            transaction = Transaction(connection, self.ids)
            yield transaction
            if transaction.is_empty:
                raise _UndoneError
            raise WouldRecordError
