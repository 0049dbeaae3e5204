"""Which drafts the user can approve now: not those for people who are held."""

from collections.abc import Iterator

from backend.domain.model.campaign import Campaign
from backend.situation.situations import TurnInputs, hold_refusal
from backend.store.database import DatabaseConnection
from backend.store.queries.contact import messages


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
