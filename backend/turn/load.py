"""Steps 1 and 2: the authoritative state loaded fresh, and the task selected. Reads the database; decides by the domain."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from backend.domain.device.builtin_scripts import BUILTIN_SCRIPTS
from backend.domain.device.script import ScriptStatus
from backend.domain.gates import gates
from backend.domain.gates.gates import AccountFacts
from backend.domain.model.artifact import ArtifactType
from backend.domain.model.campaign import Campaign
from backend.domain.model.channel import user_families
from backend.domain.model.connection import SCRIPTED
from backend.domain.model.lead import Lead
from backend.domain.model.sequence import DueAction, Step
from backend.domain.model.task import ACTING, IN_TURNS, NEVER, ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.model.tools import RunScript, tools_for
from backend.domain.model.variables import Recipient
from backend.domain.sequence.template import TemplateDraft, template_draft
from backend.domain.turn.agent_questions import (
    AGENT_QUESTIONS,
    APPROVE_SCRIPT,
    NOTHING_ASKED,
    OWN_WORDS,
    AskedSoFar,
)
from backend.domain.turn.agent_questions import situation as question_situation
from backend.domain.turn.artifacts import artifact_needs
from backend.domain.turn.assistant_results import artifacts_found
from backend.domain.turn.proposal_check import BLUEPRINTS_FOR, ProposalFacts, ProposedScript
from backend.domain.turn.proposals import (
    AnalyzeLeads,
    CreateTask,
    ExecuteTool,
    GenerateMessage,
    NoOp,
    PersistArtifact,
    Proposal,
    Rejection,
    RequestUserInput,
    SelectNextTask,
)
from backend.domain.turn.request import wants_turns
from backend.domain.turn.skill import occasions
from backend.domain.turn.snapshot import ARTIFACT_CHARS, MAX_ARTIFACTS, Focus, NamedArtifact, Request, Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.script_sandbox import ScriptChecks
from backend.ports.sync_status import MAY_ACT
from backend.situation.outlook import not_begun as leads_not_begun
from backend.situation.situations import (
    LeadSituation,
    TurnInputs,
    account_facts,
    forecast_facts,
    lead_situation,
    task_situation,
)
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.campaign.campaigns import CampaignPosition
from backend.store.queries.contact import incidents, messages
from backend.store.queries.device import logs
from backend.store.queries.leads import leads, scored_leads
from backend.store.queries.turn import artifacts, requests, turns
from backend.store.queries.turn import skills as skill_queries
from backend.store.queries.turn import soul as soul_queries
from backend.turn import planner

FOR_USER = "People are waiting for you in Send."


TOOLS_FOR = {kind: tools_for(kind) for kind in TaskKind}


class TurnContext(NamedTuple):
    """Everything a turn decides from."""

    position: CampaignPosition
    inputs: TurnInputs
    accounts: Mapping[ActionFamily, AccountFacts]
    blocked_families: frozenset[ActionFamily]
    ready: tuple[Task, ...]
    task_counts: Mapping[tuple[str, str], int]
    not_begun: frozenset[str] = frozenset()
    """Leads that are planned and for whom nothing is written yet, because enough is prepared."""
    for_user: int = 0
    """How many of the tasks that were looked at wait for the user's own hand now."""
    request_id: str | None = None
    """The user's request that the turn is for; None for one of the campaign's own."""

    @property
    def campaign(self) -> Campaign:
        """The campaign, as of this moment."""
        return self.position.campaign


def load(connection: DatabaseConnection, campaign_position: CampaignPosition, inputs: TurnInputs) -> TurnContext:
    """Step 1: campaign, limits and eligible tasks, from indexed reads."""
    campaign = campaign_position.campaign
    # While the user is away nothing is begun, not even thinking (design: compliance 5); nor while another device may act.
    may_begin = inputs.present and inputs.sync_status in MAY_ACT
    tasks = task_queries.ready_tasks(connection, campaign.id, inputs.now) if may_begin else []
    # The account's usage is read only for families that some task is ready to act in.
    families_of_user = user_families(campaign.site)
    families = {task.needs for task in tasks} & set(ACTING)
    incident = incidents.open_incident(connection, campaign.account) if families else ""
    accounts = {family: account_facts(connection, campaign, inputs, family, incident) for family in families}
    blocked_families = frozenset(family for family, facts in accounts.items() if gates.refusal(facts, None))
    for_user = sum(task.needs in families_of_user - blocked_families for task in tasks)
    blocked_families |= families_of_user  # never offered: nobody but the user does these
    counts = task_queries.task_counts(connection, campaign.id)
    eligible = [task for task in tasks if task.eligible(inputs.now, blocked_families)]
    not_begun = leads_not_begun(
        connection,
        campaign,
        lambda family: forecast_facts(connection, campaign, inputs, family, accounts.get(family)),
        {task.begins_with for task in eligible} - {""},
    )
    ready = tuple(task for task in eligible if task.begins_with not in not_begun)
    return TurnContext(
        campaign_position,
        inputs,
        accounts,
        blocked_families,
        _current_first(campaign_position, ready),
        counts,
        not_begun,
        for_user,
    )


