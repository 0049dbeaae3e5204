"""Response rates: how many of each group of contacted leads have answered, over a bounded number of the latest."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.campaign import DAY, MINUTE
from backend.domain.errors import OutriderError
from backend.store.database import DatabaseConnection

COUNTED = 5_000
"""Contacted leads that a rate is taken over, the latest; at the usual limit that is more than a year."""
GROUPS = 8
SAMPLE = 200
MOST_FIELDS = 40

# A lead that was rejected unseen never belonged to those who could answer.
WAS_CONTACTED = (
    "(status IN ('contacted', 'responded')"
    " OR invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL)"
)
_LATEST = f"FROM leads WHERE campaign_id=:c AND status<>'pending' AND {WAS_CONTACTED} ORDER BY id DESC LIMIT :most"


class _Field(NamedTuple):
    title: str
    column: str
    sql: str  # the value as text; '' when there is none


_FIELDS = {
    "job_title": _Field("Job title", "job_title", "trim(job_title)"),
    "company": _Field("Company", "company", "trim(company)"),
    "score": _Field(
        "Score",
        "weight_score",
        "CASE WHEN weight_score IS NULL THEN '' WHEN weight_score>=80 THEN '80 to 100'"
        " ELSE (weight_score/20*20) || ' to ' || (weight_score/20*20+19) END",
    ),
    "tag": _Field("Tag", "tags", "tags"),
}
_EXTRA = "extra:"
"""A column of the lead file that has none of its own: `extra:Industry`."""

_EACH = {
    "tag": f"SELECT CAST(j.value AS TEXT) AS value, t.replied FROM (SELECT tags, replied_at IS NOT NULL AS replied {_LATEST}) t,"
    " json_each(t.tags) j",
    _EXTRA: "SELECT trim(coalesce((SELECT j.value FROM json_each(t.extra) j WHERE j.key=:name), '')) AS value, t.replied"
    f" FROM (SELECT extra, replied_at IS NOT NULL AS replied {_LATEST}) t",
}

_GROUPED = """
SELECT value, count(*) AS n, sum(replied), count(*) OVER (), sum(count(*)) OVER (), sum(sum(replied)) OVER ()
FROM ({rows}) GROUP BY value COLLATE NOCASE ORDER BY {order} LIMIT {limit}
"""


class GroupRates(NamedTuple):
    """`kind`: value, empty (they have none) or others (all values that are not listed)."""

    kind: str
    value: str
    contacted: int
    responded: int


class RatesBy(NamedTuple):
    """The groups, most contacted first, and how many values are among the others; `complete` if all leads were counted."""

    groups: tuple[GroupRates, ...]
    more: int
    counted: int
    complete: bool


def rates_by(connection: DatabaseConnection, campaign_id: str, field: str, *, most: int = COUNTED) -> RatesBy:
    """By a field's values, scores in their order, of the latest `most` leads; raises `field_unknown`."""
    name = field.removeprefix(_EXTRA)
    known = _FIELDS.get(field)
    if field.startswith(_EXTRA):
        rows = _EACH[_EXTRA]
    elif known is not None and known.column in _columns(connection):
        rows = _EACH.get(field) or f"SELECT {known.sql} AS value, replied_at IS NOT NULL AS replied {_LATEST}"
    else:
        raise OutriderError("field_unknown", field=field[:80])
    order = "value='', length(value), value" if field == "score" else "value='', n DESC, value"
    found = connection.execute(
        _GROUPED.format(rows=rows, order=order, limit=GROUPS), {"c": campaign_id, "most": most, "name": name}
    ).fetchall()
    counted, complete = _counted(connection, campaign_id, most)
    groups = [GroupRates("value" if value else "empty", value, n, replied) for value, n, replied, *_ in found]
    more = found[0][3] - len(found) if found else 0
    if more:
        *_, contacted, responded = found[0]
        groups.append(
            GroupRates(
                "others",
                "",
                contacted - sum(group.contacted for group in groups),
                responded - sum(group.responded for group in groups),
            )
        )
    return RatesBy(tuple(groups), more, counted, complete)


