"""`replay` and `log verify` tell the truth about logs and tables, and name what was touched."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.outrider import Outrider


@contextmanager
def intruder(outrider: Outrider) -> Iterator[sqlite3.Connection]:
    """Somebody who edits the file behind Outrider's back."""
    connection = sqlite3.connect(outrider.data_dir / "outrider.db")
    with connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type='trigger' AND name LIKE '%log%'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
    connection.close()


def test_logs_that_nobody_touched_are_sound(copy: Outrider) -> None:
    chains = copy("log", "verify", "--json").told["chains"]
    assert {chain["log"] for chain in chains} == {"event_log", "audit_log"}
    assert all(chain["length"] > 0 and chain["broken"] is None for chain in chains if chain["campaign"] != "workspace")
    assert copy("replay", "--check", "--json").told == {"differences": 0}


def test_log_verify_names_the_entry_that_was_edited(copy: Outrider) -> None:
    with intruder(copy) as connection:
        connection.execute("UPDATE audit_log SET payload='{}' WHERE seq=5")
    ended = copy("log", "verify", "--json")
    assert ended.status == 1
    assert ended.code == "log_broken"
    assert "entry 5" in ended.told["error"]["sentence"]
    plain = copy("log", "verify")
    assert plain.status == 1
    assert "broken at 5" in plain.out
    assert "sound" in plain.out  # the other chain


def test_replay_names_the_row_that_was_edited_and_rebuild_mends_it(copy: Outrider) -> None:
    with intruder(copy) as connection:
        connection.execute("UPDATE messages SET text='something else' WHERE id=(SELECT min(id) FROM messages)")
    ended = copy("replay", "--check", "--json")
    assert ended.status == 1
    assert ended.code == "replay_differs"
    assert "messages" in ended.told["error"]["sentence"]
    assert copy("replay", "--rebuild", "--json").told["rebuilt"] is True
    assert copy("replay", "--check", "--json").told == {"differences": 0}
