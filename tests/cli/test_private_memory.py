"""No core dump holds the vault's passphrase, a key or a token, and no other program of the user looks into our memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

pytestmark = pytest.mark.posix  # core dumps

PROGRAMS = {
    "the window's": "from bridge.__main__ import main; main(['--data-dir', sys.argv[1]])",
    "a command": "from backend.terminal.app import app; app(['status', '--data-dir', sys.argv[1]], standalone_mode=False)",
}
SHOW = """
import ctypes, resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
try:
    {program}
finally:
    looked_into = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) if sys.platform == "linux" else 0
    print("limit", *resource.getrlimit(resource.RLIMIT_CORE), "looked into", looked_into)
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_that_holds_keys_leaves_no_core_dump(tmp_path: Path, program: str) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-c", SHOW.format(program=program), str(tmp_path / "file")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.splitlines()[-1] == "limit 0 0 looked into 0", done.stderr


def test_what_a_thread_fails_with_is_printed_without_what_it_was_about(tmp_path: Path) -> None:
    failing = "threading.Thread(target=lambda: int('the inner secret')).start()"
    program = f"import sys, threading\ntry:\n    {PROGRAMS['a command']}\nfinally:\n    {failing}"
    (tmp_path / "file").touch()
    command = [sys.executable, "-c", program, str(tmp_path / "file")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "ValueError" in done.stderr
    assert "secret" not in done.stderr
