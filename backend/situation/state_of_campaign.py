"""The state of a campaign as of now, read from what waits for the user and from what comes by itself."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from backend.domain.events.facts.sentences import blocked_words
from backend.domain.model.campaign import Campaign, CampaignStatus
from backend.domain.model.channel import is_settled_by_user, user_families
from backend.domain.model.task import NEVER, ActionFamily
from backend.domain.reports.campaign_state import CampaignState, Need, StateFacts, campaign_state
from backend.situation import wait_reasons
from backend.situation.send_queue import people_by_hand
from backend.situation.situations import TurnInputs, hold_refusal
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions
from backend.store.queries.contact import incidents, messages
from backend.store.queries.leads import leads
from backend.store.queries.people import people
from backend.store.queries.reports import today

MOST_COUNTED = 1_000
_NEXT = 6


class Coming(NamedTuple):
    """When the next thing is done by itself (ms UTC), and what keeps it from being done sooner."""

    at: int
    reason: str


def state_of(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, needs: Mapping[Need, int]
) -> CampaignState:
    """The state of the campaign for which so much waits for the user (`needs_of`)."""
    next_step = next_by_itself(connection, campaign, inputs) if campaign.runs else None
    unreachable = today.unreachable(connection, campaign.id) if campaign.runs and next_step is None else None
    return campaign_state(
        StateFacts(
            status=campaign.status,
            now=inputs.now,
            offset_at=inputs.offset_at,
            status_reason=campaign.status_reason,
            is_archived=campaign.archived,
            incident=incidents.open_incident(connection, campaign.account),
            needs=needs,
            next_at=next_step.at if next_step else None,
            wait_reason=next_step.reason if next_step else "",
            unreachable=blocked_words(unreachable.blocked) if unreachable else "",
        )
    )


def needs_of(
    connection: DatabaseConnection,
    campaign: Campaign,
    inputs: TurnInputs,
    *,
    refused: Collection[str] = (),
    importing: bool = False,
) -> dict[Need, int]:
    """How much there is for the user to decide or to do, the same on every surface: the page, the terminal, connected programs.

    `refused`: why nobody may be written to at all.
    """
    has_leads = bool(leads.lead_counts(connection, campaign.id))
    cut_off = today.is_import_cut_off(connection, campaign.id) and not importing
    return {
        Need.IMPORT_AGAIN: int(cut_off),
        Need.ADD_LEADS: int(not (has_leads or cut_off or importing)),
        Need.READ: today.count_unread_replies(connection, campaign.id, MOST_COUNTED),
        Need.SEND: _count_to_send(connection, campaign, inputs, refused),
        Need.APPROVE: count_approvable(connection, campaign, inputs, MOST_COUNTED),
        Need.ANSWER: len(questions.list_open(connection, campaign.id, MOST_COUNTED, own=True)),
        Need.TELL_APART: people.count_open_doubts(connection, [campaign.id]),
    }


def _count_to_send(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, refused: Collection[str]
) -> int:
    """How many people wait for the user's own hand now; whoever looks is here."""
    if not is_settled_by_user(campaign.site) or campaign.status is CampaignStatus.COMPLETED:
        return 0
    return len(people_by_hand(connection, [campaign], inputs._replace(present=True), refused).people)


def next_by_itself(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> Coming | None:
    """What comes next; what the user's hand could do now is not waited for."""
    shut = wait_reasons.shut_gates(connection, campaign, inputs)
    by_hand = user_families(campaign.site)
    upcoming: list[Coming] = []
    for task in wait_reasons.coming(connection, campaign, inputs, _NEXT):
        family = ActionFamily(task.needs)
        gate = shut.get(family)
        at = wait_reasons.possible_from(task.needs, task.ready_at, campaign, inputs, shut)
        if at < NEVER and not (family in by_hand and at <= inputs.now):
            upcoming.append(Coming(at, gate.sentence if gate is not None and at > task.ready_at else ""))
    return min(upcoming, default=None)


def count_approvable(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, most: int) -> int:
    """Of the first `most` drafts, those for nobody who is with another campaign or of whom it is asked who they are.

    Approving one of the others is refused (`person_held`), so no count asks for it.
    """
    return sum(_approvable(connection, campaign, inputs, most))


def is_any_approvable(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> bool:
    """Whether there is anything for the user to approve."""
    return any(_approvable(connection, campaign, inputs, _MOST_LOOKED_AT))


_MOST_LOOKED_AT = 1_000


def _approvable(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, most: int) -> Iterator[bool]:
    leads = messages.leads_of_drafts(connection, campaign.id, most)
    return (hold_refusal(connection, lead_id, inputs) is None for lead_id in leads)
