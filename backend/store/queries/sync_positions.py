"""How far each stream is the shared store's, and which were rolled back for a rebase."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection


class SyncPosition(NamedTuple):
    """Up to where both logs of a stream are the shared store's."""

    campaign_id: str
    event_seq: int
    audit_seq: int


_POSITION = "SELECT campaign_id, event_seq, audit_seq FROM acknowledged"


def positions(connection: DatabaseConnection) -> list[SyncPosition]:
    """Of every stream that the shared store has anything of."""
    return [SyncPosition(*row) for row in connection.execute(_POSITION)]


def position(connection: DatabaseConnection, campaign_id: str) -> SyncPosition:
    """Of that stream; zeros while the shared store has nothing of it."""
    row = connection.execute(f"{_POSITION} WHERE campaign_id=?", (campaign_id,)).fetchone()
    return SyncPosition(*row) if row else SyncPosition(campaign_id, 0, 0)


def streams_rolled_back(connection: DatabaseConnection) -> list[str]:
    """The streams in which decisions were rolled back for a rebase, settled or not."""
    return [id_ for (id_,) in connection.execute("SELECT DISTINCT campaign_id FROM rebase_queue")]
