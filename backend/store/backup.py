"""A copy of the database that is whole and proven, made while Outrider runs; and the way back from one."""

import contextlib
import glob
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from backend.domain.events.record_loss import LostEntries, describe_all
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import move_onto, sync_file, sync_folder
from backend.machine.unfinished_files import noted
from backend.store import migrations
from backend.store.database import RAISED_BY_SQLITE, Database, coded, compacting_path, file_at, first_damage
from backend.store.functions import add_functions
from backend.store.log import erasure, replay, verification
from backend.store.log.heads_file import HeadsFile, HeadsKeeper, KeptHeads, find_loss, heads_path
from backend.store.queries.campaign import campaigns

SIDES = ("", "-wal", "-shm")
"""A database's files: SQLite puts the other two beside the first."""
_RESTORING = "restoring-"
"""Begins the ending of a copy that is to take the database's place, come what may: where the other one goes, what was erased."""


class BackupReport(NamedTuple):
    """What a copy holds."""

    path: Path
    bytes: int
    entries: int


class CheckedBackup(NamedTuple):
    """What a backup holds that was read whole, and what is missing in it; `names` and `project_left` as in `RestoreReport`."""

    bytes: int
    entries: int
    lost: tuple[LostEntries, ...]
    names: Mapping[str, str]
    project_left: str = ""


class RestoreReport(NamedTuple):
    """Where the database that was there is kept (None: there was none), and what is missing in the one put back.

    `names` are those of the campaigns, here or there, by id. `erased_again` is how many log entries had words again that the
    database that was there had erased; they have none now. `project_left` is the address of the project that was attached
    there, as none is in the one put back; else "".
    """

    previous_database: Path | None
    lost: tuple[LostEntries, ...]
    erased_again: int
    project_left: str = ""
    names: Mapping[str, str] = {}


EraseAgain = Callable[[Database, Database], None]
"""Erases in the database put back (the second) what the one that was there (the first) knows to be erased."""


def back_up(database: Database, target: Path) -> BackupReport:
    """Copy the open database to `target` and prove the copy, while others read and write.

    Raises `backup_exists`, `backup_failed`; nothing is left of a copy that failed, nor, after the next start, of a killed one.
    """
    if target.exists():
        raise OutriderError("backup_exists", path=target)
    partial = target.with_name(f".{target.name}.partial")
    try:
        with noted(database.path.parent, _files(partial)), coded(target):
            _new_file(partial)
            _copy(database, partial)
            entries = _prove(partial)
            move_onto(partial, target)
        try:
            sync_folder(target.parent)
        except OSError:
            _remove(target)
            raise
    except OSError as error:
        raise OutriderError("backup_failed", path=target, detail=error.strerror or error) from error
    finally:
        _remove(partial)
    return BackupReport(target, target.stat().st_size, entries)


def restore(present: Path, backup: Path, *, erase_again: EraseAgain, despite_loss: bool = False) -> RestoreReport:
    """Put a copy in the place of the database; the one that was there is kept beside it under another name.

    Its tables are made again from its logs, and what was erased since is erased in it, before it takes its place. The caller
    holds the data folder. Killed at any moment, it has either changed nothing, or whoever opens the folder next finishes it.
    Raises `backup_damaged` for a file that is not a sound Outrider database, and `backup_older` if entries would be missing,
    unless `despite_loss`: the next start tells them and asks. Raises `restore_unfinished` as `finish` does, and `data_folder_gone`
    if another folder, or none, is at its place meanwhile: nothing is put into that.
    """
    finish(present)
    if not backup.is_file():
        raise OutriderError("backup_missing", path=backup)
    kept_heads = _what_is_known(present)
    arriving = _beside(present, "arriving")
    made: tuple[int, int] | None = None

    def refuse_another_folder(cause: Exception | None = None) -> None:
        if made is not None and file_at(arriving) != made:
            raise OutriderError("data_folder_gone", path=present.parent) from cause

    try:
        _new_file(arriving)
        made = file_at(arriving)
        read = _read_backup(present, backup, arriving, kept_heads)
        if not despite_loss:
            _refuse_loss(backup, read)
        refuse_another_folder()  # in which an empty database would be made
        _make_tables_again(arriving, backup)
        refuse_another_folder()
        erased_again = _erase_again(present, arriving, erase_again)
        refuse_another_folder()
        _keep_permissions(present, arriving)
        refuse_another_folder()  # whose database this copy would replace
        _decide(present, arriving, erased_again)
    except (OSError, sqlite3.OperationalError, OutriderError) as error:
        refuse_another_folder(error)
        if isinstance(error, OutriderError):
            raise
        raise _not_copied(backup, error) from error
    finally:
        _remove(arriving)
    finished = finish(present)
    if finished is None:  # the copy is where the folder is now, and whoever opens that finishes it
        raise OutriderError("data_folder_gone", path=present.parent)
    return finished._replace(lost=read.lost, names=read.names)


