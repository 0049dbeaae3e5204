"""A send session by keyboard alone, against facsimile pages in the user's own browser: paste, send, say so."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from backend.domain.events.events import Event
from backend.domain.events.facts.workspace import ConfigSet
from backend.domain.events.record_loss import RECORDS_LOST
from backend.domain.model.campaign import Settings
from backend.domain.model.channel import LINKEDIN_ACCOUNT
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.domain.values.canonical_json import canonical
from backend.runtime.feed.feed_messages import SyncChanged, SyncState
from tests.api import by_hand
from tests.api.app import App, running
from tests.api.runs import ask
from tests.cli.outrider import until
from tests.e2e.desk import pair
from tests.e2e.test_focus import is_kept, pressed
from tests.e2e.using import review
from tests.fakes.send_desk import BRANCHES

PROFILE = """<!doctype html><title>Profile</title><main><h1>{name}</h1><form>
<label>Add a note <textarea autofocus></textarea></label></form></main>"""


def facsimiles(page: Page) -> None:
    """LinkedIn's profiles as this test has them, and a clipboard for the page."""

    def profile(route: Route) -> None:
        name = re.sub(r".*/in/", "", route.request.url).replace("-", " ").title()
        route.fulfill(content_type="text/html", body=PROFILE.format(name=name))

    page.context.route("https://www.linkedin.com/**", profile)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])


@contextmanager
def at_the_desk(
    tmp_path: Path, page: Page, sequence: Sequence = DEFAULT_SEQUENCE, texts: int = 3
) -> Iterator[tuple[App, str]]:
    """A running campaign of three people with so many approved texts, its Send screen open, and facsimile profiles."""
    (tmp_path / "data").mkdir()
    facsimiles(page)
    with running(tmp_path / "data") as app:
        campaign = by_hand.make(app.workspace, tmp_path, sequence)
        page.goto(f"{app.origin}/#/campaigns/{campaign}/send")
        page.get_by_label("Code").fill(app.codes[-1])
        page.keyboard.press("Enter")
        expect(page.get_by_text("Nothing to send right now")).to_be_visible()
        by_hand.start_and_approve(app, campaign, texts)
        expect(page.get_by_test_id("send-progress")).to_have_text("0 done, 3 to go")
        yield app, campaign


def test_where_outrider_sends_the_send_screen_leads_to_the_review(tmp_path: Path, sheet: Page) -> None:
    refused: list[str] = []
    sheet.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    with running(tmp_path / "data") as app:
        made = app.workspace.commands().campaigns.create_on_practice("Talks", "Talk", Settings(), key="k")
        sheet.goto(f"{app.origin}/#/campaigns/{made}/send")
        sheet.get_by_label("Code").fill(app.codes[-1])
        sheet.keyboard.press("Enter")
        expect(sheet.get_by_text("There is nothing to send by hand.")).to_be_visible()
        expect(sheet.get_by_role("alert")).to_have_count(0)
        sheet.get_by_role("main").get_by_role("link", name="Review").click()
        expect(sheet).to_have_title("(1) Review · Talks · Outrider")  # there are no leads yet
        expect(sheet.get_by_role("status").filter(has_text="Live")).to_be_visible()
        assert refused == []


def sends(page: Page) -> str:
    """Enter, then paste in the profile that opens; the text that stands there."""
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    profile = opened.value
    profile.get_by_label("Add a note").focus()
    profile.keyboard.press("Control+V")
    expect(profile.get_by_label("Add a note")).not_to_have_value("")
    text = profile.get_by_label("Add a note").input_value()
    profile.close()
    page.bring_to_front()
    expect(page.get_by_role("button", name="Sent exactly this message")).to_be_enabled()
    return text


def answered(page: Page, count: int, left: int) -> None:
    expect(page.get_by_test_id("send-progress")).to_have_text(f"{count} done, {left} to go")


