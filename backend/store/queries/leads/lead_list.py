"""The list of leads in windows: sorted by an index, filtered over what that index holds, or gathered by a search.

A window begins behind a lead (by its sort keys) and may skip rows from there. Skipping goes over the index alone; only the
window's own rows are read from the table. What a search finds is gathered first, up to a bound, and sorted then.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from backend.domain.leads.lead_table import LeadListFilter, LeadSort
from backend.domain.model.criteria import field_key
from backend.domain.model.lead import LeadStatus
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_index, scored_leads
from backend.store.queries.leads.leads import has_uncounted_leads, lead_counts
from backend.store.queries.people import people
from backend.store.queries.people.person_leads import NOT_ERASED

MOST_SKIPPED = 1_000_000
MOST_FOUND = 2_000
MOST_FACETS = 200

_TIES = ("priority_key", "freshness_key", "position", "number")
SORTS: dict[LeadSort, tuple[str, ...]] = {
    "priority": _TIES,  # as the planner takes them
    "name": ("name_key", "number"),
    "company": ("company_key", "number"),
    "title": ("title_key", "number"),
    "status": ("status_key", *_TIES),
    "activity": ("activity_key", "number"),
    "position": ("position", "number"),
    "step": ("step_key", "number"),
    "next": ("next_key", "number"),
    "tag": ("tag_key", "number"),
}
"""Each is what the index `lead_keys_by_…` is sorted by."""

_STATUSES = (LeadStatus.RESPONDED, LeadStatus.CONTACTED, LeadStatus.PENDING, LeadStatus.REJECTED)
"""In the order of `status_key`."""

_OF_EACH: dict[str, str] = {
    "unsure": "is_greeting_unsure(CAST(l.full_name AS BLOB), CAST(l.extra AS BLOB), CAST(l.greeting_name AS BLOB))",
    "field": "EXISTS (SELECT 1 FROM json_each(l.extra) e WHERE e.value = :value AND field_key(CAST(e.key AS BLOB)) = :field)",
}
"""Filters by what a lead's own row says, of which there is no index: every lead `l` is looked at."""

FILTERS: dict[str, str] = {
    "status": "k.status_key = :status",
    "manual": "k.manual",
    "blocked": "k.blocked = 1",
    "elsewhere": "k.number IN (SELECT value FROM json_each(:elsewhere))",
    "in_doubt": "EXISTS (SELECT 1 FROM identity_doubts d WHERE d.lead_id = k.lead_id)",
    **{name: f"EXISTS (SELECT 1 FROM leads l WHERE l.id = k.lead_id AND {says})" for name, says in _OF_EACH.items()},
    "company": "EXISTS (SELECT 1 FROM leads l WHERE l.id = k.lead_id AND l.company = :company)",
    "tag": "EXISTS (SELECT 1 FROM lead_tags t WHERE t.campaign_id = :campaign AND t.tag = :tag AND t.lead_id = k.lead_id)",
}
_GATHERED: dict[str, str] = {
    "elsewhere": "SELECT value AS number FROM json_each(:elsewhere)",
    "in_doubt": "SELECT DISTINCT i.number FROM identity_doubts d CROSS JOIN lead_keys i ON i.lead_id = d.lead_id"
    " WHERE i.campaign_id = :campaign",
    "text": lead_index.FOUND,
    "company": "SELECT number FROM lead_keys INDEXED BY lead_keys_by_company"
    " WHERE campaign_id = :campaign AND company_key = :company",
    "tag": "SELECT i.number FROM lead_tags t CROSS JOIN lead_keys i ON i.lead_id = t.lead_id"
    " WHERE t.campaign_id = :campaign AND t.tag = :tag",
    # Last, as all others look at fewer.
    **{
        name: "SELECT i.number FROM leads l INDEXED BY leads_by_member CROSS JOIN lead_keys i ON i.lead_id = l.id"
        f" WHERE l.campaign_id = :campaign AND l.is_counted AND {says}"
        for name, says in _OF_EACH.items()
    },
}
"""Filters that no sort index knows; the first that is asked for gathers the candidates, all of them narrow what it found."""


class LeadQuery(LeadListFilter):
    """Which leads, in which order."""

    sort: LeadSort = "priority"
    backwards: bool = False


