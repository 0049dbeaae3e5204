"""What only POSIX has, typed on every system, for the tests that are marked `posix`.

A test without the mark fails as soon as it calls something of this module, by whatever way, on every system.
"""

import math
import os
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

with suppress(ImportError):
    import fcntl
    import pty
    import resource
    import termios

unmarked: list[str] = []
"""The test that runs, if it is not marked `posix`; `tests/posix_mark.py` knows."""

if sys.platform == "win32":

    def needed() -> NoReturn:
        """What follows is not for Windows, and no type checker looks at it as Windows."""
        raise AssertionError("needs POSIX")

else:

    def needed() -> None:
        """What follows is not for Windows, and no type checker looks at it as Windows."""
        assert not unmarked, f"needs POSIX: {unmarked[0]} has to be marked `posix`"


# --- processes ---


def stop(pid: int) -> None:
    """Until `go_on` it does nothing at all."""
    needed()
    os.kill(pid, signal.SIGSTOP)


def go_on(pid: int) -> None:
    """What was stopped goes on where it was."""
    needed()
    os.kill(pid, signal.SIGCONT)


def is_root() -> bool:
    """Whether modes of files mean nothing to us."""
    needed()
    return os.geteuid() == 0


def read_zone_again() -> None:
    """Have this process live in the zone of `TZ` from now on."""
    needed()
    time.tzset()


def longest_file() -> float:
    """So many bytes a process may write into one."""
    needed()
    most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    return math.inf if most == resource.RLIM_INFINITY else most


# --- terminals ---


def open_terminal(lines: int, columns: int) -> tuple[int, int]:
    """A pseudo-terminal's own end, and the program's."""
    needed()
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    return ours, theirs


def fork_into_terminal() -> tuple[int, int]:
    """As `pty.fork`; the child hears a hang-up also where the tests themselves were begun with nohup."""
    needed()
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    return pid, terminal


# --- files ---


def make_pipe(path: Path) -> Path:
    """A named pipe; whoever opens it waits for somebody at its other end."""
    needed()
    os.mkfifo(path)
    return path


def file_socket() -> socket.socket:
    """A socket whose address is a file's path."""
    needed()
    return socket.socket(socket.AF_UNIX)