def load_request(
    connection: DatabaseConnection, campaign_position: CampaignPosition, inputs: TurnInputs, request_id: str
) -> TurnContext:
    """Step 1 of a turn for the user's request: that one task is all there is, and whatever acts is held back."""
    campaign = campaign_position.campaign
    task = task_queries.task(connection, campaign.id, request_id)
    return TurnContext(
        campaign_position,
        inputs,
        accounts={},
        blocked_families=frozenset(ActionFamily) - {ActionFamily.ASSIST},
        ready=(task,) if task is not None and wants_turns(task) else (),
        task_counts=task_queries.task_counts(connection, campaign.id),
        request_id=request_id,
    )


def _current_first(position: CampaignPosition, ready: tuple[Task, ...]) -> tuple[Task, ...]:
    # Going on with the task of the turn before keeps one lead's steps together, whatever else became ready.
    return tuple(sorted(ready, key=lambda task: task.id != position.current_task_id))


def snapshot(
    connection: DatabaseConnection, context: TurnContext, reads_overview: Callable[[Snapshot], bool] = lambda _: True
) -> Snapshot:
    """Step 2: the first ready task becomes the focus, and the agent's view is built around it.

    `reads_overview` is asked with the focus alone whether the rest will be read; what nobody reads is not loaded.
    """
    campaign, focus, for_request = context.campaign, context.ready[0], context.request_id is not None
    situation = task_situation(connection, campaign, focus, context.inputs.now)
    drafting = situation is not None and situation.due_step.due is DueAction.DRAFT
    step = situation.due_step.step if situation else None
    asked_questions = questions.asked_about(connection, focus.id)
    answers = questions.answers(asked_questions)
    counts: dict[str, int] = {}
    for (_, status), n in context.task_counts.items():
        counts[status] = counts.get(status, 0) + n
    focused = Snapshot(
        campaign=campaign,
        tasks=context.ready,
        task_counts=counts,
        focus=Focus(
            task=focus,
            lead=situation.lead if situation else None,
            message=situation.message if situation else None,
            need=situation.due_step if situation else None,
            answered=answers[-1] if answers else None,
            recipient=leads.recipient(connection, situation.lead.id) if situation and drafting else None,
            answers=answers if drafting else (),
            asked=asked_so_far(connection, campaign, focus, situation, asked_questions),
            rejected=messages.rejected_texts(connection, situation.lead.id, step.key)
            if situation and drafting and step
            else (),
        ),
        tools=TOOLS_FOR[focus.kind],
        last=None if for_request else turns.last_turn(connection, campaign.id, context.position.own_turn),
        # The one place where a conversation is read, and only the lines of the request itself.
        request=requests.request(connection, focus.id) if for_request else None,
        lead_fields=scored_leads.scorable_fields(connection, campaign.id) if focus.kind in BLUEPRINTS_FOR else (),
    )
    return _with_overview(connection, focused) if reads_overview(focused) else focused


def _with_overview(connection: DatabaseConnection, focused: Snapshot) -> Snapshot:
    campaign_id, focus = focused.campaign.id, focused.focus
    drafting = focus.need is not None and focus.need.due is DueAction.DRAFT
    return replace(
        focused,
        other_tasks=tuple(task_queries.other_tasks(connection, campaign_id)),
        lead_counts=leads.lead_counts(connection, campaign_id),
        top_leads=leads.top_leads(connection, campaign_id),
        recent_audit=logs.recent_audit(connection, campaign_id),
        artifacts=_artifacts(connection, campaign_id, focus.task, focused.request, drafting=drafting),
        soul=soul_queries.soul(connection).text,
        skills=skill_queries.instructions(connection, occasions(focus)),
    )


def asked_so_far(
    connection: DatabaseConnection,
    campaign: Campaign,
    task: Task,
    situation: LeadSituation | None,
    asked_questions: Sequence[questions.AskedQuestion],
) -> AskedSoFar:
    """What the user was asked about the task, and whether anything has changed for it since."""
    agent_questions = [question for question in asked_questions if question.kind in AGENT_QUESTIONS]
    answered_in = next(
        (
            question.situation
            for question in agent_questions
            if question.status == "answered" and question.kind in OWN_WORDS
        ),
        None,
    )
    lead, step_due = (situation.lead, situation.due_step) if situation is not None else (None, None)
    lacking: tuple[str, ...] = ()
    refused = 0
    if lead is not None and step_due is not None and step_due.step is not None and step_due.due is DueAction.DRAFT:
        lacking = _template_draft(connection, campaign, lead, step_due.step, asked_questions).lacking
        refused = len(messages.rejected_texts(connection, lead.id, step_due.step.key))
    return AskedSoFar(len(agent_questions), answered_in, question_situation(task, lead, step_due, refused), lacking)


