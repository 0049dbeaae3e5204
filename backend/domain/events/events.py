"""Every recordable fact, and the one fold that turns facts into rows (spec 000 §4.3; design: architecture, "Events and replay").

An event names an entity and carries the new values of the columns it changes. `row_changes` says which rows that makes
or alters; SQLite, replay and PostgreSQL all apply exactly these.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.events.facts import EVENT_KINDS as EVENT_KINDS
from backend.domain.events.facts.fact import Event as Event
from backend.domain.events.facts.fact import Verb as Verb
from backend.domain.values.canonical_json import Json, canonical

# ruff: noqa: PLC0414 - a fact and its verb are imported from here

Row = dict[str, Json]

WORKSPACE = "workspace"
"""The stream of records that belong to no campaign: configuration, do-not-contact, soul and skills."""


TABLES: dict[str, str] = {
    "campaign": "campaigns",
    "task": "tasks",
    "commitment": "commitments",
    "lead": "leads",
    "import": "imports",
    "rejected_row": "rejected_rows",
    "merged_row": "merged_rows",
    "message": "messages",
    "approval": "approvals",
    "action": "actions",
    "incident": "incidents",
    "artifact": "artifacts",
    "input_request": "input_requests",
    "scoring": "scorings",
    "ranking": "rankings",
    "line": "conversations",
    "attachment": "attachments",
    "turn": "turn_projection",
    "bill": "model_bills",
    "runtime": "runtime_snapshot",
    "do_not_contact": "do_not_contact",
    "identity_answer": "identity_answers",
    "do_not_contact_import": "do_not_contact_imports",
    "remembered_contact": "remembered_contacts",
    "consent": "consents",
    "config": "config_kv",
    "soul": "souls",
    "skill": "skills",
    "secret": "configuration",
    "device": "devices",
    "signing_key": "signing_keys",
    "erasure": "erasures",
    "conflict": "conflicts",
}
"""Where an entity's rows live."""

KEY_NAMES = {"turn": "number", "runtime": "campaign_id"}
"""The column that has the entity's id, where it is not `id`. Every row has its campaign's, too."""


class RecordedEvent(NamedTuple):
    """A fact as it stands in the log; `timestamp` is ms UTC, `seq` has no gaps within a campaign."""

    campaign_id: str
    seq: int
    timestamp: int
    event: Event
    actor: str
    cause: str


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """A line for the audit log: a tool invocation, a proposal as received, a look at a file or a page."""

    action_type: str
    payload: Mapping[str, Json]


class RowChange(NamedTuple):
    """One row made or altered. `key` holds the primary key's columns; nested values are already JSON text."""

    verb: Verb
    table: str
    key: Row
    values: Row


def row_changes(campaign_id: str, timestamp: int, event: Event) -> list[RowChange]:
    """The rows that this fact makes or alters. Pure; raises KeyError for a kind that does not exist."""
    entity, verb = EVENT_KINDS[event.kind]
    table = TABLES[entity]
    values = {name: _flat(value) for name, value in event.changes.items()}
    key: Row = {} if entity == "campaign" else {"campaign_id": campaign_id}
    if (key_name := KEY_NAMES.get(entity, "id")) != "campaign_id":
        key[key_name] = int(event.entity_id) if key_name == "number" else event.entity_id
    changes = [RowChange(verb, table, key, values)]
    derive = _DERIVED.get(event.kind)
    if derive:
        changes.extend(derive(campaign_id, timestamp, event._replace(changes=values)))
    return changes


def _flat(value: Json) -> Json:
    if isinstance(value, str):
        # half a surrogate pair, as a page may hold it, cannot be stored as text; the log keeps it
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return canonical(value) if isinstance(value, (dict, list, tuple)) else value


def _campaign_created(campaign_id: str, timestamp: int, _: Event) -> list[RowChange]:
    key = {"campaign_id": campaign_id}
    return [
        RowChange(
            Verb.CREATES,
            "runtime_snapshot",
            key,
            {"state": "Bootstrapping", "turn_lock": 0, "loop_enabled": 0, "last_turn": 0, "last_error": ""},
        ),
        RowChange(Verb.CREATES, "execution_state", key, {"last_action_timestamp": timestamp}),
    ]


def _turn_ended(campaign_id: str, timestamp: int, event: Event) -> list[RowChange]:
    key = {"campaign_id": campaign_id}
    turn = event.changes
    if "request_id" in turn:  # for a request of the user: the campaign stays where it stands
        return [RowChange(Verb.CHANGES, "runtime_snapshot", key, {"last_turn": int(event.entity_id)})]
    # What a turn says of itself is an error only if it faulted; "message sent" is none.
    state, error = ("Faulted", turn.get("error", "")) if turn.get("faulted") else ("Idle", "")
    return [
        RowChange(
            Verb.CHANGES,
            "runtime_snapshot",
            key,
            {"state": state, "turn_lock": 0, "last_turn": int(event.entity_id), "last_error": error},
        ),
        RowChange(
            Verb.CHANGES,
            "execution_state",
            key,
            {
                "current_task_id": turn.get("task_id"),
                "current_lead_id": turn.get("lead_id"),
                "current_action_id": None,
                "own_turn": int(event.entity_id),
                "last_action_timestamp": timestamp,
            },
        ),
    ]


def _action_intended(campaign_id: str, timestamp: int, event: Event) -> list[RowChange]:
    key = {"campaign_id": campaign_id}
    action = event.changes
    return [
        RowChange(Verb.CHANGES, "runtime_snapshot", key, {"state": "ExecutingActions", "turn_lock": 1}),
        RowChange(
            Verb.CHANGES,
            "execution_state",
            key,
            {
                "current_task_id": action.get("task_id"),
                "current_lead_id": action.get("lead_id"),
                "current_action_id": event.entity_id,
                "last_action_timestamp": timestamp,
            },
        ),
    ]


_DERIVED: dict[str, Callable[[str, int, Event], list[RowChange]]] = {
    "CampaignCreated": _campaign_created,
    "TurnCompleted": _turn_ended,
    "TurnFaulted": _turn_ended,
    "ActionIntended": _action_intended,
}

DERIVING = frozenset(_DERIVED)
"""Kinds that alter rows besides their entity's own."""

FENCED = frozenset({"TurnCompleted", "TurnFaulted", "ActionIntended", "ActionHandedOver"})
"""What only the device that holds the lease may record, once a project is attached."""

RowKey = tuple[str, tuple[Json, ...]]
"""A row by its table and primary key values."""

ProjectedRows = dict[RowKey, Row]
"""The whole state, or some of it, as a value."""


def row_key(change: RowChange) -> RowKey:
    """The row that is made or altered."""
    return change.table, tuple(change.key.values())
