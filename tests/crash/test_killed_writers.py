"""What holds people's words until it is done is nowhere any more once the next command has opened the data folder."""

import contextlib
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from backend.app.wiring import erase_in_restored, open_workspace
from backend.machine.settings import AppSettings
from backend.store import backup
from backend.store.database import Database
from tests import forked
from tests.crash import killed_writers
from tests.kills import KILLED
from tests.patience import PATIENCE
from tests.store.opening import CAMPAIGN, CREATED, lead_imported, write

ROOT = Path(__file__).parents[2]
NOT_OURS = {"editor.py"}


def files(folder: Path) -> set[str]:
    """What of the files in there is left, but for the database's."""
    every = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in every if not name.startswith("outrider") and name not in NOT_OURS}


@pytest.mark.parametrize("writer", [killed_writers.back_up, killed_writers.export, killed_writers.edit])
@pytest.mark.parametrize("how", ["the next start", "an erasure"])
def test_what_a_killed_writer_left_is_removed(tmp_path: Path, writer: object, how: str) -> None:
    data, chosen, temporary = workspace_in(tmp_path)
    before = files(data)
    run(writer, data, chosen, temporary)
    left = files(data) | files(chosen)
    assert left > before, "it was killed before it wrote anything"
    settings = AppSettings(data, "", 10)
    if how == "an erasure":
        with open_workspace(settings) as workspace:
            run(writer, data, chosen, temporary)
            with workspace.database.read() as connection:
                (lead_id,) = connection.execute("SELECT min(id) FROM leads").fetchone()
            workspace.commands().people.erase(CAMPAIGN, lead_id)
            workspace.erased_files.remove()
    else:
        with open_workspace(settings):
            pass
    assert files(data) == before
    assert files(chosen) == set()
    assert files(temporary) == set()


def test_a_killed_comparison_leaves_nothing_anywhere(tmp_path: Path) -> None:
    data, chosen, temporary = workspace_in(tmp_path)
    before = files(data)
    run(killed_writers.compare, data, chosen, temporary)
    assert files(data) == before
    assert files(temporary) == set()


def opens_the_app(data: Path) -> AbstractContextManager[object]:
    return open_workspace(AppSettings(data, "", 10))


def reads_the_database(data: Path) -> AbstractContextManager[object]:
    """As the doctor does, and a command that shows what a campaign does."""
    return contextlib.closing(Database(data / "outrider.db"))


def puts_a_backup_back(data: Path) -> AbstractContextManager[object]:
    """One from before the import; what was there is set aside, with its write-ahead log."""
    copy = data.parent / "copy.db"
    backup.restore(data / "outrider.db", copy, erase_again=erase_in_restored(), despite_loss=True)
    assert backup.set_aside(data / "outrider.db")
    return contextlib.nullcontext()


@pytest.mark.parametrize("begins", [opens_the_app, reads_the_database, puts_a_backup_back])
def test_what_a_killed_erasure_left_is_in_no_file_once_anything_has_opened_the_database(
    tmp_path: Path, begins: Callable[[Path], AbstractContextManager[object]]
) -> None:
    data, chosen, temporary = workspace_in(tmp_path)
    with contextlib.closing(Database(data / "outrider.db")) as database:
        backup.back_up(database, tmp_path / "copy.db")
    run(killed_writers.erase, data, chosen, temporary)
    assert names_in(data), "it was killed too late"
    with begins(data):
        assert names_in(data) == set()


def names_in(data: Path) -> set[str]:
    """The files that name whoever is erased."""
    files = (path for path in data.rglob("*") if path.is_file())
    return {path.name for path in files if killed_writers.ERASED.encode() in path.read_bytes()}


def workspace_in(folder: Path) -> tuple[Path, Path, Path]:
    """A data folder with a campaign in it, a folder of the user's, and the system's for temporary files."""
    made = folder / "data", folder / "chosen", folder / "temporary"
    for each in made:
        each.mkdir()
    with open_workspace(AppSettings(made[0], "", 10)) as workspace:
        write(workspace.journal, CREATED)
        for number in range(500):
            write(workspace.journal, lead_imported(number))
    return made


def run(writer: object, data: Path, chosen: Path, temporary: Path) -> None:
    """Until it is killed."""
    function = f"tests.crash.killed_writers:{getattr(writer, '__name__')}"  # noqa: B009 - any function has one
    surroundings = {**os.environ, "TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary)}
    done = forked.run(function, str(data), str(chosen), environment=surroundings, timeout=PATIENCE)
    assert done.returncode == KILLED, done.stderr


OUTSIDE = {
    "adapters/browser/chromium.py": "an empty profile in which a browser shows whether it can start",
    "adapters/browser/node.py": "makes none there",
    "app/wiring.py": "a profile to try a browser with, which opens no page of people's",
    "terminal/crash.py": "a report of a crash, where the data folder cannot be written",
    "runtime/doctor.py": "the practice network's ledger of nobody",
    "machine/private_folder.py": "makes none there",
}


def test_who_makes_files_in_the_systems_temporary_folder_puts_nobodys_words_there() -> None:
    backend = ROOT / "backend"
    makers = set()
    for path in backend.rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            if "tempfile." in line and "dir=" not in line:
                makers.add(path.relative_to(backend).as_posix())
    assert makers == set(OUTSIDE)
