"""Conversations of a campaign, and of all: what was sent and answered, who approved it, what was seen; the user's saved replies."""

from collections.abc import Sequence
from typing import Annotated, Literal, cast, get_args

from pydantic import Field, ValidationError

from backend.api import gates
from backend.api.evidence import evidence_pieces
from backend.api.questions import Question, question
from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Page, PageQuery
from backend.domain.contact.conversation import EXCHANGED, ConversationMessage
from backend.domain.contact.inbox import Suggestion, suggestion
from backend.domain.events.events import WORKSPACE
from backend.domain.gates.gates import GateLine
from backend.domain.gates.person import Contact, Person, label_of
from backend.domain.model import reply_kind
from backend.domain.model.campaign import MINUTE, Campaign
from backend.domain.model.channel import is_settled_by_user
from backend.domain.model.days import OffsetSince
from backend.domain.model.lead import Label, occupation
from backend.domain.model.message import Message, MessageSource, MessageStatus
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.site import Evidence, Relation
from backend.domain.model.task import ActionFamily
from backend.domain.turn.proposal_check import text_limit
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import CodePoints, Shape
from backend.situation import situations
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions, tasks
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.contact import actions, approvals, messages, threads
from backend.store.queries.contact.approvals import ApprovalRecord
from backend.store.queries.contact.threads import ThreadRow
from backend.store.queries.device import configuration
from backend.store.queries.people import do_not_contact, people
from backend.store.queries.reports import today

MOST_QUESTIONS = 10
CONTEXT, SHOWN = 4, 20_000

MOST_ENTRIES, MOST_ATTEMPTS = 200, 20

routes = Routes("threads", "/campaigns/<campaign_id>/threads")

ThreadState = Literal["unknown", "replied", "waiting"]


class Said(Shape):
    """A message of a conversation, and how it is known; `text` is cut, `length` is the whole's (in characters)."""

    author: Literal["us", "them"]
    kind: str
    text: str
    length: int
    at: int
    campaign_id: str
    campaign: str
    lead_id: str
    source: MessageSource


class ThreadsQuery(PageQuery):
    """Which conversations: of one state or one label, of people whose name contains `name`."""

    state: Literal["", "unknown", "replied", "waiting", "snoozed"] = ""
    label: Label | Literal[""] = ""
    name: str = Field(default="", max_length=200)


class ThreadOfLead(Shape):
    """Whom a conversation is with; `id` is the lead's, `now` is on its campaign's clock."""

    id: str
    recipient: str
    headline: str
    campaign_id: str
    campaign: str
    label: Label | Literal[""]
    snoozed_until: int | None
    now: int
    utc_offsets: list[OffsetSince]


class ThreadLine(ThreadOfLead):
    """A conversation in the list; `unknown` means that nobody knows whether the last was sent."""

    state: ThreadState
    last_at: int
    last: Said | None
    unread: bool


class AttemptLine(Shape):
    """One attempt to send: what the site said, what was then seen, and what that amounted to."""

    id: str
    at: int
    status: str
    claim: str
    said: str
    evidence: list[Evidence]


class ReplyLabel(Shape):
    """What a reply is, and by which rule (empty: no rule fitted, so that a person wrote it)."""

    kind: ReplyKind
    why: str


class OwnWords(Shape):
    """The user's own words; `hidden` are the code points of their hidden characters that were shown."""

    text: str = Field(max_length=20_000)
    hidden: CodePoints = Field(default_factory=list)


class TakenBack(Shape):
    """The text that is not sent."""

    text: str


class WaitingAnswer(Shape):
    """An answer that is not sent yet: its text, whether it can be taken back, and why it waits."""

    text: str
    can_be_taken_back: bool
    gates: list[GateLine]


class UnsentAnswer(Shape):
    """An answer that was not sent after all, and why."""

    text: str
    why: str


class OtherCampaign(Shape):
    """Another campaign that is in touch with the person, as which lead, and how far it came."""

    campaign_id: str
    campaign: str
    lead_id: str
    contact: Contact


class ThreadEntry(Said):
    """A message with everything that is recorded of it; `reply` is null for one of ours."""

    id: str
    step: str
    status: MessageStatus
    reason: str
    approval: ApprovalRecord | None
    attempts: list[AttemptLine]
    reply: ReplyLabel | None


class ThreadView(ThreadOfLead):
    """All that passed with a person, oldest first, as one of their leads; `earlier` is how many older messages are left out.

    Nothing of the sequence is sent to somebody whose thread was last read more than `fresh_ms` ago. `answers`: they wrote, so that
    they can be answered, in at most `limit` characters; `by_hand`: what is sent is sent by the user, in a send session.
    """

    campaign_runs: bool
    """Whether it is on and nothing holds it."""
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
    notes: str
    suggestion: Suggestion
    answers: bool
    by_hand: bool
    limit: int
    waiting: WaitingAnswer | None
    unsent: UnsentAnswer | None
    do_not_contact: bool
    elsewhere: list[OtherCampaign]


