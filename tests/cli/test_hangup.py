"""A terminal that is closed while a campaign runs stops it after its current action, like a request to end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

pty = pytest.importorskip("pty", reason="Windows has no terminals that hang up")

RUNNING = """
import sys
from pathlib import Path
from backend.terminal.output import TerminalOutput
from backend.terminal.run_campaign import _CtrlC, _RunControl
class View:
    def notice(self, sentence):
        print(sentence, flush=True)
control = _RunControl()
with _CtrlC(control, View(), TerminalOutput()):
    print("running", flush=True)
    while not control.stop.wait(0.1):
        pass
    print("the current action goes on", flush=True)
    sys.stderr.write("and what it says goes nowhere")
    Path(sys.argv[1]).write_text("done")
"""


def test_closing_the_terminal_stops_after_the_current_action(tmp_path: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # also where the tests themselves were begun with nohup
        os.execv(sys.executable, [sys.executable, "-c", RUNNING, str(tmp_path / "after")])
    said = b""
    while b"running" not in said:
        said += os.read(terminal, 100)
    os.close(terminal)  # hangs up: the kernel sends SIGHUP, and every write to the terminal fails
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (tmp_path / "after").read_text() == "done"


def test_a_program_that_runs_in_our_place_is_told_too() -> None:
    script = (
        "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "from backend.terminal.run_program import run_program\n"
        "child = 'import os, signal, time; time.sleep(0.5); os.kill(os.getppid(), signal.SIGHUP); time.sleep(1000)'\n"
        "print(run_program([sys.executable, '-c', child]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout.split()[-1] == "-15"
