"""A morning by keyboard alone: twelve texts to approve, five replies to read and label, one fault to mend."""

import csv
from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.events.events import Event
from backend.practice.people import People
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import running
from tests.e2e.desk import Desk
from tests.e2e.using import drafts_wait
from tests.e2e.walks.walker import Walker

TEXTS, REPLIES = 12, 5
MOST_KEYS = 60


def people_file(path: Path, number: int) -> Path:
    """So many of the practice network's people, as LinkedIn exports connections."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("First Name", "Last Name", "URL", "Email Address", "Company", "Position", "Connected On"))
        for card in People("fieldnote", number).cards():
            first, _, last = card.name.partition(" ")
            url = f"https://www.linkedin.com/in/{card.slug}"
            writer.writerow((first, last, url, "", card.company, card.headline, "15 Mar 2024"))
    return path


def prepare(at: Desk) -> None:
    """The texts, the replies, and a campaign that stopped with an error."""
    for position in range(TEXTS):
        at.draft(position, f"Hello, this is text number {position + 1}.")
    now = at.app.services.clock(at.campaign).now()
    for position in range(REPLIES):
        lead, came = at.leads[TEXTS + position][0], now - 60_000 * (position + 1)
        reply = {"lead_id": lead, "kind": "reply", "text": f"Gladly, number {position + 1}!", "status": "received"}
        progress = {"replied_at": came, "status": "responded", "relation": "connected", "last_sent_at": came - 1}
        at.app.record(
            at.campaign,
            Event("ReplyReceived", f"reply{position}", {**reply, "sent_at": came, "created_at": came}),
            Event("LeadAdvanced", lead, progress),
        )
    at.app.record(
        at.campaign,
        Event("CampaignActivated", at.campaign, {"status": "active"}),
        Event("CampaignFailed", at.campaign, {"status": "error", "status_reason": "The disk was full."}),
    )


def test_a_morning_by_keyboard_alone(tmp_path: Path, sheet: Page) -> None:
    with running(tmp_path / "data") as app:
        leads = people_file(tmp_path / "people.csv", TEXTS + REPLIES)
        at = Desk(app, find_or_create_rehearsal(app.workspace, leads, None))
        prepare(at)
        at.enter(sheet, "today")
        walker = Walker(sheet)
        # The fault first: it is told, and its button is there.
        expect(sheet.get_by_text("The disk was full.").first).to_be_visible()
        reason = sheet.get_by_label("Why it is safe to continue")
        walker.tab_to(reason)
        walker.type("space made")
        walker.press("Enter")
        expect(sheet.get_by_role("button", name="Continue")).to_be_visible()
        expect(sheet.get_by_role("link", name=f"To approve: {TEXTS}. Review")).to_be_visible()
        sheet.evaluate("document.activeElement.blur()")  # a field that was used would take the next key
        walker.press("1")
        drafts_wait(sheet, TEXTS)
        walker.press("Control+a", "Shift+A")
        walker.approve_several(TEXTS)
        walker.press("g", "o")
        expect(sheet.get_by_role("link", name=f"Replies to read: {REPLIES}. Inbox")).to_be_visible()
        walker.press("2")
        options = sheet.get_by_role("listbox").first.get_by_role("option")
        for position in range(REPLIES):
            expect(options.nth(position)).to_have_attribute("aria-selected", "true")
            expect(sheet.get_by_role("article").get_by_text(f"Gladly, number {position + 1}!")).to_be_visible()
            walker.press("1")
            expect(sheet.get_by_role("button", name="Interested")).to_have_attribute("aria-pressed", "true")
            if position + 1 < REPLIES:
                walker.press("j")
        walker.press("g", "o")
        expect(sheet.get_by_test_id("run-status")).to_contain_text("Paused")
        print(walker.told(f"{TEXTS} approvals, {REPLIES} replies and one fault"))
        assert walker.keys <= MOST_KEYS
        approved = app.workspace.database
        with approved.read() as connection:
            (count,) = connection.execute("SELECT count(*) FROM messages WHERE status='approved'").fetchone()
        assert count == TEXTS
