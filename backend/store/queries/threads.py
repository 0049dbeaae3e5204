"""Conversations with leads, latest activity first."""

from collections.abc import Sequence
from typing import NamedTuple

from backend.store.database import DatabaseConnection

# Word for word what the index `leads_in_touch` is made of, or SQLite would not use it.
_STATE = (
    "CASE WHEN blocked = 'outcome_unknown' THEN 'unknown' WHEN replied_at IS NOT NULL THEN 'replied' ELSE 'waiting' END"
)
_ACTIVE = "max(coalesce(invited_at, 0), coalesce(last_sent_at, 0), coalesce(replied_at, 0))"
_IN_TOUCH = (
    "(invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL OR blocked = 'outcome_unknown')"
)
_THREAD = (
    f"id, full_name, headline, job_title, company, {_STATE} AS state, {_ACTIVE} AS active, thread_read_at, finished"
)
_STRETCH = (
    f"SELECT * FROM (SELECT {_THREAD} FROM leads WHERE campaign_id=:c AND {_IN_TOUCH} AND {_STATE}='{{state}}'"
    f" AND {_ACTIVE} <= :at AND ({_ACTIVE} < :at OR id < :id) {{named}} ORDER BY {_ACTIVE} DESC, id DESC LIMIT :n)"
)
# Names are looked at one after the other: the limits of an account keep its conversations to some thousands a year.
_NAMED = "AND full_name LIKE :name ESCAPE '\\'"
NEWEST = (2**62, "~")
"""Before every conversation of the list."""


class ThreadRow(NamedTuple):
    """A lead that the account is in touch with; `active` is the last activity, times in ms UTC."""

    lead_id: str
    full_name: str
    headline: str
    job_title: str
    company: str
    state: str
    active: int
    read_at: int | None
    finished: str


def threads(
    connection: DatabaseConnection,
    campaign_id: str,
    states: Sequence[str],
    after: tuple[int, str],
    limit: int,
    *,
    name: str = "",
) -> list[ThreadRow]:
    """The conversations in these states behind that (activity, lead); with `name` those whose names hold it."""
    named = _NAMED if name else ""
    at, lead_id = after
    rows = connection.execute(
        " UNION ALL ".join(_STRETCH.format(state=state, named=named) for state in states)
        + " ORDER BY active DESC, id DESC LIMIT :n",
        {"c": campaign_id, "at": at, "id": lead_id, "n": limit, "name": f"%{_literally(name)}%"},
    )
    return [ThreadRow(*row) for row in rows]


def _literally(name: str) -> str:
    return name.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


class ThreadHead(NamedTuple):
    """What a lead says of itself, and the state of the conversation; None before anything was sent."""

    headline: str
    state: str | None


def thread_head(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> ThreadHead | None:
    """Of that lead's conversation."""
    row = connection.execute(
        f"SELECT headline, CASE WHEN {_IN_TOUCH} THEN {_STATE} END FROM leads WHERE id=? AND campaign_id=?",
        (lead_id, campaign_id),
    ).fetchone()
    return ThreadHead(*row) if row else None
