"""A dry run over the API: worked out in the background, told day by day, cancelled, and nothing of it is stored."""

from pathlib import Path
from typing import Any

import pytest

from tests.api import by_hand
from tests.api.app import App
from tests.api.runs import ask
from tests.patience import PATIENCE


@pytest.fixture
def made(app: App, tmp_path: Path) -> str:
    """Three people, and nothing begun."""
    return by_hand.make(app.workspace, tmp_path)


def state(app: App, campaign: str) -> Any:
    return ask(app, f"/api/campaigns/{campaign}/dry-run")


def test_what_would_go_out_is_told_by_day_and_name_and_nothing_is_stored(app: App, made: str) -> None:
    assert state(app, made)["phase"] == "none"
    before = ask(app, f"/api/campaigns/{made}")["leads"]
    assert app.ask(f"/api/campaigns/{made}/dry-run", {"days": 3, "accept": 0.0}).status == 204
    assert app.launch.services.dry_runs.idle.wait(PATIENCE)
    view = state(app, made)
    assert view["wanted"]["days"] == 3
    forecast = view["forecast"]
    assert forecast["total"] == 3
    assert sorted(act["name"] for act in forecast["acts"]) == ["Clara Yilmaz", "Elena Okonkwo", "Thandi Holm"]
    assert sum(day["invitations"] for day in forecast["days"]) == 3
    assert len(forecast["days"]) == 4  # from now on, so that the last day is a part of one
    assert ask(app, f"/api/campaigns/{made}")["leads"] == before


def test_no_forecast_names_whoever_is_erased(app: App, made: str) -> None:
    assert app.ask(f"/api/campaigns/{made}/dry-run", {"days": 3}).status == 204
    assert app.launch.services.dry_runs.idle.wait(PATIENCE)
    with app.workspace.database.read() as connection:
        (lead,) = connection.execute("SELECT id FROM leads WHERE full_name='Clara Yilmaz'").fetchone()
    app.workspace.commands().people.erase(made, lead)
    assert state(app, made)["phase"] == "none"


def test_one_that_was_cancelled_leaves_nothing_and_the_next_begins(app: App, made: str) -> None:
    assert app.ask(f"/api/campaigns/{made}/dry-run", {"days": 90}).status == 204
    assert app.ask(f"/api/campaigns/{made}/dry-run/cancel", {}).ok
    assert state(app, made)["phase"] == "none"
    assert app.ask(f"/api/campaigns/{made}/dry-run", {"days": 1}).status == 204
    assert app.launch.services.dry_runs.idle.wait(PATIENCE)
    assert state(app, made)["wanted"]["days"] == 1


def test_more_days_than_can_be_looked_ahead_are_refused(app: App, made: str) -> None:
    assert app.ask(f"/api/campaigns/{made}/dry-run", {"days": 91}).code == "bad_request"
