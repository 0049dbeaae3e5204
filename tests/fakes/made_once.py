"""An empty database is made once in a process, and every new one begins as its copy: to make it takes ten times as long.

The fixture `made_by_steps` (tests/conftest.py) is for tests of how a database comes to be.
"""

import os
import sqlite3
import weakref
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from backend.store import migrations
from backend.store.database import Database, file_at

make_by_steps = Database.__init__
"""As the product opens a database."""


def copy_empty_one(database: Database, path: Path, **options: Any) -> None:
    """Open it; one that is not there yet begins as a copy."""
    if path.parent.is_dir() and not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(_empty(migrations.known()))
    make_by_steps(database, path, **options)
    weakref.finalize(database, _close, path, database._file, (database._writer,), database._idle_readers)


def _close(path: Path, file: tuple[int, int] | None, *connections: Iterable[sqlite3.Connection]) -> None:
    """For a test that left them open, of which Python warns from 3.13 on; in another's place the product leaves them, too."""
    if file_at(path) in (file, None):
        for connection in chain(*connections):
            connection.close()


@cache
def _empty(steps: tuple[tuple[int, str], ...]) -> bytes:
    return migrations._made(steps).serialize()
