"""A terminal that is closed while a campaign runs stops it after its current action, like a request to end."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from backend.terminal.live_view import PlainView
from backend.terminal.output import TerminalOutput
from backend.terminal.run_campaign import _CtrlC, _RunControl
from tests import posix
from tests.patience import PATIENCE

pytestmark = pytest.mark.posix

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
    pid, terminal = posix.fork_into_terminal()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", RUNNING, str(tmp_path / "after")])
    output = b""
    while b"running" not in output:
        output += os.read(terminal, 100)
    os.close(terminal)  # hangs up: the kernel sends SIGHUP, and every write to the terminal fails
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (tmp_path / "after").read_text() == "done"


@pytest.mark.parametrize("ended_by", ["SIGHUP", "SIGTERM", "SIGKILL"])
def test_a_program_that_runs_in_our_place_ends_by_whatever_ends_us(ended_by: str) -> None:
    """Or the window would live on with the data folder's lock, which no second start could take from it."""
    number = signal.Signals[ended_by]
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # also where the tests themselves were begun with nohup
        "from backend.terminal.run_program import run_program\n"
        "child = 'import os, time; print(os.getpid(), flush=True); time.sleep(1000)'\n"
        "run_program([sys.executable, '-c', child], os.environ)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as begun:
        assert begun.stdout is not None
        running = int(begun.stdout.readline())
        begun.send_signal(number)
        assert begun.wait(PATIENCE) == -number
    with pytest.raises(ProcessLookupError):
        os.kill(running, 0)


def test_no_question_is_begun_once_a_stop_was_asked_for() -> None:
    """Ctrl-C right before a question is asked would wait for its answer."""
    control, no_view = _RunControl(), cast("PlainView", None)
    control.end()
    with pytest.raises(KeyboardInterrupt), _CtrlC(control, no_view, TerminalOutput()).breaks_questions():
        pytest.fail("asked")
