"""Before anything else at start: every intent without an outcome is settled by looking at the world."""

from dataclasses import dataclass, replace

from backend.controller.open_actions import open_actions, questions_about, sending_of
from backend.controller.tool_gateway import ToolGateway
from backend.domain.campaign import HOUR
from backend.domain.events import Event
from backend.domain.looks import incident
from backend.domain.message import Settlement
from backend.domain.sends import settled
from backend.domain.task import Needs
from backend.domain.turn import IN_FLIGHT, TurnEventKind, TurnMachine, TurnState
from backend.ports.clock import Clock
from backend.store import reading
from backend.store.journal import Journal


@dataclass(frozen=True, slots=True)
class Recovered:
    """What recovery found: the action and how it was settled."""

    action_id: str
    settlement: Settlement


def recover(journal: Journal, gateway: ToolGateway, clock: Clock, campaign_id: str) -> list[Recovered]:
    """Settle open intents, look again at unknown ones, and bring the turn machine back to rest. Idempotent."""
    results = []
    with journal.database.read() as connection:
        unsettled = [
            (action, sending_of(connection, campaign_id, action)) for action in open_actions(connection, campaign_id)
        ]
    for action, sending in unsettled:
        acted = gateway.observe(sending.lead, sending.message, action.seen_before, action.attempt)
        stale = clock.now() - action.intended_at > HOUR
        if action.family == Needs.INVITE and acted.settlement is Settlement.NOT_SENT and stale:
            # After a while "not there" can also mean delivered and declined: only the user can tell.
            acted = replace(acted, settlement=Settlement.OUTCOME_UNKNOWN)
        news = action.status != acted.settlement  # looked at again and still unknown is none
        with journal.transaction() as transaction:
            fresh = sending_of(transaction.connection, campaign_id, action)
            now, cause, new_id = clock.now(), f"recovery {action.id}", transaction.new_id
            if action not in open_actions(transaction.connection, campaign_id):
                news = False  # the user said meanwhile what became of it
            events = settled(fresh, acted.settlement, acted.attempt, now, new_id, cut_off=True) if news else []
            if acted.in_the_way is not None and acted.in_the_way.kind is not None:
                found = acted.in_the_way
                events.append(
                    incident(fresh.campaign, acted.in_the_way.kind, found.said, now, new_id, evidence=found.evidence)
                )
            if acted.settlement is not Settlement.OUTCOME_UNKNOWN:
                answered = {"status": "withdrawn", "answer": acted.settlement}
                asked = questions_about(transaction.connection, action.task_id)
                events += [Event("InputAnswered", question, answered) for question in asked]
            transaction.audit(campaign_id, gateway.take_audits(), actor="recovery", cause=cause, at=now)
            transaction.record(campaign_id, events, actor="recovery", cause=cause, at=now)
        if news:
            results.append(Recovered(action.id, acted.settlement))
    _to_rest(journal, clock, campaign_id)
    return results


_REST: dict[TurnState, tuple[TurnEventKind, ...]] = {
    TurnState.BOOTSTRAPPING: (TurnEventKind.INIT_COMPLETED,),
    TurnState.FAULTED: (TurnEventKind.RESET_FAULT,),
    # A turn that was cut off by a crash: it failed, its intent is settled by now, and the fault is reset.
    **dict.fromkeys(IN_FLIGHT, (TurnEventKind.TURN_FAILED, TurnEventKind.RESET_FAULT)),
}


def _to_rest(journal: Journal, clock: Clock, campaign_id: str) -> None:
    with journal.transaction() as transaction:
        position = reading.position(transaction.connection, campaign_id)
        if position is None or position.state not in _REST:
            return
        machine = TurnMachine(position.state)
        for kind in _REST[position.state]:
            machine.dispatch(kind, "recovery")
        rest = Event("RuntimeChanged", campaign_id, {"state": machine.state, "turn_lock": 0})
        transaction.record(campaign_id, [rest], actor="recovery", cause=f"recovery {machine.history}", at=clock.now())
