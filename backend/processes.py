"""Outrider's own programs as processes of their own, the same whether Python runs Outrider or a packaged executable does.

The packaged executable is `sys.executable` there and answers `-m PROGRAM` as Python would (`packaging/start.py`), so
nobody who starts a program needs to know which of the two it is.
"""

import os
import runpy
import sys
from collections.abc import Sequence

WINDOW = "bridge"
PRACTICE = "backend.practice"
PROGRAMS = (WINDOW, PRACTICE)


def command(program: str, *arguments: str) -> list[str]:
    """The command line that starts one of PROGRAMS."""
    return [sys.executable, "-m", program, *arguments]


def environment() -> dict[str, str]:
    """What a child process is given of ours: everything but keys."""
    return {name: value for name, value in os.environ.items() if not name.startswith("OUTRIDER_KEY_")}


def become(program: str, arguments: Sequence[str]) -> None:
    """Run one of PROGRAMS in this process, which was started for it; ends with SystemExit."""
    sys.argv[1:] = arguments  # and its name stays: the window is known to the desktop by it
    runpy.run_module(program, run_name="__main__")