def test_the_days_people_by_keyboard_with_the_exact_text_pasted_and_a_slip_taken_back(
    tmp_path: Path, sheet: Page
) -> None:
    with at_the_desk(tmp_path, sheet) as (app, campaign):
        shown = sheet.get_by_test_id("send-text").inner_text()
        assert sends(sheet) == shown
        expect(sheet.get_by_text("nothing counts as sent until you do.")).to_be_visible()
        assert ask(app, f"/api/campaigns/{campaign}")["leads"] == {"pending": 3}
        # By its buttons: the focus is with the next person, and Enter opens them.
        pressed(sheet.get_by_role("button", name="Not sent"))
        answered(sheet, 1, 2)
        is_kept(sheet)
        assert sends(sheet) == sheet.get_by_test_id("send-text").inner_text()
        pressed(sheet.get_by_role("button", name="Undo"))  # it was sent after all
        answered(sheet, 0, 3)
        is_kept(sheet)
        expect(sheet.get_by_role("button", name="Sent exactly this message")).to_be_enabled()
        sheet.keyboard.press("s")
        answered(sheet, 1, 2)
        assert sends(sheet) == sheet.get_by_test_id("send-text").inner_text()
        sheet.keyboard.press("r")
        expect(sheet.get_by_label("Their reply")).to_be_focused()
        expect(sheet.get_by_text("nothing counts as sent until you do.")).to_have_count(0)
        expect(sheet.get_by_text("cannot be undone")).to_be_visible()
        sheet.keyboard.type("No, thank you. sz")  # keys that are answers elsewhere are letters here
        sheet.keyboard.press("Control+Enter")
        answered(sheet, 2, 1)
        expect(sheet.get_by_role("button", name="Undo")).to_have_count(0)
        sends(sheet)
        sheet.keyboard.press("s")
        answered(sheet, 3, 0)
        expect(sheet.get_by_text("You're done for now")).to_be_visible()
        expect(sheet.get_by_text("2 sent · 1 already replied")).to_be_visible()
        sheet.reload()
        expect(sheet.get_by_text("2 sent · 1 already replied")).to_be_visible()
        sheet.keyboard.press("Escape")
        expect(sheet).to_have_url(re.compile("/campaigns/[^/]+$|/today$"))
        funnel = {"contacted": 2, "responded": 1}  # the last answer takes effect with leaving
        until("the funnel tells it", lambda: ask(app, f"/api/campaigns/{campaign}")["leads"] == funnel)


def test_a_reply_is_recorded_whenever_it_comes_and_a_name_finds_the_person_not_what_is_done_to_them(
    tmp_path: Path, sheet: Page
) -> None:
    with at_the_desk(tmp_path, sheet) as (app, campaign):
        name = sheet.get_by_role("article").get_by_role("heading").first.inner_text()
        sends(sheet)
        sheet.keyboard.press("s")
        answered(sheet, 1, 2)
        sheet.goto(f"{app.origin}/#/campaigns/{campaign}/inbox")
        conversation = sheet.get_by_role("article", name=f"Conversation with {name}")
        sheet.get_by_role("option").filter(has_text=name).click()
        expect(conversation.get_by_text("Outrider does not see what they write to you.")).to_be_visible()

        sheet.keyboard.press("Control+k")
        sheet.keyboard.type(name)
        expect(sheet.get_by_role("option", name=name).first).to_be_visible()
        titles = [
            option.inner_text() for option in sheet.get_by_role("listbox", name="Commands").get_by_role("option").all()
        ]
        assert all(title.startswith(name) and ":" not in title for title in titles), titles
        sheet.keyboard.press("Escape")
        expect(sheet.get_by_role("dialog")).to_have_count(0)  # or the next key would still be its own

        sheet.keyboard.press("1")  # they have not replied: that would end their sequence
        expect(conversation.get_by_text("This ends their sequence for good.")).to_be_visible()
        conversation.get_by_role("button", name="Cancel").click()

        sheet.keyboard.press("w")
        expect(sheet.get_by_label("Their reply")).to_be_focused()
        sheet.keyboard.type("Happy to talk! Tuesday?")
        sheet.keyboard.press("Control+Enter")
        expect(conversation.get_by_text("Happy to talk! Tuesday?")).to_be_visible()
        expect(conversation.get_by_role("button", name="Answer")).to_be_visible()
        until("it stops everything", lambda: ask(app, f"/api/campaigns/{campaign}")["leads"].get("responded") == 1)

        sheet.keyboard.press("w")  # they write again
        expect(sheet.get_by_role("button", name="Record the reply")).to_be_disabled()
        sheet.keyboard.type("Or Wednesday.")
        sheet.keyboard.press("Control+Enter")
        expect(conversation.get_by_text("Or Wednesday.")).to_be_visible()


