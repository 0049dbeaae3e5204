"""What follows again of what was recorded here, when another device's entries came first.

A group, what one transaction recorded, follows whole: if every row it changes is as it was when it was decided, and nothing
that it makes is there. What goes by itself (the rows of an imported file) follows one by one.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from backend.domain.events import FENCED, KINDS, WORKSPACE, Event, Json, Row, RowChange, RowKey, State, Verb, row_key
from backend.domain.vault import VAULT


class Status(StrEnum):
    """What became of a group: followed, waits for a choice, nothing to choose, or what was chosen."""

    PENDING = "pending"
    REBASED = "rebased"
    OPEN = "open"
    NOTED = "noted"
    MINE = "mine"
    THEIRS = "theirs"


class Place(NamedTuple):
    """What two devices cannot both change: a part of a row, or a name that only one row can have."""

    table: str
    key: tuple[Json, ...]
    part: str = ""


class Said(NamedTuple):
    """An event, where it stood in the log, and the rows that it makes or alters."""

    seq: int
    event: Event
    changes: Sequence[RowChange]


BY_HAND = frozenset({("leads", "notes"), ("leads", "tags"), ("leads", "priority_override")})
"""Columns that only people write: what a turn writes in the same row does not stand against them."""

NAMES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "leads": (("member_key",),),
    "artifacts": (("artifact_type", "artifact_key", "version"),),
    "souls": (("version",),),
    "skills": (("name",),),
    "conversations": (("line",), ("given_key",)),
    "attachments": (("request_id", "place"),),
}
"""Columns whose values no two rows of a stream may share."""

VAULT_PLACE = Place("config_kv", (WORKSPACE, VAULT))

BY_ITSELF = frozenset({"LeadImported", "LeadMerged", "RowRejected"})
"""A transaction with one of these is a piece of a file: one person who is known already does not hold up the others."""


_PAID = ("model", "tokens_in", "tokens_out", "cost_micros")


def _rests_on(changes: Iterable[RowChange]) -> set[Place]:
    """What must be as it was although these changes leave it alone: a secret is sealed under the vault that was in force."""
    return {VAULT_PLACE for change in changes if change.table == "configuration"}


def places(changes: Iterable[RowChange]) -> set[Place]:
    """What these changes lay hand on."""
    found = set()
    for change in changes:
        table, key = row_key(change)
        if change.verb is Verb.CHANGES:
            found |= {Place(table, key, name if (table, name) in BY_HAND else "") for name in change.values or ("",)}
            continue
        found.add(Place(table, key))
        for names in NAMES.get(table, ()):
            values = tuple(change.values.get(name) for name in names)
            if None not in values:
                found.add(Place(table, (change.key.get("campaign_id"), *values), "/".join(names)))
    return found


def goes_in_parts(group: Sequence[Said]) -> bool:
    """Whether it is a piece of a file."""
    return any(said.event.kind in BY_ITSELF for said in group)


def units(group: Sequence[Said]) -> list[list[Said]]:
    """The parts of a group that follow or stay by themselves."""
    return [[said] for said in group] if goes_in_parts(group) else [list(group)]


def may_follow(unit: Sequence[Said], taken: Collection[Place], there: Collection[RowKey]) -> bool:
    """Whether it may be recorded again: on rows `there`, while others have laid hand on the `taken` places."""
    if any(said.event.kind in FENCED for said in unit):
        return False  # a turn saw a state that never was, and an intent that nobody acknowledged
    made: set[RowKey] = set()
    for said in unit:
        for change in said.changes:
            row = row_key(change)
            if (row in there or row in made) is (change.verb is Verb.CREATES):
                return False
            made.add(row)
        if not (places(said.changes) | _rests_on(said.changes)).isdisjoint(taken):
            return False
    return True


def owed(staying: Iterable[Said], new_id: Callable[[], str]) -> list[Event]:
    """What was paid for replies whose turns do not follow: the turns are gone, the money is, too."""
    turns = (said.event.changes for said in staying if KINDS[said.event.kind].entity == "turn")
    bills = ({name: turn.get(name, 0) for name in _PAID} for turn in turns if turn.get("model"))
    return [Event("ReplyBilled", new_id(), bill) for bill in bills]


def holds(unit: Sequence[Said], state: State) -> bool:
    """Whether what was decided is so anyway: every row has the values it was given."""
    after: dict[RowKey, Row] = {}
    for said in unit:
        for change in said.changes:
            after.setdefault(row_key(change), {}).update(change.values)
    return all(row in state and values.items() <= state[row].items() for row, values in after.items())
