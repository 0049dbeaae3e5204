"""The Inbox over the API: conversations in order, found by state and name, each with what is recorded of it."""

import sqlite3
from typing import Any

import pytest

from backend.api import drafts
from backend.api import threads as thread_api
from backend.api.shapes import PageQuery
from backend.domain.events.events import Event
from tests.api.app import App
from tests.stored_rows import all_rows, first_row


@pytest.fixture
def people(app: App, campaign: str) -> list[tuple[str, str]]:
    """(id, name) of five leads: two wait for an answer, one replied, one nobody knows, one was never written to."""
    rows = app.workspace.database.query(
        all_rows, "SELECT id, full_name FROM leads WHERE campaign_id=? ORDER BY id", campaign
    )
    advance = [
        {"invited_at": 10, "status": "contacted"},
        {"invited_at": 5, "last_sent_at": 20, "status": "contacted", "thread_read_at": 25},
        {"invited_at": 6, "last_sent_at": 7, "replied_at": 40, "status": "responded", "thread_read_at": 40},
        {"blocked": "outcome_unknown", "last_sent_at": 30, "status": "contacted"},
    ]
    for (lead_id, _), changes in zip(rows, advance, strict=False):
        app.record(campaign, Event("LeadAdvanced", lead_id, changes))
    return [(id_, name) for id_, name in rows[:5]]


def threads(app: App, campaign: str, query: str = "") -> Any:
    answer = app.ask(f"/api/campaigns/{campaign}/threads{query}")
    assert answer.ok, answer.text
    return answer.json


def test_whoever_may_not_have_got_the_last_text_comes_first_then_the_latest_and_nobody_else(
    app: App, campaign: str, people: list[tuple[str, str]]
) -> None:
    rows = threads(app, campaign)["rows"]
    assert [(row["id"], row["state"], row["last_at"]) for row in rows] == [
        (people[3][0], "unknown", 30),
        (people[2][0], "replied", 40),
        (people[1][0], "waiting", 20),
        (people[0][0], "waiting", 10),
    ]


def test_a_row_and_its_conversation_tell_the_same_day_by_the_same_clock(
    app: App, campaign: str, people: list[tuple[str, str]]
) -> None:
    lead = people[2][0]
    reply = {"lead_id": lead, "kind": "reply", "text": "Yes", "status": "received", "sent_at": 40, "created_at": 41}
    app.record(campaign, Event("ReplyReceived", "r1", reply))
    thread = app.ask(f"/api/campaigns/{campaign}/threads/{lead}").json
    for rows in (threads(app, campaign)["rows"], app.ask("/api/inbox").json["rows"]):
        (row,) = (row for row in rows if row["id"] == lead)
        assert (row["last"]["at"], row["utc_offsets"]) == (thread["messages"][-1]["at"], thread["utc_offsets"])
        assert abs(thread["now"] - row["now"]) < 3_600_000