def test_two_campaigns_run_beside_each_other_and_one_key_pauses_both(tmp_path: Path, sheet: Page) -> None:
    with at_the_desk(tmp_path, sheet) as (app, campaign):
        other = by_hand.make(app.workspace, tmp_path, name="Trade fair", people=by_hand.OTHERS)
        by_hand.start_and_approve(app, other, 2)
        sheet.goto(f"{app.origin}/#/send")
        expect(sheet.get_by_test_id("send-progress")).to_have_text("0 done, 5 to go")
        nav = sheet.get_by_role("navigation", name="Main")
        expect(nav.get_by_role("link", name="Running: ")).to_have_count(2)
        sheet.keyboard.press("Control+.")
        paused = sheet.get_by_role("status").filter(has_text="Paused 2 campaigns.")
        expect(paused).to_be_visible()
        expect(nav.get_by_role("link", name="Running: ")).to_have_count(0)
        assert {ask(app, f"/api/campaigns/{each}")["status"] for each in (campaign, other)} == {"paused"}
        paused.get_by_role("button", name="Continue them").click()
        expect(nav.get_by_role("link", name="Running: ")).to_have_count(2)
        nav.get_by_role("button", name="Pause everything").click()
        expect(nav.get_by_role("button", name="Pause everything")).to_have_count(0)
        assert {ask(app, f"/api/campaigns/{each}")["status"] for each in (campaign, other)} == {"paused"}


def test_whether_they_are_a_contact_is_asked_first_and_decides_what_they_are_written(
    tmp_path: Path, sheet: Page
) -> None:
    with at_the_desk(tmp_path, sheet, BRANCHES, texts=0) as (app, campaign):
        expect(sheet.get_by_text("are you connected with them already?")).to_be_visible()
        with sheet.context.expect_page() as profile:
            sheet.keyboard.press("Enter")
        profile.value.close()
        sheet.bring_to_front()
        connected = sheet.get_by_role("article").get_attribute("aria-label")
        sheet.keyboard.press("c")
        answered(sheet, 1, 2)
        sheet.keyboard.press("n")
        answered(sheet, 2, 1)
        sheet.keyboard.press("n")
        answered(sheet, 3, 0)
        sheet.keyboard.press("Escape")  # the last answer takes effect with leaving
        review(sheet, 3)
        drafts = ask(app, f"/api/campaigns/{campaign}/drafts")["rows"]
        assert [draft["recipient"] for draft in drafts if draft["kind"] == "message"] == [connected]


