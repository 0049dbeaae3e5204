"""Nothing gets out: every attempt is refused or ended, each with a reason, and what is around it goes on."""

import json
from collections.abc import Mapping, Sequence

import pytest
from _pytest.mark.structures import ParameterSet

from backend.domain.device.script import ScriptStatus
from tests.sandbox.attempts import EXHAUSTING, FAMILIES
from tests.sandbox.conftest import Run

# A process each: `make test` tries every eighth, `make endurance` all.
_QUICK = 8


def _tried(families: Mapping[str, Sequence[str]]) -> list[ParameterSet]:
    named = [(f"{family}-{number}", source) for family, all_ in families.items() for number, source in enumerate(all_)]
    return [
        pytest.param(source, id=name, marks=() if position % _QUICK == 0 else pytest.mark.endurance)
        for position, (name, source) in enumerate(named)
    ]


ATTEMPTS, EXHAUSTIONS = _tried(FAMILIES), _tried(EXHAUSTING)


def test_there_are_enough_attempts() -> None:
    assert len(ATTEMPTS) + len(EXHAUSTIONS) >= 150


@pytest.mark.parametrize("source", ATTEMPTS)
def test_an_attempt_is_refused_with_a_reason(source: str, run: Run) -> None:
    ended = run(source.replace("{canary}", "/etc/passwd"))
    assert ended.status in (ScriptStatus.DENIED, ScriptStatus.FAILED), ended
    assert ended.code
    assert ended.message
    assert ended.result == "null"


@pytest.mark.parametrize("source", EXHAUSTIONS)
def test_exhaustion_is_ended_with_a_reason(source: str, run: Run) -> None:
    ended = run(source)
    assert ended.status is not ScriptStatus.OK, ended
    assert ended.code
    assert ended.message
    assert len(json.dumps(ended.message)) < 10_000
