"""Review by hand: keyboard only, several at once, what is typed kept whatever happens, texts that try to deceive."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from backend.domain.events.events import Event
from backend.domain.events.facts.message import ApprovalGiven, MessageApproved
from backend.runtime.feed.feed_messages import RunChanged, RunState
from tests.cli.outrider import until
from tests.e2e.desk import Desk, desk
from tests.e2e.using import drafts_left, to_screen


def chosen(page: Page, name: str) -> None:
    expect(page.get_by_role("article").get_by_role("heading", name=name)).to_be_visible()


HOSTILE = "Hi <img src=x onerror=alert(1)> <script>window.ran=1</script> \u202egnp.exe\u202c zero\u200bwidth"


def _draft(at: Desk, number: int) -> Event:
    written = {"lead_id": at.leads[number % 12][0], "step": "invite", "kind": "invitation", "text": f"Hello {number}"}
    return Event("MessageDrafted", f"m{number:03}", {**written, "status": "draft", "created_at": 1})


def test_a_whole_review_by_keyboard_alone_and_without_single_letters(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        ids = [at.draft(position, f"Hello number {position}") for position in range(6)]
        names = [name for _, name in at.leads]
        at.app.record(at.campaign, Event("CampaignEdited", at.campaign, {"proposer": "model:mine"}))
        at.enter(sheet, "review")
        chosen(sheet, names[0])
        sheet.keyboard.press("j")
        chosen(sheet, names[1])
        expect(sheet).to_have_url(re.compile(f"/review/{ids[1]}$"))  # a link leads here
        sheet.keyboard.press("a")
        chosen(sheet, names[2])  # what took its place
        drafts_left(sheet, 5)
        sheet.keyboard.press("r")
        sheet.keyboard.press("Enter")
        chosen(sheet, names[3])
        expect(sheet.get_by_text("Rejected. A new message will be written for")).to_be_visible()
        sheet.keyboard.press("u")
        chosen(sheet, names[2])
        assert (at.status(ids[1]), at.status(ids[2])) == ("approved", "draft")

        sheet.keyboard.press("2")  # what is approved, and why it waits
        chosen(sheet, names[1])
        expect(sheet.get_by_text("The campaign has not been started.")).to_be_visible()
        sheet.keyboard.press("w")
        expect(sheet.get_by_text("Nothing is waiting to be sent")).to_be_visible()
        assert at.status(ids[1]) == "draft"
        sheet.keyboard.press("1")
        expect(sheet.get_by_role("option")).to_have_count(6)

        # Letters mean nothing alone where the user switched them off.
        sheet.evaluate("location.hash = '#/settings/appearance'")
        sheet.get_by_role("radio", name="Combinations only").check()
        sheet.evaluate("hash => { location.hash = hash }", f"#/campaigns/{at.campaign}/review/{ids[0]}")
        chosen(sheet, names[0])
        expect(sheet.get_by_role("button", name="Approve").locator("kbd")).to_be_hidden()
        sheet.keyboard.press("a")
        sheet.keyboard.press("ArrowDown")
        chosen(sheet, names[1])
        assert {at.status(id_) for id_ in ids} == {"draft"}

        # The palette leads to the person that was chosen.
        lead_id, name = at.leads[8]
        sheet.keyboard.press("Control+k")
        sheet.get_by_role("dialog").get_by_role("combobox").fill(name)
        sheet.get_by_role("option", name=name).wait_for()
        sheet.keyboard.press("Enter")
        expect(sheet.get_by_test_id("lead-detail").get_by_text(name).first).to_be_visible()
        expect(sheet).to_have_url(re.compile(f"/leads/{lead_id}$"))


def test_whoever_rejects_a_models_text_may_say_why_or_not_and_writes_it_where_there_is_no_model(
    tmp_path: Path, sheet: Page
) -> None:
    with desk(tmp_path) as at:
        ids = [at.draft(position, f"Hello number {position}") for position in range(4)]
        names = [name for _, name in at.leads]
        at.enter(sheet, "review")

        # Without a model it is the user's to write.
        chosen(sheet, names[0])
        sheet.keyboard.press("r")
        expect(sheet.get_by_text("Write this message yourself, or skip")).to_be_visible()
        sheet.get_by_role("textbox", name="Message to").fill("In my own words")
        sheet.keyboard.press("Control+Enter")
        expect(sheet.get_by_role("article").get_by_text("In my own words")).to_be_visible()
        assert at.status(ids[0]) == "draft"

        # Its model writes another one.
        at.app.record(at.campaign, Event("CampaignEdited", at.campaign, {"proposer": "model:mine"}))
        sheet.reload()
        why = sheet.get_by_role("textbox", name="Why reject it?")

        chosen(sheet, names[0])
        sheet.keyboard.press("r")
        expect(why).to_be_focused()
        sheet.keyboard.type("Too formal")
        sheet.keyboard.press("Enter")
        chosen(sheet, names[1])
        drafts_left(sheet, 3)
        sheet.keyboard.press("r")
        sheet.keyboard.type("Never mind")
        sheet.keyboard.press("Escape")
        expect(why).to_have_count(0)  # it is kept, and the words are gone
        sheet.keyboard.press("r")
        expect(why).to_have_value("")
        sheet.keyboard.press("Enter")
        chosen(sheet, names[2])
        drafts_left(sheet, 2)

        sheet.keyboard.press("r")
        sheet.get_by_role("button", name="Cancel").click()
        expect(why).to_have_count(0)
        sheet.keyboard.press("r")
        sheet.get_by_role("option").nth(1).click()
        chosen(sheet, names[3])
        expect(why).to_have_count(0)

        sheet.route("**/reject", lambda route: route.abort(), times=1)
        sheet.keyboard.press("r")
        sheet.keyboard.type("Not to her")
        sheet.keyboard.press("Enter")
        expect(why).to_have_value("Not to her")  # nobody answered: what was typed is kept
        assert [at.status(id_) for id_ in ids] == ["cancelled", "cancelled", "draft", "draft"]
        assert [at.rejection_reason(id_) for id_ in ids] == ["Too formal", "", "", ""]


def undo_is_for_the_last_decision_only(at: Desk, sheet: Page) -> None:
    """And until its message has left."""
    ids = [at.draft(position, f"Hello number {position}") for position in range(3, 7)]
    hint = sheet.get_by_text("u undo")
    for position in (3, 4):
        chosen(sheet, at.leads[position][1])
        sheet.keyboard.press("a")
        expect(hint).to_be_visible()
    drafts_left(sheet, 2)
    at.app.record(at.campaign, Event("MessageSent", ids[1], {"status": "sent", "sent_at": 1, "evidence": "[]"}))
    expect(hint).to_be_hidden()
    sheet.keyboard.press("s")
    expect(hint).to_be_visible()
    drafts_left(sheet, 1)
    sheet.keyboard.press("x")
    sheet.keyboard.press("Shift+A")
    sheet.get_by_role("dialog").get_by_role("button", name="Approve").press("Enter")
    expect(sheet.get_by_test_id("finished")).to_be_visible()
    sheet.keyboard.press("u")
    assert [at.status(id_) for id_ in ids] == ["approved", "sent", "cancelled", "approved"]


def focus_is_with_the_next_message(at: Desk, sheet: Page) -> None:
    """It never falls to the page's beginning."""
    for position in range(7, 10):
        at.draft(position, f"Hello number {position}")
    drafts_left(sheet, 3)
    for left, name in ((2, "Approve"), (1, "Skip person"), (0, "Approve")):
        button = sheet.get_by_role("article").get_by_role("button", name=name, exact=True)
        button.focus()
        button.press("Enter")
        drafts_left(sheet, left)
        expect(sheet.locator("body")).not_to_be_focused()


