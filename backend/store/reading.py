"""Reads of authoritative state, each by an index and bounded: their cost does not grow with the campaign or its logs."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import ValidationError

from backend.domain.campaign import DAY, Campaign, CampaignStatus, Settings, read_settings
from backend.domain.connection import Connection
from backend.domain.events import WORKSPACE
from backend.domain.lead import Lead, LeadStatus
from backend.domain.message import Approval, ApprovalStatus, Message, MessageStatus
from backend.domain.site import Relation
from backend.domain.snapshot import MAX_AUDIT, MAX_LEADS, LastTurn
from backend.domain.task import Needs, Task, TaskKind, TaskStatus
from backend.domain.turn import TurnState
from backend.domain.variables import Recipient, columns_as_variables

CANDIDATES = 4
"""How many tasks are read from each family; the first is worked on, the rest is there to choose from."""

MOST_ANSWERS = 12


@lru_cache(maxsize=64)
def _settings(text: str) -> Settings:
    return read_settings(text)


@dataclass(frozen=True, slots=True)
class Position:
    """Where a campaign stands: its record, its place in the log, and the runtime snapshot."""

    campaign: Campaign
    seq: int
    event_hash: bytes
    state: TurnState
    loop_enabled: bool
    last_turn: int
    last_error: str
    current_task_id: str | None
    own_turn: int = 0
    """The last turn that was the campaign's own, and not for a request of the user."""


_POSITION = """
SELECT c.id, c.name, c.goal, c.status, c.site, c.account, c.version, c.settings, c.created_at,
       c.proposer, h.event_seq, h.event_hash, r.state, r.loop_enabled, r.last_turn, r.last_error, e.current_task_id, e.own_turn
FROM campaigns c JOIN log_heads h ON h.campaign_id = c.id JOIN runtime_snapshot r ON r.campaign_id = c.id
JOIN execution_state e ON e.campaign_id = c.id WHERE c.id = ?
"""


def position(connection: sqlite3.Connection, campaign_id: str) -> Position | None:
    """The campaign and where it stands, or None if there is no such campaign."""
    row = connection.execute(_POSITION, (campaign_id,)).fetchone()
    if row is None:
        return None
    campaign = Campaign(
        row[0], row[1], row[2], CampaignStatus(row[3]), row[4], row[5], row[6], _settings(row[7]), row[8], row[9]
    )
    return Position(campaign, row[10], row[11], TurnState(row[12]), bool(row[13]), *row[14:])


def campaign(connection: sqlite3.Connection, campaign_id: str) -> Campaign | None:
    """The campaign's record."""
    found = position(connection, campaign_id)
    return found.campaign if found else None


_TASK = "id, campaign_id, kind, description, status, needs, ready_at, strikes, lead_id, reason, preconditions"


def _task(row: tuple[Any, ...]) -> Task:
    return Task(
        row[0], row[1], TaskKind(row[2]), row[3], TaskStatus(row[4]), Needs(row[5]), row[6], row[7], row[8], row[9],
        () if row[10] == "[]" else tuple(_strings(row[10])),
    )  # fmt: skip


@lru_cache(maxsize=256)
def _strings(text: str) -> tuple[str, ...]:
    import json  # noqa: PLC0415 - rare: only tasks with preconditions

    return tuple(json.loads(text))


# What has been begun is finished before something new is begun; sends come first, because they are what waits longest.
_READY = " UNION ALL ".join(
    f"SELECT * FROM (SELECT {_TASK} FROM tasks WHERE campaign_id=:c AND status='{status}' AND needs='{needs}'"
    f" AND ready_at<=:now ORDER BY ready_at, rank LIMIT {CANDIDATES})"
    for status, needs in (
        ("in_progress", "message"),
        ("in_progress", "invite"),
        ("in_progress", "think"),
        ("in_progress", "look"),
        ("pending", "think"),
        ("pending", "look"),
    )
)


def ready_tasks(connection: sqlite3.Connection, campaign_id: str, now: int) -> list[Task]:
    """The tasks whose time has come, a few of each family, in the order in which they would be worked on."""
    return [_task(row) for row in connection.execute(_READY, {"c": campaign_id, "now": now})]


_NEXT_READY = "SELECT min(ready_at) FROM tasks WHERE campaign_id=? AND status=? AND needs=? AND ready_at>?"


