"""The assistant over the API: what is said becomes turns, their results lines, and the page hears of each."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.app import App
from tests.api.runs import ask, follow

pytestmark = pytest.mark.usefixtures("watched")


def say(app: App, campaign: str, text: str, attached: list[Any] | None = None, key: str | None = None) -> str:
    """Say it; the request's id."""
    answer = app.ask(
        f"/api/campaigns/{campaign}/assistant/messages",
        {"text": text, "attached": attached or [], "key": key or uuid4().hex},
    )
    assert answer.status == 201, answer.text
    return str(answer.json["request_id"])


def conversation(app: App, campaign: str) -> Any:
    return ask(app, f"/api/campaigns/{campaign}/assistant")


def rest(app: App, campaign: str) -> list[Any]:
    """Wait until nothing is worked on; the lines then."""
    follow(app, lambda: conversation(app, campaign)["working"] is None)
    lines: list[Any] = conversation(app, campaign)["lines"]
    return lines


def keep(app: App, campaign: str, artifact_type: str, key: str, content: str) -> None:
    app.session.commands(campaign).artifacts.save(campaign, artifact_type, key, content.encode(), follows=0)


def test_saved_artifacts_are_listed_in_the_conversation(app: App, campaign: str) -> None:
    keep(app, campaign, "job_posting", "acme", "We look for a CTO.")
    request = say(app, campaign, "list my saved artifacts")
    lines = rest(app, campaign)
    assert [(line["author"], line["request_id"]) for line in lines] == [("user", request), ("outrider", request)]
    assert lines[0]["text"] == "list my saved artifacts"
    result = lines[1]["result"]
    assert (result["kind"], result["total"]) == ("artifacts", 2)  # a campaign keeps its blueprint
    assert result["found"][0] | {"created_at": 0} == {
        "artifact_type": "job_posting", "key": "acme", "version": 1, "source": "user", "bytes": 18, "created_at": 0,
    }  # fmt: skip
