"""Whose words were erased, and which campaigns were deleted."""

from backend.domain.erasure import ERASED
from backend.store.database import DatabaseConnection


def erased_leads(connection: DatabaseConnection) -> list[tuple[str, str]]:
    """(campaign, lead) of every person whose data was erased; not those of deleted campaigns."""
    rows = connection.execute(
        "SELECT l.campaign_id, l.id FROM campaigns c CROSS JOIN leads l ON l.campaign_id = c.id"
        " WHERE c.deleted_at IS NULL AND l.full_name=? AND l.member_key LIKE 'erased-%' ORDER BY 1, 2",
        (ERASED,),
    )
    return rows.fetchall()


def erased_in(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """The leads of that campaign whose data was erased. Costs a scan of its leads."""
    rows = connection.execute(
        "SELECT id FROM leads WHERE campaign_id=? AND full_name=? AND member_key LIKE 'erased-%' ORDER BY id",
        (campaign_id, ERASED),
    )
    return [id_ for (id_,) in rows]


def erased_and_not_ended(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """Those of them who are not blocked or have a task: another device went on with them before it heard of the erasure."""
    rows = connection.execute(
        "SELECT id FROM leads WHERE EXISTS (SELECT 1 FROM erasures WHERE campaign_id=?1) AND campaign_id=?1"
        " AND full_name=?2 AND member_key LIKE 'erased-%' AND (blocked='' OR EXISTS"
        " (SELECT 1 FROM tasks t WHERE t.lead_id=leads.id AND t.status NOT IN ('done', 'dropped'))) ORDER BY id",
        (campaign_id, ERASED),
    )
    return [id_ for (id_,) in rows]


def deleted_campaigns(connection: DatabaseConnection) -> list[str]:
    """Every campaign that was deleted."""
    return [id_ for (id_,) in connection.execute("SELECT id FROM campaigns WHERE deleted_at IS NOT NULL ORDER BY id")]


def has_words(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether that lead is there and not erased."""
    row = connection.execute("SELECT 1 FROM leads WHERE id=? AND full_name<>?", (lead_id, ERASED))
    return row.fetchone() is not None
