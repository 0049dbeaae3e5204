"""Whatever breaks in a worker's call, it is shown and the worker goes on: a busy database, a disk error, a plain defect."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from backend.adapters.clocks import SystemClock
from backend.domain.device.worker_state import WorkerState
from backend.domain.model.campaign import CampaignStatus
from backend.domain.values.errors import OutriderError
from backend.runtime.copies.time_travel import PastProgress
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.database import Database
from tests.api.app import App, running
from tests.api.runs import idle, without_a_browser
from tests.commands.test_lead_import import person

FAILURES: dict[str, Callable[[], Exception]] = {
    "database_locked": lambda: OutriderError("database_locked", path="x"),
    "os": lambda: OSError("disk"),
    "defect": ZeroDivisionError,
}
CALLS = (1, 2, 4)
pytestmark = pytest.mark.usefixtures("watched")


class Faults:
    """Breaks one call of one worker to the database."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._worker, self._left = "", 0
        self.failure: Exception | None = None
        for name in ("read", "write"):
            monkeypatch.setattr(Database, name, self._breaking(getattr(Database, name)))

    def arm(self, worker: str, call: int, failure: Exception) -> None:
        self._worker, self._left, self.failure = worker, call, failure

    @property
    def thrown(self) -> bool:
        return self._left <= 0

    def _breaking(self, original: Callable[[Database], Any]) -> Callable[[Database], Any]:
        def called(database: Database) -> Any:
            if threading.current_thread().name == self._worker and self._left > 0:
                self._left -= 1
                if self._left == 0 and self.failure is not None:
                    raise self.failure
            return original(database)

        return called


@pytest.fixture
def app(tmp_path: Path, built_page: Path) -> Iterator[App]:
    """A running app whose workers try again at once."""
    with running(tmp_path / "data", built_page, first_pause=0.01) as started:
        yield started


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    monkeypatch.setattr("threading.excepthook", lambda _: None)
    without_a_browser(monkeypatch)
    return Faults(monkeypatch)


def until(so: Callable[[], bool]) -> None:
    for _ in range(3_000):
        if so():
            return
        threading.Event().wait(0.02)
    raise AssertionError("it never was so")


def state(app: App, worker: str) -> WorkerState:
    return next(worker_state for worker_state in app.workspace.workers.states() if worker_state.name == worker)


def score(app: App, campaign: str) -> bool:
    """Goes on by itself after any failure."""
    app.services.commands(campaign).scoring.again(campaign)
    until(lambda: not _scores(app))
    return True


def _scores(app: App) -> bool:
    with app.workspace.database.read() as connection:
        return connection.execute("SELECT 1 FROM scorings WHERE status='running'").fetchone() is not None


def import_one(app: App, campaign: str) -> bool:
    importer = app.launch.services.importer
    importer.start(campaign, [person(1)], SystemClock(), file="x.csv", file_format="x")
    until(lambda: not importer.busy)
    return importer.progress is not None and importer.progress.error is None


def prove(app: App, campaign: str) -> bool:
    proofs = app.launch.services.proving
    proofs.begin(campaign)
    until(lambda: not proofs.last(campaign).running)
    return not proofs.last(campaign).error


def look_back(app: App, campaign: str) -> bool:
    app.launch.services.time_travel.at_once = 0
    app.launch.services.time_travel._viewpoints.clear()
    answers: list[object] = []

    def arrived() -> bool:
        answers[:] = [app.launch.services.time_travel.at(campaign, 3, lambda _: "there")]
        return not isinstance(answers[0], PastProgress)

    try:
        until(arrived)
    except (OutriderError, OSError, ZeroDivisionError):
        return False
    return answers == ["there"]


def step(app: App, campaign: str) -> bool:
    """One turn; what nobody expected takes the campaign to `error`, out of which only the user takes it."""
    if app.ask(f"/api/campaigns/{campaign}").json["status"] == "error":
        app.services.commands(campaign).campaigns.change_status(campaign, CampaignStatus.PAUSED, "looked into it")
    app.services.presence.resume()
    app.run_service.step(campaign)
    until(lambda: idle(app))
    run = app.run_service.run_state(campaign)
    return run.error is None and run.halt == RunEnd.STEPPED


def ask(app: App, campaign: str) -> bool:
    assistant = app.launch.assistant
    assistant.submit(campaign, "list my saved artifacts", [], key=uuid4().hex)
    until(lambda: assistant.current_request(campaign) is None)
    return True


WORK: dict[str, Callable[[App, str], bool]] = {
    "scorer": score,
    "importer": import_one,
    "proofs": prove,
    "time travel": look_back,
    "runner": step,
    "assistant": ask,
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("worker", WORK)
def test_a_worker_shows_what_broke_and_goes_on(
    app: App, campaign: str, faults: Faults, worker: str, failure: str
) -> None:
    work = WORK[worker]
    thrown = 0
    for call in CALLS:
        faults.arm(worker, call, FAILURES[failure]())
        work(app, campaign)
        thrown += faults.thrown
        faults.failure = None
        assert work(app, campaign), f"after its call {call} broke"
        until(lambda: not state(app, worker).failing)
    error = state(app, worker).error
    assert thrown
    assert error is not None
    assert error.code in ("database_locked", "internal_error", "unexpected_failure")
