"""Time travel: a past is what replaying the first k events makes, whichever way one came there."""

import itertools
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from backend.domain.values.errors import OutriderError
from backend.store.log.historical_database import CHUNK, MAX_SAVEPOINTS, HistoricalDatabase
from backend.store.log.journal import Journal
from backend.store.log.replay import PROJECTIONS
from tests.fakes.campaign import Stage
from tests.store.opening import CAMPAIGN, Rows, lead_imported, open_journal, started, write
from tests.store.streams import Streams

_NUMBERS = itertools.count()
_FEW = settings(
    deadline=None,
    max_examples=15,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def rows_of(connection: sqlite3.Connection) -> Rows:
    return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in PROJECTIONS}


def go(past: HistoricalDatabase, seq: int) -> Rows:
    while not past.seek_some(seq):
        pass
    assert past.seq == seq
    return rows_of(past.scratch)


def written(journal: Journal, random: Random, length: int) -> tuple[str, list[Rows]]:
    """A random history of one campaign, and every row as it was stored after each event."""
    seen: list[Rows] = []
    campaign = ""
    for step in Streams(random, campaigns=1).take(length):
        if step.campaign_id != "workspace":
            campaign = step.campaign_id
            journal.record(campaign, events=[step.event], actor="test", cause="c", at=step.at)
            seen.append(journal.database.query(rows_of))
    return campaign, seen


@_FEW
@given(st.builds(Random, st.integers(0, 2**32)), st.integers(2, 80))
def test_the_past_is_what_was_stored_then_in_whatever_order_one_looks(
    tmp_path: Path, random: Random, length: int
) -> None:
    journal = open_journal(tmp_path / f"{next(_NUMBERS)}.db")
    campaign, seen = written(journal, random, length)
    with closing(HistoricalDatabase(journal.database, campaign)) as past:
        assert go(past, len(seen)) == seen[-1], "at the last event it is what is stored now"
        for seq in random.choices(range(1, len(seen) + 1), k=20):
            assert go(past, seq) == seen[seq - 1], seq
    journal.database.close()


def test_a_whole_campaign_can_be_walked_back_event_by_event(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    campaign = stage.campaign(2)
    stage.run(campaign)
    with (
        closing(HistoricalDatabase(stage.database, campaign)) as past,
        closing(HistoricalDatabase(stage.database, campaign)) as fresh,
    ):
        length = len(stage.events(campaign))
        forward = [go(fresh, seq) for seq in range(1, length + 1)]
        backward = [go(past, seq) for seq in range(length, 0, -1)]
        assert backward == forward[::-1]
        stored = stage.dump()
        assert {table: sorted(stored[table], key=repr) for table in PROJECTIONS} == forward[-1]
    stage.close()


@pytest.fixture
def long(tmp_path: Path) -> Iterator[Journal]:
    journal = started(tmp_path / "long.db")
    write(journal, *(lead_imported(n) for n in range(1, 3 * CHUNK)))
    yield journal
    journal.database.close()


def test_going_back_costs_about_as_many_events_as_one_goes_back(long: Journal) -> None:
    with closing(HistoricalDatabase(long.database, CAMPAIGN)) as past:
        go(past, 3 * CHUNK)
        for back in (1, 1, 1, 5, 30, 200, 700):
            to = past.seq - back
            assert past.distance(to) <= 2 * back
            go(past, to)


def test_a_long_way_is_gone_in_bounded_pieces_and_marks_stay_few(long: Journal) -> None:
    with closing(HistoricalDatabase(long.database, CAMPAIGN)) as past:
        places = []
        while not past.seek_some(3 * CHUNK):
            places.append(past.seq)
        assert places == [CHUNK, 2 * CHUNK]
        rows = go(past, 10)
        for seq in range(11, 3 * MAX_SAVEPOINTS):
            rows = go(past, seq)
            assert len(past._marks) <= MAX_SAVEPOINTS
        assert len(rows["leads"]) == 3 * MAX_SAVEPOINTS - 2
        assert len(go(past, 40)["leads"]) == 39


def test_time_travel_writes_nothing_and_sees_what_comes_later(long: Journal) -> None:
    with closing(HistoricalDatabase(long.database, CAMPAIGN)) as past:
        before = len(go(past, 3 * CHUNK)["leads"])
        write(long, lead_imported(5_000))
        assert len(go(past, 3 * CHUNK + 1)["leads"]) == before + 1


def test_an_event_that_cannot_be_folded_is_named_and_what_comes_before_it_can_be_seen(tmp_path: Path) -> None:
    journal = started(tmp_path / "broken.db", lead_imported(1), lead_imported(2), lead_imported(3))
    with closing(sqlite3.connect(tmp_path / "broken.db", isolation_level=None)) as tampering:
        tampering.execute("DROP TRIGGER event_log_stays")
        tampering.execute("UPDATE event_log SET entity_id='lead-1' WHERE campaign_id=? AND seq=3", (CAMPAIGN,))
    with closing(HistoricalDatabase(journal.database, CAMPAIGN)) as past:
        with pytest.raises(OutriderError) as refused:
            go(past, 4)
        assert (refused.value.code, refused.value.facts["seq"]) == ("past_not_foldable", 3)
        assert len(go(past, 2)["leads"]) == 1
    journal.database.close()


def test_an_entry_that_was_cut_out_is_not_passed_over(tmp_path: Path) -> None:
    journal = started(tmp_path / "cut.db", lead_imported(1), lead_imported(2))
    with closing(sqlite3.connect(tmp_path / "cut.db", isolation_level=None)) as tampering:
        tampering.execute("DROP TRIGGER event_log_keeps")
        tampering.execute("DELETE FROM event_log WHERE campaign_id=? AND seq=2", (CAMPAIGN,))
    with closing(HistoricalDatabase(journal.database, CAMPAIGN)) as past, pytest.raises(OutriderError, match="missing"):
        go(past, 3)
    journal.database.close()
