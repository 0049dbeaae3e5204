"""The receipts count what the ledger received: shown with an engine of our own whose mistakes are known."""

import sys
import tomllib
from pathlib import Path

import pytest

from receipts import counting, report
from receipts.faults import FAULTS, Fault
from receipts.rows import ENGINES
from receipts.stage import Process, opened, receipt

ROOT = Path(__file__).resolve().parents[2]
FAKE = [sys.executable, "-m", "tests.receipts.fake_engine"]
BY_NAME = {fault.name: fault for fault in FAULTS}


def word(fault: Fault, variant: str, patience: float = 60.0) -> str:
    with opened(FAKE, variant, {}, patience) as stage:
        return receipt(stage, fault)


@pytest.mark.parametrize(
    ("messages", "endings", "expected"),
    [
        (1, ["done"], "once"),
        (1, ["stuck", "done"], "once"),
        (1, ["asked", "done"], "once"),
        (2, ["done"], "doubled"),
        (2, ["asked"], "doubled"),
        (0, ["done"], "lost"),
        (0, ["asked"], "asked"),
        (1, ["asked", "stuck"], "asked"),
        (0, ["stuck"], "stuck"),
        (1, ["stuck"], "stuck"),
    ],
)
def test_the_ledger_decides_before_what_an_engine_says(messages: int, endings: list[str], expected: str) -> None:
    assert counting.outcome(messages, endings) == expected


def test_every_word_is_counted() -> None:
    counts = counting.totals(["once", "doubled", "doubled", "asked"])
    assert counts == {"once": 1, "doubled": 2, "lost": 0, "stuck": 0, "asked": 1}


def test_who_sends_again_after_a_kill_has_doubled() -> None:
    assert word(BY_NAME["killed"], "as documented") == "doubled"


def test_who_looks_first_has_not() -> None:
    assert word(BY_NAME["killed"], "looks first") == "once"


def test_who_stops_and_says_why_has_asked() -> None:
    assert word(BY_NAME["answer lost"], "asks") == "asked"


def test_two_that_look_at_the_same_moment_both_send() -> None:
    assert word(BY_NAME["copied"], "looks first") == "doubled"


def test_an_older_state_forgets_what_was_noted() -> None:
    assert word(BY_NAME["older state"], "notes first") == "doubled"


def test_who_sends_nothing_and_is_done_has_lost_it() -> None:
    assert word(BY_NAME["answer lost"], "sends nothing") == "lost"


@pytest.mark.parametrize("variant", ["never ends", "asks"])
def test_a_job_is_stopped_when_patience_ends(variant: str) -> None:
    """Who asks is not started again, whoever never ends is killed."""
    assert word(BY_NAME["model fails"], variant, patience=3.0) == {"never ends": "stuck"}.get(variant, "asked")


def test_a_model_that_fails_comes_after_the_message() -> None:
    assert word(BY_NAME["model fails"], "as documented") == "doubled", "a plain script begins again"
    assert word(BY_NAME["model fails"], "looks first") == "once"


def test_words_of_two_workflows_to_one_person_are_two_messages() -> None:
    assert word(BY_NAME["two workflows"], "looks first") == "doubled"


def test_a_late_message_is_on_its_way_before_it_arrives() -> None:
    with opened(FAKE, "asks", {}, late_seconds=1.0) as stage:
        assert receipt(stage, BY_NAME["late"]) == "asked"
        events = [line["event"] for line in stage.lines()]
    assert events.index("under way") < events.index("effect") < events.index("arrived late")


def test_a_killed_job_leaves_no_process(tmp_path: Path) -> None:
    process = Process([sys.executable, "-c", "import time; time.sleep(600)"], {}, tmp_path / "job.txt", 60.0)
    process.kill()
    assert process._process.returncode == -9


def test_the_table_has_a_line_for_each_variant_and_a_word_for_each_fault() -> None:
    rows = [report.Row(engine, variant, ["once"] * len(FAULTS)) for engine in ENGINES for variant in engine.variants]
    lines = report.table(rows).splitlines()
    assert len(lines) == 2 + len(rows)
    assert {line.count("|") for line in lines} == {len(FAULTS) + 4}


def test_every_engine_has_its_job_and_its_packages_are_pinned() -> None:
    pinned = dict(line.split("==") for line in _requirements() if "==" in line)
    for engine in ENGINES:
        assert (ROOT / "receipts" / "engines" / f"{engine.module}.py").is_file()
        assert set(engine.packages) <= pinned.keys()


def test_outrider_depends_on_none_of_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ours = {dependency.split(">")[0].split("=")[0] for dependency in project["dependencies"]}
    assert not ours & {line.split("==")[0] for line in _requirements()}


def _requirements() -> list[str]:
    return (ROOT / "receipts" / "requirements.txt").read_text("utf-8").splitlines()
