"""Keys of the environment are taken out of it by every program first of all, and only the window's own program is given them."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.adapters import processes
from backend.app.wiring import open_workspace
from backend.machine.settings import read_settings
from backend.terminal.app import app
from bridge.__main__ import main

NAME, KEY = "OUTRIDER_KEY_TINY", "sk-canary-3c7e"
SEES = [sys.executable, "-c", f"import os; print(os.environ.get({NAME!r}))"]


@pytest.fixture(autouse=True)
def _given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_removed_keys", {})
    monkeypatch.setenv(NAME, KEY)


def child_sees() -> str:
    return subprocess.run(SEES, capture_output=True, text=True, check=True).stdout.strip()


def test_the_window_s_program_withholds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.__main__.keep_private", lambda: None)  # this process is that of other tests, too
    (tmp_path / "file").touch()
    assert child_sees() == KEY
    assert main(["--data-dir", str(tmp_path / "file")]) == 1
    assert child_sees() == "None"
    with open_workspace(read_settings({}, tmp_path / "data")) as workspace:
        key = workspace.keys.get("tiny")
        assert key is not None
        assert key.reveal() == KEY


def test_the_command_withholds_them_from_all_but_the_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environments: list[Mapping[str, str]] = []

    def run_program(_: object, surroundings: Mapping[str, str]) -> int:
        environments.append(surroundings)
        return 0

    monkeypatch.setattr("backend.terminal.run_program.run_program", run_program)
    assert CliRunner().invoke(app, ["status", "--data-dir", str(tmp_path / "data")]).exit_code == 0
    assert child_sees() == "None"
    assert CliRunner().invoke(app, ["app", "--data-dir", str(tmp_path)]).exit_code == 0
    assert (environments[0][NAME], environments[0]["OUTRIDER_DATA_DIR"]) == (KEY, str(tmp_path))
    assert NAME not in os.environ
