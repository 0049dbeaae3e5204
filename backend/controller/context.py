"""Steps 1 and 2: the authoritative state loaded fresh, and the task selected. Reads the database; decides by the domain."""

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace

from backend.domain import gates, relevance
from backend.domain.campaign import MINUTE, Campaign
from backend.domain.gates import AccountFacts, LeadFacts
from backend.domain.judgement import BLUEPRINTS_FOR, Facts
from backend.domain.lead import Lead
from backend.domain.message import Approval, Message, approval_digest, approval_state
from backend.domain.proposals import AnalyzeLeads, CreateTask, GenerateMessage, Proposal
from backend.domain.request import runs
from backend.domain.sequence import Due, Need, need
from backend.domain.skill import occasions
from backend.domain.snapshot import ARTIFACT_CHARS, MAX_ARTIFACTS, Focus, NamedArtifact, Snapshot
from backend.domain.task import NEVER, Needs, Task, TaskKind, TaskStatus
from backend.domain.tools import TOOLS
from backend.ports.standing import LOCAL, MAY_ACT
from backend.store import artifacts, reading, requests, scored_leads, voice
from backend.store.reading import Position

ACTING = (Needs.LOOK, Needs.INVITE, Needs.MESSAGE)

TOOLS_FOR: dict[TaskKind, tuple[str, ...]] = {
    TaskKind.SCORE_LEADS: (),
    TaskKind.CUSTOM: ("browser.check_selectors",),
    TaskKind.ASSIST: tuple(spec.name for spec in TOOLS.values() if spec.family is Needs.ASSIST),
    TaskKind.REACH_LEAD: (
        "browser.open_profile",
        "browser.read_profile",
        "browser.read_thread",
        "browser.send_invitation",
        "browser.send_message",
        "browser.check_selectors",
    ),
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is not in the database: the time, whether the user is here, and whether this device may act (`ports.standing`)."""

    now: int
    offset: int
    present: bool
    authority: str = LOCAL


@dataclass(frozen=True, slots=True)
class Subject:
    """A lead with the message of its current step, that message's approval, and what is owed."""

    lead: Lead
    message: Message | None
    approval: Approval | None
    need: Need


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a turn decides from."""

    position: Position
    around: Surroundings
    accounts: Mapping[Needs, AccountFacts]
    held: frozenset[Needs]
    ready: tuple[Task, ...]
    task_counts: Mapping[tuple[str, str], int]
    backlog: bool = False
    request_id: str | None = None
    """The user's request that the turn is for; None for one of the campaign's own."""

    @property
    def campaign(self) -> Campaign:
        """The campaign, as of this moment."""
        return self.position.campaign


def load(connection: sqlite3.Connection, campaign_position: Position, around: Surroundings) -> Context:
    """Step 1: campaign, limits and eligible tasks, from indexed reads."""
    campaign = campaign_position.campaign
    # While the user is away nothing is begun, not even thinking (design: compliance 5); nor while another device may act.
    may_begin = around.present and around.authority in MAY_ACT
    tasks = reading.ready_tasks(connection, campaign.id, around.now) if may_begin else []
    # The account's usage is read only for families that some task is ready to act in.
    families = {task.needs for task in tasks} & set(ACTING)
    incident = reading.open_incident(connection, campaign.account) if families else ""
    accounts = {family: account_facts(connection, campaign, around, family, incident) for family in families}
    held = frozenset(family for family, facts in accounts.items() if gates.first_refusal(gates.check(facts, None)))
    counts = reading.task_counts(connection, campaign.id)
    # No new lead is begun while so many texts wait in Review: nobody wants to find a thousand drafts.
    ahead = campaign.settings.limits.drafts_ahead
    backlog = reading.open_drafts(connection, campaign.id, ahead) >= ahead
    ready = tuple(
        task
        for task in tasks
        if task.eligible(around.now, held) and not (backlog and task.status is TaskStatus.PENDING and task.lead_id)
    )
    return Context(campaign_position, around, accounts, held, _current_first(campaign_position, ready), counts, backlog)


def load_request(
    connection: sqlite3.Connection, campaign_position: Position, around: Surroundings, request_id: str
) -> Context:
    """Step 1 of a turn for the user's request: that one task is all there is, and whatever acts is held back."""
    campaign = campaign_position.campaign
    task = reading.task(connection, campaign.id, request_id)
    return Context(
        campaign_position,
        around,
        accounts={},
        held=frozenset(Needs) - {Needs.ASSIST},
        ready=(task,) if task is not None and runs(task) else (),
        task_counts=reading.task_counts(connection, campaign.id),
        request_id=request_id,
    )


def _current_first(where: Position, ready: tuple[Task, ...]) -> tuple[Task, ...]:
    # Going on with the task of the turn before keeps one lead's steps together, whatever else became ready.
    return tuple(sorted(ready, key=lambda task: task.id != where.current_task_id))


def account_facts(
    connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, family: Needs, incident: str
) -> AccountFacts:
    """What gates ask about the account, for one family of acts."""
    facts = AccountFacts(
        now=around.now,
        offset=around.offset,
        family=family,
        campaign_status=campaign.status,
        limits=campaign.settings.limits,
        incident=incident,
        present=around.present,
        authority=around.authority,
    )
    if family is Needs.LOOK:
        return facts
    used = reading.usage(connection, campaign.account, family, around.now, around.offset)
    return replace(
        facts,
        sent_today=used.today,
        sent_week=used.week,
        oldest_of_week=used.oldest_of_week,
        first_ever=used.first_ever,
        last_any=used.last_any,
    )


def subject(connection: sqlite3.Connection, campaign: Campaign, lead_id: str, now: int) -> Subject | None:
    """The lead and what it is owed, or None if this campaign has no such lead."""
    lead = reading.lead(connection, campaign.id, lead_id)
    if lead is None:
        return None
    settings = campaign.settings
    index = lead.sequence_step or 0
    step = settings.sequence.steps[index] if index < len(settings.sequence.steps) else None
    message = reading.message_of_step(connection, lead.id, step.key) if step and step.kind != "visit" else None
    approval = reading.approval_of(connection, message.id) if message else None
    owed = need(settings.sequence, lead, message, now, settings.limits.thread_fresh_minutes * MINUTE)
    return Subject(lead, message, approval, owed)


def lead_facts(connection: sqlite3.Connection, campaign: Campaign, about: Subject, now: int) -> LeadFacts:
    """What gates ask about one lead and its message."""
    lead, message = about.lead, about.message
    digest = "" if message is None else digest_of(campaign, lead, message)
    return LeadFacts(
        do_not_contact=reading.is_do_not_contact(connection, lead.member_key),
        replied=lead.replied_at is not None,
        stop_on_reply=campaign.settings.sequence.stop_on_reply,
        thread_read_at=lead.thread_read_at,
        approval=approval_state(about.approval, digest, now),
        blocked=lead.blocked,
    )


def digest_of(campaign: Campaign, lead: Lead, message: Message) -> str:
    """What an approval of this message is bound to."""
    return approval_digest(
        profile_url=lead.profile_url,
        kind=message.kind,
        text=message.text,
        campaign_id=campaign.id,
        version=campaign.version,
    )


def snapshot(connection: sqlite3.Connection, context: Context) -> Snapshot:
    """Step 2: the first ready task becomes the focus, and the agent's view is built around it."""
    campaign, focus, for_request = context.campaign, context.ready[0], context.request_id is not None
    about = subject(connection, campaign, focus.lead_id, context.around.now) if focus.lead_id else None
    drafting = about is not None and about.need.due is Due.DRAFT
    counts: dict[str, int] = {}
    for (_, status), n in context.task_counts.items():
        counts[status] = counts.get(status, 0) + n
    shown = Focus(
        task=focus,
        lead=about.lead if about else None,
        message=about.message if about else None,
        need=about.need if about else None,
        answered=reading.last_answer(connection, focus.id),
        recipient=reading.recipient(connection, about.lead.id) if about and drafting else None,
        answers=reading.answers(connection, focus.id) if drafting else (),
    )
    return Snapshot(
        campaign=campaign,
        tasks=context.ready,
        task_counts=counts,
        lead_counts=reading.lead_counts(connection, campaign.id),
        top_leads=reading.top_leads(connection, campaign.id),
        recent_audit=reading.recent_audit(connection, campaign.id),
        focus=shown,
        artifacts=_artifacts(connection, campaign.id, focus, drafting=drafting),
        tools=TOOLS_FOR[focus.kind],
        last=None if for_request else reading.last_turn(connection, campaign.id, context.position.own_turn),
        # The one place where a conversation is read, and only the lines of the request itself.
        request=requests.request(connection, focus.id) if for_request else None,
        soul=voice.soul(connection).text,
        skills=voice.instructions(connection, occasions(shown)),
        lead_fields=scored_leads.names(connection, campaign.id) if focus.kind in BLUEPRINTS_FOR else (),
    )


def _artifacts(
    connection: sqlite3.Connection, campaign_id: str, task: Task, *, drafting: bool
) -> tuple[NamedArtifact, ...]:
    """What the task names comes first, then the latest of each type that its work needs; bounded."""
    wanted = relevance.wanted(task, drafting=drafting)
    found = artifacts.named(connection, campaign_id, wanted.named, ARTIFACT_CHARS) if wanted.named else []
    for needed in wanted.types:
        room = MAX_ARTIFACTS - len(found)
        if room > 0:
            latest = artifacts.latest_of(connection, campaign_id, needed, ARTIFACT_CHARS, room)
            found += [artifact for artifact in latest if artifact not in found]
    return tuple(found[:MAX_ARTIFACTS])


def facts_for(connection: sqlite3.Connection, context: Context, proposal: Proposal, scoring_batch: int) -> Facts:
    """What is known about the ids that the proposal names; every read is limited to the proposal's own campaign."""
    campaign, now = context.campaign, context.around.now
    if isinstance(proposal, CreateTask):
        return _facts_for_new_task(connection, context, proposal)
    task = reading.task(connection, campaign.id, proposal.task_id)
    lead_id = getattr(proposal.params, "lead_id", None)
    about = subject(connection, campaign, lead_id, now) if lead_id else None
    unscored = 0
    if task is not None and task.kind is TaskKind.SCORE_LEADS:
        unscored = len(scored_leads.unscored(connection, campaign.id, scoring_batch + 1))
    proposed = isinstance(proposal, AnalyzeLeads) and proposal.params.blueprint != "current"
    refused: frozenset[str] = frozenset()
    if isinstance(proposal, GenerateMessage):
        refused = reading.refused_texts(connection, proposal.params.lead_id, proposal.params.step)
    for_request = context.request_id is not None
    held = context.held if for_request else context.held | {Needs.ASSIST}
    if for_request and task is not None and task.id != context.request_id:
        held |= {task.needs}
    if context.backlog and task is not None and task.status is TaskStatus.PENDING and task.lead_id:
        held |= {task.needs}  # what is not offered cannot be had by asking for it
    return Facts(
        campaign=campaign,
        now=now,
        held=held,
        refused_texts=refused,
        task=task,
        lead=about.lead if about else None,
        message=about.message if about else None,
        approval=about.approval if about else None,
        need=about.need if about else None,
        unscored=unscored,
        lead_fields=scored_leads.names(connection, campaign.id) if proposed else (),
        for_request=for_request,
        attachments=requests.attachments(connection, task.id) if for_request and task else 0,
    )


def _facts_for_new_task(connection: sqlite3.Connection, context: Context, proposal: CreateTask) -> Facts:
    campaign = context.campaign
    params = proposal.params
    before = {id_: reading.task(connection, campaign.id, id_) for id_ in params.preconditions}
    unknown = next((id_ for id_, task in before.items() if task is None), "")
    named = [promise.lead_id for promise in params.commitments if "lead_id" in type(promise).model_fields]  # type: ignore[union-attr]
    foreign = next((id_ for id_ in named if reading.lead(connection, campaign.id, id_) is None), "")
    closed = (TaskStatus.DONE, TaskStatus.BLOCKED)
    open_custom = sum(
        n for (kind, status), n in context.task_counts.items() if kind == TaskKind.CUSTOM and status not in closed
    )
    duplicate = connection.execute(
        "SELECT 1 FROM tasks WHERE campaign_id=? AND kind='custom' AND status NOT IN ('done', 'blocked') AND description=?",
        (campaign.id, params.description),
    ).fetchone()
    return Facts(
        campaign=campaign,
        now=context.around.now,
        held=context.held,
        for_request=context.request_id is not None,
        open_custom_tasks=open_custom,
        duplicate_task=duplicate is not None,
        unknown_precondition=unknown,
        preconditions_met=all(task is not None and task.status is TaskStatus.DONE for task in before.values()),
        foreign_commitment=foreign,
    )


def asleep_until(connection: sqlite3.Connection, context: Context) -> int | None:
    """When something may become eligible by itself (ms UTC): a task's time comes, or an account-wide gate opens."""
    if not context.around.present:
        return None
    now, campaign_id = context.around.now, context.campaign.id
    times = [reading.next_ready(connection, campaign_id, now, (Needs.THINK, *ACTING))]
    for family in context.held:
        refusal = gates.first_refusal(gates.check(context.accounts[family], None))
        times.append(refusal.until if refusal else None)
    return min((at for at in times if at is not None and at < NEVER), default=None)


def held_because(context: Context) -> tuple[str, ...]:
    """Why the families that tasks are ready for are held back, for people."""
    if not context.around.present:
        return (gates.AWAY,)
    if context.around.authority not in MAY_ACT:
        return (gates.out_of_step(context.around.authority),)
    refusals = (gates.first_refusal(gates.check(context.accounts[family], None)) for family in context.held)
    return tuple(sorted({refusal.sentence for refusal in refusals if refusal}))
