"""What is kept beside the rows of artifacts: the newest of each, and their words."""

import sqlite3
from pathlib import Path
from typing import Any

from backend.domain.artifact import Source, content
from backend.store import artifacts, migrations
from tests.store.opening import CAMPAIGN, started

BEFORE = 10
"""The step that brought the index."""

_OLD = (
    "INSERT INTO artifacts(id, campaign_id, artifact_type, artifact_key, source, content, version, created_at)"
    " VALUES (?, 'c', 'note', ?, 'user', ?, ?, ?)"
)


def test_artifacts_of_an_older_database_are_found_and_have_their_digest(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "old.db", isolation_level=None)
    for number, sql in migrations.known():
        if number < BEFORE:
            connection.executescript(f"BEGIN; {sql}; PRAGMA user_version={number}; COMMIT;")
    connection.execute(
        "INSERT INTO campaigns(id, name, status, site, account, settings, created_at) VALUES ('c', '', '', '', '', '{}', 1)"
    )
    for id_, key, text, version in (("a1", "k", "old words", 1), ("a2", "k", "new words", 2), ("a3", "j", "ä\r\n", 1)):
        connection.execute(_OLD, (id_, key, text, version, version))
    migrations.upgrade(connection, tmp_path / "old.db")
    assert [(head.key, head.version) for head in artifacts.find(connection, "c").rows] == [("j", 1), ("k", 2)]
    assert [head.key for head in artifacts.find(connection, "c", words="new").rows] == ["k"]
    assert artifacts.find(connection, "c", words="old").rows == []
    kept = artifacts.stored(connection, "c", "note", "j", 1)
    assert kept is not None
    assert (kept.size, kept.sha256) == (4, content("note", "j", "ä\r\n").sha256)
    connection.close()


def test_pages_meet_without_gap_or_repetition_in_every_search(tmp_path: Path) -> None:
    made = [
        content(("note", "research")[n % 2], f"k{n}", f"word{n % 3} all").persisted(f"a{n:02}", Source.USER, 0, n)
        for n in range(40)
    ]
    journal = started(tmp_path / "db", *made)
    searches: tuple[dict[str, Any], ...] = (
        {},
        {"words": "all"},
        {"words": "word1", "artifact_type": "note"},
        {"since": 7, "until": 31},
        {"words": "a", "until": 20},
    )
    with journal.database.read() as connection:
        for want in searches:
            whole = artifacts.find(connection, CAMPAIGN, **want, limit=100)
            assert whole.next is None
            seen: list[str] = []
            after: int | None = None
            while True:
                page = artifacts.find(connection, CAMPAIGN, **want, after=after, limit=3)
                seen += [head.id for head in page.rows]
                after = page.next
                if after is None:
                    break
            assert seen == [head.id for head in whole.rows]
            assert seen == sorted(seen, reverse=True)
            assert seen
        assert artifacts.find(connection, "another", words="all").rows == []
    journal.database.close()


def test_times_hold_also_when_the_clock_was_set_back(tmp_path: Path) -> None:
    times = (100, 50, 200, 10, 150)
    made = [content("note", f"k{at}", "x").persisted(f"a{n}", Source.USER, 0, at) for n, at in enumerate(times)]
    journal = started(tmp_path / "db", *made)
    with journal.database.read() as connection:
        for words in ("", "x"):
            found = artifacts.find(connection, CAMPAIGN, words=words, since=50, until=150).rows
            assert sorted(head.created_at for head in found) == [50, 100]
    journal.database.close()