def fields(connection: DatabaseConnection, campaign_id: str) -> list[tuple[str, str]]:
    """(id, title) of the fields of every lead, and the further columns that the latest leads came with."""
    columns = _columns(connection)
    own = [(id_, field.title) for id_, field in _FIELDS.items() if field.column in columns]
    extra = connection.execute(
        f"SELECT DISTINCT j.key FROM (SELECT extra FROM leads WHERE campaign_id=? AND status<>'pending'"
        f" ORDER BY id DESC LIMIT {SAMPLE}) l, json_each(l.extra) j ORDER BY j.key LIMIT {MOST_FIELDS}",
        (campaign_id,),
    )
    return own + [(f"{_EXTRA}{name}", name) for (name,) in extra]


def field_named(connection: DatabaseConnection, campaign_id: str, name: str) -> str | None:
    """The field of that id or title, upper case or not; None when the leads have no such field."""
    wanted = " ".join(name.replace("_", " ").lower().split())
    for id_, title in fields(connection, campaign_id):
        if wanted in (id_.replace("_", " ").lower(), " ".join(title.replace("_", " ").lower().split())):
            return id_
    return None


def _counted(connection: DatabaseConnection, campaign_id: str, most: int) -> tuple[int, bool]:
    (counted,) = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 {_LATEST})", {"c": campaign_id, "most": most}
    ).fetchone()
    return counted, counted < most


