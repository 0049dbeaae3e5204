"""`python -m tests.platform.real_clipboard`: a text is put on this system's clipboard and read there by another program.

For a build server or a contributor with macOS or Windows: it replaces what is on the clipboard. On Linux, `tests/bridge` does that.
"""

import ctypes
import subprocess
import sys
from importlib import import_module
from typing import Any

from bridge import clipboard

TEXT = "José – Łukasz 🙂"  # noqa: RUF001 - that is the point
READERS = {
    "darwin": (["osascript", "-e", "the clipboard as «class utf8»"], "utf-8"),
    "win32": (
        ["powershell", "-NoProfile", "-Command", "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"],
        "utf-8",
    ),
}


def main() -> int:
    """The exit status: 0 if another program reads exactly what was copied."""
    if sys.platform == "darwin":
        copied = clipboard.copy_on_mac(TEXT, import_module("AppKit"))
    else:
        libraries: Any = ctypes
        copied = clipboard.copy_on_windows(TEXT, libraries.WinDLL("user32"), libraries.WinDLL("kernel32"))
    command, encoding = READERS[sys.platform]
    read = subprocess.run(command, capture_output=True, check=True).stdout.decode(encoding).removesuffix("\r\n")
    read = read.removesuffix("\n")
    sys.stdout.write(f"copied {copied!r}, another program reads {read!r}\n")
    return 0 if copied == read == TEXT else 1


if __name__ == "__main__":
    sys.exit(main())
