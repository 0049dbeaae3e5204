"""Conversations with leads: first those whose last text may not have been sent, then by the latest activity."""

from collections.abc import Sequence
from typing import NamedTuple

from backend.domain.values.latin import as_typed
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import NOT_ERASED, in_touch, last_in_touch
from backend.store.rows import literals

# Word for word what the index `leads_in_touch` is made of, or SQLite would not use it.
_STATE = (
    "CASE WHEN blocked = 'outcome_unknown' THEN 'unknown' WHEN replied_at IS NOT NULL THEN 'replied' ELSE 'waiting' END"
)
_ACTIVE = last_in_touch()
_IN_TOUCH = f"({in_touch()} OR blocked = 'outcome_unknown')"
# Out of the way until its time, unless they wrote since.
_SNOOZED = "(coalesce(snoozed_until, 0) > :now AND coalesce(snoozed_at, 0) >= coalesce(replied_at, 0))"
_UNREAD = (
    "(coalesce(replied_at, 0) > coalesce(replies_read_at, 0)"
    " OR snoozed_until <= :now AND snoozed_until > coalesce(replies_read_at, 0))"
)
_REPLIED_ELSEWHERE = (
    "EXISTS (SELECT 1 FROM people me CROSS JOIN people p ON p.person_id = me.person_id"
    " CROSS JOIN leads o ON o.id = p.lead_id AND o.replied_at IS NOT NULL WHERE me.lead_id = leads.id)"
)
_SHOWN = f"CASE WHEN {_STATE} = 'waiting' AND {_REPLIED_ELSEWHERE} THEN 'replied' ELSE {_STATE} END"
"""A conversation's state: whoever has replied through another campaign has replied."""
_RECORDED = {"unknown": ("unknown",), "replied": ("replied", "waiting"), "waiting": ("waiting",)}
"""What the row of a lead in such a state says by itself."""
_THREAD = (
    f"id, full_name, headline, job_title, company, {_SHOWN} AS state, {_ACTIVE} AS active, thread_read_at, finished, label,"
    f" CASE WHEN {_SNOOZED} THEN snoozed_until END AS asleep_until, {_UNREAD} AS unread, campaign_id"
)
_FIRST = {"unknown": 2**59}
"""How far threads in such a state stand before all others: only the user may know how it ended."""
_STRETCH = (
    f"SELECT *, active + {{first}} AS place FROM (SELECT {_THREAD} FROM leads"
    f" WHERE campaign_id=:c AND {_IN_TOUCH} AND {_STATE}='{{recorded}}' AND {NOT_ERASED}"
    f" AND {_ACTIVE} <= :place - {{first}} AND ({_ACTIVE} < :place - {{first}} OR id < :id) {{which}}"
    f" ORDER BY {_ACTIVE} DESC, id DESC LIMIT :n)"
)
# Names are looked at one after the other: the limits of an account keep its conversations to some thousands a year.
_NAMED = "AND as_typed(CAST(full_name AS BLOB)) LIKE :name ESCAPE '\\'"
_LATER_ELSEWHERE = (
    "AND NOT EXISTS (SELECT 1 FROM people me CROSS JOIN people p ON p.person_id = me.person_id"
    " CROSS JOIN leads o ON o.id = p.lead_id CROSS JOIN campaigns c ON c.id = o.campaign_id AND c.deleted_at IS NULL"
    " WHERE me.lead_id = leads.id"
    f" AND ({in_touch('o.')}) AND ({last_in_touch('o.')}, o.id) > ({_ACTIVE}, leads.id))"
)
NEWEST = (2**62, "~")
"""Before every conversation of the list."""


class ThreadRow(NamedTuple):
    """A lead that the account is in touch with; `active` is the last activity, in ms UTC as all times; `place` is its place."""

    lead_id: str
    full_name: str
    headline: str
    job_title: str
    company: str
    state: str
    active: int
    read_at: int | None
    finished: str
    label: str
    snoozed_until: int | None
    unread: int
    campaign_id: str
    place: int


_OF_SETTLED = (
    f"SELECT id FROM leads WHERE campaign_id=? AND {_IN_TOUCH} AND {_STATE}='unknown' AND NOT EXISTS (SELECT 1 FROM actions a"
    " WHERE a.campaign_id = leads.campaign_id AND a.status IN ('intended', 'outcome_unknown') AND a.lead_id = leads.id)"
)


def of_settled_sends(connection: DatabaseConnection, campaign_id: str) -> list[str]:
    """The leads that wait to know what became of a send, although that is on record."""
    return [lead_id for (lead_id,) in connection.execute(_OF_SETTLED, (campaign_id,))]


def threads(
    connection: DatabaseConnection,
    campaign_id: str,
    states: Sequence[str],
    after: tuple[int, str],
    limit: int,
    *,
    name: str = "",
    label: str = "",
    now: int = 0,
    snoozed: bool | None = None,
    once: bool = False,
) -> list[ThreadRow]:
    """The conversations in these states behind that (place, lead), but for those with people whose data is erased.

    With `name` those whose names hold it, with `label` those that have it; `snoozed` says whether those that are out of the way
    at `now`, or only the others (None: all). `once`: not of whoever has a later message through another campaign.
    """
    which = " ".join(
        (
            f"AND {_SHOWN} IN ({literals(states)})" if len(states) < len(_RECORDED) else "",
            _NAMED if name else "",
            "AND label=:label" if label else "",
            "" if snoozed is None else f"AND {_SNOOZED}" if snoozed else f"AND NOT {_SNOOZED}",
            _LATER_ELSEWHERE if once else "",
        )
    )
    stretches = sorted({recorded for state in states for recorded in _RECORDED[state]})
    place, lead_id = after
    rows = connection.execute(
        " UNION ALL ".join(
            _STRETCH.format(recorded=recorded, first=_FIRST.get(recorded, 0), which=which) for recorded in stretches
        )
        + " ORDER BY place DESC, id DESC LIMIT :n",
        {
            "c": campaign_id,
            "place": place,
            "id": lead_id,
            "n": limit,
            "name": f"%{_literally(as_typed(name))}%",
            "label": label,
            "now": now,
        },
    )
    return [ThreadRow(*row) for row in rows]


def _literally(name: str) -> str:
    return name.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


class ThreadHead(NamedTuple):
    """What a lead says of itself, and the state of the conversation; None before anything was sent."""

    headline: str
    state: str | None
    snoozed_until: int | None
    notes: str


def thread_head(connection: DatabaseConnection, campaign_id: str, lead_id: str, now: int) -> ThreadHead | None:
    """Of that lead's conversation."""
    row = connection.execute(
        f"SELECT headline, CASE WHEN {_IN_TOUCH} THEN {_SHOWN} END,"
        f" CASE WHEN {_SNOOZED} THEN snoozed_until END, notes"
        " FROM leads WHERE id=:id AND campaign_id=:c",
        {"id": lead_id, "c": campaign_id, "now": now},
    ).fetchone()
    return ThreadHead(*row) if row else None
