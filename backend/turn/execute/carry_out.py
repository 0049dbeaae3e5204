"""Step 5: an accepted proposal carried out, by its tool's handler. Gates are asked before any of them acts."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from backend.domain.device.script import script_sha256
from backend.domain.model.answer import acting_family
from backend.domain.model.task import ActionFamily
from backend.domain.model.tools import TOOLS, ToolParams
from backend.domain.turn.agent_questions import APPROVE_SCRIPT
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.proposal_effects import SCORING_BATCH, proposal_events
from backend.domain.turn.proposals import AnalyzeLeads, CreateTask, ExecuteTool, GenerateMessage, Proposal
from backend.domain.turn.task_progress import advance, ask, gate_refused
from backend.situation.situations import person_refusal
from backend.store.queries.leads import scored_leads
from backend.turn.execute import look
from backend.turn.execute.execution import Execution, TurnOutcome, gate_refusal, outcome_for, present
from backend.turn.execute.send import send
from backend.turn.execute.withdraw import withdraw
from backend.turn.load import TurnContext
from backend.turn.lookups import LOOKUPS, ChoiceRequest, Lookup


def look_up(
    lookup: Lookup, run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams
) -> TurnOutcome:
    """Found out for the user's request; what fits in several ways is asked, never guessed."""
    task, started = present(facts.task), run.clock.ticks()
    answer = run.journal.database.query(lookup, context, call)
    parameters = call.model_dump(mode="json", exclude={"tool"}, exclude_none=True)
    kind = "choose" if isinstance(answer, ChoiceRequest) else answer.finding.kind
    details = {"parameters": parameters, "us": run.clock.ticks() - started, "outcome": kind}
    run.gateway.add_audit(call.tool, None, details)
    if isinstance(answer, ChoiceRequest):
        events = ask(
            context.inputs.now,
            task,
            run.journal.ids.new,
            kind=answer.kind,
            question=answer.question,
            choices=answer.choices,
            payload=answer.payload,
        )
        return outcome_for(task, "accepted", "", events)
    events = advance(task, ActionFamily.ASSIST, task.ready_at)
    return replace(outcome_for(task, "accepted", "", events), finding=answer.finding)


def propose_script(run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams) -> TurnOutcome:
    """The user is shown the script, which was checked; only their yes lets it run (`backend.runtime.jobs.script_service`)."""
    task, script = present(facts.task), present(facts.script)
    sha256 = script_sha256(script.source)
    parameters = {"artifact_key": script.key, "script_sha256": sha256, "builtin": script.builtin}
    run.gateway.add_audit(call.tool, None, {"parameters": parameters, "outcome": "asked"})
    events = ask(
        context.inputs.now,
        task,
        run.journal.ids.new,
        kind=APPROVE_SCRIPT,
        question=f"Run the script “{script.key}” (SHA-256 {sha256[:12]}…)? It reads this campaign's rows and changes nothing.",
        choices=("yes", "no"),
        payload={**parameters, "source": script.source},
    )
    return outcome_for(task, "accepted", "", events)


Handler = Callable[[Execution, TurnContext, ProposalFacts, ToolParams], TurnOutcome]

HANDLERS: dict[str, Handler] = {
    "open_profile": look.open_profile,
    "read_profile": look.read_profile,
    "read_thread": look.read_thread,
    "check_selectors": look.check_selectors,
    "send": send,
    "withdraw": withdraw,
    "propose_script": propose_script,
    **{name: partial(look_up, lookup) for name, lookup in LOOKUPS.items()},
}
"""What carries a tool out, by the name that its row gives (`backend.domain.model.tools`)."""


def carry_out(run: Execution, context: TurnContext, proposal: Proposal, facts: ProposalFacts) -> TurnOutcome:
    """Raises `StaleStateError` if the state moved before an intent was on disk; nothing has happened then."""
    if not isinstance(proposal, ExecuteTool):
        return think(run, context, proposal, facts)
    tool = TOOLS[proposal.params.tool]
    # What is looked up for a request of the user leaves this machine in no case, so no gate guards it.
    family = acting_family(tool.family, facts.task)
    if family is not ActionFamily.ASSIST and (refusal := gate_refusal(run, context, facts, family)):
        task = present(facts.task)
        events = gate_refused(facts, task, refusal, run.journal.ids.new)
        return outcome_for(task, f"gate:{refusal.code}", refusal.recorded, events)
    return HANDLERS[tool.handler](run, context, facts, proposal.params)


def think(run: Execution, context: TurnContext, proposal: Proposal, facts: ProposalFacts) -> TurnOutcome:
    """What the proposal changes in our own state."""
    if isinstance(proposal, GenerateMessage):
        refusal = run.journal.database.query(person_refusal, present(facts.lead).id, context.inputs)
        if refusal is not None:
            events = gate_refused(facts, present(facts.task), refusal, run.journal.ids.new)
            return outcome_for(present(facts.task), f"gate:{refusal.code}", refusal.recorded, events)
    leads: list[tuple[str, Mapping[str, str]]] = []
    if isinstance(proposal, AnalyzeLeads) and proposal.params.blueprint == "current":
        leads = run.journal.database.query(scored_leads.unscored, context.campaign.id, SCORING_BATCH)
    events = proposal_events(proposal, facts, leads, run.journal.ids.new)
    if isinstance(proposal, CreateTask):
        return TurnOutcome("accepted", events=events, task_id=events[0].entity_id)
    return outcome_for(present(facts.task), "accepted", "", events)
