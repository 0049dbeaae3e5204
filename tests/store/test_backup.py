"""A backup is whole and proven, made while others write; what was there before a restore is kept, whatever happens."""

import errno
import json
import os
import shutil
import sqlite3
import threading
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.clocks import SystemClock
from backend.adapters.ids import SystemIds
from backend.domain.erasure.erasure import without_words
from backend.domain.events.events import Event
from backend.domain.values.errors import OutriderError
from backend.runtime.copies import restoring
from backend.store import backup as backups
from backend.store.backup import back_up, cancel, check, remove_unfinished, schedule, set_aside
from backend.store.log import verification
from backend.store.log.chain import payload_digest
from backend.store.log.heads_file import heads_path
from tests.store.opening import CREATED, dump, integrity, lead_imported, write
from tests.store.test_heads_file import guarded, loss, wal

AGAIN = partial(restoring.erase_again, SystemIds(), SystemClock())
restore = partial(backups.restore, erase_again=AGAIN)
restore_scheduled = partial(backups.restore_scheduled, erase_again=AGAIN)


def present(folder: Path, leads: int = 3) -> Path:
    folder.mkdir(exist_ok=True)
    journal = guarded(folder / "o.db")
    write(journal, CREATED)
    for number in range(leads):
        write(journal, lead_imported(number))
    journal.database.close()
    return folder / "o.db"


def backed_up(folder: Path) -> Path:
    """A database, and a copy of it as `copy.db` beside its folder."""
    path = present(folder / "data")
    journal = guarded(path)
    back_up(journal.database, folder / "copy.db")
    journal.database.close()
    return path


def test_a_backup_holds_everything_in_one_file_of_its_owner(tmp_path: Path) -> None:
    path = present(tmp_path / "data")
    journal = guarded(path, "later")
    write(journal, lead_imported(50))  # in the write-ahead log only
    made = back_up(journal.database, tmp_path / "copy.db")
    journal.database.close()
    assert made.entries == 5
    assert dump(tmp_path / "copy.db") == dump(path)
    assert (tmp_path / "copy.db").stat().st_mode & 0o077 == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "data"]


def test_a_backup_is_one_moment_while_others_write(tmp_path: Path) -> None:
    path = present(tmp_path / "data", 40)
    journal, stop, number = guarded(path, "writer"), threading.Event(), [1_000]

    def go_on() -> None:
        while not stop.is_set():
            number[0] += 1
            write(journal, lead_imported(number[0]))

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        for copy_number in range(3):
            back_up(journal.database, tmp_path / f"{copy_number}.db")
    finally:
        stop.set()
        writer.join()
        journal.database.close()
    for copy_number in range(3):
        assert integrity(tmp_path / f"{copy_number}.db") == "ok"


def test_a_backup_overwrites_nothing(tmp_path: Path) -> None:
    journal = guarded(present(tmp_path / "data"))
    (tmp_path / "there").write_text("mine")
    with pytest.raises(OutriderError) as refused:
        back_up(journal.database, tmp_path / "there")
    assert refused.value.code == "backup_exists"
    with pytest.raises(OutriderError) as failed:
        back_up(journal.database, tmp_path / "no folder" / "copy.db")
    assert failed.value.code == "backup_failed"
    journal.database.close()
    assert (tmp_path / "there").read_text() == "mine"


def test_a_backup_put_back_is_what_it_was_and_the_database_of_before_is_kept_each_time(tmp_path: Path) -> None:
    path = backed_up(tmp_path)
    before = dump(path)
    path.write_bytes(b"damaged" * 1_000)
    first = restore(path, tmp_path / "copy.db")
    assert first.lost == ()
    assert first.previous_database is not None
    assert first.previous_database.read_bytes().startswith(b"damaged")
    assert dump(path) == before
    assert loss(path) == ()
    second = restore(path, tmp_path / "copy.db")
    assert second.previous_database is not None
    assert second.previous_database != first.previous_database
    assert first.previous_database.exists()


def test_a_backup_that_lacks_entries_is_refused_unless_wanted_and_the_loss_stays_known(tmp_path: Path) -> None:
    path = present(tmp_path / "data")
    journal = guarded(path)
    back_up(journal.database, tmp_path / "copy.db")
    write(journal, lead_imported(10), lead_imported(11))
    journal.database.close()
    before = dump(path)
    with pytest.raises(OutriderError) as refused:
        restore(path, tmp_path / "copy.db")
    assert refused.value.code == "backup_older"
    assert "entries 5 and 6" in refused.value.sentence
    assert dump(path) == before
    done = restore(path, tmp_path / "copy.db", despite_loss=True)
    assert [(lost.first, lost.last) for lost in done.lost] == [(5, 6)]
    assert [(lost.first, lost.last) for lost in loss(path)] == [(5, 6)], "the next start asks"


