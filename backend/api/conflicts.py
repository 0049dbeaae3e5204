"""Decisions in conflict with another device's: the list, and the choice between the two."""

from typing import Any, Literal

from backend.api.endpoint import Noun
from backend.api.services import Services
from backend.commands import conflict_description, conflicts
from backend.commands.conflict_description import DescribedConflict
from backend.commands.send_words import SAY
from backend.domain.errors import OutriderError
from backend.domain.events import EVENT_KINDS
from backend.domain.facts.sentences import Entry, event_sentence, said_of
from backend.domain.shapes import Wire
from backend.store.replication import rebase_queue

routes = Noun("conflicts", "/sync/conflicts")


class ConflictView(Wire):
    """A decision in conflict with another device's: the command that was given here, and what holds now.

    `command` is its name ("" if none is known), `arguments` the short ones. `kind` is the event that says what was decided,
    `entity_id` and `subject` (a name, or "") what that is about, `sentence` says it in words.
    `mine` are the columns that it decides, `theirs` the same as they are now. `again` when it would be accepted once more.
    """

    id: str
    campaign_id: str
    campaign: str
    decided_at: int
    queued_at: int
    command: str
    arguments: dict[str, Any]
    kind: str
    entity_id: str
    subject: str
    sentence: str
    mine: dict[str, Any]
    theirs: dict[str, Any]
    again: bool


class ConflictList(Wire):
    """Decisions that wait for a choice, oldest first, and how many turns of the agent were dropped (nothing to choose)."""

    open: list[ConflictView]
    dropped_turns: int


class Choose(Wire):
    """Decide it again as it was decided here, or leave what holds now."""

    choice: Literal["mine", "theirs"]


@routes.get()
def list_(services: Services) -> ConflictList:
    """Decisions that wait for a choice."""
    return _listed(services)


@routes.post("/<conflict_id>")
def choose(services: Services, conflict_id: str, body: Choose) -> ConflictList:
    """Decide it again, or leave what holds now; raises `conflict_unknown`."""
    with services.database.read() as connection:
        conflict = rebase_queue.open_conflict(connection, conflict_id)
    if conflict is None:
        raise OutriderError("conflict_unknown")
    conflicts.resolve(services.session.commands, conflict, body.choice)
    return _listed(services)


def _listed(services: Services) -> ConflictList:
    with services.database.read() as connection:
        found = conflict_description.open_conflicts(connection)
        dropped = rebase_queue.count_dropped_turns(connection)
    commands_for = services.session.commands
    shown = [_shown(one, again=conflicts.can_repeat(commands_for, one.conflict)) for one in found]
    return ConflictList(open=shown, dropped_turns=dropped)


def _shown(found: DescribedConflict, *, again: bool) -> ConflictView:
    conflict, command = found.conflict, found.command
    return ConflictView(
        id=conflict.id,
        campaign_id=conflict.campaign_id,
        campaign=conflict.campaign,
        decided_at=conflict.decided_at,
        queued_at=conflict.queued_at,
        command=command.name if command else "",
        arguments=dict(command.arguments) if command else {},
        kind=found.event.kind,
        entity_id=found.event.entity_id,
        subject=found.subject,
        sentence=_sentence(found),
        mine=found.mine,
        theirs=found.theirs,
        again=again,
    )


_ABOUT_LEADS = frozenset({"lead", "message", "approval", "action"})


def _sentence(found: DescribedConflict) -> str:
    """What was decided here, as the timeline said it."""
    if found.command is not None and found.command.name == SAY:
        return said_of(found.subject, found.mine["word"])
    kind, entity_id, changes = found.event
    lead = found.subject if EVENT_KINDS[kind].entity in _ABOUT_LEADS else ""
    return event_sentence(Entry(kind, entity_id, changes, lead=lead, what="" if lead else found.subject))
