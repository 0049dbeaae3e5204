"""Outrider's own programs as processes of their own, the same whether Python runs Outrider or a packaged executable does.

The packaged executable is `sys.executable` there and answers `-m PROGRAM` as Python would (`packaging/start.py`), so
nobody who starts a program needs to know which of the two it is.
"""

import os
import runpy
import sys
from collections.abc import Sequence

from backend.ports.credentials import VARIABLE

WINDOW = "bridge"
PRACTICE = "backend.practice"
PROGRAMS = (WINDOW, PRACTICE)


def command(program: str, *arguments: str) -> list[str]:
    """The command line that starts one of PROGRAMS."""
    return [sys.executable, "-m", program, *arguments]


_withheld: dict[str, str] = {}


def withhold_keys() -> None:
    """Take the keys out of our environment, first of all: whatever is started from here, by whomever, is not given them."""
    for name in [name for name in os.environ if name.startswith(VARIABLE)]:
        _withheld[name] = os.environ.pop(name)


def with_keys() -> dict[str, str]:
    """Our environment as it was given to us: for whoever looks keys up, and for the window, which does so itself."""
    return {**os.environ, **_withheld}


def become(program: str, arguments: Sequence[str]) -> None:
    """Run one of PROGRAMS in this process, which was started for it; ends with SystemExit."""
    sys.argv[1:] = arguments  # and its name stays: the window is known to the desktop by it
    runpy.run_module(program, run_name="__main__")
