"""`outrider space` tells what the data folder holds, and what would come free."""

from pathlib import Path

import pytest

from backend.machine.settings import read_settings
from backend.store.queries.device import retained_files
from backend.terminal.machine import show_space
from backend.terminal.output import TerminalOutput


@pytest.mark.parametrize("free", [0, 4_096])
def test_space_that_can_be_given_back_is_told_if_there_is_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], free: int
) -> None:
    monkeypatch.setattr(retained_files, "free_bytes", lambda _: free)
    show_space(TerminalOutput(), read_settings({}, tmp_path))
    assert ("bytes of the database are free" in capsys.readouterr().out) == bool(free)
