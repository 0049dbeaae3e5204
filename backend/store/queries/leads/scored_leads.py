"""Leads as a blueprint sees them: text by the name of the field, imported columns among them."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from backend.domain.leads.ranking import Candidate
from backend.domain.model.criteria import BASE_FIELDS, field_key
from backend.domain.model.variables import VARIABLES, variable_name
from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import CONNECTED_DATE_UNKNOWN
from backend.store.database import DatabaseConnection

SAMPLE = 1_000
"""Leads on which the effect of a blueprint is shown; of more it is a sample, evenly spread over the order of import."""
LOOKED_AT = 500
"""Leads whose imported columns are looked at, at either end of the order of import."""

# A day as everybody writes it; the time of day is nothing that a blueprint asks for.
_UPDATED = "CASE l.profile_updated_at WHEN 0 THEN '' ELSE date(l.profile_updated_at / 1000, 'unixepoch') END"
FIELDS = ", ".join(_UPDATED if name == "profile_updated_at" else f"l.{name}" for name in BASE_FIELDS) + ", l.extra"
"""What `fields` takes, of a row `l` of leads."""


class ScoredLead(NamedTuple):
    """A lead with its score (None: not yet) and what it goes by; `planned` once it has a task."""

    id: str
    score: int | None
    override: int | None
    planned: bool
    fields: Mapping[str, str]


def fields(values: Iterable[Any]) -> dict[str, str]:
    """A lead's fields by name, from the columns `FIELDS`; a lead's own field goes before a column of that name."""
    *base, extra = values
    own = dict(zip(BASE_FIELDS, base, strict=True))
    if extra == "{}":
        return own
    columns = {_key(column): value for column, value in reversed(json.loads(extra).items())}
    return columns | {name: value for name, value in own.items() if value or name not in columns}


def fields_of_row(row: LeadRow) -> dict[str, str]:
    """The fields of the lead that this row of a file becomes when it is imported."""
    connected_on = row.connected_on or (CONNECTED_DATE_UNKNOWN if row.connected else "")
    own = {
        "job_title": row.job_title,
        "company": row.company,
        "email": row.email,
        "profile_url": row.profile_url,
        "connected_on": connected_on,
    }
    return fields([*(own.get(name) or "" for name in BASE_FIELDS), json.dumps(row.extra)])


@lru_cache(maxsize=4_096)
def _key(column: str) -> str:
    return field_key(column)


def unscored(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[tuple[str, Mapping[str, str]]]:
    """(id, fields) of leads without a score, in the order of import."""
    rows = connection.execute(
        f"SELECT l.id, {FIELDS} FROM leads l WHERE campaign_id=? AND weight_score IS NULL ORDER BY position LIMIT ?",
        (campaign_id, limit),
    )
    return [(row[0], fields(row[1:])) for row in rows]


_SCORED = f"SELECT l.id, l.weight_score, l.priority_override, l.sequence_step IS NOT NULL, {FIELDS} FROM leads l"


def leads_after(connection: DatabaseConnection, campaign_id: str, lead_id: str, limit: int) -> list[ScoredLead]:
    """The leads after that one ("" for the first), in an order that nothing changes."""
    # By who they are: no other unique order within a campaign has an index.
    rows = connection.execute(
        f"{_SCORED} WHERE l.campaign_id=?"
        " AND l.member_key > coalesce((SELECT member_key FROM leads WHERE id=?), '') ORDER BY l.member_key LIMIT ?",
        (campaign_id, lead_id, limit),
    )
    return [_scored(row) for row in rows]


def scored_lead(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> ScoredLead | None:
    """That lead, if it is this campaign's."""
    row = connection.execute(f"{_SCORED} WHERE l.id=? AND l.campaign_id=?", (lead_id, campaign_id)).fetchone()
    return _scored(row) if row else None


def _scored(row: tuple[Any, ...]) -> ScoredLead:
    return ScoredLead(row[0], row[1], row[2], bool(row[3]), fields(row[4:]))


