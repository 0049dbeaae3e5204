"""A day on LinkedIn by one's own hand: the dry run, the send session by keyboard, and what the next export says of it."""

import time
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.api.app import App
from tests.api.runs import ask
from tests.cli.outrider import until
from tests.e2e.test_send_session import answered, at_the_desk, sends

ME = "https://www.linkedin.com/in/robin-example"
INVITATIONS = "From,To,Sent At,Message,Direction,inviterProfileUrl,inviteeProfileUrl"
MESSAGES = "CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,CONTENT"


def export(path: Path, invited: list[str], replied: dict[str, str]) -> Path:
    """LinkedIn's zip of a moment later: who was invited, and who wrote what."""
    now = time.gmtime(time.time() + 60)
    day, moment = time.strftime("%m/%d/%y, 1:45 AM", now), time.strftime("%Y-%m-%d %H:%M:%S UTC", now)
    invitations = [f'R,X,"{day}",,OUTGOING,{ME},{url}' for url in invited]
    messages = [f'{url},X,{url},R,{ME},{moment},"{text}"' for url, text in replied.items()]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Invitations.csv", "\n".join([INVITATIONS, *invitations]))
        archive.writestr("messages.csv", "\n".join([MESSAGES, *messages]))
    return path


def says(app: App, page: Page, campaign: str) -> list[str]:
    """Three texts: sent, not sent, sent; the profiles in that order."""
    people = ask(app, f"/api/campaigns/{campaign}/send-session")["people"]
    for count, key in enumerate("sns"):
        sends(page)
        page.keyboard.press(key)
        answered(page, count + 1, 2 - count)
    page.keyboard.press("Escape")
    until(
        "the leads are that far",
        lambda: ask(app, f"/api/campaigns/{campaign}")["leads"] == {"contacted": 2, "pending": 1},
    )
    return [person["profile_url"] for person in people]


def test_a_day_by_ones_own_hand_and_the_export_that_tells_the_truth(tmp_path: Path, sheet: Page) -> None:
    with at_the_desk(tmp_path, sheet) as (app, campaign):
        first, second, third = says(app, sheet, campaign)
        file = export(tmp_path / "export.zip", [first, second], {third: "No thanks."})
        sheet.goto(f"{app.origin}/#/campaigns/{campaign}/inbox")
        with sheet.expect_file_chooser() as chooser:
            sheet.get_by_role("button", name="Compare LinkedIn's export").click()
        chooser.value.set_files(file)
        found = sheet.get_by_test_id("export-comparison")
        expect(found).to_contain_text("1 reply, 1 confirmed, 1 contradiction.")
        found.get_by_role("link").first.click()  # the contradiction comes first
        asked = sheet.get_by_role("alert").filter(has_text="was not sent")
        asked.get_by_role("button", name="it was sent").click()
        expect(asked).to_be_hidden()
        until(
            "the leads are that far",
            lambda: ask(app, f"/api/campaigns/{campaign}")["leads"] == {"contacted": 2, "responded": 1},
        )
        sheet.get_by_role("button", name="Replied").click()
        expect(sheet.get_by_text("is not interested (English)")).to_be_visible()
