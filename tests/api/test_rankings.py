"""Rank these ten over the API: dealt without scores, counted, and weights that bring scoring and user together."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from backend.commands.lead_import import import_leads
from backend.domain.model.campaign import Settings
from backend.domain.model.scoring import NewBlueprint
from backend.store.queries.leads import rankings
from tests.api.app import App
from tests.commands.test_lead_import import person

TITLES = ("Founder", "Head of Data", "Recruiter", "Accountant", "CTO")
COMPANIES = ("Harbour Bank", "")
WORDS = {
    "rule": "keywords",
    "fields": ["job_title"],
    "match": "any",
    "words": ["founder", "cto"],
    "partly": ["head"],
    "part": 50,
}


def criteria(*weights: int) -> list[dict[str, Any]]:
    rules = (
        WORDS,
        {"rule": "completeness", "fields": ["company"]},
        {"rule": "completeness", "fields": ["email"]},
    )
    names = ("Decision maker", "Company known", "E-mail known")
    return [
        {"name": name, "weight": weight, "rule": rule} for name, weight, rule in zip(names, weights, rules, strict=True)
    ]


@pytest.fixture
def campaign(app: App) -> str:
    """A campaign with sixty leads, scored by nearly nothing but whether there is an e-mail address."""
    workspace = app.workspace
    commands = workspace.commands()
    made = commands.campaigns.create_on_practice("Talk", "Reach people.", Settings())
    rows = [
        person(k, job_title=TITLES[k % 5], company=COMPANIES[k % 2], email=f"p{k}@example.org" if k % 3 else None)
        for k in range(60)
    ]
    import_leads(workspace.journal, commands.clock, made, rows, file="a.csv", file_format="linkedin")
    commands.scoring.adopt(made, _blueprint(10, 20, 70), follows=1)
    return made


def _blueprint(*weights: int) -> NewBlueprint:
    return NewBlueprint.model_validate_json(json.dumps({"criteria": criteria(*weights)}))


def preference(fields: Mapping[str, str]) -> tuple[int, int, int]:
    """Whom this user would write to first: who decides, then whose company is known; an address counts for nothing."""
    title = {"Founder": 2, "CTO": 2, "Head of Data": 1}.get(fields["job_title"], 0)
    return -title, -bool(fields["company"]), 0


def ranked(app: App, campaign: str) -> Any:
    """Put the next ten in the user's order."""
    view = app.ask(f"/api/campaigns/{campaign}/rankings").json
    ids = [lead["lead_id"] for lead in view["deal"]]
    with app.workspace.database.read() as connection:
        people = rankings.people(connection, campaign, ids)
    order = sorted(ids, key=lambda id_: (preference(people[id_].fields), id_))
    saved = app.ask(f"/api/campaigns/{campaign}/rankings", {"number": view["number"], "lead_ids": order})
    assert saved.status == 201, saved.text
    return app.ask(f"/api/campaigns/{campaign}/rankings").json


def test_ten_are_dealt_with_what_is_known_of_them_and_without_their_scores(app: App, campaign: str) -> None:
    view = app.ask(f"/api/campaigns/{campaign}/rankings").json
    assert (view["number"], len(view["deal"]), view["rounds"]) == (1, 10, [])
    assert view["deal"] == app.ask(f"/api/campaigns/{campaign}/rankings").json["deal"]
    assert "score" not in json.dumps(view["deal"])
    assert {"title"} <= {field["field"] for lead in view["deal"] for field in lead["known"]}
    assert view["suggestion"]["status"] == "few"


def test_scoring_agrees_with_the_user_on_over_80_percent_after_their_rounds_chose_the_weights(
    app: App, campaign: str
) -> None:
    """SC-005: what is measured is a round of people that neither the user's earlier rounds nor the weights have seen."""
    view = [ranked(app, campaign) for _ in range(3)][-1]
    assert view["agreement"]["share"] < 0.8
    worst = view["disagreements"][0]
    assert worst["first_score"] < worst["second_score"]
    assert worst["reasons"][0]["first_why"]
    suggestion = view["suggestion"]
    assert suggestion["status"] == "better"
    assert suggestion["after"]["share"] > 0.8 > suggestion["before"]["share"]

    adopted = app.ask(
        f"/api/campaigns/{campaign}/scoring/blueprint", {"criteria": suggestion["criteria"], "follows": view["version"]}
    )
    assert adopted.status == 201, adopted.text
    newest = ranked(app, campaign)["rounds"][0]
    assert newest["number"] == 4
    assert newest["agreement"]["share"] > 0.8
    assert newest["agreement"]["tau"] > 0.6


def test_a_round_that_is_taken_back_counts_no_more(app: App, campaign: str) -> None:
    view = ranked(app, campaign)
    assert view["agreement"]["agree"] + view["agreement"]["disagree"] > 0
    (round_,) = view["rounds"]
    assert app.ask(f"/api/campaigns/{campaign}/rankings/{round_['id']}/take-back", {}).ok
    view = app.ask(f"/api/campaigns/{campaign}/rankings").json
    assert view["agreement"]["share"] is None
    assert not view["rounds"][0]["counts"]
    assert app.ask(f"/api/campaigns/{campaign}/rankings/{round_['id']}/put-back", {}).ok
    assert app.ask(f"/api/campaigns/{campaign}/rankings/nothing/put-back", {}).code == "ranking_unknown"
    assert app.ask(f"/api/campaigns/{campaign}/rankings", {"number": 1, "lead_ids": ["a", "b", "c"]}).code == (
        "ranking_outdated"
    )
