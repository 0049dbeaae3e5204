"""A program run in our place: what is asked of us is asked of it, and it ends in its own time."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

from backend.adapters.processes import stop_signals


def run_program(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Become it, so that whatever ends us ends it; on Windows, which knows no such thing, run it to its end for its status.

    There, Ctrl-C and the end of the console reach it by themselves.
    """
    if sys.platform != "win32":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(command[0], list(command), environment)  # noqa: S606 - our own module
    before = {number: signal.signal(number, lambda *_: None) for number in stop_signals()}
    try:
        with subprocess.Popen(command, env=environment) as program:  # noqa: S603 - our own module
            return program.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
