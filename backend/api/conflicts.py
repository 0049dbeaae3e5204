"""Decisions in conflict with another device's: the list, and the choice between the two."""

from typing import Any, Literal

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.commands import conflict_description, conflicts
from backend.commands.conflict_description import DescribedConflict
from backend.commands.send_words import SAY
from backend.domain.events.events import EVENT_KINDS
from backend.domain.events.facts.sentences import LogEntry, event_sentence, said_of
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import leads
from backend.store.replication import rebase_queue, shared_conflicts
from backend.store.replication.shared_conflicts import ConflictElsewhere

routes = Routes("conflicts", "/sync/conflicts")


class ConflictView(Shape):
    """A decision in conflict with another device's: the command that was given here, and what holds now.

    `command` is its name ("" if none is known), `arguments` the short ones. `kind` is the event that says what was decided,
    `subject` (a name, or "") what that is about, `sentence` says it in words.
    `mine` are the columns that it decides, `theirs` the same as they are now. `again` when it would be accepted once more.
    `device` is the name of the device on which it was decided and waits, "" for this one; of another's nothing else is known.
    """

    id: str
    campaign_id: str
    campaign: str
    decided_at: int
    queued_at: int
    command: str
    arguments: dict[str, Any]
    kind: str
    subject: str
    sentence: str
    mine: dict[str, Any]
    theirs: dict[str, Any]
    again: bool
    device: str


class ConflictList(Shape):
    """Decisions that wait for a choice, oldest first, and how many turns of the agent were dropped (nothing to choose)."""

    open: list[ConflictView]
    dropped_turns: int


class Choose(Shape):
    """Decide it again as it was decided here, or leave what holds now."""

    choice: Literal["mine", "theirs"]


@routes.get()
def list_(services: Services) -> ConflictList:
    """Decisions that wait for a choice."""
    return _listed(services)


@routes.post("/<conflict_id>")
def choose(services: Services, conflict_id: str, body: Choose) -> ConflictList:
    """Decide it again (only on the device on which it was decided), or leave what holds now; raises `conflict_unknown`."""
    commands_for = services.commands
    with services.database.read() as connection:
        conflict = rebase_queue.open_conflict(connection, conflict_id)
        others = {other.id: other for other in shared_conflicts.elsewhere(connection)}
    if conflict is not None:
        conflicts.resolve(commands_for, conflict, body.choice)
    elif conflict_id not in others:
        raise OutriderError("conflict_unknown")
    elif body.choice == "mine":
        raise OutriderError("decision_not_repeatable")
    else:
        conflicts.settle_elsewhere(commands_for, others[conflict_id])
    return _listed(services)


def _listed(services: Services) -> ConflictList:
    with services.database.read() as connection:
        described_conflicts = conflict_description.open_conflicts(connection)
        others = [_elsewhere(connection, conflict) for conflict in shared_conflicts.elsewhere(connection)]
        dropped = rebase_queue.count_dropped_turns(connection)
    commands_for = services.commands
    shown = [
        _shown(described_conflict, again=conflicts.can_repeat(commands_for, described_conflict.conflict))
        for described_conflict in described_conflicts
    ]
    return ConflictList(open=[*shown, *others], dropped_turns=dropped)


def _elsewhere(connection: DatabaseConnection, conflict: ConflictElsewhere) -> ConflictView:
    subject = leads.full_name(connection, conflict.person) or ""
    return ConflictView.showing(
        conflict,
        queued_at=conflict.created_at,
        command="",
        arguments={"lead_id": conflict.person} if conflict.holds else {},
        subject=subject,
        sentence=event_sentence(LogEntry(conflict.kind, "", {}, lead=subject)),
        mine={},
        theirs={},
        again=False,
    )


def _shown(described_conflict: DescribedConflict, *, again: bool) -> ConflictView:
    conflict, command = described_conflict.conflict, described_conflict.command
    return ConflictView.showing(
        conflict,
        command=command.name if command else "",
        arguments=dict(command.arguments) if command else {},
        kind=described_conflict.event.kind,
        subject=described_conflict.subject,
        sentence=_sentence(described_conflict),
        mine=described_conflict.mine,
        theirs=described_conflict.theirs,
        again=again,
        device="",
    )


_ABOUT_LEADS = frozenset({"lead", "message", "approval", "action"})


def _sentence(described_conflict: DescribedConflict) -> str:
    """What was decided here, as the timeline said it."""
    if described_conflict.command is not None and described_conflict.command.name == SAY:
        return said_of(described_conflict.subject, described_conflict.mine["word"])
    kind, entity_id, changes = described_conflict.event
    lead = described_conflict.subject if EVENT_KINDS[kind].entity in _ABOUT_LEADS else ""
    return event_sentence(
        LogEntry(kind, entity_id, changes, lead=lead, what="" if lead else described_conflict.subject)
    )
