"""One completed rehearsal, by the command and with a real browser, for everybody in this run of the tests."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import filelock
import pytest

from tests.cli.outrider import Ended, Outrider

REHEARSE = ("rehearse", "--auto-approve", "--headless", "--json", "--max-leads")
OF_THAT_RUN = shutil.ignore_patterns("browser", "*.lock")


class Rehearsed:
    """How it ended, and its data folder, which is for copying: other processes copy it, too."""

    def __init__(self, folder: Path) -> None:
        self._outrider = Outrider(folder / "data")
        file = folder / "ended.json"
        if not file.exists():
            ended = self._outrider(*REHEARSE, "3")
            file.write_text(json.dumps([ended.status, ended.out, ended.err]), "utf-8")
        status, out, err = json.loads(file.read_text("utf-8"))
        self.ended = Ended(status, out, err)

    def copy(self, folder: Path) -> Outrider:
        """The same in a folder that a test may damage."""
        shutil.copytree(self._outrider.data_dir, folder, ignore=OF_THAT_RUN)
        return Outrider(folder)


@pytest.fixture(scope="session")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Rehearsed:
    """The first who asks for it runs it; whoever runs tests beside it waits for it."""
    base: Any = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "rehearsed"
    folder.mkdir(exist_ok=True)
    with filelock.FileLock(folder / "making.lock"):
        return Rehearsed(folder)
