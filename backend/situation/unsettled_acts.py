"""Acts whose outcome is not known: an intent that was cut off, or one that was settled as unknown."""

import json
from dataclasses import dataclass

from backend.domain.contact.sends import SendContext
from backend.domain.contact.unsettled import ActUnderWay
from backend.domain.contact.withdrawals import WithdrawalContext
from backend.domain.model.sequence import next_step
from backend.domain.model.site import Attempt, SiteAnswer
from backend.domain.model.task import ActionFamily
from backend.domain.values.real_time import RealTime
from backend.store.database import DatabaseConnection
from backend.store.log.projections import LostRowError
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.contact import actions, messages
from backend.store.queries.contact.actions import ActionRow
from backend.store.queries.leads import leads


@dataclass(frozen=True, slots=True)
class OpenAction:
    """An action that is `intended` or `outcome_unknown`, with what was seen of it.

    `cut_off` says that the process that acted ended before it saw an answer; `intended_at` is in real time.
    """

    id: str
    task_id: str
    lead_id: str
    message_id: str
    approval_id: str
    attempt: Attempt
    seen_before: int
    status: str
    family: str
    intended_at: RealTime
    cut_off: bool


def open_actions(connection: DatabaseConnection, campaign_id: str) -> list[OpenAction]:
    """All of them, oldest first."""
    return [_action(row) for row in actions.open_actions(connection, campaign_id)]


def _action(row: ActionRow) -> OpenAction:
    # No recorded claim means that the answer was never seen.
    attempt = Attempt(
        SiteAnswer(row.claim or SiteAnswer.NO_ANSWER), row.said or "the process ended before the outcome was seen"
    )
    return OpenAction(
        row.id,
        row.task_id,
        row.lead_id,
        row.message_id,
        row.approval_id,
        attempt,
        row.seen_before,
        row.status,
        row.family,
        _real_time(row.real_time),
        row.claim == "",
    )


def _real_time(stored: str) -> RealTime:
    """As it was stored with the intent; what cannot be read (another device's log is data) compares with no clock."""
    try:
        wall, monotonic, boot = json.loads(stored)
        return RealTime(int(wall), int(monotonic), str(boot))
    except (TypeError, ValueError):
        return RealTime(0, 0)


def act_of(connection: DatabaseConnection, campaign_id: str, action: OpenAction) -> ActUnderWay:
    """The send or the withdrawal that an open action is, with its rows as they are now."""
    if action.family == ActionFamily.WITHDRAW:
        return load_withdrawal(
            connection, campaign_id, action_id=action.id, task_id=action.task_id, lead_id=action.lead_id
        )
    return load_sending(
        connection,
        campaign_id,
        action_id=action.id,
        task_id=action.task_id,
        lead_id=action.lead_id,
        message_id=action.message_id,
        approval_id=action.approval_id,
    )


def load_sending(
    connection: DatabaseConnection,
    campaign_id: str,
    *,
    action_id: str,
    task_id: str,
    lead_id: str,
    message_id: str,
    approval_id: str,
) -> SendContext:
    """A send with its rows as they are now. Rows of a campaign are never deleted: one that is gone is a defect."""
    campaign = campaigns.campaign(connection, campaign_id)
    task = tasks.task(connection, campaign_id, task_id)
    lead = leads.lead(connection, campaign_id, lead_id)
    message = messages.message(connection, campaign_id, message_id)
    if campaign is None or task is None or lead is None or message is None:
        raise LostRowError(f"a row of action {action_id} is gone")
    attempts = messages.attempts(connection, message_id)
    intended_at = actions.intended_at(connection, action_id)
    return SendContext(action_id, campaign, task, lead, message, approval_id, attempts, intended_at)


def load_withdrawal(
    connection: DatabaseConnection, campaign_id: str, *, action_id: str, task_id: str, lead_id: str
) -> WithdrawalContext:
    """A withdrawal with its rows as they are now, and what is left of the lead's sequence."""
    campaign = campaigns.campaign(connection, campaign_id)
    task = tasks.task(connection, campaign_id, task_id)
    lead = leads.lead(connection, campaign_id, lead_id)
    if campaign is None or task is None or lead is None:
        raise LostRowError(f"a row of action {action_id} is gone")
    outreach = tasks.task_of_lead(connection, lead_id)
    step = next_step(campaign.settings.sequence, lead)
    message = messages.message_of_step(connection, lead_id, step.key) if step is not None and step.writes else None
    texts = tuple(messages.waiting_texts(connection, lead_id))
    return WithdrawalContext(action_id, campaign, task, lead, outreach, message, texts)


def questions_about(connection: DatabaseConnection, task_id: str) -> list[str]:
    """Open questions to the user about what became of a send of this task."""
    return [question.id for question in questions.list_open_of_task(connection, task_id, "outcome_unknown")]