@pytest.mark.parametrize("of", ["campaign", "all"])
def test_conversations_are_paged_each_once_whatever_their_state(
    app: App, campaign: str, people: list[tuple[str, str]], of: str
) -> None:
    path = f"/api/campaigns/{campaign}/threads" if of == "campaign" else "/api/inbox"
    seen, after = list[str](), ""
    while True:
        page = app.ask(f"{path}?limit=1&after={after}").json
        seen += [row["id"] for row in page["rows"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert seen == [people[at][0] for at in (3, 2, 1, 0)]


@pytest.mark.parametrize(("state", "places"), [("replied", [2]), ("unknown", [3]), ("waiting", [1, 0])])
def test_conversations_are_found_by_their_state(
    app: App, campaign: str, people: list[tuple[str, str]], state: str, places: list[int]
) -> None:
    assert [row["id"] for row in threads(app, campaign, f"?state={state}")["rows"]] == [people[at][0] for at in places]


def test_conversations_are_found_by_name_literally(app: App, campaign: str, people: list[tuple[str, str]]) -> None:
    name = people[1][1]
    assert [row["id"] for row in threads(app, campaign, f"?name={name.split()[0].upper()}")["rows"]] == [people[1][0]]
    assert threads(app, campaign, "?name=%25")["rows"] == [], "a percent sign is a percent sign"
    assert threads(app, campaign, "?name=_")["rows"] == []


@pytest.mark.parametrize("query", ["after=x", "after=1", "after=99999999999999999999.a", "state=odd", "after=-1.a"])
def test_a_place_that_is_none_is_refused(app: App, campaign: str, query: str) -> None:
    assert app.ask(f"/api/campaigns/{campaign}/threads?{query}").code == "bad_request"


def test_the_list_reads_its_index_and_nothing_more(app: App, campaign: str, people: list[tuple[str, str]]) -> None:
    asked: list[str] = []
    with app.workspace.database.read() as connection:
        connection.set_trace_callback(asked.append)
        thread_api.list_(app.launch.services, connection, campaign, thread_api.ThreadsQuery())
        connection.set_trace_callback(None)
        (listing,) = [sql for sql in asked if "UNION ALL" in sql]
        plans = [line[3] for line in connection.execute(f"EXPLAIN QUERY PLAN {listing}")]
    searches = [line for line in plans if line.startswith(("SEARCH leads", "SCAN leads"))]
    assert len(searches) == 3
    for line in searches:
        assert "leads_in_touch (campaign_id=? AND <expr>=?" in line, plans
        assert "<expr><" in line, "the place in the list is looked up, too"


def test_a_conversation_shows_each_message_with_its_approval_and_its_evidence(
    app: App, campaign: str, people: list[tuple[str, str]]
) -> None:
    lead = people[2][0]
    file = f"ab/ab{'0' * 62}.png"
    piece = {"kind": "message", "sha256": f"ab{'0' * 62}", "file": file, "quote": "Message sent."}
    text = "x" * 30_000
    app.record(
        campaign,
        Event("MessageDrafted", "m1", {"lead_id": lead, "task_id": "t", "step": "hello", "kind": "message", "text": "Hi",
                                       "status": "approved", "created_at": 1}),
        Event("ApprovalGiven", "a1", {"message_id": "m1", "digest": "d" * 64, "status": "open", "given_by": "user",
                                      "expires_at": 9, "created_at": 2}),
        Event("ActionIntended", "x1", {"turn": 1, "task_id": "t", "lead_id": lead, "message_id": "m1", "approval_id": "a1",
                                       "account": "p", "family": "message", "tool": "browser.send_message", "params": {},
                                       "status": "intended", "intended_at": 3}),
        Event("ActionSettled", "x1", {"status": "sent", "claim": "confirmed", "said": "Message sent.", "evidence": [piece],
                                      "settled_at": 4}),
        Event("ApprovalUsed", "a1", {"status": "used"}),
        Event("MessageSent", "m1", {"status": "sent", "sent_at": 4, "evidence": [piece]}),
        Event("MessageDrafted", "m0", {"lead_id": lead, "step": "hello", "kind": "message", "text": "No", "status": "draft",
                                       "created_at": 1}),
        Event("MessageCancelled", "m0", {"status": "cancelled", "reason": "rejected by the user"}),
        Event("ReplyReceived", "r1", {"lead_id": lead, "kind": "reply", "text": text, "status": "received", "sent_at": 7,
                                      "created_at": 40}),
    )  # fmt: skip
    view = app.ask(f"/api/campaigns/{campaign}/threads/{lead}").json
    ours, theirs = view["messages"]
    assert (ours["author"], ours["text"], ours["status"], ours["at"]) == ("us", "Hi", "sent", 4)
    assert ours["approval"] == {"by": "user", "at": 2, "digest": "d" * 64, "status": "used"}
    (attempt,) = ours["attempts"]
    assert (attempt["claim"], attempt["said"], attempt["evidence"]) == ("confirmed", "Message sent.", [piece])
    assert (theirs["author"], len(theirs["text"]), theirs["length"], theirs["approval"]) == (
        "them",
        20_000,
        30_000,
        None,
    )
    assert (view["state"], view["earlier"], view["read_at"]) == ("replied", 0, 40)
    (line,) = threads(app, campaign, "?state=replied")["rows"]
    assert line["last"]["author"] == "them"


def test_a_lead_of_another_campaign_has_no_conversation_here(app: App, campaign: str) -> None:
    answer = app.ask(f"/api/campaigns/{campaign}/threads/nobody")
    assert (answer.status, answer.code) == (404, "lead_unknown")


def test_an_unknown_outcome_comes_with_its_question(app: App, campaign: str, people: list[tuple[str, str]]) -> None:
    lead = people[3][0]
    task = {"kind": "reach_lead", "description": "Reach", "status": "blocked", "needs": "input", "lead_id": lead,
            "created_at": 1}  # fmt: skip
    asked = {"task_id": "t9", "kind": "outcome_unknown", "question": "Was it sent?", "choices": ["it was sent"],
             "payload": {"action_id": "x"}, "status": "open", "created_at": 1}  # fmt: skip
    sent = {"lead_id": lead, "task_id": "t9", "step": "hello", "kind": "message", "text": "Hi", "status": "outcome_unknown",
            "created_at": 1}  # fmt: skip
    app.record(campaign, Event("TaskCreated", "t9", task), Event("InputRequested", "q9", asked))
    app.record(campaign, Event("MessageDrafted", "m9", sent))
    view = app.ask(f"/api/campaigns/{campaign}/threads/{lead}").json
    assert [question["id"] for question in view["questions"]] == ["q9"]
    (row,) = app.ask(f"/api/campaigns/{campaign}/outgoing").json["rows"]
    assert (row["id"], row["status"], row["question"]["id"], row["gates"]) == ("m9", "outcome_unknown", "q9", [])


def test_no_screen_s_statement_scans(app: App, campaign: str) -> None:
    """What Review and Inbox ask for one lead is found by an index."""
    with app.workspace.database.read() as connection:
        for sql in statements(connection, app, campaign):
            for line in connection.execute(f"EXPLAIN QUERY PLAN {sql}"):
                assert not line[3].startswith(("SCAN messages", "SCAN leads", "SCAN actions", "SCAN tasks")), (
                    line[3],
                    sql,
                )


def statements(connection: sqlite3.Connection, app: App, campaign: str) -> list[str]:
    (lead_id,) = connection.execute("SELECT id FROM leads LIMIT 1").fetchone()
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    inputs = app.services.turn_inputs(campaign)
    drafts.draft_page(connection, campaign, inputs, PageQuery(limit=10))
    drafts.outgoing_page(connection, campaign, inputs, PageQuery(limit=10))
    thread_api.view(app.launch.services, connection, campaign, lead_id)
    connection.set_trace_callback(None)
    return [sql for sql in asked if sql.lstrip().startswith("SELECT")]


def test_a_conversation_is_labelled_put_off_and_answered(app: App, campaign: str) -> None:
    (lead,) = app.workspace.database.query(first_row, "SELECT id FROM leads WHERE campaign_id=? LIMIT 1", campaign)
    reply = {"lead_id": lead, "kind": "reply", "text": "Yes", "status": "received", "sent_at": 5, "created_at": 5}
    app.record(
        campaign,
        Event("ReplyReceived", "r1", reply),
        Event("LeadAdvanced", lead, {"replied_at": 5, "status": "responded", "relation": "connected"}),
    )
    at = f"/api/campaigns/{campaign}/threads/{lead}"
    (line,) = app.ask("/api/inbox").json["rows"]
    assert (line["id"], line["campaign_id"], line["label"], line["unread"]) == (lead, campaign, "", True)
    later = app.ask(at).json["now"] + 86_400_000
    assert app.ask(f"{at}/label", {"label": "later", "until": 1}).code == "date_has_passed"
    for name in ("label", "snooze"):  # no calendar shows that
        never = {"until": 2**53 - 1, **({"label": "later"} if name == "label" else {})}
        assert app.ask(f"{at}/{name}", never).code == "bad_request"
    assert app.ask(f"{at}/label", {"label": "later", "until": later}).ok
    assert app.ask("/api/inbox").json["rows"] == []
    (line,) = app.ask("/api/inbox?state=snoozed&label=later").json["rows"]
    assert (line["label"], line["snoozed_until"]) == ("later", later)
    assert app.ask(f"{at}/snooze", {"until": None}).ok
    view = app.ask(at).json
    assert (view["label"], view["snoozed_until"], view["suggestion"], view["answers"]) == (
        "later",
        None,
        "answer",
        True,
    )
    assert app.ask(f"{at}/answer", {"text": "Thank you"}).ok
    view = app.ask(at).json
    assert (view["suggestion"], view["waiting"]["text"]) == ("wait_to_be_sent", "Thank you")
    assert app.ask(f"{at}/take-back", {}).json == {"text": "Thank you"}
    assert app.ask(at).json["unsent"] == {"text": "Thank you", "why": "taken back by the user"}
    assert app.ask(f"{at}/answer", {"text": "x" * 9_000}).code == "text_too_long"
    saved = {"replies": [{"name": "Dates", "words": "Would Tuesday suit you?"}]}
    assert app.ask("/api/inbox/saved-replies", saved).json == saved
    assert app.ask("/api/inbox/saved-replies").json == saved
