"""What the packaged executables run: the window when they are asked for nothing, else the `outrider` command.

`-m PROGRAM` makes one of them one of Outrider's own programs (`backend/adapters/processes.py`), as Python would.
"""

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path
from types import ModuleType
from typing import Any

from backend.adapters.processes import PROGRAMS, WINDOW, run_in_this_process

RUNNING = "Outrider-6B0E1F0C-5C0B-4C53-9C6B-3C7F6F1B7A52"
"""A mutex's name; `windows/outrider.iss` has the same."""


def give_back_library_path(environ: MutableMapping[str, str]) -> None:
    """Undo what PyInstaller's loader did to the environment.

    Its library path has done its work for this process; a browser started from here must find its own libraries, not ours.
    """
    before = environ.pop("LD_LIBRARY_PATH_ORIG", None)
    environ.pop("LD_LIBRARY_PATH", None)
    if before:
        environ["LD_LIBRARY_PATH"] = before


def give_streams(system: ModuleType | Any = sys) -> None:
    """Standard streams for a program that was started without any (Windows's menu): nothing comes and nothing goes."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(system, name) is None:
            setattr(system, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - until the end


def announce_running(kernel32: Any) -> None:
    """Until this process ends, Windows's installer and uninstaller can tell that Outrider runs; they ask to close it first."""
    kernel32.CreateMutexW(None, 0, RUNNING)


def main() -> None:
    """Be what the arguments ask for."""
    if getattr(sys, "frozen", False):
        give_back_library_path(os.environ)
        give_streams()
        if sys.platform == "win32":
            import ctypes  # noqa: PLC0415 - its libraries are Windows's

            announce_running(ctypes.WinDLL("kernel32"))
    match sys.argv[1:]:
        case []:
            run_in_this_process(WINDOW, [])
        case ["-m", program, *arguments] if program in PROGRAMS:
            run_in_this_process(program, arguments)
        case _:
            from backend.terminal.app import app  # noqa: PLC0415 - the others do not need it

            app()


if __name__ == "__main__":
    main()
