"""A script sees its campaign's rows of a few tables, and nothing else that is in the database."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from backend.domain.events.events import Event
from backend.store.queries.turn.script_data import ScriptData, moment, script_data
from backend.store.script_database import MOST_SECONDS
from tests.fakes.clock import START
from tests.fakes.questions import QueryDeniedError, QueryFailedError, QuestionsHere, rows, table
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, schema, started, write

OTHER = "camp-2"


@pytest.fixture
def data(tmp_path: Path) -> Iterator[ScriptData]:
    journal = started(tmp_path / "outrider.db", lead_imported(1), lead_imported(2, full_name="Zoë"))
    write(journal, Event(CREATED.kind, OTHER, dict(CREATED.changes)), campaign=OTHER)
    secret = Event("LeadImported", "lead-9", {**lead_imported(9).changes, "full_name": "Of another campaign"})
    write(journal, secret, campaign=OTHER)
    with journal.database.read() as connection, script_data(connection, CAMPAIGN, START, QuestionsHere) as script_rows:
        yield script_rows
    journal.database.close()


def test_rows_come_with_their_columns(data: ScriptData) -> None:
    columns, values = rows(data, "SELECT id, full_name FROM leads WHERE full_name LIKE ? ORDER BY id", ["%o%"])
    assert columns == ["id", "full_name"]
    assert values == [["lead-1", "Person 1"], ["lead-2", "Zoë"]]
    assert rows(data, "SELECT count(*) FROM leads WHERE id = :id", {"id": "lead-1"})[1] == [[1]]
    assert rows(data, "SELECT name FROM campaign", [])[1] == [["Research"]]


def test_columns_come_when_they_are_first_read(data: ScriptData) -> None:
    assert rows(data, "SELECT count(*) FROM leads", [])[1] == [[2]]
    assert rows(data, "SELECT full_name FROM leads ORDER BY rowid", [])[1] == [["Person 1"], ["Zoë"]]
    joined = "SELECT b.full_name FROM leads a NATURAL JOIN leads b WHERE a.profile_url <> '' ORDER BY 1"
    assert len(rows(data, joined, [])[1]) == 0, "columns that are NULL are equal to nothing, read or not"
    columns, values = table(data, "leads")
    assert values[0][columns.index("extra")] == {}
    assert values[0][columns.index("full_name")] == "Person 1"
    assert rows(data, "SELECT extra, tags FROM leads LIMIT 1", [])[1] == [["{}", "[]"]]
    assert rows(data, "SELECT name FROM campaign", [])[1] == [["Research"]]


@pytest.mark.parametrize(
    "join", ["JOIN leads b USING (id)", "NATURAL JOIN (SELECT id FROM leads)", "FULL JOIN leads b USING (id)"]
)
def test_columns_that_a_join_compares_without_naming_them_come_too(data: ScriptData, join: str) -> None:
    assert rows(data, f"SELECT count(*) FROM (SELECT 'lead-1' AS id) {join}")[1] == [[2 if "FULL" in join else 1]]


def test_another_campaigns_rows_are_not_there(data: ScriptData) -> None:
    assert rows(data, "SELECT count(*) FROM leads", [])[1] == [[2]]
    assert rows(data, "SELECT id FROM leads WHERE full_name LIKE '%another%'", [])[1] == []


def test_the_clock_of_sql_stands(data: ScriptData) -> None:
    answer = rows(
        data, "SELECT date('now'), strftime('%s', 'now', '+1 day') - strftime('%s'), datetime() = datetime('now')", []
    )
    assert answer[1][0][1:] == [86_400, 1]
    assert rows(data, "SELECT date(?, 'unixepoch')", [START // 1_000])[1][0] == answer[1][0][:1]


READABLE = {"campaign", "leads", "messages", "tasks", "imports"}
DENIED = (
    *(f"SELECT * FROM {table}" for table in sorted(schema().keys() - READABLE)),
    "SELECT * FROM sqlite_master",
    "SELECT * FROM sqlite_schema",
    "SELECT * FROM sqlite_temp_master",
    "SELECT * FROM main.sqlite_master",
    "PRAGMA table_info(leads)",
    "PRAGMA database_list",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "SELECT * FROM pragma_table_info('leads')",
    "SELECT * FROM pragma_database_list",
    "ATTACH 'outrider.db' AS other",
    "ATTACH DATABASE '/etc/passwd' AS x",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO '/tmp/copy.db'",
    "CREATE TABLE x (a)",
    "CREATE TEMP TABLE x (a)",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE VIRTUAL TABLE x USING fts5(a)",
    "DROP TABLE leads",
    "DELETE FROM leads",
    "UPDATE leads SET full_name = 'x'",
    "INSERT INTO leads(id) VALUES ('x')",
    "REPLACE INTO leads(id) VALUES ('x')",
    "INSERT INTO leads(id) VALUES ('x') RETURNING *",
    "ALTER TABLE leads RENAME TO x",
    "CREATE TRIGGER t AFTER INSERT ON leads BEGIN SELECT 1; END",
    "REINDEX",
    "ANALYZE",
    "BEGIN",
    "COMMIT",
    "SAVEPOINT s",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT random()",
    "SELECT hex(randomblob(16))",
    "SELECT zeroblob(10)",
    "SELECT sqlite_version()",
    "SELECT sqlite_compileoption_get(1)",
    "SELECT last_insert_rowid()",
    "SELECT fts3_tokenizer('x')",
    "SELECT current_timestamp",
    "SELECT * FROM dbstat",
    "WITH leads AS (SELECT * FROM sqlite_master) SELECT * FROM leads",
    "SELECT (SELECT sql FROM sqlite_master LIMIT 1)",
    "SELECT 1 UNION SELECT name FROM sqlite_master",
    "SELECT * FROM leads WHERE id IN (SELECT name FROM sqlite_master)",
    "SELECT count(*) FROM leads ORDER BY (SELECT name FROM sqlite_master)",
    "EXPLAIN SELECT * FROM sqlite_master",
)
NO_QUERIES = (
    "SELECT campaign_id FROM leads",
    "SELECT evidence FROM messages",
    "SELECT 1; SELECT 2",
    "",
    "nonsense",
    "SELECT ?",
    "SELECT replace(hex('x'), '7', printf('%999999d', 1)) || printf('%999999d', 1)",
    "SELECT " + "NOT " * 200 + "1",
    "SELECT 1" + " UNION SELECT 1" * 200,
    "SELECT '" + "x" * 60_000 + "'",
)


@pytest.mark.parametrize("sql", DENIED)
def test_nothing_but_reading_those_tables_is_allowed(data: ScriptData, sql: str) -> None:
    names = "SELECT full_name FROM leads ORDER BY id"
    before = rows(data, names, [])
    with pytest.raises((QueryDeniedError, QueryFailedError)):
        rows(data, sql, [])
    assert rows(data, names, []) == before


@pytest.mark.parametrize("sql", NO_QUERIES)
def test_what_makes_no_sense_is_an_error_of_the_scripts(data: ScriptData, sql: str) -> None:
    with pytest.raises((QueryFailedError, QueryDeniedError)):
        rows(data, sql, [])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 AS a, 2 AS a",
        "SELECT * FROM leads a JOIN leads b USING (id)",
        "SELECT count(*), count(*) FROM leads WHERE 0",
    ],
)
def test_a_query_of_two_columns_of_one_name_is_refused_since_a_row_would_keep_the_last(
    data: ScriptData, sql: str
) -> None:
    with pytest.raises(QueryFailedError, match=r"two columns named .*: name each with AS"):
        rows(data, sql)
    assert rows(data, "SELECT 1 AS a, 2 AS A, 3 AS b") == (["a", "A", "b"], [[1, 2, 3]])


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("\ud800", "half a character"),
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        ([1], "type list"),
        ({}, "type dict"),
    ],
)
def test_a_value_that_no_query_takes_is_told_as_that_and_not_in_the_words_of_the_last_error(
    data: ScriptData, value: object, reason: str, *, named: bool
) -> None:
    with pytest.raises(QueryFailedError, match="no such column"):
        rows(data, "SELECT nonsense")
    with pytest.raises(QueryFailedError, match=f"^parameter ('a'|2) .*{reason}"):
        rows(data, "SELECT :b, :a FROM leads", {"b": 1, "a": value} if named else [1, value])
    with pytest.raises(QueryFailedError, match=r"^the text of the query holds half a character"):
        rows(data, "SELECT '\ud800'")
    assert rows(data, "SELECT ? AS a, ? AS b", [2**63 - 1, -(2**63)])[1] == [[2**63 - 1, -(2**63)]]


def test_a_query_without_end_is_interrupted(tmp_path: Path) -> None:
    journal = started(tmp_path / "outrider.db", lead_imported(1))
    ticks = iter(range(0, 10**9, 7))
    here = partial(QuestionsHere, lambda: float(next(ticks)))
    with (
        journal.database.read() as connection,
        script_data(connection, CAMPAIGN, START, here) as data,
        pytest.raises(QueryFailedError, match=f"{MOST_SECONDS:g} s"),
    ):
        rows(data, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", [])


def test_a_query_of_too_many_rows_is_refused(data: ScriptData) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 600000) SELECT i FROM n"
    with pytest.raises(QueryFailedError, match="rows"):
        rows(data, endless, [])


def test_a_moment_is_the_end_of_the_log(tmp_path: Path) -> None:
    journal = started(tmp_path / "outrider.db", lead_imported(1))
    with journal.database.read() as connection:
        moment_ = moment(connection, CAMPAIGN)
        assert moment_ is not None
        assert (moment_.log_position, moment_.now) == (2, START)
        assert moment(connection, "nobody") is None
