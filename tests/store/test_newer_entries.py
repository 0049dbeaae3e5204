"""What a newer Outrider recorded is told as that, and what nobody's program wrote is not."""

import sqlite3
from contextlib import closing

import pytest

from backend.domain.values.errors import OutriderError
from backend.store.log.newer_entries import LATEST, newer_part, refuse
from tests.store.opening import CAMPAIGN

COLUMNS = {("leads", "notes"), ("tasks", "rank")}


@pytest.mark.parametrize(
    ("kind", "payload", "newer"),
    [
        ("LeadNoted", '{"notes": "x"}', ""),
        ("LeadNoted", '{"notes": "x", "stars": 5}', "LeadNoted.stars"),
        ("LeadNoted", '{"rank": 5}', "LeadNoted.rank"),  # a column of another table
        ("LeadStarred", "{}", "LeadStarred"),
        ("no kind", "{}", ""),
        ("LeadNoted", '{"no column": 5}', ""),
        ("LeadNoted", "[1]", ""),
        ("LeadNoted", "{", ""),
    ],
)
def test_a_kind_or_a_column_is_newer_if_a_program_could_have_named_it_so(kind: str, payload: str, newer: str) -> None:
    assert newer_part(COLUMNS, kind, payload) == newer


@pytest.mark.parametrize("behind", range(LATEST + 2))
def test_of_each_stream_the_latest_entries_are_looked_at(behind: int) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE log_heads (campaign_id, event_seq)")
        connection.execute("CREATE TABLE event_log (campaign_id, seq, kind, change_payload)")
        connection.execute("CREATE TABLE leads (notes)")
        for stream, newest in ((CAMPAIGN, 50), ("longer", 500)):
            connection.execute("INSERT INTO log_heads VALUES (?, ?)", (stream, newest))
        connection.execute("INSERT INTO event_log VALUES (?, ?, 'LeadStarred', '{}')", (CAMPAIGN, 50 - behind))
        code = ""
        try:
            refuse(connection)
        except OutriderError as error:
            code = error.code
        assert code == ("log_newer" if behind < LATEST else "")
