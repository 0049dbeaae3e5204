"""One thread, one clock and one seed: whatever works in the background is a task here, and the seed says which goes on."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from greenlet import GreenletExit, getcurrent, greenlet  # type: ignore[import-untyped]

MOST_SWITCHES_AT_ONCE = 20_000
"""More without any time passing is a loop that never waits."""

MOST_SWITCHES_AN_HOUR = 50_000
"""More is a loop that waits for nothing but what it calls; a busy hour has one or two thousand."""

HOUR = 3_600_000_000
"""In microseconds, as all of the scheduler's time."""


class Wake(Protocol):
    """What a task may wait for; `threading.Event` is one."""

    def is_set(self) -> bool: ...


class Frozen(Protocol):
    """Whoever owns tasks; while it is frozen none of them goes on."""

    frozen: bool


class StoppedError(Exception):
    """A loop that never waits."""


class Task:
    """Something that works in the background, and what it waits for."""

    def __init__(self, hub: "Hub", name: str, owner: Frozen | None, work: Callable[[], None]) -> None:
        self.name = name
        self.owner = owner
        self.is_woken: Callable[[], bool] | None = None
        """Of what it waits for."""
        self.due: int | None = hub.now
        self.done = False
        self.abandoned = False
        self.error: BaseException | None = None
        self._hub = hub
        self._greenlet = greenlet(self._run, hub.main)  # where it ends, whoever began it
        self._work = work

    def _run(self) -> None:
        try:
            self._work()
        except GreenletExit:
            pass
        except BaseException as error:  # noqa: BLE001 - handed to whoever runs the hub
            self.error = error
        self.done = True

    def is_set(self) -> bool:
        """Whether it has ended, for whoever waits for that."""
        return self.done

    def join(self, seconds: float | None = None) -> bool:
        """As a thread's, but for the answer: whether it has ended."""
        return self._hub.wait(self, seconds)

    def switch(self) -> None:
        """Let it go on until it waits again."""
        self._greenlet.switch()

    def end(self) -> None:
        """Throw it away; what its `finally` blocks still do must not matter."""
        if self._greenlet and not self._greenlet.dead:
            self._greenlet.throw(GreenletExit)


class Hub:
    """Time stands still but where every task waits. `now` is true time since the start, in µs."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.now = 0
        self.tasks: list[Task] = []
        self.switches = 0
        self._abandoned: list[Task] = []
        self._current: Task | None = None
        self.main = getcurrent()

    # --- what production code asks of its scheduler ---

    def start(self, name: str, work: Callable[[], None], owner: Frozen | None = None) -> Task:
        """Begin it beside whatever runs."""
        task = Task(self, name, owner, work)
        self.tasks.append(task)
        return task

    def wait(self, wake: Wake | None, seconds: float | None) -> bool:
        """Until it is set or the time is over; whether it is set. At once for whoever is no task."""
        task = self._current
        if task is None:
            return wake is not None and wake.is_set()
        is_set = task.is_woken = None if wake is None else wake.is_set
        task.due = None if seconds is None else self.now + max(0, round(seconds * 1e6))
        self.main.switch()
        task.is_woken, task.due = None, None
        return is_set is not None and is_set()

    def lock(self) -> "Lock":
        """A lock that may be held while its holder waits for something else."""
        return Lock(self)

    # --- what the world asks ---

    def pause(self, seconds: float) -> None:
        """Let time pass for the task that is running."""
        self.wait(None, seconds)

    @property
    def current(self) -> Task | None:
        """The task that is running."""
        return self._current

    def abandon(self, owner: Frozen) -> None:
        """The process of all these tasks is gone: none of them ever goes on. May be called from one of them."""
        for task in self.tasks:
            if task.owner is owner:
                task.abandoned = True
                self._abandoned.append(task)
        self.tasks = [task for task in self.tasks if not task.abandoned]

    def slept(self, owner: Frozen, microseconds: int) -> None:
        """Its counting clock stood still: what it waits for is as far away as it was."""
        for task in self.tasks:
            if task.owner is owner and task.due is not None:
                task.due += microseconds

    def run(self, until: Callable[[], bool], deadline: int) -> bool:
        """Go on until that is so or the time is over; whether it is so. Raises what a task raised.

        It is asked before time goes on.
        """
        at_once, this_hour, hour_ends = 0, 0, self.now + HOUR
        while True:
            now, ready, first = self.now, [], None
            for task in self.tasks:
                if task.owner is not None and task.owner.frozen:
                    continue
                due, is_woken = task.due, task.is_woken
                if (due is not None and due <= now) or (is_woken is not None and is_woken()):
                    ready.append(task)
                elif due is not None and (first is None or due < first):
                    first = due
            if not ready:
                if until():
                    return True
                if first is None or first > deadline:
                    self.now = max(now, deadline)
                    return until()
                self.now, at_once = first, 0
                continue
            if now >= hour_ends:
                this_hour, hour_ends = 0, now + HOUR
            at_once, this_hour = at_once + 1, this_hour + 1
            if at_once > MOST_SWITCHES_AT_ONCE or this_hour > MOST_SWITCHES_AN_HOUR:
                raise StoppedError(f"{ready[0].name} never waits")
            self._go_on(self.chance.choice(ready) if len(ready) > 1 else ready[0])

    def _go_on(self, task: Task) -> None:
        self.switches += 1
        self._current = task
        try:
            task.switch()
        finally:
            self._current = None
        if task.done:
            self.tasks = [other for other in self.tasks if other is not task]
            if task.error is not None:
                raise task.error

    def close(self) -> None:
        """End whatever is left, in the order in which it began."""
        for task in (*self._abandoned, *self.tasks):
            task.end()
        self.tasks = []


class Lock:
    """One task at a time; the others wait."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._holder: Task | None = None

    def is_set(self) -> bool:
        """Whether it is free."""
        return self._holder is None or self._holder.abandoned

    def __enter__(self) -> None:
        while not self.is_set():
            self._hub.wait(self, None)
        self._holder = self._hub.current

    def __exit__(self, *_: object) -> None:
        self._holder = None


class TurnQueue:
    """As `backend.turn.turn_queue`, for tasks."""

    def __init__(self, hub: Hub) -> None:
        self._lock = Lock(hub)
        self.waiting = 0

    @contextmanager
    def turn(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """One at a time; the order is the seed's."""
        self.waiting += 1
        try:
            with self._lock:
                yield
        finally:
            self.waiting -= 1
