"""One fold: the pure one, the one that SQLite holds after each commit, and the one that replay makes are the same state."""

import itertools
import json
import sqlite3
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from backend.domain.events.events import (
    EVENT_KINDS,
    TABLES,
    Event,
    ProjectedRows,
    RecordedEvent,
    Verb,
    row_changes,
)
from backend.domain.values.canonical_json import canonical
from backend.store.log import replay, verification
from backend.store.log.journal import Journal
from backend.store.log.projections import LostRowError
from tests.fakes.clock import START
from tests.fakes.folds import fold, fold_all
from tests.store.opening import (
    CAMPAIGN,
    CREATED,
    Column,
    columns_of,
    dump,
    lead_imported,
    open_journal,
    schema,
    started,
    write,
)
from tests.store.streams import CHECKED, Step, Streams
from tests.stored_rows import all_rows

BACKEND = Path(__file__).resolve().parents[2] / "backend"
_REAL = settings(
    deadline=None,
    max_examples=25,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
_NUMBERS = itertools.count()

FOLDED = sorted({*TABLES.values(), "execution_state"})


def fresh(folder: Path) -> Journal:
    return open_journal(folder / f"{next(_NUMBERS)}.db")


def record(journal: Journal, steps: list[Step], random: Random) -> list[RecordedEvent]:
    """Write the steps in transactions of random length; what the listeners heard."""
    heard: list[RecordedEvent] = []
    journal.subscribe(lambda committed: heard.extend(committed.events))
    while steps:
        some, steps = steps[: (cut := random.randint(1, 6))], steps[cut:]
        with journal.transaction() as transaction:
            for campaign, at, event in some:
                transaction.record(campaign, [event], actor="test", cause="c", at=at)
    return heard


def with_defaults(state: ProjectedRows) -> dict[str, list[tuple[Any, ...]]]:
    """The pure state as whole rows: what an event did not give has the column's default."""
    rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in FOLDED}
    for (table, _), row in state.items():
        columns = columns_of(table)
        assert set(row) <= {column.name for column in columns}
        rows[table].append(tuple(row.get(column.name, _default(column.default)) for column in columns))
    return {table: sorted(table_rows, key=repr) for table, table_rows in rows.items()}


def _default(text: str | None) -> Any:
    if text is None:
        return None
    return text[1:-1] if text.startswith("'") else int(text)


def counts(state: ProjectedRows) -> dict[str, Counter[tuple[Any, ...]]]:
    """The counts that triggers keep, counted from the pure state instead."""
    leads = Counter((row["campaign_id"], row.get("status", "pending")) for (t, _), row in state.items() if t == "leads")
    tasks = Counter((row["campaign_id"], row["kind"], row["status"]) for (t, _), row in state.items() if t == "tasks")
    return {"lead_counts": leads, "task_counts": tasks}


@_REAL
@given(st.builds(Random, st.integers(0, 2**32)), st.integers(1, 60))
def test_state_is_the_fold_of_its_events_in_every_table(tmp_path: Path, random: Random, length: int) -> None:
    journal = fresh(tmp_path)
    steps = Streams(random).take(length)
    heard = record(journal, steps, random)
    state = fold_all(heard)
    one_by_one: ProjectedRows = {}
    for step in steps:
        one_by_one = fold(one_by_one, *step)
    assert one_by_one == state
    differences = replay.find_differences(journal.database)
    reports = journal.database.query(verification.verify)
    journal.database.close()
    rows = dump(journal.database.path)
    expected = with_defaults(state)
    for table in FOLDED:
        assert rows[table] == expected[table], table
    for table, counted in counts(state).items():
        assert {row[:-1]: row[-1] for row in rows[table] if row[-1]} == dict(counted), table
    assert differences == []
    assert [report.broken for report in reports] == [None] * len(reports)
    replayed = [(r.campaign_id, r.seq, r.timestamp, *r.event) for r in heard]
    logged = [(row[0], row[1], row[3], row[4], row[6], json.loads(row[7])) for row in _log(journal.database.path)]
    assert sorted(logged, key=lambda r: r[:2]) == sorted(
        ((c, s, t, k, e, json.loads(canonical(p))) for c, s, t, k, e, p in replayed), key=lambda r: r[:2]
    )