def test_what_the_file_of_heads_does_not_know_yet_the_present_database_tells(tmp_path: Path) -> None:
    path = present(tmp_path / "data")
    journal = guarded(path, every=3_600.0)
    journal.keep_heads()
    back_up(journal.database, tmp_path / "copy.db")
    write(journal, lead_imported(10))
    journal.database.close()
    with pytest.raises(OutriderError) as refused:
        restore(path, tmp_path / "copy.db")
    assert refused.value.code == "backup_older"


def test_what_was_erased_since_a_backup_is_erased_in_it_before_it_takes_its_place(tmp_path: Path) -> None:
    path = present(tmp_path / "data")
    journal = guarded(path, "later")
    back_up(journal.database, tmp_path / "copy.db")
    with journal.database.read() as connection:
        rows = connection.execute(
            "SELECT entity_id, change_payload, salt FROM event_log WHERE kind='LeadImported' LIMIT 2"
        )
        left = {
            payload_digest(salt, text).hex(): without_words("lead", lead_id, json.loads(text))
            for lead_id, text, salt in rows
        }
    write(journal, Event("EntriesErased", "erasure-1", {"entries": left, "created_at": 1}))
    back_up(journal.database, tmp_path / "erased.db")
    journal.database.close()
    assert restore(path, tmp_path / "copy.db", despite_loss=True).erased_again == 2
    with closing(sqlite3.connect(path)) as connection:
        erased = connection.execute("SELECT change_payload FROM event_log WHERE payload_digest IS NOT NULL").fetchall()
        reports = verification.verify(connection)
    assert {payload for (payload,) in erased} == set(left.values())
    assert [report.broken for report in reports if report.broken] == []
    assert restore(path, tmp_path / "erased.db", despite_loss=True).erased_again == 0


