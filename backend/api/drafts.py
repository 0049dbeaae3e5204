"""Review: what waits for the user's yes or was approved and not sent yet, oldest first, and what is decided about a text."""

from collections import Counter
from collections.abc import Callable
from functools import cache

from pydantic import Field

from backend.api.people import PersonNote, person_note
from backend.api.questions import Question, question
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Page, PageQuery
from backend.api.threads import Said, last_said
from backend.commands.user_commands import Commands
from backend.domain.contact.send_forecast import StepAhead, goes_out_at, note_allowed_at, steps_ahead
from backend.domain.gates import gates
from backend.domain.gates.approval import ApprovalStatus
from backend.domain.gates.gates import GateLine, gate_lines
from backend.domain.model.answer import is_answer
from backend.domain.model.campaign import Campaign
from backend.domain.model.channel import is_settled_by_user
from backend.domain.model.connection import SCRIPTED
from backend.domain.model.lead import occupation
from backend.domain.model.message import SENT_BY, Message, MessageStatus
from backend.domain.model.scoring import explain
from backend.domain.model.sequence import OWN
from backend.domain.model.task import NEVER, ActionFamily
from backend.domain.sequence.template import TextPart, template_parts
from backend.domain.turn.proposal_check import text_length, text_limit
from backend.domain.values.errors import OutriderError
from backend.domain.values.placeholders import placeholders
from backend.domain.values.shapes import ErrorShape, Id, Shape
from backend.situation import situations
from backend.situation.situations import LeadSituation, TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions, tasks
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.contact import actions, approvals, incidents, messages
from backend.store.queries.contact.messages import ReviewRecord
from backend.store.queries.leads import scored_leads

routes = Routes("drafts", "/campaigns/<campaign_id>")


class OutgoingText(Shape):
    """A text that is to go to somebody, and what holds it back."""

    id: str
    lead_id: str
    kind: str
    step: str
    recipient: str
    headline: str
    profile_url: str
    text: str
    gates: list[GateLine]
    note: PersonNote


class Draft(OutgoingText):
    """A text that waits in Review; `digest` binds recipient, exact words, channel and step.

    `then` are the steps that come after it; `goes_out_at` is about when it would be sent, if it and those before it were
    approved now: null when that is in the user's hand, at once, or not foreseeable.

    `parts` are the text as its step's template with what was put in; none when it is worded in another way. `placeholders` are
    what in it may be one. `thread` are the last messages of the conversation, oldest first, as of `read_at`. `from_template`:
    the model's texts could not be used, and this is the template's. `has_other_wording`: a model would write another if this
    one is rejected. `variant`: that of the step's words, by its key; empty if it has none. `expired_at`: until then these words
    were approved, and nothing was sent.
    """

    score: int | None
    score_reasons: list[str]
    parts: list[TextPart]
    placeholders: list[str]
    length: int
    limit: int
    digest: str
    expired_at: int | None
    from_template: bool
    has_other_wording: bool
    variant: str
    thread: list[Said]
    read_at: int | None
    then: list[StepAhead]
    goes_out_at: int | None


class ApprovedMessage(OutgoingText):
    """A text that was approved and has not been sent, or of which nobody knows whether it was: why it waits.

    `ready_at` is when its sequence owes it, within working hours; `question` is what the user is asked about an unknown outcome.
    """

    status: MessageStatus
    reason: str
    approved_by: str
    approved_at: int | None
    expires_at: int | None
    ready_at: int | None
    question: Question | None


class ShownDraft(Shape):
    """A draft as it was shown."""

    id: Id
    digest: str = Field(max_length=128)


class ApproveSeveral(Shape):
    """Approve each of these texts by the digest of what was shown; none with hidden characters or possible placeholders."""

    drafts: list[ShownDraft] = Field(min_length=1, max_length=200)


class Decided(Shape):
    """What became of one of several: null when it was carried out, else why not."""

    id: str
    error: ErrorShape | None


class DecidedList(Shape):
    """What became of each, in the order in which they were given."""

    drafts: list[Decided]


@routes.get("/drafts")
def list_(services: Services, connection: DatabaseConnection, campaign_id: str, query: PageQuery) -> Page[Draft]:
    """What waits in Review; raises `campaign_unknown`."""
    return draft_page(connection, campaign_id, services.turn_inputs(campaign_id), query)


@routes.get("/outgoing")
def approved(
    services: Services, connection: DatabaseConnection, campaign_id: str, query: PageQuery
) -> Page[ApprovedMessage]:
    """What was approved and has not been sent; raises `campaign_unknown`."""
    return outgoing_page(connection, campaign_id, services.turn_inputs(campaign_id), query)


