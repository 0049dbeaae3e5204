"""For when a message is planned, by what waits before it."""

from backend.domain.campaign import DAY, MINUTE, Campaign
from backend.domain.lead import Lead
from backend.domain.message import SENT_BY, Message
from backend.domain.send_forecast import MOST_DAYS, goes_out_at, is_prepared
from backend.domain.sequence import due_step
from backend.store.database import DatabaseConnection
from backend.store.queries import messages
from backend.turn import load as loading
from backend.turn.load import TurnInputs
from backend.turn.prepared import waiting_of


def prepared_until(connection: DatabaseConnection, campaign: Campaign, around: TurnInputs) -> int | None:
    """Until when enough is prepared of what the campaign sends (ms UTC), so that nothing is drafted for anybody new; else None."""
    ends = list[int | None]()
    for family, ahead in waiting_of(connection, campaign).items():
        facts = loading.account_facts(connection, campaign, around, family, "")
        if is_prepared(facts, ahead):
            ends.append(goes_out_at(facts, ahead - 1))
    return min((end for end in ends if end is not None), default=None)


def planned_at(
    connection: DatabaseConnection, campaign: Campaign, lead: Lead, message: Message, around: TurnInputs
) -> int:
    """About when a message of a sequence that is approved now can go out (ms UTC), behind those approved before it.

    Where limits and hours allow none within two months, the end of that time.
    """
    facts = loading.account_facts(connection, campaign, around, SENT_BY[message.kind], "")
    settings = campaign.settings
    due = due_step(settings.sequence, lead, message, around.now, settings.limits.thread_fresh_minutes * MINUTE)
    ahead = messages.approved_of_account(connection, campaign.account, message.kind)
    planned = goes_out_at(facts, ahead, max(due.at, around.now))
    return around.now + MOST_DAYS * DAY if planned is None else planned
