"""Which time a campaign lives by where it is only looked at or decided about."""

from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.domain.events.events import WORKSPACE, Event
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import clock_of


@pytest.mark.parametrize(("site", "simulated"), [("practice", True), ("linkedin_assist", False), ("", False)])
def test_only_a_rehearsal_has_a_clock_of_its_own(tmp_path: Path, site: str, simulated: bool) -> None:
    """On a real site working hours are the user's own."""
    with open_workspace(AppSettings(tmp_path, "", 10)) as workspace:
        created = {
            "name": "Talk", "goal": "Learn", "status": "paused", "site": site, "account": "me", "settings": {},
            "created_at": 1,
        }  # fmt: skip
        if site:
            event = Event("CampaignCreated", "c1", created)
            workspace.journal.record("c1", events=[event], actor="user", cause="test", at=1)
        clock = clock_of(workspace, "c1" if site else WORKSPACE)
        assert clock.skips_waiting is simulated


@pytest.mark.parametrize("status", ["active", "paused", "completed"])
def test_the_clock_of_a_rehearsal_that_does_not_run_stands_where_its_log_ends(tmp_path: Path, status: str) -> None:
    """Whoever reads for a day in a campaign that is paused answers at the time at which it was paused."""
    with open_workspace(AppSettings(tmp_path, "", 10)) as workspace:
        created = {
            "name": "Talk", "goal": "Learn", "status": status, "site": "practice", "account": "me", "settings": {},
            "created_at": 1,
        }  # fmt: skip
        event = Event("CampaignCreated", "c1", created)
        workspace.journal.record("c1", events=[event], actor="user", cause="test", at=1_900_000_000_000)
        assert clock_of(workspace, "c1").now() == 1_900_000_000_000
