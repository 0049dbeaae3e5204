"""Ending: what waits for a page that is gone does not keep the process."""

import subprocess
import sys

import pytest

from tests.patience import PATIENCE

SCRIPT = """
import sys, threading
from bridge.termination import exit_process
def work():
    {work}
    print("done", flush=True)
threading.Thread(target=work).start()
exit_process(3)
"""


@pytest.mark.parametrize(
    ("work", "output"), [("threading.Event().wait()", ""), ("pass", "done\n")], ids=["hangs", "ends"]
)
def test_what_still_waits_does_not_keep_the_process(work: str, output: str) -> None:
    script = SCRIPT.format(work=work)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, output, "")


HEARING = """
import os, signal, sys, threading
signal.signal(signal.SIGHUP, signal.SIG_IGN if sys.argv[1] == "nohup" else signal.SIG_DFL)
from bridge.termination import on_termination_signal
heard = threading.Event()
with on_termination_signal(heard.set):
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
    print("stops" if heard.wait(float(sys.argv[3])) else "goes on", flush=True)
"""


@pytest.mark.posix  # signals
@pytest.mark.parametrize(
    ("ending", "number", "wait", "output"),
    [
        ("", "SIGINT", PATIENCE, "stops"),
        ("", "SIGTERM", PATIENCE, "stops"),
        ("", "SIGHUP", PATIENCE, "stops"),
        ("nohup", "SIGHUP", 0.2, "goes on"),
    ],
)
def test_the_end_of_the_terminal_stops_like_a_request_to_end(
    ending: str, number: str, wait: float, output: str
) -> None:
    script = [sys.executable, "-c", HEARING, ending, number, str(wait)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (0, f"{output}\n")