class LeadListQuery:
    """The statements of one list; a search gathers at most `most` leads. `elsewhere`: who is with another campaign."""

    def __init__(
        self, campaign_id: str, lead_query: LeadQuery, *, most: int = MOST_FOUND, elsewhere: Sequence[int] = ()
    ) -> None:
        if lead_query.status:  # among leads of one status, sorting by it is sorting by priority
            lead_query = lead_query.model_copy(
                update={"sort": "priority" if lead_query.sort == "status" else lead_query.sort}
            )
        self.lead_query = lead_query
        self._most = most
        self.keys = SORTS[lead_query.sort]
        search = lead_index.search(lead_query.text.strip(), campaign_id)
        self.values: dict[str, Any] = {
            **lead_query.model_dump(include=set(LeadListFilter.model_fields)),
            "campaign": campaign_id,
            "status": _STATUSES.index(lead_query.status) if lead_query.status else None,
            "field": field_key(lead_query.field),
            "elsewhere": json.dumps(list(elsewhere)),
            **(search._asdict() if search else {}),
        }
        active_filters = {
            name
            for name in FILTERS.keys() | _GATHERED.keys()
            if name == lead_query.person or getattr(lead_query, name, None)
        }
        gathering = [name for name in _GATHERED if name in active_filters and (name != "text" or search)]
        first = gathering[0] if gathering else ""
        self.gathered = _GATHERED.get(first, "")
        # what gathered need not narrow, but that the company's index does not tell cases apart
        narrowing = [
            sql for name, sql in FILTERS.items() if name in active_filters and (name != first or name == "company")
        ]
        self.narrowed = bool(narrowing)
        self.where = " AND ".join(["k.campaign_id = :campaign", "k.blocked < 2", *narrowing])
        self.source = (
            f"({self.gathered} LIMIT {most}) g CROSS JOIN lead_keys k ON k.number = g.number"
            if self.gathered
            else f"lead_keys k INDEXED BY lead_keys_by_{lead_query.sort}"
        )

    def count(self, connection: DatabaseConnection) -> tuple[int, bool]:
        """How many, and whether more were found than are gathered; what is kept counted is not counted again."""
        more = False
        if self.gathered:
            sql = f"SELECT count(*) FROM ({self.gathered} LIMIT {self._most + 1})"
            (n,) = connection.execute(sql, self.values).fetchone()
            more = n > self._most
            if not self.narrowed and not has_uncounted_leads(connection, self.values["campaign"]):
                return min(n, self._most), more
        elif not (self.lead_query.manual or self.lead_query.blocked):
            counts = lead_counts(connection, self.values["campaign"])
            return (counts.get(self.lead_query.status, 0) if self.lead_query.status else sum(counts.values())), False
        (total,) = connection.execute(f"SELECT count(*) FROM {self.source} WHERE {self.where}", self.values).fetchone()
        return total, more

    def numbers(self, connection: DatabaseConnection, after: Sequence[Any], skip: int, limit: int) -> list[int]:
        """The numbers of a window's leads, behind the lead of these sort keys (none: from the beginning)."""
        where, values = self.where, dict(self.values)
        if after:
            values |= {f"k{n}": key for n, key in enumerate(after)}
            columns, parameters = (
                ", ".join(f"k.{key}" for key in self.keys),
                ", ".join(f":k{n}" for n in range(len(after))),
            )
            where += f" AND ({columns}) {'<' if self.lead_query.backwards else '>'} ({parameters})"
        order = ", ".join(f"k.{key}{' DESC' if self.lead_query.backwards else ''}" for key in self.keys)
        sql = f"SELECT k.number FROM {self.source} WHERE {where} ORDER BY {order} LIMIT {limit} OFFSET {skip}"
        return [row[0] for row in connection.execute(sql, values)]

    def sort_keys(self, connection: DatabaseConnection, number: int) -> tuple[Any, ...]:
        """Where the list goes on behind this lead."""
        sql = f"SELECT {', '.join(self.keys)} FROM lead_keys WHERE number = ?"
        row: tuple[Any, ...] = connection.execute(sql, (number,)).fetchone()
        return row


class LeadListRow(NamedTuple):
    """A lead in the list; `tags`, `answers` and `extra` in JSON, `active_at` 0 before any activity.

    `fields` is what its score is worked out from; `task_status`, `needs` and `ready_at` are of the task that reaches out to
    it, None before it has one.
    """

    id: str
    full_name: str
    job_title: str
    company: str
    status: str
    weight_score: int | None
    priority_override: int | None
    tags: str
    blocked: str
    active_at: int
    sequence_step: int | None
    relation: str
    answers: str
    finished: str
    task_status: str | None
    needs: str | None
    ready_at: int | None
    extra: str
    greeting_name: str
    fields: Mapping[str, str]


