"""What a user decides about a campaign's turn machine: when it is woken, and that a fault is over (spec 002)."""

from dataclasses import dataclass

from backend.commands.handler import CommandHandler
from backend.domain.events.events import AuditEntry, Event
from backend.domain.events.facts.campaign import CampaignRecovered, RuntimeChanged
from backend.domain.model.campaign import DAY, CampaignStatus, not_active_error, refuse_archived
from backend.domain.model.turn import TurnEventKind, TurnMachine, TurnState
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Sentence
from backend.store.queries.campaign import campaigns
from backend.store.queries.turn import wake_requests
from backend.store.queries.turn.wake_requests import WakeReason, WakeStatus

MOST_ARMED = 20
MOST_DAYS_AHEAD = 366
LONGEST_INPUT = 20_000


@dataclass(frozen=True, slots=True)
class RuntimeCommands(CommandHandler):
    """Wake requests belong to this device and are in no event: two devices would both act on them. The audit log has them."""

    def ask_to_wake(self, campaign_id: str, due_at: int, text: str = "", reason: WakeReason = "manual") -> int:
        """Arm a wake request at that time (ms UTC), with words for the assistant if there are any; its id.

        Raises `campaign_unknown`, `campaign_not_active` for one that is over, `wake_time` and `wakes_many`.
        """
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            refuse_archived(campaign)
            if campaign.status in (CampaignStatus.COMPLETED, CampaignStatus.ERROR):
                raise not_active_error(campaign_id, campaign.status)
            if reason == "timer" and not now < due_at <= now + MOST_DAYS_AHEAD * DAY:
                raise OutriderError("wake_time", days=MOST_DAYS_AHEAD)
            if len(wake_requests.armed(transaction.connection)) >= MOST_ARMED:
                raise OutriderError("wakes_many", limit=MOST_ARMED)
            request_id = wake_requests.arm(
                transaction.connection, campaign_id, reason, text[:LONGEST_INPUT], now, due_at
            )
            parameters = {"reason": reason, "due_at": due_at, "input_characters": len(text)}
            entry = AuditEntry("wake.asked", {"parameters": parameters, "outcome": "armed"})
            transaction.audit(campaign_id, [entry], actor=self.actor, cause=f"wake {request_id}", at=now)
        return request_id

    def settle_wake(self, campaign_id: str, request_id: int, status: WakeStatus, outcome: str = "") -> None:
        """Say what came of an armed request. Raises `wake_unknown` if it is not armed any more."""
        with self.journal.transaction() as transaction:
            now = self.clock.now()
            wake_request = wake_requests.armed_of(transaction.connection, campaign_id, request_id)
            if wake_request is None or not wake_requests.settle(
                transaction.connection, request_id, status, now, outcome
            ):
                raise OutriderError("wake_unknown")
            entry = AuditEntry(
                "wake.settled", {"parameters": {"reason": wake_request.reason}, "outcome": outcome or status}
            )
            transaction.audit(campaign_id, [entry], actor=self.actor, cause=f"wake {request_id}", at=now)

    def reset_fault(self, campaign_id: str, reason: Sentence) -> None:
        """Bring a faulted campaign back to rest, with the user's reason; raises `campaign_unknown`, or `fault_none` if none is."""
        with self.journal.transaction() as transaction:
            position, now = campaigns.existing_position(transaction.connection, campaign_id), self.clock.now()
            if position.state is not TurnState.FAULTED:
                raise OutriderError("fault_none")
            machine = TurnMachine(position.state)
            machine.dispatch(TurnEventKind.RESET_FAULT, reason)
            events: list[Event] = [RuntimeChanged(campaign_id, state=machine.state, turn_lock=0)]
            if position.campaign.status is CampaignStatus.ERROR:
                events.append(CampaignRecovered(campaign_id, status_reason=reason[:500]))
            entry = AuditEntry("turn.fault_reset", {"parameters": {"reason": reason[:500]}, "outcome": machine.state})
            cause = f"reset {machine.history}"
            transaction.audit(campaign_id, [entry], actor=self.actor, cause=cause, at=now)
            transaction.record(campaign_id, events, actor=self.actor, cause=cause, at=now)
