"""Whether a decision about a campaign is independent of all that other devices decided, although it could not be reapplied.

What two devices decided about two parts of a campaign's settings stands in one column, and what follows by itself (the text of
the campaign's context) stands in the way of the same made elsewhere. Given again, each takes the other's part as it is now.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from backend.commands.command import COMMANDS, Command, parse_command
from backend.domain.device.rebase import EventWithChanges, conflict_keys
from backend.domain.events.events import EVENT_KINDS, FENCED, Event, row_changes
from backend.domain.model.artifact import BY_CONTROLLER
from backend.store.database import DatabaseConnection
from backend.store.replication import replica
from backend.store.replication.rebase_queue import Conflict

_SEQUENCE = "sequences.change"
_EDIT = "campaigns.edit"
"""Its limits are gates of each act, and rightly did not hold back what another device did before it heard of them."""
_IN_SETTINGS: Final[Mapping[str, frozenset[str]]] = {
    _EDIT: frozenset({"limits", "topic"}),
    "scoring.adopt": frozenset({"blueprint"}),
    _SEQUENCE: frozenset({"sequence"}),
}
"""The parts of a campaign's settings that a command decides about."""
_ALL_SETTINGS: Final = frozenset().union(*_IN_SETTINGS.values())
_FOLLOW: Final = frozenset({"settings", "version", "sequence_back"})
_INDEPENDENT: Final = frozenset({*_IN_SETTINGS, "campaigns.unarchive"})
_LEAVING_ALONE: Final = frozenset({"people.erase"})
"""Beside what is repeated in any case. A text that others withdrew, or that is withdrawn as its person is left alone, is none that
a changed sequence could take from them; what it writes anew waits in Review."""
_TEXTS: Final = frozenset({"messages", "approvals", "turn_projection", "actions"})


def is_independent(connection: DatabaseConnection, conflict: Conflict, command: Command) -> bool:
    """Whether no other device decided about the same part of the campaign, nor about whatever else this decision changes."""
    if command.name not in _INDEPENDENT:
        return False
    others = replica.recorded_since(connection, conflict)
    parts = {part for event in conflict.events for part in _parts(command.name, event)}
    for cause, entry in others:
        other = parse_command(cause, conflict.campaign_id)
        name = other.name if other else ""
        if (entry.event.kind in FENCED and command.name != _EDIT) or not parts.isdisjoint(_parts(name, entry.event)):
            return False
        if command.name == _SEQUENCE and _is_about_texts(entry) and not _only_forbids(other):
            return False
    return command.name == _SEQUENCE or _keys(conflict).isdisjoint(
        key for _, entry in others for key in conflict_keys(entry.changes)
    )


def _parts(name: str, event: Event) -> Iterable[str]:
    """The parts of the campaign that the event of this command decides about."""
    if EVENT_KINDS[event.kind].entity != "campaign":
        return ()
    settings = _IN_SETTINGS.get(name, _ALL_SETTINGS) if "settings" in event.changes else frozenset()
    return (event.changes.keys() - _FOLLOW) | settings


def _only_forbids(command: Command | None) -> bool:
    if command is None:
        return False
    return command.name in _LEAVING_ALONE or COMMANDS[command.name].conflict_rule(command.arguments) == "repeat"


def _is_about_texts(entry: EventWithChanges) -> bool:
    return any(change.table in _TEXTS for change in entry.changes)


def _keys(conflict: Conflict) -> set[object]:
    """What else it lays hand on, but for what follows by itself."""
    decided = (
        event
        for event in conflict.events
        if EVENT_KINDS[event.kind].entity != "campaign" and event.changes.get("made_by") != str(BY_CONTROLLER)
    )
    return {key for event in decided for key in conflict_keys(row_changes(conflict.campaign_id, 0, event))}
