"""No error ends the engine: not while both stores are brought into step, and not while the lease is kept."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from backend.adapters.clocks import SystemClock
from backend.domain.device.worker_state import WorkerState
from backend.domain.events.events import Event
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import Appended, Batch
from backend.runtime.sync.lease import LeaseTimes
from backend.store.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject
from tests.runtime.sync.conftest import CAMPAIGN, Machine

LATER = "camp-2"
"""After the other in the order in which streams come into step."""
LEAD = {"full_name": "Ada", "profile_url": "", "member_key": "k", "position": 1, "import_id": ""}
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
    return next(worker_state for worker_state in machine.engine._workers.states() if worker_state.name == worker)


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
    until(lambda: quick.waiting() == 0 and quick.engine.report.state().phase == "in_sync")
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


def test_what_takes_the_shared_store_too_long_goes_in_smaller_parts(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    """Whole, and at all: an erasure of a whole campaign is one transaction, and takes long (issue 33, C3)."""
    desk.campaign()
    desk.engine.run_round()
    desk.record(CAMPAIGN, *(Event("LeadImported", f"lead-{n}", {**LEAD, "member_key": f"k{n}"}) for n in range(40)))
    desk.record(CAMPAIGN, *(Event("LeadNoted", f"lead-{n}", {"notes": "tea"}) for n in range(3)))
    desk.shared_store.quick_enough_for[CAMPAIGN] = 7
    calls = desk.shared_store.calls
    desk.engine.run_round()
    assert desk.waiting() == 0
    assert desk.shared_store.calls - calls < 20, "what was too much once is not tried again for each part"
    laptop.engine.run_round()
    assert laptop.logs() == desk.logs()


def test_what_takes_long_is_followed_by_less_and_what_is_quick_by_more(
    desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No statement of an erasure is to take long, not only none longer than the project allows (issue 33, C3)."""
    desk.campaign()
    desk.engine.run_round()
    desk.record(CAMPAIGN, *(Event("LeadImported", f"lead-{n}", {**LEAD, "member_key": f"k{n}"}) for n in range(2_500)))
    append, sizes = desk.shared_store.append, list[int]()

    def appended(batch: Batch, fence: int | None) -> Appended:
        sizes.append(batch.size)
        milliseconds = 5 if sum(sizes) < 2_000 else 1
        desk.clock.microseconds += 1_000 * milliseconds * sizes[-1]
        return append(batch, fence)

    monkeypatch.setattr(desk.shared_store, "append", appended)
    desk.engine.run_round()
    assert desk.waiting() == 0
    assert sizes == [1_000, 500, 250, 250, 500]


def test_a_stream_that_is_too_slow_at_a_single_entry_holds_up_no_other(desk: Machine, memory: FakeProject) -> None:
    for campaign in (CAMPAIGN, LATER):
        desk.campaign(campaign)
    desk.engine.run_round()
    for campaign in (CAMPAIGN, LATER):
        desk.record(campaign, Event("LeadImported", f"lead-{campaign}", LEAD))
    desk.shared_store.quick_enough_for[CAMPAIGN] = 0
    desk.engine.run_round()
    assert desk.waiting() > 0
    assert "Ada" in repr(memory.users["ada"].events[LATER])
    problem = desk.engine.report.state().problem
    assert problem is not None
    assert problem.code == "project_slow"
    desk.shared_store.quick_enough_for.clear()
    desk.engine.run_round()
    assert desk.waiting() == 0
    assert desk.engine.report.state().problem is None