def is_unfinished(present: Path) -> bool:
    """Whether a restore was ended after its copy was ready: until `finish` there may be no database at all."""
    return bool(_decided(present))


def finish(present: Path) -> RestoreReport | None:
    """Put in place the copy of a restore that was ended before it could do that; None if there is none.

    The caller holds the data folder. Raises `restore_unfinished` where the system refuses that; it can be tried again.
    """
    try:
        done = None
        for ready in _decided(present):
            cancel(present)  # what was scheduled is this very copy, or gives way to it
            number, erased_again = map(int, ready.name.rpartition(_RESTORING)[2].split("-"))
            aside = _set_aside(present, _aside(present, number))
            done = RestoreReport(aside, (), erased_again, _project_left(aside, ready))
            move_onto(ready, present)
            sync_folder(present.parent)
    except OSError as error:
        raise OutriderError("restore_unfinished", path=present, detail=error.strerror or error) from error
    return done


def check(present: Path, backup: Path) -> CheckedBackup:
    """Read a backup whole and keep a proven copy beside the open database, for `schedule`; errors as of `restore`."""
    if not backup.is_file():
        raise OutriderError("backup_missing", path=backup)
    checked = _beside(present, "checked")
    try:
        _new_file(checked)
        checked_backup = _read_backup(present, backup, checked, _what_is_known(present))
        return checked_backup._replace(project_left=_project_left(present, checked))
    except (OSError, sqlite3.OperationalError) as error:
        _remove(checked)
        raise _not_copied(backup, error) from error
    except BaseException:
        _remove(checked)
        raise


def schedule(present: Path) -> None:
    """Have the backup that was checked put back at the next start (`restore_scheduled`), before the database is opened."""
    try:
        move_onto(_beside(present, "checked"), _beside(present, "scheduled"))
        sync_folder(present.parent)
    except FileNotFoundError as error:  # an erasure removed it since
        raise OutriderError("file_ticket_unknown") from error
    except OSError as error:
        raise OutriderError("backup_failed", path=present, detail=error.strerror or error) from error


def cancel(present: Path) -> None:
    """No backup is put back at the next start, and no copy is kept for it, nor one that a killed restore left."""
    _remove(_beside(present, "scheduled"))
    remove_unfinished(present)


def remove_unfinished(present: Path) -> None:
    """Remove what a restore or `compact` left that was killed, and a backup which was only checked and must be chosen again.

    The caller holds the data folder, so that none is being put back.
    """
    for path in (_beside(present, "arriving"), _beside(present, "checked"), compacting_path(present)):
        _remove(path)


def restore_scheduled(present: Path, erase_again: EraseAgain) -> RestoreReport | None:
    """Put back the backup that the user scheduled, None if there is none; before anything is opened.

    The caller holds the data folder. Errors as of `restore`: then the database is as it was, and nothing is scheduled any more.
    After a crash in the middle the next start does it again, or only what was left to do (`finish`), whichever command it was.
    """
    done = finish(present)
    scheduled = _beside(present, "scheduled")
    try:
        if scheduled.exists():
            done = restore(present, scheduled, erase_again=erase_again, despite_loss=True)
    except Exception:
        if not is_unfinished(present):
            cancel(present)
        raise
    cancel(present)
    return done


def set_aside(present: Path) -> list[Path]:
    """The files of every database that a restore replaced and that is still beside this one."""
    return sorted(present.parent.glob(_aside_name(present, "*") + "*"))


