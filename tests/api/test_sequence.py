"""The sequence over HTTP: shown, checked over all leads, its difference, applied, undone."""

from typing import Any

from tests.api.app import App


def wanted(view: dict[str, Any], **texts: str) -> dict[str, Any]:
    """What is in force, with other words in these steps."""
    steps = [{**step, "template": texts.get(step["key"], step["template"])} for step in view["requested"]["steps"]]
    return {**view["requested"], "steps": steps}


def test_a_change_is_shown_checked_applied_and_undone(app: App, campaign: str) -> None:
    at = f"/api/campaigns/{campaign}/sequence"
    view = app.ask(at).json
    assert [step["key"] for step in view["steps"]] == ["visit", "invite", "hello", "follow_up"]
    assert (view["version"], view["waiting"], view["previous"]) == (1, view["people"], None)
    new = wanted(view, hello="Hi {first_name}, about {company|your company}.")
    (check,) = app.ask(f"{at}/check", {"templates": [new["steps"][2]]}).json["templates"]
    assert check["people"] == view["people"]
    assert check["too_long"] == check["unfilled"] == 0
    (check,) = app.ask(f"{at}/check", {"templates": [{**new["steps"][2], "template": "{nothing}"}]}).json["templates"]
    assert "no variable {nothing}" in check["problem"]
    difference = app.ask(f"{at}/difference", {"version": 1, "requested": new}).json
    assert difference["concerned"] == view["people"]
    assert [change["change"] for group in difference["groups"] for change in group["changes"]] == ["text"]
    asked = {"requested": new, "group": difference["groups"][0]}
    assert len(app.ask(f"{at}/difference/people", asked).json["people"]) == view["people"]
    assert app.ask(at).json["version"] == 1
    assert app.ask(at, {"version": 1, "requested": new}).json["version"] == 2
    assert app.ask(at, {"version": 1, "requested": view["requested"]}).code == "settings_changed"
    after = app.ask(at).json
    assert after["steps"][2]["template"].startswith("Hi {first_name}, about")
    assert after["previous"] == view["requested"]
    assert app.ask(f"{at}/undo", {"version": 2}).json["version"] == 3
    assert app.ask(at).json["requested"] == view["requested"]
    bad = {**view["requested"], "steps": view["requested"]["steps"][1:]}
    assert app.ask(f"{at}/difference", {"version": 3, "requested": bad}).code == "sequence_invalid"
