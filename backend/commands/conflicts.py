"""Commands that could not be reapplied after another device's: what was decided, what holds instead, repeating them.

To repeat a command is to give it once more as it was stored: checked against what is true now, its errors shown. What it is
called for people, and where they find what it is about, is the page's matter.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from backend.commands.command import COMMANDS, STREAM, Command, complete_arguments, parse_command
from backend.commands.send_words import SAY
from backend.commands.user_commands import Commands
from backend.domain.condition import Condition
from backend.domain.errors import OutriderError
from backend.domain.events import EVENT_KINDS, AuditEntry, Event, Row
from backend.domain.rebase import RebaseStatus
from backend.store.database import Database, DatabaseConnection
from backend.store.queries import actions, artifacts, leads, messages
from backend.store.queries import soul as soul_queries
from backend.store.replication import rebase_queue
from backend.store.replication.rebase_queue import Conflict

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
    can_repeat: bool


def open_conflicts(connection: DatabaseConnection) -> list[DescribedConflict]:
    """All that wait for a choice, oldest first."""
    return [_described(connection, conflict) for conflict in rebase_queue.open_conflicts(connection)]


def resolve(commands_for: Callable[[str], Commands], conflict: Conflict, choice: Literal["mine", "theirs"]) -> None:
    """Repeat the command by the clock of its campaign, or leave what holds now.

    Raises `decision_not_repeatable`, and what the command itself raises; then the conflict still waits.
    """
    if choice == "mine":
        _repeat(commands_for, conflict)
    commands = commands_for(conflict.campaign_id)
    now = commands.clock.now()
    with commands.journal.transaction() as transaction:
        if rebase_queue.set_status(transaction.connection, conflict.id, RebaseStatus(choice), now):
            entry = AuditEntry("conflict_resolved", {"conflict": conflict.id, "choice": choice})
            transaction.audit(conflict.campaign_id, [entry], actor=commands.actor, cause="conflict", at=now)


def repeat_unasked(commands_for: Callable[[str], Commands], database: Database) -> bool:
    """Repeat what only forbids, takes back or says what happened, in the order in which it was decided; whether any waited.

    What the user did not want must not wait for a choice, and what they said need not be said again. What cannot be repeated
    (the text was sent meanwhile, the same is not asked any more) stays for the user to see.
    """
    with database.read() as connection:
        waiting = rebase_queue.open_conflicts(connection)
    for conflict in waiting:
        command = parse_command(conflict.cause, conflict.campaign_id)
        if command is None or not COMMANDS[command.name].is_repeated_unasked(command.arguments):
            continue
        with suppress(OutriderError):
            resolve(commands_for, conflict, "mine")
    return bool(waiting)


def _repeat(commands_for: Callable[[str], Commands], conflict: Conflict) -> None:
    command = parse_command(conflict.cause, conflict.campaign_id)
    arguments = complete_arguments(command, conflict.events) if command else None
    if command is None or arguments is None:
        raise OutriderError("decision_not_repeatable")
    stream = arguments.get(STREAM, conflict.campaign_id)
    commands = commands_for(stream)
    with commands.journal.database.read() as connection:
        about = {
            name: _standing(connection, stream, arguments[name])
            for name in ("lead_id", "lead_ids", "message_id")
            if name in arguments
        }
    attrgetter(command.name)(commands)(**arguments | about)


def _standing(connection: DatabaseConnection, campaign_id: str, named: Any) -> Any:
    """The same ids, but of what stands in the place of what was made here and not reapplied: of the same person, or of the
    same text to them for the same step. What a decision was about does not depend on which device made it first."""
    if isinstance(named, list):
        return [_standing(connection, campaign_id, id_) for id_ in named]
    made = rebase_queue.made_here(connection, campaign_id, named)
    if "member_key" in made:
        known = leads.leads_of_members(connection, campaign_id, [made["member_key"]])
        return known[made["member_key"]].id if known else named
    if "step" in made and "text" in made:
        lead_id = _standing(connection, campaign_id, made["lead_id"])
        message = messages.message_of_step(connection, lead_id, made["step"])
        return message.id if message is not None and message.text == made["text"] else named
    return named


def _described(connection: DatabaseConnection, conflict: Conflict) -> DescribedConflict:
    command = parse_command(conflict.cause, conflict.campaign_id)
    event, column = _main_event(command, conflict.events)
    row = rebase_queue.current_row(connection, conflict.campaign_id, event)
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
        _subject(connection, command, event, row),
        _shortened(mine),
        _shortened(theirs),
        command is not None and complete_arguments(command, conflict.events) is not None,
    )


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
    return row.get(column)


def _newest_content(connection: DatabaseConnection, campaign_id: str, event: Event) -> str:
    type_, key = event.changes["artifact_type"], event.changes["artifact_key"]
    newest = artifacts.latest_version(connection, campaign_id, type_, key)
    found = artifacts.stored(connection, campaign_id, type_, key, newest)
    return found.text if found else ""


def _edits(event: Event, row: Row) -> tuple[Row, Row]:
    """What an edit of the campaign changes, and what stands there: limits one by one."""
    mine = {name: value for name, value in event.changes.items() if name not in ("settings", "version")}
    theirs = {name: row.get(name, "") for name in mine}
    wanted, now = _limits(dict(event.changes)), _limits(row)
    for name in wanted:
        if wanted[name] != now.get(name):
            mine[name], theirs[name] = wanted[name], now.get(name, "")
    return mine, theirs


def _steps(values: Row) -> str:
    """The steps in force, a line each."""
    settings = values.get("settings")
    steps = json.loads(settings).get("sequence", {}).get("steps", []) if settings else []
    return "\n".join(_step(step) for step in steps if not step.get("removed"))


def _step(step: Row) -> str:
    after = f" after {days} days" if (days := step.get("after_days", 0)) else ""
    conditions = [Condition.model_validate(one).words for one in step.get("only_if", ())]
    only_if = f" if {' and '.join(conditions)}" if conditions else ""
    return f"{step['kind']}{after}{only_if}: {step.get('template', '')}".removesuffix(": ")


def _limits(values: Row) -> Row:
    settings = values.get("settings")
    found: Row = json.loads(settings).get("limits", {}) if settings else {}
    return found


def _words(connection: DatabaseConnection, command: Command) -> tuple[Row, Row]:
    """What was said in a send session, and what is on record of the act that it is about."""
    _, said = actions.outcome(connection, str(command.arguments.get("action_id", "")))
    return {"word": command.arguments.get("word", "")}, {"word": said}


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
