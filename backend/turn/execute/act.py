"""What every act on the site goes through: its intent on disk, the last questions before the click, and what stood in its way."""

from collections.abc import Callable
from typing import NamedTuple

from backend.domain.contact.observations import incident
from backend.domain.events.events import Event
from backend.domain.gates.approval import Approval
from backend.domain.gates.gates import Refusal, last_moment_refusal, without_this_act
from backend.domain.model.lead import Lead
from backend.domain.model.message import Observation, SendOutcome
from backend.domain.model.site import Attempt, Relation, SiteAnswer
from backend.domain.model.task import ActionFamily
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.values.errors import OutriderError
from backend.domain.values.real_time import RealTime, elapsed_seconds
from backend.ports.account_locks import SenderAccount
from backend.ports.site import ACT_SECONDS, ActCalledOff
from backend.situation import situations
from backend.store.log.transaction import StaleStateError
from backend.store.queries.campaign import campaigns
from backend.turn.execute.execution import Execution, present, read_gate_facts, refusal_now
from backend.turn.gateway import ActResult, SiteProblem, act_started
from backend.turn.load import TurnContext

SLEPT = "the machine slept or its clock was set since the last look"
TOO_LONG = "too much time passed since the last look"
REPLACED = "the data folder was moved or replaced; start Outrider again"
NOT_HERE = "the shared store may have let another device act"


class ActGuard:
    """Made before the look that an act relies on. Refuses on any doubt; whoever asks has sent nothing yet."""

    def __init__(self, run: Execution, facts: ProposalFacts, family: ActionFamily) -> None:
        self._run, self._facts, self._family = run, facts, family
        self._began = run.clock.real_time()

    def __call__(self) -> None:
        """Raises `ActCalledOff`."""
        try:
            refusal = self._refusal()
        except OutriderError as error:  # a store that cannot be asked is a doubt, too
            raise ActCalledOff(error.sentence) from error
        why = "" if refusal is None else refusal.recorded
        # The clocks come last: what is asked before them takes time, too.
        if why := why or self._too_late():
            raise ActCalledOff(f"{why.rstrip('.')}; nothing was sent")

    def _refusal(self) -> Refusal | None:
        """A gate that shut meanwhile, by whoever else writes to this store."""
        run, facts = self._run, self._facts
        read, version = run.gate_facts, run.journal.database.version()
        if not read.hold(version) or read.account is None or read.lead is None:
            inputs = run.read_inputs()
            with run.journal.database.read() as connection:
                campaign = campaigns.campaign(connection, facts.campaign.id) or facts.campaign
                lead = situations.known_lead(connection, campaign.id, present(facts.lead).id, inputs.now) or facts.lead
                now_facts = facts._replace(lead=lead)
                read_gate_facts(read, connection, version, campaign, inputs, now_facts, self._family)
            read.account, read.lead = without_this_act(present(read.account), present(read.lead))
        now = run.clock.now()
        account = read.account._replace(now=now, offset_at=run.clock.offset, present=run.presence.is_present(now))
        return last_moment_refusal(account, read.lead)

    def _too_late(self) -> str:
        if not self._run.journal.database.is_in_place():  # then its lock is on a folder that is not here any more
            return REPLACED
        if not self._run.sync_status.may_still_act():
            return NOT_HERE
        passed = elapsed_seconds(self._began, self._run.clock.real_time())
        if passed is None:
            return SLEPT
        return TOO_LONG if passed > ACT_SECONDS else ""


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
