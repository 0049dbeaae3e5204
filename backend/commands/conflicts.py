"""Commands that could not be reapplied after another device's: repeating them, or leaving what holds instead.

To repeat a command is to give it once more as it was stored: checked against what is true now, its errors shown. What it is
called for people, and where they find what it is about, is the page's matter.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from typing import Any, Literal

from backend.commands.command import COMMANDS, STREAM, Command, complete_arguments, parse_command
from backend.commands.conflict_description import MADE_APART, counterpart, counterpart_arguments, described
from backend.commands.independence import is_independent
from backend.commands.questions import LEAVING
from backend.commands.user_commands import Commands
from backend.domain.contact.reconciliation import CONTRADICTED
from backend.domain.device.rebase import REMARK, RebaseStatus
from backend.domain.events.events import EVENT_KINDS, WORKSPACE, AuditEntry
from backend.domain.events.facts.campaign import ConflictOpened, ConflictSettled
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.gates.approval import ApprovalStatus
from backend.domain.gates.person import TAKEN_OVER, WAITING_BLOCKS
from backend.domain.model.message import MessageStatus
from backend.domain.model.scoring import same_rules
from backend.domain.model.task import TaskStatus
from backend.domain.values.errors import OutriderError
from backend.store.database import Database, DatabaseConnection
from backend.store.log.journal import TrialJournal, WouldRecordError
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.contact import approvals, messages
from backend.store.queries.device import erased_things
from backend.store.queries.people import people
from backend.store.replication import rebase_queue, replica, shared_conflicts
from backend.store.replication.rebase_queue import Conflict
from backend.store.replication.shared_conflicts import ConflictElsewhere


def resolve(commands_for: Callable[[str], Commands], conflict: Conflict, choice: Literal["mine", "theirs"]) -> None:
    """Repeat the command by the clock of its campaign, or leave what holds now, in every stream in which that decision waits.

    Raises `decision_not_repeatable`, also for what would change nothing although it is not so, and what the command itself
    raises; then the conflict still waits.
    """
    if choice == "mine":
        _refuse_idle(commands_for, conflict)
    parts = commands_for(conflict.campaign_id).journal.database.query(_other_parts, conflict)
    _settle(commands_for, conflict, choice)
    for part in parts:
        _note_choice(commands_for, part, choice)


def _settle(commands_for: Callable[[str], Commands], conflict: Conflict, choice: Literal["mine", "theirs"]) -> None:
    if choice == "mine":
        _repeat(commands_for, conflict)
    _note_choice(commands_for, conflict, choice)


def _note_choice(
    commands_for: Callable[[str], Commands], conflict: Conflict, choice: Literal["mine", "theirs"]
) -> None:
    commands = commands_for(conflict.campaign_id)
    now = commands.clock.now()
    with commands.journal.transaction() as transaction:
        if rebase_queue.set_status(transaction.connection, conflict.id, RebaseStatus(choice), now):
            _audit_choice(transaction, commands, conflict, choice)


def _other_parts(connection: DatabaseConnection, conflict: Conflict) -> list[Conflict]:
    """What else waits of the same decision, which was recorded in several streams: one choice is about all of it."""
    command = parse_command(conflict.cause, conflict.campaign_id)
    return [
        other
        for other in rebase_queue.open_conflicts(connection)
        if (command is not None and other.campaign_id != conflict.campaign_id)
        and other.decided_at == conflict.decided_at
        and parse_command(other.cause, other.campaign_id) == command
    ]


def settle_elsewhere(commands_for: Callable[[str], Commands], conflict: ConflictElsewhere) -> None:
    """Leave what holds now, although it was decided otherwise on another device; that one learns of it and asks no more."""
    commands = commands_for(conflict.campaign_id)
    now = commands.clock.now()
    with commands.journal.transaction() as transaction:
        if shared_conflicts.is_open(transaction.connection, conflict.id):
            settled = [ConflictSettled(conflict.id)]
            transaction.record(conflict.campaign_id, settled, actor=commands.actor, cause="conflict", at=now)
            _audit_choice(transaction, commands, conflict, "theirs")


def _audit_choice(
    transaction: Transaction,
    commands: Commands,
    conflict: Conflict | ConflictElsewhere,
    choice: Literal["mine", "theirs"],
) -> None:
    entry = AuditEntry("conflict_resolved", {"conflict": conflict.id, "choice": choice})
    now = commands.clock.now()
    transaction.audit(conflict.campaign_id, [entry], actor=commands.actor, cause="conflict", at=now)


def announce(commands_for: Callable[[str], Commands], database: Database) -> bool:
    """Tell the other devices of what waits here for a choice, and learn what was settled there; whether there was any of it.

    Nobody writes to whom it is about before the choice, whichever device acts.
    """
    with database.read() as connection:
        if not any(shared_conflicts.announcements(connection)[1:]):
            return False
    commands = commands_for(WORKSPACE)
    with commands.journal.transaction() as transaction:
        connection, news = transaction.connection, shared_conflicts.announcements(transaction.connection)
        for conflict in news.opened:
            now = commands_for(conflict.campaign_id).clock.now()
            held_ids = rebase_queue.leads_of(connection, conflict, bearing=True)
            named_ids = held_ids or {REMARK + id_ for id_ in rebase_queue.leads_of(connection, conflict)}
            opened = ConflictOpened(
                conflict.id,
                device_id=news.device_id,
                kind=described(connection, conflict).event.kind,
                lead_ids=sorted(named_ids),
                decided_at=conflict.decided_at,
                created_at=now,
            )
            transaction.record(conflict.campaign_id, [opened], actor="controller", cause="conflict", at=now)
        for stream, id_ in news.settled:
            now = commands_for(stream).clock.now()
            transaction.record(stream, [ConflictSettled(id_)], actor="controller", cause="conflict", at=now)
        for id_ in news.settled_elsewhere:
            rebase_queue.set_status(connection, id_, RebaseStatus.THEIRS, commands.clock.now())
    return True


def can_repeat(commands_for: Callable[[str], Commands], conflict: Conflict) -> bool:
    """Whether `mine` would be accepted now."""
    try:
        _refuse_idle(commands_for, conflict)
    except OutriderError:
        return False
    return True


def _refuse_idle(commands_for: Callable[[str], Commands], conflict: Conflict) -> None:
    """Raises `decision_not_repeatable` for what would change nothing although it is not so, and what the command raises."""
    if _changes_nothing(commands_for, conflict) and not _is_so(commands_for, conflict):
        raise OutriderError("decision_not_repeatable")


def repeat_unasked(commands_for: Callable[[str], Commands], database: Database) -> bool:
    """Repeat what only forbids, takes back or says what happened, in the order in which it was decided; whether any was.

    What the user did not want must not wait for a choice, what they said need not be said again, and what is so anyway, or
    independent of what others decided, leaves no choice, unless it followed on a decision that waits. What cannot be repeated
    (the text was sent meanwhile, the same is not asked any more) stays for the user to see.
    """
    waiting = database.query(rebase_queue.open_conflicts)
    undecided: set[str] = set()
    decided = False
    for conflict in waiting:
        entity_ids = {event.entity_id for event in conflict.events}
        command = parse_command(conflict.cause, conflict.campaign_id)
        with suppress(OutriderError):
            if _is_moot(commands_for, conflict):
                _settle(commands_for, conflict, "theirs")
                decided = True
                continue
            if command is not None and (
                _is_repeated_unasked(commands_for, conflict, command)
                or (entity_ids.isdisjoint(undecided) and _is_independent(commands_for, conflict, command))
            ):
                _refuse_idle(commands_for, conflict)
                _settle(commands_for, conflict, "mine")
                decided = True
                continue
        with suppress(OutriderError):  # what cannot be repeated may be so anyway
            if entity_ids.isdisjoint(undecided) and _is_so_anyway(commands_for, conflict):
                _settle(commands_for, conflict, "theirs")
                decided = True
                continue
        undecided |= entity_ids
    return decided


def ask_about_approvals(commands_for: Callable[[str], Commands], database: Database) -> None:
    """What a device whose access was revoked approved on its own waits in Review again: it may come back as a new one."""
    unheard = database.query(replica.unacknowledged_approvals)
    for campaign_id, message_id in unheard:
        with suppress(OutriderError):  # its campaign or its person is deleted, and nothing goes out of it
            commands_for(campaign_id).review.withdraw(campaign_id, message_id)


def _is_moot(commands_for: Callable[[str], Commands], conflict: Conflict) -> bool:
    """Whether nothing is left to decide about: the campaign is deleted, or everybody whom it is about is erased."""
    with commands_for(conflict.campaign_id).journal.database.read() as connection:
        if conflict.campaign_id in erased_things.deleted_campaigns(connection):
            return True
        lead_ids = rebase_queue.leads_of(connection, conflict)
        return bool(lead_ids) and not any(erased_things.has_words(connection, lead_id) for lead_id in lead_ids)


def _is_repeated_unasked(commands_for: Callable[[str], Commands], conflict: Conflict, command: Command) -> bool:
    arguments = complete_arguments(command, conflict.events) or command.arguments
    rule = COMMANDS[command.name].conflict_rule(arguments)
    if rule != "yield":
        return rule == "repeat"
    return not any(commands_for(conflict.campaign_id).journal.database.query(described, conflict).theirs.values())


def _is_independent(commands_for: Callable[[str], Commands], conflict: Conflict, command: Command) -> bool:
    return commands_for(conflict.campaign_id).journal.database.query(is_independent, conflict, command)


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
    description = commands_for(conflict.campaign_id).journal.database.query(described, conflict)
    if EVENT_KINDS[description.event.kind].entity not in MADE_APART or description.mine == description.theirs:
        return True
    return bool(description.mine.get("blocked") and description.theirs.get("blocked"))


def _on_trial(commands: Commands) -> Commands:
    return replace(commands, journal=TrialJournal(commands.journal))


def _is_given(commands_for: Callable[[str], Commands], conflict: Conflict) -> bool:
    """Whether the same approval was given, the same text written, the same person allowed, the same task cancelled."""
    with commands_for(conflict.campaign_id).journal.database.read() as connection:
        command, arguments = _arguments(connection, conflict)
        was_given = GIVEN_ONCE.get(command.name)
        if was_given is None:
            return False
        return was_given(connection, conflict, counterpart_arguments(connection, conflict, arguments))


def _is_approved(connection: DatabaseConnection, _: Conflict, arguments: Mapping[str, Any]) -> bool:
    approval = approvals.approval_of(connection, arguments["message_id"])
    if approval is None or approval.status not in (ApprovalStatus.OPEN, ApprovalStatus.USED):
        return False
    return bool(approval.digest == arguments["shown_digest"])


def _is_written(connection: DatabaseConnection, conflict: Conflict, arguments: Mapping[str, Any]) -> bool:
    stream = arguments[STREAM]
    in_place = counterpart(connection, stream, arguments["message_id"], conflict.id, same_text=False)
    message = messages.message(connection, stream, in_place)
    return message is not None and message.text == arguments["text"]


def _is_answered(connection: DatabaseConnection, _: Conflict, arguments: Mapping[str, Any]) -> bool:
    waiting = messages.waiting_answer(connection, arguments["lead_id"])
    return waiting is not None and waiting.text == arguments["text"]


def _is_scored_so(connection: DatabaseConnection, _: Conflict, arguments: Mapping[str, Any]) -> bool:
    campaign = campaigns.campaign(connection, arguments[STREAM])
    return campaign is not None and same_rules(arguments["new_blueprint"], campaign.settings.blueprint)


def _is_withdrawn(connection: DatabaseConnection, _: Conflict, arguments: Mapping[str, Any]) -> bool:
    """Whether the text does not go out anyway: a refusal or another sequence has cancelled it."""
    message = messages.message(connection, arguments[STREAM], arguments["message_id"])
    return message is not None and message.status is MessageStatus.CANCELLED


def _is_cancelled(connection: DatabaseConnection, _: Conflict, arguments: Mapping[str, Any]) -> bool:
    """Then nothing comes of the task, whatever conditions it has."""
    task = tasks.task(connection, arguments[STREAM], arguments["task_id"])
    return task is not None and task.status is TaskStatus.CANCELLED


def _is_answered_so(connection: DatabaseConnection, _: Conflict, arguments: Mapping[str, Any]) -> bool:
    """Whether the same was answered, or nothing comes of what is not to be done anyway."""
    question = questions.question(connection, arguments["request_id"])
    if question is None or question.status == QuestionStatus.OPEN:
        return False
    task = tasks.task(connection, arguments[STREAM], question.task_id) if question.task_id else None
    is_left = task is not None and task.status is TaskStatus.CANCELLED and arguments["answer"] in LEAVING
    return is_left or question.answer == arguments["answer"]


def _is_allowed(connection: DatabaseConnection, _: Conflict, arguments: Mapping[str, Any]) -> bool:
    """Whether this campaign may write to them by the user's word, whatever was given as the reason, or by which button."""
    person = people.person(connection, arguments["lead_id"])
    return person is not None and bool(person.lead.contact_anyway) and not person.lead.blocked


