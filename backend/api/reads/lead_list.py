"""The list of leads in windows: sorted by an index, filtered over what that index holds, or gathered by a search.

A window begins at a cursor (the sort key and id of the row before it) and may skip rows from there. Skipping goes over the
index alone; only the window's own rows are read from the table. What a search finds is gathered first, up to a bound, and
sorted then.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from backend.api.reads import cursor
from backend.api.wire.leads import LeadFacets, LeadLine, LeadWindow
from backend.domain.criteria import Lead
from backend.domain.errors import OutriderError
from backend.domain.lead import LeadStatus
from backend.domain.scoring import Part, explainer
from backend.store import reading, scored_leads, search

MOST_ROWS = 200
MOST_SKIPPED = 1_000_000
MOST_FOUND = 2_000
MOST_FACETS = 200

_TIES = ("priority_key", "freshness_key", "position", "number")
SORTS: dict[str, tuple[str, ...]] = {
    "priority": _TIES,  # as the planner takes them
    "name": ("name_key", "number"),
    "company": ("company_key", "number"),
    "title": ("title_key", "number"),
    "status": ("status_key", *_TIES),
    "activity": ("activity_key", "number"),
    "position": ("position", "number"),
}
"""Each is what the index `lead_keys_by_…` is sorted by."""

_STATUSES = (LeadStatus.RESPONDED, LeadStatus.CONTACTED, LeadStatus.PENDING, LeadStatus.REJECTED)
"""In the order of `status_key`."""

FILTERS: dict[str, str] = {
    "status": "k.status_key = :status",
    "manual": "k.manual",
    "blocked": "k.blocked",
    "company": "EXISTS (SELECT 1 FROM leads l WHERE l.id = k.lead_id AND l.company = :company)",
    "tag": "EXISTS (SELECT 1 FROM lead_tags t WHERE t.campaign_id = :campaign AND t.tag = :tag AND t.lead_id = k.lead_id)",
}
_GATHERED: dict[str, str] = {
    "text": "SELECT rowid AS number FROM leads_text WHERE leads_text MATCH :text",
    "company": "SELECT number FROM lead_keys INDEXED BY lead_keys_by_company"
    " WHERE campaign_id = :campaign AND company_key = :company",
    "tag": "SELECT i.number FROM lead_tags t CROSS JOIN lead_keys i ON i.lead_id = t.lead_id"
    " WHERE t.campaign_id = :campaign AND t.tag = :tag",
}
"""Filters that no sort index knows; the first that is asked for gathers the candidates, all of them narrow what it found."""

_LINE = (
    "SELECT l.id, l.full_name, l.job_title, l.company, l.status, l.weight_score, l.priority_override, l.tags,"
    f" l.blocked, -k.activity_key, {scored_leads.FIELDS}"
    " FROM lead_keys k CROSS JOIN leads l ON l.id = k.lead_id"
)


class Wanted(NamedTuple):
    """Which leads, in which order; empty means not asked for."""

    sort: str = "priority"
    backwards: bool = False
    status: str = ""
    manual: bool = False
    blocked: bool = False
    company: str = ""
    tag: str = ""
    text: str = ""


def wanted(given: dict[str, str]) -> Wanted:
    """What a query asks for; raises `bad_request`."""
    sort = given.get("sort", "priority")
    status = given.get("status", "")
    if sort not in SORTS or (status and status not in list(LeadStatus)):
        raise OutriderError("bad_request", detail="sort or status")
    if any(len(given.get(name, "")) > longest for name, longest in (("company", 1_000), ("tag", 100), ("text", 200))):
        raise OutriderError("bad_request", detail="a filter is too long")
    return Wanted(
        sort,
        given.get("backwards") == "1",
        status,
        given.get("manual") == "1",
        given.get("blocked") == "1",
        given.get("company", ""),
        given.get("tag", ""),
        given.get("text", "").strip(),
    )


def window(
    connection: sqlite3.Connection, campaign_id: str, want: Wanted, *, after: str = "", skip: int = 0, limit: int = 100
) -> LeadWindow:
    """`limit` rows behind `skip` rows behind the cursor `after`; raises `lead_list_changed` for a cursor of another sort."""
    query = _Query(campaign_id, want)
    total, more = query.count(connection)
    numbers = query.numbers(connection, after, min(skip, MOST_SKIPPED), min(limit, MOST_ROWS))
    explained = _explainer(connection, campaign_id)
    found = (connection.execute(f"{_LINE} WHERE k.number = ?", (number,)).fetchone() for number in numbers)
    rows = [line(row, explained) for row in found]
    return LeadWindow(rows=rows, next=query.cursor(connection, numbers[-1]) if rows else None, total=total, more=more)


def every(connection: sqlite3.Connection, campaign_id: str, want: Wanted) -> Iterator[str]:
    """The ids of all leads that are wanted, in order, however many a search finds; they are read some at a time."""
    query, after = _Query(campaign_id, want, most=MOST_SKIPPED), ""
    some = MOST_SKIPPED if query.gathered else 1_000
    while numbers := query.numbers(connection, after, 0, some):
        for number in numbers:
            yield connection.execute("SELECT lead_id FROM lead_keys WHERE number = ?", (number,)).fetchone()[0]
        after = query.cursor(connection, numbers[-1])


def facets(connection: sqlite3.Connection, campaign_id: str) -> LeadFacets:
    """What can be filtered by."""
    counts = {LeadStatus(status): n for status, n in reading.lead_counts(connection, campaign_id).items()}
    return LeadFacets(statuses=counts, tags=[row[0] for row in connection.execute(_TAGS, {"campaign": campaign_id})])


# From one tag to the next by the index: as many steps as there are tags, however many leads have them.
_TAGS = f"""
WITH RECURSIVE used(tag) AS (
  SELECT min(tag) FROM lead_tags WHERE campaign_id = :campaign
  UNION ALL
  SELECT (SELECT min(tag) FROM lead_tags WHERE campaign_id = :campaign AND tag > used.tag) FROM used
  WHERE used.tag IS NOT NULL LIMIT {MOST_FACETS}
) SELECT tag FROM used WHERE tag IS NOT NULL
"""


def _explainer(connection: sqlite3.Connection, campaign_id: str) -> Callable[[Lead], tuple[Part, ...]]:
    campaign = reading.campaign(connection, campaign_id)
    return explainer(campaign.settings.blueprint) if campaign else lambda _: ()


def line(row: tuple[Any, ...], explained: Callable[[Lead], tuple[Part, ...]]) -> LeadLine:
    """A row of the list; the reasons of its score are worked out anew, and left out while they are not those of it."""
    id_, name, title, company, status, score, override, tags, blocked, active, *fields = row
    parts = () if score is None else explained(scored_leads.fields(fields))
    if sum(part.points for part in parts) != score:
        parts = ()
    return LeadLine(
        id=id_,
        full_name=name,
        job_title=title,
        company=company,
        status=LeadStatus(status),
        weight_score=score,
        score_reasons=[f"+{part.points} {part.why}" for part in parts if part.points],
        priority_override=override,
        tags=json.loads(tags),
        blocked=blocked,
        active_at=active or None,
    )


def one(connection: sqlite3.Connection, campaign_id: str, lead_id: str) -> LeadLine:
    """One lead as the list shows it; raises `lead_unknown`."""
    row = connection.execute(f"{_LINE} WHERE k.lead_id = ? AND k.campaign_id = ?", (lead_id, campaign_id)).fetchone()
    if row is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    return line(row, _explainer(connection, campaign_id))


class _Query:
    """The statements of one list."""

    def __init__(self, campaign_id: str, want: Wanted, *, most: int = MOST_FOUND) -> None:
        if want.status:  # among leads of one status, sorting by it is sorting by priority
            want = want._replace(sort="priority" if want.sort == "status" else want.sort)
        self.want = want
        self.keys = SORTS[want.sort]
        terms = search.expression(want.text)
        self.values: dict[str, Any] = {
            "campaign": campaign_id,
            "status": _STATUSES.index(LeadStatus(want.status)) if want.status else None,
            "company": want.company,
            "tag": want.tag,
            # Ours are one word; what else an address names must not be a query's syntax.
            "text": f'"{"".join(filter(str.isalnum, campaign_id))}" {terms}',
        }
        gathering = [name for name in _GATHERED if getattr(want, name) and (name != "text" or terms)]
        first = gathering[0] if gathering else ""
        self.gathered = _GATHERED.get(first, "")
        # what gathered need not narrow, but that the company's index does not tell cases apart
        narrowing = [
            sql for name, sql in FILTERS.items() if getattr(want, name) and (name != first or name == "company")
        ]
        self.narrowed = bool(narrowing)
        self.where = " AND ".join(["k.campaign_id = :campaign", *narrowing])
        self.source = (
            f"({self.gathered} LIMIT {most}) g CROSS JOIN lead_keys k ON k.number = g.number"
            if self.gathered
            else f"lead_keys k INDEXED BY lead_keys_by_{want.sort}"
        )

    def count(self, connection: sqlite3.Connection) -> tuple[int, bool]:
        """How many, and whether more were found than are gathered; what is kept counted is not counted again."""
        more = False
        if self.gathered:
            found = f"SELECT count(*) FROM ({self.gathered} LIMIT {MOST_FOUND + 1})"
            (n,) = connection.execute(found, self.values).fetchone()
            more = n > MOST_FOUND
            if not self.narrowed:
                return min(n, MOST_FOUND), more
        elif not (self.want.manual or self.want.blocked):
            counts = reading.lead_counts(connection, self.values["campaign"])
            return (counts.get(self.want.status, 0) if self.want.status else sum(counts.values())), False
        (total,) = connection.execute(f"SELECT count(*) FROM {self.source} WHERE {self.where}", self.values).fetchone()
        return total, more

    def numbers(self, connection: sqlite3.Connection, after: str, skip: int, limit: int) -> list[int]:
        """The numbers of a window's leads."""
        where, values = self.where, dict(self.values)
        if after:
            place = self._place(after)
            values |= {f"k{n}": key for n, key in enumerate(place)}
            mine, theirs = ", ".join(f"k.{key}" for key in self.keys), ", ".join(f":k{n}" for n in range(len(place)))
            where += f" AND ({mine}) {'<' if self.want.backwards else '>'} ({theirs})"
        order = ", ".join(f"k.{key}{' DESC' if self.want.backwards else ''}" for key in self.keys)
        sql = f"SELECT k.number FROM {self.source} WHERE {where} ORDER BY {order} LIMIT {limit} OFFSET {skip}"
        return [row[0] for row in connection.execute(sql, values)]

    def cursor(self, connection: sqlite3.Connection, number: int) -> str:
        """Where the list goes on behind this lead."""
        keys = f"SELECT {', '.join(self.keys)} FROM lead_keys WHERE number = ?"
        return json.dumps(connection.execute(keys, (number,)).fetchone(), separators=(",", ":"))

    def _place(self, after: str) -> list[Any]:
        place = cursor.values(after)
        if place is None or len(place) != len(self.keys):
            raise OutriderError("lead_list_changed")
        return place
