"""A program run in our place: what is asked of us is asked of it, and it ends in its own time."""

import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from backend.adapters.processes import stop_signals


def run_program(command: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Run it to its end; its exit status. Ctrl-C reaches it by itself, a request to end is passed on."""
    before: dict[int, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None)}
    try:
        with subprocess.Popen(command, env=environment) as program:  # noqa: S603 - our own module
            for wanted in set(stop_signals()) - before.keys():
                before[wanted] = signal.signal(wanted, lambda *_: program.terminate())
            return program.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
