"""Decides which entries recorded here can be reapplied after another device's entries came first.

A group, the entries of one transaction, is reapplied whole, if the other device left alone every row that it changes and has no
row that it creates. Independent entries, such as the rows of an imported file, are reapplied one by one.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from enum import StrEnum
from typing import NamedTuple

from backend.domain.device.vault import VAULT
from backend.domain.events.events import (
    EVENT_KINDS,
    FENCED,
    WORKSPACE,
    Event,
    ProjectedRows,
    Row,
    RowChange,
    RowKey,
    Verb,
    row_key,
)
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.statuses import ActionStatus
from backend.domain.events.facts.turn import ReplyBilled
from backend.domain.events.late_news import outdated
from backend.domain.model.answer import STEP as ANSWER
from backend.domain.model.lead import OUTCOME_UNKNOWN
from backend.domain.model.message import SendOutcome
from backend.domain.model.send_word import LAST_WORD, GivenWord
from backend.domain.model.task import SETTLED, TaskStatus
from backend.domain.values.canonical_json import Json


class RebaseStatus(StrEnum):
    """The state of a group: not decided, reapplied, in conflict until the user chooses, dropped, or chosen (mine, theirs)."""

    PENDING = "pending"
    REBASED = "rebased"
    CONFLICT = "conflict"
    DROPPED = "dropped"
    MINE = "mine"
    THEIRS = "theirs"


class ConflictKey(NamedTuple):
    """What two devices cannot both change: a part of a row, or a name that only one row can have."""

    table: str
    key: tuple[Json, ...]
    part: str = ""


class EventWithChanges(NamedTuple):
    """An event, where it stood in the log, the rows that it makes or alters, and when it was recorded (ms UTC)."""

    seq: int
    event: Event
    changes: Sequence[RowChange]
    at: int


OWN_COLUMNS = frozenset(
    (table, name)
    for table, names in {
        "leads": ("notes", "tags", "priority_override", "greeting_name", "snoozed_until", "snoozed_at"),
        "tasks": ("rank",),
        "campaigns": ("name", "goal", "proposer", "version", "conversation_from", "conversation_back", "deleted_at"),
    }.items()
    for name in names
)
"""Columns against which only the same one stands, whatever else another device changed in that row: remarks, the order in which
people come, what a campaign is called and about, which lines are shown, and that it is deleted."""

UNIQUE_COLUMNS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "leads": (("member_key",),),
    "messages": (("lead_id", "step"),),
    "artifacts": (("artifact_type", "artifact_key", "version"),),
    "souls": (("version",),),
    "skills": (("name",),),
    "conversations": (("given_key",),),
    "attachments": (("request_id", "place"),),
}
"""Columns whose values no two rows of a stream may share."""

VAULT_CONFLICT_KEY = ConflictKey("config_kv", (WORKSPACE, VAULT))

INDEPENDENT_KINDS = frozenset({
    "LeadImported", "LeadMerged", "RowMerged", "RowRejected", "EntriesErased", "DoNotContactRemoved", "ContactRemembered",
    "ConflictOpened", "ConflictSettled",
})  # fmt: skip
"""Of a transaction with one of these each event stands for itself: one person who is known already does not hold up the rest of a
file, nor one entry that another device took off the list the rest of an undone import; and nothing holds up an erasure. Nor is
what is said of a conflict in conflict itself."""


FORBIDS_ALL = {"ConsentWithdrawn": "consents"}
"""Decisions that are about every row of a table: no consent is to hold, nor one that another device gave meanwhile, nor one
given here by somebody who did not know that it was withdrawn."""
ABOUT_EVERYBODY = frozenset({"SequenceChanged"})
"""Decisions about everybody as they stood: after a turn, or with another text, they mean something else. Whoever is left alone
by now, such as a person who was erased meanwhile, is not one of them any more: it holds for all others."""
SAME_PERSON = "same person"
"""The part of an answer that says of an identity who it is."""
ROW_CREATED = "made"
"""The part of a row that whoever refers to it depends on: that it is there."""
_REFERS_TO = {"lead_id": "leads", "task_id": "tasks", "message_id": "messages"}
_TABLES_OF_EVERYBODY = frozenset({"messages", "turn_projection"})


def _depends_on(entry: EventWithChanges) -> set[ConflictKey]:
    """The keys that must be unchanged although this event does not change them.

    What is made refers to rows that are there, a secret is sealed under the vault that was in force, a condition is one of a task
    that is not done yet, and a word that waits to take effect is about a person and an act.
    """
    keys = set()
    for change in entry.changes:
        if change.verb is Verb.CREATES and (stream := change.key.get("campaign_id")):
            values = change.values
            keys |= {
                ConflictKey(table, (stream, values[name]), ROW_CREATED)
                for name, table in _REFERS_TO.items()
                if values.get(name)
            }
            ranked = entry.event.changes.get("lead_ids")
            for lead_id in ranked if isinstance(ranked, list) else ():
                keys.add(ConflictKey("leads", (stream, lead_id), ROW_CREATED))
        if change.table == "configuration":
            keys.add(VAULT_CONFLICT_KEY)
        elif change.table == "commitments" and change.verb is Verb.CREATES:
            keys.add(ConflictKey("tasks", (change.key["campaign_id"], change.values["task_id"])))
        elif change.key.get("id") == LAST_WORD and (given_word := GivenWord.read(str(change.values.get("value", "")))):
            stream = change.key["campaign_id"]
            keys |= {
                ConflictKey("leads", (stream, given_word.lead_id)),
                ConflictKey("actions", (stream, given_word.action_id)),
            }
    return keys


def conflict_keys(changes: Iterable[RowChange]) -> set[ConflictKey]:
    """The keys that these changes take. An answer also takes its person's: only one answer waits at a time.

    An answer on whether people are the same takes the key of each of them.
    """
    keys = set()
    for change in changes:
        table, key = row_key(change)
        if change.verb is Verb.CHANGES:
            keys |= {
                ConflictKey(table, key, name if (table, name) in OWN_COLUMNS else "") for name in change.values or ("",)
            }
            continue
        keys |= {ConflictKey(table, key), ConflictKey(table, key, ROW_CREATED)}
        if table == "messages" and str(change.values.get("step", "")).startswith(ANSWER):
            keys.add(ConflictKey(table, (change.key["campaign_id"], change.values["lead_id"]), ANSWER))
        if table == "identity_answers":
            keys |= {ConflictKey(table, (identity,), SAME_PERSON) for identity in _identities(change)}
        for names in UNIQUE_COLUMNS.get(table, ()):
            values = tuple(change.values.get(name) for name in names)
            if None not in values:
                keys.add(ConflictKey(table, (change.key.get("campaign_id"), *values), "/".join(names)))
    return keys


def _identities(answer: RowChange) -> list[str]:
    """The identities that an answer is about; what another device recorded may be no JSON."""
    try:
        identities = json.loads(str(answer.values.get("member_keys")))
    except ValueError:
        return []
    return [identity for identity in identities if isinstance(identity, str)] if isinstance(identities, list) else []


def is_divisible(group: Sequence[EventWithChanges]) -> bool:
    """Whether each of its events can be reapplied by itself."""
    return any(entry.event.kind in INDEPENDENT_KINDS for entry in group)


def reapply_units(group: Sequence[EventWithChanges]) -> list[list[EventWithChanges]]:
    """The parts of a group that are reapplied, or not, by themselves."""
    return [[entry] for entry in group] if is_divisible(group) else [list(group)]


def is_about_everybody(group: Iterable[EventWithChanges]) -> bool:
    """Whether it is a decision about everybody as they stood."""
    return any(entry.event.kind in ABOUT_EVERYBODY for entry in group)


def can_reapply(
    unit: Sequence[EventWithChanges],
    taken: Collection[ConflictKey],
    existing_rows: Collection[RowKey],
    *,
    done: bool = False,
) -> bool:
    """Whether the unit can be recorded again on top of `existing_rows`, when others have changed the keys in `taken`.

    `done` is what `is_done` says: then a turn is what happened, and no mere attempt.
    """
    if not done and any(entry.event.kind in FENCED for entry in unit):
        return False  # a turn decided on a state that is no longer the past, or its intent was never acknowledged
    if is_about_everybody(unit) and any(key.table in _TABLES_OF_EVERYBODY for key in taken):
        return False
    forbidden_tables = {change.table for entry in unit for change in entry.changes} & set(FORBIDS_ALL.values())
    if any(key.table in forbidden_tables for key in taken):
        return False
    touched_rows: set[RowKey] = set()
    for entry in unit:
        for change in entry.changes:
            row = row_key(change)
            if (row in existing_rows or row in touched_rows) is (change.verb is Verb.CREATES):
                return False
            touched_rows.add(row)
        if not (conflict_keys(entry.changes) | _depends_on(entry)).isdisjoint(taken):
            return False
    return True


def rows_of_acts(events: Iterable[Event]) -> set[Json]:
    """The ids of the acts by which something was sent, or may have been, before a project was attached, and of whom they were to,
    with the task, the text and the approval that they used; of these acts' events, in their order.

    While one is attached, nobody acts before it has the intent.
    """
    ids: dict[str, set[Json]] = {}
    last_status: dict[str, object] = {}
    for event in events:
        if event.kind in FENCED:
            used = (event.changes.get(name) for name in (*_REFERS_TO, "approval_id"))
            ids[event.entity_id] = {event.entity_id, *filter(None, used)}
        last_status[event.entity_id] = event.changes.get("status")
    return {id_ for act, used in ids.items() if last_status[act] != ActionStatus.NOT_SENT for id_ in used}


def is_done(unit: Sequence[EventWithChanges], by_user: bool, acted: Set[Json]) -> bool:
    """Whether it is what was done, whatever others decided meanwhile: what turns did about somebody who was written to, or what
    made the rows that the act used, such as the approval of what was sent. `acted` are the `rows_of_acts`."""
    if by_user:
        made = (entry.event.entity_id for entry in unit if EVENT_KINDS[entry.event.kind].verb is Verb.CREATES)
        return not is_divisible(unit) and not acted.isdisjoint(made)
    return any(
        not acted.isdisjoint({entry.event.entity_id, *(entry.event.changes.get(name) for name in _REFERS_TO)})
        for entry in unit
    )


def is_of_act(unit: Iterable[EventWithChanges]) -> bool:
    """Whether an act is begun or settled in it."""
    return any(change.table == "actions" for entry in unit for change in entry.changes)


def parts_that_fit(unit: Iterable[EventWithChanges], existing_rows: Collection[RowKey]) -> list[EventWithChanges]:
    """What of it makes rows that are not there and changes rows that are, such as all but a turn whose number is taken."""
    fitting, rows = list[EventWithChanges](), set(existing_rows)
    for entry in unit:
        if all((row_key(change) in rows) is (change.verb is Verb.CHANGES) for change in entry.changes):
            fitting.append(entry)
            rows |= {row_key(change) for change in entry.changes}
    return fitting


_GOES_ON: Mapping[tuple[str, str], Collection[Json]] = {
    ("leads", "blocked"): ("", OUTCOME_UNKNOWN),
    ("leads", "finished"): ("",),
    ("tasks", "status"): [status for status in TaskStatus if status not in SETTLED],
}
"""The columns by which somebody is left alone, or what was planned for them has ended, and what they hold before that."""


def takes_up_again(entry: EventWithChanges, taken: Collection[ConflictKey], state: ProjectedRows) -> bool:
    """Whether it changes what another device, by the keys in `taken`, put an end to: an act takes nobody up again."""
    for change in entry.changes:
        row = state.get(row_key(change), {}) if ConflictKey(*row_key(change)) in taken else {}
        if any(
            row[name] not in _GOES_ON.get((change.table, name), (row[name],)) for name in change.values if name in row
        ):
            return True
    return False


def still_news(entry: EventWithChanges, state: ProjectedRows) -> EventWithChanges | None:
    """What it says of a lead that nothing later on record stands against, None if that is nothing; all of any other entry."""
    fact = FACTS[entry.event.kind]
    if fact.entity != "lead" or fact.verb is not Verb.CHANGES:
        return entry
    (change,) = entry.changes
    old = outdated(change.values, state.get(row_key(change), {}), entry.at)
    if not old:
        return entry
    if len(old) == len(change.values) or any(fact.columns[name] for name in old):
        return None
    event_changes = {name: value for name, value in entry.event.changes.items() if name not in old}
    values = {name: value for name, value in change.values.items() if name not in old}
    return entry._replace(event=entry.event._replace(changes=event_changes), changes=[change._replace(values=values)])


def is_on_record(unit: Iterable[EventWithChanges], state: ProjectedRows) -> bool:
    """Whether it is about an act that is on record already, or settled: only that it was sent after all is news about that."""
    for entry in unit:
        for change in entry.changes:
            if change.table == "actions" and (row := state.get(row_key(change))) is not None:
                if change.verb is Verb.CREATES or row["status"] == ActionStatus.SENT:
                    return True
                if row["status"] == ActionStatus.NOT_SENT and change.values.get("status") != ActionStatus.SENT:
                    return True
    return False


def outcome_of_act(unit: Sequence[EventWithChanges], state: ProjectedRows) -> list[EventWithChanges]:
    """What came of an act whose intent is on record and open, without its turn, whose number may be taken."""
    settled = [change for entry in unit for change in entry.changes if change.table == "actions"]
    outcomes = (SendOutcome.SENT, SendOutcome.NOT_SENT)
    is_known = all(row_key(change) in state and change.values.get("status") in outcomes for change in settled)
    if not settled or not is_known or is_on_record(unit, state):
        return []
    outcome = (still_news(entry, state) for entry in unit if entry.event.kind not in FENCED)
    return parts_that_fit(filter(None, outcome), state)


def cost_events(staying: Iterable[EventWithChanges], state: ProjectedRows, new_id: Callable[[], str]) -> list[Event]:
    """Record the cost of replies whose turns are not reapplied: it was paid all the same, if no other device has recorded it."""
    turns = (
        entry.event.changes
        for entry in staying
        if EVENT_KINDS[entry.event.kind].entity == "turn"
        and not entry.changes[0].values.items() <= state.get(row_key(entry.changes[0]), {}).items()
    )
    return [
        ReplyBilled(
            new_id(),
            model=turn["model"],
            tokens_in=turn.get("tokens_in", 0),
            tokens_out=turn.get("tokens_out", 0),
            cost_micros=turn.get("cost_micros", 0),
        )
        for turn in turns
        if turn.get("model")
    ]


def bears_on_contact(changes: Iterable[RowChange]) -> bool:
    """Whether a decision is about whether, when or with which text somebody is written to; remarks about them are not."""
    return any((change.table, name) not in OWN_COLUMNS for change in changes for name in change.values or ("",))


REMARK = "remark on "
"""What stands before the id of a lead whom a decision only remarks on, where it is told to other devices: named, and not held."""


def with_times_of(made: RowChange, namesake: Row) -> Row:
    """The existing row of the same name, with the times of the row that was created here."""
    return {**namesake, **{name: value for name, value in made.values.items() if name.endswith("_at")}}


def already_holds(unit: Sequence[EventWithChanges], state: ProjectedRows) -> bool:
    """Whether the unit would change nothing: every row it changes has those values already."""
    if any(entry.event.kind in FORBIDS_ALL for entry in unit):
        return False
    after: dict[RowKey, Row] = {}
    for entry in unit:
        for change in entry.changes:
            after.setdefault(row_key(change), {}).update(change.values)
    return all(row in state and values.items() <= state[row].items() for row, values in after.items())
