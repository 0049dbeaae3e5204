"""Imports beside a rehearsal that runs: who comes is on its network before being a lead, and nobody slips in between."""

import itertools
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.clocks import SystemClock
from backend.domain.errors import OutriderError
from backend.domain.lead_row import LeadRow
from backend.runtime.rehearsal import ledger_of
from tests.api.app import App, running
from tests.api.runs import follow
from tests.api.test_campaigns import _no_browser  # noqa: F401 - the fixture
from tests.api.test_new_campaign import CONNECTIONS, WHOLE
from tests.commands.test_lead_import import person
from tests.patience import PATIENCE


@pytest.mark.usefixtures("_no_browser")
def test_people_who_join_a_running_rehearsal_are_on_its_network(app: App, campaign: str) -> None:
    assert app.ask("/api/rehearsals", {}).json["campaign_id"] == campaign
    follow(app, lambda: app.session.run_state().phase == "running")
    with app.hearing() as socket:
        app.session.start_import(campaign, [person(1)], file="x.csv", file_format="x")
        socket.import_ended()
    entries = [json.loads(line) for line in ledger_of(app.session.workspace, campaign).read_text("utf-8").splitlines()]
    slugs = {one["slug"] for entry in entries if entry["kind"] == "roster" for one in entry["detail"]["people"]}
    assert "ada-1" in slugs
    assert app.ask(f"/api/campaigns/{campaign}/leads?text=lovelace").json["total"] == 1


def test_one_import_at_a_time(app: App, campaign: str) -> None:
    go_on = threading.Event()

    def slowly() -> Iterator[LeadRow]:
        yield person(1)
        go_on.wait(PATIENCE)

    with app.hearing() as socket:
        app.session.start_import(campaign, slowly(), file="x.csv", file_format="x")
        assert socket.until("import")["phase"] == "running"
        with pytest.raises(OutriderError) as refused:
            app.session.start_import(campaign, [], file="y.csv", file_format="x")
        assert refused.value.code == "import_running"
        assert app.ask("/api/campaigns").json["campaigns"][0]["missing"] == "importing"
        answer = app.ask("/api/campaigns", {**WHOLE, "file": {"ticket": app.upload("c.csv", CONNECTIONS.read_bytes())}})
        assert (answer.status, answer.code) == (409, "import_running")  # and no campaign without its leads
        assert len(app.ask("/api/campaigns").json["campaigns"]) == 1
        go_on.set()
        socket.import_ended()
    assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["accepted"] == 1


def test_an_import_that_breaks_says_so_and_keeps_what_it_has(app: App, campaign: str) -> None:
    def breaks() -> Iterator[LeadRow]:
        yield person(1)
        raise OutriderError("lead_file_changed", file="x.csv")

    importer = app.launch.services.importer
    with app.hearing() as socket:
        importer.start(campaign, breaks(), SystemClock(), file="x.csv", file_format="x")
        said = socket.import_ended()
    assert said["error"]["code"] == "lead_file_changed"
    assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["finished_at"] is None


def test_a_closing_app_breaks_an_import_off_and_the_next_launch_says_so(tmp_path: Path) -> None:
    def endless() -> Iterator[LeadRow]:
        return (person(n) for n in itertools.count(1))

    with running(tmp_path / "data") as app, app.hearing() as socket:
        campaign = app.ask("/api/campaigns", {**WHOLE, "file": None}).json["campaign_id"]
        app.session.start_import(campaign, endless(), file="x.csv", file_format="x")
        while socket.until("import")["done"] == 0:
            pass
    with running(tmp_path / "data") as app:
        (row,) = app.ask("/api/campaigns").json["campaigns"]
        assert (row["missing"], sum(row["leads"].values()) > 0) == ("import", True)
        assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["finished_at"] is None
