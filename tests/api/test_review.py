"""Review over the API: what is approved is exactly what was shown."""

from typing import Any

import pytest

from backend.api.drafts import draft_page
from backend.api.shapes import PageQuery
from backend.domain.events.events import Event
from backend.domain.events.facts.message import ApprovalExpired, ApprovalGiven
from backend.domain.model.days import in_utc
from backend.ports.sync_status import LOCAL
from backend.situation.situations import TurnInputs
from tests.api.app import Answer, App
from tests.stored_rows import all_rows, first_row


def shown(app: App, campaign: str) -> Any:
    (draft,) = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    return draft


def decide(app: App, campaign: str, draft: str, how: str, body: object) -> Answer:
    return app.ask(f"/api/campaigns/{campaign}/drafts/{draft}/{how}", body)


def status(app: App, draft: str) -> str:
    stored: str = app.workspace.database.query(first_row, "SELECT status FROM messages WHERE id=?", draft)[0]
    return stored


def test_a_draft_is_shown_with_everything_that_an_approval_binds(app: App, campaign: str, draft: str) -> None:
    row = shown(app, campaign)
    assert row["text"] == "Hi, shall we talk? 🙂"
    assert (row["length"], row["limit"]) == (21, 200), "as the site counts: an emoji is two"
    assert row["recipient"]
    assert row["profile_url"].startswith("https://")
    assert len(row["digest"]) == 64
    assert {gate["code"] for gate in row["gates"]} >= {"approved", "user_present", "daily_limit"}


def test_a_draft_says_why_this_person(app: App, campaign: str, draft: str) -> None:
    lead = shown(app, campaign)["lead_id"]
    parts = app.ask(f"/api/campaigns/{campaign}/leads/{lead}").json["score"]
    assert (shown(app, campaign)["score"], parts) == (None, [])
    app.record(campaign, Event("LeadScored", lead, {"weight_score": 1}))
    parts = [part for part in app.ask(f"/api/campaigns/{campaign}/leads/{lead}").json["score"] if part["points"]]
    assert shown(app, campaign)["score_reasons"] == [], "it is not what the rules give"
    app.record(campaign, Event("LeadScored", lead, {"weight_score": sum(part["points"] for part in parts)}))
    assert shown(app, campaign)["score_reasons"] == [f"+{part['points']} {part['why']}" for part in parts]


def test_an_approval_of_the_shown_text_is_taken(app: App, campaign: str, draft: str) -> None:
    assert decide(app, campaign, draft, "approve", {"shown_digest": shown(app, campaign)["digest"]}).ok
    assert status(app, draft) == "approved"
    assert decide(app, campaign, draft, "approve", {"shown_digest": "0" * 64}).code == "approval_unknown"


def test_an_approval_of_a_text_that_changed_is_refused(app: App, campaign: str, draft: str) -> None:
    seen = shown(app, campaign)["digest"]
    assert decide(app, campaign, draft, "edit", {"text": "Another text"}).ok
    answer = decide(app, campaign, draft, "approve", {"shown_digest": seen})
    assert (answer.status, answer.code) == (409, "approval_text_changed")
    assert status(app, draft) == "draft"
    assert shown(app, campaign)["digest"] != seen


def test_what_was_approved_before_says_that_it_expired_while_it_says_the_same(
    app: App, campaign: str, draft: str
) -> None:
    first = shown(app, campaign)
    assert first["expired_at"] is None
    approval = ApprovalGiven(
        "a1", message_id=draft, digest=first["digest"], given_by="user", expires_at=9, created_at=1
    )
    app.record(campaign, approval, ApprovalExpired("a1"))
    assert shown(app, campaign)["expired_at"] == 9
    app.record(campaign, Event("MessageEdited", draft, {"text": "Hello"}))
    assert shown(app, campaign)["expired_at"] is None


def test_a_rejected_draft_is_gone(app: App, campaign: str, draft: str) -> None:
    assert decide(app, campaign, draft, "reject", {}).ok
    assert app.ask(f"/api/campaigns/{campaign}/drafts").json == {"rows": [], "next": None}
    assert status(app, draft) == "cancelled"


def test_a_text_that_cannot_be_sent_is_refused_and_the_draft_kept(app: App, campaign: str, draft: str) -> None:
    assert decide(app, campaign, draft, "edit", {"text": "x" * 201}).code == "text_too_long"
    assert decide(app, campaign, draft, "edit", {"text": "Hi {first_name}"}).code == "text_not_sendable"
    assert shown(app, campaign)["text"] == "Hi, shall we talk? 🙂"


def test_shapes_are_strict_and_an_answer_does_not_repeat_what_was_sent(app: App, campaign: str, draft: str) -> None:
    bodies: tuple[object, ...] = (
        {},
        {"shown_digest": 1},
        {"shown_digest": "a", "also": 1},
        [],
        {"text": "secret words"},
    )
    for body in bodies:
        answer = decide(app, campaign, draft, "approve", body)
        assert (answer.status, answer.code) == (400, "bad_request"), body
        assert "secret words" not in answer.text
    assert app.ask(f"/api/campaigns/{campaign}/drafts/{draft}/approve", b"{half").code == "bad_request"
    assert status(app, draft) == "draft"