def the_list_grows_as_one_goes_down_it(at: Desk, sheet: Page) -> None:
    """Only what is in view is rendered."""
    at.app.record(at.campaign, *(_draft(at, number) for number in range(102)))
    drafts_left(sheet, 102)
    last = sheet.get_by_role("article").get_by_text("Hello 101", exact=True)
    while not last.is_visible():
        for _ in range(20):
            sheet.keyboard.press("j")
    assert sheet.get_by_role("option").count() < 60, "only what is in view is rendered"


def test_a_review_that_is_done_says_what_came_of_it_and_its_last_decision_can_be_undone(
    tmp_path: Path, sheet: Page
) -> None:
    with desk(tmp_path) as at:
        for position in range(3):
            at.draft(position, f"Hello number {position}")
        at.enter(sheet, "review")
        sheet.get_by_role("button", name="Edit").click()
        sheet.get_by_role("textbox", name="Message").fill("Hello again")
        sheet.get_by_role("button", name="Save").click()
        expect(sheet.get_by_role("article")).to_contain_text("Hello again")
        for key, left in (("a", 2), ("s", 1), ("a", 0)):
            sheet.keyboard.press(key)
            drafts_left(sheet, left)
        finished = sheet.get_by_test_id("finished")
        expect(finished).to_contain_text("You're done")
        expect(finished).to_contain_text("2 approved · 1 edited · 1 skipped")
        expect(finished).to_contain_text("2 approved messages wait until the campaign starts.")
        sheet.keyboard.press("u")
        expect(sheet.get_by_role("option")).to_have_count(1)
        sheet.keyboard.press("a")
        sheet.keyboard.press("2")
        expect(sheet.get_by_role("button", name="Withdraw")).to_be_visible()
        sheet.keyboard.press("1")
        expect(finished).to_contain_text("2 approved · 1 edited · 1 skipped")
        undo_is_for_the_last_decision_only(at, sheet)
        focus_is_with_the_next_message(at, sheet)
        the_list_grows_as_one_goes_down_it(at, sheet)