def next_ready(connection: sqlite3.Connection, campaign_id: str, now: int, families: Iterable[Needs]) -> int | None:
    """When the next task of one of these families becomes ready (ms UTC)."""
    found = [
        connection.execute(_NEXT_READY, (campaign_id, status, needs, now)).fetchone()[0]
        for status in ("in_progress", "pending")
        for needs in families
    ]
    return min((at for at in found if at is not None), default=None)


def task(connection: sqlite3.Connection, campaign_id: str, task_id: str) -> Task | None:
    """The task, if it is this campaign's."""
    row = connection.execute(f"SELECT {_TASK} FROM tasks WHERE id=? AND campaign_id=?", (task_id, campaign_id))
    found = row.fetchone()
    return _task(found) if found else None


def tasks_with_status(
    connection: sqlite3.Connection, campaign_id: str, status: TaskStatus, limit: int, *, ordered: bool = False
) -> list[Task]:
    """Tasks of one status; `ordered` as they come up, which looks at all of them."""
    order = "ORDER BY rank, id" if ordered else ""
    rows = connection.execute(
        f"SELECT {_TASK} FROM tasks WHERE campaign_id=? AND status=? {order} LIMIT ?",
        (campaign_id, status, limit),
    )
    return [_task(row) for row in rows]


def followers(connection: sqlite3.Connection, campaign_id: str, task_id: str) -> list[Task]:
    """Tasks that wait for this one."""
    rows = connection.execute(
        f"SELECT {_TASK} FROM tasks WHERE campaign_id=? AND kind='custom' AND status='pending' AND preconditions<>'[]'",
        (campaign_id,),
    )
    return [waiting for waiting in map(_task, rows) if task_id in waiting.preconditions]


def task_of_lead(connection: sqlite3.Connection, lead_id: str) -> Task | None:
    """The task that reaches out to this lead."""
    row = connection.execute(
        f"SELECT {_TASK} FROM tasks WHERE lead_id=? AND kind='reach_lead'",
        (lead_id,),
    ).fetchone()
    return _task(row) if row else None


_LEAD = (
    "id, campaign_id, full_name, profile_url, member_key, job_title, company, status, weight_score, sequence_step,"
    " relation, invited_at, accepted_at, last_sent_at, thread_read_at, replied_at, visited_at, finished, blocked"
)


def lead(connection: sqlite3.Connection, campaign_id: str, lead_id: str) -> Lead | None:
    """The lead, if it is this campaign's."""
    row = connection.execute(
        f"SELECT {_LEAD} FROM leads WHERE id=? AND campaign_id=?", (lead_id, campaign_id)
    ).fetchone()
    if row is None:
        return None
    fields: list[Any] = list(row)
    fields[7], fields[10] = LeadStatus(row[7]), Relation(row[10])
    return Lead(*fields)


def lead_of_member(connection: sqlite3.Connection, campaign_id: str, member_key: str) -> tuple[str, ...] | None:
    """(id, job title, company, e-mail, connected on, further columns as JSON) of the lead with that identity."""
    row: tuple[str, ...] | None = connection.execute(
        "SELECT id, job_title, company, email, connected_on, extra FROM leads WHERE campaign_id=? AND member_key=?",
        (campaign_id, member_key),
    ).fetchone()
    return row


def recipient(connection: sqlite3.Connection, lead_id: str) -> Recipient | None:
    """What templates may say of this lead."""
    row = connection.execute(
        "SELECT full_name, company, job_title, email, extra FROM leads WHERE id=?", (lead_id,)
    ).fetchone()
    if row is None:
        return None
    name, company, title, email, extra = row
    return Recipient(name, company, title, email, columns_as_variables(json.loads(extra)))


_MESSAGE = "id, lead_id, task_id, step, kind, text, status"


def _message(row: tuple[Any, ...]) -> Message:
    return Message(row[0], row[1], row[2], row[3], row[4], row[5], MessageStatus(row[6]))


def message_of_step(connection: sqlite3.Connection, lead_id: str, step: str) -> Message | None:
    """The step's current message: the last one written that was not cancelled."""
    row = connection.execute(
        f"SELECT {_MESSAGE} FROM messages WHERE lead_id=? AND step=? AND status<>'cancelled' ORDER BY id DESC LIMIT 1",
        (lead_id, step),
    ).fetchone()
    return _message(row) if row else None


REJECTED_BY_USER = "rejected by the user"


def refused_texts(connection: sqlite3.Connection, lead_id: str, step: str) -> frozenset[str]:
    """The texts for this step that the user has rejected."""
    rows = connection.execute(
        "SELECT text FROM messages WHERE lead_id=? AND step=? AND status='cancelled' AND reason=?",
        (lead_id, step, REJECTED_BY_USER),
    )
    return frozenset(row[0] for row in rows)


