"""Actions on a site: what was attempted, and what the account has done."""

from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.model.campaign import DAY, Campaign
from backend.domain.model.days import OffsetAt, count_by_day
from backend.domain.model.task import ActionFamily
from backend.store.database import DatabaseConnection
from backend.store.rows import TableReader


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
    status, outcome_text = connection.execute(settled, (action_id,)).fetchone() or ("", "")
    return status, outcome_text


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
_SPACED = ("invite", "message", "withdraw")
_LAST_OF = (
    "coalesce((SELECT max(intended_at) FROM actions WHERE account=:a AND family='{}' AND intended_at<=:until), 0)"
)
_USAGE = f"""
SELECT count(*) FILTER (WHERE intended_at>=:day), count(*), min(intended_at),
       (SELECT min(intended_at) FROM actions WHERE account=:a AND family=+:f AND status<>'not_sent' AND intended_at<=:now),
       nullif(max({", ".join(map(_LAST_OF.format, _SPACED))}), 0)
FROM actions WHERE account=:a AND family=+:f AND intended_at>:week AND intended_at<=:now AND status<>'not_sent'
"""
_AT_ALL = (1 << 63) - 1


def usage(connection: DatabaseConnection, account: str, family: ActionFamily, now: int, midnight: int) -> AccountUsage:
    """Counted from the intents, so that a crash or a restart forgets nothing; `midnight` is when the local day began."""
    parameters = {"a": account, "f": family, "day": midnight, "week": now - 7 * DAY, "now": now}
    account_usage = AccountUsage(*connection.execute(_USAGE, parameters | {"until": _AT_ALL}).fetchone())
    if account_usage.last_any is None or account_usage.last_any <= now:
        return account_usage
    account_usage = AccountUsage(*connection.execute(_USAGE, parameters | {"until": now}).fetchone())
    acts = dated_ahead(connection, account, now)
    counted = [act.at for act in acts if act.family == family and act.may_count]
    lately = [at for at in counted if at > now - 7 * DAY]
    return AccountUsage(
        account_usage.today + sum(at >= midnight for at in counted),
        account_usage.week + len(lately),
        _least(account_usage.oldest_of_week, lately),
        _least(account_usage.first_ever, counted),
        max([account_usage.last_any or 0, *(act.at for act in acts)]),
    )


def _least(earliest: int | None, times: list[int]) -> int | None:
    return min(times if earliest is None else [earliest, *times], default=None)


class ActDatedAhead(NamedTuple):
    """An act whose recorded time is still to come, by a clock that was wrong; `at` (ms UTC) is when it counts."""

    family: str
    may_count: bool
    """Whether it may have reached the site."""
    has_note: bool
    at: int


_DATED_AHEAD = f"""
SELECT a.family, a.status<>'not_sent', a.family='invite' AND coalesce(m.text, '')<>'',
  coalesce(
    (SELECT e.timestamp FROM event_log e WHERE e.campaign_id = i.campaign_id AND e.seq > i.seq AND e.timestamp <= :now
     ORDER BY e.seq LIMIT 1),
    iif(a.intended_at <= :now + :day, :now, NULL),
    (SELECT e.timestamp FROM event_log e WHERE e.campaign_id = i.campaign_id AND e.seq < i.seq AND e.timestamp <= :now
     ORDER BY e.seq DESC LIMIT 1),
    :now)
FROM actions a LEFT JOIN messages m ON m.id = a.message_id
  LEFT JOIN event_log i INDEXED BY event_log_acts
    ON i.campaign_id = a.campaign_id AND i.entity_id = a.id AND i.kind IN ('ActionIntended', 'ActionHandedOver')
WHERE a.account=:a AND a.family IN {_SPACED} AND a.intended_at > :now
"""


def dated_ahead(connection: DatabaseConnection, account: str, now: int) -> list[ActDatedAhead]:
    """The account's acts that are dated later than now (ms UTC), usually none; each counts when it can have been at the latest.

    That is when its campaign's log next has a time that is not ahead. Before there is one, an act of the next 24 hours counts
    as of now, which is over by itself, and one further ahead as of the last such time before it.
    """
    rows = connection.execute(_DATED_AHEAD, {"a": account, "now": now, "day": DAY})
    return [ActDatedAhead(family, bool(may), bool(note), at) for family, may, note, at in rows]


_YIELDS = """
SELECT EXISTS (SELECT 1 FROM actions WHERE account=:account AND family IN ('invite', 'message', 'withdraw')
   AND intended_at=:at AND campaign_id=:id)
 AND EXISTS (SELECT 1 FROM campaigns WHERE account=:account AND site=:site AND status='active' AND status_reason='' AND id<>:id)
"""


