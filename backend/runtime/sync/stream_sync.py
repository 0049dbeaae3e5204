"""The steps by which one stream comes into step: pushing, pulling, and what happens when another device was first.

Each step is safe to repeat and the process may end between any two. What changes a stream beneath a turn waits until no turn
is in flight; pushing does not, so a turn may push its own intent.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from backend.commands.contact_memory import remembering_events
from backend.commands.people import erase_mentions, forbidding_erased, forget_keys, keys_to_forget
from backend.domain.events.events import FENCED, WORKSPACE, Event
from backend.domain.values.errors import OutriderError
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.scheduler import Scheduler
from backend.ports.shared_store import (
    Appended,
    Batch,
    LoggedAudit,
    LoggedEvent,
    SharedStore,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    SharedStoreTooSlowError,
    StreamHeads,
)
from backend.runtime.feed.feed_messages import SyncPhase
from backend.runtime.sync import file_transfer
from backend.runtime.sync.erased_meanwhile import ErasedMeanwhile
from backend.runtime.sync.lease import LeaseKeeper
from backend.runtime.sync.pages import PageLimits, pages
from backend.runtime.sync.signed_entries import SignedEntries
from backend.runtime.worker import THREADS
from backend.store.database import CachedRead
from backend.store.log import erasure
from backend.store.log.journal import Journal
from backend.store.log.signatures import keep_signatures, signing_keys
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaign_contents, campaigns
from backend.store.queries.device import erased_things, sync_positions
from backend.store.queries.people import person_entries
from backend.store.replication import rebase_queue, replica
from backend.store.replication.replica import DivergedError

MOST_ENTRIES = 1_000
MOST_BYTES = 1_000_000
LONG_MICROSECONDS = 1_500_000
"""A batch that took longer is followed by half of it; one that took a quarter of that, by twice as much."""

Turn = Callable[[], AbstractContextManager[None]]


APPEND_REFUSED = "append_refused"
UNSIGNED = frozenset({
    "shared_store_unsigned", "signing_key_refused", "shared_store_words_missing", "erasure_rewrites", "shared_store_newer",
})  # fmt: skip
"""What is wrong with one stream's entries at the shared store."""


def _first(batch: Batch) -> LoggedEvent | LoggedAudit:
    return batch.events[0] if batch.events else batch.audits[0]


def _other_log(log: str, campaign_id: str, seq: int) -> OutriderError:
    detail = "it is not what was acknowledged"
    return OutriderError("shared_store_log_broken", log=log, campaign=campaign_id, seq=seq, detail=detail)


class BatchSize(NamedTuple):
    """How many entries of a stream the next batch may have, and how many the shared store can take at all."""

    next: int = MOST_ENTRIES
    most: int = MOST_ENTRIES