def hidden_characters(at: Desk, sheet: Page) -> None:
    """They are named, and such a text is approved by its own button only."""
    draft, other = at.draft(0, "zero\u200bwidth and\u00a0so on"), at.draft(1, "Hello")
    shown = sheet.get_by_role("article")
    expect(shown.get_by_role("alert")).to_contain_text("U+200B, U+00A0")
    sheet.keyboard.press("a")
    expect(sheet.get_by_text("Read it, then use its own button.")).to_be_visible()
    sheet.keyboard.press("x")
    sheet.keyboard.press("j")
    sheet.keyboard.press("x")
    expect(sheet.get_by_role("button", name="Approve 1")).to_be_visible()
    assert (at.status(draft), at.status(other)) == ("draft", "draft")
    sheet.keyboard.press("k")
    shown.get_by_role("button", name="Approve with hidden characters").click()
    expect(shown).to_contain_text("Hello")
    drafts_left(sheet, 1)
    assert at.status(draft) == "approved"


def maybe_a_placeholder(at: Desk, sheet: Page) -> None:
    """It is marked, and such a text is approved by its own button only."""
    draft, other = at.draft(2, "How is [Team]?"), at.draft(3, "Hello")
    shown = sheet.get_by_role("article")
    expect(shown.get_by_role("alert")).to_have_text("This may be a placeholder: [Team]")
    expect(sheet.get_by_role("option").first).to_contain_text("Maybe a placeholder")
    sheet.keyboard.press("a")
    expect(sheet.get_by_text("Not approved: this message may contain a placeholder.")).to_be_visible()
    sheet.keyboard.press("ControlOrMeta+a")
    expect(sheet.get_by_role("button", name="Approve 1")).to_be_visible()
    assert (at.status(draft), at.status(other)) == ("draft", "draft")
    shown.get_by_role("button", name="Approve, it is no placeholder").click()
    expect(shown).to_contain_text("Hello")
    drafts_left(sheet, 1)
    assert at.status(draft) == "approved"


def fell_back_to_the_template(at: Desk, sheet: Page) -> None:
    """It is marked until it is reworded."""
    draft = at.draft(4, "Hello", from_template=True)
    at.draft(5, "Hello you")
    chosen(sheet, at.leads[4][1])
    mark = sheet.get_by_text("From the template, because the model's messages were unusable.")
    expect(mark).to_be_visible()
    sheet.keyboard.press("j")
    chosen(sheet, at.leads[5][1])
    expect(mark).to_have_count(0)
    at.app.services.commands(at.campaign).review.edit(at.campaign, draft, "My own words")
    sheet.keyboard.press("k")
    expect(sheet.get_by_role("article").get_by_text("My own words")).to_be_visible()
    expect(mark).to_have_count(0)


def too_long(at: Desk, sheet: Page) -> None:
    """It is shortened there, and somebody is skipped."""
    long = at.draft(6, "This is one sentence of many. " * 8)
    other = at.draft(7, "Hello again")
    chosen(sheet, at.leads[6][1])
    expect(sheet.get_by_role("article")).to_contain_text("Too long: 240 of 200 characters")
    sheet.keyboard.press("e")
    expect(sheet.get_by_role("button", name="Save")).to_be_disabled()
    sheet.get_by_role("button", name="Shorten to 200").click()
    box = sheet.get_by_role("textbox", name="Message to")
    expect(box).to_have_value(("This is one sentence of many. " * 6).strip())
    box.press("Control+Enter")
    expect(sheet.get_by_role("article")).to_contain_text("179 of 200 characters")
    sheet.keyboard.press("s")
    chosen(sheet, at.leads[7][1])
    until("the person is skipped", lambda: at.status(long) == "cancelled")
    assert at.status(other) == "draft"
    skipped = sheet.get_by_text(f"{at.leads[6][1]} is skipped")
    expect(skipped).to_be_visible()
    first = at.draft(11, "Hello once more")
    sheet.keyboard.press("u")  # their text is written anew, in time: who is shown stays
    expect(skipped).to_have_count(0)
    expect(sheet.get_by_role("option")).to_have_count(2)
    chosen(sheet, at.leads[7][1])
    assert at.status(first) == "draft"


