"""Runs over the API without a browser, and waiting on the feed as the page does."""

from collections.abc import Callable
from typing import Any

import pytest

from backend.app import launch
from tests.api.app import App
from tests.fakes.site import direct_site


def without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs use the practice network's own core in this process."""
    monkeypatch.setattr(launch, "practice_site", lambda *_, **__: direct_site())


def ask(app: App, path: str) -> Any:
    answer = app.ask(path)
    assert answer.ok, answer.text
    return answer.json


def follow(app: App, until: Callable[[], bool]) -> None:
    """Wait on the feed until something is so."""
    with app.hearing() as socket:
        while not until():
            socket.next()


def idle(app: App) -> bool:
    return app.run_service.is_idle


def step(app: App, campaign: str) -> Any:
    """One step, to its end; what the runner says then."""
    assert app.ask(f"/api/campaigns/{campaign}/step", {}).status == 204
    follow(app, lambda: idle(app))
    run = ask(app, f"/api/campaigns/{campaign}")["run"]
    assert run["error"] is None, run
    return run