def _template_draft(
    connection: DatabaseConnection,
    campaign: Campaign,
    lead: Lead,
    step: Step,
    asked_questions: Sequence[questions.AskedQuestion],
) -> TemplateDraft:
    recipient = leads.recipient(connection, lead.id) or Recipient(lead.full_name, lead.company, lead.job_title)
    return template_draft(step, recipient, campaign, questions.answers(asked_questions))


def _artifacts(
    connection: DatabaseConnection, campaign_id: str, task: Task, request: Request | None, *, drafting: bool
) -> tuple[NamedArtifact, ...]:
    """What the task names or the request found comes first, then the latest of each type that its work needs; bounded."""
    needs = artifact_needs(task, drafting=drafting)
    answers: list[tuple[str, str]] = [] if request is None else artifacts_found(request.results)[:MAX_ARTIFACTS]
    if task.kind is TaskKind.CUSTOM:  # what its scripts answered; a request's are among its results
        payloads = questions.answered_payloads(connection, task.id, APPROVE_SCRIPT)
        answers = [
            (ArtifactType.ANALYSIS_RESULT, str(payload["artifact_key"])) for payload in payloads[-MAX_ARTIFACTS:]
        ]
    names = tuple(dict.fromkeys((*answers, *needs.named)))
    selected = artifacts.named(connection, campaign_id, names, ARTIFACT_CHARS) if names else []
    for artifact_type in needs.types:
        room = MAX_ARTIFACTS - len(selected)
        if room > 0:
            latest = artifacts.latest_of(connection, campaign_id, artifact_type, ARTIFACT_CHARS, room)
            selected += [artifact for artifact in latest if artifact not in selected]
    return tuple(selected[:MAX_ARTIFACTS])


def facts_for(
    connection: DatabaseConnection,
    context: TurnContext,
    proposal: Proposal,
    scoring_batch: int,
    asked_by: int | None = None,
) -> ProposalFacts:
    """What is known about the ids that the proposal names; every read is limited to the proposal's own campaign.

    `asked_by` is the version of the sequence that the proposer was asked by; None if it is the one of now.
    """
    campaign, now = context.campaign, context.inputs.now
    if isinstance(proposal, CreateTask):
        return _facts_for_new_task(connection, context, proposal)
    task = task_queries.task(connection, campaign.id, proposal.task_id)
    lead_id = getattr(proposal.params, "lead_id", None)
    situation = lead_situation(connection, campaign, lead_id, now) if lead_id else None
    begins = isinstance(proposal, SelectNextTask) and campaign.settings.sequence.user_reads
    if (isinstance(proposal, NoOp) or begins) and task is not None and task.kind is TaskKind.REACH_LEAD:
        situation = task_situation(connection, campaign, task, now)  # a condition may be due, or the user's look for it
    if task is not None and task.kind in (TaskKind.ANSWER, TaskKind.WITHDRAW) and task.lead_id == lead_id:
        situation = task_situation(connection, campaign, task, now)
    unscored = 0
    if task is not None and task.kind is TaskKind.SCORE_LEADS:
        unscored = len(scored_leads.unscored(connection, campaign.id, scoring_batch + 1))
    proposed = isinstance(proposal, AnalyzeLeads) and proposal.params.blueprint != "current"
    refused: frozenset[str] = frozenset()
    template_text = ""
    if isinstance(proposal, GenerateMessage):
        rejected = messages.rejected_texts(connection, proposal.params.lead_id, proposal.params.step)
        refused = frozenset(rejected_text.text for rejected_text in rejected)
        if (
            campaign.proposer != SCRIPTED
            and task is not None
            and situation is not None
            and situation.due_step.step is not None
        ):
            asked_questions = questions.asked_about(connection, task.id)
            template_text = _template_draft(
                connection, campaign, situation.lead, situation.due_step.step, asked_questions
            ).text
    asked = NOTHING_ASKED
    scripted = isinstance(proposal, ExecuteTool) and isinstance(proposal.params, RunScript)
    if task is not None and (scripted or isinstance(proposal, RequestUserInput | PersistArtifact | AnalyzeLeads)):
        # The task's own lead: a proposal need not name it to ask about it.
        situation_of_task = situation or task_situation(connection, campaign, task, now)
        asked = asked_so_far(connection, campaign, task, situation_of_task, questions.asked_about(connection, task.id))
    for_request = context.request_id is not None
    blocked_families = context.blocked_families if for_request else context.blocked_families | {ActionFamily.ASSIST}
    if for_request and task is not None and task.id != context.request_id:
        blocked_families |= {task.needs}
    if task is not None and context.not_begun and task.begins_with and task not in context.ready:
        blocked_families |= {task.needs}  # what is not offered cannot be had by asking for it
    return ProposalFacts(
        campaign=campaign,
        now=now,
        blocked_families=blocked_families,
        refused_texts=refused,
        task=task,
        lead=situation.lead if situation else None,
        message=situation.message if situation else None,
        approval=situation.approval if situation else None,
        due_step=situation.due_step if situation else None,
        unscored=unscored,
        lead_fields=scored_leads.scorable_fields(connection, campaign.id) if proposed else (),
        for_request=for_request,
        attachments=requests.attachments(connection, task.id) if for_request and task else 0,
        asked=asked,
        template_text=template_text,
        sequence_changed=asked_by is not None and asked_by != campaign.settings.sequence.version,
    )