def message(app: App, campaign: str, position: int, id_: str, **more: object) -> str:
    """Another text, to the lead in that place; its id."""
    ids = app.workspace.database.query(all_rows, "SELECT id FROM leads WHERE campaign_id=? ORDER BY id", campaign)
    written = {"lead_id": ids[position][0], "task_id": "t", "step": "invite", "kind": "invitation"}
    written |= {"text": f"Hello {position}", "status": "draft", "created_at": 1}
    app.record(campaign, Event("MessageDrafted", id_, written | more))
    return id_


def test_drafts_come_in_pages_each_once(app: App, campaign: str) -> None:
    made = [message(app, campaign, position, f"m{position:02}") for position in range(12)]
    seen, after = list[str](), ""
    while True:
        page = app.ask(f"/api/campaigns/{campaign}/drafts?limit=5&after={after}").json
        seen += [row["id"] for row in page["rows"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert seen == made


@pytest.mark.parametrize("size", range(1, 5))
def test_when_a_text_goes_out_is_the_same_on_whichever_page_it_is_shown(app: App, campaign: str, size: int) -> None:
    for position in range(5):
        message(app, campaign, position, f"m{position:02}", text="" if position == 1 else f"Hello {position}")
    now = TurnInputs(1_780_315_200_000, in_utc, True, LOCAL)  # a Monday noon
    with app.workspace.database.read() as connection:
        whole = draft_page(connection, campaign, now, PageQuery(limit=5)).rows
        first = draft_page(connection, campaign, now, PageQuery(limit=size))
        rest = draft_page(connection, campaign, now, PageQuery(limit=5, after=first.next or "")).rows
    times = [row.goes_out_at for row in whole]
    assert len(set(times)) == 5
    assert [row.goes_out_at for row in (*first.rows, *rest)] == times


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "also=1", "limit=1&limit=2"])
def test_a_page_that_makes_no_sense_is_refused(app: App, campaign: str, query: str) -> None:
    for noun in ("drafts", "outgoing", "threads"):
        assert app.ask(f"/api/campaigns/{campaign}/{noun}?{query}").code == "bad_request"


def test_several_are_approved_each_by_its_own_digest(app: App, campaign: str) -> None:
    for position in range(3):
        message(app, campaign, position, f"m{position}")
    rows = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    drafts = [{"id": row["id"], "digest": row["digest"]} for row in rows]
    assert decide(app, campaign, "m1", "edit", {"text": "Changed meanwhile"}).ok
    answer = app.ask(f"/api/campaigns/{campaign}/drafts/approve", {"drafts": [*drafts, {"id": "none", "digest": "x"}]})
    codes = [(draft["id"], draft["error"] and draft["error"]["code"]) for draft in answer.json["drafts"]]
    assert codes == [("m0", None), ("m1", "approval_text_changed"), ("m2", None), ("none", "approval_unknown")]
    assert [status(app, f"m{position}") for position in range(3)] == ["approved", "draft", "approved"]


def test_a_draft_shows_what_was_said_before(app: App, campaign: str) -> None:
    message(app, campaign, 0, "m0", step="hello", kind="message")
    for number in range(6):
        message(
            app, campaign, 0, f"r{number}", kind="reply", step="", status="received", text=f"r{number}", sent_at=number
        )
    (row,) = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    assert [(line["author"], line["text"]) for line in row["thread"]] == [("them", f"r{n}") for n in (2, 3, 4, 5)]


def test_what_is_approved_tells_why_it_waits_and_can_be_taken_back(app: App, campaign: str, draft: str) -> None:
    decide(app, campaign, draft, "approve", {"shown_digest": shown(app, campaign)["digest"]})
    (row,) = app.ask(f"/api/campaigns/{campaign}/outgoing").json["rows"]
    assert (row["id"], row["status"], row["approved_by"], row["question"]) == (draft, "approved", "user", None)
    assert 5 <= (row["expires_at"] - row["approved_at"]) / 86_400_000 <= 12  # five working days after the planned one
    shut = {gate["code"] for gate in row["gates"] if not gate["passes"]}
    assert "campaign_active" in shut, "it was not started"
    assert "approved" not in shut
    path = f"/api/campaigns/{campaign}/outgoing/{draft}/withdraw"
    assert app.ask(path, {}).ok
    assert status(app, draft) == "draft"
    assert app.ask(path, {}).code == "illegal_status"
    assert app.ask(f"/api/campaigns/{campaign}/outgoing").json["rows"] == []


