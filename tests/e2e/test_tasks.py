"""A blocked task holds the campaign: the page says so, and the user drops it or has it tried again."""

from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.events import Event
from backend.domain.task import NEVER
from tests.e2e.desk import Desk, desk

TASK = {"kind": "custom", "description": "Look around", "needs": "think", "created_at": 1, "ready_at": NEVER}


def status(at: Desk) -> str:
    with at.app.session.workspace.database.read() as connection:
        return str(connection.execute("SELECT status FROM tasks WHERE id='task1'").fetchone()[0])


def test_a_blocked_task_is_dropped_and_tried_again(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        blocked = {**TASK, "status": "blocked", "reason": "3 turns in a row led nowhere"}
        at.app.record(at.campaign, Event("TaskCreated", "task1", blocked))
        at.enter(sheet, "tasks/task1")
        detail = sheet.get_by_test_id("task-detail")
        expect(detail).to_contain_text("3 turns in a row led nowhere")
        expect(detail).to_contain_text("Nothing is promised that can be verified.")
        detail.get_by_role("button", name="Drop it").click()
        expect(detail.get_by_role("button", name="Drop it")).to_have_count(0)
        assert status(at) == "dropped"
        detail.get_by_role("button", name="Try again").click()
        expect(detail.get_by_role("button", name="Try again")).to_have_count(0)
        assert status(at) == "in_progress"


def test_a_task_that_asks_is_decided_by_its_question_alone(tmp_path: Path, sheet: Page) -> None:
    asked = {"task_id": "task1", "kind": "unblock", "question": "What now?", "choices": ["try again", "leave it"]}
    with desk(tmp_path) as at:
        at.app.record(
            at.campaign,
            Event("TaskCreated", "task1", {**TASK, "status": "blocked"}),
            Event("InputRequested", "q1", {**asked, "status": "open", "created_at": 1}),
        )
        at.enter(sheet, "tasks/task1")
        detail = sheet.get_by_test_id("task-detail")
        expect(detail).to_contain_text("What now?")
        expect(detail.get_by_test_id("drop-or-mend")).to_have_count(0)
        detail.get_by_role("button", name="leave it").click()
        expect(detail.get_by_test_id("drop-or-mend").get_by_role("button")).to_have_text(["Try again"])
        assert status(at) == "dropped"
