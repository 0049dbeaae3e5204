"""A user's command as a value, written with the events that it records and read from them again.

The name and the short arguments stand in the `cause` of those events: a rebase keeps the cause with its transaction, so a
conflict has them at hand without a search. An argument that an event has as a column is read from the event: no text stands
in the log twice, and erasing a payload erases the text. The method's own signature says which argument stands where
(`backend.commands.handler`).
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal

from pydantic import TypeAdapter

from backend.domain.events.events import Event, Row
from backend.domain.values.canonical_json import Json, canonical

STREAM = "campaign_id"
"""The argument that is left out of the cause of events in that campaign's own stream."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a user told Outrider to do: the name of a method of `Commands`, such as `leads.note`, and its arguments."""

    name: str
    arguments: Mapping[str, Json]

    def cause(self, stream: str) -> str:
        """How the log writes it beside each of its events."""
        stored = {name: value for name, value in self.arguments.items() if (name, value) != (STREAM, stream)}
        return f"{self.name} {canonical(stored)}" if stored else self.name


@dataclass(frozen=True, slots=True)
class FromEvent:
    """Annotates an argument that one of the command's events has; `read` takes it from what that event changes."""

    kinds: tuple[str, ...]
    read: Callable[[Row], Json]


def column(kind: str, name: str) -> FromEvent:
    """The argument is that column of the event."""
    return FromEvent((kind,), lambda changes: changes[name])


@dataclass(frozen=True, slots=True)
class FromEntities:
    """Annotates an argument that lists what the command's events of these kinds are about."""

    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FromEntity:
    """Annotates an argument that is what the command's last event of these kinds is about."""

    kinds: tuple[str, ...]


class ShownVersion:
    """Annotates an argument that says what the user was shown; who repeats it was shown what holds now (None)."""


SHOWN: Final = ShownVersion()


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of a command, and where it is stored: in the cause if `source` is None."""

    type: Any
    required: bool
    source: FromEvent | FromEntities | FromEntity | ShownVersion | None = None


OnConflict = Literal["ask", "repeat", "yield"]
"""Whether the user chooses ("ask"); or it is repeated, because it only forbids or says what happened ("repeat"); or it is repeated
only where no other device said anything ("yield")."""


@dataclass(frozen=True, slots=True)
class CommandDefinition:
    """A method that records events. `shows`: the column of an event that says what was decided.

    `only` names the arguments that are stored of a command that cannot be repeated; None if it can. `on_conflict`, if its
    arguments have the values in `with_values` (it is asked about otherwise), says what becomes of it when another device's
    entries came first.
    """

    name: str
    parameters: Mapping[str, Parameter]
    shows: Mapping[str, str]
    only: tuple[str, ...] | None
    on_conflict: OnConflict = "ask"
    with_values: Mapping[str, Collection[Json]] = field(default_factory=dict)

    def conflict_rule(self, arguments: Mapping[str, Json]) -> OnConflict:
        """What becomes of it after a conflict, with these arguments."""
        fits = all(arguments.get(name) in values for name, values in self.with_values.items())
        return self.on_conflict if fits else "ask"

    def stored(self, arguments: Mapping[str, Any]) -> Command:
        """The command with what of these arguments belongs into the cause."""
        return Command(self.name, {name: arguments[name] for name in self._in_cause() if name in arguments})

    def _in_cause(self) -> Sequence[str]:
        if self.only is not None:
            return self.only
        return [name for name, parameter in self.parameters.items() if parameter.source is None]


COMMANDS: Final[dict[str, CommandDefinition]] = {}
"""Every command by its name; a method enters itself by `@command`."""


def parse_command(cause: str, stream: str) -> Command | None:
    """The command that a cause names; None if it is no command's."""
    name, _, text = cause.partition(" ")
    definition = COMMANDS.get(name)
    if definition is None:
        return None
    try:
        arguments = json.loads(text) if text else {}
    except ValueError:
        return None
    if not isinstance(arguments, dict):
        return None
    return Command(name, ({STREAM: stream} if STREAM in definition.parameters else {}) | arguments)


def complete_arguments(command: Command, events: Sequence[Event]) -> dict[str, Any] | None:
    """The arguments to call the method with once more; None if the command cannot be repeated, or something is lost."""
    definition = COMMANDS[command.name]
    if definition.only is not None:
        return None
    arguments: dict[str, Any] = {}
    for name, parameter in definition.parameters.items():
        try:
            arguments[name] = _argument(command, events, name, parameter)
        except KeyError:
            if parameter.required:
                return None
        except (ValueError, TypeError):  # what another version wrote
            return None
    return arguments


def _argument(command: Command, events: Sequence[Event], name: str, parameter: Parameter) -> Any:
    """Raises KeyError if it is not stored, ValueError if it is nothing that the method takes."""
    if isinstance(parameter.source, ShownVersion):
        return None
    if isinstance(parameter.source, FromEntities | FromEntity):
        entity_ids = [event.entity_id for event in events if event.kind in parameter.source.kinds]
        if not entity_ids:
            raise KeyError(parameter.source.kinds)
        return entity_ids if isinstance(parameter.source, FromEntities) else entity_ids[-1]
    value = command.arguments[name] if parameter.source is None else _value_in(events, parameter.source)
    return _adapter(parameter.type).validate_json(canonical(value))


@cache
def _adapter(type_: Any) -> TypeAdapter[Any]:
    return TypeAdapter(type_)


def _value_in(events: Sequence[Event], source: FromEvent) -> Json:
    """From the last event of that kind: what was decided later holds."""
    for event in reversed(events):
        if event.kind in source.kinds:
            return source.read(dict(event.changes))
    raise KeyError(source.kinds)
