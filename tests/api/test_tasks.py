"""The list of tasks: order, pages, counts, what each commitments and what would unblock it."""

import sqlite3
from typing import Any
from urllib.parse import quote

import pytest

from backend.api import tasks as reads
from backend.api.app import create_app
from backend.domain.events.events import Event
from backend.domain.model.campaign import HOUR
from backend.domain.model.days import in_utc
from backend.domain.model.task import NEVER
from backend.situation.situations import TurnInputs
from tests.api.app import App
from tests.api.runs import ask, follow, step, without_a_browser
from tests.api.test_turns import assert_indexed

pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    without_a_browser(monkeypatch)


def made(number: int, status: str = "pending", **more: Any) -> Event:
    task = {
        "kind": "custom",
        "description": f"Task {number}",
        "status": status,
        "needs": "think",
        "rank": number,
        "created_at": 1,
    }
    return Event("TaskCreated", f"task{number:04d}", task | more)


def tasks(app: App, campaign: str, query: str = "") -> Any:
    return ask(app, f"/api/campaigns/{campaign}/tasks{query}")


def test_what_is_worked_on_comes_first_and_what_is_done_last(app: App, campaign: str) -> None:
    app.record(campaign, made(1, "done"), made(2, "blocked", reason="no idea"), made(3, "in_progress"), made(4))
    rows = tasks(app, campaign)["rows"]
    assert [row["status"] for row in rows] == ["in_progress", "blocked", "pending", "pending", "done"]
    (row,) = tasks(app, campaign, "?status=blocked")["rows"]
    assert (row["description"], row["reason"]) == ("Task 2", "no idea")
    assert tasks(app, campaign)["counts"] == {"pending": 2, "in_progress": 1, "blocked": 1, "done": 1}
    assert tasks(app, campaign)["unplanned"] == 12
    lead = ask(app, f"/api/campaigns/{campaign}/leads")["rows"][0]["id"]
    app.record(campaign, Event("LeadBlocked", lead, {"blocked": "no_profile"}))
    assert tasks(app, campaign)["unplanned"] == 11, "whom the campaign leaves out gets no task"


def test_pages_join_without_gap_or_repetition_across_every_status(app: App, campaign: str) -> None:
    app.record(campaign, *(made(n, ("done", "pending", "in_progress")[n % 3], ready_at=n % 4) for n in range(100)))
    whole = [row["id"] for row in tasks(app, campaign, "?limit=200")["rows"]]
    assert len(set(whole)) == 101
    seen: list[str] = []
    after = ""
    while after is not None:
        page = tasks(app, campaign, f"?limit=7{after}")
        seen += [row["id"] for row in page["rows"]]
        after = page["next"] and f"&after={quote(page['next'])}"
    assert seen == whole


def test_a_task_shows_what_it_promises_and_what_the_last_look_found(app: App, campaign: str) -> None:
    (row,) = tasks(app, campaign)["rows"]
    (commitment,) = row["commitments"]
    assert (commitment["sentence"], commitment["source"], commitment["checked_at"]) == (
        "Every lead has a score.",
        "campaign",
        None,
    )
    for _ in range(2):
        step(app, campaign)
    (row,) = tasks(app, campaign, "?status=done")["rows"]
    (commitment,) = row["commitments"]
    assert (commitment["status"], commitment["detail"]) == ("passed", "every lead has a score")
    assert commitment["checked_at"] is not None


def test_a_blocked_task_shows_its_open_question_and_its_answer_takes_it_up_again(app: App, campaign: str) -> None:
    asked = {
        "task_id": "task0001",
        "kind": "unblock",
        "question": "What now?",
        "choices": ["try again", "leave it"],
        "status": "open",
        "created_at": 1,
    }
    app.record(campaign, made(1, "blocked", ready_at=NEVER), Event("InputRequested", "q1", asked))
    row = ask(app, f"/api/campaigns/{campaign}/tasks/task0001")["row"]
    assert (row["ready_at"], [question["id"] for question in row["questions"]]) == (None, ["q1"])
    assert app.ask(f"/api/campaigns/{campaign}/questions/q1/answer", {"answer": "try again"}).ok
    row = ask(app, f"/api/campaigns/{campaign}/tasks/task0001")["row"]
    assert (row["status"], row["questions"]) == ("in_progress", [])


