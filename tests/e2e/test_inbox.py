"""The Inbox by hand: what a whole rehearsal left behind, replies as they come, a question answered where it belongs."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from backend.domain.events.events import Event
from backend.domain.events.facts.message import MessageApproved, MessageOutcomeUnknown, MessageSending
from backend.runtime.feed.feed_messages import RunChanged, RunState
from backend.turn.loop import NothingEligible
from tests.api.app import running
from tests.cli.rehearsed import Rehearsed
from tests.e2e.desk import Desk, desk
from tests.e2e.using import to_screen


def people(sheet: Page) -> Locator:
    """Whom the list shows; a menu beside it has options, too."""
    return sheet.get_by_role("listbox").first.get_by_role("option")


def test_what_was_said_in_a_rehearsal_is_there_with_its_evidence(
    rehearsed: Rehearsed, tmp_path: Path, sheet: Page
) -> None:
    rehearsed.copy(tmp_path / "data")
    responded = rehearsed.ended.told["leads"]["responded"]
    assert responded > 0, "nobody answers in this rehearsal"
    with running(tmp_path / "data") as app:
        campaign = app.ask("/api/campaigns").json["campaigns"][0]["id"]
        Desk(app, campaign).enter(sheet, "inbox")
        sheet.get_by_role("button", name="Replied").click()
        expect(people(sheet)).to_have_count(responded)
        first, thread = people(sheet).first, sheet.get_by_role("article")
        expect(first).to_have_attribute("aria-selected", "true")
        name = first.locator("[dir=auto]").first.inner_text()
        expect(thread.get_by_role("heading")).to_have_text(name)
        expect(thread.get_by_role("blockquote")).not_to_have_count(0)
        when = first.locator(".tabular-nums").inner_text()
        expect(thread.get_by_role("listitem").last).to_contain_text(
            when
        )  # the row tells when they wrote, as the text does
        expect(thread.get_by_text(name, exact=True)).to_have_count(2)  # the heading, and whose words these are
        thread.get_by_text("Proof").first.click()
        picture = thread.get_by_role("img", name="The page as captured").first
        expect(picture).to_be_visible()
        expect(picture).to_have_js_property("complete", True)
        assert picture.evaluate("img => [img.src.slice(0, 22), img.naturalWidth > 100]") == [
            "data:image/png;base64,",
            True,
        ]
        expect(thread.get_by_text("Approved by").first).to_be_visible()
        sheet.get_by_role("button", name="Enlarge picture").first.click()
        expect(sheet.get_by_role("dialog").get_by_role("img")).to_be_visible()
        sheet.keyboard.press("Escape")
        expect(sheet.get_by_role("dialog")).to_have_count(0)  # or the next key would still be its own
        sheet.keyboard.press("/")
        expect(sheet.get_by_label("Find by name")).to_be_focused()
        sheet.keyboard.type("no such person")
        expect(sheet.get_by_text("Nobody matches")).to_be_visible()
        sheet.get_by_label("Find by name").fill(name.split()[0])
        expect(people(sheet).first).to_contain_text(name)
        to_screen(sheet, "Today")  # which says what all of it proved
        proven = sheet.get_by_test_id("proven")
        expect(proven.get_by_role("listitem")).to_have_count(4)
        expect(proven.get_by_text("(does not hold)")).to_have_count(0)
        expect(proven).to_contain_text("duplicates 0, missing 0")
        expect(sheet.get_by_role("button", name="Rehearse again")).to_be_visible()
        expect(sheet.get_by_text(", stopped")).to_be_visible()


def test_a_reply_is_marked_until_it_was_looked_at_and_what_nobody_knows_is_answered_beside_the_conversation(
    tmp_path: Path, sheet: Page
) -> None:
    with desk(tmp_path) as at:
        first, second = at.leads[0][0], at.leads[1][0]
        for lead, sent in ((first, 10), (second, 20)):
            advanced = {"invited_at": 1, "last_sent_at": sent, "status": "contacted", "relation": "connected"}
            at.app.record(at.campaign, Event("LeadAdvanced", lead, advanced))
        at.enter(sheet, "today")
        is_not_offered_to_whoever_is_in_it(at, sheet)
        a_reply_shows_when_it_comes(at, sheet, first)
        what_nobody_knows_is_answered_beside_the_conversation(at, sheet)
        filters_are_folded_where_it_is_narrow(sheet)


def is_not_offered_to_whoever_is_in_it(at: Desk, sheet: Page) -> None:
    """While the practice clock waits for its replies to be read."""
    idle = NothingEligible(None, for_user=True, new_replies=1)
    run = RunState(phase="running", campaign_id=at.campaign, name="Rehearsal", nothing_eligible=idle)
    at.app.launch.services.feed.announce("run", RunChanged(run=run))
    sheet.get_by_role("link", name="Open the inbox").click()
    waiting = sheet.get_by_test_id("run-status").filter(has_text="The practice clock waits for you")
    expect(waiting.get_by_role("button", name="Continue")).to_be_visible()
    expect(sheet.get_by_role("link", name="Open the inbox")).to_have_count(0)
    at.app.launch.services.feed.announce("run", RunChanged(run=RunState(phase="idle", campaign_id=at.campaign)))


def a_reply_shows_when_it_comes(at: Desk, sheet: Page, first: str) -> None:
    """And is marked until it was looked at."""
    expect(sheet.get_by_role("article").get_by_role("heading", name=at.leads[1][1])).to_be_visible()
    expect(people(sheet).first).to_contain_text(at.leads[1][1])
    reply = {
        "lead_id": first,
        "kind": "reply",
        "text": "Gladly!",
        "status": "received",
        "sent_at": 30,
        "created_at": 30,
    }
    at.app.record(
        at.campaign,
        Event("LeadAdvanced", first, {"replied_at": 30, "status": "responded", "thread_read_at": 30}),
        Event("ReplyReceived", "r1", reply),
    )
    top = people(sheet).first
    expect(top).to_contain_text("Gladly!")
    expect(top.get_by_role("img", name="New reply")).to_be_visible()
    expect(sheet.get_by_role("article").get_by_role("heading", name=at.leads[1][1])).to_be_visible()
    sheet.keyboard.press("k")
    expect(sheet.get_by_role("article").get_by_text("Gladly!")).to_be_visible()
    expect(top.get_by_role("img", name="New reply")).to_have_count(0)
    expect(sheet).to_have_url(re.compile(f"/inbox/{first}$"))


def what_nobody_knows_is_answered_beside_the_conversation(at: Desk, sheet: Page) -> None:
    """Whether a message was sent, of which the site said nothing."""
    message = at.draft(2, "Hello")
    lead = at.leads[2][0]
    asked = {
        "task_id": "task2",
        "kind": "outcome_unknown",
        "question": "Was it sent?",
        "status": "open",
        "created_at": 1,
    }
    intent = {
        "turn": 1,
        "task_id": "task2",
        "lead_id": lead,
        "message_id": message,
        "approval_id": "a1",
        "account": "p",
    }
    intent |= {"family": "invite", "tool": "browser.send_invitation", "params": {}, "intended_at": 5}
    approval = {"message_id": message, "digest": "d", "status": "used", "given_by": "user"}
    at.app.record(
        at.campaign,
        Event("ApprovalGiven", "a1", {**approval, "expires_at": 9, "created_at": 2}),
        Event("ActionIntended", "x1", {**intent, "status": "outcome_unknown"}),
        MessageApproved(message),
        MessageSending(message),
        MessageOutcomeUnknown(message, reason="The site gave no answer."),
        Event("LeadBlocked", lead, {"blocked": "outcome_unknown"}),
        Event("TaskBlocked", "task2", {"status": "blocked", "reason": "unknown"}),
        Event(
            "InputRequested",
            "q1",
            {**asked, "choices": ["it was sent", "it was not sent"], "payload": {"action_id": "x1"}},
        ),
    )
    at.show(sheet, "review/approved")
    expect(sheet.get_by_text("Delivery not confirmed")).to_be_visible()
    sheet.get_by_role("link", name="Open the conversation").click()
    expect(sheet.get_by_role("article").get_by_text("Was it sent?")).to_be_visible()
    sheet.get_by_role("button", name="it was sent").click()
    expect(sheet.get_by_role("article").get_by_text("Was it sent?")).to_have_count(0)
    expect(sheet.get_by_role("article").get_by_text("waiting")).to_be_visible()
    assert at.status(message) == "sent"


def filters_are_folded_where_it_is_narrow(sheet: Page) -> None:
    """Until they are wanted."""
    expect(sheet.get_by_role("button", name="Filter")).to_have_count(0)
    expect(sheet.get_by_role("button", name="Replied")).to_be_visible()
    sheet.set_viewport_size({"width": 320, "height": 900})
    filters = sheet.get_by_role("button", name="Filter")
    expect(filters).to_have_attribute("aria-expanded", "false")
    expect(sheet.get_by_role("button", name="Replied")).to_be_hidden()
    filters.click()
    sheet.get_by_role("button", name="Replied").click()
    expect(filters).to_have_text("Filter: Replied")  # also when it is folded again
    filters.click()
    sheet.keyboard.press("/")
    expect(sheet.get_by_label("Find by name")).to_be_focused()


def test_a_conversation_is_answered_labelled_and_put_off_by_keyboard(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        now = at.app.services.clock(at.campaign).now()
        for position, (text, kind) in enumerate(
            (("Gladly!", {}), ("No thanks.", {"reply_kind": "no", "reply_rule": "x"}))
        ):
            lead, at_ = at.leads[position][0], now - 1_000 * (position + 1)
            reply = {
                "lead_id": lead,
                "kind": "reply",
                "text": text,
                "status": "received",
                "sent_at": at_,
                "created_at": at_,
            }
            values = {"replied_at": at_, "status": "responded", "relation": "connected", "last_sent_at": 1}
            at.app.record(
                at.campaign, Event("ReplyReceived", f"r{position}", reply | kind), Event("LeadAdvanced", lead, values)
            )
        at.enter(sheet, "inbox")
        first, suggested = people(sheet).first, sheet.get_by_test_id("suggestion")
        expect(first.get_by_role("img", name="New reply")).to_be_visible()  # shown by itself is not read
        expect(suggested).to_contain_text("They wrote last")
        sheet.keyboard.press("r")
        words = sheet.get_by_label("Your answer", exact=True)
        expect(words).to_be_focused()
        words.fill("Thank you! Tuesday?")
        sheet.get_by_role("button", name="Save reply…").click()
        sheet.get_by_label("Name", exact=True).fill("Tuesday")
        sheet.keyboard.press("Enter")
        expect(sheet.get_by_role("group", name="Saved replies")).to_be_visible()
        words.fill("")
        words.press("Alt+1")
        expect(words).to_have_value("Thank you! Tuesday?")
        words.press("Control+Enter")
        expect(suggested).to_contain_text("when the campaign runs again")
        expect(first.get_by_role("img", name="New reply")).to_have_count(0)
        sheet.get_by_role("button", name="Take back").click()
        expect(words).to_have_value("Thank you! Tuesday?")
        words.press("Escape")
        expect(words).to_have_count(0)
        sheet.keyboard.press("2")
        expect(sheet.get_by_role("group", name="Until when").get_by_role("button", name="Tomorrow")).to_be_focused()
        sheet.keyboard.press("Enter")
        expect(people(sheet)).to_have_count(1)
        expect(suggested).to_contain_text("They declined")
        sheet.keyboard.press("d")
        expect(sheet.get_by_text("will not be contacted in any campaign")).to_be_visible()
        sheet.get_by_role("button", name="Snoozed", exact=True).first.click()
        expect(people(sheet)).to_have_count(1)
        expect(people(sheet).first).to_contain_text("later")
