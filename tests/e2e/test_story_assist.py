"""A campaign on LinkedIn by one's own hand: from an empty folder to the next export, by keyboard, and what each screen says."""

import time
import zipfile
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.api import by_hand
from tests.api.app import App, running
from tests.api.runs import ask
from tests.cli.outrider import until
from tests.e2e.test_campaigns import onward
from tests.e2e.test_send_session import answered, at_the_desk, facsimiles, sends
from tests.e2e.using import drafts_wait

ARCHIVE = Path(__file__).parents[1] / "data" / "linkedin-export.zip"
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
    people = ask(app, f"/api/send?campaign={campaign}")["people"]
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
            sheet.get_by_role("button", name="Compare a LinkedIn export").click()
        chooser.value.set_files(file)
        comparison = sheet.get_by_test_id("export-comparison")
        expect(comparison).to_contain_text("1 reply, 1 confirmed, 1 contradiction.")
        comparison.get_by_role("link").first.click()  # the contradiction comes first
        asked = sheet.get_by_role("alert").filter(has_text="was not sent")
        asked.get_by_role("button", name="it was sent").click()
        expect(asked).to_be_hidden()
        until(
            "the leads are that far",
            lambda: ask(app, f"/api/campaigns/{campaign}")["leads"] == {"contacted": 2, "responded": 1},
        )
        sheet.get_by_role("button", name="Replied").click()
        expect(sheet.get_by_text("is not interested (English)")).to_be_visible()


def tab_to(page: Page, control: Locator) -> None:
    """Press Tab until it has the focus."""
    expect(control).to_be_enabled()
    for _ in range(80):
        if control.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the keyboard does not reach it")


def made_by_keyboard(app: App, page: Page) -> str:
    """From the first start to a campaign on LinkedIn, sent by the user, whose dry run is shown; its id."""
    expect(page.get_by_role("heading", name="How would you like")).to_be_visible()
    page.keyboard.press("n")
    with page.expect_file_chooser() as chosen:
        tab_to(page, page.get_by_role("button", name="Choose a file…"))
        page.keyboard.press("Enter")
    chosen.value.set_files(ARCHIVE)
    expect(page.get_by_test_id("preview-forecast")).to_contain_text("in touch with you before")
    onward(page, "Goal")
    tab_to(page, page.get_by_label("Name"))
    page.keyboard.type("Autumn talks")
    page.keyboard.press("Tab")
    page.keyboard.type("I am gathering a few people to talk about careful outreach.")
    onward(page, "Sequence")
    onward(page, "Limits and hours")
    expect(page.get_by_role("radio", name="LinkedIn, sent by you")).to_be_checked()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_test_id("forecast")).to_contain_text("would go out")
    (row,) = app.ask("/api/campaigns").json["campaigns"]
    assert ask(app, f"/api/campaigns/{row['id']}")["needs"]["approve"] == 0
    return str(row["id"])


def test_from_an_empty_folder_to_the_next_export_by_keyboard(tmp_path: Path, sheet: Page) -> None:
    (tmp_path / "data").mkdir()
    facsimiles(sheet)
    with running(tmp_path / "data") as app:
        sheet.goto(app.origin)
        sheet.get_by_label("Code").fill(app.codes[-1])
        sheet.keyboard.press("Enter")
        campaign = made_by_keyboard(app, sheet)
        campaign_path = f"/api/campaigns/{campaign}"
        saved = ask(app, f"{campaign_path}/settings")
        any_hour = by_hand.ANY_HOUR.model_dump(mode="json")  # the test runs at any hour of any day
        app.ask(
            f"{campaign_path}/settings",
            {**{k: saved[k] for k in ("version", "name", "goal", "topic")}, "limits": any_hour},
        )
        tab_to(sheet, sheet.get_by_role("button", name="Start the campaign"))
        sheet.keyboard.press("Enter")
        sheet.wait_for_url("**/today")
        texts = approved_by_keyboard(app, sheet, campaign, 2)
        sheet.keyboard.press("g")
        sheet.keyboard.press("d")
        answered(sheet, 0, 2)
        people = ask(app, f"/api/send?campaign={campaign}")["people"]
        for done, text in enumerate(texts, 1):
            assert writes(sheet) == text
            sheet.keyboard.press("s")
            answered(sheet, done, 2 - done)
        sheet.keyboard.press("Escape")
        until("both are contacted", lambda: ask(app, campaign_path)["leads"].get("contacted") == 2)
        the_next_export_tells(app, sheet, campaign_path, tmp_path, people)


