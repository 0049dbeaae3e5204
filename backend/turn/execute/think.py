"""Proposals that act on nothing outside."""

from collections.abc import Mapping

from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.proposal_effects import SCORING_BATCH, proposal_events
from backend.domain.turn.proposals import AnalyzeLeads, CreateTask, GenerateMessage, Proposal
from backend.domain.turn.task_progress import gate_refused
from backend.situation.situations import person_refusal
from backend.store.queries.leads import scored_leads
from backend.turn.execute.execution import (
    Execution,
    TurnOutcome,
    outcome_for,
    present,
)
from backend.turn.load import TurnContext


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
