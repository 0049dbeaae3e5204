"""The steps by which one stream comes into step: pushing, pulling, and what happens when another device was first.

Each step is safe to repeat and the process may end between any two. What changes a stream beneath a turn waits until no turn
is in flight; pushing does not, so a turn may push its own intent.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from backend.domain.errors import OutriderError
from backend.domain.events import FENCED
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.shared_store import (
    Appended,
    Batch,
    LoggedAudit,
    LoggedEvent,
    SharedStore,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    StreamHeads,
)
from backend.runtime.sync import file_transfer
from backend.runtime.sync.engine_state import Phase
from backend.runtime.sync.lease import LeaseKeeper
from backend.store.log.journal import Journal, Transaction
from backend.store.queries import sync_positions
from backend.store.replication import rebase_queue, replica
from backend.store.replication.replica import DivergedError

MOST_ENTRIES = 1_000
MOST_BYTES = 1_000_000
PAGE = 1_000

Turn = Callable[[], AbstractContextManager[None]]


class StreamSync:
    """Both stores' streams. `turn` keeps turns out for as long as it is held; `moved` is called after each step.

    `pushing` is held while a part is pushed: one at a time.
    """

    def __init__(
        self,
        journal: Journal,
        blobs: Blobs,
        lease: LeaseKeeper,
        clock: Clock,
        turn: Turn,
        moved: Callable[[Phase], None],
        pushing: AbstractContextManager[Any],
    ) -> None:
        self._journal = journal
        self._blobs = blobs
        self._lease = lease
        self._clock = clock
        self._turn = turn
        self._moved = moved
        self._pushing = pushing
        self._told: dict[str, Appended] = {}

    # --- pushing ---

    def push(self, shared_store: SharedStore, campaign_id: str) -> Appended | None:
        """Everything of this stream; what the shared store said when it got the last of it, None if that was before our time.

        Raises `SharedStoreConflictError`, and `SharedStoreRefusedError("lease_lost")` if it needs the lease and cannot have it.
        """
        while self._push_some(shared_store, campaign_id):
            self._moved("pushing")
        return self._told.get(campaign_id)

    def _push_some(self, shared_store: SharedStore, campaign_id: str) -> bool:
        with self._pushing:
            with self._journal.database.read() as connection:
                batch = replica.next_batch(connection, campaign_id, most=MOST_ENTRIES, most_bytes=MOST_BYTES)
            if batch is None:
                return False
            for file in file_transfer.files_in_events(batch.events):
                file_transfer.upload(shared_store, self._blobs, file)
            told = shared_store.append(batch, self._fence(shared_store, batch))
            # What stands behind it there, if its answer was lost and others went on, is not ours to acknowledge.
            ends = batch.event_seq + len(batch.events), batch.audit_seq + len(batch.audits)
            with self._writing() as transaction:
                replica.acknowledge(transaction, campaign_id, *ends)
            self._told[campaign_id] = told
            return True

    def _fence(self, shared_store: SharedStore, batch: Batch) -> int | None:
        """What an earlier run left behind is recorded with a lease of the moment, if nobody else acts."""
        needed = any(event.kind in FENCED for event in batch.events)
        if needed and self._lease.fence is None and not self._lease.acquire(shared_store):
            raise SharedStoreRefusedError("lease_lost", f"{self._lease.other_holder} acts")
        return self._lease.fence

    # --- pulling ---

    def synchronise(self, shared_store: SharedStore, campaign_id: str, head: StreamHeads | None) -> None:
        """Push what waits, or pull what is there, or both; raises `SharedStoreConflictError` if others are quicker still."""
        if head is None or not self.is_behind(head):
            self._follow(campaign_id)
            try:
                self.push(shared_store, campaign_id)
            except SharedStoreConflictError:
                head = self.heads(shared_store).get(campaign_id, StreamHeads(campaign_id, 0, 0))
            else:
                return
        self._pull(shared_store, head)
        self.push(shared_store, campaign_id)

    def _follow(self, campaign_id: str) -> None:
        """What a pull left that did not come to its end; what was decided since comes behind it, as it was decided."""
        with self._journal.database.read() as connection:
            if campaign_id not in rebase_queue.streams_with_pending(connection):
                return
        with self._turn(), self._writing() as transaction:
            replica.roll_back_unacknowledged(transaction, campaign_id, self._clock.now())
            replica.reapply(transaction, campaign_id, self._clock.now())

    def streams_with_work(self) -> list[str]:
        """The streams of which something waits here: to be pushed, or to be reapplied."""
        with self._journal.database.read() as connection:
            return list(
                dict.fromkeys([*replica.streams_to_push(connection), *rebase_queue.streams_with_pending(connection)])
            )

    def heads(self, shared_store: SharedStore) -> dict[str, StreamHeads]:
        """Where its streams end. Raises `shared_store_behind` if it has less than it acknowledged."""
        with self._journal.database.read() as connection:  # before it is asked: meanwhile it only gets more
            known = sync_positions.positions(connection)
        heads = {head.campaign_id: head for head in shared_store.streams()}
        for campaign_id, *here in known:
            there = heads.get(campaign_id, StreamHeads(campaign_id, 0, 0))
            if there.event_seq < here[0] or there.audit_seq < here[1]:
                raise OutriderError("shared_store_behind", campaign=campaign_id, there=sum(there[1:]), here=sum(here))
        return heads

    def is_behind(self, head: StreamHeads) -> bool:
        """Whether the shared store has entries of this stream that were never adopted here."""
        event_seq, audit_seq = self.acknowledged_position(head.campaign_id)
        return head.event_seq > event_seq or head.audit_seq > audit_seq

    def acknowledged_position(self, campaign_id: str) -> tuple[int, int]:
        """Up to where both logs of the stream are the shared store's."""
        with self._journal.database.read() as connection:
            known = sync_positions.position(connection, campaign_id)
        return known.event_seq, known.audit_seq

    def _pull(self, shared_store: SharedStore, head: StreamHeads) -> None:
        """Adopt page by page; whatever of ours stands in the way is rolled back, and reapplied after the last page.

        Not after it: what is decided between the two would stand before what was decided earlier.
        """
        campaign_id = head.campaign_id
        while self.is_behind(head):
            event_seq, audit_seq = self.acknowledged_position(campaign_id)
            events = shared_store.pull_events(campaign_id, event_seq, PAGE) if head.event_seq > event_seq else ()
            audits = shared_store.pull_audits(campaign_id, audit_seq, PAGE) if head.audit_seq > audit_seq else ()
            if not events and not audits:
                raise OutriderError("shared_store_log_broken", log="event_log", campaign=campaign_id, seq=event_seq + 1,
                    detail="it is not there")  # fmt: skip
            with self._turn():
                try:
                    with self._writing() as transaction:
                        self._adopt(transaction, head, events, audits)
                except DivergedError:
                    with self._writing() as transaction:
                        replica.roll_back_unacknowledged(transaction, campaign_id, self._clock.now())
                        self._adopt(transaction, head, events, audits)
            self._moved("pulling")

    def _adopt(
        self, transaction: Transaction, head: StreamHeads, events: Sequence[LoggedEvent], audits: Sequence[LoggedAudit]
    ) -> None:
        replica.adopt(transaction, head.campaign_id, events, audits)
        ended = not events or events[-1].seq >= head.event_seq, not audits or audits[-1].seq >= head.audit_seq
        if all(ended):
            replica.reapply(transaction, head.campaign_id, self._clock.now())

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """What a shared store answered is of no other project: raises `not_attached` once this one is not attached any more."""
        with self._journal.transaction() as transaction:
            attached = replica.project(transaction.connection)
            if attached is None or attached.device_id != self._lease.device.id:
                raise OutriderError("not_attached")
            yield transaction
