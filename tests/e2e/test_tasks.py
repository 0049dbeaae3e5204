"""A blocked task holds the campaign: the page says so, and the user drops it or has it tried again."""

from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.events.events import Event
from backend.domain.model.task import NEVER
from tests.e2e.desk import Desk, desk
from tests.stored_rows import all_rows, first_row

TASK = {"kind": "custom", "description": "Look around", "needs": "think", "created_at": 1, "ready_at": NEVER}


def status(at: Desk, task: str) -> str:
    return str(at.app.workspace.database.query(first_row, "SELECT status FROM tasks WHERE id=?", task)[0])


def to_task(at: Desk, sheet: Page, task: str) -> None:
    sheet.evaluate("hash => { location.hash = hash }", f"#/campaigns/{at.campaign}/tasks/{task}")


def dropped_and_tried_again(at: Desk, sheet: Page) -> None:
    """A blocked one."""
    unbroken = "https://acme.example/" + "x" * 400
    blocked = {**TASK, "status": "blocked", "reason": "Tried 3 times without success", "description": unbroken}
    at.app.record(at.campaign, Event("TaskCreated", "task1", blocked))
    to_task(at, sheet, "task1")
    detail = sheet.get_by_test_id("task-detail")
    expect(detail).to_contain_text("Tried 3 times without success")
    expect(detail).to_contain_text("Nothing was promised that can be verified.")
    heading = sheet.get_by_role("heading", name=unbroken)
    assert heading.evaluate("node => node.scrollWidth <= node.clientWidth"), "a word that is too long is broken"
    detail.get_by_role("button", name="Cancel task").click()
    expect(detail.get_by_role("button", name="Cancel task")).to_have_count(0)
    assert status(at, "task1") == "cancelled"
    detail.get_by_role("button", name="Try again").click()
    expect(detail.get_by_role("button", name="Try again")).to_have_count(0)
    assert status(at, "task1") == "in_progress"


def decided_by_its_question_alone(at: Desk, sheet: Page) -> None:
    """One that asks."""
    asked = {"task_id": "task2", "kind": "unblock", "question": "What now?", "choices": ["try again", "leave it"]}
    at.app.record(
        at.campaign,
        Event("TaskCreated", "task2", {**TASK, "status": "blocked"}),
        Event("InputRequested", "q2", {**asked, "status": "open", "created_at": 1}),
    )
    to_task(at, sheet, "task2")
    detail = sheet.get_by_test_id("task-detail")
    expect(detail).to_contain_text("What now?")
    expect(detail.get_by_test_id("cancel-or-retry")).to_have_count(0)
    detail.get_by_role("button", name="Skip it").click()
    expect(detail.get_by_test_id("cancel-or-retry").get_by_role("button")).to_have_text(["Try again"])
    assert status(at, "task2") == "cancelled"


def approved_here_before_it_is_started(at: Desk, sheet: Page) -> None:
    """A command that was approved on another computer."""
    params = {"type": "command", "argv": ["make", "report"], "exit_code": 0, "timeout_s": 30}
    at.app.record(
        at.campaign,
        Event("TaskCreated", "task4", {**TASK, "status": "blocked"}),
        Event("CommitmentMade", "c1", {"task_id": "task4", "params": params, "source": "user"}),
    )
    to_task(at, sheet, "task4")
    waits = sheet.get_by_test_id("task-detail").get_by_test_id("unapproved")
    expect(waits.get_by_role("listitem")).to_have_text(["make", "report"])
    waits.get_by_role("button", name="Approve exactly this on this computer").click()
    expect(waits).to_have_count(0)
    assert at.app.workspace.database.query(all_rows, "SELECT argv FROM approved_commands") == [('["make", "report"]',)]


def given_a_condition(at: Desk, sheet: Page) -> None:
    """And a command only after it was approved as shown."""
    at.app.record(at.campaign, Event("TaskCreated", "task3", {**TASK, "status": "blocked"}))
    to_task(at, sheet, "task3")
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
    # removed again, and back with what was approved
    detail.get_by_role("button", name="Remove the condition: `make").click()
    expect(detail).not_to_contain_text("ends with status 0")
    sheet.get_by_role("button", name="Undo").click()
    expect(detail).to_contain_text("ends with status 0")
    expect(detail.get_by_test_id("unapproved")).to_have_count(0)
    # what can never be so is refused, with what was typed still there
    detail.get_by_role("button", name="Add a condition…").click()
    form.get_by_label("Kind").select_option("A file exists")
    form.get_by_label("File in the campaign's folder").fill("../secret.txt")
    add.click()
    expect(sheet.get_by_text("the file is outside of the campaign's folder")).to_be_visible()
    expect(form.get_by_label("File in the campaign's folder")).to_have_value("../secret.txt")


def test_a_blocked_task_is_dropped_tried_again_or_given_a_condition(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        at.enter(sheet, "tasks")
        dropped_and_tried_again(at, sheet)
        decided_by_its_question_alone(at, sheet)
        approved_here_before_it_is_started(at, sheet)
        given_a_condition(at, sheet)
