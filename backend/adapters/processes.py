"""Starts Outrider's own programs as processes, whether Python or a packaged executable runs Outrider.

The packaged executable is `sys.executable` there and answers `-m PROGRAM` as Python would (`packaging/start.py`), so
nobody who starts a program needs to know which of the two it is. On Windows there are two: one opens the window and has no
console, the other is for terminals and for whatever is started here.
"""

import ctypes
import os
import runpy
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from backend.domain.values.errors import defect_report
from backend.machine.process_limits import set_limits
from backend.ports.credentials import VARIABLE

WINDOW = "bridge"
PRACTICE = "backend.practice"
SANDBOX = "backend.adapters.sandbox"
STEPPER = "backend.agents.stepper"
PDF_TEXT = "backend.adapters.files.pdf_text"
QUESTIONS = "backend.store.question_program"
COMMAND = "backend.adapters.files.command_program"
DISPLAY = "bridge.opened_display"
CONSOLE_PROGRAM, WINDOWED_PROGRAM = "outrider.exe", "outriderw.exe"
"""Windows's two packaged executables."""
PROGRAMS = (WINDOW, PRACTICE, SANDBOX, STEPPER, PDF_TEXT, QUESTIONS, COMMAND, DISPLAY)


def command(program: str, *arguments: str) -> list[str]:
    """The command line that starts one of PROGRAMS."""
    return [str(_interpreter()), "-m", program, *arguments]


def own_program() -> Path:
    """What another program starts to reach `outrider`'s commands: the packaged executable, or the script beside Python."""
    if getattr(sys, "frozen", False):
        return _interpreter()
    return Path(sys.executable).with_name(CONSOLE_PROGRAM if sys.platform == "win32" else "outrider")


def _interpreter() -> Path:
    """What runs our modules: this Python, or the packaged executable that has a console."""
    program = Path(sys.executable)
    return program.with_name(CONSOLE_PROGRAM) if program.name == WINDOWED_PROGRAM else program


def bare_environment() -> dict[str, str]:
    """The environment of a program that gets none of ours; Windows starts none without SYSTEMROOT."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if sys.platform == "win32" and name in os.environ}


def stop_signals() -> list[signal.Signals]:
    """What means "stop" to our programs: Ctrl-C, SIGTERM, and the terminal's end (on Windows SIGBREAK) unless `nohup` keeps it."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if sys.platform == "win32":
        signals.append(signal.SIGBREAK)
    elif signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    return signals


_PR_SET_DUMPABLE = 4


def keep_private() -> None:
    """Make files of this process readable by their owner alone, and keep its memory, with keys and passphrases, from being dumped.

    No core dump, and where the system knows that (Linux) no other process of this user looks into it. Windows writes none unless
    its administrator asks for them. What a thread fails with is printed without what it was about.
    """
    os.umask(0o077)
    threading.excepthook = _print_defect
    set_limits(CORE=0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _print_defect(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None:
        sys.stderr.write(defect_report(ended.exc_value))


_removed_keys: dict[str, str] = {}


def remove_keys_from_environment() -> None:
    """Take the keys out of our environment before anything else, so that no child process inherits them."""
    for name in [name for name in os.environ if name.startswith(VARIABLE)]:
        _removed_keys[name] = os.environ.pop(name)


def environment_with_keys() -> dict[str, str]:
    """The environment with the keys: for looking keys up, and for the window's process, which does so itself."""
    return {**os.environ, **_removed_keys}


def run_in_this_process(program: str, arguments: Sequence[str]) -> None:
    """Run one of PROGRAMS in this process, which was started for it; ends with SystemExit."""
    sys.argv[1:] = arguments  # argv[0] stays: the desktop identifies the window by it
    runpy.run_module(program, run_name="__main__")
