"""Statements are made of a table's own columns, whose names come from the log, and are prepared as seldom as can be."""

from pathlib import Path

import pytest

from backend.domain.events import RowChange, Verb
from backend.store.log import projections, replay
from tests.fakes.prepared import Prepared
from tests.store.opening import CAMPAIGN, dump, lead_imported, started

HOSTILE = "notes=full_name WHERE 1 --"


@pytest.mark.parametrize("verb", Verb)
@pytest.mark.parametrize("names", [("notes", HOSTILE), (HOSTILE, "notes"), (HOSTILE,)])
def test_one_name_that_is_no_columns_is_enough_to_refuse_a_change(
    tmp_path: Path, verb: Verb, names: tuple[str, ...]
) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    before = dump(tmp_path / "o.db")
    key = {"campaign_id": CAMPAIGN, "id": "lead-1"}
    change = RowChange(verb, "leads", key, dict.fromkeys(names, "x"))
    with pytest.raises(ValueError, match="no column"), journal.database.write() as connection:
        projections.apply(connection, [change])
    assert dump(tmp_path / "o.db") == before


def test_a_fact_is_written_by_the_same_statement_whether_a_command_or_the_log_tells_it(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    key, told = {"campaign_id": CAMPAIGN, "id": "lead-1"}, {"status": "accepted", "notes": "met", "blocked": "manual"}
    by_command = RowChange(Verb.CHANGES, "leads", key, told)
    by_log = by_command._replace(values=dict(sorted(told.items())))
    with journal.database.write() as connection:
        prepared = Prepared(connection)
        assert prepared.during(lambda: projections.apply(connection, [by_command]))
        assert not prepared.during(lambda: projections.apply(connection, [by_log]))
        (found,) = connection.execute("SELECT status, notes, blocked FROM leads")
    assert found == tuple(told.values())


def test_making_rows_anew_leaves_statements_prepared_unless_a_campaign_is_among_them(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    lead = RowChange(Verb.CHANGES, "leads", {"campaign_id": CAMPAIGN, "id": "lead-1"}, {})
    campaign = RowChange(Verb.CHANGES, "campaigns", {"id": CAMPAIGN}, {})
    with journal.database.write() as connection:
        prepared = Prepared(connection)

        def names() -> object:
            return connection.execute("SELECT full_name FROM leads").fetchall()

        for touching, anew in (((lead,), False), ((lead, campaign), True)):
            names()
            replay.rebuild_rows(connection, CAMPAIGN, touching)
            assert prepared.during(names) is anew
    assert replay.find_differences(journal.database) == []
