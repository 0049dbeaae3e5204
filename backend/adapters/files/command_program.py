"""The process around a command that the user approved: `python -m backend.adapters.files.command_program`.

It starts the command that its first line of input names, says in one line what came of it, and ends whatever the command
started before it ends itself. Closing its input ends all of it at once, and so does the end of whoever started it.

- Linux: what the command leaves behind becomes this process's own child, in whatever session or group it hid, and is killed
  until there is none.
- macOS knows no such thing: the command's group is killed, and whatever still descends from it then. What both left its group
  and outlived its parent goes on.
- Windows: all of it is in this process's job, which whoever started this process ends (`ProcessTree`).
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from backend.adapters.child_processes import (
    FOLDER_VARIABLES,
    LOCALE_VARIABLES,
    SEARCH_VARIABLES,
    inherited_environment,
    own_group,
)

INHERITED_VARIABLES = (*SEARCH_VARIABLES, *FOLDER_VARIABLES, *LOCALE_VARIABLES)
"""What a command is told of our environment: no keys, and nothing that would load other code into it."""

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_POLL_SECONDS = 0.02


def main() -> None:
    """One command."""
    if sys.platform == "linux":  # nobody writes into our pipes through /proc
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    try:
        answer = _outcome(**json.loads(sys.stdin.buffer.readline()))
    except (OSError, ValueError) as error:
        answer = {"error": getattr(error, "strerror", None) or str(error)}
    with contextlib.suppress(OSError):  # whoever asked may be gone
        sys.stdout.write(json.dumps(answer))
        sys.stdout.flush()


def _outcome(argv: list[str], folder: str, seconds: float) -> dict[str, Any]:
    """Its `status`, None if it took longer."""
    process = subprocess.Popen(  # noqa: S603 - the user approved exactly this command on this device
        argv,
        cwd=folder,
        env=inherited_environment(INHERITED_VARIABLES),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **own_group(),
    )
    deadline = time.monotonic() + seconds
    while (status := process.poll()) is None and time.monotonic() < deadline and not _is_input_closed():
        pass
    _end(process)
    return {"status": status}


def _is_input_closed() -> bool:
    """Looked at for a moment; nothing comes after the first line. Windows ends the job instead."""
    if sys.platform == "win32":
        time.sleep(_POLL_SECONDS)
        return False
    return bool(select.select([0], [], [], _POLL_SECONDS)[0])


def _end(process: "subprocess.Popen[bytes]") -> None:
    if sys.platform == "win32":
        process.kill()
        return
    descendants = [] if sys.platform == "linux" else list(below(_process_table(), process.pid))
    _kill(descendants)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if sys.platform == "linux":
        _end_children()


def _end_children() -> None:
    """All of them, and what becomes ours as they end."""
    with contextlib.suppress(ChildProcessError):
        while True:
            _kill(_children())
            os.waitpid(-1, 0)


def _children() -> list[int]:
    """The processes whose parent we are. The short list is not in every kernel."""
    short = Path(f"/proc/self/task/{os.getpid()}/children")
    if short.exists():
        return [int(pid) for pid in short.read_text("ascii").split()]
    return [pid for pid, parent in _stats() if parent == os.getpid()]


def _stats() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            yield int(folder.name), int((folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])


def _process_table() -> list[tuple[int, int]]:
    """(process, parent) of every process, by the program that each POSIX system has; empty if that does not answer."""
    with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
        listing: bytes = subprocess.run(
            ["/bin/ps", "-Ao", "pid=,ppid="], capture_output=True, check=True, timeout=5, **own_group()
        ).stdout
        return [(int(pid), int(parent)) for pid, parent in (line.split() for line in listing.splitlines())]
    return []


def below(table: Iterable[tuple[int, int]], pid: int) -> Iterator[int]:
    """Every process that descends from that one, by a table of processes and their parents."""
    children: dict[int, list[int]] = {}
    for child, parent in table:
        children.setdefault(parent, []).append(child)
    waiting = [pid]
    while waiting:
        for child in children.pop(waiting.pop(), ()):
            yield child
            waiting.append(child)


def _kill(pids: Iterable[int]) -> None:
    if sys.platform == "win32":  # where the job is ended as a whole
        return
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