def test_a_reason_to_reject_is_short(app: App, campaign: str, draft: str) -> None:
    assert decide(app, campaign, draft, "reject", {"reason": "x" * 201}).status == 400
    assert decide(app, campaign, draft, "reject", {"reason": "x" * 200}).ok


def test_a_rejection_is_taken_back_only_while_it_can_be(app: App, campaign: str, draft: str) -> None:
    answer = decide(app, campaign, draft, "restore", {})
    assert (answer.status, answer.code) == (409, "rejection_final"), "it was not rejected"
    (lead,) = app.workspace.database.query(first_row, "SELECT lead_id FROM messages")
    app.record(campaign, Event("LeadAdvanced", lead, {"sequence_step": 1}))
    assert decide(app, campaign, draft, "reject", {}).ok
    assert decide(app, campaign, draft, "restore", {}).ok
    assert shown(app, campaign)["id"] == draft
    assert decide(app, campaign, "none", "restore", {}).code == "approval_unknown"


def test_review_of_an_unknown_campaign_is_a_coded_404(app: App) -> None:
    for noun in ("drafts", "outgoing", "threads", "threads/x"):
        answer = app.ask(f"/api/campaigns/nobody/{noun}")
        assert (answer.status, answer.code) == (404, "campaign_unknown")


def test_texts_with_hidden_characters_are_not_approved_among_several(app: App, campaign: str) -> None:
    texts = ["Hello", "Hel\u00adlo", "Hello\u3164", "Hello\u2800you"]
    for position, text in enumerate(texts):
        message(app, campaign, position, f"m{position}", text=text)
    rows = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    drafts = [{"id": row["id"], "digest": row["digest"]} for row in rows]
    answer = app.ask(f"/api/campaigns/{campaign}/drafts/approve", {"drafts": drafts})
    assert [draft["error"] and draft["error"]["code"] for draft in answer.json["drafts"]] == [None, *["text_hides"] * 3]
    assert decide(app, campaign, "m1", "approve", {"shown_digest": rows[1]["digest"]}).code == "text_hides"
    repeated = {"shown_digest": rows[1]["digest"], "hidden_shown": None}  # only who repeats a command was shown nothing
    assert decide(app, campaign, "m1", "approve", repeated).code == "bad_request"
    named = {"shown_digest": rows[1]["digest"], "hidden_shown": ["U+00AD"]}
    assert decide(app, campaign, "m1", "approve", named).ok
    named = {"shown_digest": rows[2]["digest"], "hidden_shown": ["U+00AD"]}
    assert decide(app, campaign, "m2", "approve", named).code == "text_hides"
    assert [status(app, f"m{position}") for position in range(4)] == ["approved", "approved", "draft", "draft"]


def test_what_may_be_a_placeholder_is_marked_and_never_approved_among_several(app: App, campaign: str) -> None:
    texts = ["Hello", "Hello [Team]", "Hello <Team> and $topics", "Hello [1]"]
    for position, text in enumerate(texts):
        message(app, campaign, position, f"m{position}", text=text)
    rows = app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]
    assert [row["placeholders"] for row in rows] == [[], ["[Team]"], ["<Team>", "$topics"], []]
    drafts = [{"id": row["id"], "digest": row["digest"]} for row in rows]
    answer = app.ask(f"/api/campaigns/{campaign}/drafts/approve", {"drafts": drafts})
    doubted = ["text_doubtful"] * 2
    assert [draft["error"] and draft["error"]["code"] for draft in answer.json["drafts"]] == [None, *doubted, None]
    assert answer.json["drafts"][1]["error"]["sentence"] == "This may be a placeholder: [Team]."
    assert decide(app, campaign, "m1", "approve", {"shown_digest": rows[1]["digest"]}).code == "text_doubtful"
    one_of_two = {"shown_digest": rows[2]["digest"], "placeholders_shown": ["<Team>"]}
    assert decide(app, campaign, "m2", "approve", one_of_two).code == "text_doubtful"
    both = {"shown_digest": rows[2]["digest"], "placeholders_shown": ["<Team>", "$topics"]}
    assert decide(app, campaign, "m2", "approve", both).ok
    assert [status(app, f"m{position}") for position in range(4)] == ["approved", "draft", "approved", "approved"]
    answer = decide(app, campaign, "m1", "edit", {"text": "Hello [Name]"})
    assert answer.code == "text_not_sendable"
    assert "[Name]" in answer.json["sentence"]


def test_a_text_that_fell_back_to_the_template_says_so_until_the_user_rewords_it(app: App, campaign: str) -> None:
    message(app, campaign, 0, "m0", text="Hello", from_template=True)
    message(app, campaign, 1, "m1", text="Hello you")

    def marked() -> list[bool]:
        return [row["from_template"] for row in app.ask(f"/api/campaigns/{campaign}/drafts").json["rows"]]

    assert marked() == [True, False]
    assert decide(app, campaign, "m0", "edit", {"text": "My own words"}).ok
    assert marked() == [False, False]