def _columns(connection: DatabaseConnection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('leads')")}


class StepCounts(NamedTuple):
    """What came of a step: to how many its text was sent, who accepted (an invitation), and for whom it was the last
    before they answered."""

    step: str
    kind: str
    sent: int
    accepted: int
    replied: int


class SentOnDay(NamedTuple):
    """Texts of a step that went out on one day, and to how many of them somebody answered before the next one."""

    sent: int
    replied: int


_SENT_KINDS = frozenset({"invitation", "message"})
_TEXTS = f"""
SELECT l.id, m.sent_at, m.step, m.kind, l.accepted_at IS NOT NULL, l.replied_at
FROM (SELECT id, accepted_at, replied_at {_LATEST}) l CROSS JOIN messages m ON m.lead_id=l.id WHERE m.status='sent'
"""
_CONTACTS = f"SELECT id, invited_at, last_sent_at, replied_at {_LATEST}"


@dataclass(frozen=True, slots=True)
class SentTexts:
    """What went out to the latest contacted leads: steps in the order in which they were first sent, and by local day.

    `first_at` is when the first of it went out (ms UTC), `first_contacts` counts them by the day of their first text, or of
    what else made them contacted (`WAS_CONTACTED`): an invitation by hand, or a reply to nothing that we sent. `by_day` has the
    texts of each step by day.
    """

    steps: list[StepCounts]
    first_at: int | None
    first_contacts: dict[int, int]
    by_day: dict[str, dict[int, SentOnDay]]


def sent_texts(connection: DatabaseConnection, campaign_id: str, offset: int, *, most: int = COUNTED) -> SentTexts:
    """Counted over the latest `most` contacted leads; `offset` of the campaign's clock in ms."""
    rows = connection.execute(_TEXTS, {"c": campaign_id, "most": most}).fetchall()
    last: dict[str, int] = {}  # the last text before they answered
    first: dict[str, int] = {}
    for lead, at, step, kind, _, replied_at in rows:
        if replied_at is not None and at <= replied_at and at >= last.get(lead, at):
            last[lead] = at
        if step and kind in _SENT_KINDS and at <= first.get(lead, at):
            first[lead] = at
    steps: dict[tuple[str, str], list[int]] = {}
    days: dict[str, dict[int, list[int]]] = {}
    for lead, at, step, kind, accepted, _ in rows:
        if not step or kind not in _SENT_KINDS:
            continue
        answered = last.get(lead) == at
        one = steps.setdefault((step, kind), [at, 0, 0, 0])
        one[0], one[1], one[2], one[3] = min(one[0], at), one[1] + 1, one[2] + accepted, one[3] + answered
        day = days.setdefault(step, {}).setdefault((at + offset) // DAY, [0, 0])
        day[0], day[1] = day[0] + 1, day[1] + answered
    contacts = _first_contacts(connection, campaign_id, most) | first
    in_order = sorted(steps.items(), key=lambda item: item[1][0])
    return SentTexts(
        steps=[
            StepCounts(step, kind, sent, accepted, replied) for (step, kind), (_, sent, accepted, replied) in in_order
        ],
        first_at=min(first.values(), default=None),
        first_contacts=dict(Counter((at + offset) // DAY for at in contacts.values())),
        by_day={
            step: {day: SentOnDay(*counts) for day, counts in days[step].items()}
            for step in dict.fromkeys(step for (step, _), _ in in_order)
        },
    )


def _first_contacts(connection: DatabaseConnection, campaign_id: str, most: int) -> dict[str, int]:
    """By lead: the first moment (ms UTC) that is on its record of a contact in either direction."""
    found = {}
    for lead, *times in connection.execute(_CONTACTS, {"c": campaign_id, "most": most}):
        known = [at for at in times if at is not None]
        if known:
            found[lead] = min(known)
    return found


class LostLeads(NamedTuple):
    """Rejected leads that had been contacted, and those of them that had answered."""

    contacted: int
    responded: int


def lost_leads(connection: DatabaseConnection, campaign_id: str) -> LostLeads:
    """Counted over all rejected leads."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(replied_at IS NOT NULL), 0)"
        f" FROM leads WHERE campaign_id=? AND status='rejected' AND status<>'pending' AND {WAS_CONTACTED}",
        (campaign_id,),
    ).fetchone()
    return LostLeads(*row)


class InterestedLeads(NamedTuple):
    """Leads that the user labelled as interested, and those of them whose status is still that they have responded."""

    leads: int
    responded: int


def interested_leads(connection: DatabaseConnection, campaign_id: str) -> InterestedLeads:
    """Counted over all leads with that label."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(status='responded'), 0) FROM leads WHERE campaign_id=? AND label<>'' AND label='interested'",
        (campaign_id,),
    ).fetchone()
    return InterestedLeads(*row)


def interested_by_day(connection: DatabaseConnection, campaign_id: str, since: int, offset: int) -> dict[int, int]:
    """How many were labelled as interested since then, and still are, by local day; `since` and `offset` in ms."""
    rows = connection.execute(
        f"SELECT (labelled_at + :offset) / {DAY}, count(*) FROM leads"
        " WHERE campaign_id=:c AND label<>'' AND label='interested' AND labelled_at>=:since GROUP BY 1",
        {"c": campaign_id, "since": since, "offset": offset},
    )
    return dict(rows.fetchall())


REPLIES = 1_000
"""Replies whose times are counted, the latest."""

# From the last text before their answer, an invitation included, to the answer. A site's clock may tell whole minutes.
_REPLY_TIMES = f"""
SELECT max(0, r.at - coalesce(
  (SELECT max(o.sent_at) FROM messages o WHERE o.lead_id=r.lead AND o.status='sent' AND o.sent_at<r.at + {MINUTE}), r.at))
FROM (SELECT l.id AS lead, (SELECT min(m.sent_at) FROM messages m WHERE m.lead_id=l.id AND m.step='' AND m.kind='reply'
        AND m.sent_at > (SELECT min(f.sent_at) FROM messages f WHERE f.lead_id=l.id AND f.status='sent') - {MINUTE}) AS at
      FROM leads l WHERE l.campaign_id=? AND l.replied_at IS NOT NULL ORDER BY l.replied_at DESC LIMIT {REPLIES}) r
WHERE r.at IS NOT NULL
"""


def reply_times(connection: DatabaseConnection, campaign_id: str) -> list[int]:
    """How long leads took to answer for the first time, in ms."""
    return [time for (time,) in connection.execute(_REPLY_TIMES, (campaign_id,))]


class VariantCount(NamedTuple):
    """A variant of a step's text: how often it was sent, how often accepted (an invitation), and how often answered."""

    step: str
    kind: str
    variant: str
    sent: int
    accepted: int
    replied: int


# An answer belongs to the last text before it.
_VARIANTS = """
SELECT m.step, m.kind, m.variant, count(*),
  coalesce(sum(m.kind='invitation' AND l.accepted_at >= m.sent_at), 0),
  coalesce(sum(l.replied_at >= m.sent_at AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.lead_id=m.lead_id AND o.status='sent'
    AND o.sent_at > m.sent_at AND o.sent_at <= l.replied_at)), 0)
FROM messages m JOIN leads l ON l.id = m.lead_id WHERE m.campaign_id=? AND m.variant<>'' AND m.status='sent'
GROUP BY m.step, m.kind, m.variant ORDER BY m.step, m.variant
"""


def variant_counts(connection: DatabaseConnection, campaign_id: str) -> list[VariantCount]:
    """Each variant of which a text went out, step by step."""
    rows = connection.execute(_VARIANTS, (campaign_id,))
    return [VariantCount(*row) for row in rows]