@routes.get()
def list_(
    services: Services, connection: DatabaseConnection, campaign_id: str, query: ThreadsQuery
) -> Page[ThreadLine]:
    """Conversations, unknown outcomes first, then the latest; raises `campaign_unknown`, `bad_request` for a wrong cursor."""
    campaign = existing_campaign(connection, campaign_id)
    return line_page(connection, [(campaign, services.turn_inputs(campaign_id))], query)


@routes.get("/<lead_id>")
def view(services: Services, connection: DatabaseConnection, campaign_id: str, lead_id: str) -> ThreadView:
    """One conversation; raises `campaign_unknown`, `lead_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    inputs = services.turn_inputs(campaign_id)
    lead = situations.known_lead(connection, campaign_id, lead_id, inputs.now)
    if lead is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    head = threads.thread_head(connection, campaign_id, lead_id, inputs.now)
    assert head is not None  # noqa: S101 - the lead is this campaign's
    conversation = messages.thread(connection, lead_id, MOST_ENTRIES, SHOWN)
    entries = [_entry(connection, message) for message in conversation.messages]
    person = people.several(connection, lead_id)
    lead_tasks = [tasks.task_of_lead(connection, lead_id), *tasks.open_answers(connection, lead_id)]
    open_questions = [
        row
        for task in lead_tasks
        if task is not None
        for row in questions.list_open_of_task(connection, task.id, limit=MOST_QUESTIONS)
    ]
    exchanged = [entry for entry in entries if entry.status in EXCHANGED]
    waiting = messages.waiting_answer(connection, lead_id)
    unsent = messages.unsent_answer(connection, lead_id)
    forbidden = do_not_contact.is_do_not_contact(connection, lead_id)
    return ThreadView.showing(
        lead,
        campaign_id=campaign_id,
        campaign=campaign.name,
        campaign_runs=campaign.runs,
        now=inputs.now,
        utc_offsets=inputs.utc_offsets,
        recipient=lead.full_name,
        headline=occupation(head.headline, lead.job_title, lead.company),
        state=cast(ThreadState | None, head.state),
        read_at=lead.thread_read_at,
        fresh_ms=campaign.settings.limits.thread_fresh_minutes * MINUTE,
        earlier=conversation.earlier,
        messages=entries,
        questions=[question(row) for row in open_questions],
        label=_label(lead.label),
        snoozed_until=head.snoozed_until,
        notes=head.notes,
        suggestion=suggestion(
            label_of(person) or lead.label,
            next((entry.reply.kind for entry in reversed(entries) if entry.reply is not None), None),
            snoozed=head.snoozed_until is not None,
            they_wrote_last=bool(exchanged) and exchanged[-1].author == "them",
            waiting=waiting is not None,
            do_not_contact=forbidden,
        ),
        answers=messages.has_replied(connection, lead_id) and not forbidden,
        by_hand=is_settled_by_user(campaign.site),
        limit=text_limit(campaign, "message"),
        waiting=None if waiting is None else _waiting(connection, campaign, inputs, waiting),
        unsent=None if unsent is None else UnsentAnswer(text=unsent[0], why=unsent[1]),
        do_not_contact=forbidden,
        elsewhere=[] if person is None else _elsewhere(person),
    )


def _elsewhere(person: Person) -> list[OtherCampaign]:
    return [
        OtherCampaign.showing(other, campaign=other.campaign_name)
        for other in person.others
        if other.contact not in (Contact.NOTHING, Contact.PLANNED)
    ]


routes.command("/<lead_id>/read", "replies.read")


@routes.post("/<lead_id>/answer")
def answer(services: Services, campaign_id: str, lead_id: str, body: OwnWords) -> None:
    """Send the user's own words; that is the approval of exactly these."""
    services.presence.resume()
    commands = services.commands(campaign_id)
    commands.replies.answer(campaign_id, lead_id, body.text, hidden_shown=body.hidden)


@routes.post("/<lead_id>/take-back")
def take_back(services: Services, campaign_id: str, lead_id: str) -> TakenBack:
    """The answer that waits is not sent; raises `answer_not_waiting` once it is being sent."""
    return TakenBack(text=services.commands(campaign_id).replies.take_back(campaign_id, lead_id))


routes.command("/<lead_id>/label", "replies.label")
routes.command("/<lead_id>/snooze", "replies.snooze")
routes.command("/replies/<message_id>", "replies.classify")


def _label(stored: str) -> Label | Literal[""]:
    return Label(stored) if stored else ""


def _place(after: str) -> tuple[int, str]:
    if not after:
        return threads.NEWEST
    at, dot, lead_id = after.partition(".")
    if not dot or (place := cursor.whole(at)) is None:
        raise OutriderError("bad_request", detail="after: it is no place in the list")
    return place, lead_id