def gone_while_it_was_edited(at: Desk, sheet: Page) -> None:
    """What was typed is shown until it is given up."""
    first = at.draft(8, "Hello")
    at.draft(9, "Hello again")
    chosen(sheet, at.leads[8][1])
    sheet.keyboard.press("e")
    sheet.get_by_role("textbox", name="Message to").fill("Precious words")
    at.app.services.commands(at.campaign).review.reject(at.campaign, first)
    expect(sheet.get_by_role("alert").filter(has_text="Precious words")).to_be_visible()
    sheet.get_by_role("button", name="I have it, discard").click()
    expect(sheet.get_by_text("Precious words")).to_have_count(0)


def test_a_text_that_is_unusual_is_marked_and_decided_about_in_its_own_way(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        at.enter(sheet, "review")
        for unusual in (
            hidden_characters,
            maybe_a_placeholder,
            fell_back_to_the_template,
            too_long,
            gone_while_it_was_edited,
        ):
            unusual(at, sheet)
            while sheet.get_by_role("article").is_visible():  # the others of this kind
                left = sheet.get_by_role("option").count() - 1
                sheet.keyboard.press("s")
                drafts_left(sheet, left)


def test_what_is_approved_is_what_is_shown_and_still_holds(tmp_path: Path, sheet: Page) -> None:
    """An approval that ran out is given again; of several, what changed meanwhile is not approved; no text deceives."""
    with desk(tmp_path) as at:
        one_that_ran_out_is_given_again_from_where_it_is_shown(at, sheet)
        several_are_approved_and_one_that_changed_meanwhile_is_not(at, sheet)
        a_text_that_tries_to_deceive_is_shown_for_what_it_is_below_a_banner(at, sheet)


def one_that_ran_out_is_given_again_from_where_it_is_shown(at: Desk, sheet: Page) -> None:
    """Before it was sent."""
    draft = at.draft(4, "Hello")
    yes = ApprovalGiven("a1", message_id=draft, digest="any", given_by="user", expires_at=9, created_at=1)
    at.app.record(at.campaign, yes, MessageApproved(draft))
    at.enter(sheet, "review/approved")
    expect(sheet.get_by_role("article")).not_to_contain_text("next in line")
    sheet.get_by_role("button", name="Approve again…").click()
    # The sheet of what is approved shows the same person and text until Review is there.
    expect(sheet.get_by_role("article").get_by_role("button", name="Approve", exact=True)).to_be_enabled()
    chosen(sheet, at.leads[4][1])
    expect(sheet.get_by_role("article")).to_contain_text("Hello")
    sheet.keyboard.press("a")
    until("it is approved again", lambda: at.status(draft) == "approved")


def several_are_approved_and_one_that_changed_meanwhile_is_not(at: Desk, sheet: Page) -> None:
    """As they are shown in the question."""
    ids = [at.draft(position, f"Hello number {position}") for position in range(4)]
    at.show(sheet, "review")
    chosen(sheet, at.leads[0][1])
    sheet.keyboard.press("x")
    sheet.keyboard.press("Shift+J")
    sheet.keyboard.press("Shift+J")
    sheet.keyboard.press("Shift+A")
    dialog = sheet.get_by_role("dialog")
    expect(dialog.get_by_role("listitem")).to_have_count(3)
    for position in range(3):
        expect(dialog.get_by_text(f"Hello number {position}")).to_be_visible()
    at.app.services.commands(at.campaign).review.edit(at.campaign, ids[1], "Something else entirely")
    expect(sheet.get_by_role("option").nth(1)).to_contain_text("Something else entirely")
    expect(dialog.get_by_text("Hello number 1")).to_be_visible()  # what is asked about stays what it was
    dialog.get_by_role("button", name="Approve 3").press("Enter")
    expect(dialog.get_by_role("heading", name="2 of 3 approved")).to_be_visible()
    expect(dialog.get_by_role("alert")).to_contain_text("has changed since it was shown")
    assert [at.status(id_) for id_ in ids] == ["approved", "draft", "approved", "draft"]
    sheet.keyboard.press("Escape")
    expect(sheet.get_by_role("option")).to_have_count(2)
    sheet.get_by_role("option").first.click()
    expect(sheet.get_by_text("The message has changed since you saw it.")).to_be_visible()
    expect(sheet.get_by_role("article").get_by_text("Something else entirely")).to_be_visible()

    # The text changes while the approval of the old one is under way: it is refused, and approved when read.
    sheet.route("**/approve", lambda route: route.continue_(post_data='{"shown_digest":"' + "0" * 64 + '"}'), times=1)
    approve = sheet.get_by_role("article").get_by_role("button", name="Approve", exact=True)
    approve.click()
    expect(sheet.get_by_role("alert").filter(has_text="approval_text_changed")).to_be_visible()
    assert at.status(ids[1]) == "draft"
    approve.click()
    drafts_left(sheet, 1)
    assert at.status(ids[1]) == "approved"


def a_text_that_tries_to_deceive_is_shown_for_what_it_is_below_a_banner(at: Desk, sheet: Page) -> None:
    """In Review and in the Inbox."""
    draft = at.draft(5, HOSTILE)
    lead = at.leads[5][0]
    seen = {"headline": "<b>CEO</b>\u202e", "full_name": "Ann <script>window.ran=1</script>"}
    at.app.record(at.campaign, Event("LeadAdvanced", lead, seen))
    text = "<script>window.ran=1</script>\u2066" + "x" * 10_000_000
    reply = {"lead_id": lead, "kind": "reply", "text": text, "status": "received", "sent_at": 5, "created_at": 5}
    at.app.record(at.campaign, Event("ReplyReceived", "r1", reply))
    at.show(sheet, f"review/{draft}")
    shown = sheet.get_by_role("article")
    expect(shown).to_contain_text("<img src=x onerror=alert(1)> <script>window.ran=1</script>")
    for name in ("right-to-left override", "zero-width space", "left-to-right isolate"):
        expect(shown.get_by_role("img", name=name).first).to_be_visible()
    expect(sheet.get_by_role("option").filter(has_text="Hidden characters:")).to_have_count(1)
    assert "\u202e" not in shown.get_by_role("blockquote").last.inner_text()
    expect(shown).to_contain_text("9,980,030 more characters are stored")
    # The drafts fill what a banner leaves.
    run = RunState(phase="running", campaign_id=at.campaign, name="Rehearsal", away_since=1)
    at.app.launch.services.feed.announce("run", RunChanged(run=run))
    expect(sheet.get_by_text("Paused while you were away")).to_be_visible()
    main = sheet.get_by_role("main")
    assert main.evaluate("shown => shown.scrollHeight === shown.clientHeight"), "there is nothing below the window"

    at.app.record(at.campaign, Event("LeadAdvanced", lead, {"replied_at": 6, "status": "responded"}))
    sheet.keyboard.press("g")
    sheet.keyboard.press("i")
    expect(sheet.get_by_role("article")).to_contain_text("<script>window.ran=1</script>")
    assert sheet.evaluate("window.ran") is None
    assert at.status(draft) == "draft"


def test_what_is_typed_is_kept_over_screens_a_lost_connection_and_a_restart(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        port = int(at.app.authority.rpartition(":")[2])
        at.draft(0, "Hello")
        second = at.draft(1, "Hello again")
        at.enter(sheet, f"review/{second}")
        chosen(sheet, at.leads[1][1])
        sheet.keyboard.press("e")
        box = sheet.get_by_role("textbox", name="Message to")
        box.fill("My own words")
        to_screen(sheet, "Run")
        expect(box).to_have_count(0)
        sheet.go_back()
        expect(box).to_have_value("My own words")
        sheet.get_by_role("option").first.click()
        expect(sheet.get_by_role("option").nth(1)).to_contain_text("Unsaved: My own words")
        sheet.get_by_role("option").nth(1).click()
        expect(box).to_have_value("My own words")
    expect(sheet.get_by_text("Reconnecting…")).to_be_visible()
    box.press("Control+Enter")
    expect(sheet.get_by_role("alert").filter(has_text="not_reachable").first).to_be_visible()
    expect(box).to_have_value("My own words")
    box.fill("My own words, and more")

    with desk(tmp_path, port) as at:
        expect(sheet.get_by_label("Code")).to_be_visible()  # another launch has another key
        at.pair(sheet)
        expect(box).to_have_value("My own words, and more")
        box.press("Control+Enter")
        expect(sheet.get_by_role("article").get_by_text("My own words, and more")).to_be_visible()
        expect(box).to_have_count(0)
        assert at.status(second) == "draft"
        sheet.keyboard.press("a")
        drafts_left(sheet, 1)
        assert at.status(second) == "approved"
