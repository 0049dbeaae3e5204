"""Actions on a site: what was attempted, and what the account has done."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.campaign import DAY, Campaign
from backend.domain.task import ActionFamily
from backend.store.database import DatabaseConnection


def lost_attempt(connection: DatabaseConnection, message_id: str) -> tuple[str, int] | None:
    """(action, copies seen before it) of the first attempt that was believed not to have happened."""
    row: tuple[str, int] | None = connection.execute(
        "SELECT id, seen_before FROM actions WHERE message_id=? AND status='not_sent' ORDER BY seen_before, id LIMIT 1",
        (message_id,),
    ).fetchone()
    return row


def lost_texts(connection: DatabaseConnection, lead_id: str) -> list[tuple[str, int, str]]:
    """(action, copies seen before it, mark of its text) of the lead's messages that were believed not to have gone.

    Not those whose very text was sent by a later attempt: that is the copy that is there.
    """
    rows = connection.execute(
        "SELECT a.id, a.seen_before, coalesce(json_extract(a.params, '$.text_mark'), '') FROM messages m"
        " CROSS JOIN actions a ON a.message_id = m.id WHERE m.lead_id=? AND a.family='message' AND a.status='not_sent'"
        " AND NOT EXISTS (SELECT 1 FROM actions later WHERE later.message_id = m.id AND later.status='sent'"
        " AND json_extract(later.params, '$.text_mark') = json_extract(a.params, '$.text_mark'))",
        (lead_id,),
    )
    return rows.fetchall()


def intended_at(connection: DatabaseConnection, action_id: str) -> int:
    """When it was begun (ms UTC)."""
    (at,) = connection.execute("SELECT intended_at FROM actions WHERE id=?", (action_id,)).fetchone()
    return int(at)


def outcome(connection: DatabaseConnection, action_id: str) -> tuple[str, str]:
    """Its status, and what was said of it, once it was settled; both "" before, and if there is no such action."""
    settled = "SELECT status, said FROM actions WHERE id=? AND settled_at IS NOT NULL"
    status, said = connection.execute(settled, (action_id,)).fetchone() or ("", "")
    return status, said


def is_sent_later(connection: DatabaseConnection, action_id: str) -> bool:
    """Whether the act is believed not to have happened, and its very text was sent by another one."""
    row = connection.execute(
        "SELECT 1 FROM actions a JOIN actions later ON later.message_id = a.message_id AND later.status='sent'"
        " AND json_extract(later.params, '$.text_mark') = json_extract(a.params, '$.text_mark')"
        " WHERE a.id=? AND a.status='not_sent'",
        (action_id,),
    )
    return row.fetchone() is not None


@dataclass(frozen=True, slots=True)
class AccountUsage:
    """What the account has done in one family; the facts that limits are about. Times are ms UTC.

    `last_any` is of all families and counts failed attempts: the spacing is between any two acts of the account.
    """

    today: int
    week: int
    oldest_of_week: int | None
    first_ever: int | None
    last_any: int | None


# `+` hides the family from the planner: with a partial index on one of them, the statement would be prepared anew each time.
_USAGE = """
SELECT count(*) FILTER (WHERE intended_at>=:day), count(*), min(intended_at),
       (SELECT min(intended_at) FROM actions WHERE account=:a AND family=+:f AND status<>'not_sent'),
       nullif(max(
          coalesce((SELECT max(intended_at) FROM actions WHERE account=:a AND family='invite'), 0),
          coalesce((SELECT max(intended_at) FROM actions WHERE account=:a AND family='message'), 0),
          coalesce((SELECT max(intended_at) FROM actions WHERE account=:a AND family='withdraw'), 0)), 0)
FROM actions WHERE account=:a AND family=+:f AND intended_at>:week AND status<>'not_sent'
"""


def usage(connection: DatabaseConnection, account: str, family: ActionFamily, now: int, midnight: int) -> AccountUsage:
    """Counted from the intents, so that a crash or a restart forgets nothing; `midnight` is when the local day began."""
    row = connection.execute(_USAGE, {"a": account, "f": family, "day": midnight, "week": now - 7 * DAY}).fetchone()
    return AccountUsage(*row)


_YIELDS = """
SELECT EXISTS (SELECT 1 FROM actions WHERE account=:account AND family IN ('invite', 'message', 'withdraw')
   AND intended_at=:at AND campaign_id=:id)
 AND EXISTS (SELECT 1 FROM campaigns WHERE account=:account AND site=:site AND status='active' AND id<>:id)