def yields(connection: DatabaseConnection, campaign: Campaign, at: int) -> bool:
    """Whether the account's act of that moment was this campaign's, and another one that is not held acts in the same browser."""
    of = {"account": campaign.account, "site": campaign.site, "id": campaign.id, "at": at}
    return bool(connection.execute(_YIELDS, of).fetchone()[0])


_NOTES = (
    "FROM actions a JOIN messages m ON m.id = a.message_id"
    " WHERE a.account=? AND a.family='invite' AND a.intended_at>? AND a.status<>'not_sent' AND m.text<>''"
)


def notes_since(connection: DatabaseConnection, account: str, since: int, now: int) -> tuple[int, int | None]:
    """How many invitations with a note the account sent since then, and when the oldest (ms UTC); counted from the intents."""
    row = connection.execute(f"SELECT count(*), min(a.intended_at), max(a.intended_at) {_NOTES}", (account, since))
    count, oldest, last = row.fetchone()
    if last is None or last <= now:
        return count, oldest
    times = note_times(connection, account, since, now)
    return len(times), min(times, default=None)


def note_times(connection: DatabaseConnection, account: str, since: int, now: int) -> list[int]:
    """When the account sent each invitation with a note since then (ms UTC), the oldest first."""
    rows = connection.execute(f"SELECT a.intended_at {_NOTES} ORDER BY a.intended_at", (account, since))
    times = [at for (at,) in rows]
    if not times or times[-1] <= now:
        return times
    ahead = [act.at for act in dated_ahead(connection, account, now) if act.has_note and act.may_count]
    return sorted(at for at in [*(at for at in times if at <= now), *ahead] if at > since)


def invitation_times(connection: DatabaseConnection, account: str, since: int, now: int) -> list[int]:
    """When the account sent each invitation since then (ms UTC), the oldest first; counted from the intents."""
    rows = connection.execute(
        "SELECT intended_at FROM actions WHERE account=? AND family='invite' AND intended_at>? AND status<>'not_sent'"
        " ORDER BY intended_at",
        (account, since),
    )
    times = [at for (at,) in rows]
    if not times or times[-1] <= now:
        return times
    ahead = [act.at for act in dated_ahead(connection, account, now) if act.family == "invite" and act.may_count]
    return sorted(at for at in [*(at for at in times if at <= now), *ahead] if at > since)


class ActionRow(NamedTuple):
    """A stored action; without a `claim` no answer of the site was seen. `real_time` is its intent's real moment, in JSON."""

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


_ATTEMPTS = TableReader(
    "SELECT a.id, a.tool, a.intended_at, a.settled_at, a.status, a.claim, a.said, a.evidence FROM actions a", AttemptRow
)


def attempts(connection: DatabaseConnection, message_id: str, limit: int) -> list[AttemptRow]:
    """The attempts to send that message, in their order."""
    return _ATTEMPTS.every(connection, "WHERE a.message_id=? ORDER BY a.intended_at, a.id LIMIT ?", (message_id, limit))


def attempts_of_turn(connection: DatabaseConnection, campaign_id: str, message_id: str, turn: int) -> list[AttemptRow]:
    """The attempts of one turn to send that message, in their order."""
    where = "WHERE a.message_id=? AND a.campaign_id=? AND a.turn=? ORDER BY a.intended_at, a.id"
    return _ATTEMPTS.every(connection, where, (message_id, campaign_id, turn))


def count_per_day(
    connection: DatabaseConnection, account: str, family: ActionFamily, since: int, offset_at: OffsetAt
) -> dict[int, int]:
    """How much the account has done in that family since then, by local day; `since` in ms."""
    rows = connection.execute(
        "SELECT intended_at FROM actions"
        " WHERE account=:account AND family=:family AND intended_at>=:since AND status<>'not_sent'",
        {"account": account, "family": family, "since": since},
    )
    return dict(count_by_day((at for (at,) in rows), offset_at))


def count_per_day_in(
    connection: DatabaseConnection, campaign_id: str, since: int, offset_at: OffsetAt
) -> dict[int, int]:
    """How much one campaign has sent since then, as far as is known, by local day; `since` in ms."""
    rows = connection.execute(
        "SELECT intended_at FROM actions WHERE campaign_id=:c AND intended_at>=:since"
        " AND status NOT IN ('not_sent', 'intended', 'outcome_unknown') AND family<>'withdraw'",
        {"c": campaign_id, "since": since},
    )
    return dict(count_by_day((at for (at,) in rows), offset_at))


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
