"""A start that failed, said where it is read: in the terminal, and on Windows in a box where no terminal is seen.

What Windows' menu starts has no console, so that a sentence written there reaches nobody.
"""

import sys
from typing import Any

from backend.domain.values.errors import OutriderError

_ERROR_ICON = 0x10
"""MB_ICONERROR, with the one button OK."""


def show_start_failure(error: OutriderError) -> None:
    """Say what happened and what to do."""
    sys.stderr.write(f"{error.code}: {error.sentence}\n  {error.remedy}\n")
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 - its libraries are Windows's

        libraries: Any = ctypes
        show_box_without_console(error, libraries.WinDLL("user32"), libraries.WinDLL("kernel32"))


def show_box_without_console(error: OutriderError, user32: Any, kernel32: Any) -> None:
    """Where the console cannot be seen, if there is one; waits for the user."""
    console = kernel32.GetConsoleWindow()
    if not console or not user32.IsWindowVisible(console):
        user32.MessageBoxW(None, f"{error.sentence}\n\n{error.remedy}\n\n({error.code})", "Outrider", _ERROR_ICON)
