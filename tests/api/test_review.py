"""Review over the API: what is approved is exactly what was shown."""

from typing import Any

from tests.api.app import Answer, App


def shown(app: App, campaign: str) -> Any:
    (draft,) = app.ask(f"/api/campaigns/{campaign}").json["drafts"]
    return draft


def decide(app: App, campaign: str, draft: str, how: str, body: object) -> Answer:
    return app.ask(f"/api/campaigns/{campaign}/drafts/{draft}/{how}", body)


def status(app: App, draft: str) -> str:
    with app.session.workspace.database.read() as connection:
        found: str = connection.execute("SELECT status FROM messages WHERE id=?", (draft,)).fetchone()[0]
    return found


def test_a_draft_is_shown_with_everything_that_an_approval_binds(app: App, campaign: str, draft: str) -> None:
    one = shown(app, campaign)
    assert one["text"] == "Hi, shall we talk? 🙂"
    assert (one["length"], one["limit"]) == (20, 200)
    assert one["recipient"]
    assert one["profile_url"].startswith("https://")
    assert len(one["digest"]) == 64
    assert {gate["code"] for gate in one["gates"]} >= {"approved", "user_present", "daily_limit"}


def test_an_approval_of_the_shown_text_is_taken(app: App, campaign: str, draft: str) -> None:
    assert decide(app, campaign, draft, "approve", {"digest": shown(app, campaign)["digest"]}).status == 200
    assert status(app, draft) == "approved"
    assert decide(app, campaign, draft, "approve", {"digest": "0" * 64}).code == "approval_unknown"


def test_an_approval_of_a_text_that_changed_is_refused(app: App, campaign: str, draft: str) -> None:
    seen = shown(app, campaign)["digest"]
    assert decide(app, campaign, draft, "edit", {"text": "Another text"}).status == 200
    answer = decide(app, campaign, draft, "approve", {"digest": seen})
    assert (answer.status, answer.code) == (409, "approval_text_changed")
    assert status(app, draft) == "draft"
    assert shown(app, campaign)["digest"] != seen


def test_a_rejected_draft_is_gone(app: App, campaign: str, draft: str) -> None:
    assert decide(app, campaign, draft, "reject", {}).status == 200
    assert app.ask(f"/api/campaigns/{campaign}").json["drafts"] == []
    assert status(app, draft) == "cancelled"


def test_a_text_that_cannot_be_sent_is_refused_and_the_draft_kept(app: App, campaign: str, draft: str) -> None:
    assert decide(app, campaign, draft, "edit", {"text": "x" * 201}).code == "text_too_long"
    assert decide(app, campaign, draft, "edit", {"text": "Hi {first_name}"}).code == "text_not_sendable"
    assert shown(app, campaign)["text"] == "Hi, shall we talk? 🙂"


def test_shapes_are_strict_and_an_answer_does_not_repeat_what_was_sent(app: App, campaign: str, draft: str) -> None:
    bodies: tuple[object, ...] = ({}, {"digest": 1}, {"digest": "a", "also": 1}, [], {"text": "secret words"})
    for body in bodies:
        answer = decide(app, campaign, draft, "approve", body)
        assert (answer.status, answer.code) == (400, "bad_request"), body
        assert "secret words" not in answer.text
    assert app.ask(f"/api/campaigns/{campaign}/drafts/{draft}/approve", b"{half").code == "bad_request"
    assert status(app, draft) == "draft"
