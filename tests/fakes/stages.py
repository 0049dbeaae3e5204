"""A stage for each test."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.store.log import replay, verification
from tests.fakes.campaign import Stage

Stages = Callable[..., Stage]


@pytest.fixture
def stages() -> Iterator[Stages]:
    """Makes stages, each in a folder of its own."""
    made: list[tuple[Stage, Path]] = []

    def make(**how: Any) -> Stage:
        folder = Path(tempfile.mkdtemp(prefix="outrider-"))
        stage = Stage(folder, **how)
        made.append((stage, folder))
        return stage

    yield make
    for stage, folder in made:
        stage.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def stage(stages: Stages) -> Stage:
    """A network of sixty people on a Monday at noon."""
    return stages()


@pytest.fixture
def sound_log(stage: Stage) -> Iterator[None]:
    """Whatever a test does, the log's chains hold, and the tables are what it says."""
    yield
    assert replay.find_differences(stage.database) == []
    assert [report for report in stage.database.query(verification.verify) if report.broken] == []