@routes.post("/drafts/approve")
def approve_several(services: Services, campaign_id: str, body: ApproveSeveral) -> DecidedList:
    """Approve each by itself: none is kept back by another that changed, hides something, or is `approval_too_early`."""
    commands = services.commands(campaign_id)
    return DecidedList(drafts=[_approved(commands, campaign_id, draft) for draft in body.drafts])


routes.command("/drafts/<message_id>/approve", "review.approve")
routes.command("/drafts/<message_id>/edit", "review.edit")
routes.command("/drafts/<message_id>/reject", "review.reject")
routes.command("/drafts/<message_id>/restore", "review.restore")
routes.command("/outgoing/<message_id>/withdraw", "review.withdraw")


def _approved(commands: Commands, campaign_id: str, draft: ShownDraft) -> Decided:
    try:
        commands.review.refuse_too_early(campaign_id, draft.id)
        commands.review.approve(campaign_id, draft.id, shown_digest=draft.digest)
    except OutriderError as error:
        return Decided(id=draft.id, error=ErrorShape.showing(error))
    return Decided(id=draft.id, error=None)


def draft_page(connection: DatabaseConnection, campaign_id: str, inputs: TurnInputs, query: PageQuery) -> Page[Draft]:
    """What waits in Review."""
    campaign = existing_campaign(connection, campaign_id)
    ids, following = _page(messages.draft_ids(connection, campaign_id, query.after, query.limit + 1), query.limit)
    checks = _checks(connection, campaign, inputs)
    queue = _Queue(connection, campaign, inputs, query.after)
    return Page(rows=[_draft(connection, campaign, inputs, id_, checks, queue) for id_ in ids], next=following)


def outgoing_page(
    connection: DatabaseConnection, campaign_id: str, inputs: TurnInputs, query: PageQuery
) -> Page[ApprovedMessage]:
    """What was approved and has not been sent."""
    campaign = existing_campaign(connection, campaign_id)
    ids, following = _page(messages.outgoing_ids(connection, campaign_id, query.after, query.limit + 1), query.limit)
    checks = _checks(connection, campaign, inputs)
    return Page(rows=[_outgoing(connection, campaign, inputs, id_, checks) for id_ in ids], next=following)


def _page(fetched_ids: list[str], limit: int) -> tuple[list[str], str | None]:
    """The ids of one page, and the cursor of the next, of one id more than the page may hold."""
    ids = fetched_ids[:limit]
    return ids, ids[-1] if len(fetched_ids) > limit else None


_Checks = Callable[[ActionFamily, LeadSituation], list[GateLine]]