def decide(app: App, campaign: str, task: str, how: str) -> Any:
    return app.ask(f"/api/campaigns/{campaign}/tasks/{task}/{how}", {})


def test_a_blocked_task_is_cancelled_and_retried_and_no_other_one_is(app: App, campaign: str) -> None:
    app.record(campaign, made(1, "blocked", ready_at=NEVER, reason="Tried 3 times without success"), made(2))
    for how, then in (("cancel", "cancelled"), ("retry", "in_progress")):
        assert decide(app, campaign, "task0001", how).ok
        row = ask(app, f"/api/campaigns/{campaign}/tasks/task0001")["row"]
        assert (row["status"], row["reason"] == "") == (then, how == "retry")
        refused = decide(app, campaign, "task0002", how)
        assert (refused.status, refused.code) == (409, "task_not_blocked")
        refused = decide(app, campaign, "task0009", how)
        assert (refused.status, refused.code) == (404, "task_unknown")
    assert decide(app, campaign, "task0001", "cancel").code == "task_not_blocked"


def test_preconditions_are_named_with_their_state(app: App, campaign: str) -> None:
    app.record(
        campaign, made(1), made(2, ready_at=NEVER, preconditions=["task0001"], metadata={"justification": "why"})
    )
    detail = ask(app, f"/api/campaigns/{campaign}/tasks/task0002")
    assert detail["row"]["before"] == [{"id": "task0001", "description": "Task 1", "status": "pending"}]
    assert detail["justification"] == "why"


def test_a_task_in_detail_has_its_texts_and_its_turns(app: App, campaign: str) -> None:
    app.ask(f"/api/campaigns/{campaign}/start", {})
    follow(app, lambda: ask(app, f"/api/campaigns/{campaign}")["needs"]["approve"] == 12)
    task = tasks(app, campaign, "?status=in_progress")["rows"][0]
    detail = ask(app, f"/api/campaigns/{campaign}/tasks/{task['id']}")
    (message,) = detail["messages"]
    assert (message["step"], message["status"]) == ("invite", "draft")
    turns = ask(app, f"/api/campaigns/{campaign}/turns?task={task['id']}")
    assert [row["proposal"] for row in turns["rows"]] == ["generate_message", "execute_tool", "select_next_task"]
    assert turns["next"] is None


def test_a_family_that_is_held_says_which_gate_is_shut(app: App, campaign: str) -> None:
    """What holds the whole campaign, such as its being paused, is not repeated with each task."""
    sunday_noon = 1_780_228_800_000
    with app.workspace.database.read() as connection:
        inputs = TurnInputs(sunday_noon, in_utc, present=False)
        page = reads.page(connection, campaign, inputs, reads.TasksQuery(limit=1))
    assert {(family.family, family.gate.code) for family in page.held} == {
        (family, "within_working_hours") for family in ("look", "invite", "message")
    }
    assert page.held[0].gate.until == sunday_noon + 21 * HOUR


def test_no_statement_of_a_page_scans_a_table_or_sorts_it(app: App, campaign: str) -> None:
    app.record(campaign, *(made(n, ("done", "pending", "in_progress")[n % 3]) for n in range(50)))
    asked: list[str] = []
    after = quote(tasks(app, campaign, "?limit=5")["next"])
    here = create_app(app.launch.services).test_client()
    with app.workspace.database.read() as connection:  # requests of this thread read on this connection, too
        connection.set_trace_callback(asked.append)
        for path in ("tasks?limit=5", f"tasks?limit=5&after={after}", "tasks/task0001", "run", "turns"):
            answer = here.get(f"/api/campaigns/{campaign}/{path}", base_url=app.origin, headers=app.headers(Host=None))
            assert answer.status_code == 200, answer.text
        connection.set_trace_callback(None)
        for sql in asked:
            small(connection, sql)
    assert len(asked) > 30


def small(connection: sqlite3.Connection, sql: str) -> None:
    """Indexed, but for the sorting of the few rows of a page and of a campaign's counts."""
    few = (
        "commitments WHERE task_id",
        "input_requests WHERE task_id",
        "messages WHERE lead_id",
        "actions a JOIN",
        "(SELECT ",
    )
    if not any(part in sql for part in few):
        assert_indexed(connection, sql)


