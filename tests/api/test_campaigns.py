"""Campaigns over the API: the list, the view, incidents, recovery, runs."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from backend.adapters.account_locks import FileAccountLocks
from backend.api import campaigns
from backend.app import launch
from backend.domain.events.events import Event
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.domain.model.campaign import CampaignStatus, Settings
from backend.domain.model.channel import ASSIST, DRIVE, find_channel
from backend.domain.values.errors import OutriderError
from backend.ports.account_locks import SenderAccount
from tests.api.app import App
from tests.api.runs import ask, follow
from tests.commands.test_lead_import import person
from tests.fakes.campaign import MESSAGE_ONLY
from tests.fakes.site import direct_site

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs use the practice network's own core in this process."""
    monkeypatch.setattr(launch, "practice_site", lambda *_, **__: direct_site())


def view(app: App, campaign: str) -> Any:
    answer = app.ask(f"/api/campaigns/{campaign}")
    assert answer.ok, answer.text
    return answer.json


def test_a_new_data_folder_has_no_campaign(app: App) -> None:
    assert app.ask("/api/campaigns").json["campaigns"] == []


def test_the_list_counts_what_waits_for_the_user(app: App, campaign: str, draft: str) -> None:
    (row,) = app.ask("/api/campaigns").json["campaigns"]
    assert (row["id"], row["needs"]["approve"], row["leads"]) == (campaign, 1, {"pending": 12})


