"""Spec 001, user story 1: a campaign is executed without loss of context, whatever stops it. In the page, as a person sees it."""

import csv
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from backend.adapters.llm.scripted import ScriptedProposer
from backend.api.server.page_files import PAGE
from backend.commands.review import AUTO_APPROVE
from backend.domain.events.events import Event
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import OnText, OnUsage, Proposer, ignore_text, ignore_usage
from backend.practice.people import People
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import App, running
from tests.fakes.campaign import ONE_STEP
from tests.patience import PATIENCE


@contextmanager
def opened(page: Page, data: Path, *, model: Proposer | None = None) -> Iterator[App]:
    """Outrider in this process, so that a test can be its model; the page is a real one."""
    with running(data, PAGE) as app:
        app.run_service.proposer = model
        page.goto("about:blank")
        page.goto(app.origin)
        page.get_by_label("Code").fill(app.codes[-1])
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
        yield app


def show(page: Page, campaign: str, screen: str) -> None:
    page.evaluate("hash => { location.hash = hash }", f"#/campaigns/{campaign}/{screen}")


def turns_beyond(page: Page, number: int) -> None:
    """Until the page shows more turns than that."""
    page.wait_for_function(
        "n => parseInt(document.querySelector('[data-testid=turn]')?.textContent ?? '0') > n", arg=number
    )


class Patient:
    """Proposes what is owed. In the middle of its first reply about the third lead it waits to be let go on."""

    name = "patient"

    def __init__(self) -> None:
        self.on = threading.Event()
        self.leads: list[str] = []
        self.shown: list[Snapshot] = []

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        self.shown.append(snapshot)
        reply = ScriptedProposer().propose(snapshot)
        lead, started = snapshot.focus.lead, snapshot.focus.task.status == "in_progress"
        if lead is None or not started:
            return reply
        if lead.full_name not in self.leads:
            self.leads.append(lead.full_name)
        on_text(reply[:30])
        if len(self.leads) == 3:
            assert self.on.wait(PATIENCE)
        on_text(reply[30:])
        return reply


def test_stopped_at_the_third_of_ten_leads_it_shows_that_lead_in_progress_and_continues_there(
    sheet: Page, tmp_path: Path
) -> None:
    patient = Patient()
    with opened(sheet, tmp_path / "data", model=patient) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, 10)
        show(sheet, campaign, "run")
        expect(sheet.get_by_test_id("run-status")).to_contain_text("Not started")
        sheet.keyboard.press("Shift+s")
        growing = sheet.get_by_label("The reply as it arrives")
        try:
            expect(growing).to_contain_text('{"type":"execute_tool"')  # visible before it is complete
            expect(growing).to_have_attribute("aria-busy", "true")
            third = patient.leads[2]
            expect(sheet.get_by_test_id("run-status")).to_contain_text(third)
            expect(sheet.get_by_role("button", name="Stop")).to_be_visible()
            expect(sheet.get_by_text("Stops after the current action.")).to_be_visible()
            sheet.keyboard.press("Shift+s")
            expect(sheet.get_by_role("button", name="Stopping…")).to_be_disabled()
        finally:
            patient.on.set()
        expect(sheet.get_by_test_id("run-status")).to_contain_text("Stopped by you.")
        expect(sheet.get_by_label("The reply as received")).to_contain_text('"tool":"browser.read_profile"')
        before = turns(tmp_path / "data")
        show(sheet, campaign, "tasks")
        expect(sheet.get_by_test_id("done")).to_have_text("1 of 11 done")
        expect(sheet.get_by_role("link", name=f"Reach out to {third}")).to_contain_text("in progress")

    # Another start of Outrider: nothing of the first one's memory is left.
    second = Patient()
    second.on.set()
    with opened(sheet, tmp_path / "data", model=second) as app:
        show(sheet, campaign, "run")
        expect(sheet.get_by_test_id("turn")).to_have_text(str(before))
        expect(sheet.get_by_test_id("run-status")).to_contain_text("Paused")
        expect(sheet.get_by_label("The turn", exact=True)).to_contain_text(third)
        sheet.get_by_role("button", name="Continue").click()
        turns_beyond(sheet, before + 1)
        sheet.get_by_role("button", name="Stop").click()
        expect(sheet.get_by_role("button", name="Continue")).to_be_enabled()
    assert second.leads[0] == third
    assert second.shown[0].focus.lead is not None
    assert second.shown[0].focus.lead.full_name == third


