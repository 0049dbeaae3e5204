"""How far each stream is the shared store's, and which were rolled back for a rebase."""

from typing import NamedTuple

from backend.store.database import DatabaseConnection


class SyncPosition(NamedTuple):
    """Up to where both logs of a stream are the shared store's, with the hashes of the entries there."""

    campaign_id: str
    event_seq: int
    audit_seq: int
    event_hash: bytes = b""
    audit_hash: bytes = b""


_POSITION = """
SELECT a.campaign_id, a.event_seq, a.audit_seq, coalesce(e.hash, x''), coalesce(u.hash, x'') FROM acknowledged a
LEFT JOIN event_log e ON e.campaign_id=a.campaign_id AND e.seq=a.event_seq
LEFT JOIN audit_log u ON u.campaign_id=a.campaign_id AND u.seq=a.audit_seq
"""


def positions(connection: DatabaseConnection) -> dict[str, SyncPosition]:
    """Of every stream that the shared store has anything of."""
    return {row[0]: SyncPosition(*row) for row in connection.execute(_POSITION)}


def position(connection: DatabaseConnection, campaign_id: str) -> SyncPosition:
    """Of that stream; zeros while the shared store has nothing of it."""
    row = connection.execute(f"{_POSITION} WHERE a.campaign_id=?", (campaign_id,)).fetchone()
    return SyncPosition(*row) if row else SyncPosition(campaign_id, 0, 0)


def streams_rolled_back(connection: DatabaseConnection) -> list[str]:
    """The streams in which decisions were rolled back for a rebase, settled or not."""
    return [id_ for (id_,) in connection.execute("SELECT DISTINCT campaign_id FROM rebase_queue")]
