"""Commands that could not be reapplied after another device's: what was decided, what holds instead, repeating them.

To repeat a command is to give it once more as it was stored: checked against what is true now, its errors shown. What it is
called for people, and where they find what it is about, is the page's matter.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from backend.commands.command import COMMANDS, STREAM, Command, complete_arguments, parse_command
from backend.commands.send_words import SAY
from backend.commands.user_commands import Commands
from backend.domain.condition import Condition
from backend.domain.errors import OutriderError
from backend.domain.events import EVENT_KINDS, AuditEntry, Event, Row
from backend.domain.message import ApprovalStatus
from backend.domain.rebase import RebaseStatus
from backend.domain.task import TaskKind, TaskStatus
from backend.store.database import Database, DatabaseConnection
from backend.store.log.journal import TrialJournal, WouldRecordError
from backend.store.queries import actions, approvals, artifacts, leads, messages, tasks
from backend.store.queries import soul as soul_queries
from backend.store.replication import rebase_queue
from backend.store.replication.rebase_queue import Conflict

_ABOUT = frozenset({"lead_id", "lead_ids", "message_id", "task_id"})
"""The arguments that name a person, a text to them, or the task to reach them: two devices may have made each apart."""

_MADE_APART = frozenset({"lead", "message", "task"})

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

    Raises `decision_not_repeatable`, also for what would change nothing although it is not so, and what the command itself
    raises; then the conflict still waits.
    """
    if choice == "mine":
        if _changes_nothing(commands_for, conflict) and not _is_so(commands_for, conflict):
            raise OutriderError("decision_not_repeatable")
        _repeat(commands_for, conflict)
    commands = commands_for(conflict.campaign_id)
    now = commands.clock.now()
    with commands.journal.transaction() as transaction:
        if rebase_queue.set_status(transaction.connection, conflict.id, RebaseStatus(choice), now):
            entry = AuditEntry("conflict_resolved", {"conflict": conflict.id, "choice": choice})
            transaction.audit(conflict.campaign_id, [entry], actor=commands.actor, cause="conflict", at=now)


def repeat_unasked(commands_for: Callable[[str], Commands], database: Database) -> bool:
    """Repeat what only forbids, takes back or says what happened, in the order in which it was decided; whether any waited.

    What the user did not want must not wait for a choice, what they said need not be said again, and what is so anyway leaves
    no choice, unless it followed on a decision that waits. What cannot be repeated (the text was sent meanwhile, the same is
    not asked any more) stays for the user to see.
    """
    with database.read() as connection:
        waiting = rebase_queue.open_conflicts(connection)
    undecided: set[str] = set()
    for conflict in waiting:
        about = {event.entity_id for event in conflict.events}
        command = parse_command(conflict.cause, conflict.campaign_id)
        with suppress(OutriderError):
            if command is not None and _is_repeated_unasked(commands_for, conflict, command):
                resolve(commands_for, conflict, "mine")
                continue
            if about.isdisjoint(undecided) and _is_so_anyway(commands_for, conflict):
                resolve(commands_for, conflict, "theirs")
                continue
        undecided |= about
    return bool(waiting)


def _is_repeated_unasked(commands_for: Callable[[str], Commands], conflict: Conflict, command: Command) -> bool:
    definition = COMMANDS[command.name]
    if not definition.is_repeated_unasked(command.arguments):
        return False
    if not definition.yields:
        return True
    with commands_for(conflict.campaign_id).journal.database.read() as connection:
        return not any(_described(connection, conflict).theirs.values())


def _is_so_anyway(commands_for: Callable[[str], Commands], conflict: Conflict) -> bool:
    """Whether another device decided the same: the command would change nothing, or gave what may be given once."""
    try:
        return _changes_nothing(commands_for, conflict) and _is_so(commands_for, conflict)
    except OutriderError:
        return _is_given(commands_for, conflict)


def _changes_nothing(commands_for: Callable[[str], Commands], conflict: Conflict) -> bool:
    try:
        _repeat(lambda stream: _on_trial(commands_for(stream)), conflict)
    except WouldRecordError:
        return False
    return True


def _is_so(commands_for: Callable[[str], Commands], conflict: Conflict) -> bool:
    """Whether what was decided about a person or a text is what holds; who is left alone may be so for another reason."""
    with commands_for(conflict.campaign_id).journal.database.read() as connection:
        found = _described(connection, conflict)
    if EVENT_KINDS[found.event.kind].entity not in _MADE_APART or found.mine == found.theirs:
        return True
    return bool(found.mine.get("blocked") and found.theirs.get("blocked"))


def _on_trial(commands: Commands) -> Commands:
    return replace(commands, journal=TrialJournal(commands.journal))


