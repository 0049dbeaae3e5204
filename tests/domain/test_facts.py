"""Every kind of event against what stands beside it: its table's columns."""

import pytest

from backend.domain.events.events import TABLES, Event, Verb, row_changes
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.fact import Fact
from backend.domain.events.facts.message import MessageSent
from backend.domain.events.facts.task import TaskAdvanced, TaskCreated
from backend.domain.model.message import MessageStatus
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus
from tests.store.opening import columns_of


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_a_fact_writes_columns_that_its_table_has_and_all_that_a_new_row_needs(fact: type[Fact]) -> None:
    columns = columns_of(TABLES[fact.entity])
    assert fact.columns.keys() <= {column.name for column in columns} - {"campaign_id"}
    if fact.verb is Verb.CREATES:
        needed = {column.name for column in columns if column.required and not column.key} - {"campaign_id"}
        assert needed <= {name for name, required in fact.columns.items() if required}


@pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
def test_a_fact_that_sets_a_status_says_which_it_may_follow(fact: type[Fact]) -> None:
    if fact.verb is Verb.CHANGES:
        assert ("status" in fact.columns) is bool(fact.moves)


def test_a_fact_is_the_event_that_is_logged() -> None:
    sent = MessageSent("m", sent_at=3, evidence=[])
    assert sent == Event("MessageSent", "m", {"status": "sent", "sent_at": 3, "evidence": []})
    assert TaskAdvanced("t", strikes=1).changes == {"strikes": 1}, "what is not given is not written"


def test_a_facts_columns_can_be_read_by_name() -> None:
    sent = MessageSent("m", sent_at=3, evidence=[])
    assert (sent.kind, sent.sent_at) == ("MessageSent", 3)
    task = TaskCreated(
        "t", kind=TaskKind.ASSIST, description="x", status=TaskStatus.PENDING, needs=ActionFamily.THINK, created_at=1
    )
    assert (task.kind, task.task_kind) == ("TaskCreated", TaskKind.ASSIST)
    with pytest.raises(AttributeError):
        _ = task.rank


def test_only_the_status_that_follows_is_written() -> None:
    assert MessageSent.moves == {
        MessageStatus.SENT: {MessageStatus.APPROVED, MessageStatus.SENDING, MessageStatus.OUTCOME_UNKNOWN}
    }


@pytest.mark.parametrize(("faulted", "last_error"), [(0, ""), (1, "Said so.")])
def test_what_a_turn_said_is_an_error_only_if_it_faulted(faulted: int, last_error: str) -> None:
    ended = Event("TurnCompleted", "7", {"history": "W", "steps": [], "faulted": faulted, "error": "Said so."})
    changed = next(change for change in row_changes("C", 0, ended) if change.table == "runtime_snapshot")
    assert changed.values["last_error"] == last_error
