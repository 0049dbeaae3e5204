"""Many drafts approved by few keys, each of them shown whole before."""

from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.model.sequence import DEFAULT_SEQUENCE
from backend.domain.model.variables import Recipient, fill
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import running
from tests.e2e.desk import Desk, desk
from tests.e2e.using import drafts_wait
from tests.e2e.walks.test_morning import people_file
from tests.e2e.walks.walker import Walker

DRAFTS = 26
MOST_KEYS = 10
TOPIC = "I am gathering a few people who care about careful outreach."


def test_twenty_six_drafts_approved(tmp_path: Path, sheet: Page) -> None:
    with running(tmp_path / "data") as app:
        leads = people_file(tmp_path / "people.csv", DRAFTS)
        at = Desk(app, find_or_create_rehearsal(app.workspace, leads, None))
        message = next(step for step in DEFAULT_SEQUENCE.steps if step.kind == "message")
        texts = [fill(message.template, Recipient(name), TOPIC).text for _, name in at.leads]
        drafts = [at.draft(position, text, kind="message", step=message.key) for position, text in enumerate(texts)]
        at.enter(sheet, "review")
        drafts_wait(sheet, DRAFTS)
        walker = Walker(sheet)
        walker.press("Control+a", "Shift+A")
        assert walker.approve_several(DRAFTS) == set(texts)
        print(walker.told(f"{DRAFTS} approvals"))
        assert walker.keys <= MOST_KEYS
        assert {at.status(draft) for draft in drafts} == {"approved"}


def test_a_text_longer_than_the_dialog_is_read_to_its_end_and_none_is_skipped_by_scrolling(
    tmp_path: Path, sheet: Page
) -> None:
    with desk(tmp_path / "data") as at:
        long = "\n".join(f"This is line {number} of many." for number in range(60))
        drafts = [
            at.draft(position, long if position == 1 else f"Hello, number {position}.", kind="message")
            for position in range(12)
        ]
        at.enter(sheet, "review")
        drafts_wait(sheet, 12)
        sheet.keyboard.press("Control+a")
        sheet.keyboard.press("Shift+A")
        dialog = sheet.get_by_role("dialog")
        dialog.get_by_text("Hello, number 11.").scroll_into_view_if_needed()
        expect(dialog.get_by_text("This is line 0 of many.")).not_to_be_in_viewport()
        read_on = dialog.get_by_role("button", name="Read on")
        while read_on.is_visible():
            read_on.click()
            sheet.evaluate("new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        dialog.get_by_role("button", name="Approve 12").click()
        expect(dialog).to_have_count(0)
        assert {at.status(draft) for draft in drafts} == {"approved"}