def proposed_script(checks: ScriptChecks | None, call: RunScript) -> ProposedScript:
    """The script that a proposal names or writes out, checked: what may not run is never shown for approval."""
    key, builtin = call.builtin or call.artifact_key, bool(call.builtin)
    try:
        return ProposedScript(key, _checked_source(checks, call), builtin)
    except OutriderError as error:
        return ProposedScript(key, call.source, builtin, Rejection(error.code, error.sentence))


def _checked_source(checks: ScriptChecks | None, call: RunScript) -> str:
    if checks is None:
        raise OutriderError("script_runtime_missing", detail="nothing runs scripts here")
    source = call.source
    if call.builtin:
        source = checks.builtin(call.builtin) or ""
        if not source or call.source:
            keys = ", ".join(script.key for script in BUILTIN_SCRIPTS)
            raise OutriderError("script_builtin_unknown", key=call.builtin, keys=keys)
    outcome = checks.check(source)
    if outcome.status is not ScriptStatus.OK:
        raise OutriderError("script_denied", message=outcome.told)
    return source


def _facts_for_new_task(connection: DatabaseConnection, context: TurnContext, proposal: CreateTask) -> ProposalFacts:
    campaign = context.campaign
    params = proposal.params
    preconditions = {id_: task_queries.task(connection, campaign.id, id_) for id_ in params.preconditions}
    unknown = next((id_ for id_, task in preconditions.items() if task is None), "")
    lead_ids = [promise.lead_id for promise in params.commitments if "lead_id" in type(promise).model_fields]  # type: ignore[union-attr]
    foreign = next((id_ for id_ in lead_ids if leads.lead(connection, campaign.id, id_) is None), "")
    custom = {status: n for (kind, status), n in context.task_counts.items() if kind == TaskKind.CUSTOM}
    return ProposalFacts(
        campaign=campaign,
        now=context.inputs.now,
        blocked_families=context.blocked_families,
        for_request=context.request_id is not None,
        open_custom_tasks=sum(n for status, n in custom.items() if status != TaskStatus.DONE),
        custom_tasks=sum(custom.values()),
        duplicate_task=task_queries.has_open_custom_task(connection, campaign.id, params.description),
        unknown_precondition=unknown,
        preconditions_met=all(task is not None and task.status is TaskStatus.DONE for task in preconditions.values()),
        foreign_commitment=foreign,
    )


def next_wake_time(connection: DatabaseConnection, context: TurnContext) -> int | None:
    """When something may become eligible by itself (ms UTC): a task's time comes, or an account-wide gate opens."""
    if not context.inputs.present:
        return None
    now, campaign_id = context.inputs.now, context.campaign.id
    times = [task_queries.next_ready(connection, campaign_id, now, IN_TURNS)]
    for family in context.blocked_families & context.accounts.keys():
        refusal = gates.refusal(context.accounts[family], None)
        times.append(refusal.until if refusal else None)
    if (withdrawal := planner.next_withdrawal(connection, context.campaign, now)) is not None and withdrawal > now:
        times.append(withdrawal)
    soonest = min((at for at in times if at is not None and at < NEVER), default=None)
    ends = context.campaign.settings.limits.next_end(now)
    return soonest if soonest is None or ends is None else min(soonest, ends)


def held_reasons(context: TurnContext) -> tuple[str, ...]:
    """Why the families that tasks are ready for are held back, for people."""
    if not context.inputs.present:
        return (gates.AWAY,)
    if context.inputs.sync_status not in MAY_ACT:
        return (gates.not_in_sync(context.inputs.sync_status),)
    shut = context.blocked_families & context.accounts.keys()
    refusals = (gates.refusal(context.accounts[family], None) for family in shut)
    user_reason = {FOR_USER} if context.for_user else set()
    return tuple(sorted({refusal.sentence for refusal in refusals if refusal} | user_reason))
