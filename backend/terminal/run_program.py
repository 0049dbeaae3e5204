"""A program run in our place: what is asked of us is asked of it, and it ends in its own time."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from backend.adapters.processes import stop_signals


def run_program(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Become it, so that whatever ends us ends it; on Windows, which knows no such thing, run it to its end for its status.

    There, Ctrl-C reaches it by itself, and a request to end is passed on.
    """
    if sys.platform != "win32":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(command[0], list(command), environment)  # noqa: S606 - our own module
    before: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None)}
    try:
        with subprocess.Popen(command, env=environment) as program:  # noqa: S603 - our own module
            for stop_signal in set(stop_signals()) - before.keys():
                before[stop_signal] = signal.signal(stop_signal, lambda *_: program.terminate())
            return program.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
