"""Whoever writes people's words into a file that is not whole yet, and is killed in the middle of that.

Each takes the data folder and a folder of the user's.
"""

import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from backend.api.exports import Export, write_export
from backend.api.server.file_tickets import FileTickets
from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.store import backup
from backend.store.database import Database
from backend.store.log import replay
from backend.store.queries.people import person_index
from backend.terminal.review import edit_text
from tests.kills import KILL
from tests.store.opening import CAMPAIGN, lead_imported, write


def kill_oneself(*_: object) -> Any:
    os.kill(os.getpid(), KILL)


def back_up(data_dir: str, chosen: str) -> None:
    """Killed once the copy is there, before it has its name."""
    backup._prove = kill_oneself  # type: ignore[assignment]
    backup.back_up(Database(Path(data_dir) / "outrider.db"), Path(chosen) / "copy.db")


def export(data_dir: str, chosen: str) -> None:
    """Killed after its first half."""

    def halves() -> Iterator[bytes]:
        yield b"Ada Lovelace\n" * 100_000
        kill_oneself()

    files = FileTickets(Path(data_dir) / "uploads")
    services: Any = SimpleNamespace(
        files=files, workspace=SimpleNamespace(settings=SimpleNamespace(data_dir=Path(data_dir)))
    )
    ticket = files.ticket_for_writing(Path(chosen) / "people.csv")
    write_export(services, "c", ticket, Export(halves(), "people.csv", "text/csv"))


def edit(data_dir: str, chosen: str) -> None:
    """Killed by the user's editor, which leaves a copy beside the text as editors do."""
    program = Path(chosen) / "editor.py"
    copy = "import os, pathlib, sys; pathlib.Path(sys.argv[1] + '~').write_text('Hi Ada')"
    program.write_text(f"{copy}; os.kill(os.getppid(), {int(KILL)})")
    edit_text(f"{sys.executable} {program}", "Hi Ada", Path(data_dir))


def compare(data_dir: str, chosen: str) -> None:
    """`replay --check`, killed once everything is folded and on the disk."""
    index_people = person_index.index_people

    def killed(connection: sqlite3.Connection) -> None:
        index_people(connection)
        connection.execute("COMMIT")
        kill_oneself()

    person_index.index_people = killed
    replay.find_differences(Database(Path(data_dir) / "outrider.db"))


ERASED = "Grace Hopper"


def erase(data_dir: str, chosen: str) -> None:
    """Killed once the erasure is on the disk, before the write-ahead log is emptied."""
    with open_workspace(AppSettings(Path(data_dir), "", 10)) as workspace:
        write(workspace.journal, lead_imported(999, full_name=ERASED))
        workspace.database.empty_wal = kill_oneself  # type: ignore[method-assign]
        workspace.commands().people.erase(CAMPAIGN, "lead-999")