def scorable_fields(connection: DatabaseConnection, campaign_id: str) -> tuple[str, ...]:
    """The fields that the campaign's leads may be scored by: every lead's own, then the columns that imports brought.

    Columns are looked for on the first and the last leads, so the cost does not grow with the campaign.
    """
    imported_fields: set[str] = set()
    for order in ("", " DESC"):
        rows = connection.execute(
            "SELECT l.extra FROM lead_keys k CROSS JOIN leads l ON l.id = k.lead_id"
            f" WHERE k.campaign_id=? ORDER BY k.position{order}, k.number{order} LIMIT ?",
            (campaign_id, LOOKED_AT),
        )
        for (extra,) in rows:
            if extra != "{}":
                imported_fields.update(map(_key, json.loads(extra)))
    return (*BASE_FIELDS, *sorted(imported_fields - {""} - set(BASE_FIELDS)))


def custom_fields(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """The columns that imports brought beside what every lead may have."""
    return list(scorable_fields(connection, campaign_id)[len(BASE_FIELDS) :])


def column_names(connection: DatabaseConnection, campaign_id: str) -> tuple[str, ...]:
    """The columns that imports brought, by the names that they have in templates."""
    named = (variable_name(name) for name in scorable_fields(connection, campaign_id)[len(BASE_FIELDS) :])
    return tuple(name for name in named if name and name not in VARIABLES)


def sample(connection: DatabaseConnection, campaign_id: str, leads: int) -> list[Candidate]:
    """At most about `SAMPLE` of the campaign's leads, the same ones each time: all of them, or every n-th."""
    every = -(-leads // SAMPLE) or 1
    rows = connection.execute(
        f"SELECT l.id, l.full_name, l.priority_override, l.profile_updated_at, l.position, {FIELDS} FROM"
        # Over the index alone: the rows are read of those that are taken.
        " (SELECT number FROM lead_keys INDEXED BY lead_keys_by_position WHERE campaign_id=? AND number % ? = 0 LIMIT ?) s"
        " CROSS JOIN lead_keys k ON k.number = s.number CROSS JOIN leads l ON l.id = k.lead_id",
        (campaign_id, every, 2 * SAMPLE),
    )
    return [
        Candidate(id_, name, override, updated_at, position, fields(values))
        for id_, name, override, updated_at, position, *values in rows
    ]


class RunningScoring(NamedTuple):
    """How far scoring all leads anew has come."""

    id: str
    through: str
    done: int
    changed: int


def running_scoring(connection: DatabaseConnection, campaign_id: str) -> RunningScoring | None:
    """The scoring of all leads that is under way."""
    row = connection.execute(
        "SELECT id, through, done, changed FROM scorings WHERE campaign_id=? AND status='running' LIMIT 1",
        (campaign_id,),
    ).fetchone()
    return RunningScoring(*row) if row else None


def campaigns_being_scored(connection: DatabaseConnection) -> list[str]:
    """The campaigns in which a scoring of all leads is under way."""
    return [id_ for (id_,) in connection.execute("SELECT campaign_id FROM scorings WHERE status='running'")]


@dataclass(frozen=True, slots=True)
class ScoringRun:
    """Leads scored by a blueprint's version: `done` of `leads`, `changed` scores; `finished_at` in ms UTC, None while it runs."""

    id: str
    blueprint: int
    status: Literal["running", "done", "superseded"]
    leads: int
    done: int
    changed: int
    finished_at: int | None


def latest_scoring(connection: DatabaseConnection, campaign_id: str) -> ScoringRun | None:
    """The campaign's latest scoring of all leads."""
    row = connection.execute(
        f"SELECT {', '.join(ScoringRun.__annotations__)} FROM scorings WHERE campaign_id=? ORDER BY id DESC LIMIT 1",
        (campaign_id,),
    ).fetchone()
    return ScoringRun(*row) if row else None