def line_page(
    connection: DatabaseConnection, campaigns: Sequence[tuple[Campaign, TurnInputs]], query: ThreadsQuery
) -> Page[ThreadLine]:
    """A page of the conversations of these campaigns, each with its clock; of one person, in several, the latest alone."""
    start = _place(query.after)
    states = [query.state] if query.state not in ("", "snoozed") else get_args(ThreadState)
    conversations = [
        (row, campaign, inputs)
        for campaign, inputs in campaigns
        for row in threads.threads(
            connection,
            campaign.id,
            states,
            start,
            query.limit + 1,
            name=query.name,
            label=query.label,
            now=inputs.now,
            snoozed=query.state == "snoozed",
            once=len(campaigns) > 1,
        )
    ]
    conversations.sort(key=lambda conversation: (conversation[0].place, conversation[0].lead_id), reverse=True)
    lines = [_line(connection, *conversation) for conversation in conversations[: query.limit]]
    more = len(conversations) > query.limit
    last_row = conversations[len(lines) - 1][0] if more else None
    return Page(rows=lines, next=f"{last_row.place}.{last_row.lead_id}" if last_row else None)


def _waiting(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, message: Message) -> WaitingAnswer:
    situation = situations.task_situation(
        connection, campaign, tasks.task(connection, campaign.id, message.task_id), inputs.now
    )
    shut = [] if situation is None else gates.action_gates(connection, campaign, inputs, ActionFamily.ANSWER, situation)
    is_planned = message.status is MessageStatus.APPROVED
    return WaitingAnswer(
        text=message.text,
        can_be_taken_back=is_planned,
        gates=[line for line in shut if is_planned and not line.passes],
    )


def _line(connection: DatabaseConnection, row: ThreadRow, campaign: Campaign, inputs: TurnInputs) -> ThreadLine:
    last = last_said(connection, row.lead_id, 1)
    return ThreadLine(
        id=row.lead_id,
        recipient=row.full_name,
        headline=occupation(row.headline, row.job_title, row.company),
        state=cast(ThreadState, row.state),
        last_at=max([row.active, *(message.at for message in last)]),
        last=last[0] if last else None,
        campaign_id=campaign.id,
        campaign=campaign.name,
        label=_label(row.label),
        snoozed_until=row.snoozed_until,
        unread=bool(row.unread) or bool(messages.unread(connection, row.lead_id, inputs.now)),
        now=inputs.now,
        utc_offsets=inputs.utc_offsets,
    )


def last_said(connection: DatabaseConnection, lead_id: str, limit: int = CONTEXT) -> list[Said]:
    """The last messages that passed with this person through whichever campaign, oldest first."""
    return [Said.showing(message) for message in messages.last_exchanged(connection, lead_id, limit, SHOWN)]


def _entry(connection: DatabaseConnection, message: ConversationMessage) -> ThreadEntry:
    return ThreadEntry.showing(
        message,
        approval=approvals.best_record(connection, message.id),
        attempts=[
            AttemptLine.showing(attempt, evidence=evidence_pieces(attempt.evidence))
            for attempt in actions.attempts(connection, message.id, MOST_ATTEMPTS)
        ],
        reply=None
        if message.kind != "reply"
        else ReplyLabel(kind=ReplyKind(message.reply_kind or ReplyKind.HUMAN), why=reply_kind.why(message.reply_rule)),
    )


MOST_CAMPAIGNS = 200
MOST_SAVED = 9
"""As many as there are keys from 1 to 9."""
SAVED_REPLIES = "saved_replies"

inbox = Routes("inbox", "/inbox")


class SavedReply(Shape):
    """A text of the user's own, and what they call it."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    words: Annotated[str, Field(min_length=1, max_length=4_000)]


class SavedReplies(Shape):
    """In their order: the first is inserted by the key 1."""

    replies: Annotated[list[SavedReply], Field(max_length=MOST_SAVED)]


@inbox.get()
def list_all(services: Services, connection: DatabaseConnection, query: ThreadsQuery) -> Page[ThreadLine]:
    """A page of the newest campaigns' conversations, in the order of a campaign's; raises `bad_request` for a wrong cursor."""
    ids = today.newest_campaigns(connection, MOST_CAMPAIGNS)
    campaigns = [(existing_campaign(connection, campaign_id), services.turn_inputs(campaign_id)) for campaign_id in ids]
    return line_page(connection, campaigns, query)


@inbox.get("/saved-replies")
def saved_replies(connection: DatabaseConnection) -> SavedReplies:
    """The texts that the user keeps; none where there are none, or such as only a later version understands."""
    stored = configuration.configuration(connection, SAVED_REPLIES)
    try:
        return SavedReplies.model_validate_json(stored) if stored else SavedReplies(replies=[])
    except ValidationError:
        return SavedReplies(replies=[])


@inbox.post("/saved-replies")
def save_replies(services: Services, body: SavedReplies) -> SavedReplies:
    """Keep exactly these."""
    services.commands(WORKSPACE).workspace.keep(SAVED_REPLIES, body.model_dump())
    return body