def is_rejected(connection: sqlite3.Connection, message_id: str) -> bool:
    """Whether the user rejected this text."""
    row = connection.execute(
        "SELECT 1 FROM messages WHERE id=? AND status='cancelled' AND reason=?", (message_id, REJECTED_BY_USER)
    )
    return row.fetchone() is not None


def message(connection: sqlite3.Connection, campaign_id: str, message_id: str) -> Message | None:
    """The message, if it is this campaign's."""
    row = connection.execute(
        f"SELECT {_MESSAGE} FROM messages WHERE id=? AND campaign_id=?",
        (message_id, campaign_id),
    ).fetchone()
    return _message(row) if row else None


def attempts(connection: sqlite3.Connection, message_id: str) -> int:
    """How often the site has failed to send this message."""
    return int(connection.execute("SELECT attempts FROM messages WHERE id=?", (message_id,)).fetchone()[0])


def lost_attempt(connection: sqlite3.Connection, message_id: str) -> tuple[str, int] | None:
    """(action, copies seen before it) of the first attempt that was believed not to have happened."""
    row: tuple[str, int] | None = connection.execute(
        "SELECT id, seen_before FROM actions WHERE message_id=? AND status='not_sent' ORDER BY seen_before, id LIMIT 1",
        (message_id,),
    ).fetchone()
    return row


def lost_texts(connection: sqlite3.Connection, lead_id: str) -> list[tuple[str, int, str]]:
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


def drafts(connection: sqlite3.Connection, campaign_id: str, limit: int = 200) -> list[Message]:
    """What waits in Review, oldest first."""
    rows = connection.execute(
        f"SELECT {_MESSAGE} FROM messages WHERE campaign_id=? AND status='draft' ORDER BY id LIMIT ?",
        (campaign_id, limit),
    )
    return [_message(row) for row in rows]


def open_drafts(connection: sqlite3.Connection, campaign_id: str, limit: int) -> int:
    """How many texts wait in Review, counted up to `limit`."""
    row = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM messages WHERE campaign_id=? AND status='draft' LIMIT ?)",
        (campaign_id, limit),
    ).fetchone()
    return int(row[0])


def approved(connection: sqlite3.Connection, campaign_id: str) -> list[Message]:
    """What is approved and not sent yet, found by the tasks that wait to send it."""
    rows = connection.execute(
        f"SELECT {', '.join(f'm.{name}' for name in _MESSAGE.split(', '))} FROM tasks t"
        " JOIN messages m ON m.lead_id = t.lead_id AND m.status='approved'"
        " WHERE t.campaign_id=? AND t.status='in_progress' AND t.needs IN ('invite', 'message') ORDER BY m.id",
        (campaign_id,),
    )
    return [_message(row) for row in rows]


def configuration(connection: sqlite3.Connection, name: str) -> str | None:
    """A piece of the workspace's configuration, as JSON."""
    row = connection.execute("SELECT value FROM config_kv WHERE campaign_id=? AND id=?", (WORKSPACE, name)).fetchone()
    return row[0] if row else None


def spent(connection: sqlite3.Connection, campaign_id: str) -> tuple[int, int]:
    """(tokens, micros) that models have cost the campaign so far."""
    row = connection.execute(
        "SELECT coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(cost_micros), 0) FROM model_spend WHERE campaign_id=?",
        (campaign_id,),
    ).fetchone()
    return int(row[0]), int(row[1])


MODEL = "model:"
"""How the names of connections to models begin in the workspace's configuration."""

GONE = "null"
"""What is left of a piece of configuration that was removed."""


def model_connection(connection: sqlite3.Connection, connection_id: str) -> Connection | None:
    """The connection to a model, if there is one of that id."""
    value = configuration(connection, MODEL + connection_id)
    return None if value is None else _connection(value)


def model_connections(connection: sqlite3.Connection) -> list[Connection]:
    """All connections to models, by their names; people have a handful."""
    rows = connection.execute(
        "SELECT value FROM config_kv WHERE campaign_id=? AND id>=? AND id<? ORDER BY id", (WORKSPACE, MODEL, "model;")
    )
    found = (_connection(value) for (value,) in rows)
    return sorted((one for one in found if one), key=lambda one: (one.name.casefold(), one.id))


def _connection(value: str) -> Connection | None:
    if value == GONE:
        return None
    try:
        return Connection.model_validate_json(value)
    except ValidationError:  # kept by a later version
        return None


