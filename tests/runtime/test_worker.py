"""A worker: one round after the other, an error is shown and tried again, and after `stop` nothing begins."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

import pytest

from backend.adapters.clocks import SystemClock
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Wake
from backend.ports.scheduler import StartedWork
from backend.runtime.worker import Worker, Workers
from tests.fakes.clock import FakeClock
from tests.patience import PATIENCE

FAILURES = [OutriderError("database_locked", path="x"), OSError("disk"), ZeroDivisionError()]
CODES = ["database_locked", "internal_error", "internal_error"]


@dataclass
class Begun:
    """Work that a test does when it likes."""

    name: str
    work: Callable[[], None]

    def join(self, seconds: float | None = None) -> bool:
        return True


@dataclass
class OneThread:
    """A scheduler without threads: time passes while a worker waits, and `ends` after so many waits."""

    clock: FakeClock
    waits: list[float | None] = field(default_factory=list)
    begun: list[Begun] = field(default_factory=list)
    on_wait: Callable[[int], bool] = lambda _: False

    def start(self, name: str, work: Callable[[], None]) -> StartedWork:
        self.begun.append(Begun(name, work))
        return self.begun[-1]

    def wait(self, wake: Wake, seconds: float | None) -> bool:
        self.waits.append(seconds)
        if self.on_wait(len(self.waits)):
            return True
        assert seconds is not None, "it would wait for ever"
        self.clock.advance(round(seconds * 1_000))
        return False

    def lock(self) -> AbstractContextManager[None]:
        return nullcontext()


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is printed in the terminal."""
    heard: list[object] = []
    monkeypatch.setattr("threading.excepthook", heard.append)
    return heard


def test_one_thread_drives_a_worker_by_the_clock_alone() -> None:
    clock = FakeClock()
    scheduler, at = OneThread(clock), []
    begun = clock.now()

    def work() -> float:
        at.append(clock.now() - begun)
        if len(at) == 4:
            worker.stop()
        return 15.0

    worker = Workers(clock, scheduler=scheduler).add("lease", work)
    worker.start(after=2.0)
    scheduler.begun[0].work()
    assert (at, scheduler.waits) == ([2_000, 17_000, 32_000, 47_000], [2.0, 15.0, 15.0, 15.0])


@pytest.mark.parametrize(("failure", "code"), list(zip(FAILURES, CODES, strict=True)), ids=["coded", "os", "defect"])
def test_an_error_is_shown_tried_again_later_each_time_and_never_ends_it(
    failure: Exception, code: str, printed: list[object]
) -> None:
    clock, outcomes = FakeClock(), [failure, failure, None, failure]
    scheduler = OneThread(clock)
    states = []

    def work() -> float:
        states.append(worker.state())
        if not outcomes:
            worker.stop()
            return 0.0
        outcome = outcomes.pop(0)
        if outcome is not None:
            raise outcome
        return 7.0

    worker = Workers(clock, scheduler=scheduler, chance=lambda: 1.0).add("x", work)
    worker.start()
    scheduler.begun[0].work()
    assert scheduler.waits == [1.0, 2.0, 7.0, 1.0]
    assert [state.failing for state in states] == [False, True, True, False, True]
    errors = [state.error for state in states]
    assert [error and (error.code, error.times) for error in errors] == [
        None, (code, 1), (code, 2), (code, 2), (code, 3)
    ]  # fmt: skip
    assert errors[1] is not None
    assert errors[1].at == clock.now() - 11_000
    assert len(printed) == (0 if code == "database_locked" else 3)


def test_a_wake_in_the_middle_of_a_round_is_not_lost() -> None:
    rounds, woken = [], threading.Event()

    def work() -> None:
        rounds.append(1)
        if len(rounds) == 1:
            worker.wake()
        else:
            woken.set()

    worker = Worker("x", work, SystemClock())
    worker.start()
    assert woken.wait(PATIENCE)
    worker.stop()
    assert worker.join(PATIENCE)


def test_a_wake_ends_a_pause_and_a_later_one_does_not_put_it_off() -> None:
    clock = FakeClock()
    scheduler, at = OneThread(clock), []
    begun = clock.now()

    def work() -> float | None:
        at.append(clock.now() - begun)
        if len(at) == 4:
            worker.stop()
        return 60.0

    def on_wait(number: int) -> bool:
        if number == 2:
            worker.wake()
        if number in (2, 3):
            worker.wake(after=5.0)
        return number in (2, 3)

    worker = Workers(clock, scheduler=scheduler).add("x", work)
    scheduler.on_wait = on_wait
    worker.start(after=1.0)
    scheduler.begun[0].work()
    assert at == [1_000, 1_000, 6_000, 66_000]


def test_what_is_stopped_does_its_last_work_once_and_begins_nothing() -> None:
    rounds, last = [], []
    worker = Worker("x", lambda: rounds.append(1), SystemClock(), last=lambda: last.append(1))
    worker.start(after=3_600.0)
    worker.stop()
    assert worker.join(PATIENCE)
    assert (rounds, last) == ([], [1])
    worker.wake()
    with pytest.raises(OutriderError, match="closing"):
        worker.start()


def test_a_wake_before_the_start_starts_nothing() -> None:
    scheduler = OneThread(FakeClock())
    worker = Workers(scheduler.clock, scheduler=scheduler).add("x", lambda: None)
    worker.wake()
    assert scheduler.begun == []
    assert worker.join()


def test_an_error_in_the_last_work_is_shown() -> None:
    def fail() -> None:
        raise OutriderError("database_locked", path="x")

    worker = Worker("x", lambda: None, SystemClock(), last=fail)
    worker.start()
    worker.stop()
    assert worker.join(PATIENCE)
    error = worker.state().error
    assert error is not None
    assert error.code == "database_locked"


def test_a_group_that_closes_starts_nothing_but_what_runs_may_be_woken() -> None:
    workers, rounds, again = Workers(SystemClock()), [], threading.Event()

    def work() -> None:
        rounds.append(1)
        if len(rounds) > 1:
            again.set()

    running, idle = workers.add("running", work), workers.add("idle", lambda: None)
    running.start()
    workers.stop_accepting()
    for worker in (running, idle):
        with pytest.raises(OutriderError, match="closing"):
            worker.start()
    while not rounds:
        pass
    running.wake()
    assert again.wait(PATIENCE)
    workers.close(30.0)
    count = len(rounds)
    running.wake()
    assert (running.join(0.0), len(rounds)) == (True, count)
    assert [state.name for state in workers.states()] == ["running", "idle"]


def test_what_nobody_waited_for_is_not_printed(printed: list[object]) -> None:
    begun, hold = threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        hold.wait(PATIENCE)
        raise ZeroDivisionError  # as anything would whose database is closed

    worker = Worker("x", work, SystemClock())
    worker.start()
    assert begun.wait(PATIENCE)
    worker.stop()
    assert not worker.join(0.0)
    hold.set()
    for _ in range(300):
        if worker.state().error:
            break
        threading.Event().wait(0.1)
    assert worker.state().error is not None
    assert printed == []
