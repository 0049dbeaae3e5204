"""Campaigns in brief, without their settings: loads no domain model, so that a terminal lists them at once."""

from typing import Any, NamedTuple

from backend.domain.values.errors import OutriderError
from backend.domain.values.latin import as_typed
from backend.store.database import DatabaseConnection


def exists(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether there is such a campaign."""
    return (
        connection.execute("SELECT 1 FROM campaigns WHERE id=? AND deleted_at IS NULL", (campaign_id,)).fetchone()
        is not None
    )


class CampaignBrief(NamedTuple):
    """A campaign's status and why it has it, without its settings."""

    id: str
    name: str
    status: str
    site: str
    reason: str
    archived: bool


_STATE = "SELECT id, name, status, site, status_reason, archived_at IS NOT NULL FROM campaigns WHERE deleted_at IS NULL"


def state(connection: DatabaseConnection, campaign_id: str) -> CampaignBrief | None:
    """The campaign's state."""
    row = connection.execute(f"{_STATE} AND id=?", (campaign_id,)).fetchone()
    return _state(row) if row else None


def states_by_id_or_name(connection: DatabaseConnection, typed: str, limit: int) -> list[CampaignBrief]:
    """The campaigns with this id or name; if there is none, those whose id or name begins so. Names in any case and accents."""
    parameters = {"id": typed.upper(), "id_end": f"{typed.upper()}~", "name": as_typed(typed), "limit": limit}
    for condition in (
        "(id = :id OR as_typed(CAST(name AS BLOB)) = :name)",
        "(id >= :id AND id < :id_end OR instr(as_typed(CAST(name AS BLOB)), :name) = 1)",
    ):
        rows = connection.execute(
            f"{_STATE} AND {condition} ORDER BY created_at DESC, id DESC LIMIT :limit", parameters
        )
        if briefs := [_state(row) for row in rows]:
            return briefs
    return []


def active(connection: DatabaseConnection) -> list[CampaignBrief]:
    """The campaigns that are on, in the order in which they were made."""
    return [_state(row) for row in connection.execute(f"{_STATE} AND status='active' ORDER BY created_at, id")]


def _state(row: tuple[Any, ...]) -> CampaignBrief:
    brief = CampaignBrief(*row)
    return brief._replace(archived=bool(brief.archived))


class CampaignOverview(NamedTuple):
    """A campaign in a list: where it stands, and how much of what it has."""

    id: str
    name: str
    status: str
    status_reason: str
    site: str
    account: str
    last_turn: int
    turn_state: str
    loop_enabled: bool
    leads: int
    leads_done: int
    tasks_blocked: int
    open_incidents: int


_OVERVIEW = """
SELECT c.id, c.name, c.status, c.status_reason, c.site, c.account, r.last_turn, r.state, r.loop_enabled,
  (SELECT coalesce(sum(n), 0) FROM lead_counts l WHERE l.campaign_id=c.id),
  (SELECT count(*) FROM tasks t JOIN leads l ON l.id=t.lead_id
     WHERE t.campaign_id=c.id AND t.status='done' AND t.kind='reach_lead' AND l.is_counted),
  (SELECT coalesce(sum(n), 0) FROM task_counts t WHERE t.campaign_id=c.id AND t.status='blocked' AND t.kind<>'assist'),
  (SELECT count(*) FROM incidents i WHERE i.account=c.account AND i.status='open')
FROM campaigns c JOIN runtime_snapshot r ON r.campaign_id=c.id
"""


def overviews(connection: DatabaseConnection, *, archived: bool = False) -> list[CampaignOverview]:
    """Every campaign that is not in the archive, or every one that is; newest first."""
    where = f"c.deleted_at IS NULL AND c.archived_at IS {'NOT ' if archived else ''}NULL"
    rows = connection.execute(f"{_OVERVIEW} WHERE {where} ORDER BY c.created_at DESC, c.id DESC")
    return [_overview(row) for row in rows]


def overview(connection: DatabaseConnection, campaign_id: str) -> CampaignOverview:
    """One campaign; raises `campaign_unknown`."""
    row = connection.execute(f"{_OVERVIEW} WHERE c.id=? AND c.deleted_at IS NULL", (campaign_id,)).fetchone()
    if row is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return _overview(row)


def _overview(row: tuple[Any, ...]) -> CampaignOverview:
    overview = CampaignOverview(*row)
    return overview._replace(loop_enabled=bool(overview.loop_enabled))


_USES_MODEL = "FROM campaigns WHERE proposer=? AND proposer<>'scripted' AND status<>'completed' AND deleted_at IS NULL"


def names_using_model(connection: DatabaseConnection, connection_id: str, limit: int) -> list[str]:
    """Names of campaigns that are not over and in which this model proposes."""
    return [name for (name,) in connection.execute(f"SELECT name {_USES_MODEL} LIMIT ?", (connection_id, limit))]


def count_using_model(connection: DatabaseConnection, connection_id: str) -> int:
    """How many campaigns that are not over this model proposes in."""
    return int(connection.execute(f"SELECT count(*) {_USES_MODEL}", (connection_id,)).fetchone()[0])


class ListedCampaign(NamedTuple):
    """A campaign in the page's list; times in ms UTC."""

    id: str
    name: str
    status: str
    status_reason: str
    site: str
    created_at: int
    last_turn: int
    last_action_at: int


LISTED = """
SELECT c.id, c.name, c.status, c.status_reason, c.site, c.created_at, r.last_turn, e.last_action_timestamp
FROM campaigns c JOIN runtime_snapshot r ON r.campaign_id = c.id JOIN execution_state e ON e.campaign_id = c.id
WHERE (c.created_at, c.id) < (:at, :id) AND (:typed = '' OR instr(as_typed(CAST(c.name AS BLOB)), :typed) > 0)
  AND c.deleted_at IS NULL AND (c.archived_at IS NOT NULL) = :archived
ORDER BY c.created_at DESC, c.id DESC LIMIT :limit
"""


def listed(
    connection: DatabaseConnection, before: tuple[int, str], words: str, limit: int, *, archived: bool = False
) -> list[ListedCampaign]:
    """The campaigns made before that (time, id) whose names hold the words, newest first, in the archive or not."""
    at, id_ = before
    values = {"at": at, "id": id_, "typed": as_typed(words), "limit": limit, "archived": archived}
    rows = connection.execute(LISTED, values)
    return [ListedCampaign(*row) for row in rows]
