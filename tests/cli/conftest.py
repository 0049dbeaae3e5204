"""One completed rehearsal for everybody, and a data folder for each."""

import shutil
from pathlib import Path

import pytest

from tests.cli.outrider import Ended, Outrider

REHEARSE = ("rehearse", "--auto-approve", "--headless", "--json", "--max-leads")


class Rehearsed:
    """A data folder in which a rehearsal was run to its end, and how that ended."""

    def __init__(self, data_dir: Path) -> None:
        self.outrider = Outrider(data_dir)
        self.ended: Ended = self.outrider(*REHEARSE, "3")


@pytest.fixture(scope="session")
def rehearsed(tmp_path_factory: pytest.TempPathFactory) -> Rehearsed:
    return Rehearsed(tmp_path_factory.mktemp("rehearsed") / "data")


@pytest.fixture
def copy(rehearsed: Rehearsed, tmp_path: Path) -> Outrider:
    """The completed rehearsal in a folder that a test may damage."""
    shutil.copytree(
        rehearsed.outrider.data_dir, tmp_path / "data", ignore=shutil.ignore_patterns("browser", "*.lock", "evidence")
    )
    return Outrider(tmp_path / "data")


@pytest.fixture
def outrider(tmp_path: Path) -> Outrider:
    return Outrider(tmp_path / "data")
