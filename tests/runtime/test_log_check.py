"""What is verified in the background: at a start only what is new, and damage before that all the same."""

from pathlib import Path
from typing import Any

import pytest

from backend.domain.events.events import AuditEntry
from backend.domain.values.errors import OutriderError
from backend.runtime.jobs.log_check import LogCheck
from backend.runtime.worker import Worker, Workers
from backend.store.log.heads_file import HeadsFile, verified_path
from backend.store.log.journal import Journal
from tests.fakes.clock import FakeClock
from tests.store.opening import CAMPAIGN, lead_imported, write
from tests.store.test_log import LENGTH, filled, tampering


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return filled(tmp_path / "o.db")


def check(journal: Journal) -> LogCheck:
    return LogCheck(journal, Workers(FakeClock()))


def verified(journal: Journal) -> int:
    stored = HeadsFile(verified_path(journal.database.path)).read()
    return stored.heads[CAMPAIGN].event_seq if stored else 0


def edit(journal: Journal, seq: int) -> None:
    with tampering(journal.database.path) as connection:
        connection.execute("UPDATE event_log SET actor='somebody' WHERE campaign_id=? AND seq=?", (CAMPAIGN, seq))


def test_a_start_goes_on_from_where_the_logs_were_verified(journal: Journal) -> None:
    check(journal).verify_new()
    assert verified(journal) == LENGTH
    write(journal, lead_imported(100), lead_imported(101), audits=[AuditEntry("looked", {})])
    check(journal).verify_new()
    assert verified(journal) == LENGTH + 2


def test_what_is_new_and_damaged_is_found_and_never_counted_as_verified(journal: Journal) -> None:
    check(journal).verify_new()
    write(journal, lead_imported(100), lead_imported(101))
    edit(journal, LENGTH + 2)
    for _ in range(2):
        again = check(journal)
        with pytest.raises(OutriderError, match=f"broken at entry {LENGTH + 2}"):
            again.verify_new()
        with pytest.raises(OutriderError, match=f"broken at entry {LENGTH + 2}"):
            again.refuse()
        assert verified(journal) == LENGTH


def test_damage_before_what_was_verified_is_found_by_the_walk_over_everything(journal: Journal) -> None:
    check(journal).verify_new()
    edit(journal, 3)
    started = check(journal)
    started.verify_new()
    started.refuse()
    with pytest.raises(OutriderError, match="broken at entry 3"):
        started.verify_again()
    with pytest.raises(OutriderError, match="broken at entry 3"):
        started.refuse()


def test_the_background_finds_it_by_itself_and_says_so(journal: Journal) -> None:
    check(journal).verify_new()
    edit(journal, 3)
    workers, rounds = Workers(FakeClock()), []
    made = workers.add

    def keep(*arguments: Any) -> Worker:
        rounds.append(made(*arguments))
        return rounds[-1]

    workers.add = keep  # type: ignore[method-assign,assignment]
    LogCheck(journal, workers)
    for _ in range(20):  # a round for each chain, twice, and no more than that before the end
        rounds[0].run_round()
    (state,) = workers.states()
    assert state.error is not None
    assert (state.failing, state.error.code, "entry 3" in state.error.sentence) == (True, "log_broken", True)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"said":{"heads":{},"lost":[]},"sha256":"0"}'])
def test_a_file_that_cannot_be_read_vouches_for_nothing(journal: Journal, content: bytes) -> None:
    check(journal).verify_new()
    verified_path(journal.database.path).write_bytes(content)
    edit(journal, 3)
    with pytest.raises(OutriderError, match="broken at entry 3"):
        check(journal).verify_new()


def test_a_place_that_is_not_in_the_log_any_more_vouches_for_nothing(journal: Journal, tmp_path: Path) -> None:
    longer = filled(tmp_path / "longer.db")
    write(longer, lead_imported(100))
    check(longer).verify_new()
    verified_path(journal.database.path).write_bytes(verified_path(longer.database.path).read_bytes())
    edit(journal, 3)
    with pytest.raises(OutriderError, match="broken at entry 3"):
        check(journal).verify_new()
