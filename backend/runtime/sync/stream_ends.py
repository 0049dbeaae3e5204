"""Where each stream ends in both stores, and whether the shared store still has what it acknowledged."""

from collections.abc import Mapping

from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import SharedStore, StreamHeads
from backend.store.database import CachedRead, Database
from backend.store.queries.device import sync_positions
from backend.store.replication.replica import log_broken


class StreamEnds:
    """What was acknowledged is read here; where the streams ended there is remembered from when it was last asked."""

    def __init__(self, database: Database) -> None:
        self._positions = CachedRead(database, sync_positions.positions)
        self._heads: Mapping[str, StreamHeads] = {}

    def heads(self, shared_store: SharedStore) -> Mapping[str, StreamHeads]:
        """Where its streams end. Raises `shared_store_behind` if it has less than it acknowledged, `shared_store_log_broken` if
        it has something else, as after a backup was put back there and another device went on.
        """
        acknowledged = self._positions()  # before it is asked: meanwhile it only gets more
        self._heads = {head.campaign_id: head for head in shared_store.streams()}
        for here in acknowledged.values():
            there = self.last_head(here.campaign_id)
            if there.event_seq < here.event_seq or there.audit_seq < here.audit_seq:
                counts = {"there": there.event_seq + there.audit_seq, "here": here.event_seq + here.audit_seq}
                raise OutriderError("shared_store_behind", campaign=here.campaign_id, **counts)
            if there.event_seq == here.event_seq and there.event_hash != here.event_hash:
                raise log_broken("event_log", here.campaign_id, here.event_seq)
            if there.audit_seq == here.audit_seq and there.audit_hash != here.audit_hash:
                raise log_broken("audit_log", here.campaign_id, here.audit_seq)
        return self._heads

    def last_head(self, campaign_id: str) -> StreamHeads:
        """Where it ended at the shared store when that was last asked; zeros if it had nothing of it."""
        return self._heads.get(campaign_id, StreamHeads(campaign_id))

    def acknowledged(self, campaign_id: str) -> StreamHeads:
        """Up to where both logs of the stream are the shared store's."""
        return self._positions().get(campaign_id, StreamHeads(campaign_id))

    def missing(self, head: StreamHeads) -> int:
        """How many entries of this stream the shared store has that were never adopted here."""
        here = self.acknowledged(head.campaign_id)
        return max(0, head.event_seq - here.event_seq) + max(0, head.audit_seq - here.audit_seq)
