"""Committed entries that are gone are noticed, whatever took them: real files, really removed, cut and bit-flipped."""

import errno
import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from backend.domain.events.events import WORKSPACE
from backend.domain.events.record_loss import RECORDS_LOST, LostEntries, describe
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import PAGE_BYTES
from backend.runtime.copies.record_loss import RecordLoss, RecordLossState
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.log.heads_file import HeadsFile, HeadsKeeper, KeptHeads, LogHeads, find_loss, heads_path
from backend.store.log.journal import Journal
from backend.store.queries.device import configuration
from tests.fakes.clock import START
from tests.fakes.ids import SeededIds
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, write

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = 12


def guarded(path: Path, seed: str = "outrider", every: float = 0.0) -> Journal:
    database = Database(path)
    return Journal(database, SeededIds(seed), HeadsKeeper(database, every_seconds=every))


def crashed(folder: Path, entries: int = ENTRIES, every: float = 0.0) -> Path:
    """A folder as the end of the power leaves it: the newest entries are in the write-ahead log only."""
    live, left = folder / "live", folder / "left"
    live.mkdir()
    journal = guarded(live / "o.db", every=every)
    write(journal, CREATED)
    journal.database.checkpoint()
    for number in range(1, entries):
        write(journal, lead_imported(number))
    journal.keep_heads()
    shutil.copytree(live, left)
    journal.database.close()
    return left / "o.db"


def wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def loss(path: Path) -> tuple[LostEntries, ...]:
    database = Database(path)
    try:
        return HeadsKeeper(database).check()
    finally:
        database.close()


