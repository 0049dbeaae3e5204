"""The packaged executable's way in, run by this Python: the same code, only not frozen."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from backend.adapters import processes
from backend.domain.values.health_check import OK, HealthCheck
from backend.runtime import doctor
from backend.runtime.run.rehearsal import PracticeProcess
from tests.packaging_.conftest import ROOT
from tests.patience import PATIENCE

pytestmark = pytest.mark.posix  # the stand-in is a shell script


@pytest.fixture
def executable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What `sys.executable` is in a packaged app: a program that knows nothing of Python's options but `-m`."""
    stand_in = tmp_path / "outrider"
    stand_in.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{ROOT}/packaging/start.py' \"$@\"\n")
    stand_in.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stand_in))
    return stand_in


def run(executable: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([executable, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_it_starts_the_practice_network_as_itself(executable: Path, tmp_path: Path) -> None:
    network = PracticeProcess(tmp_path / "ledger.jsonl", 1_700_000_000_000)
    try:
        command = Path(f"/proc/{network._process.pid}/cmdline")
        if command.exists():
            assert "start.py\0-m\0backend.practice\0" in command.read_text()
        network.post_control("clock", {"now": 1_700_000_100_000})
    finally:
        network.close()
    assert network._process.returncode is not None


def test_doctor_finds_the_practice_network_well_there(executable: Path) -> None:
    assert doctor.practice() == HealthCheck("practice", OK, "the practice network starts")


def test_with_arguments_it_is_the_outrider_command(executable: Path) -> None:
    assert run(executable, "--version").stdout.startswith("outrider ")
    assert "rehearse" in run(executable, "--help").stdout


def test_it_runs_no_other_module(executable: Path) -> None:
    done = run(executable, "-m", "json.tool")
    assert done.returncode == 2
    assert "-m" in done.stderr


def test_without_arguments_it_opens_outrider(executable: Path, tmp_path: Path) -> None:
    displayless = {name: value for name, value in os.environ.items() if "DISPLAY" not in name and "QT_" not in name}
    with subprocess.Popen(
        [executable],
        env={**displayless, "OUTRIDER_DATA_DIR": str(tmp_path / "data")},
        stdout=subprocess.PIPE,
        text=True,
    ) as opened:
        assert opened.stdout is not None
        why, address = opened.stdout.readline(), opened.stdout.readline()
        opened.send_signal(signal.SIGINT)
        opened.stdout.read()
    assert "there is no display" in why
    assert address.startswith("Outrider is at http://127.0.0.1:")
    assert opened.returncode == 0


def test_the_command_that_opens_the_window_goes_the_same_way(executable: Path) -> None:
    done = run(executable, "app", "--help")
    assert done.returncode == 0
    assert "--no-window" in done.stdout


def test_a_browser_does_not_get_our_library_path(script: Callable[[str], ModuleType]) -> None:
    give_back = script("start").give_back_library_path
    for before, after in (
        ({"LD_LIBRARY_PATH": "ours"}, {}),
        ({"LD_LIBRARY_PATH": "ours:theirs", "LD_LIBRARY_PATH_ORIG": "theirs"}, {"LD_LIBRARY_PATH": "theirs"}),
        ({"HOME": "kept"}, {"HOME": "kept"}),
    ):
        give_back(before)
        assert before == after


def test_every_program_is_started_the_same_way_packaged_or_not() -> None:
    assert processes.command(processes.PRACTICE, "--port", "0") == [
        sys.executable, "-m", "backend.practice", "--port", "0",
    ]  # fmt: skip


def test_nothing_else_starts_this_python() -> None:
    """`bench` does, and stays in the checkout: a packaged app is no Python that could run a text."""
    sources = [*(ROOT / "backend").rglob("*.py"), *(ROOT / "bridge").rglob("*.py")]
    named = {path.relative_to(ROOT).as_posix() for path in sources if "sys.executable" in path.read_text("utf-8")}
    assert set(named) == {"backend/adapters/processes.py"}