def _log(path: Path) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        names = "campaign_id, seq, id, timestamp, kind, entity_type, entity_id, change_payload"
        return list(connection.execute(f"SELECT {names} FROM event_log"))
    finally:
        connection.close()


@_REAL
@given(st.builds(Random, st.integers(0, 2**32)))
def test_the_order_of_two_campaigns_does_not_matter_to_either(tmp_path: Path, random: Random) -> None:
    steps = Streams(random, campaigns=2).take(40)
    apart = sorted(steps, key=lambda step: step.campaign_id)  # stable: within a campaign the order stays
    first, other = fresh(tmp_path), fresh(tmp_path)
    record(first, steps, random)
    record(other, apart, random)
    first.database.close()
    other.database.close()
    left, right = dump(first.database.path), dump(other.database.path)
    for table in (*FOLDED, "lead_counts", "task_counts"):
        assert left[table] == right[table]


# --- what must not be folded ------------------------------------------------------------------------------------------

CREATING = [kind for kind, (_, verb) in EVENT_KINDS.items() if verb is Verb.CREATES]
ALTERING = [kind for kind, (_, verb) in EVENT_KINDS.items() if verb is Verb.CHANGES]


def _least(entity: str, column: Column) -> Any:
    return 1 if column.type == "INTEGER" else CHECKED.get((entity, column.name), ("user",))[0]


def minimal(kind: str) -> Event:
    """The least event of that kind: only required columns."""
    entity, verb = EVENT_KINDS[kind]
    free = [column for column in columns_of(TABLES[entity]) if not column.key and column.name != "campaign_id"]
    chosen = [column for column in free if column.required] if verb is Verb.CREATES else free[:1]
    values = {column.name: _least(entity, column) for column in chosen}
    if entity == "campaign":
        return Event(kind, CAMPAIGN, values)
    return Event(kind, "1", values)


@pytest.mark.parametrize("kind", CREATING)
def test_nothing_is_made_twice(tmp_path: Path, kind: str) -> None:
    event = minimal(kind)
    before = [] if kind == "CampaignCreated" else [CREATED]
    state: ProjectedRows = {}
    for step in (*before, event):
        state = fold(state, CAMPAIGN, START, step)
    with pytest.raises(ValueError, match="again"):
        fold(state, CAMPAIGN, START, event)
    journal = open_journal(tmp_path / "o.db")
    write(journal, *before, event)
    with pytest.raises(sqlite3.IntegrityError):
        write(journal, event)
    assert replay.find_differences(journal.database) == []


@pytest.mark.parametrize("kind", [kind for kind in ALTERING if EVENT_KINDS[kind].entity != "runtime"])
def test_nothing_is_altered_that_is_not_there(tmp_path: Path, kind: str) -> None:
    event = minimal(kind)._replace(entity_id="missing")
    state = fold({}, CAMPAIGN, START, CREATED)
    with pytest.raises(KeyError):
        fold(state, CAMPAIGN, START, event)
    journal = started(tmp_path / "o.db")
    with pytest.raises(LostRowError):
        write(journal, event)
    journal.database.close()
    rows = dump(tmp_path / "o.db")
    assert (len(rows["event_log"]), rows["log_heads"][0][1]) == (1, 1)


