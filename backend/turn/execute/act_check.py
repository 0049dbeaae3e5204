"""Whether an act may still be done: asked between its intent and the click, and again before its bytes leave."""

from backend.domain.gates.gates import Refusal, last_moment_refusal, without_this_act
from backend.domain.model.task import ActionFamily
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.values.errors import OutriderError
from backend.domain.values.real_time import elapsed_seconds
from backend.ports.site import ACT_SECONDS, ActCalledOff
from backend.situation import situations
from backend.store.queries.campaign import campaigns
from backend.turn.execute.execution import Execution, present, read_gate_facts

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
