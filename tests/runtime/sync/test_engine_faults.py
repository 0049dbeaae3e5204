"""No error ends the engine: not while both stores are brought into step, and not while the lease is kept."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from backend.adapters.clocks import SystemClock
from backend.domain.errors import OutriderError
from backend.domain.worker_state import WorkerState
from backend.runtime.sync.lease import LeaseTimes
from backend.store.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject
from tests.runtime.sync.conftest import Machine

FAILURES: dict[str, Callable[[], Exception]] = {
    "database_locked": lambda: OutriderError("database_locked", path="x"),
    "os": lambda: OSError("disk"),
    "defect": ZeroDivisionError,
}


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """A device that lives by the real clock, and waits for little."""
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    clock = SystemClock()
    (tmp_path / "Quick").mkdir()
    project = FakeProject(lambda: clock.ticks() / 1e6)
    folder, often = tmp_path / "Quick", LeaseTimes(renew=0.01)
    made = Machine(folder, "Quick", project, cast(FakeClock, clock), often, first_pause=0.01)
    yield made
    made.engine.close(20.0)
    made.close()


def until(so: Callable[[], bool]) -> None:
    for _ in range(3_000):
        if so():
            return
        threading.Event().wait(0.02)
    raise AssertionError("it never was so")


def state(machine: Machine, worker: str) -> WorkerState:
    return next(one for one in machine.engine._workers.states() if one.name == worker)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("call", ["read", "write"])
def test_what_breaks_while_both_stores_come_into_step_is_tried_again(
    quick: Machine, monkeypatch: pytest.MonkeyPatch, failure: str, call: str
) -> None:
    original = getattr(Database, call)
    broken: list[int] = []

    def breaks(database: Database) -> Any:
        # Every second call: what shows the failure breaks, too, now and then.
        if threading.current_thread().name == "sync" and len(broken) < 10:
            broken.append(len(broken) % 2)
            if broken[-1] == 0:
                raise FAILURES[failure]()
        return original(database)

    quick.campaign()
    monkeypatch.setattr(Database, call, breaks)
    quick.engine.open()
    until(lambda: quick.waiting() == 0 and quick.engine.state().phase == "in_sync")
    assert broken


@pytest.mark.parametrize("failure", FAILURES)
def test_what_breaks_while_the_lease_is_kept_is_tried_again(
    quick: Machine, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    renewed: list[int] = []
    renew = quick.engine.renew

    def breaks() -> None:
        renewed.append(1)
        if len(renewed) < 4:
            raise FAILURES[failure]()
        renew()

    monkeypatch.setattr(quick.engine, "renew", breaks)
    quick.engine.open()
    with quick.engine.hold_lease():
        until(lambda: len(renewed) > 5)
        error = state(quick, "lease").error
        assert error is not None
        assert (error.times, state(quick, "lease").failing) == (3, False)
