"""Step 5: an accepted proposal carried out, by its tool's handler. Gates are asked before any of them acts."""

from collections.abc import Callable
from functools import partial

from backend.domain.model.answer import acting_family
from backend.domain.model.task import ActionFamily
from backend.domain.model.tools import TOOLS, ToolParams
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.proposals import ExecuteTool, Proposal
from backend.domain.turn.task_progress import gate_refused
from backend.turn.execute import look
from backend.turn.execute.assist import look_up, propose_script
from backend.turn.execute.execution import Execution, TurnOutcome, gate_refusal, outcome_for, present
from backend.turn.execute.send import send
from backend.turn.execute.think import think
from backend.turn.execute.withdraw import withdraw
from backend.turn.load import TurnContext
from backend.turn.lookups import LOOKUPS

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
