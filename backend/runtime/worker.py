"""Background work: a supervised worker, and the group of all workers of one launch.

Nothing else in the backend creates a thread, but for the exceptions that `tests/repository/test_threads.py` names.
"""

import math
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from typing import Any

from backend.adapters.worker_status_file import WorkerStatusFile
from backend.domain.device.worker_state import WorkerError, WorkerState
from backend.domain.values.errors import OutriderError, as_told
from backend.ports.clock import Clock, Wake
from backend.ports.scheduler import Scheduler, StartedWork

FIRST, LONGEST = 1.0, 60.0
"""Seconds."""


class Backoff:
    """`chance` gives numbers from 0 to 1; `first` and `longest` (seconds) are the most that it waits by itself."""

    def __init__(
        self, chance: Callable[[], float], longest: float | None = None, *, first: float | None = None
    ) -> None:
        self._chance = chance
        self._first = FIRST if first is None else first
        self._longest = LONGEST if longest is None else longest
        self._failures = 0

    def next_delay(self, at_least: float = 0.0) -> float:
        """How many seconds to wait after one more failure in a row; `at_least` is what the other side asked for."""
        most = min(self._longest, self._first * 2.0 ** min(self._failures, 10))
        self._failures += 1
        return max(at_least, most * (0.5 + self._chance() / 2))

    def reset(self) -> None:
        """It went well: the next failure is the first one."""
        self._failures = 0


class _StartedThread:
    def __init__(self, thread: threading.Thread) -> None:
        self._thread = thread

    def join(self, seconds: float | None = None) -> bool:
        self._thread.join(seconds)
        return not self._thread.is_alive()


class ThreadScheduler:
    """Work runs in threads and waits in real time."""

    def start(self, name: str, work: Callable[[], None]) -> StartedWork:
        """A daemon: work that hangs must not keep the program from ending."""
        thread = threading.Thread(target=work, name=name, daemon=True)
        thread.start()
        return _StartedThread(thread)

    def wait(self, wake: Wake, seconds: float | None) -> bool:
        """Until it is set or the time is over."""
        return wake.wait(seconds)

    def lock(self) -> AbstractContextManager[Any]:
        """One thread at a time."""
        return threading.Lock()


THREADS = ThreadScheduler()
Round = Callable[[], float | None]
"""One round of work; in how many seconds the next one is due, None: not before a wake."""