"""


def yields(connection: DatabaseConnection, campaign: Campaign, at: int) -> bool:
    """Whether the account's act of that moment was this campaign's, and another one is on that acts in the same browser."""
    of = {"account": campaign.account, "site": campaign.site, "id": campaign.id, "at": at}
    return bool(connection.execute(_YIELDS, of).fetchone()[0])


_NOTES = (
    "FROM actions a JOIN messages m ON m.id = a.message_id"
    " WHERE a.account=? AND a.family='invite' AND a.intended_at>? AND a.status<>'not_sent' AND m.text<>''"
)


def notes_since(connection: DatabaseConnection, account: str, since: int) -> tuple[int, int | None]:
    """How many invitations with a note the account sent since then, and when the oldest (ms UTC); counted from the intents."""
    row = connection.execute(f"SELECT count(*), min(a.intended_at) {_NOTES}", (account, since))
    count, oldest = row.fetchone()
    return count, oldest


def note_times(connection: DatabaseConnection, account: str, since: int) -> list[int]:
    """When the account sent each invitation with a note since then (ms UTC), the oldest first."""
    rows = connection.execute(f"SELECT a.intended_at {_NOTES} ORDER BY a.intended_at", (account, since))
    return [at for (at,) in rows]


class ActionRow(NamedTuple):
    """An action as it is stored; `claim` is empty when the process ended before an answer of the site was seen.

    `real_time` is the real moment of its intent, in JSON.
    """

    id: str
    task_id: str
    lead_id: str
    message_id: str
    approval_id: str
    claim: str
    said: str
    seen_before: int
    status: str
    family: str
    real_time: str


_OPEN = (
    "SELECT id, task_id, lead_id, message_id, approval_id, claim, said, seen_before, status, family,"
    " coalesce(json_extract(params, '$.real_time'), '[]') FROM actions"
    " WHERE campaign_id=? AND status IN ('intended', 'outcome_unknown') ORDER BY +intended_at, id"
)


def open_actions(connection: DatabaseConnection, campaign_id: str) -> list[ActionRow]:
    """The actions whose outcome is not known, oldest first."""
    return [ActionRow(*row) for row in connection.execute(_OPEN, (campaign_id,))]


class AttemptRow(NamedTuple):
    """One attempt to send a message; times in ms UTC, `evidence` in JSON."""

    id: str
    tool: str
    at: int
    settled_at: int | None
    status: str
    claim: str
    said: str
    evidence: str


_ATTEMPT = "SELECT a.id, a.tool, a.intended_at, a.settled_at, a.status, a.claim, a.said, a.evidence FROM actions a"


def attempts(connection: DatabaseConnection, message_id: str, limit: int) -> list[AttemptRow]:
    """The attempts to send that message, in their order."""
    rows = connection.execute(
        f"{_ATTEMPT} WHERE a.message_id=? ORDER BY a.intended_at, a.id LIMIT ?", (message_id, limit)
    )
    return [AttemptRow(*row) for row in rows]


def attempts_of_turn(connection: DatabaseConnection, campaign_id: str, message_id: str, turn: int) -> list[AttemptRow]:
    """The attempts of one turn to send that message, in their order."""
    rows = connection.execute(
        f"{_ATTEMPT} WHERE a.message_id=? AND a.campaign_id=? AND a.turn=? ORDER BY a.intended_at, a.id",
        (message_id, campaign_id, turn),
    )
    return [AttemptRow(*row) for row in rows]


def count_per_day(
    connection: DatabaseConnection, account: str, family: ActionFamily, since: int, offset: int
) -> dict[int, int]:
    """How much the account has done in that family since then, by local day; `since` and `offset` in ms."""
    rows = connection.execute(
        "SELECT (intended_at + :offset) / 86400000, count(*) FROM actions"
        " WHERE account=:account AND family=:family AND intended_at>=:since AND status<>'not_sent' GROUP BY 1",
        {"account": account, "family": family, "offset": offset, "since": since},
    )
    return dict(rows.fetchall())


def count_per_day_in(connection: DatabaseConnection, campaign_id: str, since: int, offset: int) -> dict[int, int]:
    """How much one campaign has sent since then, by local day; `since` and `offset` in ms."""
    rows = connection.execute(
        "SELECT (intended_at + :offset) / 86400000, count(*) FROM actions"
        " WHERE campaign_id=:c AND intended_at>=:since AND status<>'not_sent' AND family<>'withdraw' GROUP BY 1",
        {"c": campaign_id, "offset": offset, "since": since},
    )
    return dict(rows.fetchall())


WITHDRAWAL = "withdrawal"
"""The kind of an act that takes an invitation back."""


@dataclass(frozen=True, slots=True)
class SentAct:
    """Something that was sent, or an invitation that was withdrawn: when (ms UTC), what, and to whom."""

    at: int
    kind: str
    step: str
    lead_id: str
    name: str


def sent_since(connection: DatabaseConnection, campaign_id: str, since: int) -> list[SentAct]:
    """What the campaign has sent since then, in order."""
    rows = connection.execute(
        "SELECT a.intended_at, coalesce(m.kind, ?), coalesce(m.step, ?), l.id, l.full_name"
        " FROM actions a LEFT JOIN messages m ON m.id = a.message_id"
        " JOIN leads l ON l.id = a.lead_id WHERE a.campaign_id=? AND a.intended_at>=? AND a.status='sent'"
        " ORDER BY a.intended_at, a.id",
        (WITHDRAWAL, WITHDRAWAL, campaign_id, since),
    )
    return [SentAct(*row) for row in rows]
