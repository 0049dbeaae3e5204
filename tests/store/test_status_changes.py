"""No status is written past its lifecycle: what is recorded here is refused, what is replayed or adopted is history."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.domain.events.events import TABLES, Event, Verb
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.fact import Fact
from backend.domain.events.facts.message import ApprovalReopened, ApprovalUsed
from backend.domain.values.errors import OutriderError
from backend.store.log import replay
from backend.store.log.journal import Journal
from tests.fakes.clock import START
from tests.store.opening import CAMPAIGN, CREATED, columns_of, open_journal, write

STATUSES: dict[str, set[str]] = {}
for _fact in FACTS.values():
    for _target, _states in _fact.moves.items():
        STATUSES.setdefault(_fact.entity, set()).update({_target, *_states})


def _created(entity: str, status: str) -> Event:
    """A row of that entity in that status."""
    if entity == "campaign":
        return CREATED._replace(changes={**CREATED.changes, "status": status})
    values: dict[str, Any] = {
        column.name: 1 if column.type == "INTEGER" else "x"
        for column in columns_of(TABLES[entity])
        if column.required and not column.key and column.name != "campaign_id"
    }
    kind = next(kind for kind, fact in FACTS.items() if fact.entity == entity and fact.verb is Verb.CREATES)
    return Event(kind, "1", {**values, "status": status})


def _changes() -> Iterator[Any]:
    for fact in FACTS.values():
        for target, allowed in fact.moves.items():
            for state in sorted(STATUSES[fact.entity]):
                yield pytest.param(fact, target, state, state in allowed, id=f"{fact.__name__}-{state}-{target}")


@pytest.mark.parametrize(("fact", "target", "state", "allowed"), list(_changes()))
def test_a_fact_sets_its_status_only_after_those_that_it_names(
    tmp_path: Path, fact: type[Fact], target: str, state: str, allowed: bool
) -> None:
    journal = open_journal(tmp_path / "o.db")
    made = _created(fact.entity, state)
    write(journal, *([] if fact.entity == "campaign" else [CREATED]), made)
    event = Event(fact.__name__, made.entity_id, {"status": target})
    if allowed:
        write(journal, event)
        assert replay.find_differences(journal.database) == []
        return
    with pytest.raises(OutriderError) as refused:
        write(journal, event)
    assert refused.value.code == "illegal_status"
    assert state in refused.value.sentence
    assert target in refused.value.sentence
    with journal.database.read() as connection:
        key = "id" if fact.entity == "campaign" else "campaign_id='camp-1' AND id"
        row = connection.execute(f"SELECT status FROM {TABLES[fact.entity]} WHERE {key}=?", (made.entity_id,))
        assert row.fetchone() == (state,)


WITHOUT_STATUS = [
    kind for kind, fact in FACTS.items() if fact.verb is Verb.CHANGES and not fact.moves and fact.entity in STATUSES
]
"""What changes a row that has a status, and leaves that as it is."""


@pytest.mark.parametrize("kind", WITHOUT_STATUS)
def test_a_fact_that_names_no_status_sets_none(tmp_path: Path, kind: str) -> None:
    journal = open_journal(tmp_path / "o.db")
    state = sorted(STATUSES[FACTS[kind].entity])[0]
    made = _created(FACTS[kind].entity, state)
    write(journal, *([] if FACTS[kind].entity == "campaign" else [CREATED]), made)
    with pytest.raises(OutriderError, match="illegal_status"):
        write(journal, Event(kind, made.entity_id, {"status": state}))


def _approved(path: Path) -> Journal:
    journal = open_journal(path)
    write(journal, CREATED, _created("approval", "open"))
    return journal


def test_an_approval_is_used_once(tmp_path: Path) -> None:
    journal = _approved(tmp_path / "o.db")
    write(journal, ApprovalUsed("1"))
    with pytest.raises(OutriderError, match="illegal_status"):
        write(journal, ApprovalUsed("1"))
    write(journal, ApprovalReopened("1"), ApprovalUsed("1"))


def test_an_approval_is_not_used_twice_within_one_transaction(tmp_path: Path) -> None:
    journal = _approved(tmp_path / "o.db")
    with pytest.raises(OutriderError, match="illegal_status"):
        write(journal, ApprovalUsed("1"), ApprovalUsed("1"))
    with journal.database.read() as connection:
        assert connection.execute("SELECT status FROM approvals").fetchone() == ("open",), "nothing of it was written"
        assert connection.execute("SELECT max(seq) FROM event_log").fetchone() == (2,)


def test_what_is_in_the_log_is_replayed_as_it_is(tmp_path: Path) -> None:
    """An earlier version, or another device, may have recorded what would be refused today."""
    journal = _approved(tmp_path / "o.db")
    write(journal, ApprovalUsed("1"))
    with journal.database.write() as connection:
        row = (CAMPAIGN, START, "ApprovalUsed", "1", '{"status":"used"}')
        replay.apply(connection, replay.replay_entry(row))
