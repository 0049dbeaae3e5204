"""What people who like data write works as it is."""

import json

import pytest

from backend.domain.device.script import ScriptStatus
from tests.sandbox.conftest import Run
from tests.sandbox.ordinary import ORDINARY

IN_ONE_RUN = 8
"""Scripts: the process of a run costs more than most of them."""


def test_there_are_enough_of_them() -> None:
    assert len(ORDINARY) >= 40


@pytest.mark.parametrize("first", range(0, len(ORDINARY), IN_ONE_RUN))
def test_ordinary_scripts_work_unchanged(first: int, run: Run) -> None:
    """One that asks for what only the beginning of a script may ask for comes first."""
    scripts = sorted(ORDINARY[first : first + IN_ONE_RUN], key=lambda script: "from __future__" not in script[0])
    sources = [f"{source}\nanswer_{number} = result\ndel result\n" for number, (source, _) in enumerate(scripts)]
    answers = ", ".join(f"answer_{number}" for number in range(len(scripts)))
    ended = run(f"{''.join(sources)}result = [{answers}]")
    assert ended.status is ScriptStatus.OK, ended
    assert json.loads(ended.result) == [answer for _, answer in scripts]
