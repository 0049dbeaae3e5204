"""What an accepted proposal without an outside effect changes: from values to events, nothing else."""

from collections.abc import Iterable, Mapping

from backend.domain.events.events import Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.lead import LeadScored
from backend.domain.events.facts.message import MessageDrafted
from backend.domain.events.facts.task import TaskAdvanced, TaskCreated, TaskStarted
from backend.domain.model.artifact import text_content
from backend.domain.model.scoring import NewBlueprint, scorer
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import NEVER, ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.turn.agent_questions import APPROVE_BLUEPRINT
from backend.domain.turn.new_tasks import commitment
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.proposals import (
    AnalyzeLeads,
    CreateTask,
    GenerateMessage,
    LeadAnalysis,
    NoOp,
    PersistArtifact,
    Proposal,
    RequestUserInput,
    SelectNextTask,
)
from backend.domain.turn.task_progress import (
    NewId,
    add_strike,
    advance,
    ask,
    claim_done,
    next_step_events,
    withdraw,
)

SCORING_BATCH = 200
"""Leads scored in one turn, so that a turn's cost does not grow with the campaign."""


_BY_ITSELF = frozenset({DueAction.DECIDE, DueAction.APPROVE, DueAction.FINISH})
"""What is due for a lead and is nobody's to propose: the controller puts the condition, waits for the user, or ends it."""


def proposal_events(
    proposal: Proposal, facts: ProposalFacts, leads: Iterable[tuple[str, Mapping[str, str]]], new_id: NewId
) -> list[Event]:
    """The events of an accepted proposal; `leads` (id, fields) are the next to be scored, for analyze_leads only."""
    if isinstance(proposal, CreateTask):
        return _create(proposal, facts, new_id)
    task = facts.task
    assert task is not None, "judged before"  # noqa: S101
    match proposal:
        case SelectNextTask():
            # A plan promises thinking where the user reads; what the first step hangs on may be theirs to look at.
            due_step = facts.due_step
            looks = (
                advance(task, due_step.family, due_step.at)
                if due_step is not None and due_step.due is DueAction.CHECK
                else []
            )
            return [TaskStarted(task.id, strikes=0 if task.strikes else OMITTED), *looks]
        case GenerateMessage():
            return _draft(proposal, facts, task, new_id)
        case AnalyzeLeads(params=LeadAnalysis(blueprint=NewBlueprint() as blueprint)):
            return _propose(facts, task, blueprint, new_id)
        case AnalyzeLeads():
            return _scores(facts, task, leads)
        case RequestUserInput(params=q):
            payload = {"situation": facts.asked.situation}
            return ask(facts.now, task, new_id, kind=q.kind, question=q.question, choices=q.choices, payload=payload)
        case PersistArtifact(params=a):
            named = (
                {} if a.content is None else {"sha256": text_content(a.artifact_type, a.artifact_key, a.content).sha256}
            )
            what = f"attachment {a.attachment}" if a.content is None else f"{len(a.content.encode())} bytes"
            question = f"Save {a.artifact_type} “{a.artifact_key}” ({what})?"
            return ask(
                facts.now,
                task,
                new_id,
                kind="save_artifact",
                question=question,
                choices=("yes", "no"),
                payload={**a.model_dump(exclude_none=True), **named, "made_by": str(facts.maker)},
            )
        case NoOp() if facts.due_step is not None and facts.due_step.due in _BY_ITSELF and facts.lead is not None:
            ended = (
                withdraw(facts.message, facts.approval, facts.due_step.reason)
                if facts.due_step.due is DueAction.FINISH
                else []
            )
            return [*ended, *next_step_events(facts.campaign, task, facts.lead, facts.message, facts.now, new_id)]
        case NoOp(params=pause):
            over = pause.claims_done or task.kind is TaskKind.ASSIST  # a request needs nothing more
            return [claim_done(task)] if over else add_strike(facts, task, "nothing was proposed", new_id)
        case _:
            raise TypeError(f"{proposal.type} has an outside effect and is not decided here")


def _create(proposal: CreateTask, facts: ProposalFacts, new_id: NewId) -> list[Event]:
    task_id, params = new_id(), proposal.params
    waits = bool(params.preconditions) and not facts.preconditions_met
    created = TaskCreated(
        task_id,
        kind=TaskKind.CUSTOM,
        description=params.description,
        status=TaskStatus.PENDING,
        needs=ActionFamily.THINK,
        ready_at=NEVER if waits else 0,
        source="agent",
        preconditions=list(params.preconditions),
        metadata={"justification": proposal.justification},
        created_at=facts.now,
    )
    return [created, *(commitment(new_id(), task_id, promise.model_dump(), "agent") for promise in params.commitments)]


def _draft(proposal: GenerateMessage, facts: ProposalFacts, task: Task, new_id: NewId) -> list[Event]:
    assert facts.due_step is not None and facts.due_step.step is not None, "judged before"  # noqa: S101, PT018
    draft = proposal.params
    return [
        MessageDrafted(
            new_id(),
            lead_id=draft.lead_id,
            task_id=task.id,
            step=draft.step,
            kind=facts.due_step.step.kind,
            text=draft.text,
            created_at=facts.now,
            from_template=1 if draft.text and draft.text == facts.template_text else OMITTED,
            variant=facts.due_step.variant or OMITTED,
        ),
        *advance(task, ActionFamily.APPROVAL, NEVER),
    ]


def _propose(facts: ProposalFacts, task: Task, blueprint: NewBlueprint, new_id: NewId) -> list[Event]:
    """The user sees what it would do to the ranking before they say yes; until then nothing is scored by it."""
    names = ", ".join(f"{criterion.name} {criterion.weight}" for criterion in blueprint.criteria)
    return ask(
        facts.now,
        task,
        new_id,
        kind=APPROVE_BLUEPRINT,
        question=f"Score the leads by this blueprint? {names}"[:500],
        choices=("yes", "no"),
        payload={"blueprint": blueprint.model_dump(mode="json"), "made_by": str(facts.maker)},
    )


def _scores(facts: ProposalFacts, task: Task, leads: Iterable[tuple[str, Mapping[str, str]]]) -> list[Event]:
    score = scorer(facts.campaign.settings.blueprint)
    events: list[Event] = [LeadScored(lead_id, weight_score=score(fields)) for lead_id, fields in leads]
    if len(events) >= facts.unscored:
        events.append(claim_done(task))
    elif task.strikes:
        events.append(TaskAdvanced(task.id, strikes=0))
    return events
