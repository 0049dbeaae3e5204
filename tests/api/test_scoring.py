"""Scoring over the API: what is in force, what a change would do, and what is refused."""

import json
from typing import Any

import pytest

from backend.commands.lead_import import import_leads
from backend.domain.events.events import Event
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.campaign import Settings
from backend.domain.model.criteria import BASE_FIELDS
from tests.api.app import App
from tests.commands.test_lead_import import person

TITLES = {"rule": "keywords", "fields": ["job_title"], "match": "any", "words": ["analyst"], "partly": [], "part": 50}
FILLED = {"rule": "completeness", "fields": ["email"]}


def criteria(*rules: tuple[int, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": f"Rule {n}", "weight": weight, "rule": rule} for n, (weight, rule) in enumerate(rules)]


@pytest.fixture
def scored(app: App) -> str:
    """A campaign with ten scored leads, half of them with an e-mail address."""
    workspace = app.workspace
    commands = workspace.commands()
    campaign = commands.campaigns.create_on_practice("Talk", "Reach recruiters.", Settings())
    rows = [person(k, email=f"p{k}@example.org" if k % 2 else None, extra={"Team Size": "5"}) for k in range(10)]
    import_leads(workspace.journal, commands.clock, campaign, rows, file="a.csv", file_format="linkedin")
    with app.hearing() as socket:
        assert app.ask(f"/api/campaigns/{campaign}/scoring/again", {}).ok
        ended(socket)
    return campaign


def ended(socket: Any) -> None:
    """The scoring that is under way is over, as the feed tells it."""
    while not [event for event in socket.until("events")["events"] if event["kind"] == "ScoringEnded"]:
        pass


def test_the_view_names_what_is_in_force_what_may_be_asked_for_and_how_far_scoring_is(app: App, scored: str) -> None:
    view = app.ask(f"/api/campaigns/{scored}/scoring").json
    assert view["blueprint"]["version"] == 1
    assert sum(line["criterion"]["weight"] for line in view["blueprint"]["criteria"]) == 100
    assert "team_size" in view["fields"] and "job_title" in view["fields"]  # noqa: PT018
    assert (
        view["suggested"]
        == json.loads(blueprint_for("Reach recruiters.", view["fields"]).model_dump_json())["criteria"]
    )
    assert (view["run"]["status"], view["run"]["done"], view["unscored"]) == ("done", 10, False)


def test_a_preview_shows_the_effect_and_changes_nothing(app: App, scored: str) -> None:
    before = app.ask(f"/api/campaigns/{scored}/scoring").json
    shown = app.ask(f"/api/campaigns/{scored}/scoring/preview", {"criteria": criteria((60, TITLES), (40, FILLED))}).json
    assert shown["problem"] is None
    effect = shown["effect"]
    assert (effect["leads"], effect["of"]) == (10, 10)
    assert effect["spread_after"] == [0, 0, 0, 0, 0, 0, 5, 0, 0, 5]
    assert effect["top_after"][0]["score_after"] == 100
    assert app.ask(f"/api/campaigns/{scored}/scoring").json == before


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ([(99, FILLED)], "blueprint_weights"),
        ([(100, FILLED | {"fields": ["no_such"]})], "blueprint_field_unknown"),
    ],
)
def test_what_cannot_be_in_force_is_said_in_the_preview_and_refused_when_saved(
    app: App, scored: str, rules: list[tuple[int, dict[str, Any]]], code: str
) -> None:
    shown = app.ask(f"/api/campaigns/{scored}/scoring/preview", {"criteria": criteria(*rules)}).json
    assert (shown["problem"]["code"], shown["effect"]) == (code, None)
    answer = app.ask(f"/api/campaigns/{scored}/scoring/blueprint", {"criteria": criteria(*rules), "follows": 1})
    assert (answer.status, answer.code) == (422, code)


def test_a_saved_blueprint_is_in_force_and_every_lead_is_explained_by_it(app: App, scored: str) -> None:
    with app.hearing() as socket:
        request = {"criteria": criteria((60, TITLES), (40, FILLED)), "follows": 1}
        answer = app.ask(f"/api/campaigns/{scored}/scoring/blueprint", request)
        assert (answer.status, answer.json["version"]) == (201, 2)
        ended(socket)
    assert app.ask(f"/api/campaigns/{scored}/scoring/blueprint", request).code == "blueprint_changed"
    rows = app.ask(f"/api/campaigns/{scored}/leads").json["rows"]
    assert [row["weight_score"] for row in rows] == [100] * 5 + [60] * 5
    assert rows[0]["score_reasons"] == ["+60 title contains “analyst”", "+40 e-mail is filled in"]
    detail = app.ask(f"/api/campaigns/{scored}/leads/{rows[-1]['id']}").json
    assert [(part["points"], part["why"]) for part in detail["score"]] == [
        (60, "title contains “analyst”"), (0, "0 of 1 filled in, no e-mail"),
    ]  # fmt: skip
    assert detail["score_stale"] is False


def test_a_score_by_other_rules_is_told_and_not_explained_by_these(app: App, scored: str) -> None:
    lead = app.ask(f"/api/campaigns/{scored}/leads").json["rows"][0]["id"]
    app.record(scored, Event("LeadScored", lead, {"weight_score": 3}))
    detail = app.ask(f"/api/campaigns/{scored}/leads/{lead}").json
    assert (detail["score_stale"], detail["line"]["score_reasons"]) == (True, [])


def test_a_proposed_blueprint_is_shown_with_its_effect_until_it_is_answered(app: App, scored: str) -> None:
    blueprint = json.loads(blueprint_for("recruiters", BASE_FIELDS).model_dump_json())
    asked = {
        "task_id": None, "kind": "approve_blueprint", "question": "Score by this?", "choices": ["yes", "no"],
        "payload": {"blueprint": blueprint}, "status": "open", "created_at": 1,
    }  # fmt: skip
    app.record(scored, Event("InputRequested", "q1", asked))
    (proposal,) = app.ask(f"/api/campaigns/{scored}/scoring").json["proposed"]
    assert [line["criterion"] for line in proposal["criteria"]] == blueprint["criteria"]
    assert app.ask(f"/api/campaigns/{scored}/scoring/proposed/q1").json["effect"]["leads"] == 10
    app.services.commands(scored).questions.answer(scored, "q1", "yes")
    assert app.ask(f"/api/campaigns/{scored}/scoring/proposed/q1").code == "question_unknown"
    assert app.ask(f"/api/campaigns/{scored}/scoring").json["blueprint"]["version"] == 2


@pytest.mark.parametrize(
    ("kind", "noun"), [("approve_blueprint", "scoring"), ("approve_script", "scripts"), ("save_artifact", "artifacts")]
)
def test_nobody_is_shown_what_a_question_of_a_deleted_campaign_proposed(
    app: App, scored: str, kind: str, noun: str
) -> None:
    asked: dict[str, Any] = {
        "task_id": None, "kind": kind, "question": "This?", "choices": ["yes"], "payload": {}, "status": "open", "created_at": 1,
    }  # fmt: skip
    app.record(scored, Event("InputRequested", "q1", asked))
    app.services.commands(scored).campaigns.delete(scored)
    assert app.ask(f"/api/campaigns/{scored}/{noun}/proposed/q1").code == "campaign_unknown"


def test_a_campaign_that_is_not_there_has_no_scoring(app: App) -> None:
    for path, body in (("", None), ("/preview", {"criteria": criteria((100, FILLED))}), ("/proposed/q", None)):
        assert app.ask(f"/api/campaigns/nobody/scoring{path}", body).status in (404, 409)
