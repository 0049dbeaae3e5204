"""The steps by which one stream comes into step: what waits is pushed (`push`), what others recorded is pulled and adopted.

Each step is safe to repeat and the process may end between any two. What changes a stream beneath a turn waits until no turn
is in flight; pushing does not.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import zip_longest

from backend.domain.events.events import WORKSPACE
from backend.domain.values.errors import OutriderError
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.scheduler import Scheduler
from backend.ports.shared_store import (
    Appended,
    LoggedAudit,
    LoggedEvent,
    SharedStore,
    SharedStoreConflictError,
    StreamHeads,
)
from backend.runtime.feed.feed_messages import SyncPhase
from backend.runtime.sync.erased_meanwhile import ErasedMeanwhile
from backend.runtime.sync.lease import LeaseKeeper
from backend.runtime.sync.pages import PageLimits, pages
from backend.runtime.sync.push import Push
from backend.runtime.sync.signed_entries import SignedEntries
from backend.runtime.sync.stream_ends import StreamEnds
from backend.runtime.worker import THREADS
from backend.store.log import erasure
from backend.store.log.journal import Journal
from backend.store.log.signatures import keep_signatures, signing_keys
from backend.store.log.transaction import Transaction
from backend.store.queries.device import sync_positions
from backend.store.replication import rebase_queue, replica
from backend.store.replication.replica import DivergedError, log_broken

Turn = Callable[[], AbstractContextManager[None]]

UNSIGNED = frozenset({
    "shared_store_unsigned", "signing_key_refused", "shared_store_words_missing", "erasure_rewrites", "shared_store_newer",
})  # fmt: skip
"""What is wrong with one stream's entries at the shared store."""


