"""A data folder for each test: an empty one, or one in which a rehearsal was run to its end."""

from pathlib import Path

import pytest

from tests.cli.outrider import Outrider
from tests.cli.rehearsed import Rehearsed


@pytest.fixture
def copy(rehearsed: Rehearsed, tmp_path: Path) -> Outrider:
    """The completed rehearsal in a folder that a test may damage."""
    return rehearsed.copy(tmp_path / "data")


@pytest.fixture
def outrider(tmp_path: Path) -> Outrider:
    return Outrider(tmp_path / "data")
