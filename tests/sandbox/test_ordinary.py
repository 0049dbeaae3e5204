"""What people who like data write works as it is."""

import json

import pytest

from backend.domain.device.script import ScriptStatus
from tests.sandbox.conftest import Run
from tests.sandbox.ordinary import ORDINARY


def test_there_are_enough_of_them() -> None:
    assert len(ORDINARY) >= 40


@pytest.mark.parametrize(("source", "answer"), ORDINARY, ids=[str(number) for number in range(len(ORDINARY))])
def test_an_ordinary_script_works_unchanged(source: str, answer: object, run: Run) -> None:
    ended = run(source)
    assert ended.status is ScriptStatus.OK, ended
    assert json.loads(ended.result) == answer