def replies_known(connection: sqlite3.Connection, lead_id: str) -> int:
    """How many of their messages are recorded."""
    row = connection.execute("SELECT count(*) FROM messages WHERE lead_id=? AND step='' AND kind='reply'", (lead_id,))
    return int(row.fetchone()[0])


def approval_of(connection: sqlite3.Connection, message_id: str) -> Approval | None:
    """The message's open approval, else its latest. There is never more than one open; ids need not be in order."""
    rows = connection.execute(
        "SELECT id, message_id, digest, status, expires_at FROM approvals WHERE message_id=? ORDER BY id", (message_id,)
    ).fetchall()
    row = next((row for row in rows if row[3] == ApprovalStatus.OPEN), rows[-1] if rows else None)
    return Approval(row[0], row[1], row[2], ApprovalStatus(row[3]), row[4]) if row else None


def last_answer(connection: sqlite3.Connection, task_id: str) -> tuple[str, str] | None:
    """(question, answer) of the last question about this task that the user answered."""
    row: tuple[str, str] | None = connection.execute(
        "SELECT question, answer FROM input_requests WHERE task_id=? AND status='answered' ORDER BY id DESC LIMIT 1",
        (task_id,),
    ).fetchone()
    return row


def answers(connection: sqlite3.Connection, task_id: str) -> tuple[tuple[str, str], ...]:
    """(question, answer) of what the user answered about this task, oldest first; the latest, if there are many."""
    rows = connection.execute(
        "SELECT question, answer FROM input_requests WHERE task_id=? AND status='answered' ORDER BY id DESC LIMIT ?",
        (task_id, MOST_ANSWERS),
    )
    return tuple(reversed(rows.fetchall()))


OF_THE_CAMPAIGN = "NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id=q.task_id AND t.kind='assist')"
"""Of a question `q`: not one about a request of the user, which is asked in its conversation."""


def open_questions(connection: sqlite3.Connection, campaign_id: str) -> int:
    """How many of the campaign's own questions wait for the user."""
    row = connection.execute(
        f"SELECT count(*) FROM input_requests q WHERE campaign_id=? AND status='open' AND {OF_THE_CAMPAIGN}",
        (campaign_id,),
    )
    return int(row.fetchone()[0])


def open_question(connection: sqlite3.Connection, task_id: str) -> bool:
    """Whether this task waits for the user's answer."""
    row = connection.execute("SELECT 1 FROM input_requests WHERE task_id=? AND status='open' LIMIT 1", (task_id,))
    return row.fetchone() is not None


@dataclass(frozen=True, slots=True)
class Usage:
    """What the account has done in one family; the facts that limits are about. Times are ms UTC.

    `last_any` is of both families and counts failed attempts: the spacing is between any two acts of the account.
    """

    today: int
    week: int
    oldest_of_week: int | None
    first_ever: int | None
    last_any: int | None


_USAGE = """
SELECT (SELECT count(*) FROM actions WHERE account=:a AND family=:f AND intended_at>=:day AND status<>'not_sent'),
       (SELECT count(*) FROM actions WHERE account=:a AND family=:f AND intended_at>:week AND status<>'not_sent'),
       (SELECT min(intended_at) FROM actions WHERE account=:a AND family=:f AND intended_at>:week AND status<>'not_sent'),
       (SELECT min(intended_at) FROM actions WHERE account=:a AND family=:f AND status<>'not_sent'),
       (SELECT max(at) FROM (
          SELECT max(intended_at) AS at FROM actions WHERE account=:a AND family='invite' UNION ALL
          SELECT max(intended_at) FROM actions WHERE account=:a AND family='message'))
"""


def usage(connection: sqlite3.Connection, account: str, family: Needs, now: int, offset: int) -> Usage:
    """Counted from the intents, so that a crash or a restart forgets nothing."""
    local = now + offset
    midnight = local - local % DAY - offset
    row = connection.execute(_USAGE, {"a": account, "f": family, "day": midnight, "week": now - 7 * DAY}).fetchone()
    return Usage(*row)


def open_incident(connection: sqlite3.Connection, account: str) -> str:
    """What the account's open incident said, or nothing."""
    row = connection.execute(
        "SELECT kind || ': ' || said FROM incidents WHERE account=? AND status='open' LIMIT 1", (account,)
    ).fetchone()
    return row[0] if row else ""


def is_do_not_contact(connection: sqlite3.Connection, member_key: str) -> bool:
    """Whether this person must never be contacted."""
    row = connection.execute(
        "SELECT 1 FROM do_not_contact WHERE member_key=? AND status='active' LIMIT 1", (member_key,)
    )
    return row.fetchone() is not None


