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


def test_nothing_of_a_script_follows_its_refusal(run: Run) -> None:
    ended = run("try:\n    getattr(1, '__class__')\nexcept Exception:\n    print('it goes on')\nresult = 1")
    assert (ended.status, ended.code, ended.output) == (ScriptStatus.DENIED, "script_denied", "")


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("result = [0] * 10 ** 9", "script_out_of_memory"),
        ("def f(): return f()\nresult = f()", "script_too_deep"),
        ("for _ in range(10 ** 6): print()\nresult = 1", "script_output_too_large"),
    ],
)
def test_a_run_beyond_a_limit_is_ended_by_its_name(source: str, code: str, run: Run) -> None:
    ended = run(source)
    assert (ended.status, ended.code) == (ScriptStatus.KILLED, code)


@pytest.mark.parametrize("source", EXHAUSTIONS)
def test_exhaustion_is_ended_with_a_reason(source: str, run: Run) -> None:
    ended = run(source)
    assert ended.status is not ScriptStatus.OK, ended
    assert ended.code
    assert ended.message
    assert len(json.dumps(ended.message)) < 10_000


def test_a_script_has_the_memory_that_it_was_given_and_no_more(run: Run) -> None:
    for megabytes, fits in ((20, True), (160, False)):
        ended = run(f"result = len('x' * {megabytes} * 1_000_000)")
        assert (ended.status is ScriptStatus.OK) is fits, ended
