"""What is kept beside the rows of artifacts: the newest of each, and their words."""

from pathlib import Path
from typing import Any

from backend.domain.model.artifact import BY_USER, text_content
from backend.domain.turn.artifacts import artifact_persisted
from backend.store.queries.turn import artifacts
from tests.store.opening import CAMPAIGN, started


def test_a_search_finds_the_newest_version_alone(tmp_path: Path) -> None:
    made = [
        artifact_persisted(text_content("note", key, text), id_, BY_USER, version - 1, version)
        for id_, key, text, version in (
            ("a1", "k", "old words", 1),
            ("a2", "k", "new words", 2),
            ("a3", "j", "ä\r\n", 1),
        )
    ]
    journal = started(tmp_path / "db", *made)
    with journal.database.read() as connection:
        assert [(head.key, head.version) for head in artifacts.find(connection, CAMPAIGN).rows] == [("j", 1), ("k", 2)]
        assert [head.key for head in artifacts.find(connection, CAMPAIGN, words="new").rows] == ["k"]
        assert artifacts.find(connection, CAMPAIGN, words="old").rows == []
        artifact = artifacts.stored(connection, CAMPAIGN, "note", "j", 1)
    assert artifact is not None
    assert (artifact.size, artifact.sha256) == (4, text_content("note", "j", "ä\r\n").sha256)
    journal.database.close()


def test_pages_meet_without_gap_or_repetition_in_every_search(tmp_path: Path) -> None:
    made = [
        artifact_persisted(
            text_content(("note", "research")[n % 2], f"k{n}", f"word{n % 3} all"), f"a{n:02}", BY_USER, 0, n
        )
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
    made = [
        artifact_persisted(text_content("note", f"k{at}", "x"), f"a{n}", BY_USER, 0, at) for n, at in enumerate(times)
    ]
    journal = started(tmp_path / "db", *made)
    with journal.database.read() as connection:
        for words in ("", "x"):
            rows = artifacts.find(connection, CAMPAIGN, words=words, since=50, until=150).rows
            assert sorted(head.created_at for head in rows) == [50, 100]
    journal.database.close()