def _checks(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> _Checks:
    """Every gate of an act for a lead; what holds for the whole account is read once for the page."""
    incident = incidents.open_incident(connection, campaign.account)

    @cache
    def account(family: ActionFamily) -> gates.AccountFacts:
        return situations.account_facts(connection, campaign, inputs, family, incident)

    def check(family: ActionFamily, situation: LeadSituation) -> list[GateLine]:
        return gate_lines(
            gates.check_gates(account(family), situations.lead_facts(connection, campaign, situation, inputs.now))
        )

    return check


class _Queue:
    """Tells of one text of a page after the other about when it goes out.

    Behind those that are approved, the drafts of earlier pages, and each other; `after` is the last draft of the page before.
    """

    def __init__(self, connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, after: str) -> None:
        self._by_hand = is_settled_by_user(campaign.site)
        self._ahead: Counter[ActionFamily] = Counter()
        self._notes_ahead = 0
        if self._by_hand:
            return
        self._facts = {
            family: situations.forecast_facts(connection, campaign, inputs, family)
            for family in (ActionFamily.INVITE, ActionFamily.MESSAGE)
        }
        self._quota = campaign.settings.limits.notes_a_month
        self._notes = actions.note_times(connection, campaign.account, inputs.now - gates.NOTE_PERIOD, inputs.now)
        for message in messages.approved(connection, campaign.id):
            self._pass(_family(message), bool(message.text), 1)
        for waiting in messages.drafts_until(connection, campaign.id, after) if after else ():
            self._pass(SENT_BY[waiting.kind], waiting.has_text, waiting.texts)

    def next(self, message: Message) -> int | None:
        """About when the text goes out that comes next in the page."""
        family = _family(message)
        if self._by_hand or family not in self._facts:
            return None
        not_before: int | None = 0
        if family is ActionFamily.INVITE and message.text:
            not_before = note_allowed_at(self._quota, self._notes, self._notes_ahead)
        at = None if not_before is None else goes_out_at(self._facts[family], self._ahead[family], not_before)
        self._pass(family, bool(message.text), 1)
        return at

    def _pass(self, family: ActionFamily, has_text: bool, count: int) -> None:
        self._ahead[family] += count
        if family is ActionFamily.INVITE and has_text:
            self._notes_ahead += count


def _family(message: Message) -> ActionFamily:
    return ActionFamily.ANSWER if is_answer(message) else SENT_BY[message.kind]


def _loaded(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, message_id: str
) -> tuple[Message, LeadSituation, ReviewRecord]:
    message = messages.message(connection, campaign.id, message_id)
    situation = situations.lead_situation(connection, campaign, message.lead_id, inputs.now) if message else None
    if is_answer(message) and message is not None:
        task = tasks.task(connection, campaign.id, message.task_id)
        situation = situations.task_situation(connection, campaign, task, inputs.now)
    assert message is not None and situation is not None  # noqa: S101, PT018 - of one transaction, and rows are never deleted
    approval = approvals.approval_of(connection, message.id)
    record = messages.review_record(connection, message.id, approval.id if approval else "")
    return message, LeadSituation(situation.lead, message, approval, situation.due_step), record


def _draft(
    connection: DatabaseConnection,
    campaign: Campaign,
    inputs: TurnInputs,
    message_id: str,
    checks: _Checks,
    queue: _Queue,
) -> Draft:
    message, situation, record = _loaded(connection, campaign, inputs, message_id)
    lead, approval = situation.lead, situation.approval
    digest = situations.digest_of(campaign, lead, message)
    has_expired = approval is not None and approval.status is ApprovalStatus.EXPIRED and approval.digest == digest
    return Draft.showing(
        message,
        lead_id=lead.id,
        recipient=lead.full_name,
        headline=occupation(record.headline, lead.job_title, lead.company),
        profile_url=lead.profile_url,
        score=record.score,
        score_reasons=_reasons(connection, campaign, lead.id, record.score),
        parts=_parts(campaign, message, record.variant),
        placeholders=list(placeholders(message.text).doubtful),
        length=text_length(message.text),
        limit=text_limit(campaign, message.kind),
        digest=digest,
        expired_at=approval.expires_at if approval and has_expired else None,
        from_template=bool(record.from_template),
        has_other_wording=campaign.proposer != SCRIPTED,
        variant=record.variant,
        gates=checks(_family(message), situation),
        thread=last_said(connection, lead.id),
        read_at=lead.thread_read_at,
        then=[] if is_answer(message) else steps_ahead(campaign.settings.sequence, message.step),
        goes_out_at=queue.next(message),
        note=_note(connection, message, inputs),
    )


def _parts(campaign: Campaign, message: Message, variant: str) -> list[TextPart]:
    """The text by its step's template; nothing when the step is gone or the text is worded in another way."""
    step = next((step for step in campaign.settings.sequence.steps if step.key == message.step), None)
    template = step.texts.get(variant or OWN) if step else None
    return template_parts(template, message.text) if template else []


def _reasons(connection: DatabaseConnection, campaign: Campaign, lead_id: str, score: int | None) -> list[str]:
    """What made the score, worked out anew; nothing while that is not the score it has."""
    scored_lead = scored_leads.scored_lead(connection, campaign.id, lead_id) if score is not None else None
    parts = explain(campaign.settings.blueprint, scored_lead.fields) if scored_lead else ()
    if sum(part.points for part in parts) != score:
        return []
    return [part.reason for part in parts if part.points]


def _outgoing(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, message_id: str, checks: _Checks
) -> ApprovedMessage:
    message, situation, record = _loaded(connection, campaign, inputs, message_id)
    lead = situation.lead
    unknown = message.status is MessageStatus.OUTCOME_UNKNOWN
    task = None if unknown else tasks.task(connection, campaign.id, message.task_id)
    ready_at = (
        gates.not_before(campaign.settings.limits, _family(message), task.ready_at, inputs.offset_at) if task else 0
    )
    return ApprovedMessage.showing(
        message,
        recipient=lead.full_name,
        headline=occupation(record.headline, lead.job_title, lead.company),
        profile_url=lead.profile_url,
        reason=record.reason,
        approved_by=record.approved_by or "",
        approved_at=record.approved_at,
        expires_at=record.expires_at,
        ready_at=ready_at if task and inputs.now < task.ready_at < NEVER else None,
        gates=[] if unknown else checks(_family(message), situation),
        question=_open_question(connection, message) if unknown else None,
        note=_note(connection, message, inputs),
    )


def _note(connection: DatabaseConnection, message: Message, inputs: TurnInputs) -> PersonNote:
    """Who wrote to the user is answered, whichever campaign they are with."""
    note = person_note(connection, message.lead_id, inputs)
    return note.model_copy(update={"held": False}) if is_answer(message) else note


def _open_question(connection: DatabaseConnection, message: Message) -> Question | None:
    rows = questions.list_open_of_task(connection, message.task_id, "outcome_unknown", limit=1)
    return question(rows[0]) if rows else None