class StreamSync:
    """Both stores' streams. `turn` keeps turns out for as long as it is held; `moved` hears how many entries a step was."""

    def __init__(
        self,
        journal: Journal,
        blobs: Blobs,
        lease: LeaseKeeper,
        clock: Clock,
        turn: Turn,
        moved: Callable[[SyncPhase, int], None],
        scheduler: Scheduler = THREADS,
        limits: PageLimits = PageLimits(),  # noqa: B008 - a tuple
    ) -> None:
        self._journal, self._lease, self._clock = journal, lease, clock
        self._turn, self._moved = turn, moved
        self._scheduler, self._limits = scheduler, limits
        self.ends = StreamEnds(journal.database)
        self._erased = ErasedMeanwhile(journal.ids, clock, self.ends)
        self.outgoing = Push(journal, blobs, lease, clock, scheduler.lock(), self._erased.sent)
        self._unsigned: dict[str, OutriderError] = {}
        """By stream: why what is at the shared store is not taken over, and nothing is pushed behind it."""
        self._unchecked = journal.database.query(erasure.streams_with_erased)

    def push(self, shared_store: SharedStore, campaign_id: str) -> Appended | None:
        """Everything, as `Push` does it; raises `SharedStoreConflictError`, or `SharedStoreRefusedError("lease_lost")`."""
        is_introduced = self.outgoing.is_introduced
        if campaign_id in self._unsigned or (not is_introduced and WORKSPACE in self._unsigned):
            raise self._unsigned.get(campaign_id) or self._unsigned[WORKSPACE]  # what is there stands in the way
        if campaign_id in self._unchecked:
            raise SharedStoreConflictError  # what came from there is not checked to its end
        if not is_introduced and self.outgoing.introduce() and campaign_id != WORKSPACE:
            self.push(shared_store, WORKSPACE)  # what signs is known there before what it signed
        return self.outgoing.everything(shared_store, campaign_id, partial(self._moved, "pushing"))

    def refused_entry(self, campaign_id: str = "") -> OutriderError | None:
        """What holds this stream back, or any stream: the shared store will never take it as it is, or nobody signed it."""
        if unsigned := self.unsigned(campaign_id):
            return unsigned
        refused_entries = self.outgoing.refused
        refused = refused_entries.get(campaign_id) if campaign_id else next(iter(refused_entries.values()), None)
        return refused.error if refused else None

    def unsigned(self, campaign_id: str = "") -> OutriderError | None:
        """Why what others recorded in this stream, or in any, is not taken over."""
        return self._unsigned.get(campaign_id) if campaign_id else next(iter(self._unsigned.values()), None)

    def synchronise(self, shared_store: SharedStore, campaign_id: str, head: StreamHeads | None) -> None:
        """Push what waits, or pull what is there, or both; raises `SharedStoreConflictError` if others are quicker still.

        Entries that no device signed are not taken over, and hold back this stream alone: `unsigned` says so.
        """
        self._unsigned.pop(campaign_id, None)
        try:
            self._synchronise(shared_store, campaign_id, head)
        except OutriderError as error:
            if error.code not in UNSIGNED:
                raise
            self._refuse_other_log(shared_store, campaign_id)
            self._unsigned[campaign_id] = error

    def _refuse_other_log(self, shared_store: SharedStore, campaign_id: str) -> None:
        """Raises `shared_store_log_broken` if what was acknowledged is not there any more: then no signature can fit."""
        acknowledged = self._journal.database.query(sync_positions.position, campaign_id)
        if acknowledged.event_seq:
            entries = shared_store.pull_events(campaign_id, acknowledged.event_seq - 1, 1)
            if not entries or entries[0].hash != acknowledged.event_hash:
                raise log_broken("event_log", campaign_id, acknowledged.event_seq)

    def _synchronise(self, shared_store: SharedStore, campaign_id: str, head: StreamHeads | None) -> None:
        if head is None or not self.ends.missing(head):
            self._follow(campaign_id)
            self._check_erased(shared_store, campaign_id)
            try:
                self.push(shared_store, campaign_id)
            except SharedStoreConflictError:
                head = self.ends.heads(shared_store).get(campaign_id, StreamHeads(campaign_id))
            else:
                return
        self._pull(shared_store, head)
        self._check_erased(shared_store, campaign_id)
        self.push(shared_store, campaign_id)

    def _check_erased(self, shared_store: SharedStore, campaign_id: str) -> None:
        """Raises `shared_store_words_missing` if an entry came without its words and no erasure may leave what came.

        Only when nothing is missing: the erasure comes behind what it erases, and may be behind where the stream ended
        when it was asked.
        """
        if campaign_id not in self._unchecked:
            return
        unsound = self._journal.database.query(erasure.first_unsound, campaign_id)
        if unsound is not None:
            head = self.ends.heads(shared_store).get(campaign_id)
            if head is not None and self.ends.missing(head):
                raise SharedStoreConflictError
            raise OutriderError("shared_store_words_missing", campaign=campaign_id, log=unsound[0], seq=unsound[1])
        self._unchecked.discard(campaign_id)

    def _follow(self, campaign_id: str) -> None:
        """What a pull left that did not come to its end; what was decided since comes behind it, as it was decided."""
        with self._journal.database.read() as connection:
            if campaign_id not in rebase_queue.streams_with_pending(connection):
                return
        with self._turn(), self._writing() as transaction:
            position = sync_positions.position(transaction.connection, campaign_id)
            replica.roll_back_unacknowledged(transaction, campaign_id, self._clock.now())
            self._reapply(transaction, campaign_id, position)
        self._erased.in_step(campaign_id)

    def _reapply(
        self, transaction: Transaction, campaign_id: str, position: StreamHeads, head: StreamHeads | None = None
    ) -> None:
        """Record again what others' entries came before, up to `head` if any came behind `position`."""
        waiting = rebase_queue.pending(transaction.connection, campaign_id)
        events = [event for group in waiting for event in rebase_queue.events(transaction.connection, group.id)]
        self._erased.keep_of_deleted(transaction, campaign_id, events)
        replica.reapply(transaction, campaign_id, self._clock.now())
        self._erased.erase(transaction, campaign_id, position, head)

    def streams_with_work(self) -> list[str]:
        """The streams of which something waits here: to be pushed, reapplied or checked, or to be signed by somebody."""
        with self._journal.database.read() as connection:
            waiting = [*replica.streams_to_push(connection), *rebase_queue.streams_with_pending(connection)]
        return list(dict.fromkeys([*waiting, *self._unsigned, *self._unchecked]))

    def _pull(self, shared_store: SharedStore, head: StreamHeads) -> None:
        """Adopt page by page; whatever of ours stands in the way is rolled back, and reapplied after the last page.

        Not after it: what is decided between the two would stand before what was decided earlier.
        """
        campaign_id = head.campaign_id
        position = self.ends.acknowledged(campaign_id)
        signed = self._signatures(shared_store, head)
        if campaign_id != WORKSPACE and signed is not None and signed.has_unknown_key():
            if (workspace := self.ends.heads(shared_store).get(WORKSPACE)) is not None and self.ends.missing(workspace):
                self._pull(shared_store, workspace)  # a device that is new since then
            signed = self._signatures(shared_store, head)
        pull_events = partial(shared_store.pull_events, campaign_id)
        pull_audits = partial(shared_store.pull_audits, campaign_id)
        event_pages = pages(pull_events, position.event_seq, head.event_seq, self._limits, self._scheduler)
        audit_pages = pages(pull_audits, position.audit_seq, head.audit_seq, self._limits, self._scheduler)
        event_pages = replica.readable("event_log", campaign_id, event_pages)
        audit_pages = replica.readable("audit_log", campaign_id, audit_pages)
        if signed is not None:
            event_pages, audit_pages = (
                signed.signed_pages("event", event_pages),
                signed.signed_pages("audit", audit_pages),
            )
        for events, audits in zip_longest(event_pages, audit_pages, fillvalue=()):
            with self._turn():
                try:
                    with self._writing() as transaction:
                        self._adopt(transaction, head, events, audits, position)
                except DivergedError:
                    with self._writing() as transaction:
                        self._erased.keep_of_deleted(transaction, campaign_id, events)
                        replica.roll_back_unacknowledged(transaction, campaign_id, self._clock.now())
                        self._adopt(transaction, head, events, audits, position)
            self._moved("pulling", len(events) + len(audits))
        self._erased.in_step(campaign_id)
        if signed is not None and signed.verified:
            with self._writing() as transaction:
                keep_signatures(transaction.connection, signed.verified)
        if self.ends.missing(head):
            seq = self.ends.acknowledged(campaign_id).event_seq + 1
            raise log_broken("event_log", campaign_id, seq, "it is not there")

    def _signatures(self, shared_store: SharedStore, head: StreamHeads) -> SignedEntries | None:
        """What covers the entries up to there; None where nothing can be verified."""
        signing = self._journal.signing
        if signing is None:
            return None
        signatures = shared_store.pull_signatures(self.ends.acknowledged(head.campaign_id), head)
        keys = self._journal.database.query(signing_keys)
        return SignedEntries(signing.signer, head.campaign_id, keys, signatures, self._lease.device.id)

    def _adopt(
        self,
        transaction: Transaction,
        head: StreamHeads,
        events: Sequence[LoggedEvent],
        audits: Sequence[LoggedAudit],
        position: StreamHeads,
    ) -> None:
        if any(event.digest is not None for event in events) or any(event.digest is not None for event in audits):
            self._unchecked.add(head.campaign_id)
        self._erased.adopting(transaction, head.campaign_id, events)
        replica.adopt(transaction, head.campaign_id, events, audits)
        ended = not events or events[-1].seq >= head.event_seq, not audits or audits[-1].seq >= head.audit_seq
        if all(ended):
            self._reapply(transaction, head.campaign_id, position, head)

    def _writing(self) -> AbstractContextManager[Transaction]:
        return replica.writing(self._journal, self._lease.device.id)
