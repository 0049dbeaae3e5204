"""Lookups for a request of the user: found out, or asked; and scripts, which are always asked."""

from dataclasses import replace

from backend.domain.device.script import script_sha256
from backend.domain.model.task import ActionFamily
from backend.domain.model.tools import ToolParams
from backend.domain.turn.agent_questions import APPROVE_SCRIPT
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.task_progress import advance, ask
from backend.turn.execute.execution import Execution, TurnOutcome, outcome_for, present
from backend.turn.load import TurnContext
from backend.turn.lookups import ChoiceRequest, Lookup


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
