"""A start: the window's engine begins before the backend is imported, and a backend that cannot open is still told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bridge.opened import Opened
from tests.patience import PATIENCE

IMPORTED = "import json, sys; import {name}; print(json.dumps(sorted(sys.modules)))"
NOT_BEFORE_THE_WINDOW = {"backend.api.app", "backend.launch", "backend.runtime.session", "flask", "sqlite3", "werkzeug"}
NOT_FOR_A_START = {"backend.cli", "desktop_notifier", "playwright", "rich", "typer"}


def imported(name: str) -> set[str]:
    script = IMPORTED.format(name=name)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return set(json.loads(done.stdout))


def test_the_window_begins_without_the_backend() -> None:
    assert imported("bridge.__main__").isdisjoint(NOT_BEFORE_THE_WINDOW | NOT_FOR_A_START)


def test_the_backend_brings_only_what_a_start_needs() -> None:
    assert imported("bridge.launch").isdisjoint(NOT_FOR_A_START)


@pytest.mark.skipif(sys.platform != "linux", reason="the window is Qt's, without a screen")
def test_a_backend_that_cannot_open_closes_the_window_and_says_why(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "outrider.db").write_bytes(b"not a database" * 1_000)
    window = Opened(data, tmp_path / "window.txt")
    window.process.wait(timeout=PATIENCE)
    status, _ = window.ended()
    assert status == 1
    assert "\ndatabase_corrupt: " in window.errors.read_text()


def test_help_names_the_command_that_was_typed() -> None:
    command = [sys.executable, "-m", "bridge", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.startswith("usage: outrider app ")