_OF_OTHER_TABLES = {"active_at": "-k.activity_key"} | {
    name: f"t.{name.removeprefix('task_')}" for name in ("task_status", "needs", "ready_at")
}
"""What a line has from the sort keys and the task; every other field is a column of the lead."""
_COLUMNS = LeadListRow._fields[:-1]
_LINE = (
    f"SELECT {', '.join(_OF_OTHER_TABLES.get(name, f'l.{name}') for name in _COLUMNS)}, {scored_leads.FIELDS}"
    " FROM lead_keys k CROSS JOIN leads l ON l.id = k.lead_id"
    " LEFT JOIN tasks t ON t.lead_id = l.id AND t.kind = 'reach_lead'"
)


def row_of_number(connection: DatabaseConnection, number: int) -> LeadListRow:
    """The lead of that number."""
    return _row(connection.execute(f"{_LINE} WHERE k.number = ?", (number,)).fetchone())


def row_of_lead(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> LeadListRow | None:
    """That lead, if it is this campaign's."""
    row = connection.execute(f"{_LINE} WHERE k.lead_id = ? AND k.campaign_id = ?", (lead_id, campaign_id)).fetchone()
    return _row(row) if row else None


def _row(row: tuple[Any, ...]) -> LeadListRow:
    return LeadListRow._make([*row[: len(_COLUMNS)], scored_leads.fields(row[len(_COLUMNS) :])])


def with_other_campaign(connection: DatabaseConnection, campaign_id: str, lead_query: LeadQuery, now: int) -> list[int]:
    """The numbers of the leads whose person is with another campaign, if the list is of these."""
    if lead_query.person != "elsewhere":
        return []
    lead_ids = people.with_other_campaign(connection, campaign_id, now, MOST_FOUND)
    rows = connection.execute(
        "SELECT number FROM lead_keys WHERE lead_id IN (SELECT value FROM json_each(?))", (json.dumps(lead_ids),)
    )
    return [number for (number,) in rows]


def all_lead_ids(
    connection: DatabaseConnection, campaign_id: str, lead_query: LeadQuery, now: int = 0
) -> Iterator[str]:
    """The ids of all leads that are wanted, in order, however many a search finds; they are read some at a time.

    Of people whose data is erased there is nothing to export or to decide.
    """
    elsewhere = with_other_campaign(connection, campaign_id, lead_query, now)
    query = LeadListQuery(campaign_id, lead_query, most=MOST_SKIPPED, elsewhere=elsewhere)
    after: tuple[Any, ...] = ()
    batch_size = MOST_SKIPPED if query.gathered else 1_000
    while numbers := query.numbers(connection, after, 0, batch_size):
        yield from ids_of_numbers(connection, numbers)
        after = query.sort_keys(connection, numbers[-1])


_LEAD_OF_NUMBER = (
    f"SELECT k.lead_id FROM lead_keys k CROSS JOIN leads l ON l.id = k.lead_id WHERE k.number=? AND l.{NOT_ERASED}"
)


def ids_of_numbers(connection: DatabaseConnection, numbers: Sequence[int]) -> Iterator[str]:
    """The leads of these numbers whose data is not erased, in their order."""
    for number in numbers:
        row = connection.execute(_LEAD_OF_NUMBER, (number,)).fetchone()
        if row is not None:
            yield row[0]


# From one tag to the next by the index: as many steps as there are tags, however many leads have them.
_TAGS = f"""
WITH RECURSIVE used(tag) AS (
  SELECT min(tag) FROM lead_tags WHERE campaign_id = :campaign
  UNION ALL
  SELECT (SELECT min(tag) FROM lead_tags WHERE campaign_id = :campaign AND tag > used.tag) FROM used
  WHERE used.tag IS NOT NULL LIMIT {MOST_FACETS}
) SELECT tag FROM used WHERE tag IS NOT NULL
"""


def tags(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """The tags that the campaign's leads have, the first in the alphabet."""
    return [tag for (tag,) in connection.execute(_TAGS, {"campaign": campaign_id})]