class Worker:
    """Does its work round after round in the background, from `start` until `stop`.

    An error in a round is recorded, and the round is tried again, later after each failure; it never ends the worker.
    `last` is done once, after the last round.
    """

    def __init__(
        self,
        name: str,
        work: Round,
        clock: Clock,
        *,
        scheduler: Scheduler = THREADS,
        backoff: Backoff | None = None,
        last: Round | None = None,
        accepts: Callable[[], bool] = lambda: True,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        """`accepts` says whether it may still be started: False once the launch is closing.

        `on_change` is called, in any thread, when it does something else, fails, or goes well again; it must not raise.
        """
        self.name = name
        self.stopping = threading.Event()
        self._work = work
        self._clock = clock
        self._scheduler = scheduler
        self._backoff = backoff or Backoff(random.random)
        self._last = last
        self._accepts = accepts
        self._on_change = on_change
        self._doing, self._since = "", _wall(clock)
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._due: int | None = None  # on the clock that only counts
        self._started: StartedWork | None = None
        self._abandoned = False
        self._failing = False
        self._error: WorkerError | None = None

    def start(self, after: float | None = 0.0) -> None:
        """Have a round within so many seconds (None: not before a wake). Raises `closing` once nothing new may begin."""
        with self._lock:
            if self.stopping.is_set() or not self._accepts():
                raise OutriderError("closing")
            if after is not None:
                self._set_due(after)
            if self._started is None:
                self._started = self._scheduler.start(self.name, self._run)
        self._wake.set()

    def wake(self, after: float = 0.0) -> None:
        """Have a round within so many seconds; nothing before `start` and after `stop`."""
        with self._lock:
            if self._started is None or self.stopping.is_set():
                return
            self._set_due(after)
        self._wake.set()

    def stop(self) -> None:
        """No round begins any more. Does not wait."""
        with self._lock:
            self.stopping.set()
        self._wake.set()

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the round in flight, at most so long; whether the worker has ended, or never began."""
        ended = self._started is None or self._started.join(seconds)
        self._abandoned = not ended
        return ended

    def state(self) -> WorkerState:
        """At this moment."""
        with self._lock:
            due = self._due if self._failing else None
        next_try = None if due is None else _wall(self._clock) + (due - self._clock.ticks()) // 1_000
        return WorkerState(self.name, self._doing, self._since, self._failing, self._error, next_try)

    @property
    def doing(self) -> str:
        """What the round in flight is about, said by the work itself; "" between two rounds."""
        return self._doing

    @doing.setter
    def doing(self, what: str) -> None:
        if what != self._doing:
            self._doing, self._since = what, _wall(self._clock)
            self._on_change()

    def run_round(self) -> None:
        """One round, whatever comes of it; then it is known when the next one is due."""
        with self._lock:
            self._due = None
        pause = self._guarded(self._work)
        if pause is not None:
            with self._lock:
                self._set_due(pause)

    def _run(self) -> None:
        while self._await_round():
            self.run_round()
        if self._last is not None:
            self._guarded(self._last)

    def _await_round(self) -> bool:
        """Until a round is due; False if there is none any more."""
        while True:
            self._wake.clear()  # before one looks: what comes later ends the wait
            if self.stopping.is_set():
                return False
            with self._lock:
                due = self._due
            seconds = None if due is None else (due - self._clock.ticks()) / 1e6
            if seconds is not None and seconds <= 0:
                return True
            if not self._scheduler.wait(self._wake, seconds):
                return not self.stopping.is_set()

    def _guarded(self, work: Round) -> float | None:
        try:
            done = work()
        except Exception as error:  # noqa: BLE001 - the last resort of all background work: shown, and tried again
            return self._record(error)
        finally:
            self.doing = ""
        self._backoff.reset()
        if self._failing:
            self._failing = False
            self._on_change()
        return done

    def _record(self, error: Exception) -> float:
        coded = as_told(error)
        times, now = (self._error.times + 1 if self._error else 1), _wall(self._clock)
        since = self._error.since if self._error and self._failing else now
        self._error = WorkerError(coded.code, coded.sentence, at=now, since=since, times=times)
        self._failing = True
        self._on_change()
        # Not swallowed: the interpreter's hook prints a defect. Where nobody waited for it, what it used is closed.
        if coded.code == "internal_error" and not self._abandoned:
            threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, None)))
        return self._backoff.next_delay()

    def _set_due(self, after: float) -> None:
        due = self._clock.ticks() + math.ceil(after * 1e6)  # rounded up: a pause is never none
        self._due = due if self._due is None else min(due, self._due)


def _wall(clock: Clock) -> int:
    """Ms UTC as the machine has it: no rehearsal's time, and a wrong clock must not end a worker."""
    return clock.real_time().wall


class Workers:
    """All workers of one launch: made here, shown together, and ended together."""

    def __init__(
        self,
        clock: Clock,
        *,
        scheduler: Scheduler = THREADS,
        chance: Callable[[], float] = random.random,
        first_pause: float | None = None,
        longest_pause: float | None = None,
    ) -> None:
        """`first_pause` and `longest_pause`: the most seconds after a first failure, and after many in a row."""
        self.scheduler = scheduler
        self._first_pause, self._longest_pause = first_pause, longest_pause
        self.on_change: Callable[[], None] = lambda: None
        self._clock = clock
        self._chance = chance
        self._lock = threading.Lock()
        self._workers: tuple[Worker, ...] = ()
        self._accepting = True

    def add(
        self,
        name: str,
        work: Round,
        *,
        longest_pause: float | None = None,
        last: Round | None = None,
    ) -> Worker:
        """A worker that is not started yet; `longest_pause` is the most seconds between two failures in a row."""
        worker = Worker(
            name,
            work,
            self._clock,
            scheduler=self.scheduler,
            backoff=self.backoff(self._chance, longest_pause),
            last=last,
            accepts=lambda: self._accepting,
            on_change=self._changed,
        )
        with self._lock:
            self._workers = (*self._workers, worker)
        return worker

    def backoff(self, chance: Callable[[], float], longest: float | None = None) -> Backoff:
        """The pauses of this launch; `longest` is this worker's own."""
        return Backoff(chance, self._longest_pause if longest is None else longest, first=self._first_pause)

    def _changed(self) -> None:
        self.on_change()

    def remove(self, worker: Worker) -> None:
        """A worker that has been stopped for good is not shown any more."""
        with self._lock:
            self._workers = tuple(other for other in self._workers if other is not worker)

    def states(self) -> list[WorkerState]:
        """What each of them does, in the order in which they were made."""
        return [worker.state() for worker in self._workers]

    def stop_accepting(self) -> None:
        """From now on every `start` raises `closing`; what has begun goes on."""
        self._accepting = False

    def close(self, seconds: float) -> None:
        """Stop whatever is left, and wait so long for each; nothing can begin afterwards."""
        self.stop_accepting()
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.join(seconds)


DELAY_SECONDS = 1.0
"""What changes within so long is written once."""


@contextmanager
def published_worker_status(workers: Workers, file: WorkerStatusFile, is_ours: Callable[[], bool]) -> Iterator[None]:
    """Write the file now and after each change, by a worker; remove it on leaving, if the folder is still this launch's."""

    def write() -> None:
        if is_ours():
            file.write(workers.states())

    worker = workers.add("worker status", write)
    worker.start()
    workers.on_change = partial(worker.wake, DELAY_SECONDS)
    try:
        yield
    finally:
        worker.stop()
        worker.join(DELAY_SECONDS)
        with suppress(OSError):
            if is_ours():
                file.remove()
