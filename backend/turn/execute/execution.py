"""What every execution of a proposal works with, and what it comes to."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from backend.domain.events.events import Event
from backend.domain.gates import gates
from backend.domain.gates.approval import Approval
from backend.domain.gates.gates import AccountFacts, LeadFacts, Refusal
from backend.domain.model.campaign import Campaign
from backend.domain.model.site import Profile, Thread
from backend.domain.model.task import ActionFamily, Task
from backend.domain.turn.assistant_results import AssistantResult
from backend.domain.turn.proposal_check import ProposalFacts
from backend.ports.account_locks import ONLY_FOLDER, AccountLocks
from backend.ports.clock import Clock
from backend.ports.sync_status import SyncStatus
from backend.situation import situations
from backend.situation.situations import LeadSituation, TurnInputs
from backend.store.database import DatabaseConnection, DatabaseVersion
from backend.store.log.journal import Journal
from backend.store.log.projections import LostRowError
from backend.store.queries.contact import incidents
from backend.turn.gateway import SiteProblem, ToolGateway
from backend.turn.load import TurnContext
from backend.turn.presence import Presence

_Row = TypeVar("_Row")

Failpoint = Callable[[str], None]
"""Called at the named boundaries of a turn; crash tests kill the process there."""


@dataclass(slots=True)
class TurnOutcome:
    """What a turn's proposal came to. `effect` is True once something may have happened in the world."""

    verdict: str
    detail: str = ""
    events: list[Event] = field(default_factory=list)
    task_id: str | None = None
    lead_id: str | None = None
    effect: bool = False
    finding: AssistantResult | None = None
    """What a turn for the user's request found out."""


@dataclass(slots=True)
class KnownGateFacts:
    """What the gates of one act were asked by, and the version of the store that it was read from.

    The gates are asked several times for an act, and mostly nothing was committed in between: then the answers in the store
    are the same, and only the clock and what is around the turn are looked at again.
    """

    version: DatabaseVersion | None = None
    account: AccountFacts | None = None
    lead: LeadFacts | None = None

    def hold(self, version: DatabaseVersion | None) -> bool:
        """Whether nothing was committed since."""
        return version is not None and version == self.version


@dataclass(frozen=True, slots=True)
class Execution:
    """What carries out the proposal of one turn; `looks` is what was seen for it already, by the tool's name."""

    journal: Journal
    gateway: ToolGateway
    clock: Clock
    boundary: Failpoint
    read_inputs: Callable[[], TurnInputs]
    sync_status: SyncStatus
    presence: Presence
    """Without whether the user has pressed Stop, which lets an act end."""
    accounts: AccountLocks = ONLY_FOLDER
    looks: dict[str, Profile | Thread | SiteProblem | None] = field(default_factory=dict)
    gate_facts: KnownGateFacts = field(default_factory=KnownGateFacts)


def gate_refusal(run: Execution, context: TurnContext, facts: ProposalFacts, family: ActionFamily) -> Refusal | None:
    """The whole checklist for this act is asked and, where it refuses, audited; the first refusal is the answer."""
    version = run.journal.database.version()
    with run.journal.database.read() as connection:
        read_gate_facts(run.gate_facts, connection, version, context.campaign, context.inputs, facts, family)
    account, lead = present(run.gate_facts.account), run.gate_facts.lead
    if gates.refusal(account, lead) is None:
        return None
    refusals = [line.verdict for line in gates.check_gates(account, lead) if isinstance(line.verdict, Refusal)]
    shown = [{"gate": shut.code, "said": shut.recorded, "until": shut.until} for shut in refusals]
    run.gateway.add_audit("gates", facts.lead, {"refused": shown})
    return refusals[0]


def read_gate_facts(
    gate_facts: KnownGateFacts,
    connection: DatabaseConnection,
    version: DatabaseVersion | None,
    campaign: Campaign,
    inputs: TurnInputs,
    facts: ProposalFacts,
    family: ActionFamily,
) -> None:
    """What the store says to the gates that guard this act; `version` was asked before the connection read anything."""
    incident = incidents.open_incident(connection, campaign.account)
    gate_facts.account, gate_facts.lead = situations.account_facts(connection, campaign, inputs, family, incident), None
    if facts.lead is not None and facts.due_step is not None:
        if family is ActionFamily.LOOK:
            gate_facts.lead = situations.look_facts(connection, facts.lead)
        else:
            situation = LeadSituation(facts.lead, facts.message, facts.approval, facts.due_step)
            gate_facts.lead = situations.lead_facts(connection, campaign, situation, inputs.now)
    gate_facts.version = version


def refusal_now(gate_facts: KnownGateFacts, inputs: TurnInputs, approval: Approval | None) -> Refusal | None:
    """What every gate that guards this act says at this moment, by what the store said before."""
    account, lead = present(gate_facts.account), gate_facts.lead
    account = account._replace(
        now=inputs.now, offset_at=inputs.offset_at, present=inputs.present, sync_status=inputs.sync_status
    )
    if lead is not None and lead.approval == "open" and approval is not None and inputs.now >= approval.expires_at:
        lead = lead._replace(approval="expired")
    return gates.refusal(account, lead)


def outcome_for(task: Task, verdict: str, detail: str, events: list[Event]) -> TurnOutcome:
    """The outcome of a proposal for a task."""
    return TurnOutcome(verdict, detail, events, task.id, task.lead_id)


def present(thing: _Row | None) -> _Row:
    """What judgement has established to be there; its absence is a defect, not a case."""
    if thing is None:
        raise LostRowError("a proposal was executed without what it was judged by")
    return thing
