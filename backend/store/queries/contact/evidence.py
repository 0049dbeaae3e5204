"""Which evidence a campaign's records name."""

from backend.store.database import DatabaseConnection

_RECORDED = """
SELECT 1 FROM actions a, json_each(a.evidence) e
WHERE a.id=:owner AND a.campaign_id=:campaign AND json_extract(e.value, '$.file')=:file
UNION ALL
SELECT 1 FROM messages m, json_each(m.evidence) e
WHERE m.id=:owner AND m.campaign_id=:campaign AND json_extract(e.value, '$.file')=:file
UNION ALL
SELECT 1 FROM incidents WHERE id=:owner AND campaign_id=:campaign AND evidence=:file
LIMIT 1
"""


def is_recorded(connection: DatabaseConnection, campaign_id: str, owner: str, file: str) -> bool:
    """Whether this action, message or incident of the campaign names the file as its evidence."""
    if not file:
        return False
    rows = connection.execute(_RECORDED, {"campaign": campaign_id, "owner": owner, "file": file})
    return rows.fetchone() is not None
