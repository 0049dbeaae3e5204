"""A campaign of one's own: looked at before it is made, made once, its file brought in, and then it runs to drafts."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend import live_session
from backend.domain.events import Event
from backend.practice.people import Card
from tests.api.app import App
from tests.fakes.site import DirectPracticeSite, direct_site, practice_exchange

CONNECTIONS = Path(__file__).parents[1] / "data" / "Connections.csv"
INVITE = {"kind": "invitation", "after_days": 0, "template": "Hi {first_name}, {goal}"}
WHOLE = {"key": "k1", "name": " Talks ", "goal": "I would like your view.", "site": "practice", "steps": [INVITE]}


def offered(app: App, path: Path = CONNECTIONS) -> str:
    answer = app.ask(f"/api/uploads?name={path.name}", path.read_bytes(), Content_Type="application/octet-stream")
    assert answer.status == 201, answer.text
    ticket: str = answer.json["ticket"]
    return ticket


def create(app: App, **changed: object) -> str:
    answer = app.ask("/api/campaigns", {**WHOLE, "ticket": None, **changed})
    assert answer.status == 201, answer.text
    made: str = answer.json["campaign_id"]
    return made


def until(app: App, is_so: Callable[[], bool]) -> None:
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        while not is_so():
            socket.next(timeout=20)


def intake(app: App, campaign: str) -> Any:
    deadline = time.monotonic() + 20
    while (state := app.ask(f"/api/campaigns/{campaign}/intake").json)["phase"] == "running":
        assert time.monotonic() < deadline
    return state


def test_every_choice_that_cannot_be_made_says_why(app: App) -> None:
    choices = app.ask("/api/campaigns/new").json
    assert [bool(site["why_not"]) for site in choices["sites"]] == [False, True]
    assert [bool(model["why_not"]) for model in choices["models"]] == [False, True]
    for site in choices["sites"][1:]:
        answer = app.ask("/api/campaigns", {**WHOLE, "ticket": None, "site": site["id"]})
        assert (answer.status, answer.code) == (422, "site_not_available")
    assert app.ask("/api/campaigns").json["campaigns"] == []


def test_every_preset_is_previewed_without_a_problem(app: App) -> None:
    for preset in app.ask("/api/campaigns/new").json["presets"]:
        asked = {"goal": WHOLE["goal"], "steps": preset["steps"], "name": "Ada Lane", "company": "Fern"}
        found = app.ask("/api/campaigns/new/preview", asked).json
        assert found["problem"] == ""
        assert [step["problem"] for step in found["steps"]] == ["" for _ in preset["steps"]]
        assert all("Ada" in step["text"] and step["length"] <= step["limit"] for step in found["steps"])


def test_a_preview_names_what_is_wrong(app: App) -> None:
    steps = [{**INVITE, "template": "Hi {firstname}"}, INVITE, {**INVITE, "kind": "message", "template": ""}]
    asked = {"goal": "x", "steps": steps, "name": "Ada", "company": ""}
    found = app.ask("/api/campaigns/new/preview", asked).json
    assert "{firstname}" in found["steps"][0]["problem"]
    assert found["steps"][2]["problem"]
    assert "first step" in found["problem"]


def test_a_file_is_counted_before_anything_is_made(app: App) -> None:
    found = app.ask(f"/api/campaigns/new/leads/{offered(app)}").json
    assert (found["format"], found["good"] > 0, found["rejected"] > 0) == ("linkedin_connections", True, True)
    assert {column["column"]: column["field"] for column in found["columns"]}["First Name"] == "first_name"
    assert found["rows"][0]["name"]
    assert all(row["reason"] for row in found["refused"])
    assert app.ask("/api/campaigns").json["campaigns"] == []


def test_a_file_that_holds_no_leads_makes_no_campaign(app: App, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    ticket = offered(app, other)
    for path, asked in ((f"/api/campaigns/new/leads/{ticket}", None), ("/api/campaigns", {**WHOLE, "ticket": ticket})):
        answer = app.ask(path, asked)
        assert (answer.status, answer.code) == (422, "lead_file_unknown_format")
    assert app.ask("/api/campaigns", {**WHOLE, "ticket": "made-up"}).code == "file_ticket_unknown"
    assert app.ask("/api/campaigns").json["campaigns"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "  "},
        {"goal": ""},
        {"goal": "x" * 1_001},
        {"steps": []},
        {"site": "nowhere"},
        {"key": ""},
        {"more": 1},
        {"steps": [{**INVITE, "after_days": 91}]},
        {"steps": [{**INVITE, "template": "{nobody}"}]},
        {"steps": [{**INVITE, "template": "x" * 201}]},
    ],
)
def test_a_campaign_that_could_not_work_is_refused_whole(app: App, wrong: dict[str, object]) -> None:
    answer = app.ask("/api/campaigns", {**WHOLE, "ticket": None, **wrong})
    assert answer.status in (400, 422), answer.text
    assert app.ask("/api/campaigns").json["campaigns"] == []


def test_a_request_repeated_after_a_lost_answer_makes_one_campaign(app: App) -> None:
    ticket = offered(app)
    first = create(app, ticket=ticket)
    counts = intake(app, first)
    assert create(app, ticket=ticket) == first
    assert intake(app, first)["accepted"] == 0
    assert intake(app, first)["unchanged"] + intake(app, first)["merged"] == counts["accepted"] + counts["unchanged"]
    assert create(app, key="k2") != first


def test_what_a_campaign_still_needs_is_said(app: App) -> None:
    empty = create(app)
    (row,) = app.ask("/api/campaigns").json["campaigns"]
    assert (row["id"], row["name"], row["missing"]) == (empty, "Talks", "leads")
    full = create(app, key="k2", ticket=offered(app))
    intake(app, full)
    assert app.ask("/api/campaigns").json["campaigns"][0]["missing"] == ""
    with app.session.workspace.journal.transaction() as transaction:  # a crash in mid-import leaves this behind
        started = Event("ImportStarted", "~", {"file": "a.csv", "format": "x", "created_at": 1})
        transaction.record(full, [started], actor="user", cause="import", at=1)
    assert app.ask("/api/campaigns").json["campaigns"][0]["missing"] == "import"


def test_an_own_campaign_runs_to_drafts_on_the_practice_network(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = create(app, ticket=offered(app))
    accepted = intake(app, campaign)["accepted"]

    def site(*_: object, **__: object) -> DirectPracticeSite:
        exchange = practice_exchange()
        with app.session.workspace.database.read() as connection:
            leads = connection.execute("SELECT profile_url, full_name, job_title, company FROM leads").fetchall()
        cards = [Card(url.rpartition("/")[2], *row) for url, *row in leads if url]
        exchange.record(lambda network: network.enrol(cards, network.now))
        return direct_site(exchange)

    monkeypatch.setattr(live_session, "practice_site", site)
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).status == 202
    until(app, lambda: bool(app.ask(f"/api/campaigns/{campaign}").json["drafts_total"]))
    view = app.ask(f"/api/campaigns/{campaign}").json
    (draft, *_) = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    assert draft["text"].endswith("I would like your view.")
    assert sum(view["leads"].values()) == accepted
