"""Programs that we start: apart from the terminal's Ctrl-C, with what they need of each system, ended with their children."""

import contextlib
import ctypes
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER_VARIABLES = ("TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "WINDIR")
"""Where a program finds the system and puts temporary files, as each system calls it; without the last two Windows starts few."""
SEARCH_VARIABLES = ("PATH", "PATHEXT", "COMSPEC", "HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")
"""Where it finds other programs, and its user's own files."""
LOCALE_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE")


def inherited_environment(names: tuple[str, ...]) -> dict[str, str]:
    """Those variables of our own environment that are set."""
    return {name: os.environ[name] for name in names if name in os.environ}


def own_group(system: str = sys.platform, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Options of `subprocess` with which Ctrl-C in our terminal does not reach the program: it is ours to answer.

    Windows ignores a new session and needs flags of its own, beside those in `options`. There a program for the terminal that is
    started from the window would also open a console of its own, and closing that would end it.
    """
    if system != "win32":
        return {"start_new_session": True}
    return {"creationflags": (options or {}).get("creationflags", 0) | _NEW_PROCESS_GROUP | _NO_CONSOLE_WINDOW}


_NEW_PROCESS_GROUP = 0x0000_0200
_NO_CONSOLE_WINDOW = 0x0800_0000
_KILL_ON_JOB_CLOSE = 0x2000
_EXTENDED_LIMITS = 9
_LIMITS = "@qqINNINIIQQQQQQNNNN"  # JOBOBJECT_EXTENDED_LIMIT_INFORMATION; its flags are the third
_MAY_JOIN_JOB = 0x0100 | 0x0001  # PROCESS_SET_QUOTA, PROCESS_TERMINATE
_MAY_BE_AWAITED = 0x0010_0000  # SYNCHRONIZE
_STILL_RUNS = 0x102  # WAIT_TIMEOUT


class ProcessTree:
    """A process that was just started in its own group, with whatever it starts: ended together."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._job = job_here(process.pid)

    def kill(self) -> None:
        """End all of it without waiting; one that has ended already is no error."""
        if sys.platform == "win32":
            if self._job is not None:
                self._job.end()
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


class Job:
    """Windows's set of processes: whatever one of them starts is in it, also when that one has ended."""

    def __init__(self, kernel32: Any, handle: int) -> None:
        self._kernel32, self._handle = kernel32, handle

    def end(self) -> None:
        """End all of them; a second call does nothing."""
        handle, self._handle = self._handle, 0
        if handle:
            self._kernel32.TerminateJobObject(ctypes.c_void_p(handle), 1)
            self._kernel32.CloseHandle(ctypes.c_void_p(handle))


def job_here(pid: int) -> Job | None:
    """`job_of` on Windows, None elsewhere."""
    if sys.platform == "win32":
        return job_of(pid, ctypes.WinDLL("kernel32"))
    return None


def job_of(pid: int, kernel32: Any) -> Job | None:
    """A job with that process in it, which ends with us, too; None if the system does not let it into one.

    What the process starts before it is in the job stays out, so this comes right after its start.
    """
    for function in (kernel32.CreateJobObjectW, kernel32.OpenProcess):
        function.restype = ctypes.c_void_p
    handle = kernel32.CreateJobObjectW(None, None)
    if not handle:
        return None
    job, joined = Job(kernel32, handle), False
    limits = struct.pack(_LIMITS, 0, 0, _KILL_ON_JOB_CLOSE, *[0] * 16)
    if process := kernel32.OpenProcess(_MAY_JOIN_JOB, 0, pid):
        joined = bool(
            kernel32.SetInformationJobObject(ctypes.c_void_p(handle), _EXTENDED_LIMITS, limits, len(limits))
            and kernel32.AssignProcessToJobObject(ctypes.c_void_p(handle), ctypes.c_void_p(process))
        )
        kernel32.CloseHandle(ctypes.c_void_p(process))
    if joined:
        return job
    job.end()
    return None


def is_running(pid: int) -> bool:
    """Whether that process has not ended. On Windows it is sent nothing: every signal there ends it, or is a Ctrl-C."""
    if sys.platform == "win32":
        return runs_on_windows(pid, ctypes.WinDLL("kernel32"))
    try:
        if Path("/proc/self").exists():
            # A zombie holds nothing any more.
            return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] != "Z"
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def runs_on_windows(pid: int, kernel32: Any) -> bool:
    """Asked of the process itself, without waiting."""
    kernel32.OpenProcess.restype = ctypes.c_void_p
    handle = kernel32.OpenProcess(_MAY_BE_AWAITED, 0, pid)
    if not handle:
        return False
    try:
        return bool(kernel32.WaitForSingleObject(ctypes.c_void_p(handle), 0) == _STILL_RUNS)
    finally:
        kernel32.CloseHandle(ctypes.c_void_p(handle))
