"""Conversations: what was sent to a person and what they answered, each with who approved it and what was seen of it."""

from typing import Literal, cast, get_args

from pydantic import Field

from backend.api import cursor
from backend.api.endpoint import Noun
from backend.api.evidence import evidence_pieces
from backend.api.lookup import find_campaign
from backend.api.questions import Question, question
from backend.api.services import Services
from backend.api.shapes import Done, Page, PageQuery
from backend.domain import reply_kind
from backend.domain.campaign import MINUTE
from backend.domain.errors import OutriderError
from backend.domain.lead import occupation
from backend.domain.message import MessageStatus
from backend.domain.reply_kind import ReplyKind
from backend.domain.shapes import Wire
from backend.domain.site import Evidence, Relation
from backend.store.database import DatabaseConnection
from backend.store.queries import actions, approvals, leads, messages, questions, tasks, threads
from backend.store.queries.approvals import ApprovalRecord
from backend.store.queries.messages import ThreadMessage
from backend.store.queries.threads import ThreadRow

MOST_QUESTIONS = 10
CONTEXT, SHOWN = 4, 20_000

MOST_ENTRIES, MOST_ATTEMPTS = 200, 20

routes = Noun("threads", "/campaigns/<campaign_id>/threads")

ThreadState = Literal["unknown", "replied", "waiting"]


class Said(Wire):
    """One message of a conversation; `text` is cut after a while, `length` is that of the whole (in characters)."""

    author: Literal["us", "them"]
    kind: str
    text: str
    length: int
    at: int


class ThreadsQuery(PageQuery):
    """Which conversations: of one state, of people whose name contains `name`."""

    state: Literal["", "unknown", "replied", "waiting"] = ""
    name: str = Field(default="", max_length=200)


class ThreadLine(Wire):
    """A conversation in the list; `id` is the lead's. `unknown` means that nobody knows whether the last was sent."""

    id: str
    recipient: str
    headline: str
    state: ThreadState
    last_at: int
    last: Said | None
    read_at: int | None
    finished: str


class AttemptLine(Wire):
    """One attempt to send: what the site said, what was then seen, and what that amounted to."""

    id: str
    at: int
    settled_at: int | None
    status: str
    claim: str
    said: str
    evidence: list[Evidence]


class ReplyLabel(Wire):
    """What a reply is, and by which rule (empty: no rule fitted, so that a person wrote it)."""

    kind: ReplyKind
    why: str


class ReplyClass(Wire):
    """What the user says that a reply is."""

    kind: ReplyKind


class ThreadEntry(Said):
    """A message with everything that is recorded of it; `reply` is null for one of ours."""

    id: str
    step: str
    status: MessageStatus
    reason: str
    approval: ApprovalRecord | None
    attempts: list[AttemptLine]
    reply: ReplyLabel | None


class ThreadView(Wire):
    """A conversation, oldest first; `earlier` is how many older messages are left out.

    Nothing is sent to somebody whose thread was last read more than `fresh_ms` ago.
    """

    id: str
    recipient: str
    headline: str
    profile_url: str
    state: ThreadState | None
    relation: Relation
    read_at: int | None
    fresh_ms: int
    finished: str
    blocked: str
    earlier: int
    messages: list[ThreadEntry]
    questions: list[Question]


@routes.get()
def list_(connection: DatabaseConnection, campaign_id: str, query: ThreadsQuery) -> Page[ThreadLine]:
    """A page of conversations, latest activity first; raises `campaign_unknown`, `bad_request` for a wrong cursor."""
    find_campaign(connection, campaign_id)
    states = [query.state] if query.state else get_args(ThreadState)
    rows = threads.threads(connection, campaign_id, states, _place(query.after), query.limit + 1, name=query.name)
    lines = [_line(connection, row) for row in rows[: query.limit]]
    more = len(rows) > query.limit
    return Page(rows=lines, next=f"{lines[-1].last_at}.{lines[-1].id}" if more else None)


@routes.get("/<lead_id>")
def view(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> ThreadView:
    """One conversation; raises `campaign_unknown`, `lead_unknown`."""
    campaign = find_campaign(connection, campaign_id)
    lead = leads.lead(connection, campaign_id, lead_id)
    if lead is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    head = threads.thread_head(connection, campaign_id, lead_id)
    assert head is not None  # noqa: S101 - the lead is this campaign's
    entries = [_entry(connection, message) for message in messages.thread(connection, lead_id, MOST_ENTRIES, SHOWN)]
    task = tasks.task_of_lead(connection, lead_id)
    asked = questions.list_open_of_task(connection, task.id, limit=MOST_QUESTIONS) if task else []
    return ThreadView(
        id=lead_id,
        recipient=lead.full_name,
        headline=occupation(head.headline, lead.job_title, lead.company),
        profile_url=lead.profile_url,
        state=cast(ThreadState | None, head.state),
        relation=lead.relation,
        read_at=lead.thread_read_at,
        fresh_ms=campaign.settings.limits.thread_fresh_minutes * MINUTE,
        finished=lead.finished,
        blocked=lead.blocked,
        earlier=messages.count_in_thread(connection, lead_id) - len(entries),
        messages=entries,
        questions=[question(row) for row in asked],
    )


@routes.post("/replies/<message_id>")
def classify(services: Services, campaign_id: str, message_id: str, body: ReplyClass) -> Done:
    """Say what a reply is; raises `reply_unknown`."""
    services.session.commands(campaign_id).replies.classify(campaign_id, message_id, body.kind)
    return Done(campaign_id=campaign_id)


def _place(after: str) -> tuple[int, str]:
    if not after:
        return threads.NEWEST
    at, dot, lead_id = after.partition(".")
    if not dot or (place := cursor.whole(at)) is None:
        raise OutriderError("bad_request", detail="after: it is no place in the list")
    return place, lead_id


def _line(connection: DatabaseConnection, row: ThreadRow) -> ThreadLine:
    last = last_said(connection, row.lead_id, 1)
    return ThreadLine(
        id=row.lead_id,
        recipient=row.full_name,
        headline=occupation(row.headline, row.job_title, row.company),
        state=cast(ThreadState, row.state),
        last_at=row.active,
        last=last[0] if last else None,
        read_at=row.read_at,
        finished=row.finished,
    )


def last_said(connection: DatabaseConnection, lead_id: str, limit: int = CONTEXT) -> list[Said]:
    """The last messages that were sent or received, oldest first."""
    return [_said(message) for message in messages.last_exchanged(connection, lead_id, limit, SHOWN)]


def _said(message: ThreadMessage) -> Said:
    author: Literal["us", "them"] = "them" if message.kind == "reply" else "us"
    return Said(author=author, kind=message.kind, text=message.text, length=message.length, at=message.at)


def _entry(connection: DatabaseConnection, message: ThreadMessage) -> ThreadEntry:
    return ThreadEntry(
        **_said(message).model_dump(),
        id=message.id,
        step=message.step,
        status=MessageStatus(message.status),
        reason=message.reason,
        approval=approvals.best_record(connection, message.id),
        attempts=[
            AttemptLine(
                id=one.id,
                at=one.at,
                settled_at=one.settled_at,
                status=one.status,
                claim=one.claim,
                said=one.said,
                evidence=evidence_pieces(one.evidence),
            )
            for one in actions.attempts(connection, message.id, MOST_ATTEMPTS)
        ],
        reply=None
        if message.kind != "reply"
        else ReplyLabel(kind=ReplyKind(message.reply_kind or ReplyKind.HUMAN), why=reply_kind.why(message.reply_rule)),
    )
