"""What waits for the user in a campaign, and what came of the last days; every statement reads an index and is bounded."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.gates.person import WAITING_BLOCKS
from backend.domain.leads.lead_merge import MOVED, TAKEN_BACK
from backend.domain.model.days import OffsetAt, count_by_day
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import NOT_ERASED
from backend.store.queries.reports import attributions


@dataclass(frozen=True, slots=True)
class LatestReply:
    """Somebody who replied, when they wrote (ms UTC; when it was noticed, if nobody knows), and how their reply begins."""

    lead_id: str
    name: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Happened:
    """How many texts were sent, who accepted and who replied, and what went wrong, behind an event of the log."""

    sent: int
    accepted: int
    replied: int
    problems: int


MOST_EVENTS = 20_000
"""Only so many of the latest are looked at."""

# By the log and not by time: what another device recorded while this one was away comes later than it happened.
_HAPPENED = """
SELECT count(*) FILTER (WHERE kind='MessageSent'),
  count(DISTINCT iif(change_payload ->> 'accepted_at' IS NULL, NULL, entity_id)),
  count(DISTINCT iif(change_payload ->> 'replied_at' IS NULL, NULL, entity_id)),
  count(*) FILTER (WHERE kind IN ('TaskBlocked', 'IncidentOpened', 'CampaignFailed'))
FROM event_log WHERE campaign_id=:c AND seq > max(:after, (SELECT event_seq FROM log_heads WHERE campaign_id=:c) - :most)
  AND kind IN ('MessageSent', 'LeadAdvanced', 'TaskBlocked', 'IncidentOpened', 'CampaignFailed')
"""


def happened_since(connection: DatabaseConnection, campaign_id: str, after: int) -> Happened:
    """What the log of the campaign tells behind the event of that number."""
    return Happened(*connection.execute(_HAPPENED, {"c": campaign_id, "after": after, "most": MOST_EVENTS}).fetchone())


_REPLIES = f"""
SELECT l.id, l.full_name, coalesce(m.sent_at, l.replied_at), substr(coalesce(m.text, ''), 1, 200)
FROM leads l LEFT JOIN messages m ON m.id = (SELECT r.id FROM messages r WHERE r.lead_id = l.id AND r.kind = 'reply'
  AND r.reply_kind <> 'automatic' ORDER BY r.sent_at DESC, r.id DESC LIMIT 1)
WHERE l.campaign_id = :c AND l.replied_at IS NOT NULL AND l.{NOT_ERASED}
  AND (l.replies_read_at IS NULL OR l.replies_read_at < l.replied_at)
ORDER BY l.replied_at DESC LIMIT :n
"""


def unread_replies(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[LatestReply]:
    """Whose replies the user has not opened, the one noticed last first."""
    rows = connection.execute(_REPLIES, {"c": campaign_id, "n": limit})
    return [LatestReply(*row) for row in rows]


def count_unread_replies(connection: DatabaseConnection, campaign_id: str, most: int) -> int:
    """How many answers the user has not opened, counted up to `most`."""
    row = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM leads"
        " WHERE campaign_id=? AND replied_at IS NOT NULL AND (replies_read_at IS NULL OR replies_read_at < replied_at)"
        f" AND {NOT_ERASED} LIMIT ?)",
        (campaign_id, most),
    )
    return int(row.fetchone()[0])


_OPEN_REPLIES = f"""
SELECT count(*) FROM leads l
WHERE l.campaign_id = :c AND l.replied_at > :after AND l.{NOT_ERASED}
  AND NOT (l.label <> '' AND coalesce(l.labelled_at, 0) >= l.replied_at)
  AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.lead_id = l.id AND m.step >= 'answer:' AND m.step < 'answer;'
    AND m.created_at >= l.replied_at)
"""


def count_open_replies(connection: DatabaseConnection, campaign_id: str, after: int) -> int:
    """Who has replied after that moment (ms UTC) and was neither answered nor labelled since."""
    row = connection.execute(_OPEN_REPLIES, {"c": campaign_id, "after": after})
    return int(row.fetchone()[0])


class PutOff(NamedTuple):
    """Conversations that are out of the way, and until when the first of them (ms UTC; None: there is none)."""

    people: int
    until: int | None


def put_off(connection: DatabaseConnection, campaign_id: str, now: int, most: int) -> PutOff:
    """Who is put off and has not written since, counted up to `most`."""
    row = connection.execute(
        "SELECT count(*), min(snoozed_until) FROM (SELECT snoozed_until FROM leads"
        " WHERE campaign_id=? AND snoozed_until IS NOT NULL AND snoozed_until > ?"
        f" AND coalesce(snoozed_at, 0) >= coalesce(replied_at, 0) AND {NOT_ERASED} ORDER BY snoozed_until LIMIT ?)",
        (campaign_id, now, most),
    ).fetchone()
    return PutOff(*row)


def replies_per_day(
    connection: DatabaseConnection, campaign_id: str, since: int, offset_at: OffsetAt
) -> dict[int, int]:
    """How many have replied for the first time since then, by local day; `since` in ms."""
    replies = attributions.first_replies(connection, campaign_id, since).values()
    return dict(count_by_day((reply.at for reply in replies), offset_at))


def is_import_cut_off(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether the latest import of a lead file did not come to its end."""
    row = connection.execute(
        "SELECT finished_at IS NULL FROM imports WHERE campaign_id=? ORDER BY id DESC LIMIT 1", (campaign_id,)
    ).fetchone()
    return row is not None and bool(row[0])


class Unreachable(NamedTuple):
    """Why nobody in a campaign can be written to: what blocks most of them, and how many it blocks."""

    blocked: str
    people: int


def unreachable(connection: DatabaseConnection, campaign_id: str) -> Unreachable | None:
    """None if somebody can, now or later, or if nobody is left."""
    # As a rule the first row answers this, and no campaign's leads are counted to open a screen.
    marks = ", ".join("?" * len(WAITING_BLOCKS))
    reachable = f"SELECT 1 FROM leads WHERE campaign_id=? AND finished='' AND blocked IN ({marks}) LIMIT 1"
    if connection.execute(reachable, (campaign_id, *WAITING_BLOCKS)).fetchone():
        return None
    blocks = connection.execute(
        "SELECT blocked, count(*) AS people FROM leads WHERE campaign_id=? AND finished=''"
        f" AND blocked NOT IN ('{TAKEN_BACK}', '{MOVED}') GROUP BY blocked ORDER BY people DESC, blocked",
        (campaign_id,),
    ).fetchall()
    return Unreachable(*blocks[0]) if blocks else None


def newest_campaigns(connection: DatabaseConnection, limit: int) -> list[str]:
    """The ids of the newest campaigns that are not in the archive; those that are done come last."""
    rows = connection.execute(
        "SELECT id FROM campaigns WHERE archived_at IS NULL AND deleted_at IS NULL"
        " ORDER BY status='completed', created_at DESC, id DESC LIMIT ?",
        (limit,),
    )
    return [id_ for (id_,) in rows]