def set_aside_before_erasure(present: Database) -> list[Path]:
    """Those of databases that had not heard of all that is erased here by now, or of which nobody can tell."""
    files = set_aside(present.path)
    databases = [file for file in files if file.suffix == present.path.suffix]
    with present.read() as erased:
        aware = [database.name for database in databases if _had_heard_of_all(erased, database)]
    return [file for file in files if not any(file.name.startswith(name) for name in aware)]


def _had_heard_of_all(erased: sqlite3.Connection, database: Path) -> bool:
    try:
        with contextlib.closing(sqlite3.connect(_readable(database), uri=True)) as replaced:
            return erasure.knows_erasures_of(replaced, erased)
    except RAISED_BY_SQLITE:
        return False


def _project_left(present: Path | None, restored: Path) -> str:
    """The address of the project that is attached here and not in the database put back; "" if that is none."""
    attached = _attached(_readable(present)) if present else ""
    return "" if _attached(f"{restored.absolute().as_uri()}?immutable=1") else attached


def _attached(uri: str) -> str:
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            row = connection.execute("SELECT url FROM project").fetchone()
    except RAISED_BY_SQLITE:
        return ""
    return str(row[0]) if row else ""


def _read_backup(present: Path, backup: Path, target: Path, kept_heads: KeptHeads) -> CheckedBackup:
    """Through SQLite: whoever copied a database that was in use may have its log beside it."""
    try:
        with contextlib.closing(sqlite3.connect(_readable(backup), uri=True)) as source:
            _copy_connection(source, target)
    except RAISED_BY_SQLITE as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            raise OutriderError("backup_failed", path=backup, detail=error) from error
        raise OutriderError("backup_damaged", path=backup, detail=error) from error
    entries = _prove(target)
    with coded(backup), _opened(target) as connection:
        if differs := migrations.first_difference(connection):
            raise OutriderError("backup_damaged", path=backup, detail=f"its {differs} is not as Outrider makes it")
        lost, names = find_loss(connection, kept_heads), campaigns.names(connection)
    with (
        contextlib.suppress(*RAISED_BY_SQLITE),
        contextlib.closing(sqlite3.connect(_readable(present), uri=True)) as here,
    ):
        names |= campaigns.names(here)
    return CheckedBackup(target.stat().st_size, entries, lost, names)


def _refuse_loss(backup: Path, read: CheckedBackup) -> None:
    if read.lost:
        raise OutriderError("backup_older", path=backup, what=describe_all(read.lost, read.names))


def _readable(database: Path) -> str:
    return f"{database.absolute().as_uri()}?mode=ro"


def _not_copied(backup: Path, error: OSError | sqlite3.OperationalError) -> OutriderError:
    """The disk refused the copy, which is no fault of the backup's."""
    return OutriderError("backup_failed", path=backup, detail=getattr(error, "strerror", None) or error)


def _what_is_known(present: Path) -> KeptHeads:
    """Where the logs ended as far as anything tells: the file of heads, brought up to date by the present database."""
    if present.exists():
        with contextlib.suppress(OutriderError):  # damaged: that is what a backup is for
            database = Database(present)
            try:
                HeadsKeeper(database).check()
            finally:
                database.close()
    with contextlib.suppress(OutriderError):
        return HeadsFile(heads_path(present)).read() or KeptHeads({})
    return KeptHeads({})


def _make_tables_again(arriving: Path, backup: Path) -> None:
    """Only what the logs say counts: a file's tables might hold a text, or an approval of it, that no event tells of."""
    copy = Database(arriving)
    try:
        replay.rebuild(copy)
    except OutriderError as error:
        raise OutriderError("backup_damaged", path=backup, detail=error.sentence) from error
    finally:
        copy.close()


def _erase_again(present: Path, arriving: Path, erase_again: EraseAgain) -> int:
    """How many entries of the copy lost their words for the second time."""
    if not present.exists():
        return 0
    try:
        present_database = Database(present)
    except (OutriderError, *RAISED_BY_SQLITE):  # damaged: nobody can tell
        return 0
    try:
        with present_database.read() as connection:
            connection.execute("SELECT count(*) FROM erasures").fetchone()
    except (OutriderError, *RAISED_BY_SQLITE):
        present_database.close()
        return 0
    copy = Database(arriving)
    try:
        with present_database.read() as erased, copy.read() as restored:
            back = erasure.count_words_back(erased, restored)
        erase_again(present_database, copy)
    finally:
        present_database.close()
        copy.close()
    return back