def _is_given(commands_for: Callable[[str], Commands], conflict: Conflict) -> bool:
    """Whether the same approval was given, the same text written, the same task dropped."""
    command, arguments = _arguments(conflict)
    given = _GIVEN_ONCE.get(command.name)
    if given is None:
        return False
    with commands_for(conflict.campaign_id).journal.database.read() as connection:
        return given(connection, conflict, _standing_arguments(connection, conflict, arguments))


def _is_approved(connection: DatabaseConnection, _: Conflict, about: Mapping[str, Any]) -> bool:
    approval = approvals.approval_of(connection, about["message_id"])
    if approval is None or approval.status not in (ApprovalStatus.OPEN, ApprovalStatus.USED):
        return False
    return bool(approval.digest == about["shown_digest"])


def _is_written(connection: DatabaseConnection, conflict: Conflict, about: Mapping[str, Any]) -> bool:
    stream = about[STREAM]
    in_place = _standing(connection, stream, about["message_id"], conflict.id, same_text=False)
    message = messages.message(connection, stream, in_place)
    return message is not None and message.text == about["text"]


def _is_answered(connection: DatabaseConnection, _: Conflict, about: Mapping[str, Any]) -> bool:
    waiting = messages.waiting_answer(connection, about["lead_id"])
    return waiting is not None and waiting.text == about["text"]


def _is_dropped(connection: DatabaseConnection, _: Conflict, about: Mapping[str, Any]) -> bool:
    task = tasks.task(connection, about[STREAM], about["task_id"])
    return task is not None and task.status is TaskStatus.DROPPED


_GIVEN_ONCE: Mapping[str, Callable[[DatabaseConnection, Conflict, Mapping[str, Any]], bool]] = {
    "approve": _is_approved,
    "edit": _is_written,
    "replies.answer": _is_answered,
    "tasks.drop": _is_dropped,
}
"""What is refused when it is given again, and whether it was."""


def _repeat(commands_for: Callable[[str], Commands], conflict: Conflict) -> None:
    command, arguments = _arguments(conflict)
    commands = commands_for(arguments.get(STREAM, conflict.campaign_id))
    with commands.journal.database.read() as connection:
        arguments = _standing_arguments(connection, conflict, arguments)
    attrgetter(command.name)(commands)(**arguments)


def _arguments(conflict: Conflict) -> tuple[Command, dict[str, Any]]:
    """What was decided. Raises `decision_not_repeatable`."""
    command = parse_command(conflict.cause, conflict.campaign_id)
    arguments = complete_arguments(command, conflict.events) if command else None
    if command is None or arguments is None:
        raise OutriderError("decision_not_repeatable")
    return command, arguments


def _standing_arguments(
    connection: DatabaseConnection, conflict: Conflict, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """About whom and what stands in their place."""
    stream = arguments.get(STREAM, conflict.campaign_id)
    return {
        name: _standing(connection, stream, value, conflict.id) if name in _ABOUT else value
        for name, value in arguments.items()
    }


def _standing(
    connection: DatabaseConnection, campaign_id: str, named: Any, conflict_id: str, *, same_text: bool = True
) -> Any:
    """The same ids, but of what stands in the place of what was made here and not reapplied: of the same person, of the task
    to reach them, or of the text to them for the same step, if it says the same as when that was decided.

    What a decision was about does not depend on which device made it first.
    """
    if isinstance(named, list):
        return [_standing(connection, campaign_id, id_, conflict_id) for id_ in named]
    made = rebase_queue.made_here(connection, campaign_id, named, conflict_id) if named else {}
    if "member_key" in made:
        known = leads.leads_of_members(connection, campaign_id, [made["member_key"]])
        return known[made["member_key"]].id if known else named
    if made.get("kind") == TaskKind.REACH_LEAD:
        task = tasks.task_of_lead(connection, _standing(connection, campaign_id, made["lead_id"], conflict_id))
        return task.id if task is not None else named
    if "step" in made and "text" in made:
        lead_id = _standing(connection, campaign_id, made["lead_id"], conflict_id)
        message = messages.latest_of_step(connection, lead_id, made["step"])
        return message.id if message and (message.text == made["text"] or not same_text) else named
    return named


def _described(connection: DatabaseConnection, conflict: Conflict) -> DescribedConflict:
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
        command is not None and complete_arguments(command, conflict.events) is not None,
    )


def _current_row(connection: DatabaseConnection, conflict: Conflict, event: Event, *, same_text: bool = True) -> Row:
    if EVENT_KINDS[event.kind].entity in _MADE_APART:
        stream, id_ = conflict.campaign_id, event.entity_id
        event = event._replace(entity_id=_standing(connection, stream, id_, conflict.id, same_text=same_text))
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
