"""The state of a campaign as of now, read from what waits for the user and from what comes by itself."""

from typing import NamedTuple

from backend.domain.campaign import Campaign, CampaignStatus
from backend.domain.campaign_state import CampaignState, Need, StateFacts, campaign_state
from backend.domain.channel import is_settled_by_user, user_families
from backend.domain.task import NEVER, ActionFamily
from backend.ports.clock import Clock
from backend.runtime.send_session import SendSession
from backend.store.database import DatabaseConnection
from backend.store.queries import campaign_overview, incidents, leads, messages, people, questions, today
from backend.turn import wait_reasons
from backend.turn.load import TurnInputs

MOST_COUNTED = 100
_NEXT = 6


class Coming(NamedTuple):
    """When the next thing is done by itself (ms UTC), and what keeps it from being done sooner."""

    at: int
    held: str


def state_of(
    connection: DatabaseConnection, campaign: Campaign, around: TurnInputs, *, to_send: int, importing: bool = False
) -> CampaignState:
    """The state of the campaign; `to_send` people wait for the user's own hand now."""
    brief = campaign_overview.state(connection, campaign.id)
    coming = next_by_itself(connection, campaign, around) if campaign.status is CampaignStatus.ACTIVE else None
    return campaign_state(
        StateFacts(
            status=campaign.status,
            now=around.now,
            offset=around.offset,
            status_reason=brief.reason if brief else "",
            is_archived=campaign.archived,
            incident=incidents.open_incident(connection, campaign.account),
            needs=needs_of(connection, campaign.id, to_send, importing=importing),
            next_at=coming.at if coming else None,
            held=coming.held if coming else "",
        )
    )


def count_to_send(connection: DatabaseConnection, campaign: Campaign, session: SendSession, clock: Clock) -> int:
    """How many people wait for the user's own hand now."""
    if not is_settled_by_user(campaign.site) or campaign.status is CampaignStatus.COMPLETED:
        return 0
    return len(session.state(connection, campaign.id, clock).people)


def needs_of(
    connection: DatabaseConnection, campaign_id: str, to_send: int, *, importing: bool = False
) -> dict[Need, int]:
    """How much waits for the user, counted as Today, Review, Inbox and Send count it."""
    has_leads = bool(leads.lead_counts(connection, campaign_id))
    cut_off = today.is_import_cut_off(connection, campaign_id) and not importing
    return {
        Need.IMPORT_AGAIN: int(cut_off),
        Need.ADD_LEADS: int(not (has_leads or cut_off or importing)),
        Need.READ: today.count_unread_replies(connection, campaign_id, MOST_COUNTED),
        Need.SEND: to_send,
        Need.APPROVE: messages.open_drafts(connection, campaign_id, MOST_COUNTED),
        Need.ANSWER: len(questions.list_open(connection, campaign_id, MOST_COUNTED, own=True)),
        Need.TELL_APART: people.count_in_doubt(connection, campaign_id),
    }


def next_by_itself(connection: DatabaseConnection, campaign: Campaign, around: TurnInputs) -> Coming | None:
    """What comes next; what the user's hand could do now is not waited for."""
    shut = wait_reasons.shut_gates(connection, campaign, around)
    by_hand = user_families(campaign.site)
    found: list[Coming] = []
    for task in wait_reasons.coming(connection, campaign, around, _NEXT):
        family = ActionFamily(task.needs)
        gate = shut.get(family)
        at = task.ready_at if gate is None else max(task.ready_at, gate.until or NEVER)
        if at < NEVER and not (family in by_hand and at <= around.now):
            found.append(Coming(at, gate.sentence if gate is not None and at > task.ready_at else ""))
    return min(found, default=None)
