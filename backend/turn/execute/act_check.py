"""Whether an act may still be done: asked between its intent and the click, and again before its bytes leave."""

from backend.domain.gates.gates import AccountFacts, Refusal, last_moment_refusal
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.task import ActionFamily
from backend.domain.values.errors import OutriderError
from backend.domain.values.real_time import elapsed_seconds
from backend.ports.site import ACT_SECONDS, ActCalledOff
from backend.situation.situations import person_facts
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import incidents
from backend.store.queries.leads import leads
from backend.store.queries.people import consents
from backend.turn.execute.execution import Execution

SLEPT = "the machine slept or its clock was set since the last look"
TOO_LONG = "too much time passed since the last look"
REPLACED = "the data folder was moved or replaced; start Outrider again"
NOT_HERE = "the shared store may have let another device act"


class ActGuard:
    """Made before the look that an act relies on. Refuses on any doubt; whoever asks has sent nothing yet."""

    def __init__(self, run: Execution, campaign: Campaign, lead: Lead, family: ActionFamily) -> None:
        self._run, self._campaign, self._lead, self._family = run, campaign, lead, family
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
        run, now = self._run, self._run.clock.now()
        gate_facts = run.gate_facts
        if (
            gate_facts.hold(run.journal.database.version())
            and gate_facts.account is not None
            and gate_facts.lead is not None
        ):
            return last_moment_refusal(
                gate_facts.account._replace(now=now, offset_at=run.clock.offset), gate_facts.lead
            )
        with run.journal.database.read() as connection:
            campaign = campaigns.campaign(connection, self._campaign.id) or self._campaign
            lead = leads.lead(connection, campaign.id, self._lead.id) or self._lead
            account = AccountFacts(
                now=now,
                offset_at=run.clock.offset,
                family=self._family,
                campaign_status=campaign.status,
                limits=campaign.settings.limits,
                incident=incidents.open_incident(connection, campaign.account),
                consented=consents.may_act(connection, campaign),
            )
            lead_facts = person_facts(connection, campaign, lead)
        return last_moment_refusal(account, lead_facts)

    def _too_late(self) -> str:
        if not self._run.journal.database.is_in_place():  # then its lock is on a folder that is not here any more
            return REPLACED
        if not self._run.sync_status.may_still_act():
            return NOT_HERE
        passed = elapsed_seconds(self._began, self._run.clock.real_time())
        if passed is None:
            return SLEPT
        return TOO_LONG if passed > ACT_SECONDS else ""
