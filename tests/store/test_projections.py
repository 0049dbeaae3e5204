"""Statements are made of a table's own columns, whose names come from the log, and are prepared as seldom as can be."""

from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from backend.domain.events.events import RowChange, Verb
from backend.store.log import projections, replay
from backend.store.queries.leads import lead_index
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
    # None of them is searched for: SQLite's own search prepares statements of its own whenever it likes.
    key, values = {"campaign_id": CAMPAIGN, "id": "lead-1"}, {"status": "accepted", "label": "no", "blocked": "manual"}
    by_command = RowChange(Verb.CHANGES, "leads", key, values)
    by_log = by_command._replace(values=dict(sorted(values.items())))
    with journal.database.write() as connection:
        prepared = Prepared(connection)
        assert prepared.during(lambda: projections.apply(connection, [by_command]))
        assert not prepared.during(lambda: projections.apply(connection, [by_log]))
        (row,) = connection.execute("SELECT status, label, blocked FROM leads")
    assert row == tuple(values.values())


def test_new_rows_of_one_shape_are_written_by_one_statement_whatever_lies_between_them(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    mixed = [made("leads", n, email="a@b.example") if n % 2 else made("leads", n) for n in range(6)]
    tasks = [made("tasks", n) for n in range(6)]
    statements: list[str] = []
    with journal.database.write() as connection:
        connection.set_trace_callback(statements.append)
        projections.apply_many(connection, [change for pair in zip(mixed, tasks, strict=True) for change in pair])
        connection.set_trace_callback(None)
        assert connection.execute("SELECT id, email FROM leads ORDER BY id").fetchall() == [
            (f"leads-{n}", "a@b.example" if n % 2 else "") for n in range(6)
        ]
    inserts = [
        sql.partition(") VALUES")[0]
        for sql in statements
        if sql.startswith(("INSERT INTO leads (", "INSERT INTO tasks ("))
    ]
    assert len(list(groupby(inserts))) == 3


COLUMNS: dict[str, dict[str, Any]] = {
    "leads": {"full_name": "Ada", "profile_url": ""},
    "tasks": {"kind": "note", "description": "x", "status": "pending", "needs": "think", "created_at": 1},
}


def made(table: str, n: int, **more: str) -> RowChange:
    own = {"member_key": f"ada-{n}"} if table == "leads" else {}
    key = {"campaign_id": CAMPAIGN, "id": f"{table}-{n}"}
    return RowChange(Verb.CREATES, table, key, {**COLUMNS[table], **own, **more})


def test_several_changes_of_one_row_are_made_in_their_order(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    key = {"campaign_id": CAMPAIGN, "id": "lead-1"}
    changes = ({"notes": "first"}, {"notes": "second", "blocked": "manual"}, {"notes": "third"})
    with journal.database.write() as connection:
        projections.apply_many(connection, [RowChange(Verb.CHANGES, "leads", key, values) for values in changes])
        assert connection.execute("SELECT notes, blocked FROM leads").fetchall() == [("third", "manual")]


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
        lead_index.index_changes(connection)  # as at the end of each transaction
    assert replay.find_differences(journal.database) == []