def test_every_campaign_is_on_some_page_with_its_status(
    app: App, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were made in the same moment, too."""
    made = app.workspace.commands().campaigns
    for status in CampaignStatus:
        other = made.create(status, "", site="practice", account="a", settings=Settings())
        with app.workspace.database.write() as connection:
            connection.execute("UPDATE campaigns SET status=? WHERE id=?", (status, other))
    with app.workspace.database.write() as connection:
        connection.execute("UPDATE campaigns SET created_at=1")
    monkeypatch.setattr(campaigns, "A_PAGE", 2)
    rows, after = list[Any](), ""
    while after is not None:
        page = app.ask("/api/campaigns" + (f"?after={quote(after)}" if after else "")).json
        rows, after = rows + page["campaigns"], page["next"]
    assert {row["name"]: row["status"] for row in rows if row["id"] != campaign} == {
        name: name for name in CampaignStatus
    }
    assert len(rows) == 1 + len(CampaignStatus)


def test_a_campaign_that_does_not_exist_is_a_coded_404(app: App) -> None:
    for path, body in (("", None), ("/start", {}), ("/incidents/clear", {"reason": "x"})):
        answer = app.ask(f"/api/campaigns/nobody{path}", body)
        assert (answer.status, answer.code) == (404, "campaign_unknown")


def test_an_incident_is_shown_and_cleared_with_a_reason(app: App, campaign: str) -> None:
    with app.workspace.database.read() as connection:
        (account,) = connection.execute("SELECT account FROM campaigns").fetchone()
    incident = {"account": account, "kind": "unusual_activity", "said": "Please stop", "status": "open", "opened_at": 5}
    app.record(campaign, Event("IncidentOpened", "i1", incident))
    assert view(app, campaign)["incidents"] == [
        {"id": "i1", "kind": "unusual_activity", "said": "Please stop", "opened_at": 5}
    ]
    assert app.ask(f"/api/campaigns/{campaign}/incidents/clear", {"reason": ""}).code == "bad_request"
    assert app.ask(f"/api/campaigns/{campaign}/incidents/clear", {"reason": "I looked"}).ok
    assert view(app, campaign)["incidents"] == []


def test_a_failed_campaign_is_recovered_with_a_reason_and_only_then(app: App, campaign: str) -> None:
    assert app.ask(f"/api/campaigns/{campaign}/recover", {"reason": "why not"}).code == "illegal_status"
    app.record(campaign, Event("CampaignFailed", campaign, {"status": "error", "status_reason": "it broke"}))
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).code == "campaign_not_active"
    assert app.ask(f"/api/campaigns/{campaign}/recover", {"reason": "mended"}).ok
    assert view(app, campaign)["status"] == "paused"


def test_a_question_is_answered_once(app: App, campaign: str) -> None:
    asked = {"kind": "yes_no", "question": "Shall I?", "choices": ["yes", "no"], "status": "open", "created_at": 1}
    app.record(campaign, Event("InputRequested", "q1", asked))
    (question,) = view(app, campaign)["questions"]
    assert question["choices"] == ["yes", "no"]
    path = f"/api/campaigns/{campaign}/questions/q1/answer"
    other = app.ask(path, {"answer": "perhaps"})
    assert (other.status, other.code) == (422, "answer_not_offered")
    assert app.ask(path, {"answer": "yes"}).ok
    assert app.ask(path, {"answer": "no"}).code == "question_unknown"


@pytest.mark.usefixtures("_no_browser")
def test_a_rehearsal_starts_stops_and_continues_where_it_was(app: App) -> None:
    campaign = app.ask("/api/rehearsals", {}).json["campaign_id"]
    assert app.ask("/api/rehearsals", {}).json["campaign_id"] == campaign
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).status == 204
    follow(app, lambda: view(app, campaign)["needs"]["approve"] == 12)
    assert app.ask(f"/api/campaigns/{campaign}/stop", {}).status == 204
    follow(app, lambda: app.run_service.is_idle)
    stopped = view(app, campaign)
    assert (stopped["status"], stopped["run"]["halt"]) == ("paused", "stopped")
    assert app.ask(f"/api/campaigns/{campaign}/stop", {}).status == 204

    draft = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"][0]
    app.ask(f"/api/campaigns/{campaign}/drafts/{draft['id']}/approve", {"shown_digest": draft["digest"]})
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).status == 204
    follow(app, lambda: view(app, campaign)["leads"].get("contacted") == 1)
    turns = app.workspace.database
    with turns.read() as connection:
        numbers = [number for (number,) in connection.execute("SELECT number FROM turn_projection ORDER BY number")]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.usefixtures("_no_browser")
def test_two_campaigns_do_not_click_in_the_browser_at_once(app: App, campaign: str) -> None:
    other = app.workspace.commands().campaigns.create("Other", "", site="practice", account="a", settings=Settings())
    app.ask("/api/rehearsals", {})
    answer = app.ask(f"/api/campaigns/{other}/start", {})
    assert (answer.status, answer.code) == (409, "run_elsewhere")


def test_a_run_that_another_data_folder_is_in_the_way_of_says_so_and_begins_once_that_has_stopped(
    app: App, tmp_path: Path
) -> None:
    other = FileAccountLocks(app.workspace.settings.accounts_dir, tmp_path / "other")
    account = SenderAccount(find_channel(ASSIST).address, find_channel(ASSIST).account)
    other.take(account, "run")
    campaign = campaign_of_one(app, "A", 0)
    follow(app, lambda: view(app, campaign)["run"]["phase"] == "idle")
    error = view(app, campaign)["run"]["error"]
    assert error["code"] == "account_in_use"
    assert str(tmp_path / "other") in error["sentence"]

    other.release(account, "run")
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).status == 204
    follow(app, lambda: view(app, campaign)["run"]["phase"] == "running")


def test_campaigns_that_outrider_sends_on_linkedin_run_beside_each_other_but_beside_no_rehearsal(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.run_service, "_drive_site", lambda *_: direct_site())
    app.ask("/api/consents/linkedin", {"typed": CONSENT_SENTENCE})
    app.ask("/api/presence", {"page": "p", "visible": True, "idle_ms": 0})
    on_drive = [campaign_of_one(app, name, number, site=DRIVE) for number, name in enumerate("AB")]
    follow(app, lambda: all(view(app, each)["run"]["phase"] == "running" for each in on_drive))
    answer = app.ask("/api/rehearsals", {})
    assert (answer.status, answer.code) == (409, "run_elsewhere")


def campaign_of_one(app: App, name: str, number: int, site: str = ASSIST) -> str:
    """A running campaign, of the user's hand unless told otherwise, with one person of its own."""
    channel = find_channel(site)
    made = app.workspace.commands().campaigns.create(
        name, "", site=site, account=channel.account, settings=channel.settings(MESSAGE_ONLY.sequence)
    )
    app.services.importer.start(made, [person(number)], app.services.clock(made), file="x.csv", file_format="x")
    follow(app, lambda: not app.services.importer.busy)
    assert app.ask(f"/api/campaigns/{made}/start", {}).status == 204
    return made


def running(app: App) -> set[str]:
    return {state["campaign_id"] for state in ask(app, "/api/session")["runs"] if state["phase"] != "idle"}


@pytest.mark.usefixtures("_no_browser")
def test_campaigns_of_the_hand_run_beside_each_other_and_beside_one_that_clicks(app: App, campaign: str) -> None:
    first, second, third = (campaign_of_one(app, name, number) for number, name in enumerate("ABC"))
    everything = {first, second, third, app.ask("/api/rehearsals", {}).json["campaign_id"]}
    follow(app, lambda: all(view(app, each)["needs"]["approve"] > 0 for each in everything))
    assert running(app) == everything
    assert app.ask(f"/api/campaigns/{second}/stop", {}).status == 204
    follow(app, lambda: view(app, second)["run"]["phase"] == "idle")
    assert view(app, second)["run"]["halt"] == "stopped"
    assert running(app) == everything - {second}
    assert app.ask(f"/api/campaigns/{second}/start", {}).status == 204, "a runner is free again"
    runners = [worker.name for worker in app.workspace.workers.states() if worker.name.startswith("runner")]
    assert runners == ["runner", "runner 2", "runner 3", "runner 4"]


def test_everything_is_paused_at_once_also_what_is_on_elsewhere(app: App) -> None:
    assert app.ask("/api/pause", {}).json["campaigns"] == []
    first, second, elsewhere, paused = (campaign_of_one(app, name, number) for number, name in enumerate("ABCD"))
    follow(app, lambda: all(view(app, each)["needs"]["approve"] > 0 for each in (first, second, elsewhere, paused)))
    for stopped in (elsewhere, paused):
        assert app.ask(f"/api/campaigns/{stopped}/stop", {}).status == 204
    follow(app, lambda: running(app) == {first, second})
    app.services.commands(elsewhere).campaigns.change_status(
        elsewhere, CampaignStatus.ACTIVE
    )  # as another device records it
    outcome = app.ask("/api/pause", {}).json
    assert {(row["name"], row["ran_here"]) for row in outcome["campaigns"]} == {("A", True), ("B", True), ("C", False)}
    assert not outcome["out_of_reach"]
    follow(app, lambda: app.run_service.is_idle)
    assert {view(app, each)["status"] for each in (first, second, elsewhere, paused)} == {"paused"}
    assert {view(app, each)["run"]["halt"] for each in (first, second)} == {"stopped"}


def test_what_waits_for_the_right_to_act_is_called_off_when_everything_is_paused(
    app: App, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.services.sync, "check_may_act", app.run_service.pause_all)
    app.run_service.start(campaign)
    assert not app.run_service.is_running(campaign)
    assert app.run_service.is_idle


def test_a_run_that_cannot_begin_leaves_a_coded_error(app: App, campaign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise OutriderError("browser_missing")

    monkeypatch.setattr(launch, "practice_site", missing)
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).status == 204
    follow(app, lambda: app.run_service.is_idle)
    assert ask(app, f"/api/campaigns/{campaign}")["run"]["error"]["code"] == "browser_missing"


def test_a_campaign_is_renamed_duplicated_archived_and_deleted(app: App, campaign: str) -> None:
    at = f"/api/campaigns/{campaign}"
    assert app.ask(f"{at}/rename", {"name": " Spring "}).ok
    assert view(app, campaign)["name"] == "Spring"
    contents = app.ask(f"{at}/contents").json
    assert (contents["people"], contents["not_contacted"], contents["texts"]) == (12, 12, 0)
    with app.hearing() as socket:
        made = app.ask(f"{at}/duplicate", {"key": "k1", "name": "Again", "people": True}).json["campaign_id"]
        socket.import_ended()
    assert app.ask(f"/api/campaigns/{made}/contents").json["people"] == 12
    again = app.ask(f"{at}/duplicate", {"key": "k1", "name": "Again", "people": True}).json["campaign_id"]
    assert again == made, "a repeated request makes no second one"

    assert app.ask(f"{at}/archive", {}).ok
    assert [row["id"] for row in app.ask("/api/campaigns").json["campaigns"]] == [made]
    assert [row["id"] for row in app.ask("/api/campaigns?archived=true").json["campaigns"]] == [campaign]
    assert view(app, campaign)["archived"]
    assert app.ask(f"{at}/start", {}).code == "campaign_archived"
    assert app.ask(f"{at}/unarchive", {}).ok

    folder = app.workspace.settings.data_dir / "campaigns" / campaign
    assert app.ask(f"{at}/artifacts/campaign-files", {}).ok
    assert folder.exists()
    # As it is left when Outrider is closed while it runs: then there is no Stop.
    app.workspace.commands().campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    assert app.ask(at, method="DELETE").status == 204
    assert not folder.exists()
    assert app.ask(at).code == "campaign_unknown"
    assert [row["id"] for row in app.ask("/api/campaigns").json["campaigns"]] == [made]