def task_counts(connection: sqlite3.Connection, campaign_id: str) -> dict[tuple[str, str], int]:
    """The campaign's own tasks by (kind, status); requests of the user are not among them."""
    rows = connection.execute(
        "SELECT kind, status, n FROM task_counts WHERE campaign_id=? AND kind<>'assist'", (campaign_id,)
    )
    return {(kind, status): n for kind, status, n in rows}


def lead_counts(connection: sqlite3.Connection, campaign_id: str) -> dict[str, int]:
    """Leads by status."""
    return dict(connection.execute("SELECT status, n FROM lead_counts WHERE campaign_id=? AND n>0", (campaign_id,)))


_PRIORITY = "coalesce(priority_override, weight_score)"


class NextLead(NamedTuple):
    """A lead that waits for its task."""

    id: str
    full_name: str
    member_key: str
    profile_url: str
    priority: int


def unplanned_leads(connection: sqlite3.Connection, campaign_id: str, limit: int) -> list[NextLead]:
    """The next leads to plan: highest priority first, ties by the most recently updated profile, then as imported."""
    rows = connection.execute(
        f"SELECT id, full_name, member_key, profile_url, {_PRIORITY} FROM leads"
        " WHERE campaign_id=? AND sequence_step IS NULL AND blocked=''"
        f" ORDER BY {_PRIORITY} DESC, profile_updated_at DESC, position, id LIMIT ?",
        (campaign_id, limit),
    )
    return [NextLead(id_, name, key, url, priority or 0) for id_, name, key, url, priority in rows]


def unplanned_lead(connection: sqlite3.Connection, campaign_id: str, lead_id: str) -> NextLead | None:
    """That lead, if it waits for its task."""
    row = connection.execute(
        f"SELECT id, full_name, member_key, profile_url, {_PRIORITY} FROM leads"
        " WHERE id=? AND campaign_id=? AND sequence_step IS NULL AND blocked=''",
        (lead_id, campaign_id),
    ).fetchone()
    return NextLead(row[0], row[1], row[2], row[3], row[4] or 0) if row else None


def last_rank(connection: sqlite3.Connection, campaign_id: str) -> int | None:
    """The rank of the last lead that is planned and not begun; None when there is none."""
    row = connection.execute(
        "SELECT rank FROM tasks WHERE campaign_id=? AND status='pending' AND needs='look' AND ready_at=0"
        " ORDER BY rank DESC LIMIT 1",
        (campaign_id,),
    ).fetchone()
    return int(row[0]) if row else None


class RunningScoring(NamedTuple):
    """How far scoring all leads anew has come."""

    id: str
    through: str
    done: int
    changed: int


def running_scoring(connection: sqlite3.Connection, campaign_id: str) -> RunningScoring | None:
    """The scoring of all leads that is under way."""
    row = connection.execute(
        "SELECT id, through, done, changed FROM scorings WHERE campaign_id=? AND status='running' LIMIT 1",
        (campaign_id,),
    ).fetchone()
    return RunningScoring(*row) if row else None


def latest_version(connection: sqlite3.Connection, campaign_id: str, artifact_type: str, key: str) -> int:
    """The artifact's newest version, 0 when there is none."""
    row = connection.execute(
        "SELECT coalesce(max(version), 0) FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=?",
        (campaign_id, artifact_type, key),
    )
    return int(row.fetchone()[0])


def top_leads(connection: sqlite3.Connection, campaign_id: str) -> tuple[tuple[str, int | None], ...]:
    """Names and scores of the next leads."""
    return tuple((lead.full_name, lead.priority) for lead in unplanned_leads(connection, campaign_id, MAX_LEADS))


def recent_audit(connection: sqlite3.Connection, campaign_id: str) -> tuple[tuple[str, str], ...]:
    """(action type, cause) of the latest audit entries, newest first."""
    rows = connection.execute(
        "SELECT action_type, cause FROM audit_log WHERE campaign_id=? ORDER BY seq DESC LIMIT ?",
        (campaign_id, MAX_AUDIT),
    )
    return tuple(rows)


def last_turn(connection: sqlite3.Connection, campaign_id: str, number: int) -> LastTurn | None:
    """How that turn ended."""
    row = connection.execute(
        "SELECT number, proposal, verdict, error FROM turn_projection WHERE campaign_id=? AND number=?",
        (campaign_id, number),
    ).fetchone()
    return LastTurn(*row) if row else None
