"""What the packaged executable runs: the window when it is asked for nothing, else the `outrider` command.

`-m PROGRAM` makes it one of Outrider's own programs (`backend/adapters/processes.py`), as Python would.
"""

import os
import sys
from collections.abc import MutableMapping

from backend.adapters.processes import PROGRAMS, WINDOW, run_in_this_process


def give_back_library_path(environ: MutableMapping[str, str]) -> None:
    """Undo what PyInstaller's loader did to the environment.

    Its library path has done its work for this process; a browser started from here must find its own libraries, not ours.
    """
    before = environ.pop("LD_LIBRARY_PATH_ORIG", None)
    environ.pop("LD_LIBRARY_PATH", None)
    if before:
        environ["LD_LIBRARY_PATH"] = before


def main() -> None:
    """Be what the arguments ask for."""
    if getattr(sys, "frozen", False):
        give_back_library_path(os.environ)
    match sys.argv[1:]:
        case []:
            run_in_this_process(WINDOW, [])
        case ["-m", program, *arguments] if program in PROGRAMS:
            run_in_this_process(program, arguments)
        case _:
            from backend.cli import app  # noqa: PLC0415 - the others do not need it

            app()


if __name__ == "__main__":
    main()