def test_a_campaign_never_alters_the_row_of_another(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    other = CREATED._replace(entity_id="camp-2")
    write(journal, other, campaign="camp-2")
    stolen = Event("LeadAdvanced", "lead-1", {"status": "rejected"})
    with pytest.raises(LostRowError):
        write(journal, stolen, campaign="camp-2")
    state = fold(fold(fold({}, CAMPAIGN, START, CREATED), CAMPAIGN, START, lead_imported(1)), "camp-2", START, other)
    with pytest.raises(KeyError):
        fold(state, "camp-2", START, stolen)


def test_a_fact_that_changes_no_column_is_recorded_like_any_other(tmp_path: Path) -> None:
    nothing = Event("LeadMerged", "lead-1", {})
    state = fold(fold({}, CAMPAIGN, START, CREATED), CAMPAIGN, START, lead_imported(1))
    assert fold(state, CAMPAIGN, START, nothing) == state
    journal = started(tmp_path / "o.db", lead_imported(1))
    write(journal, nothing)
    assert replay.find_differences(journal.database) == []


def test_an_unknown_kind_of_fact_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        fold({}, CAMPAIGN, START, Event("LeadCloned", "lead-1", {}))
    journal = started(tmp_path / "o.db")
    with pytest.raises(KeyError):
        write(journal, Event("LeadCloned", "lead-1", {}))
    journal.database.close()
    assert len(dump(tmp_path / "o.db")["event_log"]) == 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_cannot_spell_is_never_recorded(tmp_path: Path, value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical({"x": value})
    journal = started(tmp_path / "o.db")
    with pytest.raises(ValueError, match="JSON"):
        write(journal, lead_imported(1, extra={"x": value}))
    journal.database.close()
    assert len(dump(tmp_path / "o.db")["event_log"]) == 1


@pytest.mark.parametrize("text", ["a\ud800b", "\udfff", "a\0b", "\ufffe", "\U0010ffff", "x" * 1_000_000])
def test_any_text_that_the_world_can_show_can_be_recorded(tmp_path: Path, text: str) -> None:
    """A page may hold half a surrogate pair; a reply that cannot be recorded would stop its campaign for ever."""
    journal = started(tmp_path / "o.db", lead_imported(1))
    reply = {"lead_id": "lead-1", "kind": "reply", "text": text, "status": "received", "created_at": START}
    write(journal, Event("ReplyReceived", "msg-1", reply))
    assert replay.find_differences(journal.database) == []


# --- kinds and columns ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_kind_of_fact_has_a_table_and_touches_only_columns_that_exist(kind: str) -> None:
    event = minimal(kind)
    for change in row_changes(CAMPAIGN, START, event):
        names = {column.name for column in schema()[change.table]}
        assert {*change.key, *change.values} <= names
        keys = {column.name for column in schema()[change.table] if column.key}
        assert keys <= set(change.key), "a row is named by its whole primary key"


def test_every_kind_is_a_past_fact_about_an_entity_that_has_a_table() -> None:
    assert {entity for entity, _ in EVENT_KINDS.values()} == set(TABLES)
    assert set(TABLES.values()) <= set(schema())
    for entity in TABLES:
        kinds = [kind for kind, event_kind in EVENT_KINDS.items() if event_kind.entity == entity]
        assert entity == "runtime" or any(EVENT_KINDS[kind].verb is Verb.CREATES for kind in kinds), entity


# --- the schema of the specification ----------------------------------------------------------------------------------

REQUIRED = {
    "campaigns": "id name status created_at",
    "tasks": "id campaign_id description status preconditions metadata",
    "leads": "id campaign_id full_name profile_url job_title company weight_score status",
    "artifacts": "id campaign_id artifact_type artifact_key made_by content schema version created_at",
    "audit_log": "id campaign_id timestamp action_type payload",
    "event_log": "id campaign_id timestamp entity_type entity_id change_payload",
    "configuration": "id user_id key_name encrypted_value config_type",
    "execution_state": "campaign_id current_task_id current_lead_id current_action_id last_action_timestamp",
}


@pytest.mark.parametrize("table", REQUIRED)
def test_every_table_of_the_specification_has_its_columns(table: str) -> None:
    names = {column.name for column in schema()[table]}
    assert set(REQUIRED[table].split()) - {"id"} <= names
    assert "id" in names or table in {"audit_log", "event_log", "execution_state"}


OF_THIS_MACHINE = {
    "project",
    "key_origins",
    "approved_commands",
    "model_tests",
    "approved_scripts",
    "erased_evidence",
    "outgoing_calls",
    "projection_rebuild",
    "agent_runs",
    "mcp_clients",
    "new_campaign_draft",
}
"""No event makes their rows, and no other device sees them."""
OF_THE_LOGS = {
    "acknowledged",
    "audit_log",
    "event_log",
    "log_heads",
    "log_signatures",
    "rebase_queue",
    "rebase_queue_entries",
    "wake_requests",
}
"""The logs, and what is kept about their entries."""


def test_a_replay_compares_every_table_that_the_log_determines() -> None:
    assert schema().keys() - OF_THIS_MACHINE - OF_THE_LOGS <= {*replay.PROJECTIONS, *replay.LISTS}


OF_THE_WORKSPACE = {"configuration", "devices", "signing_keys", "skills", "souls"}
"""They have rows of no campaign."""


@pytest.mark.parametrize("table", sorted(set(schema()) - {"campaigns"} - OF_THIS_MACHINE))
def test_every_row_belongs_to_a_campaign(table: str) -> None:
    columns = [column for column in schema()[table] if column.name == "campaign_id"]
    assert columns
    assert columns[0].not_null
    assert columns[0].default is None or table in OF_THE_WORKSPACE, "and nobody leaves it out"


@pytest.mark.parametrize("log", ["event_log", "audit_log"])
def test_every_log_entry_has_an_id_of_its_own(tmp_path: Path, log: str) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1), lead_imported(2))
    ids = [row[0] for row in journal.database.query(all_rows, f"SELECT id FROM {log}")]
    assert len(set(ids)) == len(ids)
    assert all(len(entry) == 32 for entry in ids)