def test_a_user_adds_a_condition_to_a_task_and_a_command_only_as_it_was_approved(app: App, campaign: str) -> None:
    tasks = f"/api/campaigns/{campaign}/tasks"
    task = app.ask(tasks).json["rows"][0]["id"]
    path = f"{tasks}/{task}/commitments"
    promise = {"type": "command", "argv": ["make", "check all"], "exit_code": 0, "timeout_s": 30}
    for approved in (None, ["make", "check", "all"]):
        refused = app.ask(path, {"promise": promise, "approved_argv": approved})
        assert (refused.status, refused.code) == (409, "command_not_approved")
    assert app.ask(path, {"promise": promise, "approved_argv": promise["argv"]}).ok
    file = {"type": "file_contains", "path": "report.txt", "text": "done"}
    assert app.ask(path, {"promise": file, "approved_argv": None}).ok
    assert app.ask(path, {"promise": {**file, "path": "a:b"}, "approved_argv": None}).status in (400, 422)
    assert app.ask(path, {"promise": {"type": "sequence_finished", "lead_id": "x"}}).status in (400, 422)
    listed = app.ask(f"{tasks}/{task}").json["row"]["commitments"]
    assert [commitment["unapproved"] for commitment in listed[-2:]] == [None, None]
    assert [(commitment["source"], commitment["sentence"]) for commitment in listed[-2:]] == [
        ("user", "`make 'check all'` ends with status 0 within 30 s."),
        ("user", "The file “report.txt” in the campaign's folder contains “done”."),
    ]


def test_a_condition_that_was_added_is_shown_as_it_was_given_and_can_be_removed(app: App, campaign: str) -> None:
    task = app.ask(f"/api/campaigns/{campaign}/tasks").json["rows"][0]["id"]
    path = f"/api/campaigns/{campaign}/tasks/{task}"
    own = app.ask(path).json["row"]["commitments"]
    promise = {"type": "file_exists", "path": "report.txt", "sha256": None}
    never = app.ask(f"{path}/commitments", {"promise": {**promise, "path": "../report.txt"}})
    assert (never.status, never.code) == (400, "condition_impossible")
    assert app.ask(f"{path}/commitments", {"promise": promise}).ok
    *_, added = app.ask(path).json["row"]["commitments"]
    assert added["added"] == promise
    assert [commitment["added"] for commitment in own] == [None] * len(own)
    assert app.ask(f"{path}/commitments/{added['id']}/remove", {}).ok
    assert app.ask(path).json["row"]["commitments"] == own
    assert app.ask(f"{path}/commitments/{own[0]['id']}/remove", {}).code == "commitment_unknown"


def test_a_command_approved_on_another_device_is_approved_on_this_one_only_as_it_is(app: App, campaign: str) -> None:
    tasks = f"/api/campaigns/{campaign}/tasks"
    task = app.ask(tasks).json["rows"][0]["id"]
    params = {"type": "command", "argv": ["make", "check all"], "exit_code": 0, "timeout_s": 30}
    app.record(campaign, Event("CommitmentMade", "there", {"task_id": task, "params": params, "source": "user"}))

    def unapproved() -> list[str] | None:
        commands = {
            commitment["id"]: commitment["unapproved"]
            for commitment in app.ask(f"{tasks}/{task}").json["row"]["commitments"]
        }
        shown: list[str] | None = commands["there"]
        return shown

    path = f"{tasks}/{task}/commitments/there/approve"
    assert unapproved() == ["make", "check all"]
    refused = app.ask(path, {"approved_argv": ["make", "check", "all"]})
    assert (refused.status, refused.code) == (409, "command_not_approved")
    for elsewhere in (path.replace("there", "nowhere"), path.replace(task, "no-task")):
        missing = app.ask(elsewhere, {"approved_argv": ["make", "check all"]})
        assert (missing.status, missing.code) == (404, "commitment_unknown")
    assert unapproved() == ["make", "check all"]
    assert app.ask(path, {"approved_argv": ["make", "check all"]}).ok
    assert unapproved() is None