_PERMISSIONS = ("approved_commands", "approved_scripts", "key_origins")
"""What the user allowed on this device, which is in no log: no file brings it, and none takes it back."""


def _keep_permissions(present: Path, arriving: Path) -> None:
    """The copy has the permissions of the database that was there, none if there was none, and no timer that waits."""
    with coded(arriving), _opened(arriving) as copy:
        for table in _PERMISSIONS:
            permissions = _rows(present, table)
            copy.execute(f"DELETE FROM {table}")
            for row in permissions:
                copy.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        copy.execute("UPDATE wake_requests SET status='cancelled', input='' WHERE status='armed'")
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()  # one file, whole by itself
    sync_file(arriving)


def _rows(present: Path, table: str) -> list[tuple[object, ...]]:
    """None if there is no database that can be read."""
    if not present.exists():
        return []
    try:
        with contextlib.closing(sqlite3.connect(f"{present.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(f"SELECT * FROM {table}").fetchall()
    except RAISED_BY_SQLITE:
        return []


def _decide(present: Path, arriving: Path, erased_again: int) -> None:
    """From here on the copy takes the database's place: by its name anybody can finish that."""
    number = 1
    while any((aside := _aside(present, number)).with_name(aside.name + side).exists() for side in SIDES):
        number += 1
    move_onto(arriving, _beside(present, f"{_RESTORING}{number}-{erased_again}"))
    sync_folder(present.parent)


def _decided(present: Path) -> list[Path]:
    return sorted(present.parent.glob(f"{glob.escape(present.name)}.{_RESTORING}*"))


def _set_aside(present: Path, aside: Path) -> Path | None:
    """Move every file of it that is still there; None if there never was one."""
    for side in SIDES:
        file = present.with_name(present.name + side)
        if file.exists():
            os.utime(file)  # from now on it is kept as a replaced one, however long ago it was last used
            move_onto(file, aside.with_name(aside.name + side))
    return aside if any(aside.with_name(aside.name + side).exists() for side in SIDES) else None


def _aside(present: Path, number: int) -> Path:
    return present.with_name(_aside_name(present, number))


def _aside_name(present: Path, number: int | str) -> str:
    return f"{present.stem}-before-restore-{number}{present.suffix}"


def _beside(present: Path, name: str) -> Path:
    return present.with_name(f"{present.name}.{name}")


def _remove(path: Path) -> None:
    for file in _files(path):
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)


def _files(path: Path) -> list[Path]:
    return [path.with_name(path.name + side) for side in (*SIDES, "-journal")]


def _copy(database: Database, target: Path) -> None:
    with database.read() as source:
        source.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()  # from here on it is one moment
        _copy_connection(source, target)


def _copy_connection(source: sqlite3.Connection, target: Path) -> None:
    with _opened(target) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE").fetchall()  # one file, whole by itself
    sync_file(target)


def _prove(path: Path) -> int:
    """How many entries its logs hold. Raises `backup_damaged` unless it is sound and ours."""
    with _opened(path) as connection:
        try:
            schema = migrations.look(connection, path)
            damage = first_damage(connection) if schema else "it is empty"
            reports = verification.verify(connection) if damage == "ok" else []
        except RAISED_BY_SQLITE as error:
            raise OutriderError("backup_damaged", path=path, detail=error) from error
        except OutriderError as error:
            if error.code == "database_corrupt":
                raise OutriderError("backup_damaged", path=path, detail=error.facts["detail"]) from error
            raise
    if damage != "ok":
        raise OutriderError("backup_damaged", path=path, detail=damage)
    broken = next((report for report in reports if report.broken), None)
    if broken is not None and broken.broken is not None:
        detail = f"the {broken.log} of {broken.campaign_id} is broken at entry {broken.broken.seq}"
        raise OutriderError("backup_damaged", path=path, detail=detail)
    return sum(report.length for report in reports)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        add_functions(connection)
        yield connection


def _new_file(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
