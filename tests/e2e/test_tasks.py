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
        blocked = {**TASK, "status": "blocked", "reason": "Tried 3 times without success"}
        at.app.record(at.campaign, Event("TaskCreated", "task1", blocked))
        at.enter(sheet, "tasks/task1")
        detail = sheet.get_by_test_id("task-detail")
        expect(detail).to_contain_text("Tried 3 times without success")
        expect(detail).to_contain_text("Nothing was promised that can be verified.")
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
        detail.get_by_role("button", name="Skip it").click()
        expect(detail.get_by_test_id("drop-or-mend").get_by_role("button")).to_have_text(["Try again"])
        assert status(at) == "dropped"


def test_a_condition_is_added_and_a_command_only_after_it_was_approved_as_shown(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        at.app.record(at.campaign, Event("TaskCreated", "task1", {**TASK, "status": "blocked"}))
        at.enter(sheet, "tasks/task1")
        detail = sheet.get_by_test_id("task-detail")
        detail.get_by_role("button", name="Add a condition…").click()
        form = detail.get_by_role("form", name="Add a condition")
        add = form.get_by_role("button", name="Add", exact=True)
        expect(add).to_be_disabled()
        form.get_by_label("Kind").select_option("A file contains a text")
        form.get_by_label("File in the campaign's folder").fill("report.txt")
        form.get_by_label("Text that it contains").fill("done")
        add.click()
        expect(detail).to_contain_text("The file “report.txt” in the campaign's folder contains “done”.")
        detail.get_by_role("button", name="Add a condition…").click()
        form.get_by_label("Kind").select_option("A command succeeds")
        form.get_by_label("Program and arguments").fill("make\ncheck\u200b all")
        expect(form.get_by_test_id("argv").get_by_role("listitem")).to_have_text(["make", "check[U+200B] all"])
        expect(add).to_be_disabled()
        form.get_by_label("I approve").check()
        form.get_by_label("Program and arguments").fill("make\ncheck all")
        expect(form.get_by_label("I approve")).not_to_be_checked()
        form.get_by_label("I approve").check()
        add.click()
        expect(detail).to_contain_text("ends with status 0")
        expect(detail.get_by_test_id("unapproved")).to_have_count(0)


def test_a_command_approved_on_another_computer_is_approved_here_before_it_is_started(
    tmp_path: Path, sheet: Page
) -> None:
    params = {"type": "command", "argv": ["make", "check all"], "exit_code": 0, "timeout_s": 30}
    with desk(tmp_path) as at:
        at.app.record(
            at.campaign,
            Event("TaskCreated", "task1", {**TASK, "status": "blocked"}),
            Event("CommitmentMade", "c1", {"task_id": "task1", "params": params, "source": "user"}),
        )
        at.enter(sheet, "tasks/task1")
        waits = sheet.get_by_test_id("task-detail").get_by_test_id("unapproved")
        expect(waits.get_by_role("listitem")).to_have_text(["make", "check all"])
        waits.get_by_role("button", name="Approve exactly this on this computer").click()
        expect(waits).to_have_count(0)
        with at.app.session.workspace.database.read() as connection:
            assert connection.execute("SELECT argv FROM approved_commands").fetchall() == [('["make", "check all"]',)]