def cut(path: Path) -> None:
    with wal(path).open("r+b") as file:
        file.truncate(wal(path).stat().st_size // 2)


def flip(path: Path) -> None:
    log = bytearray(wal(path).read_bytes())
    log[len(log) // 2] ^= 0x10
    wal(path).write_bytes(log)


def empty(path: Path) -> None:
    wal(path).unlink()
    path.write_bytes(b"")


def remove(path: Path) -> None:
    wal(path).unlink()
    path.unlink()


def test_a_folder_after_the_end_of_the_power_lacks_nothing(tmp_path: Path) -> None:
    assert loss(crashed(tmp_path)) == ()


DAMAGES: list[tuple[Callable[[Path], None], int]] = [
    (lambda path: wal(path).unlink(), 2),
    (cut, 2),
    (flip, 2),
    (empty, 1),
    (remove, 1),
]


@pytest.mark.parametrize(
    ("damage", "earliest"), DAMAGES, ids=["log removed", "log cut", "log bit-flipped", "emptied", "removed"]
)
def test_what_is_missing_is_told_precisely(tmp_path: Path, damage: Callable[[Path], None], earliest: int) -> None:
    path = crashed(tmp_path)
    damage(path)
    (lost,) = loss(path)
    assert (lost.stream, lost.log, lost.last, lost.replaced) == (CAMPAIGN, "event", ENTRIES, False)
    assert earliest <= lost.first <= ENTRIES
    assert lost.since == (None if earliest == 1 else START)
    with sqlite3.connect(path) as connection:
        there = connection.execute("SELECT coalesce(max(seq), 0) FROM event_log").fetchone()[0]
    connection.close()
    assert lost.first == there + 1
    assert f"{lost.first} to {ENTRIES}" in describe(lost) or lost.first == ENTRIES


def test_an_older_copy_put_back_is_noticed(tmp_path: Path) -> None:
    journal = guarded(tmp_path / "o.db")
    write(journal, CREATED, lead_imported(1))
    with sqlite3.connect(tmp_path / "o.db") as connection:
        connection.execute("VACUUM INTO ?", (str(tmp_path / "older"),))
    connection.close()
    write(journal, lead_imported(2))
    journal.database.close()
    shutil.copy(tmp_path / "older", tmp_path / "o.db")
    assert [(lost.first, lost.last) for lost in loss(tmp_path / "o.db")] == [(3, 3)]


def test_another_history_of_the_same_length_is_noticed(tmp_path: Path) -> None:
    for name, seed in (("a.db", "one"), ("b.db", "two")):
        journal = guarded(tmp_path / name, seed)
        write(journal, CREATED)
        journal.database.close()
    shutil.copy(tmp_path / "b.db", tmp_path / "a.db")
    (lost,) = loss(tmp_path / "a.db")
    assert (lost.first, lost.last, lost.replaced, lost.since) == (1, 1, True, START)
    assert "not the one that was written" in describe(lost)


def test_what_is_missing_stays_known_whatever_is_written_since(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    wal(path).unlink()
    (lost,) = loss(path)
    journal = guarded(path, "later")
    for number in range(100, 100 + 2 * ENTRIES):
        write(journal, lead_imported(number))
    journal.database.close()
    assert loss(path) == (lost,)


def test_a_database_without_an_entry_has_its_file_from_the_first_look_on(tmp_path: Path) -> None:
    """That nothing was lost is said by a file, and not by that there is none."""
    journal = guarded(tmp_path / "o.db")
    assert journal.heads is not None
    assert journal.heads.check() == ()
    assert journal.heads.file.read() == KeptHeads({})
    journal.database.close()


def test_a_loss_is_told_beside_an_earlier_one_of_the_same_log(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    journal = guarded(path)
    write(journal, CREATED, lead_imported(1))
    earlier = LostEntries(CAMPAIGN, "event", 9, 9, "00", None)
    heads = {CAMPAIGN: LogHeads(5, b"x", 9, b"y")}
    lost = journal.database.query(find_loss, KeptHeads(heads, (earlier,)))
    assert lost[0] == earlier
    assert [(new.log, new.first, new.last, new.since) for new in lost[1:]] == [
        ("event", 3, 5, START),
        ("audit", 1, 9, None),
    ]
    journal.database.close()


def test_whoever_writes_before_anybody_looked_does_not_hide_a_loss(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    wal(path).unlink()
    journal = guarded(path, "later")
    write(journal, lead_imported(100))
    journal.keep_heads()
    assert [lost.last for lost in (journal.heads.check() if journal.heads else ())] == [ENTRIES]
    journal.database.close()


def test_going_on_is_recorded_and_ends_the_question(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    wal(path).unlink()
    journal = guarded(path, "later")
    with pytest.raises(OutriderError) as refused:
        RecordLoss(journal).refuse()
    assert refused.value.code == "records_lost"
    assert f"to {ENTRIES} are missing" in refused.value.sentence
    accepted = RecordLoss(journal).accept(START)
    assert len(accepted.missing) == 1
    RecordLoss(journal).refuse()
    with journal.database.read() as connection:
        for stream in (CAMPAIGN, WORKSPACE):
            value = configuration.campaign_value(connection, stream, RECORDS_LOST)
            assert value is not None
            assert "are missing" in value
        assert [report.broken for report in verification.verify(connection)] == [None] * 4
    assert replay.find_differences(journal.database) == []
    journal.database.close()
    assert loss(path) == ()


def test_whoever_only_looks_whether_entries_are_missing_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = crashed(tmp_path)
    wal(path).unlink()
    journal = guarded(path, "later")

    def full() -> None:
        raise OutriderError("database_full", path=path)

    monkeypatch.setattr(journal.database, "write", full)
    assert f"to {ENTRIES} are missing" in RecordLoss(journal).state().missing[0]


def test_a_campaign_that_is_gone_altogether_is_told_and_not_begun_again(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    remove(path)
    journal = guarded(path, "later")
    assert RecordLoss(journal).state().missing
    RecordLoss(journal).accept(START)
    with journal.database.read() as connection:
        streams = [row[0] for row in connection.execute("SELECT DISTINCT campaign_id FROM event_log")]
    journal.database.close()
    assert streams == [WORKSPACE], "nothing is written into a log that is not there"


def test_what_comes_back_is_not_missing_any_more(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    whole = tmp_path / "whole"
    shutil.copytree(path.parent, whole)
    wal(path).unlink()
    assert loss(path)
    for file in (path.name, wal(path).name):
        shutil.copy(whole / file, path.parent / file)
    wal(path).with_name(path.name + "-shm").unlink(missing_ok=True)
    assert loss(path) == ()


def kept_by(number: int) -> KeptHeads:
    return KeptHeads({CAMPAIGN: LogHeads(number, bytes(32), number, bytes(32))})


@pytest.mark.parametrize("writes", [1, 2, 3])
def test_a_page_that_is_damaged_anywhere_leaves_what_the_other_one_says(tmp_path: Path, writes: int) -> None:
    path = tmp_path / "o.heads"
    for number in range(writes):
        HeadsFile(path).write(kept_by(number))
    whole, now, before = path.read_bytes(), kept_by(writes - 1), kept_by(max(0, writes - 2))
    for position in range(len(whole)):
        content = bytearray(whole)
        content[position] ^= 0x04
        path.write_bytes(content)
        is_newest = writes == 1 or position // PAGE_BYTES == writes % 2
        assert HeadsFile(path).read() == (before if is_newest else now), position


def test_a_file_of_which_no_page_can_be_read_is_told_and_not_taken_for_none(tmp_path: Path) -> None:
    path = crashed(tmp_path)
    damage(heads_path(path), 0, PAGE_BYTES + 20)
    with pytest.raises(OutriderError) as refused:
        loss(path)
    assert refused.value.code == "heads_unreadable"
    journal = guarded(path, "later")
    assert RecordLoss(journal).state().unreadable
    RecordLoss(journal).accept(START)
    journal.database.close()
    assert loss(path) == ()


@pytest.mark.parametrize("page", [0, 1])
def test_a_power_cut_within_a_write_of_the_heads_asks_nobody_while_all_entries_are_there(
    tmp_path: Path, page: int
) -> None:
    path = crashed(tmp_path)
    damage(heads_path(path), page * PAGE_BYTES)
    journal = guarded(path, "later")
    assert RecordLoss(journal).state() == RecordLossState(missing=[])
    write(journal, lead_imported(ENTRIES + 1))
    journal.database.close()
    stored_heads = HeadsFile(heads_path(path)).read()
    assert stored_heads is not None
    assert stored_heads.heads[CAMPAIGN].event_seq == ENTRIES + 1, "the next write mends it"


@pytest.mark.parametrize("page", [0, 1])
def test_no_page_speaks_of_entries_that_left_a_log_on_purpose(tmp_path: Path, page: int) -> None:
    path = tmp_path / "o.db"
    journal = guarded(path)
    write(journal, CREATED, lead_imported(1), lead_imported(2))
    with journal.database.read() as connection:
        (first,) = connection.execute("SELECT hash FROM event_log WHERE seq=1").fetchone()
    with journal.transaction() as transaction:
        transaction.rewind(CAMPAIGN, LogHeads(1, first, 0, bytes(32)))
    journal.database.close()
    damage(heads_path(path), page * PAGE_BYTES)
    kept_heads = HeadsFile(heads_path(path)).read()
    assert kept_heads is not None
    assert kept_heads.heads[CAMPAIGN].event_seq == 1
    assert loss(path) == ()


def damage(path: Path, *places: int) -> None:
    content = bytearray(path.read_bytes())
    for position in places:
        content[position] ^= 0x04
    path.write_bytes(content)


@pytest.mark.parametrize("counts", [(1, 2, 1), (10, 100, 3)], ids=["in a page", "beyond a page and back"])
def test_whatever_is_written_over_what_it_is_read_as_written(tmp_path: Path, counts: tuple[int, ...]) -> None:
    file = HeadsFile(tmp_path / "o.heads")
    for count in counts:
        heads = KeptHeads({f"campaign-{n}": LogHeads(n, bytes(32), count, bytes(32)) for n in range(count)})
        file.write(heads)
        assert file.read() == heads


def cut_off(journal: Journal) -> None:
    """A transaction that does not come to its end."""
    with journal.transaction() as transaction:
        transaction.record(CAMPAIGN, [lead_imported(50)], actor="test", cause="t", at=START)
        raise ConnectionError("not committed")


def test_the_file_lags_and_is_never_ahead_of_what_is_committed(tmp_path: Path) -> None:
    path = crashed(tmp_path, every=3_600.0)
    stored_heads = HeadsFile(heads_path(path)).read()
    assert stored_heads is not None
    assert stored_heads.heads[CAMPAIGN].event_seq == ENTRIES
    journal = guarded(path, "later", every=3_600.0)
    RecordLoss(journal).refuse()
    with pytest.raises(ConnectionError):
        cut_off(journal)
    journal.keep_heads()
    assert HeadsFile(heads_path(path)).read() == stored_heads
    journal.database.close()


def rewound_and_killed(journal: Journal, heads: LogHeads, seen: list[int]) -> None:
    """Entries leave the log, and the process ends between the file and the commit."""
    assert journal.heads is not None
    with journal.transaction() as transaction:
        transaction.rewind(CAMPAIGN, heads)
        journal.heads.lower(transaction.rewound)
        stored_heads = journal.heads.file.read()
        seen.append(stored_heads.heads[CAMPAIGN].event_seq if stored_heads else -1)
        raise ConnectionError("killed")


def test_before_entries_leave_a_log_on_purpose_the_file_is_lowered(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    journal = guarded(path)
    write(journal, CREATED, lead_imported(1), lead_imported(2))
    with journal.database.read() as connection:
        (first,) = connection.execute("SELECT hash FROM event_log WHERE seq=1").fetchone()
    seen: list[int] = []
    with pytest.raises(ConnectionError):
        rewound_and_killed(journal, LogHeads(1, first, 0, bytes(32)), seen)
    journal.database.close()
    assert seen == [1]
    assert loss(path) == (), "neither before nor after the commit anything is missing"


def test_the_database_is_never_a_bare_header(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    database = Database(path)
    shutil.copy(path, tmp_path / "alone.db")
    database.close()
    with sqlite3.connect(tmp_path / "alone.db") as alone:
        assert alone.execute("SELECT count(*) FROM event_log").fetchone() == (0,)
    alone.close()


KILLED = """
import sys
from pathlib import Path
from tests.store.test_heads_file import guarded
from tests.store.opening import lead_imported, write
journal, number = guarded(Path(sys.argv[1]), sys.argv[2]), int(sys.argv[2])
print("ready", flush=True)
while True:
    number += 1
    write(journal, lead_imported(number))
    print(number, flush=True)
"""


def test_after_a_kill_at_any_moment_nothing_is_said_to_be_missing(tmp_path: Path) -> None:
    path, random, number = tmp_path / "o.db", Random(7), 0
    journal = guarded(path)
    write(journal, CREATED)
    journal.database.close()
    for _ in range(6):
        command = [sys.executable, "-c", KILLED, str(path), str(number)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for _ in range(random.randint(2, 12)):
                writer.stdout.readline()
            writer.kill()
        assert loss(path) == ()
        with sqlite3.connect(path) as connection:
            number = connection.execute("SELECT max(seq) FROM event_log").fetchone()[0]
        connection.close()
    assert number > 6


def test_a_file_of_heads_that_cannot_be_written_lags_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "o.db"
    journal = guarded(path)
    write(journal, CREATED)
    at_once, calls = os.write, itertools.count()

    def full(descriptor: int, content: bytes) -> int:
        next(calls)
        at_once(descriptor, bytes(content)[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    write(journal, lead_imported(1))
    RecordLoss(journal).refuse()
    assert next(calls) > 1, "it was tried"
    assert RecordLoss(journal).state() == RecordLossState(missing=[])
    monkeypatch.undo()
    RecordLoss(journal).refuse()
    journal.database.close()
    assert loss(path) == ()
