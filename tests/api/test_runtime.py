"""The runtime of a campaign's turns over the API: what is stored, waking it, timers, and what is refused."""

from typing import Any

import pytest

from tests.api.app import App
from tests.api.runs import ask, follow, idle, without_a_browser


def runtime(app: App, campaign: str) -> Any:
    return ask(app, f"/api/campaigns/{campaign}/runtime")


@pytest.mark.usefixtures("watched")
def test_a_wake_takes_one_turn_and_words_go_to_the_assistant(
    app: App, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_a_browser(monkeypatch)
    before = runtime(app, campaign)
    assert (before["snapshot"]["state"], before["snapshot"]["last_turn"]) == ("Bootstrapping", 0)
    assert "soul" in [row["key"] for row in before["protected"]]
    assert app.ask(f"/api/campaigns/{campaign}/runtime/wake", {}).status == 204
    follow(app, lambda: idle(app))
    after = runtime(app, campaign)
    assert (after["snapshot"]["state"], after["snapshot"]["last_turn"]) == ("Idle", 1)
    assert after["projection"] | {"log_events": 0} == {
        "position": 1,
        "log_turn": 1,
        "log_events": 0,
        "lag": 0,
        "rebuilt_at": None,
        "rebuilt_from": None,
    }
    assert [(wake["reason"], wake["status"]) for wake in after["wakes"]] == [("manual", "woken")]
    answer = app.ask(f"/api/campaigns/{campaign}/runtime/wake", {"input": "Who replied?"})
    assert answer.status == 204, answer.text
    lines = ask(app, f"/api/campaigns/{campaign}/assistant")["lines"]
    assert lines[0]["text"] == "Who replied?"


def test_a_timer_is_armed_and_cancelled(app: App, campaign: str) -> None:
    where = f"/api/campaigns/{campaign}/runtime/timers"
    due = app.workspace.commands().clock.now() + 3_600_000
    made = app.ask(where, {"due_at": due})
    assert made.status == 201, made.text
    assert runtime(app, campaign)["wakes"][0]["status"] == "armed"
    assert app.ask(f"{where}/{made.json['id']}", method="DELETE").status == 204
    assert runtime(app, campaign)["wakes"][0]["status"] == "cancelled"
    assert app.ask(f"{where}/{made.json['id']}", method="DELETE").code == "wake_unknown"
    assert app.ask(where, {"due_at": 5}).code == "wake_time"
    assert app.ask(f"/api/campaigns/{campaign}/runtime/reset", {"reason": "x"}).code == "fault_none"
    assert app.ask("/api/campaigns/NOBODY/runtime").code == "campaign_unknown"
