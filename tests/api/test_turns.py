"""Turns as they were: pages, one in detail, and its entries of the audit log found wherever they are."""

import json
import sqlite3
from typing import Any

import pytest

from backend.api import turns as reads
from backend.domain.events.events import AuditEntry, Event
from tests.api.app import App
from tests.api.runs import ask, follow, step, without_a_browser
from tests.fakes.proposers import MockProposer

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_browser(monkeypatch)


def turn(app: App, campaign: str, number: int) -> Any:
    return ask(app, f"/api/campaigns/{campaign}/turns/{number}")


def write(app: App, campaign: str, first: int, count: int, *, noise: int = 0) -> None:
    """So many turns as the loop records them, each with other entries behind it."""
    with app.workspace.journal.transaction() as transaction:
        for number in range(first, first + count):
            entry = AuditEntry("proposal", {"raw": f"reply of {number}"})
            transaction.audit(campaign, [entry], actor="agent", cause=f"t{number}", at=number)
            done = {"history": "WLPAC", "steps": [1] * 8, "proposal": "no_op", "task_id": f"task{number % 3}"}
            transaction.record(
                campaign, [Event("TurnCompleted", str(number), done)], actor="controller", cause=f"t{number}", at=number
            )
            others = [AuditEntry("verification", {"task_id": "x"})] * noise
            transaction.audit(campaign, others, actor="verifier", cause="verify x", at=number)


def test_a_turn_shows_its_reply_its_parameters_its_calls_and_its_gates(app: App, campaign: str) -> None:
    app.ask(f"/api/campaigns/{campaign}/start", {})
    follow(app, lambda: ask(app, f"/api/campaigns/{campaign}")["needs"]["approve"] == 12)
    rows = ask(app, f"/api/campaigns/{campaign}/turns")["rows"]
    looked = next(row["number"] for row in rows if row["proposal"] == "execute_tool")
    shown = turn(app, campaign, looked)
    assert shown["recorded"]
    assert shown["line"]["faulted"] is False
    assert len(shown["line"]["steps_us"]) == 8
    assert {row["name"]: row["value"] for row in shown["parsed"]["params"]}["tool"] == "browser.read_profile"
    assert json.loads(shown["reply"]["text"])["task_id"] == shown["parsed"]["task_id"] == shown["line"]["task_id"]
    (call,) = shown["calls"]
    assert (call["tool"], call["outcome"]) == ("browser.read_profile", "ok")
    assert {gate["passes"] for gate in shown["gates"]} == {True}
    drafted = next(row["number"] for row in rows if row["proposal"] == "generate_message")
    assert turn(app, campaign, drafted)["gates"] == []


def test_a_send_shows_its_outcome_and_its_evidence(app: App, campaign: str) -> None:
    app.ask(f"/api/campaigns/{campaign}/start", {})
    follow(app, lambda: ask(app, f"/api/campaigns/{campaign}")["needs"]["approve"] == 12)
    draft = ask(app, f"/api/campaigns/{campaign}/drafts")["rows"][0]
    app.ask(f"/api/campaigns/{campaign}/drafts/{draft['id']}/approve", {"shown_digest": draft["digest"]})
    follow(app, lambda: ask(app, f"/api/campaigns/{campaign}")["leads"].get("contacted") == 1)
    rows = ask(app, f"/api/campaigns/{campaign}/turns")["rows"]
    sent = [shown for row in rows if (shown := turn(app, campaign, row["number"]))["actions"]]
    (action,) = sent[0]["actions"]
    assert (action["tool"], action["status"], action["text"]) == ("browser.send_invitation", "sent", draft["text"])
    assert "invitation pending" in {piece["quote"] for piece in action["evidence"]}
    assert action["settled_at"] >= action["intended_at"]


def test_a_refused_reply_is_shown_as_received_with_the_rule_it_broke(app: App, campaign: str) -> None:
    app.run_service.proposer = MockProposer([" \n<script>alert(1)</script> \ud800 " + "x" * 9_000 + "\n"])
    step(app, campaign)
    shown = turn(app, campaign, 1)
    assert (shown["rejection"], shown["line"]["said"]) == ("reply_not_json", "The reply is not one JSON object.")
    assert shown["parsed"] is None
    assert shown["reply"]["text"].startswith(" \n<script>alert(1)</script> \\ud800 xxx")
    assert (len(shown["reply"]["text"]), shown["reply"]["length"]) == (reads.SHOWN_REPLY + 5, 9_031)
    whole = ask(app, f"/api/campaigns/{campaign}/turns/1/reply")
    assert len(whole["text"]) == 9_031 + 5
    assert whole["text"].endswith("x\n")


