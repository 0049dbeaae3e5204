"""What waits for the user in a campaign, and what came of the last days; every statement reads an index and is bounded."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.store.database import DatabaseConnection


@dataclass(frozen=True, slots=True)
class LatestReply:
    """Somebody who answered, when (ms UTC), and how their answer begins."""

    lead_id: str
    name: str
    at: int
    text: str


_REPLIES = """
SELECT l.id, l.full_name, l.replied_at, coalesce((
  SELECT substr(m.text, 1, :longest) FROM messages m WHERE m.lead_id = l.id AND m.step = '' AND m.kind = 'reply'
  ORDER BY m.sent_at DESC, m.id DESC LIMIT 1), '')
FROM leads l WHERE l.campaign_id = :c AND l.replied_at IS NOT NULL
  AND (l.replies_read_at IS NULL OR l.replies_read_at < l.replied_at)
ORDER BY l.replied_at DESC LIMIT :n
"""


def unread_replies(
    connection: DatabaseConnection, campaign_id: str, limit: int, longest: int = 200
) -> list[LatestReply]:
    """Whose answers the user has not opened, latest first."""
    rows = connection.execute(_REPLIES, {"c": campaign_id, "n": limit, "longest": longest})
    return [LatestReply(*row) for row in rows]


def count_unread_replies(connection: DatabaseConnection, campaign_id: str, most: int) -> int:
    """How many answers the user has not opened, counted up to `most`."""
    row = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM leads"
        " WHERE campaign_id=? AND replied_at IS NOT NULL AND (replies_read_at IS NULL OR replies_read_at < replied_at) LIMIT ?)",
        (campaign_id, most),
    )
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
        " AND coalesce(snoozed_at, 0) >= coalesce(replied_at, 0) ORDER BY snoozed_until LIMIT ?)",
        (campaign_id, now, most),
    ).fetchone()
    return PutOff(*row)


def replies_per_day(connection: DatabaseConnection, campaign_id: str, since: int, offset: int) -> dict[int, int]:
    """How many have answered since then, by local day; `since` and `offset` in ms."""
    rows = connection.execute(
        "SELECT (replied_at + :offset) / 86400000, count(*) FROM leads"
        " WHERE campaign_id = :c AND replied_at IS NOT NULL AND replied_at >= :since GROUP BY 1",
        {"c": campaign_id, "since": since, "offset": offset},
    )
    return dict(rows.fetchall())


def is_import_cut_off(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether the latest import of a lead file did not come to its end."""
    row = connection.execute(
        "SELECT finished_at IS NULL FROM imports WHERE campaign_id=? ORDER BY id DESC LIMIT 1", (campaign_id,)
    ).fetchone()
    return row is not None and bool(row[0])


def newest_campaigns(connection: DatabaseConnection, limit: int) -> list[str]:
    """The ids of the newest campaigns that are not in the archive."""
    rows = connection.execute(
        "SELECT id FROM campaigns WHERE archived_at IS NULL AND deleted_at IS NULL"
        " ORDER BY created_at DESC, id DESC LIMIT ?",
        (limit,),
    )
    return [id_ for (id_,) in rows]
