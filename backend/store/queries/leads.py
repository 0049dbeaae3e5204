"""A campaign's leads: one of them, how many there are, and those that wait for their task."""

import json
from typing import Any, NamedTuple

from backend.domain.lead import Lead, LeadStatus
from backend.domain.site import Relation
from backend.domain.snapshot import MAX_LEADS
from backend.domain.variables import Recipient, columns_as_variables
from backend.store.database import DatabaseConnection

_LEAD = (
    "id, campaign_id, full_name, profile_url, member_key, job_title, company, status, weight_score, sequence_step,"
    " relation, invited_at, accepted_at, last_sent_at, thread_read_at, replied_at, visited_at, finished, blocked, headline"
)


def lead(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> Lead | None:
    """The lead, if it is this campaign's."""
    row = connection.execute(
        f"SELECT {_LEAD} FROM leads WHERE id=? AND campaign_id=?", (lead_id, campaign_id)
    ).fetchone()
    if row is None:
        return None
    fields: list[Any] = list(row)
    fields[7], fields[10] = LeadStatus(row[7]), Relation(row[10])
    return Lead(*fields)


def lead_of_member(connection: DatabaseConnection, campaign_id: str, member_key: str) -> tuple[str, ...] | None:
    """(id, job title, company, e-mail, connected on, further columns as JSON) of the lead with that identity."""
    row: tuple[str, ...] | None = connection.execute(
        "SELECT id, job_title, company, email, connected_on, extra FROM leads WHERE campaign_id=? AND member_key=?",
        (campaign_id, member_key),
    ).fetchone()
    return row


def recipient(connection: DatabaseConnection, lead_id: str) -> Recipient | None:
    """What templates may say of this lead."""
    row = connection.execute(
        "SELECT full_name, company, job_title, email, extra FROM leads WHERE id=?", (lead_id,)
    ).fetchone()
    if row is None:
        return None
    name, company, title, email, extra = row
    return Recipient(name, company, title, email, columns_as_variables(json.loads(extra)))


def lead_counts(connection: DatabaseConnection, campaign_id: str) -> dict[str, int]:
    """Leads by status."""
    return dict(connection.execute("SELECT status, n FROM lead_counts WHERE campaign_id=? AND n>0", (campaign_id,)))


_PRIORITY = "coalesce(priority_override, weight_score)"


class NextLead(NamedTuple):
    """A lead that waits for its task."""

    id: str
    full_name: str
    member_key: str
    profile_url: str
    priority: int


def unplanned_leads(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[NextLead]:
    """The next leads to plan: highest priority first, ties by the most recently updated profile, then as imported."""
    rows = connection.execute(
        f"SELECT id, full_name, member_key, profile_url, {_PRIORITY} FROM leads"
        " WHERE campaign_id=? AND sequence_step IS NULL AND blocked=''"
        f" ORDER BY {_PRIORITY} DESC, profile_updated_at DESC, position, id LIMIT ?",
        (campaign_id, limit),
    )
    return [NextLead(id_, name, key, url, priority or 0) for id_, name, key, url, priority in rows]


def unplanned_lead(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> NextLead | None:
    """That lead, if it waits for its task."""
    row = connection.execute(
        f"SELECT id, full_name, member_key, profile_url, {_PRIORITY} FROM leads"
        " WHERE id=? AND campaign_id=? AND sequence_step IS NULL AND blocked=''",
        (lead_id, campaign_id),
    ).fetchone()
    return NextLead(row[0], row[1], row[2], row[3], row[4] or 0) if row else None


def top_leads(connection: DatabaseConnection, campaign_id: str) -> tuple[tuple[str, int | None], ...]:
    """Names and scores of the next leads."""
    return tuple((lead.full_name, lead.priority) for lead in unplanned_leads(connection, campaign_id, MAX_LEADS))


def full_name(connection: DatabaseConnection, lead_id: str) -> str | None:
    """The lead's name, in whatever campaign."""
    row = connection.execute("SELECT full_name FROM leads WHERE id=?", (lead_id,)).fetchone()
    return row[0] if row else None


class LeadEdits(NamedTuple):
    """What the user has set on a lead by hand."""

    notes: str
    tags: list[str]
    priority_override: int | None


def edits(connection: DatabaseConnection, lead_id: str) -> LeadEdits:
    """What the user has set on this lead."""
    notes, tags, priority = connection.execute(
        "SELECT notes, tags, priority_override FROM leads WHERE id=?", (lead_id,)
    ).fetchone()
    return LeadEdits(notes, json.loads(tags), priority)


class CampaignLead(NamedTuple):
    """A lead, and the campaign that it is in."""

    campaign_id: str
    lead_id: str


def blocked_of_member(connection: DatabaseConnection, member_key: str, blocked: str) -> list[CampaignLead]:
    """The leads with that identity that are blocked for that reason, in every campaign."""
    rows = connection.execute(
        "SELECT c.id, l.id FROM campaigns c JOIN leads l ON l.campaign_id = c.id AND l.member_key=? WHERE l.blocked=?",
        (member_key, blocked),
    )
    return [CampaignLead(*row) for row in rows]


def has_unscored(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether a lead has no score yet."""
    row = connection.execute("SELECT 1 FROM leads WHERE campaign_id=? AND weight_score IS NULL LIMIT 1", (campaign_id,))
    return row.fetchone() is not None


def count_unplannable(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many leads will never have a task; looks at every lead."""
    row = connection.execute(
        "SELECT count(*) FROM leads WHERE campaign_id=? AND blocked<>'' AND sequence_step IS NULL", (campaign_id,)
    )
    return int(row.fetchone()[0])


class Profile(NamedTuple):
    """What a lead's profile shows."""

    profile_url: str
    full_name: str
    job_title: str
    company: str


def profiles(connection: DatabaseConnection, campaign_id: str) -> list[Profile]:
    """The profiles of all leads; its cost grows with the campaign."""
    rows = connection.execute(
        "SELECT profile_url, full_name, job_title, company FROM leads WHERE campaign_id=?", (campaign_id,)
    )
    return [Profile(*row) for row in rows]


class LeadRecord(NamedTuple):
    """What is recorded of a lead beside what the list shows; `extra` in JSON, times in ms UTC.

    `file` and `imported_at` are of the import it came with, which is empty and None where there was none.
    """

    profile_url: str
    email: str
    connected_on: str
    headline: str
    extra: str
    notes: str
    position: int
    visited_at: int | None
    invited_at: int | None
    accepted_at: int | None
    replied_at: int | None
    file: str
    imported_at: int | None


_RECORD = """
SELECT l.profile_url, l.email, l.connected_on, l.headline, l.extra, l.notes, l.position, l.visited_at, l.invited_at,
       l.accepted_at, l.replied_at, coalesce(i.file, ''), i.created_at
FROM leads l LEFT JOIN imports i ON i.id = l.import_id WHERE l.id = ?
"""


def record(connection: DatabaseConnection, lead_id: str) -> LeadRecord | None:
    """What is recorded of that lead."""
    row = connection.execute(_RECORD, (lead_id,)).fetchone()
    return LeadRecord(*row) if row else None


class ExportedLead(NamedTuple):
    """A lead as it is exported; `tags` and `extra` in JSON."""

    full_name: str
    job_title: str
    company: str
    email: str
    profile_url: str
    connected_on: str
    status: str
    weight_score: int | None
    priority_override: int | None
    headline: str
    blocked: str
    finished: str
    notes: str
    tags: str
    extra: str


_EXPORTED = f"SELECT {', '.join(ExportedLead._fields)} FROM leads WHERE id=?"


def exported(connection: DatabaseConnection, lead_id: str) -> ExportedLead:
    """That lead as it is exported."""
    return ExportedLead(*connection.execute(_EXPORTED, (lead_id,)).fetchone())