class Asking:
    """Asks about the first lead, and then proposes what is owed."""

    name = "asking"

    def __init__(self) -> None:
        self.answers: list[tuple[str, str] | None] = []

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        if snapshot.focus.lead is None or snapshot.focus.task.status != "in_progress":
            return ScriptedProposer().propose(snapshot, on_text, on_usage)
        self.answers.append(snapshot.focus.answered)
        if len(self.answers) > 1:
            return ScriptedProposer().propose(snapshot, on_text, on_usage)
        params = {"question": "Formal or friendly? <b>", "kind": "choice", "choices": ["formal", "friendly"]}
        return json.dumps({"type": "request_user_input", "task_id": snapshot.focus.task.id, "params": params})


def test_an_answered_question_lets_the_campaign_go_on_without_a_conversation(sheet: Page, tmp_path: Path) -> None:
    asking = Asking()
    with opened(sheet, tmp_path / "data", model=asking) as app:
        campaign = find_or_create_rehearsal(app.workspace, None, 1)
        show(sheet, campaign, "run")
        sheet.get_by_role("button", name="Start").click()
        expect(sheet.get_by_text("Formal or friendly? <b>").first).to_be_visible()
        expect(sheet.get_by_test_id("run-status")).to_contain_text("1 question waits for your answer.")
        show(sheet, campaign, "tasks")
        sheet.get_by_role("link", name="Reach out to").click()
        sheet.get_by_test_id("task-detail").get_by_role("button", name="friendly").click()
        expect(sheet.get_by_role("link", name="Reach out to").first).to_contain_text("Waits for your approval")
        show(sheet, campaign, "run")
        expect(sheet.get_by_test_id("run-status")).to_contain_text("1 draft waits for your approval.")
    assert asking.answers[:2] == [None, ("Formal or friendly? <b>", "friendly")]


def test_the_seventh_of_fifteen_done_is_shown_and_recorded_and_the_eighth_follows(sheet: Page, tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "leads.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("First Name", "Last Name", "URL", "Email Address", "Company", "Position", "Connected On"))
        for card in list(People("fieldnote", 14).cards()):
            first, _, last = card.name.partition(" ")
            writer.writerow(
                (first, last, f"https://www.linkedin.com/in/{card.slug}", "", card.company, card.headline, "")
            )
    with opened(sheet, data) as app:
        campaign = find_or_create_rehearsal(app.workspace, file, None)
        app.record(campaign, Event("CampaignEdited", campaign, {"settings": ONE_STEP.model_dump_json()}))
        show(sheet, campaign, "tasks")
        expect(sheet.get_by_test_id("done")).to_have_text("0 of 15 done")
        sheet.get_by_role("button", name="Start").click()
        expect(sheet.get_by_test_id("done")).to_have_text("1 of 15 done")
        show(sheet, campaign, "run")
        expect(sheet.get_by_test_id("run-status")).to_contain_text("14 drafts wait for your approval.")
        show(sheet, campaign, "tasks")
        approve(app, campaign, 6)
        expect(sheet.get_by_test_id("done")).to_have_text("7 of 15 done")
        assert done(data) == 7
        sheet.get_by_role("button", name="Done 7").click()
        row = sheet.get_by_role("link", name="Reach out to").first
        expect(row).to_contain_text("1 of 1 verified")
        row.click()
        detail = sheet.get_by_test_id("task-detail")
        expect(detail).to_contain_text("the sequence has ended: invited")
        expect(detail).to_contain_text("select_next_task")
        approve(app, campaign, 1)
        expect(sheet.get_by_test_id("done")).to_have_text("8 of 15 done")
        sheet.keyboard.press("Shift+s")
        expect(sheet.get_by_role("button", name="Continue")).to_be_enabled()


def approve(app: App, campaign: str, count: int) -> None:
    """The next drafts, as the user of a rehearsal may have it done."""
    auto = app.workspace.commands(app.services.clock(campaign), AUTO_APPROVE)
    with app.workspace.database.read() as connection:
        rows = connection.execute(
            "SELECT id FROM messages WHERE status='draft' ORDER BY id LIMIT ?", (count,)
        ).fetchall()
    for (message,) in rows:
        auto.review.approve(campaign, message, shown_digest=auto.review.digest(campaign, message))


def turns(data: Path) -> int:
    with closing(sqlite3.connect(data / "outrider.db")) as connection:
        return int(connection.execute("SELECT max(number) FROM turn_projection").fetchone()[0])


def done(data: Path) -> int:
    with closing(sqlite3.connect(data / "outrider.db")) as connection:
        return int(connection.execute("SELECT count(*) FROM tasks WHERE status='done'").fetchone()[0])