def _is_moved_here(connection: DatabaseConnection, conflict: Conflict, arguments: Mapping[str, Any]) -> bool:
    """Whether the other campaign has let them go, as this decision did there, and none other is in touch with them; why it did
    so does not matter.
    """
    person = people.several(connection, arguments["lead_id"])
    if person is None or person.lead.blocked == TAKEN_OVER:
        return False
    was_let_go = any(other.blocked not in WAITING_BLOCKS | {CONTRADICTED} for other in person.others)
    return was_let_go and person.elsewhere(conflict.queued_at) is None


GIVEN_ONCE: Mapping[str, Callable[[DatabaseConnection, Conflict, Mapping[str, Any]], bool]] = {
    "review.approve": _is_approved,
    "review.edit": _is_written,
    "replies.answer": _is_answered,
    "scoring.adopt": _is_scored_so,
    "questions.answer": _is_answered_so,
    "tasks.cancel": _is_cancelled,
    "tasks.add_commitment": _is_cancelled,
    "people.contact_anyway": _is_allowed,
    "people.move_here": _is_moved_here,
    "review.reject": _is_withdrawn,
    "review.withdraw": _is_withdrawn,
    "replies.take_back": _is_withdrawn,
}
"""What is refused when it is given again, and whether it was."""


def _repeat(commands_for: Callable[[str], Commands], conflict: Conflict) -> None:
    with commands_for(conflict.campaign_id).journal.database.read() as connection:
        command, arguments = _arguments(connection, conflict)
        commands = commands_for(arguments.get(STREAM, conflict.campaign_id))
        arguments = counterpart_arguments(connection, conflict, arguments)
    attrgetter(command.name)(commands)(**arguments)


def _arguments(connection: DatabaseConnection, conflict: Conflict) -> tuple[Command, dict[str, Any]]:
    """What was decided, some of which may stand in another stream. Raises `decision_not_repeatable`."""
    command = parse_command(conflict.cause, conflict.campaign_id)
    arguments = complete_arguments(command, conflict.events) if command else None
    if command is not None and arguments is None:
        elsewhere = [event for part in _other_parts(connection, conflict) for event in part.events]
        stream = str(command.arguments.get(STREAM, conflict.campaign_id))
        recorded = rebase_queue.recorded_at(connection, stream, conflict.decided_at)
        reapplied = [event for cause, event in recorded if parse_command(cause, stream) == command]
        arguments = complete_arguments(command, [*conflict.events, *elsewhere, *reapplied])
    if command is None or arguments is None:
        raise OutriderError("decision_not_repeatable")
    return command, arguments