@pytest.mark.parametrize(
    ("made_by", "source"),
    [
        ("user", "user"),
        ("model", "agent"),
        ("program", "agent"),
        ("program user", "agent"),
        (f"script {'0' * 64}", "agent"),
        ("controller", "agent"),
        ("script ", None),
        ("users", None),
        ("somebody", None),
        ("", None),
    ],
)
def test_an_artifact_comes_from_the_user_or_the_agent(tmp_path: Path, made_by: str, source: str | None) -> None:
    values = {
        "artifact_type": "note",
        "artifact_key": "k",
        "made_by": made_by,
        "content": "c",
        "version": 1,
        "created_at": 0,
    }
    journal = started(tmp_path / "o.db")
    if source is not None:
        write(journal, Event("ArtifactPersisted", "a-1", values))
        assert journal.database.query(all_rows, "SELECT source FROM artifacts") == [(source,)]
    else:
        with pytest.raises(sqlite3.IntegrityError):
            write(journal, Event("ArtifactPersisted", "a-1", values))


def test_an_artifact_has_one_content_for_each_key_and_version(tmp_path: Path) -> None:
    values = {
        "artifact_type": "note",
        "artifact_key": "k",
        "made_by": "user",
        "content": "c",
        "version": 1,
        "created_at": 0,
    }
    journal = started(tmp_path / "o.db")
    write(journal, Event("ArtifactPersisted", "a-1", values))
    with pytest.raises(sqlite3.IntegrityError):
        write(journal, Event("ArtifactPersisted", "a-2", values))
    write(journal, Event("ArtifactPersisted", "a-2", {**values, "version": 2}))


def test_from_intent_to_the_end_of_the_turn_the_lock_is_held_and_the_position_is_known() -> None:
    intent = {"turn": 1, "task_id": "task-1", "lead_id": "lead-1", "status": "intended"}
    acting = fold(fold({}, CAMPAIGN, START, CREATED), CAMPAIGN, START + 5, Event("ActionIntended", "act-1", intent))
    runtime, position = acting["runtime_snapshot", (CAMPAIGN,)], acting["execution_state", (CAMPAIGN,)]
    assert (runtime["state"], runtime["turn_lock"]) == ("ExecutingActions", 1)
    assert position == {
        "campaign_id": CAMPAIGN,
        "current_task_id": "task-1",
        "current_lead_id": "lead-1",
        "current_action_id": "act-1",
        "last_action_timestamp": START + 5,
    }
    after = fold(acting, CAMPAIGN, START + 9, Event("TurnCompleted", "1", {"task_id": "task-1", "lead_id": "lead-1"}))
    runtime, position = after["runtime_snapshot", (CAMPAIGN,)], after["execution_state", (CAMPAIGN,)]
    assert (runtime["turn_lock"], runtime["last_turn"]) == (0, 1)
    assert (position["current_action_id"], position["last_action_timestamp"]) == (None, START + 9)
