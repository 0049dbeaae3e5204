"""What was recorded here goes to the shared store, signed, in batches of a size that it takes quickly enough.

Every step is safe to repeat, and none changes a stream beneath a turn: a turn may push its own intent.
"""

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from backend.domain.events.events import FENCED
from backend.domain.values.errors import OutriderError
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.shared_store import (
    Appended,
    Batch,
    LoggedEvent,
    SharedStore,
    SharedStoreRefusedError,
    SharedStoreTooSlowError,
)
from backend.runtime.sync import file_transfer
from backend.runtime.sync.lease import LeaseKeeper
from backend.store.log.journal import Journal
from backend.store.log.signatures import keep_signatures, signing_keys
from backend.store.replication import replica

MOST_ENTRIES = 1_000
MOST_BYTES = 1_000_000
LONG_MICROSECONDS = 1_500_000
"""A batch that took longer is followed by half of it; one that took a quarter of that, by twice as much."""

APPEND_REFUSED = "append_refused"


class BatchSize(NamedTuple):
    """How many entries of a stream the next batch may have, and how many the shared store can take at all."""

    next: int = MOST_ENTRIES
    most: int = MOST_ENTRIES


class RefusedEntry(NamedTuple):
    """The first entry of a transaction that the shared store will not take: its hash, why, and that for people."""

    hash: bytes
    reason: str
    error: OutriderError


@dataclass
class Push:
    """One batch at a time, by `lock`, under which `sent` hears of each that the shared store has."""

    journal: Journal
    blobs: Blobs
    lease: LeaseKeeper
    clock: Clock
    lock: AbstractContextManager[Any]
    sent: Callable[[Batch], None]
    is_introduced: bool = False
    """Whether this device's key is in the workspace's log."""
    refused: dict[str, RefusedEntry] = field(default_factory=dict)
    """By stream; sent again once it is taken out of here."""
    _last_appended: dict[str, Appended] = field(default_factory=dict)
    _batch_sizes: dict[str, BatchSize] = field(default_factory=dict)
    """By stream: how many entries at a time the shared store was quick enough for, while there is more to push."""

    def introduce(self) -> bool:
        """Have this device's key in the workspace's log; whether it is. What happens without one, `_signed` says."""
        signing = self.journal.signing
        if signing is not None:
            with contextlib.suppress(OutriderError):
                signing.signer.open()
            with replica.writing(self.journal, self.lease.device.id) as transaction:
                is_introduced = signing.introduce(transaction, self.clock.now())
            # Once it is on disk: others believe nothing by a key that they cannot know.
            self.is_introduced = is_introduced
        return self.is_introduced

    def everything(self, shared_store: SharedStore, campaign_id: str, moved: Callable[[int], None]) -> Appended | None:
        """All of this stream; what the shared store said to the last of it, if anything; `moved` hears of each step's entries."""
        while entries := self._next_batch(shared_store, campaign_id):
            moved(entries)
        self.refused.pop(campaign_id, None)
        self._batch_sizes.pop(campaign_id, None)
        return self._last_appended.get(campaign_id)

    def _next_batch(self, shared_store: SharedStore, campaign_id: str) -> int:
        with self.lock:
            with self.journal.database.read() as connection:
                most = self._batch_sizes.get(campaign_id, BatchSize()).next
                batch = replica.next_batch(connection, campaign_id, most=most, most_bytes=MOST_BYTES)
            if batch is None:
                return 0
            batch, appended = self._append(shared_store, batch)
            # What stands behind it there, if its answer was lost and others went on, is not ours to acknowledge.
            ends = batch.event_seq + len(batch.events), batch.audit_seq + len(batch.audits)
            with replica.writing(self.journal, self.lease.device.id) as transaction:
                replica.acknowledge(transaction, campaign_id, *ends)
                if batch.signature is not None:
                    keep_signatures(transaction.connection, [batch.signature])
            self._last_appended[campaign_id] = appended
            self.sent(batch)
            return batch.size

    def _append(self, shared_store: SharedStore, batch: Batch) -> tuple[Batch, Appended]:
        """As much of it as the shared store takes. An entry that it refuses is remembered, and not sent again as it is."""
        first, refused_entry = (batch.events or batch.audits)[0], self.refused.get(batch.campaign_id)
        if refused_entry and refused_entry.hash == first.hash:  # recorded again behind others', it is another
            raise SharedStoreRefusedError(APPEND_REFUSED, refused_entry.reason)
        while True:
            try:
                for file in file_transfer.files_in_events(batch.events):
                    file_transfer.upload(shared_store, self.blobs, file)
                batch = self._signed(batch)
                fence, began = self._fence(shared_store, batch), self.clock.ticks()
                appended = shared_store.append(batch, fence)
            except SharedStoreRefusedError as refused:
                if refused.code != APPEND_REFUSED:
                    raise
                half = replica.first_half(batch)
                if half is None:
                    what = first.kind if isinstance(first, LoggedEvent) else first.action_type
                    facts = {"seq": first.seq, "campaign": batch.campaign_id, "what": what, "detail": refused.said}
                    error = OutriderError("entry_refused", **facts)
                    self.refused[batch.campaign_id] = RefusedEntry(first.hash, refused.said, error)
                    raise
            except SharedStoreTooSlowError:
                half = replica.first_half(batch, may_split=True)
                if half is None:
                    raise
                self._batch_sizes[batch.campaign_id] = BatchSize(half.size, half.size)
            else:
                self._fit(batch, self.clock.ticks() - began)
                return batch, appended
            batch = half

    def _fit(self, batch: Batch, microseconds: int) -> None:
        """Choose the next batch's size by how long this one took: an erasure costs what it erases, which its size does not tell."""
        batch_size = self._batch_sizes.get(batch.campaign_id, BatchSize())
        if microseconds > LONG_MICROSECONDS:
            batch_size = batch_size._replace(next=max(1, batch.size // 2))
        elif microseconds < LONG_MICROSECONDS // 4:
            batch_size = batch_size._replace(next=min(batch_size.most, batch_size.next * 2))
        self._batch_sizes[batch.campaign_id] = batch_size

    def _signed(self, batch: Batch) -> Batch:
        """The batch, its end signed; raises `signer_unavailable` or `signing_key_lost` if others would not believe it without."""
        signing = self.journal.signing
        if signing is None:
            return batch
        with self.journal.database.read() as connection:
            if self.is_introduced:
                return signing.signed_batch(connection, batch, self.clock.now())
            if signing.lost_key(connection):
                raise OutriderError("signing_key_lost")
            if any(key.device_id for key in signing_keys(connection).values()):
                raise OutriderError("signer_unavailable", detail="the other devices would not believe what is sent.")
        return batch

    def _fence(self, shared_store: SharedStore, batch: Batch) -> int | None:
        """What an earlier run left behind is recorded with a lease of the moment, if nobody else acts."""
        needed = any(event.kind in FENCED for event in batch.events)
        if needed and self.lease.fence is None and not self.lease.acquire(shared_store):
            raise SharedStoreRefusedError("lease_lost", f"{self.lease.other_holder} acts")
        return self.lease.fence
