"""The terminal's keyboard while a campaign runs: what is typed is not echoed into the picture, and answers nothing."""

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def echo_disabled() -> Iterator[None]:
    """Keys leave no mark on the screen; Ctrl-C still arrives. Without a terminal of ours, nothing happens."""
    if sys.platform == "win32" or not _ours():
        yield
        return
    import termios  # noqa: PLC0415 - POSIX only

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    quiet = termios.tcgetattr(number)
    quiet[3] &= ~(termios.ECHO | termios.ECHOCTL)
    try:
        termios.tcsetattr(number, termios.TCSADRAIN, quiet)
        yield
    finally:
        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(number, termios.TCSADRAIN, before)


def discard_typed_input() -> None:
    """A key pressed before a text was shown must not approve it."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - Windows only

        while sys.stdin.isatty() and msvcrt.kbhit():
            msvcrt.getwch()
    elif _ours():
        import termios  # noqa: PLC0415 - POSIX only

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def _ours() -> bool:
    """Whether stdin is a terminal and we are in its foreground; from the background, touching it would stop us."""
    if sys.platform == "win32":
        return False
    try:
        return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except OSError:
        return False
