"""Child processes that answer line by line, and can be killed at any moment."""

import contextlib
import errno
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from backend.adapters.child_processes import (
    FOLDER_VARIABLES,
    LOCALE_VARIABLES,
    ProcessTree,
    inherited_environment,
    own_group,
)
from backend.ports.line_process import AnswerTimeoutError, ExcessAnswerError, ProcessEndedError

_PIECE = 1 << 16
_ROOT = Path(__file__).parents[2]
_POLL = 0.001
_PIPE_NOWAIT = 1


def _write_without_waiting(pipe: int) -> None:
    """A process that does not read must not block us. On Windows, Python has no such call before version 3.12."""
    if (set_blocking := getattr(os, "set_blocking", None)) is not None:
        set_blocking(pipe, False)
    elif sys.platform == "win32":
        _write_without_waiting_on_windows(pipe)


def _write_without_waiting_on_windows(pipe: int) -> None:
    if sys.platform != "win32":
        return
    import ctypes  # noqa: PLC0415 - its libraries are Windows's
    import msvcrt  # noqa: PLC0415

    mode = ctypes.c_uint32(_PIPE_NOWAIT)
    kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
    kernel32.SetNamedPipeHandleState.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    if not kernel32.SetNamedPipeHandleState(msvcrt.get_osfhandle(pipe), ctypes.byref(mode), None, None):
        raise ctypes.WinError(ctypes.get_last_error())


class OwnLineProcess:
    """One of Outrider's programs with its pipes, little of our environment, only our modules, answers of `most` bytes."""

    def __init__(self, command: Sequence[str], *, most: int) -> None:
        environment = inherited_environment((*FOLDER_VARIABLES, *LOCALE_VARIABLES))
        python_environment = {"PYTHONPATH": str(_ROOT), "PYTHONSAFEPATH": "1"}  # without the current folder
        self._process = subprocess.Popen(  # noqa: S603 - a program of ours
            list(command),
            env={**environment, **python_environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            **own_group(),
        )
        self._tree = ProcessTree(self._process)
        if self._process.stdin is None or self._process.stdout is None:
            raise ProcessEndedError
        self._in, self._out = self._process.stdin, self._process.stdout
        _write_without_waiting(self._in.fileno())
        self._most = most
        self._used: float | None = None

    def first_line(self, seconds: float) -> bytes:
        """The line that it writes before it is asked."""
        with self._ended_by_errors():
            return self._exchange(b"", seconds)

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Its answer to a line."""
        with self._ended_by_errors():
            if self._readable(0.0) and os.read(self._out.fileno(), 1):  # it wrote something without being asked
                raise ExcessAnswerError
            return self._exchange(line + b"\n", seconds)

    def finish(self, seconds: float) -> None:
        """Close its input and wait for its end; more output raises `ExcessAnswerError`."""
        with self._ended_by_errors():
            self._in.close()
            if self._readable(seconds) and os.read(self._out.fileno(), 1):
                raise ExcessAnswerError
        self.end()

    def end(self) -> None:
        """Kill it, with every process that it started."""
        if self._process.returncode is not None:
            return
        self._tree.kill()
        self._reap()
        self._in.close()
        self._out.close()

    @contextlib.contextmanager
    def _ended_by_errors(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.end()
            raise

    def _exchange(self, request: bytes, seconds: float) -> bytes:
        deadline, answer, left = time.monotonic() + seconds, bytearray(), memoryview(request)
        while not answer.endswith(b"\n"):
            if left:
                left = left[self._written(left) :]
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                self.end()
                raise AnswerTimeoutError(self._used)
            if self._readable(min(remaining, _POLL) if left else remaining):
                piece = os.read(self._out.fileno(), _PIECE)
                if not piece:
                    raise ProcessEndedError
                answer += piece
                if len(answer) > self._most or b"\n" in piece[:-1]:
                    raise ExcessAnswerError
        return bytes(answer[:-1])

    def _written(self, left: memoryview) -> int:
        try:
            return os.write(self._in.fileno(), left[:_PIECE])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(left)  # it has ended; its last output is still to be read
        except OSError as error:
            if sys.platform == "win32" and error.errno == errno.ENOSPC:  # Windows's error for a full pipe
                return 0
            raise

    def _readable(self, seconds: float) -> bool:
        if sys.platform != "win32":
            poll = select.poll()
            poll.register(self._out, select.POLLIN | select.POLLHUP)
            return bool(poll.poll(seconds * 1_000))
        import _winapi  # noqa: PLC0415 - Windows only: its pipes cannot be polled
        import msvcrt  # noqa: PLC0415

        deadline, handle = time.monotonic() + seconds, msvcrt.get_osfhandle(self._out.fileno())
        while True:
            try:
                if _winapi.PeekNamedPipe(handle, 0)[0]:
                    return True
            except OSError:
                return True  # closed: to be read as such
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL)

    def _reap(self) -> None:
        if sys.platform == "win32":
            self._process.wait()
            return
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._used = used.ru_utime + used.ru_stime
