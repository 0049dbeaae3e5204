"""What was decided in a command that could not be reapplied, and what holds instead, for the user to choose.

Also its counterparts: what another device had made before, so that the same, made here, was not reapplied. Two devices that
were apart may each have imported a person, planned the task to reach them and drafted a text to them. What a decision was
about does not depend on which device made it first.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from backend.commands.command import COMMANDS, STREAM, Command, parse_command
from backend.commands.send_words import SAY
from backend.domain.events.events import EVENT_KINDS, Event, Row
from backend.domain.model.condition import Condition
from backend.domain.model.task import TaskKind
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import tasks
from backend.store.queries.contact import actions, messages
from backend.store.queries.leads import leads
from backend.store.queries.turn import artifacts
from backend.store.queries.turn import soul as soul_queries
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


LONGEST = 2_000
"""Characters of a value that are shown."""


class DescribedConflict(NamedTuple):
    """A conflict with its command, None if none is known; `event` says what was decided, `mine` with what values.

    `subject` is the name of whom or what it is about, `theirs` what holds now in the place of `mine`.
    """

    conflict: Conflict
    command: Command | None
    event: Event
    subject: str
    mine: Row
    theirs: Row


def open_conflicts(connection: DatabaseConnection) -> list[DescribedConflict]:
    """All that wait for a choice, oldest first."""
    return [described(connection, conflict) for conflict in rebase_queue.open_conflicts(connection)]


def described(connection: DatabaseConnection, conflict: Conflict) -> DescribedConflict:
    """One of them, as it is to be shown."""
    command = parse_command(conflict.cause, conflict.campaign_id)
    event, column = _main_event(command, conflict.events)
    in_place = _current_row(connection, conflict, event, same_text=False)
    row = in_place if column == "text" else _current_row(connection, conflict, event)
    mine = {column: event.changes[column]} if column in event.changes else {}
    theirs = {column: _current(connection, conflict.campaign_id, event, column, row)} if column else {}
    if event.kind == "SequenceChanged":
        mine, theirs = {"sequence": _steps(dict(event.changes))}, {"sequence": _steps(row)}
    elif column == "settings":
        mine, theirs = _edits(event, row)
    elif command is not None and command.name == SAY:
        mine, theirs = _words(connection, command)
    return DescribedConflict(
        conflict,
        command,
        event,
        _subject(connection, command, event, in_place),
        _shortened(mine),
        _shortened(theirs),
    )


def _current_row(connection: DatabaseConnection, conflict: Conflict, event: Event, *, same_text: bool = True) -> Row:
    if EVENT_KINDS[event.kind].entity in MADE_APART:
        stream, id_ = conflict.campaign_id, event.entity_id
        event = event._replace(entity_id=counterpart(connection, stream, id_, conflict.id, same_text=same_text))
    return rebase_queue.current_row(connection, conflict.campaign_id, event)


def _main_event(command: Command | None, events: tuple[Event, ...]) -> tuple[Event, str]:
    """The event that says what was decided, and by which column; "" if it is only known what it is about."""
    shows = COMMANDS[command.name].shows if command else {}
    for kind, column in shows.items():
        for event in reversed(events):
            if event.kind == kind:
                return event, column
    return (events[0] if events else Event("ConfigChanged", "", {})), ""


def _current(connection: DatabaseConnection, campaign_id: str, event: Event, column: str, row: Row) -> Any:
    """What holds now; of what has versions, the newest one's."""
    match EVENT_KINDS[event.kind].entity:
        case "artifact":
            return _newest_content(connection, campaign_id, event)
        case "soul":
            return soul_queries.soul(connection).text
    value = row.get(column)
    return json.loads(value) if isinstance(value, str) and isinstance(event.changes.get(column), list) else value


def _newest_content(connection: DatabaseConnection, campaign_id: str, event: Event) -> str:
    type_, key = event.changes["artifact_type"], event.changes["artifact_key"]
    newest = artifacts.latest_version(connection, campaign_id, type_, key)
    artifact = artifacts.stored(connection, campaign_id, type_, key, newest)
    return artifact.text if artifact else ""


def _edits(event: Event, row: Row) -> tuple[Row, Row]:
    """What an edit of the campaign changes, and what stands there: limits one by one, and the weights of the scoring."""
    mine = {name: value for name, value in event.changes.items() if name not in ("settings", "version")}
    theirs = {name: row.get(name, "") for name in mine}
    chosen, current = _chosen(dict(event.changes)), _chosen(row)
    for name in chosen:
        if chosen[name] != current.get(name):
            mine[name], theirs[name] = chosen[name], current.get(name, "")
    return mine, theirs


def _steps(values: Row) -> str:
    """The steps in force, a line each."""
    settings = values.get("settings")
    steps = json.loads(settings).get("sequence", {}).get("steps", []) if settings else []
    return "\n".join(_step(step) for step in steps if not step.get("removed"))


def _step(step: Row) -> str:
    after = f" after {days} days" if (days := step.get("after_days", 0)) else ""
    conditions = [Condition.model_validate(condition).words for condition in step.get("only_if", ())]
    only_if = f" if {' and '.join(conditions)}" if conditions else ""
    return f"{step['kind']}{after}{only_if}: {step.get('template', '')}".removesuffix(": ")


def _chosen(values: Row) -> Row:
    """The limits, and the weights of the criteria for scoring."""
    stored = values.get("settings")
    settings = json.loads(stored) if stored else {}
    weights = {
        criterion["name"]: criterion["weight"] for criterion in settings.get("blueprint", {}).get("criteria", ())
    }
    return {**settings.get("limits", {}), **({"scoring": weights} if weights else {})}


def _words(connection: DatabaseConnection, command: Command) -> tuple[Row, Row]:
    """What was said in a send session, and what is on record of the act that it is about."""
    _, recorded = actions.outcome(connection, str(command.arguments.get("action_id", "")))
    return {"word": command.arguments.get("word", "")}, {"word": recorded}


def _subject(connection: DatabaseConnection, command: Command | None, event: Event, row: Row) -> str:
    """The task, the name of the lead, or else of what the event is about; "" if it has none, or is not here any more."""
    if command is not None and EVENT_KINDS[event.kind].entity == "config" and "lead_id" in command.arguments:
        return leads.full_name(connection, str(command.arguments["lead_id"])) or ""
    values = {**row, **event.changes}
    if EVENT_KINDS[event.kind].entity == "task":
        return str(values.get("description", ""))
    if "lead_id" in values:
        return leads.full_name(connection, values["lead_id"]) or ""
    named = (values.get(column) for column in ("full_name", "name", "key_name", "question"))
    return str(next((name for name in named if name), ""))


def _shortened(values: Row) -> Row:
    return {name: value[:LONGEST] if isinstance(value, str) else value for name, value in values.items()}
