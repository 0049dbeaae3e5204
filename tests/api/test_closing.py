"""Closing: one order, twice is once, at whatever moment it comes; and afterwards nothing can start."""

import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.clocks import SystemClock
from backend.app import launch
from backend.app.launch import RunningBackend
from backend.domain.people.lead_row import LeadRow
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.store.log import replay
from tests.api.app import App, running
from tests.api.runs import follow, idle, without_a_browser
from tests.commands.test_lead_import import person
from tests.fakes.site import direct_site
from tests.patience import PATIENCE

PARTS = ("runner", "assistant", "scorer", "importer", "proofs", "time travel")


@pytest.fixture
def campaign_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[App], str]:
    without_a_browser(monkeypatch)
    return lambda app: find_or_create_rehearsal(app.workspace, None, None)


def begun_in_the_background() -> list[str]:
    return sorted(thread.name for thread in threading.enumerate() if thread.name in PARTS)


def close_beside(launch: RunningBackend) -> threading.Thread:
    closing = threading.Thread(target=launch.close)
    closing.start()
    return closing


class Held:
    """A model that speaks when the test lets it."""

    name = "held"

    def __init__(self) -> None:
        self.begun, self.on = threading.Event(), threading.Event()

    def propose(self, snapshot: Snapshot, *_: Any) -> str:
        self.begun.set()
        assert self.on.wait(PATIENCE)
        return '{"type": "no_op", "reason": "nothing"}'


def nothing_starts(app: App, campaign: str) -> None:
    services = app.launch.services
    starts: list[Callable[[], object]] = [
        lambda: app.run_service.start(campaign),
        lambda: app.run_service.step(campaign),
        lambda: services.importer.start(campaign, [], SystemClock(), file="x.csv", file_format="x"),
        lambda: services.proving.begin(campaign),
        lambda: services.time_travel.at(campaign, 1, lambda scratch: scratch),
        app.launch.scorer.open,
        app.launch.assistant.open,
    ]
    for start in starts:
        with pytest.raises(OutriderError) as refused:
            start()
        assert refused.value.code == "closing"
    assert begun_in_the_background() == []
    assert idle(app)


def test_what_the_last_turn_recorded_is_pushed_after_it(
    tmp_path: Path, built_page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    def note(part: Any, name: str) -> None:
        close = part.close

        def noted_close() -> None:
            closed.append(name)
            close()

        monkeypatch.setattr(part, "close", noted_close)

    with running(tmp_path / "data", built_page) as app:
        note(app.launch.run_service, "runs")
        note(app.launch.assistant, "assistant")
        note(app.launch.sync, "sync")
        app.launch.close()
    assert closed == ["runs", "assistant", "sync"]


def test_when_nothing_runs(tmp_path: Path, built_page: Path, campaign_in: Callable[[App], str]) -> None:
    with running(tmp_path / "data", built_page) as app:
        campaign = campaign_in(app)
        app.launch.close()
        nothing_starts(app, campaign)
        assert app.ask(f"/api/campaigns/{campaign}/start", {}).code == "closing"
        app.launch.close()


def test_while_a_run_starts(
    tmp_path: Path, built_page: Path, campaign_in: Callable[[App], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    starting, go_on = threading.Event(), threading.Event()

    def site(*_: object, **__: object) -> Any:
        starting.set()
        assert go_on.wait(PATIENCE)
        assert closing.is_alive(), "the data folder is not let go while something may still act on it"
        return direct_site()

    with running(tmp_path / "data", built_page) as app:
        campaign = campaign_in(app)
        monkeypatch.setattr(launch, "practice_site", site)
        app.run_service.start(campaign)
        assert starting.wait(PATIENCE)
        closing = close_beside(app.launch)
        with pytest.raises(OutriderError):  # whether it is closing by now or the run still ends
            app.run_service.step(campaign)
        go_on.set()
        closing.join(PATIENCE)
        nothing_starts(app, campaign)


def test_while_a_start_asks_whether_this_device_may_act(
    tmp_path: Path, built_page: Path, campaign_in: Callable[[App], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asking, go_on = threading.Event(), threading.Event()
    refused: list[str] = []

    def ask() -> None:
        asking.set()
        assert go_on.wait(PATIENCE)

    def start() -> None:
        try:
            app.run_service.start(campaign)
        except OutriderError as error:
            refused.append(error.code)

    with running(tmp_path / "data", built_page) as app:
        campaign = campaign_in(app)
        monkeypatch.setattr(app.launch.sync, "check_may_act", ask)
        starting = threading.Thread(target=start)
        starting.start()
        assert asking.wait(PATIENCE)
        app.launch.close()
        go_on.set()
        starting.join(PATIENCE)
        assert refused == ["closing"]
        nothing_starts(app, campaign)


def test_in_the_middle_of_a_turn(tmp_path: Path, built_page: Path, campaign_in: Callable[[App], str]) -> None:
    model = Held()
    with running(tmp_path / "data", built_page) as app:
        campaign = campaign_in(app)
        app.run_service.proposer = model
        app.services.presence.resume()
        app.run_service.start(campaign)
        assert model.begun.wait(PATIENCE)
        closing = close_beside(app.launch)
        again = close_beside(app.launch)
        model.on.set()
        closing.join(PATIENCE)
        again.join(PATIENCE)
        nothing_starts(app, campaign)
        assert replay.find_differences(app.workspace.database) == []


def test_while_leads_are_imported_and_logs_proved(
    tmp_path: Path, built_page: Path, campaign_in: Callable[[App], str]
) -> None:
    def endless() -> Iterator[LeadRow]:
        return (person(n) for n in itertools.count(1))

    with running(tmp_path / "data", built_page) as app, app.hearing() as socket:
        campaign = campaign_in(app)
        app.services.importer.start(campaign, endless(), app.services.clock(campaign), file="x.csv", file_format="x")
        app.launch.services.proving.begin(campaign)
        while socket.until("import")["done"] == 0:
            pass
        app.launch.close()
        nothing_starts(app, campaign)
        assert not app.launch.services.importer.busy


def test_a_part_that_fails_to_close_does_not_keep_the_others(
    tmp_path: Path, built_page: Path, campaign_in: Callable[[App], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(tmp_path / "data", built_page) as app:
        campaign = campaign_in(app)
        monkeypatch.setattr(app.launch.sync, "close", lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            app.launch.close()
        nothing_starts(app, campaign)


def test_after_a_run_that_is_over(tmp_path: Path, built_page: Path, campaign_in: Callable[[App], str]) -> None:
    with running(tmp_path / "data", built_page) as app:
        campaign = campaign_in(app)
        app.services.presence.resume()
        app.run_service.step(campaign)
        follow(app, lambda: idle(app))
        app.launch.close()
        nothing_starts(app, campaign)
