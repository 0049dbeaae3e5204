"""How far each stream is the shared store's, and which were rolled back for a rebase."""

from backend.ports.shared_store import StreamHeads
from backend.store.database import DatabaseConnection

_POSITION = """
SELECT a.campaign_id, a.event_seq, a.audit_seq, coalesce(e.hash, x''), coalesce(u.hash, x'') FROM acknowledged a
LEFT JOIN event_log e ON e.campaign_id=a.campaign_id AND e.seq=a.event_seq
LEFT JOIN audit_log u ON u.campaign_id=a.campaign_id AND u.seq=a.audit_seq
"""


def positions(connection: DatabaseConnection) -> dict[str, StreamHeads]:
    """Up to where both logs of each stream are the shared store's, if it has anything of it."""
    return {row[0]: StreamHeads(*row) for row in connection.execute(_POSITION)}


def position(connection: DatabaseConnection, campaign_id: str) -> StreamHeads:
    """Of that stream; zeros while the shared store has nothing of it."""
    row = connection.execute(f"{_POSITION} WHERE a.campaign_id=?", (campaign_id,)).fetchone()
    return StreamHeads(*row) if row else StreamHeads(campaign_id)


def streams_rolled_back(connection: DatabaseConnection) -> list[str]:
    """The streams in which decisions were rolled back for a rebase, settled or not."""
    return [id_ for (id_,) in connection.execute("SELECT DISTINCT campaign_id FROM rebase_queue")]
