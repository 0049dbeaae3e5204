"""The same app in two tabs: what is decided in one is seen in the other, and nothing that is typed is lost or undone there."""

from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.events.events import Event
from tests.e2e.desk import Desk, desk


def test_what_is_decided_in_one_tab_is_seen_in_the_other_and_nothing_that_is_typed_is_lost_or_undone_there(
    tmp_path: Path, sheet: Page
) -> None:
    with desk(tmp_path) as at:
        at.enter(sheet, "setup")
        other = sheet.context.new_page()
        other.goto(sheet.url)
        at.pair(other)
        a_rename_is_not_undone_by_what_is_saved_in_the_other(sheet, other)
        what_both_changed_is_asked(sheet, other)
        what_was_typed_of_a_draft_that_is_decided_is_still_shown(at, sheet, other)
        an_answer_half_written_is_still_shown(at, sheet, other)


def a_rename_is_not_undone_by_what_is_saved_in_the_other(sheet: Page, other: Page) -> None:
    """Nor is what is typed there lost."""
    for tab in (sheet, other):
        expect(tab.get_by_label("What it is about")).to_be_visible()
    other.get_by_label("What it is about").fill("Typed here")
    sheet.get_by_label("Name", exact=True).fill("Renamed there")
    sheet.get_by_role("button", name="Save", exact=True).click()
    expect(other.get_by_role("heading", name="Renamed there")).to_be_visible()
    expect(other.get_by_label("What it is about")).to_have_value("Typed here")
    other.get_by_role("button", name="Save", exact=True).click()
    expect(other.get_by_text("Saved.")).to_be_visible()
    for tab in (sheet, other):
        expect(tab.get_by_label("Name", exact=True)).to_have_value("Renamed there")
        expect(tab.get_by_label("What it is about")).to_have_value("Typed here")


def what_both_changed_is_asked(sheet: Page, other: Page) -> None:
    """What only the one changed stands in both."""
    goal, topic = (sheet.get_by_label(name) for name in ("What you want from them", "What it is about"))
    other.get_by_label("What it is about").fill("Typed anew")
    other.get_by_label("Messages a day").fill("7")
    goal.fill("Saved there")
    sheet.get_by_label("Invitations a day").fill("6")
    sheet.get_by_role("button", name="Save", exact=True).click()
    expect(other.get_by_label("What you want from them")).to_have_value("Saved there")
    other.get_by_role("button", name="Save", exact=True).click()
    expect(topic).to_have_value("Typed anew")
    for tab in (sheet, other):
        expect(tab.get_by_label("Invitations a day")).to_have_value("6")
        expect(tab.get_by_label("Messages a day")).to_have_value("7")

    other.get_by_label("What it is about").fill("Mine")
    topic.fill("Theirs")
    sheet.get_by_role("button", name="Save", exact=True).click()
    asked = other.get_by_role("alert").filter(has_text="and so did another window")
    expect(asked).to_contain_text("What it is about: “Theirs”")
    expect(other.get_by_label("What it is about")).to_have_value("Mine")
    other.get_by_role("button", name="Save mine").click()
    expect(asked).to_have_count(0)
    expect(topic).to_have_value("Mine")


def what_was_typed_of_a_draft_that_is_decided_is_still_shown(at: Desk, sheet: Page, other: Page) -> None:
    """Until it is given up."""
    for position in range(2):
        at.draft(position, f"Hi number {position}")
    for tab in (sheet, other):
        tab.bring_to_front()
        at.show(tab, "review")
        expect(tab.get_by_role("article")).to_be_visible()
    other.keyboard.press("e")
    expect(other.get_by_role("textbox")).to_be_focused()
    other.keyboard.type(", my own words")
    sheet.bring_to_front()
    sheet.keyboard.press("a")
    lost = other.get_by_role("main").get_by_text("Hi number 0, my own words")
    expect(lost).to_be_visible()
    expect(other.get_by_role("option")).to_have_count(1)
    other.get_by_role("button", name="I have it, discard").click()
    expect(lost).to_have_count(0)


def an_answer_half_written_is_still_shown(at: Desk, sheet: Page, other: Page) -> None:
    """When another answer was given."""
    now, lead = at.app.services.clock(at.campaign).now(), at.leads[2][0]
    reply = {
        "lead_id": lead,
        "kind": "reply",
        "text": "Gladly!",
        "status": "received",
        "sent_at": now,
        "created_at": now,
    }
    values = {"replied_at": now, "status": "responded", "relation": "connected", "last_sent_at": 1}
    at.app.record(at.campaign, Event("ReplyReceived", "r1", reply), Event("LeadAdvanced", lead, values))
    for tab, words in ((other, "Half of what I"), (sheet, "On Tuesday?")):
        tab.bring_to_front()
        at.show(tab, f"inbox/{lead}")
        expect(tab.get_by_role("button", name="Answer", exact=True)).to_be_visible()
        tab.keyboard.press("r")
        expect(tab.get_by_label("Your answer")).to_be_focused()
        tab.keyboard.type(words)
    sheet.keyboard.press("Control+Enter")
    lost = other.get_by_role("alert").filter(has_text="another answer was given")
    expect(lost).to_contain_text("Half of what I")
    expect(other.get_by_role("button", name="Take back")).to_be_visible()
    expect(sheet.get_by_role("button", name="Take back")).to_be_visible()
    expect(sheet.get_by_role("alert")).to_have_count(0)
    lost.get_by_role("button", name="I have it, discard").click()
    expect(lost).to_have_count(0)
