"""The base of all facts: an event of one kind, made with typed columns that mypy checks at every call.

A fact is the logged `Event` itself (kind, entity, changed columns), so recording it costs nothing more; what replay reads
back from the log is a plain `Event`.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache
from inspect import get_annotations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, dataclass_transform, get_type_hints

from backend.domain.values.canonical_json import Json


class Verb(StrEnum):
    """Whether a fact makes a row or changes one."""

    CREATES = "creates"
    CHANGES = "changes"


class EventKind(NamedTuple):
    """What an event kind is about and does."""

    entity: str
    verb: Verb


class Event(NamedTuple):
    """A fact to be recorded: its kind, the entity it is about, and the new values of the columns it changes."""

    kind: str
    entity_id: str
    changes: Mapping[str, Json]


EVENT_KINDS: dict[str, EventKind] = {}
"""Every kind of event, filled by the facts' own definitions."""

FACTS: dict[str, "type[Fact]"] = {}
"""The type of every kind of event."""

Moves = Mapping[StrEnum, StrEnum | tuple[StrEnum, ...]]
"""From which status a fact leads to which."""


class ReadBy(NamedTuple):
    """Of a column's text: what reads it, and raises ValueError for text that is none of this column's."""

    read: Callable[[str], object]


OMITTED: Any = object()
"""The value of a column that a fact does not write: it stays as it is, or as is usual in a new row."""


class _Alias(NamedTuple):
    column: str


def column(*, alias: str, kw_only: bool = True) -> Any:
    """A required column whose name is taken by the event itself: the fact is made with `alias`, the column's name."""
    return _Alias(alias)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(column,))
class _TypedEvent(Event):
    """Gives each subclass, for mypy, a constructor of its annotated columns."""


class Fact(_TypedEvent):
    """A fact of one kind, named like its class: `MessageSent(message_id, sent_at=now)`.

    `starts` is the status of the row that a fact makes; `moves` says from which status a fact leads to which. Where
    only one status can follow, the fact writes it by itself; otherwise `status` is one of its columns. `sets` are
    columns that have the same value in every fact of the kind.
    """

    entity: ClassVar[str]
    verb: ClassVar[Verb]
    moves: ClassVar[dict[str, frozenset[str]]]
    """For each status that the fact may set, those that it may follow."""
    columns: ClassVar[dict[str, bool]]
    """The columns that the fact may write, and whether each fact of the kind does."""
    _given: ClassVar[dict[str, Json]]
    _aliases: ClassVar[dict[str, str]]

    if TYPE_CHECKING:
        entity_id: str = column(alias="entity_id", kw_only=False)
    else:

        def __new__(cls, entity_id: str, **changes: Json) -> Self:
            if cls._given:
                changes.update(cls._given)
            if OMITTED in changes.values():
                changes = {name: value for name, value in changes.items() if value is not OMITTED}
            return tuple.__new__(cls, (cls.__name__, entity_id, changes))

        def __getattr__(self, name: str) -> Json:
            """A typed column's value."""
            try:
                return self.changes[self._aliases.get(name, name)]
            except KeyError:
                raise AttributeError(name) from None

    @classmethod
    @cache
    def column_types(cls, *, annotated: bool = False) -> Mapping[str, Any]:
        """The type of each column; of one that has the same value in every fact of the kind, that value as a `Literal`.

        `annotated` types say of a text what reads it.
        """
        hints = get_type_hints(cls, include_extras=annotated)
        typed = {cls._aliases.get(name, name): hint for name, hint in hints.items()}
        types = {name: Literal[cls._given[name]] if name in cls._given else typed[name] for name in cls.columns}
        return MappingProxyType(types)

    def __init_subclass__(
        cls,
        *,
        entity: str = "",
        verb: Verb = Verb.CREATES,
        starts: StrEnum | None = None,
        moves: Moves | None = None,
        sets: Mapping[str, Json] | None = None,
    ) -> None:
        """Register the kind; a class without an entity only has columns for those that are made of it."""
        cls.columns, cls._aliases = dict(getattr(cls, "columns", {})), dict(getattr(cls, "_aliases", {}))
        for name in get_annotations(cls):
            default = cls.__dict__.get(name)
            if isinstance(default, _Alias):
                cls._aliases[name] = default.column
            cls.columns[cls._aliases.get(name, name)] = default is not OMITTED
            if default is not None:
                delattr(cls, name)
        if not entity:
            return
        cls.entity, cls.verb = entity, verb
        cls.moves = _statuses_before(moves or {})
        cls._given = dict(sets or {})
        targets = {target for after in (moves or {}).values() for target in _as_tuple(after)}
        if starts is not None:
            cls._given["status"] = starts
        elif targets and "status" not in cls.columns:
            (cls._given["status"],) = targets
        cls.columns |= dict.fromkeys(cls._given, True)
        EVENT_KINDS[cls.__name__] = EventKind(entity, verb)
        FACTS[cls.__name__] = cls


def _as_tuple(after: StrEnum | tuple[StrEnum, ...]) -> tuple[StrEnum, ...]:
    return after if isinstance(after, tuple) else (after,)


def _statuses_before(moves: Moves) -> dict[str, frozenset[str]]:
    before: dict[str, set[str]] = {}
    for state, after in moves.items():
        for target in _as_tuple(after):
            before.setdefault(target.value, set()).add(state.value)
    return {target: frozenset(states) for target, states in before.items()}


def statuses_before(event: Event) -> frozenset[str] | None:
    """The statuses that the event's row may have for the one that it sets; None for an event that changes no status."""
    status = event.changes.get("status")
    if status is None:
        return None
    fact = FACTS[event.kind]
    return None if fact.verb is Verb.CREATES else fact.moves.get(status, frozenset())
