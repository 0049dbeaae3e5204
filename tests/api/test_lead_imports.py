"""Imports beside a rehearsal that runs: who comes is on its network before being a lead, and nobody slips in between."""

import json
import threading
from collections.abc import Iterator

import pytest

from backend.clocks import SystemClock
from backend.domain.errors import OutriderError
from backend.domain.lead_row import LeadRow
from backend.rehearsal import ledger_of
from tests.api.app import App
from tests.api.test_campaigns import _no_browser, follow  # noqa: F401 - the fixture
from tests.controller.test_importing import person


@pytest.mark.usefixtures("_no_browser")
def test_people_who_join_a_running_rehearsal_are_on_its_network(app: App, campaign: str) -> None:
    assert app.ask("/api/rehearsals", {}).json["campaign_id"] == campaign
    follow(app, lambda: app.session.run_state().phase == "running")
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        app.session.bring_in(campaign, [person(1)], file="x.csv", file_format="x")
        while socket.until("import")["phase"] == "running":
            pass
    entries = [json.loads(line) for line in ledger_of(app.session.workspace, campaign).read_text("utf-8").splitlines()]
    slugs = {one["slug"] for entry in entries if entry["kind"] == "roster" for one in entry["detail"]["people"]}
    assert "ada-1" in slugs
    assert app.ask(f"/api/campaigns/{campaign}/leads?text=lovelace").json["total"] == 1


def test_one_import_at_a_time(app: App, campaign: str) -> None:
    go_on = threading.Event()

    def slowly() -> Iterator[LeadRow]:
        yield person(1)
        go_on.wait(20)

    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        app.session.bring_in(campaign, slowly(), file="x.csv", file_format="x")
        assert socket.until("import")["phase"] == "running"
        with pytest.raises(OutriderError) as refused:
            app.session.bring_in(campaign, [], file="y.csv", file_format="x")
        assert refused.value.code == "import_running"
        go_on.set()
        while socket.until("import")["phase"] == "running":
            pass
    assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["accepted"] == 1


def test_an_import_that_breaks_says_so_and_keeps_what_it_has(app: App, campaign: str) -> None:
    def breaks() -> Iterator[LeadRow]:
        yield person(1)
        raise OutriderError("lead_file_changed", file="x.csv")

    importer = app.launch.services.importer
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        importer.start(campaign, breaks(), SystemClock(), file="x.csv", file_format="x")
        while (said := socket.until("import"))["phase"] == "running":
            pass
    assert said["error"]["code"] == "lead_file_changed"
    assert app.ask(f"/api/campaigns/{campaign}/imports").json["rows"][0]["finished_at"] is None
