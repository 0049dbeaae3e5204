"""For when a message is planned, by what waits before it."""

from backend.domain.campaign import DAY, MINUTE, Campaign
from backend.domain.lead import Lead
from backend.domain.message import Message
from backend.domain.send_forecast import MOST_DAYS, goes_out_at
from backend.domain.sequence import due_step
from backend.domain.task import ActionFamily
from backend.store.database import DatabaseConnection
from backend.store.queries import messages
from backend.turn import load as loading
from backend.turn.load import TurnInputs


def planned_at(
    connection: DatabaseConnection, campaign: Campaign, lead: Lead, message: Message, around: TurnInputs
) -> int:
    """About when a message of a sequence that is approved now can go out (ms UTC), behind those approved before it.

    Where limits and hours allow none within two months, the end of that time.
    """
    family = ActionFamily.INVITE if message.kind == "invitation" else ActionFamily.MESSAGE
    facts = loading.account_facts(connection, campaign, around, family, "")
    settings = campaign.settings
    due = due_step(settings.sequence, lead, message, around.now, settings.limits.thread_fresh_minutes * MINUTE)
    ahead = messages.approved_of_account(connection, campaign.account, message.kind)
    planned = goes_out_at(facts, ahead, max(due.at, around.now))
    return around.now + MOST_DAYS * DAY if planned is None else planned
