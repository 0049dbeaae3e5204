"""What every act on the site goes through: its intent on disk, the last questions before the click, and what stood in its way."""

from collections.abc import Callable
from typing import NamedTuple

from backend.domain.contact.observations import incident
from backend.domain.events.events import Event
from backend.domain.gates.approval import Approval
from backend.domain.model.lead import Lead
from backend.domain.model.message import Observation, SendOutcome
from backend.domain.model.site import Attempt, Relation, SiteAnswer
from backend.domain.model.task import ActionFamily
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.values.real_time import RealTime
from backend.ports.account_locks import SenderAccount
from backend.ports.site import ActCalledOff
from backend.store.log.transaction import StaleStateError
from backend.turn.execute.act_check import ActGuard
from backend.turn.execute.execution import Execution, present, read_gate_facts, refusal_now
from backend.turn.gateway import ActResult, SiteProblem, act_started
from backend.turn.load import TurnContext

UNACKNOWLEDGED = "the shared store did not confirm that this device may act; nothing was sent"


class DecidedAct(NamedTuple):
    """An act that has been decided: its name, the events of its intent (by turn, time and real time), and how it is done."""

    id: str
    tool: str
    family: ActionFamily
    intent: Callable[[int, int, RealTime], list[Event]]
    do: Callable[[], ActResult | SiteProblem]
    message_id: str = ""
    approval: Approval | None = None


def act_once(
    run: Execution, context: TurnContext, facts: ProposalFacts, act: DecidedAct, check: ActGuard
) -> ActResult | SiteProblem:
    """Intend, ask, act; raises `StaleStateError` if the state or a gate moved before the intent was on disk."""
    run.accounts.note_act(SenderAccount(run.gateway.site.address, context.campaign.account))
    _record_intent(run, context, facts, act)
    run.journal.keep_heads()
    run.boundary("intent")
    confirmed = run.sync_status.push_and_confirm(context.campaign.id)
    acted = _do(run, facts, act, check, confirmed=confirmed)
    run.boundary("acted")
    return acted


def _record_intent(run: Execution, context: TurnContext, facts: ProposalFacts, act: DecidedAct) -> None:
    """The first of the two transactions; the state must still be the one that was judged."""
    campaign_id, now, turn = context.campaign.id, run.clock.now(), context.position.last_turn + 1
    events = act.intent(turn, now, run.clock.real_time())
    with run.gateway.unrecorded_audits() as audits, run.journal.transaction() as transaction:
        transaction.expect(campaign_id, context.position.seq, context.position.event_hash)
        # The look took time, and not all that can stop an act is in this stream: a gate that has shut meanwhile
        # means that the proposal is judged again, and then refused by its name.
        inputs, version = run.read_inputs(), run.journal.database.version()
        if not run.gate_facts.hold(version):
            read_gate_facts(
                run.gate_facts, transaction.connection, version, context.campaign, inputs, facts, act.family
            )
        if refusal_now(run.gate_facts, inputs, act.approval) is not None:
            raise StaleStateError(campaign_id)
        entries = (*audits, act_started(act.tool, act.id, present(facts.lead), message_id=act.message_id))
        transaction.audit(campaign_id, entries, actor="agent", cause=f"t{turn}", at=now)
        transaction.record(campaign_id, events, actor="controller", cause=f"t{turn}", at=now)
    # The intent changes nothing that the gates of the last moment ask.
    run.gate_facts.version = version.after_commit() if version is not None else None


def _do(
    run: Execution, facts: ProposalFacts, act: DecidedAct, check: ActGuard, *, confirmed: bool
) -> ActResult | SiteProblem:
    """The act itself, unless something came between its intent and now; then nothing is clicked."""
    why = "" if confirmed else UNACKNOWLEDGED  # another device may be acting
    if confirmed:
        try:
            check()
        except ActCalledOff as off:
            why = str(off)
    if not why:
        return act.do()
    run.gateway.add_act_without_try(act.tool, act.id, present(facts.lead), why)
    return SiteProblem(None, why, called_off=True)


def result_of(acted: ActResult | SiteProblem) -> ActResult:
    """What came of the act; by the port's promise a problem means that nothing was clicked."""
    if isinstance(acted, ActResult):
        return acted
    attempt = Attempt(SiteAnswer.NO_ANSWER, acted.detail)
    relation = acted.shown if isinstance(acted.shown, Relation) else None
    return ActResult(attempt, Observation.ABSENT, SendOutcome.NOT_SENT, acted, relation)


def verdict_of(
    run: Execution, context: TurnContext, lead: Lead, result: ActResult, now: int
) -> tuple[str, list[Event]]:
    """The turn's verdict, and the incident that was met, if there was one."""
    kind, detail = result.attempt.incident, result.attempt.detail
    evidence_file = next((seen.file for seen in result.attempt.evidence if seen.file), "")
    if kind is None and result.problem is not None:
        kind, detail, evidence_file = result.problem.kind, result.problem.detail, result.problem.evidence
    if kind is not None:
        new_id = run.journal.ids.new
        incident_event = incident(context.campaign, kind, detail, now, new_id, evidence=evidence_file, lead_id=lead.id)
        return f"incident:{kind}", [incident_event]
    return ("accepted" if result.outcome is SendOutcome.SENT else result.outcome.value), []
