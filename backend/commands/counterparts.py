"""Counterparts: what another device had made before, so that the same, made here, was not reapplied.

Two devices that were apart may each have imported a person, planned the task to reach them and drafted a text to them. What a
decision was about does not depend on which device made it first.
"""

from collections.abc import Mapping
from typing import Any

from backend.commands.command import STREAM
from backend.domain.model.task import TaskKind
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import tasks
from backend.store.queries.contact import messages
from backend.store.queries.leads import leads
from backend.store.replication import rebase_queue
from backend.store.replication.rebase_queue import Conflict

MADE_APART = frozenset({"lead", "message", "task"})
"""What two devices may have made each apart."""

_ABOUT = frozenset({"lead_id", "lead_ids", "message_id", "task_id"})
"""The arguments that name a person, a text to them, or the task to reach them."""


def counterpart_arguments(
    connection: DatabaseConnection, conflict: Conflict, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a command, about the counterparts of what they name."""
    stream = arguments.get(STREAM, conflict.campaign_id)
    return {
        name: counterpart(connection, stream, value, conflict.id) if name in _ABOUT else value
        for name, value in arguments.items()
    }


def counterpart(
    connection: DatabaseConnection, campaign_id: str, named: Any, conflict_id: str, *, same_text: bool = True
) -> Any:
    """The same ids, but of what counts in their place.

    That is the same person, the task to reach them, or the text to them for the same step, if it says the same as when that
    was decided.
    """
    if isinstance(named, list):
        return [counterpart(connection, campaign_id, id_, conflict_id) for id_ in named]
    made = rebase_queue.made_here(connection, campaign_id, named, conflict_id) if named else {}
    if "member_key" in made:
        leads_of_member = leads.leads_of_members(connection, campaign_id, [made["member_key"]])
        return leads_of_member[made["member_key"]].id if leads_of_member else named
    if made.get("kind") == TaskKind.REACH_LEAD:
        task = tasks.task_of_lead(connection, counterpart(connection, campaign_id, made["lead_id"], conflict_id))
        return task.id if task is not None else named
    if "step" in made and "text" in made:
        lead_id = counterpart(connection, campaign_id, made["lead_id"], conflict_id)
        message = messages.latest_of_step(connection, lead_id, made["step"])
        return message.id if message and (message.text == made["text"] or not same_text) else named
    return named