class RefusedEntry(NamedTuple):
    """The first entry of a transaction that the shared store will not take, and why."""

    campaign_id: str
    entry: LoggedEvent | LoggedAudit
    reason: str

    @property
    def error(self) -> OutriderError:
        """For people."""
        what = self.entry.kind if isinstance(self.entry, LoggedEvent) else self.entry.action_type
        return OutriderError(
            "entry_refused", seq=self.entry.seq, campaign=self.campaign_id, what=what, detail=self.reason
        )


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
        self._journal = journal
        self._blobs = blobs
        self._lease = lease
        self._clock = clock
        self._turn = turn
        self._moved = moved
        self._scheduler, self._limits = scheduler, limits
        self._push_lock = scheduler.lock()
        self._introduced = False
        self._last_appended: dict[str, Appended] = {}
        self._refused: dict[str, RefusedEntry] = {}
        self._batch_sizes: dict[str, BatchSize] = {}
        """By stream: how many entries at a time the shared store was quick enough for, while there is more to push."""
        self._unsigned: dict[str, OutriderError] = {}
        self._erased = ErasedMeanwhile()
        self._heads: Mapping[str, StreamHeads] | None = None
        """Where the streams ended at the shared store when they were last asked for; None before that."""
        self._positions = CachedRead(journal.database, sync_positions.positions)
        """Up to where each stream is the shared store's."""
        self._unchecked = journal.database.query(erasure.streams_with_erased)

    # --- pushing ---

    def push(self, shared_store: SharedStore, campaign_id: str) -> Appended | None:
        """Everything of this stream; what the shared store said when it got the last of it, None if that was before our time.

        Raises `SharedStoreConflictError`, and `SharedStoreRefusedError("lease_lost")` if it needs the lease and cannot have it.
        """
        if campaign_id in self._unsigned or (not self._introduced and WORKSPACE in self._unsigned):
            raise self._unsigned.get(campaign_id) or self._unsigned[WORKSPACE]  # what is there stands in the way
        if campaign_id in self._unchecked:
            raise SharedStoreConflictError  # what came from there is not checked to its end
        if not self._introduced and self._introduce() and campaign_id != WORKSPACE:
            self.push(shared_store, WORKSPACE)  # what signs is known there before what it signed
        while entries := self._push_some(shared_store, campaign_id):
            self._moved("pushing", entries)
        self._refused.pop(campaign_id, None)
        self._batch_sizes.pop(campaign_id, None)
        return self._last_appended.get(campaign_id)

    def refused_entry(self, campaign_id: str = "") -> OutriderError | None:
        """What holds this stream back, or any stream: the shared store will never take it as it is, or nobody signed it."""
        if unsigned := self.unsigned(campaign_id):
            return unsigned
        refused = self._refused.get(campaign_id) if campaign_id else next(iter(self._refused.values()), None)
        return refused.error if refused else None

    def unsigned(self, campaign_id: str = "") -> OutriderError | None:
        """Why what others recorded in this stream, or in any, is not taken over."""
        return self._unsigned.get(campaign_id) if campaign_id else next(iter(self._unsigned.values()), None)

    def retry_refused(self) -> None:
        """Something may have changed: ask again."""
        self._refused.clear()

    def _push_some(self, shared_store: SharedStore, campaign_id: str) -> int:
        with self._push_lock:
            with self._journal.database.read() as connection:
                most = self._batch_sizes.get(campaign_id, BatchSize()).next
                batch = replica.next_batch(connection, campaign_id, most=most, most_bytes=MOST_BYTES)
            if batch is None:
                return 0
            batch, appended = self._append(shared_store, batch)
            # What stands behind it there, if its answer was lost and others went on, is not ours to acknowledge.
            ends = batch.event_seq + len(batch.events), batch.audit_seq + len(batch.audits)
            with self._writing() as transaction:
                replica.acknowledge(transaction, campaign_id, *ends)
                if batch.signature is not None:
                    keep_signatures(transaction.connection, [batch.signature])
            self._last_appended[campaign_id] = appended
            self._erased.sent(batch)
            return batch.size

    def _append(self, shared_store: SharedStore, batch: Batch) -> tuple[Batch, Appended]:
        """As much of it as the shared store takes. An entry that it refuses is remembered, and not sent again as it is."""
        refused_entry = self._refused.get(batch.campaign_id)
        if (
            refused_entry and refused_entry.entry.hash == _first(batch).hash
        ):  # recorded again behind others', it is another
            raise SharedStoreRefusedError(APPEND_REFUSED, refused_entry.reason)
        while True:
            try:
                for file in file_transfer.files_in_events(batch.events):
                    file_transfer.upload(shared_store, self._blobs, file)
                batch = self._signed(batch)
                fence, began = self._fence(shared_store, batch), self._clock.ticks()
                appended = shared_store.append(batch, fence)
            except SharedStoreRefusedError as refused:
                if refused.code != APPEND_REFUSED:
                    raise
                half = replica.first_half(batch)
                if half is None:
                    self._refused[batch.campaign_id] = RefusedEntry(batch.campaign_id, _first(batch), refused.said)
                    raise
                batch = half
            except SharedStoreTooSlowError:
                half = replica.first_half(batch, may_split=True)
                if half is None:
                    raise
                batch = half
                self._batch_sizes[batch.campaign_id] = BatchSize(batch.size, batch.size)
            else:
                self._fit(batch, self._clock.ticks() - began)
                return batch, appended

    def _fit(self, batch: Batch, microseconds: int) -> None:
        """Choose the next batch's size by how long this one took: an erasure costs what it erases, which its size does not tell."""
        batch_size = self._batch_sizes.get(batch.campaign_id, BatchSize())
        if microseconds > LONG_MICROSECONDS:
            batch_size = batch_size._replace(next=max(1, batch.size // 2))
        elif microseconds < LONG_MICROSECONDS // 4:
            batch_size = batch_size._replace(next=min(batch_size.most, batch_size.next * 2))
        self._batch_sizes[batch.campaign_id] = batch_size

    def _introduce(self) -> bool:
        """Have this device's key in the workspace's log; whether it is. What happens without one, `_signed` says."""
        signing = self._journal.signing
        if signing is not None:
            with contextlib.suppress(OutriderError):
                signing.signer.open()
            with self._writing() as transaction:
                introduced = signing.introduce(transaction, self._clock.now())
            self._introduced = introduced  # once it is on disk: others believe nothing by a key that they cannot know
        return self._introduced

    def _signed(self, batch: Batch) -> Batch:
        """The batch with a signature of where it ends.

        Raises `signer_unavailable` or `signing_key_lost` if others would not believe it without.
        """
        signing = self._journal.signing
        if signing is None:
            return batch
        with self._journal.database.read() as connection:
            if self._introduced:
                return signing.signed_batch(connection, batch, self._clock.now())
            if signing.lost_key(connection):
                raise OutriderError("signing_key_lost")
            if any(key.device_id for key in signing_keys(connection).values()):
                raise OutriderError("signer_unavailable", detail="the other devices would not believe what is sent.")
        return batch

    def _fence(self, shared_store: SharedStore, batch: Batch) -> int | None:
        """What an earlier run left behind is recorded with a lease of the moment, if nobody else acts."""
        needed = any(event.kind in FENCED for event in batch.events)
        if needed and self._lease.fence is None and not self._lease.acquire(shared_store):
            raise SharedStoreRefusedError("lease_lost", f"{self._lease.other_holder} acts")
        return self._lease.fence

    # --- pulling ---

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
                raise _other_log("event_log", campaign_id, acknowledged.event_seq)

    def _synchronise(self, shared_store: SharedStore, campaign_id: str, head: StreamHeads | None) -> None:
        if head is None or not self.missing(head):
            self._follow(campaign_id)
            self._check_erased(shared_store, campaign_id)
            try:
                self.push(shared_store, campaign_id)
            except SharedStoreConflictError:
                head = self.heads(shared_store).get(campaign_id, StreamHeads(campaign_id))
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
            head = self.heads(shared_store).get(campaign_id)
            if head is not None and self.missing(head):
                raise SharedStoreConflictError
            raise OutriderError("shared_store_words_missing", campaign=campaign_id, log=unsound[0], seq=unsound[1])
        self._unchecked.discard(campaign_id)

    def _follow(self, campaign_id: str) -> None:
        """What a pull left that did not come to its end; what was decided since comes behind it, as it was decided."""
        with self._journal.database.read() as connection:
            if campaign_id not in rebase_queue.streams_with_pending(connection):
                return
        with self._turn(), self._writing() as transaction:
            acknowledged = sync_positions.position(transaction.connection, campaign_id)
            replica.roll_back_unacknowledged(transaction, campaign_id, self._clock.now())
            self._reapply(transaction, campaign_id, (acknowledged.event_seq, acknowledged.audit_seq))
        self._erased.in_step(campaign_id)

    def _reapply(
        self, transaction: Transaction, campaign_id: str, position: tuple[int, int], head: StreamHeads | None = None
    ) -> None:
        """Record again what others' entries came before, up to `head` if any came; nothing behind `position` tells of whose data
        was erased meanwhile, and nothing at all of a campaign that is deleted.

        Nor does what artifacts and conversations say, wherever it stands: who erased it may not have had it.
        """
        now = self._clock.now()
        waiting = rebase_queue.pending(transaction.connection, campaign_id)
        pending_events = [event for group in waiting for event in rebase_queue.events(transaction.connection, group.id)]
        self._record_left(transaction, self._left(transaction, campaign_id, pending_events))
        replica.reapply(transaction, campaign_id, now)
        imported = person_entries.imported_before_erasure(transaction.connection, campaign_id, position[0], now)
        if head is not None and self._heads is not None:  # what others sent before it was told there
            workspace_end = self._heads[WORKSPACE].event_seq if WORKSPACE in self._heads else 0
            adopted, erased = (position[0], head.event_seq), (workspace_end, None)
            unheard = person_entries.imported_unheard(transaction.connection, campaign_id, adopted, erased)
            imported = list(dict.fromkeys([*imported, *unheard]))
            sent_unheard, sent_after = self._erased.imported_unheard(transaction.connection, campaign_id)
            if sent_unheard:
                imported += sent_unheard
                position = min(position[0], sent_after), position[1]
        if head is not None and campaign_id == WORKSPACE:
            self._erase_own_imports(transaction, (position[0], head.event_seq))
        self._erase_late(transaction, campaign_id, position, imported)

    def _erase_own_imports(self, transaction: Transaction, erased: tuple[int, int]) -> None:
        """Whom this device imported without having heard of the erasure that came just now, whatever its clock said.

        What it imported before it shared this store's erasures is no copy of what was erased there: the clocks tell whether
        the user imported them again since.
        """
        connection, now = transaction.connection, self._clock.now()
        others, attached = self._erased.of_others(connection, erased), replica.project(connection)
        if not others or attached is None:
            return
        for stream in campaigns.not_deleted(connection):
            at = sync_positions.position(connection, stream)
            late = person_entries.imported_before_erasure(connection, stream, at.event_seq, now)
            for between in others:
                waiting = at.event_seq, person_entries.LAST_SEQ
                late += person_entries.imported_unheard(connection, stream, waiting, between, attached.attached_at)
            if late:
                self._erase_late(transaction, stream, (at.event_seq, at.audit_seq), list(dict.fromkeys(late)))
            head = (self._heads or {}).get(stream)
            is_whole = head is None or at.event_seq >= head.event_seq  # or what erased them may follow
            if self._erased.heard(stream, others) and is_whole:
                lead_ids, sent_after = self._erased.imported_unheard(connection, stream)
                if lead_ids:
                    self._erase_late(transaction, stream, (sent_after, at.audit_seq), lead_ids)

    def _erase_late(
        self, transaction: Transaction, campaign_id: str, position: tuple[int, int], imported: list[str]
    ) -> None:
        now = self._clock.now()
        if answers := person_entries.answers_left_without(transaction.connection, imported):
            events = erasure.erasing_events(transaction.connection, WORKSPACE, answers, transaction.new_id, now)
            self._record_left(transaction, events)
        record = partial(self._record_left, transaction)
        gone = person_entries.leads_to_forget(transaction.connection, campaign_id, imported)
        keys = keys_to_forget(transaction, self._journal.ids, {campaign_id: gone}, record, position[0])
        named = person_entries.named(transaction.connection, gone if keys.by_key else [])
        people = [*self._erased.people(campaign_id), *named]
        if left := person_entries.words_that_came_after(transaction.connection, campaign_id, *position, gone):
            events = erasure.erasing_events(transaction.connection, campaign_id, left, transaction.new_id, now)
            transaction.record(campaign_id, events, actor="controller", cause="erased", at=now)
        forget_keys(transaction, keys, record, now)
        for stream, events in erase_mentions(transaction, people, now).items():
            transaction.record(stream, events, actor="controller", cause="erased", at=now)
        if campaign_id in erased_things.deleted_campaigns(transaction.connection):
            left = campaign_contents.what_is_left(transaction.connection, campaign_id)
            events = erasure.erasing_events(transaction.connection, campaign_id, left, transaction.new_id, now)
            transaction.record(campaign_id, events, actor="controller", cause="erased", at=now)
        if campaign_id != WORKSPACE and (ends := forbidding_erased(transaction, campaign_id, now)):
            transaction.record(campaign_id, ends, actor="controller", cause="erased", at=now)

    def streams_with_work(self) -> list[str]:
        """The streams of which something waits here: to be pushed, reapplied or checked, or to be signed by somebody."""
        with self._journal.database.read() as connection:
            waiting = [*replica.streams_to_push(connection), *rebase_queue.streams_with_pending(connection)]
        return list(dict.fromkeys([*waiting, *self._unsigned, *self._unchecked]))

    def heads(self, shared_store: SharedStore) -> dict[str, StreamHeads]:
        """Where its streams end. Raises `shared_store_behind` if it has less than it acknowledged, `shared_store_log_broken` if
        it has something else, as after a backup was put back there and another device went on.
        """
        acknowledged = self._positions()  # before it is asked: meanwhile it only gets more
        heads = {head.campaign_id: head for head in shared_store.streams()}
        self._heads = heads
        for position in acknowledged.values():
            head = heads.get(position.campaign_id, StreamHeads(position.campaign_id))
            if head.event_seq < position.event_seq or head.audit_seq < position.audit_seq:
                counts = {"there": head.event_seq + head.audit_seq, "here": position.event_seq + position.audit_seq}
                raise OutriderError("shared_store_behind", campaign=position.campaign_id, **counts)
            if head.event_seq == position.event_seq and head.event_hash != position.event_hash:
                raise _other_log("event_log", position.campaign_id, position.event_seq)
            if head.audit_seq == position.audit_seq and head.audit_hash != position.audit_hash:
                raise _other_log("audit_log", position.campaign_id, position.audit_seq)
        return heads

    def missing(self, head: StreamHeads) -> int:
        """How many entries of this stream the shared store has that were never adopted here."""
        here = self.acknowledged(head.campaign_id)
        return max(0, head.event_seq - here.event_seq) + max(0, head.audit_seq - here.audit_seq)

    def acknowledged(self, campaign_id: str) -> StreamHeads:
        """Up to where both logs of the stream are the shared store's."""
        return self._positions().get(campaign_id, StreamHeads(campaign_id))

    def _pull(self, shared_store: SharedStore, head: StreamHeads) -> None:
        """Adopt page by page; whatever of ours stands in the way is rolled back, and reapplied after the last page.

        Not after it: what is decided between the two would stand before what was decided earlier.
        """
        campaign_id = head.campaign_id
        event_seq, audit_seq = self.acknowledged(campaign_id)[1:3]
        signed = self._signatures(shared_store, head)
        if campaign_id != WORKSPACE and signed is not None and signed.unknown_key():
            if (workspace := self.heads(shared_store).get(WORKSPACE)) is not None and self.missing(workspace):
                self._pull(shared_store, workspace)  # a device that is new since then
            signed = self._signatures(shared_store, head)
        pull_events = partial(shared_store.pull_events, campaign_id)
        pull_audits = partial(shared_store.pull_audits, campaign_id)
        event_pages = pages(pull_events, event_seq, head.event_seq, self._limits, self._scheduler)
        audit_pages = pages(pull_audits, audit_seq, head.audit_seq, self._limits, self._scheduler)
        if signed is not None:
            event_pages, audit_pages = signed.covered("event", event_pages), signed.covered("audit", audit_pages)
        for events, audits in zip_longest(event_pages, audit_pages, fillvalue=()):
            with self._turn():
                try:
                    with self._writing() as transaction:
                        self._adopt(transaction, head, events, audits, (event_seq, audit_seq))
                except DivergedError:
                    with self._writing() as transaction:
                        left = self._left(transaction, campaign_id, events)
                        replica.roll_back_unacknowledged(transaction, campaign_id, self._clock.now())
                        self._record_left(transaction, left)
                        self._adopt(transaction, head, events, audits, (event_seq, audit_seq))
            self._moved("pulling", len(events) + len(audits))
        self._erased.in_step(campaign_id)
        if signed is not None and signed.verified:
            with self._writing() as transaction:
                keep_signatures(transaction.connection, signed.verified)
        if self.missing(head):
            seq = self.acknowledged(campaign_id).event_seq + 1
            raise OutriderError("shared_store_log_broken", log="event_log", campaign=campaign_id, seq=seq,
                detail="it is not there")  # fmt: skip

    def _signatures(self, shared_store: SharedStore, head: StreamHeads) -> SignedEntries | None:
        """What covers the entries up to there; None where nothing can be verified."""
        signing = self._journal.signing
        if signing is None:
            return None
        signatures = shared_store.pull_signatures(self.acknowledged(head.campaign_id), head)
        keys = self._journal.database.query(signing_keys)
        return SignedEntries(signing.signer, head.campaign_id, keys, signatures, self._lease.device.id)

    def _adopt(
        self,
        transaction: Transaction,
        head: StreamHeads,
        events: Sequence[LoggedEvent],
        audits: Sequence[LoggedAudit],
        position: tuple[int, int],
    ) -> None:
        if any(event.digest is not None for event in events) or any(event.digest is not None for event in audits):
            self._unchecked.add(head.campaign_id)
        self._record_left(transaction, self._left(transaction, head.campaign_id, events))
        self._erased.adopting(transaction.connection, head.campaign_id, events)
        replica.adopt(transaction, head.campaign_id, events, audits)
        ended = not events or events[-1].seq >= head.event_seq, not audits or audits[-1].seq >= head.audit_seq
        if all(ended):
            self._reapply(transaction, head.campaign_id, position, head)

    def _left(self, transaction: Transaction, campaign_id: str, events: Sequence[LoggedEvent]) -> list[Event]:
        """For the workspace, of the campaign that these events delete: whom it contacted, and answers about its people alone.

        Who deleted it may not have heard of either.
        """
        campaign = campaigns.campaign(transaction.connection, campaign_id)
        if campaign is None or not any(event.kind == "CampaignDeleted" for event in events):
            return []
        connection, now = transaction.connection, self._clock.now()
        lead_ids = person_entries.leads_of_campaign(connection, campaign_id)
        answers = person_entries.answers_left_without(connection, lead_ids)
        erased = erasure.erasing_events(connection, WORKSPACE, answers, transaction.new_id, now)
        return [*remembering_events(transaction, self._journal.ids, campaign, now), *erased]

    def _record_left(self, transaction: Transaction, events: Sequence[Event]) -> None:
        transaction.record(WORKSPACE, events, actor="controller", cause="erased", at=self._clock.now())

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        """What a shared store answered is of no other project: raises `not_attached` once this one is not attached any more."""
        with self._journal.transaction() as transaction:
            attached = replica.project(transaction.connection)
            if attached is None or attached.device_id != self._lease.device.id:
                raise OutriderError("not_attached")
            yield transaction
