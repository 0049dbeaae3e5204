"""Acts whose outcome is not known: an intent that was cut off, or one that was settled as unknown."""

import sqlite3
from dataclasses import dataclass

from backend.domain.sends import Sending
from backend.domain.site import Attempt, Claim
from backend.store import reading
from backend.store.projections import LostRowError


@dataclass(frozen=True, slots=True)
class OpenAction:
    """An action that is `intended` or `outcome_unknown`, with what was seen of it."""

    id: str
    task_id: str
    lead_id: str
    message_id: str
    approval_id: str
    attempt: Attempt
    seen_before: int
    status: str
    family: str
    intended_at: int


_COLUMNS = "id, task_id, lead_id, message_id, approval_id, claim, said, seen_before, status, family, intended_at"


def open_actions(connection: sqlite3.Connection, campaign_id: str) -> list[OpenAction]:
    """All of them, oldest first."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM actions WHERE campaign_id=? AND status IN ('intended', 'outcome_unknown')"  # noqa: S608
        " ORDER BY intended_at, id",
        (campaign_id,),
    ).fetchall()
    return [_action(row) for row in rows]


def _action(row: tuple[str, str, str, str, str, str, str, int, str, str, int]) -> OpenAction:
    action_id, task_id, lead_id, message_id, approval_id, claim, said, seen_before, status, family, intended_at = row
    # No recorded claim means that the answer was never seen.
    attempt = Attempt(Claim(claim or Claim.NO_ANSWER), said or "the process ended before the outcome was seen")
    return OpenAction(
        action_id, task_id, lead_id, message_id, approval_id, attempt, seen_before, status, family, intended_at
    )


def sending_of(connection: sqlite3.Connection, campaign_id: str, action: OpenAction) -> Sending:
    """The send that an open action is about, with its rows as they are now."""
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
    connection: sqlite3.Connection,
    campaign_id: str,
    *,
    action_id: str,
    task_id: str,
    lead_id: str,
    message_id: str,
    approval_id: str,
) -> Sending:
    """A send with its rows as they are now. Rows of a campaign are never deleted: one that is gone is a defect."""
    campaign = reading.campaign(connection, campaign_id)
    task = reading.task(connection, campaign_id, task_id)
    lead = reading.lead(connection, campaign_id, lead_id)
    message = reading.message(connection, campaign_id, message_id)
    if campaign is None or task is None or lead is None or message is None:
        raise LostRowError(f"a row of action {action_id} is gone")
    attempts = reading.attempts(connection, message_id)
    return Sending(action_id, campaign, task, lead, message, approval_id, attempts)


def questions_about(connection: sqlite3.Connection, task_id: str) -> list[str]:
    """Open questions to the user about what became of a send of this task."""
    rows = connection.execute(
        "SELECT id FROM input_requests WHERE task_id=? AND kind='outcome_unknown' AND status='open'", (task_id,)
    )
    return [row[0] for row in rows]