def test_a_gate_that_was_shut_is_shown_as_it_answered_then(app: App, campaign: str) -> None:
    for _ in range(4):
        step(app, campaign)
    (lead,) = [row for row in ask(app, f"/api/campaigns/{campaign}/turns")["rows"] if row["number"] == 4]
    refused = {
        "parameters": {},
        "refused": [
            {"gate": "daily_limit", "said": "Today's limit of 15 invitations leaves no room for more.", "until": 99}
        ],
    }
    raw = {
        "type": "execute_tool",
        "task_id": lead["task_id"],
        "params": {"tool": "browser.read_profile", "lead_id": "x"},
    }
    with app.workspace.journal.transaction() as transaction:
        entries = [AuditEntry("gates", refused), AuditEntry("proposal", {"raw": json.dumps(raw)})]
        transaction.audit(campaign, entries, actor="agent", cause="t5", at=1)
        done = {
            "history": "WLPAC",
            "steps": [1] * 8,
            "proposal": "execute_tool",
            "verdict": "gate:within_working_hours",
        }
        event = Event("TurnCompleted", "5", done)
        transaction.record(campaign, [event], actor="controller", cause="t5", at=1)
    shown = turn(app, campaign, 5)
    assert shown["rejection"] == ""
    assert len(shown["gates"]) == 8  # those that a look is asked of


def test_pages_of_turns_join_without_gap_or_repetition(app: App, campaign: str) -> None:
    write(app, campaign, 1, 120)
    seen: list[int] = []
    after = ""
    while True:
        page = ask(app, f"/api/campaigns/{campaign}/turns?limit=50{after}")
        seen += [row["number"] for row in page["rows"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert seen == list(range(120, 0, -1))


def test_the_turns_of_a_task_are_searched_in_bounded_steps(app: App, campaign: str) -> None:
    write(app, campaign, 1, 60)
    pages: list[tuple[list[int], int | None]] = []
    before: int | None = None
    with app.workspace.database.read() as connection:
        while not pages or before is not None:
            page = reads.turns_of_task(connection, campaign, "task1", before, 50, searched=25)
            before = int(page.next) if page.next else None
            pages.append(([row.number for row in page.rows], before))
    assert pages == [
        ([58, 55, 52, 49, 46, 43, 40, 37], 36), ([34, 31, 28, 25, 22, 19, 16, 13], 11), ([10, 7, 4, 1], None),
    ]  # fmt: skip
    assert [row["number"] for row in ask(app, f"/api/campaigns/{campaign}/turns?task=task1&after=11")["rows"]] == [
        10,
        7,
        4,
        1,
    ]


@pytest.mark.parametrize("noise", [0, 3])
def test_every_turn_s_entries_are_found_among_others(app: App, campaign: str, noise: int) -> None:
    write(app, campaign, 1, 70, noise=noise)
    for number in (1, 2, 35, 69, 70):
        shown = turn(app, campaign, number)
        assert (shown["reply"]["text"], shown["at"], shown["recorded"]) == (f"reply of {number}", number, True)


def test_a_turn_is_found_by_halving_and_not_by_reading_the_log(app: App, campaign: str) -> None:
    write(app, campaign, 1, 3_000, noise=1)
    with app.workspace.database.read() as connection:
        asked: list[str] = []
        connection.set_trace_callback(asked.append)
        assert reads.detail(connection, campaign, 5).recorded
        connection.set_trace_callback(None)
        for sql in asked:
            assert_indexed(connection, sql)
    assert len(asked) < 25


def assert_indexed(connection: sqlite3.Connection, sql: str) -> None:
    lines = (
        [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")] if sql.startswith(("SELECT", "\n")) else []
    )
    assert not [line for line in lines if line.startswith("SCAN") or "TEMP B-TREE" in line], (sql, lines)


def test_a_turn_whose_entries_are_not_found_says_so(app: App, campaign: str) -> None:
    done = {"history": "WLPAC", "steps": [1] * 8, "proposal": "no_op"}
    app.record(campaign, Event("TurnCompleted", "1", done))
    shown = turn(app, campaign, 1)
    assert (shown["recorded"], shown["reply"], shown["line"]["proposal"]) == (False, None, "no_op")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("turns/1", 404, "turn_unknown"),
        ("turns/1/reply", 404, "turn_unknown"),
        ("turns/99999999999999999999", 404, "page_unknown"),
        ("turns?after=x", 400, "bad_request"),
        ("turns?after=0", 400, "bad_request"),
        ("turns?limit=9999999999999999999", 400, "bad_request"),
        ("tasks?status=maybe", 400, "bad_request"),
        ("tasks?after=[1,2]", 400, "bad_request"),
        ("tasks?after=%5B%22done%22,%22look%22,1e400,0,%22%22%5D", 400, "bad_request"),
        ("tasks/nothing", 404, "task_unknown"),
    ],
)
def test_what_is_wrong_is_refused_with_a_code(app: App, campaign: str, path: str, status: int, code: str) -> None:
    answer = app.ask(f"/api/campaigns/{campaign}/{path}")
    assert (answer.status, answer.code) == (status, code)