def approved_by_keyboard(app: App, page: Page, campaign: str, count: int) -> list[str]:
    """The first texts in Review, each approved as it is shown."""
    page.keyboard.press("g")
    page.keyboard.press("r")
    drafts_wait(page, count)
    waiting = f"/api/send?campaign={campaign}"
    approved: set[str] = set()
    while len(approved) < count:
        page.keyboard.press("a")
        until("it is approved", lambda: len(ask(app, waiting)["people"]) > len(approved))
        newest = next(person["name"] for person in ask(app, waiting)["people"] if person["name"] not in approved)
        approved.add(newest)
        expect(page.get_by_role("article")).not_to_contain_text(newest)
    return [person["text"] for person in ask(app, f"/api/send?campaign={campaign}")["people"]]


def writes(page: Page) -> str:
    """Enter to look at the conversation, Enter to copy, and paste into the page that opened; the text that stands there."""
    expect(page.get_by_text("Enter opens the profile, so that you can check")).to_be_visible()
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    profile = opened.value
    expect(page.get_by_role("button", name="No reply, copy the message")).to_be_enabled()
    page.bring_to_front()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sent exactly this")).to_be_enabled()
    profile.bring_to_front()
    profile.get_by_label("Add a note").focus()
    profile.keyboard.press("Control+V")
    expect(profile.get_by_label("Add a note")).not_to_have_value("")
    text = profile.get_by_label("Add a note").input_value()
    profile.close()
    page.bring_to_front()
    return text


def the_next_export_tells(app: App, page: Page, campaign_path: str, folder: Path, people: list[dict[str, str]]) -> None:
    """One of two has answered by the next archive: inbox, funnel, history and `why` say so of her and not of the other."""
    silent, replied = people
    page.keyboard.press("g")
    page.keyboard.press("i")
    with page.expect_file_chooser() as chooser:
        tab_to(page, page.get_by_role("button", name="Compare a LinkedIn export"))
        page.keyboard.press("Enter")
    chooser.value.set_files(export(folder / "next.zip", [], {replied["profile_url"]: "Gladly. Does Tuesday suit you?"}))
    expect(page.get_by_test_id("export-comparison")).to_contain_text("1 reply")
    until("one has answered", lambda: ask(app, campaign_path)["leads"].get("responded") == 1)
    expect(page.get_by_text("Does Tuesday suit you?").first).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("n")
    expect(page.get_by_role("img", name="2 were contacted, 1 of them replied")).to_be_visible()
    for person, event_words, status in ((replied, "Wrote", "responded"), (silent, "Sent", "contacted")):
        lead = ask(app, f"{campaign_path}/leads/{person['lead_id']}")
        assert lead["line"]["status"] == status
        assert any(entry["what"].startswith(event_words) for entry in lead["history"])
        page.evaluate(
            "where => location.hash = where", f"#{campaign_path.removeprefix('/api')}/leads/{person['lead_id']}"
        )
        expect(page.get_by_test_id("lead-detail")).to_contain_text(person["name"])
        expect(page.get_by_test_id("lead-detail")).to_contain_text(event_words)
    why = ask(app, f"{campaign_path}/leads/{replied['lead_id']}/why")
    assert "repl" in str(why).lower(), why