def test_whatever_comes_between_nothing_counts_as_sent_that_the_user_did_not_say(tmp_path: Path, sheet: Page) -> None:
    with at_the_desk(tmp_path, sheet) as (app, campaign):
        text = sends(sheet)
        sheet.goto("about:blank")
        assert ask(app, f"/api/campaigns/{campaign}")["leads"] == {"pending": 3}
        sheet.goto(f"{app.origin}/#/campaigns/{campaign}/send")
        sheet.get_by_label("Code").or_(sheet.get_by_test_id("send-text")).first.wait_for()
        if sheet.get_by_label("Code").is_visible():
            sheet.get_by_label("Code").fill(app.codes[-1])
            sheet.keyboard.press("Enter")
        expect(sheet.get_by_test_id("send-text")).to_have_text(text)
        expect(sheet.get_by_role("button", name="Sent exactly this message")).to_be_visible()
        with app.workspace.database.read() as connection:
            assert connection.execute("SELECT status FROM actions").fetchall() == [("intended",)]
        sheet.keyboard.press("n")
        answered(sheet, 1, 2)

        # The clipboard is refused.
        sheet.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        sheet.keyboard.press("Enter")
        expect(sheet.get_by_text("The browser did not allow copying.")).to_be_visible()
        expect(sheet.get_by_test_id("send-text")).to_be_visible()  # to be selected by hand
        expect(sheet.get_by_role("button", name="Sent exactly this message")).to_be_enabled()
        sheet.keyboard.press("n")
        answered(sheet, 2, 1)
        assert ask(app, f"/api/campaigns/{campaign}")["leads"] == {"pending": 3}

        # What was sent before the record was lost is said with one key.
        expect(sheet.get_by_text("record is missing")).to_have_count(0)
        lost = ConfigSet(
            RECORDS_LOST, value=canonical({"accepted_at": app.services.clock(campaign).now(), "missing": []})
        )
        journal = app.workspace.journal
        journal.record(campaign, events=[lost], actor="user", cause="records lost, accepted", at=0)
        expect(sheet.get_by_text("this may have been sent already")).to_be_visible()
        sheet.keyboard.press("s")
        answered(sheet, 3, 0)
        expect(sheet.get_by_text(": already sent")).to_be_visible()
        sheet.keyboard.press("z")
        answered(sheet, 2, 1)
        expect(sheet.get_by_role("button", name="Already invited")).to_be_enabled()
        sheet.keyboard.press("s")
        answered(sheet, 3, 0)
        sheet.keyboard.press("Escape")
        funnel = {"contacted": 1, "pending": 2}
        until("the funnel tells it", lambda: ask(app, f"/api/campaigns/{campaign}")["leads"] == funnel)


def is_read_again_when_another_device_begins_or_ends_to_act(app: App, sheet: Page) -> None:
    """Which decides who may be written to from here."""
    for acting in ("elsewhere", "here"):
        now = SyncState.model_validate({"phase": "in_sync", "acting": acting, "acting_name": "Laptop"})
        with sheet.expect_response("**/api/send*"):
            app.launch.services.feed.announce("sync", SyncChanged(sync=now))


def test_another_window_is_told_what_was_reported_in_this_one_and_what_stops_everything_is_said_once(
    tmp_path: Path, sheet: Page
) -> None:
    with at_the_desk(tmp_path, sheet) as (app, campaign):
        is_read_again_when_another_device_begins_or_ends_to_act(app, sheet)
        name = sheet.get_by_role("article").get_by_role("heading").first.inner_text()
        other = sheet.context.new_page()
        other.goto(f"{app.origin}/#/campaigns/{campaign}/send")
        pair(other, app)
        expect(other.get_by_role("article", name=name)).to_be_visible()
        sends(sheet)
        sheet.keyboard.press("s")
        answered(sheet, 1, 2)
        other.bring_to_front()
        expect(other.get_by_text(f"Reported elsewhere: {name}, sent")).to_be_visible()
        other.keyboard.press("s")  # no answer about somebody who took their place unseen
        expect(other.get_by_role("article")).to_have_count(0)
        other.keyboard.press("Enter")
        expect(other.get_by_role("article")).to_be_visible()
        expect(other.get_by_test_id("send-progress")).to_have_text(re.compile("2 to go$"))

        seen = {"account": LINKEDIN_ACCOUNT, "kind": "logged_out", "said": "Log in", "status": "open", "opened_at": 1}
        app.record(campaign, Event("IncidentOpened", "i1", seen))
        expect(other.get_by_text(" is not waiting any more")).to_be_visible()
        other.keyboard.press("Enter")  # the person shown waits no more, and says so until then
        main = other.get_by_role("main")
        expect(main.get_by_text("First clear what stopped everything, above.")).to_be_visible()
        expect(main.get_by_text("Everything is stopped")).to_have_count(1)
