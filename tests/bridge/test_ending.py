"""Ending: what waits for a page that is gone does not keep the process; a campaign's current action does."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys, threading, time
from bridge.ending import leave
def work():
    {work}
    print("done", flush=True)
threading.Thread(target=work, name={name!r}).start()
leave(3)
"""


@pytest.mark.parametrize(
    ("name", "work", "said"),
    [
        ("Thread-7 (_call)", "threading.Event().wait()", ""),
        ("Thread-7 (_call)", "pass", "done\n"),
        ("runner", "time.sleep(2)", "done\n"),
    ],
)
def test_only_the_current_action_is_waited_for(name: str, work: str, said: str) -> None:
    script = SCRIPT.format(name=name, work=work)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (3, said, "")
