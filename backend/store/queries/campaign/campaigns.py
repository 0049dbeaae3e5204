"""A campaign's record and where it stands."""

import json
from functools import lru_cache
from typing import Any, NamedTuple

from backend.domain.model.campaign import Campaign, CampaignStatus, Settings, read_settings
from backend.domain.model.turn import TurnState
from backend.domain.reports.insight import LimitsSince
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection


@lru_cache(maxsize=64)
def settings(text: str) -> Settings:
    """Settings as a row has them."""
    return read_settings(text)


class CampaignPosition(NamedTuple):
    """Where a campaign stands: its record, its place in the log, and the runtime snapshot."""

    campaign: Campaign
    seq: int
    event_hash: bytes
    state: TurnState
    loop_enabled: bool
    last_turn: int
    last_error: str
    current_task_id: str | None
    own_turn: int = 0
    """The last turn that was the campaign's own, and not for a request of the user."""


_CAMPAIGN = (
    "c.id, c.name, c.goal, c.status, c.site, c.account, c.version, c.settings, c.created_at, c.proposer, c.archived_at,"
    " c.status_reason"
)
# Another device's turns may stand in the log behind later ones: the last number is the highest.
_POSITION = f"""
SELECT {_CAMPAIGN}, h.event_seq, h.event_hash, r.state, r.loop_enabled,
       (SELECT coalesce(max(number), 0) FROM turn_projection WHERE campaign_id = c.id), r.last_error, e.current_task_id, e.own_turn
FROM campaigns c JOIN log_heads h ON h.campaign_id = c.id JOIN runtime_snapshot r ON r.campaign_id = c.id
JOIN execution_state e ON e.campaign_id = c.id WHERE c.id = ? AND c.deleted_at IS NULL
"""


def position(connection: DatabaseConnection, campaign_id: str) -> CampaignPosition | None:
    """The campaign and where it stands, or None if there is no such campaign."""
    row = connection.execute(_POSITION, (campaign_id,)).fetchone()
    if row is None:
        return None
    return CampaignPosition(_campaign(row[:12]), row[12], row[13], TurnState(row[14]), bool(row[15]), *row[16:])


def existing_position(connection: DatabaseConnection, campaign_id: str) -> CampaignPosition:
    """The campaign and where it stands; raises `campaign_unknown`."""
    campaign_position = position(connection, campaign_id)
    if campaign_position is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return campaign_position


def campaign(connection: DatabaseConnection, campaign_id: str) -> Campaign | None:
    """The campaign's record."""
    row = connection.execute(
        f"SELECT {_CAMPAIGN} FROM campaigns c WHERE c.id = ? AND c.deleted_at IS NULL", (campaign_id,)
    ).fetchone()
    return _campaign(row) if row else None


def existing_campaign(connection: DatabaseConnection, campaign_id: str) -> Campaign:
    """The campaign's record; raises `campaign_unknown`."""
    record = campaign(connection, campaign_id)
    if record is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return record


@lru_cache(maxsize=64)  # a turn reads its campaign several times
def _campaign(row: tuple[Any, ...]) -> Campaign:
    id_, name, goal, status, site, account, version, settings_text, created_at, proposer, archived_at, reason = row
    return Campaign(
        id_,
        name,
        goal,
        CampaignStatus(status),
        site,
        account,
        version,
        settings(settings_text),
        created_at,
        proposer,
        archived=archived_at is not None,
        status_reason=reason,
    )


def sequence_back(connection: DatabaseConnection, campaign_id: str) -> str:
    """The sequence before its last change, as it is kept; empty before the first."""
    row = connection.execute("SELECT sequence_back FROM campaigns WHERE id=?", (campaign_id,)).fetchone()
    return str(row[0]) if row else ""


class CurrentWork(NamedTuple):
    """What the campaign is at: its current task, lead and action, each empty when there is none."""

    task_id: str | None
    task: str
    task_status: str
    lead_name: str
    headline: str
    job_title: str
    company: str
    action: str


_CURRENT = """
SELECT e.current_task_id, coalesce(t.description, ''), coalesce(t.status, ''), coalesce(l.full_name, ''), coalesce(l.headline, ''),
       coalesce(l.job_title, ''), coalesce(l.company, ''), coalesce(a.tool, '')
FROM execution_state e LEFT JOIN tasks t ON t.id = e.current_task_id LEFT JOIN leads l ON l.id = e.current_lead_id
LEFT JOIN actions a ON a.id = e.current_action_id WHERE e.campaign_id = ?
"""


def current_work(connection: DatabaseConnection, campaign_id: str) -> CurrentWork:
    """What the campaign is at."""
    return CurrentWork(*connection.execute(_CURRENT, (campaign_id,)).fetchone())


def unarchived(connection: DatabaseConnection) -> list[str]:
    """Every campaign that is neither deleted nor archived."""
    rows = connection.execute("SELECT id FROM campaigns WHERE deleted_at IS NULL AND archived_at IS NULL ORDER BY id")
    return [id_ for (id_,) in rows]


def count_active(connection: DatabaseConnection, account: str) -> int:
    """How many campaigns of the account are on."""
    on = "c.status='active' AND c.archived_at IS NULL AND c.deleted_at IS NULL"
    row = connection.execute(f"SELECT count(*) FROM campaigns c WHERE c.account=? AND {on}", (account,)).fetchone()
    return int(row[0])


def names(connection: DatabaseConnection) -> dict[str, str]:
    """What every campaign that was not deleted is called, by its id."""
    return dict(connection.execute("SELECT id, name FROM campaigns WHERE deleted_at IS NULL"))


def not_deleted(connection: DatabaseConnection) -> list[str]:
    """Every campaign that was not deleted, the archived ones too."""
    return [id_ for (id_,) in connection.execute("SELECT id FROM campaigns WHERE deleted_at IS NULL ORDER BY id")]


_MOST_LIMITS = 400
"""Changes of settings that are looked at, the latest."""

_SETTINGS = (
    "SELECT timestamp, change_payload FROM event_log WHERE campaign_id=?"
    " AND kind IN ('CampaignCreated', 'CampaignEdited') AND payload_digest IS NULL ORDER BY seq DESC LIMIT ?"
)


def limits_history(connection: DatabaseConnection, campaign_id: str) -> list[LimitsSince]:
    """The campaign's limits from each moment at which they changed, in order; the first ones from its beginning."""
    limits_since: list[LimitsSince] = []
    for at, payload in reversed(connection.execute(_SETTINGS, (campaign_id, _MOST_LIMITS)).fetchall()):
        settings = json.loads(payload).get("settings")
        if settings is None:
            continue
        limits = read_settings(settings).limits
        if not limits_since or limits_since[-1].limits != limits:
            limits_since.append(LimitsSince(at, limits))
    return limits_since