def test_a_backup_that_has_what_was_lost_ends_the_loss(tmp_path: Path) -> None:
    path = backed_up(tmp_path)
    path.unlink()
    assert loss(path)
    assert restore(path, tmp_path / "copy.db").lost == ()
    assert loss(path) == ()


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "another program's", "an entry changed", "no text"])
def test_a_damaged_backup_changes_nothing(tmp_path: Path, damage: str) -> None:
    path, copy = backed_up(tmp_path), tmp_path / "copy.db"
    before, heads = dump(path), heads_path(path).read_bytes()
    if damage == "empty":
        copy.write_bytes(b"")
    elif damage == "text":
        copy.write_text("not a database at all, " * 100)
    elif damage == "cut":
        copy.write_bytes(copy.read_bytes()[: copy.stat().st_size // 2])
    elif damage == "no text":  # SQLite's own message about that schema is none, either
        copy.write_bytes(copy.read_bytes().replace(b"campaign_id TEXT NOT", b"campaign_id TEXT\x93NOT", 1))
    else:
        if damage == "another program's":
            copy.unlink()
        with sqlite3.connect(copy) as connection:
            if damage == "another program's":
                connection.execute("CREATE TABLE theirs (x)")
            else:
                connection.execute("DROP TRIGGER event_log_stays")
                connection.execute("UPDATE event_log SET actor='somebody' WHERE seq=2")
        connection.close()
    with pytest.raises(OutriderError) as refused:
        restore(path, copy)
    assert refused.value.code == "backup_damaged"
    assert (dump(path), heads_path(path).read_bytes()) == (before, heads)
    assert not list(path.parent.glob("*arriving*"))


@pytest.mark.parametrize(
    "change", ["CREATE TRIGGER theirs AFTER INSERT ON event_log BEGIN SELECT 1; END", "DROP TRIGGER event_log_stays"]
)
def test_a_backup_with_another_schema_is_not_put_back(tmp_path: Path, change: str) -> None:
    path, copy = backed_up(tmp_path), tmp_path / "copy.db"
    with closing(sqlite3.connect(copy, isolation_level=None)) as changed:
        changed.execute(change)
    before = dump(path)
    with pytest.raises(OutriderError, match=change.split()[2]) as refused:
        restore(path, copy)
    assert refused.value.code == "backup_damaged"
    assert dump(path) == before


def test_of_a_backup_only_what_its_logs_say_is_put_back(tmp_path: Path) -> None:
    path, copy = backed_up(tmp_path), tmp_path / "copy.db"
    before = dump(path)
    with closing(sqlite3.connect(copy, isolation_level=None)) as copied:
        copied.execute("UPDATE leads SET full_name='Somebody Else'")
        copied.execute("DELETE FROM campaigns")
    restore(path, copy)
    assert dump(path) == before


def test_a_backup_brings_no_permission_and_no_timer_and_takes_no_permission_back(tmp_path: Path) -> None:
    path, copy = present(tmp_path / "data"), tmp_path / "copy.db"
    journal = guarded(path)
    with journal.database.write() as connection:
        connection.execute("INSERT INTO approved_commands VALUES ('[\"make\"]', 1)")
    back_up(journal.database, copy)
    journal.database.close()
    with closing(sqlite3.connect(copy, isolation_level=None)) as copied:
        copied.execute("DELETE FROM approved_commands")
        copied.execute("INSERT INTO approved_commands VALUES ('[\"rm\"]', 1)")
        copied.execute("INSERT INTO approved_scripts VALUES ('c1', 'sha', 1)")
        copied.execute("INSERT INTO key_origins VALUES ('model', 'https://elsewhere.example')")
        copied.execute(
            "INSERT INTO wake_requests (campaign_id, reason, input, asked_at, due_at, status)"
            " VALUES ('c1', 'timer', 'go', 1, 2, 'armed')"
        )
    restore(path, copy)
    assert allowed(path) == (["make"], 0, 0, ["cancelled"])
    path.write_bytes(b"damaged" * 1_000)
    restore(path, copy)
    assert allowed(path) == ([], 0, 0, ["cancelled"])


def allowed(path: Path) -> tuple[list[str], int, int, list[str]]:
    """Which programs may start, how many scripts run and origins get a key, and how timers stand."""
    with closing(sqlite3.connect(path)) as connection:
        programs = [
            name for (argv,) in connection.execute("SELECT argv FROM approved_commands") for name in json.loads(argv)
        ]
        counts = [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("approved_scripts", "key_origins")
        ]
        return (
            programs,
            counts[0],
            counts[1],
            [status for (status,) in connection.execute("SELECT status FROM wake_requests")],
        )


def test_a_copy_of_a_database_in_use_is_put_back_with_what_is_in_its_log(tmp_path: Path) -> None:
    path = present(tmp_path / "data")
    journal = guarded(path)
    write(journal, lead_imported(20))
    copied = tmp_path / "copied"
    shutil.copytree(path.parent, copied)
    journal.database.close()
    assert wal(copied / "o.db").stat().st_size
    assert restore(path, copied / "o.db").lost == ()
    assert dump(path)["leads"]


def test_a_scheduled_backup_is_put_back_once_and_before_that_nothing_is_changed(tmp_path: Path) -> None:
    path = present(tmp_path / "data")
    journal = guarded(path)
    back_up(journal.database, tmp_path / "copy.db")
    write(journal, lead_imported(10))
    backup = check(path, tmp_path / "copy.db")
    assert [(lost.first, lost.last) for lost in backup.lost] == [(5, 5)]
    assert backup.entries == 4
    schedule(path)
    write(journal, lead_imported(11))
    journal.database.close()
    assert restore_scheduled(path) is not None
    assert [(lost.first, lost.last) for lost in loss(path)] == [(5, 6)], "also what came after it was checked"
    assert set_aside(path)
    assert restore_scheduled(path) is None
    assert not list(path.parent.glob("*.db.*"))


def test_what_was_only_checked_or_was_cancelled_is_never_put_back(tmp_path: Path) -> None:
    path = backed_up(tmp_path)
    for is_scheduled, is_cancelled in ((False, False), (False, True), (True, True)):
        check(path, tmp_path / "copy.db")
        assert list(path.parent.glob("*.db.*"))
        if is_scheduled:
            schedule(path)
        if is_cancelled:
            cancel(path)
            assert not list(path.parent.glob("*.db.*"))
        assert restore_scheduled(path) is None
        assert not set_aside(path)
        assert not list(path.parent.glob("*.db.*")), "it may hold the words of somebody who was erased since"


def test_a_checked_backup_that_an_erasure_removed_is_to_be_chosen_again(tmp_path: Path) -> None:
    path = backed_up(tmp_path)
    check(path, tmp_path / "copy.db")
    remove_unfinished(path)
    with pytest.raises(OutriderError) as refused:
        schedule(path)
    assert refused.value.code == "file_ticket_unknown"


def test_a_scheduled_backup_that_was_damaged_meanwhile_changes_nothing_and_is_not_tried_again(tmp_path: Path) -> None:
    path = backed_up(tmp_path)
    check(path, tmp_path / "copy.db")
    schedule(path)
    before = dump(path)
    (scheduled,) = path.parent.glob("*.db.scheduled")
    scheduled.write_bytes(b"x" * 8_192)
    with pytest.raises(OutriderError) as refused:
        restore_scheduled(path)
    assert refused.value.code == "backup_damaged"
    assert dump(path) == before
    assert restore_scheduled(path) is None


def test_a_start_that_was_killed_while_it_put_a_backup_back_does_it_again(tmp_path: Path) -> None:
    path = backed_up(tmp_path)
    before = dump(path)
    check(path, tmp_path / "copy.db")
    schedule(path)
    path.rename(path.with_name("o-before-restore-1.db"))  # as far as it came
    done = restore_scheduled(path)
    assert done is not None
    assert done.lost == ()
    assert dump(path) == before


class Killed(BaseException):
    """The process ends here."""


def test_killed_at_any_step_a_restore_has_changed_nothing_or_is_finished_by_whoever_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was erased since stays erased, what was allowed since stays allowed, and the database of before is kept whole."""
    original = present(tmp_path / "original")
    journal = guarded(original, "later")
    back_up(journal.database, tmp_path / "copy.db")
    write(journal, lead_imported(10))
    with journal.database.write() as connection:
        connection.execute("INSERT INTO key_origins VALUES ('key', 'https://model.test')")
    journal.database.close()
    after, before = dump(tmp_path / "copy.db"), dump(original)
    outcomes = []
    for step in range(100):
        path = tmp_path / f"data-{step}" / "o.db"
        shutil.copytree(original.parent, path.parent)
        wal(path).write_bytes(b"")  # another program has it open
        steps_left = [step]

        def file_moves(source: Path, target: Path, steps_left: list[int] = steps_left) -> Path:
            if not steps_left[0]:
                raise Killed
            steps_left[0] -= 1
            os.replace(source, target)  # noqa: PTH105 - Path's own is what is replaced
            return target

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", file_moves)
            patch.setattr(backups, "_remove", lambda _path: None)  # nothing is tidied up
            try:
                restore(path, tmp_path / "copy.db", despite_loss=True)
            except Killed:
                pass
            else:
                break
        was_decided = backups.is_unfinished(path)
        assert path.exists() or was_decided
        done = restore_scheduled(path)
        assert (done is not None) == was_decided
        assert dump(path) == ({**after, "key_origins": before["key_origins"]} if was_decided else before)
        assert [dump(file) for file in set_aside(path) if file.suffix == ".db"] == [before] * was_decided
        assert not list(path.parent.glob("*.db.*"))
        outcomes.append(was_decided)
    assert outcomes == sorted(outcomes)
    assert {False, True} <= set(outcomes)


def test_a_restore_that_the_disk_interrupts_is_told_as_that_and_finished_once_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = backed_up(tmp_path)

    def refused(_present: Path, _aside: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(backups, "_set_aside", refused)
        for attempt in (partial(restore, path, tmp_path / "copy.db"), partial(restore_scheduled, path)):
            with pytest.raises(OutriderError) as unfinished:
                attempt()
            assert unfinished.value.code == "restore_unfinished"
    assert restore_scheduled(path) is not None
    assert dump(path) == dump(tmp_path / "copy.db")


@pytest.mark.parametrize("fails", ["_copy", "_prove", "sync_folder"])
def test_nothing_is_left_of_a_backup_that_the_disk_refused(
    tmp_path: Path, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = guarded(present(tmp_path / "data"))

    def refused(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(backups, fails, refused)
        with pytest.raises(OutriderError) as failed:
            back_up(journal.database, tmp_path / "copy.db")
    assert failed.value.code == "backup_failed"
    assert [file.name for file in tmp_path.iterdir()] == ["data"]
    back_up(journal.database, tmp_path / "copy.db")
    journal.database.close()


STEPS = ("_read_backup", "_make_tables_again", "_erase_again", "_keep_permissions", "_decide", "finish")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("instead", ["none", "an empty one", "another's"])
def test_a_folder_that_goes_in_mid_restore_is_told_and_what_is_in_its_place_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, instead: str
) -> None:
    path, away, copy, called = present(tmp_path / "data"), tmp_path / "away", tmp_path / "copy.db", list[str]()
    journal = guarded(path, "later")
    back_up(journal.database, copy)
    journal.database.close()
    original, states = getattr(backups, step), [dump(path)]

    def interrupted(*arguments: Any) -> Any:
        called.append(step)
        if len(called) == (2 if step == "finish" else 1):  # the first one looks for what an earlier restore left
            path.parent.rename(away)
            if instead == "an empty one":
                path.parent.mkdir()
            elif instead == "another's":
                states.append(dump(present(tmp_path / "data", 1)))
        return original(*arguments)

    monkeypatch.setattr(backups, step, interrupted)
    with pytest.raises(OutriderError) as gone:
        restore(path, copy)
    assert gone.value.code == "data_folder_gone"
    theirs = {"none": False, "an empty one": False, "another's": True}[instead]
    assert path.exists() is theirs
    assert not theirs or dump(path) == states[1]
    monkeypatch.undo()
    backups.finish(away / path.name)
    assert dump(away / path.name) == states[0], "the copy, or what was there before"
