"""The process in which SQL of somebody else's is asked, from outside: killed when its time is over, or at a word."""

import math
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from backend.adapters.child_processes import own_group
from backend.machine import frames
from backend.ports.line_process import AnswerTimeoutError, ProcessEndedError
from backend.ports.scheduler import Scheduler

_CODE = Path(__file__).parents[3]


def _never() -> bool:
    return False


class OwnQuestionProcess:
    """The `QuestionProcess` that `command` starts, in `environment` and no other; it is there when the first question comes."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], scheduler: Scheduler) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            list(command),
            cwd=_CODE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            close_fds=True,
            **own_group(),
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise TypeError("the process was started with pipes")
        self._in, self._out = self._process.stdin, self._process.stdout
        self._until, self._stopped, self._is_late = math.inf, _never, False
        self._over = threading.Event()
        self._watching = scheduler.start("questions", self._watch)

    def ask(
        self, kind: bytes, *parts: bytes, seconds: float, stopped: Callable[[], bool] = _never
    ) -> tuple[bytes, bytes]:
        """As `QuestionProcess.ask`."""
        frame = None
        self._until, self._stopped = time.monotonic() + seconds, stopped
        try:
            with suppress(OSError, ValueError, OverflowError, frames.FrameError):
                frames.write_frame(self._in, kind, *parts)
                frame = frames.read_frame(self._out)
        except BaseException:
            self.end()
            raise
        self._until, self._stopped = math.inf, _never
        if frame is None or self._is_late:
            self.end()
            raise AnswerTimeoutError(None) if self._is_late else ProcessEndedError
        return frame.kind, frame.raw

    def stop(self) -> None:
        """As `QuestionProcess.stop`."""
        self._process.kill()

    def end(self) -> None:
        """As `QuestionProcess.end`."""
        self._over.set()
        self._process.kill()
        self._process.wait()
        for pipe in (self._in, self._out):
            with suppress(OSError):
                pipe.close()
        self._watching.join()

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            self._is_late = time.monotonic() > self._until
            if self._is_late or self._stopped():
                self._process.kill()
                return
