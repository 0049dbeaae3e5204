"""From nothing to drafts of a campaign of one's own, by keyboard; limits that hold; how it looks; a page that is stale."""

import json
import re
import sqlite3
from contextlib import AbstractContextManager, closing
from pathlib import Path

from playwright.sync_api import Locator, Page, Response, Route, WebSocketRoute, expect

from backend.app.wiring import open_workspace
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.machine.settings import read_settings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.store.queries.campaign.new_campaign_draft import kept_draft
from tests.adapters.leadfiles.workbooks import Cell, Sheets, write_workbook
from tests.e2e.conftest import Start
from tests.e2e.shared_store import error
from tests.e2e.using import drafts_left, drafts_wait, review, to_screen
from tests.patience import SOON

CONNECTIONS = Path(__file__).parents[1] / "data" / "Connections.csv"
GOAL = "I am gathering a few people to talk about careful outreach."
LEAST = "Contact people with a score of at least"
MATCH = re.compile(r"^\d+ of 38 people match")


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the control of this name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement?.ariaLabel ?? document.activeElement?.textContent?.trim()") == name:
            return
    raise AssertionError(f"the keyboard does not reach {name}")


def onward(page: Page, to: str) -> None:
    """The wizard's next step, by keyboard."""
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Steps").locator("[aria-current=step]")).to_contain_text(to)


def asked_for_the_topic_that_a_message_needs(sheet: Page) -> None:
    """Where it is said."""
    sheet.get_by_role("textbox", name="Message of step 1").fill("Hi {first_name}, {topic}")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_role("alert").filter(has_text="you have not said what it is about")).to_be_visible()
    sheet.get_by_role("button", name="Say what it is about").click()
    sheet.get_by_label("What it is about").fill("A talk in May.")
    onward(sheet, "Sequence")
    expect(sheet.get_by_role("list", name="How step 1 reads")).to_contain_text("A talk in May.")


def driving_linkedin_is_chosen_by_typing_ones_consent_and_withdrawn_in_settings(sheet: Page) -> None:
    """For a campaign without leads."""
    sheet.get_by_label("later").check()
    say_the_goal(sheet)
    onward(sheet, "Sequence")
    asked_for_the_topic_that_a_message_needs(sheet)
    onward(sheet, "Limits and hours")
    sheet.get_by_role("radio", name="LinkedIn, driven by Outrider").check()
    expect(sheet.get_by_label("Invitations a day")).to_have_value("10")  # a channel's own limits
    consent = sheet.get_by_role("region", name="Consent")
    expect(consent).to_contain_text("section 8.2")
    expect(consent.get_by_role("button", name="Consent")).to_be_disabled()
    sheet.keyboard.press("Control+Enter")
    expect(consent.get_by_role("alert")).to_have_text("Read this and consent, or choose another way.")
    consent.get_by_label("Your consent").fill(CONSENT_SENTENCE[:-9])
    consent.get_by_label("Your consent").press("Enter")
    expect(consent.get_by_text("That is not the sentence above, word for word.")).to_be_visible()
    consent.get_by_label("Your consent").fill(CONSENT_SENTENCE.lower())
    consent.get_by_label("Your consent").press("Enter")
    expect(consent).to_be_hidden()
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_role("heading", name="Talks is ready")).to_be_visible()
    sheet.evaluate("location.hash = '#/settings/drive'")
    expect(sheet.get_by_text(CONSENT_SENTENCE.lower())).to_be_visible()
    sheet.get_by_role("button", name="Withdraw consent").click()
    expect(sheet.get_by_label("Your consent")).to_be_visible()


def say_the_goal(sheet: Page) -> None:
    """From the wizard's leads to its goal, which is filled in."""
    onward(sheet, "Goal")
    sheet.get_by_label("Name").fill("Talks")
    sheet.get_by_label("What you want from them").fill(GOAL)


def fill_in(sheet: Page) -> None:
    """The wizard from its first step to its last, with what is wrong on the way."""
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_text("Choose a file, or choose")).to_be_visible()
    with sheet.expect_file_chooser() as chosen:
        tab_to(sheet, "Choose a file…")
        sheet.keyboard.press("Enter")
    chosen.value.set_files(CONNECTIONS)
    expect(sheet.get_by_test_id("preview-counts")).to_have_text("38 people, 1 duplicate left out, 1 rejected")
    onward(sheet, "Goal")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_text("Enter a name.")).to_be_visible()
    sheet.keyboard.type("Autumn talks")
    sheet.keyboard.press("Tab")
    sheet.keyboard.type(GOAL)
    expect(sheet.get_by_role("region", name="Scoring")).to_contain_text("Leads are scored by")

    # Going elsewhere loses nothing.
    sheet.evaluate("location.hash = '#/settings/privacy'")
    expect(sheet.get_by_text("What leaves this machine")).to_be_visible()
    sheet.evaluate("location.hash = '#/new'")
    expect(sheet.get_by_label("What you want from them")).to_have_value(GOAL)
    onward(sheet, "Sequence")
    # They are contacts: nobody is invited, nor thanked for connecting.
    expect(sheet.get_by_role("radio", name="Write to contacts")).to_be_checked()
    expect(sheet.get_by_test_id("contacts")).to_have_text("Everyone in the file is your contact already.")
    expect(sheet.get_by_role("list", name="How step 1 reads").get_by_text("I hope you are well")).to_have_count(3)
    expect(sheet.get_by_text("I hope you are well").first).to_contain_text("Amara")
    sheet.get_by_role("radio", name="Invite, then write").check()
    expect(sheet.get_by_text("thank you for connecting").first).to_contain_text("Amara")
    tab_to(sheet, "Message of step 1")
    sheet.keyboard.press("Control+a")
    sheet.keyboard.type("Hi {firstname}")
    expect(sheet.get_by_text("There is no variable {firstname}")).to_be_visible()
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_text("One of the messages cannot be sent")).to_be_visible()
    expect(sheet.get_by_label("Message of step 1")).to_be_focused()
    sheet.keyboard.press("Control+a")
    sheet.keyboard.type("Hi {first_name}, shall we talk?")
    expect(sheet.get_by_text("Hi Amara, shall we talk?")).to_be_visible()
    onward(sheet, "Limits and hours")
    expect(sheet.get_by_role("radio", name="LinkedIn, sent by you")).to_be_checked()
    sheet.get_by_role("radio", name="The practice network").check()


def to_import(page: Page) -> None:
    """From the dry run of a new campaign over Today to what became of its file."""
    expect(page.get_by_test_id("forecast")).to_contain_text("would go out")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/today")
    page.evaluate("location.hash = location.hash.replace('today', 'leads/import')")


def test_a_campaign_of_one_s_own_by_keyboard_until_its_drafts_wait(start: Start, sheet: Page) -> None:
    outrider = start()
    outrider.enter(sheet)
    expect(sheet.get_by_role("heading", name="How would you like")).to_be_visible()
    sheet.keyboard.press("n")
    expect(sheet.get_by_role("button", name="Choose a file…")).to_be_focused()
    fill_in(sheet)
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_role("heading", name="Autumn talks is ready")).to_be_visible()
    to_import(sheet)
    expect(sheet.get_by_test_id("import")).to_contain_text("38 new")

    sheet.keyboard.press("g")
    sheet.keyboard.press("c")
    expect(sheet.get_by_text("0 of 38 reached")).to_be_visible()
    tab_to(sheet, "Start Autumn talks")
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("button", name="Stop Autumn talks")).to_be_visible()
    sheet.keyboard.press("j")
    expect(sheet.get_by_role("listitem").filter(has_text="Autumn talks")).to_have_attribute("aria-current", "true")
    sheet.keyboard.press("o")
    expect(sheet.get_by_role("heading", name="Autumn talks")).to_be_visible()
    review(sheet, 3)
    expect(sheet.get_by_text("shall we talk?").first).to_be_visible()
    assert outrider.end() == 0


def people_of_a_file_are_narrowed_as_one_types_and_only_they_come_into_the_campaign(
    sheet: Page, tmp_path: Path
) -> None:
    """By words of a column, by a tag and by who is in touch with them."""
    people = tmp_path / "people.csv"
    people.write_text(
        "Name,LinkedIn URL,Company,Title,Tags\n"
        + "".join(f"Ada {n},https://www.linkedin.com/in/ada-{n},Fern,Editor,Spring fair\n" for n in range(9, 12))
        + "".join(f"Ben {n},https://www.linkedin.com/in/ben-{n},Oak,Cook,\n" for n in range(9, 14))
        + "Cara Moss,https://www.linkedin.com/in/cara-moss,Oak,Senior éditor,\n"
    )
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(people)
    matches, rows = sheet.get_by_test_id("filter-matches"), sheet.get_by_test_id("preview-rows")
    expect(rows).to_contain_text("Ben 9")
    expect(matches).to_be_empty()
    sheet.get_by_label("Title contains").press_sequentially("edit")
    expect(matches).to_have_text("4 of 9 people match. 5 left out by your filter.")
    expect(sheet.get_by_label("Title contains")).to_be_focused()
    expect(rows).to_contain_text("Cara Moss")
    expect(rows).not_to_contain_text("Ben")
    sheet.get_by_label("Company contains").fill("elm")
    expect(matches).to_have_text("0 of 9 people match. 9 left out by your filter.")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_role("alert")).to_have_text("Nobody in the file matches your filter.")
    sheet.get_by_role("button", name="Clear the filter").click()
    expect(sheet.get_by_label("Title contains")).to_be_focused()
    expect(sheet.get_by_label("Company contains")).to_have_value("")
    expect(rows).to_contain_text("Ben 9")
    sheet.get_by_role("combobox", name="Tag", exact=True).fill("spring FAIR")
    sheet.get_by_label("another campaign is, or was, in touch").check()
    expect(matches).to_have_text("3 of 9 people match. 6 left out by your filter.")
    say_the_goal(sheet)
    onward(sheet, "Sequence")
    read = sheet.get_by_role("list", name="How step 1 reads")
    expect(read.get_by_role("listitem")).to_have_count(3)
    expect(read).to_contain_text("Ada 9")
    sheet.get_by_label("Preview for someone else").fill("ben")
    expect(sheet.get_by_role("list", name="People in the file")).to_have_text("No matching people")
    sheet.get_by_role("textbox", name="Message of step 1").focus()
    onward(sheet, "Limits and hours")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_role("heading", name="Talks is ready")).to_be_visible()
    to_import(sheet)
    expect(sheet.get_by_test_id("import")).to_contain_text("3 new · 6 left out by your filter")


def a_workbook_with_the_name_of_its_sheet(sheet: Page, tmp_path: Path) -> None:
    """It is previewed."""
    pages: Sheets = {"Notes": [("Read me",)], "May fair": [("Name", "Met on"), ("Ada Lane", Cell("45366", format=1))]}
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(write_workbook(tmp_path / "people.xlsx", pages))
    expect(sheet.get_by_text("Read from the sheet May fair.")).to_be_visible()
    expect(sheet.get_by_test_id("preview-sheet")).to_contain_text("Only the sheet “May fair” is read, not “Notes”.")
    expect(sheet.get_by_test_id("preview-rows")).to_contain_text("Ada Lane")
    expect(sheet.get_by_role("region", name="Columns of the file")).to_contain_text("2024-03-15")
    expect(sheet.get_by_label("Encoding")).to_have_count(0)


def columns_of_past_contact(sheet: Page, tmp_path: Path) -> None:
    """They are shown as what they are understood as."""
    table = tmp_path / "contacted.csv"
    table.write_text("Name,Do Not Contact,lastContactedAt,City\nAda Lane,false,2026-01-05,Leeds\n")
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose another…").click()
    chosen.value.set_files(table)
    for column, title in (
        ("Do Not Contact", "Do not contact"),
        ("lastContactedAt", "Contacted"),
        ("City", "Custom field"),
    ):
        expect(sheet.get_by_label(f"Read {column} as").locator("option:checked")).to_have_text(title)


def any_table_becomes_the_leads_of_a_new_campaign_once_its_name_column_is_said(sheet: Page, tmp_path: Path) -> None:
    """It is previewed before."""
    table = tmp_path / "people.csv"
    table.write_text("Who;Works for\nAda Lovelace;Engines\n;Nobody\n")
    a_workbook_with_the_name_of_its_sheet(sheet, tmp_path)
    columns_of_past_contact(sheet, tmp_path)
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose another…").click()
    chosen.value.set_files(table)
    expect(sheet.get_by_test_id("preview-counts")).to_have_text("Choose the column with the name")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_text("Choose the column with the name.")).to_be_visible()
    sheet.get_by_label("Read Who as").select_option("Name")
    expect(sheet.get_by_test_id("preview-counts")).to_have_text("1 person, 1 rejected")
    say_the_goal(sheet)
    onward(sheet, "Sequence")
    expect(sheet.get_by_text("Ada Lovelace").first).to_be_visible()
    onward(sheet, "Limits and hours")
    sheet.keyboard.press("Control+Enter")
    to_import(sheet)
    expect(sheet.get_by_test_id("import")).to_contain_text("1 new")


def put_first_name(sheet: Page, text: Locator) -> None:
    """A variable is put where the cursor is by a click on it."""
    text.fill("Hi of {company|your company}")
    text.press("Home")
    for _ in "Hi ":
        text.press("ArrowRight")
    sheet.get_by_role("button", name="{first_name}", exact=True).click()
    expect(text).to_be_focused()
    expect(text).to_have_value("Hi {first_name}of {company|your company}")


def other_words_for_york(sheet: Page) -> None:
    """Whoever lives in York gets other words than the rest."""
    message = sheet.get_by_role("listitem", name="Step 2: Message")
    message.get_by_role("button", name="Add a condition").click()
    message.get_by_label("What condition 1 asks").select_option("Field")
    message.get_by_label("Field of condition 1").select_option("city")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_text("A condition is not finished")).to_be_visible()
    message.get_by_label("Value of condition 1").fill("York")
    message.get_by_role("button", name="Else…").click()
    others = sheet.get_by_role("listitem", name="Step 3: Message")
    expect(others).to_contain_text("Else: city is not “York”")
    others.get_by_role("textbox", name="Message of step 3").fill("Hi {first_name}, how is {city|your town}?")


def the_keyboard_stays_where_it_was_when_a_file_comes_goes_or_is_refused_and_at_the_start(
    sheet: Page, tmp_path: Path
) -> None:
    """It never falls to the page's beginning."""
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")

    def choose(name: str, file: Path) -> None:
        button = sheet.get_by_role("button", name=name)
        expect(button).to_be_enabled()  # a key that is pressed on one that is busy still is lost
        with sheet.expect_file_chooser() as chosen:
            button.press("Enter")
        chosen.value.set_files(file)

    choose("Choose a file…", CONNECTIONS)
    expect(sheet.get_by_role("group", name="Chosen file")).to_be_focused()
    choose("Choose another…", empty)
    expect(sheet.get_by_test_id("still-chosen")).to_contain_text("Connections.csv is still the chosen one")
    expect(sheet.get_by_role("group", name="Chosen file")).to_be_focused()
    sheet.get_by_role("button", name="Remove").press("Enter")
    expect(sheet.get_by_role("button", name="Choose a file…")).to_be_focused()
    choose("Choose a file…", CONNECTIONS)
    expect(sheet.get_by_role("group", name="Chosen file")).to_be_focused()
    expect(sheet.get_by_test_id("still-chosen")).to_have_count(0)
    say_the_goal(sheet)
    onward(sheet, "Sequence")
    onward(sheet, "Limits and hours")
    sheet.get_by_role("radio", name="The practice network").check()
    sheet.get_by_role("button", name="Create the campaign").press("Enter")
    expect(sheet.get_by_test_id("forecast")).to_contain_text("would go out")
    sheet.get_by_role("button", name="Start the campaign").press("Enter")
    expect(sheet.get_by_role("heading", name="Talks")).to_be_visible()
    expect(sheet.get_by_role("main")).to_be_focused()


def test_a_new_campaign_takes_any_file_narrowed_keeps_the_keyboard_and_drives_linkedin_only_with_consent(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    outrider = start()
    outrider.enter(sheet, "/#/new")
    driving_linkedin_is_chosen_by_typing_ones_consent_and_withdrawn_in_settings(sheet)
    for with_a_file in (
        any_table_becomes_the_leads_of_a_new_campaign_once_its_name_column_is_said,
        people_of_a_file_are_narrowed_as_one_types_and_only_they_come_into_the_campaign,
        the_keyboard_stays_where_it_was_when_a_file_comes_goes_or_is_refused_and_at_the_start,
    ):
        sheet.evaluate("location.hash = '#/new'")
        with_a_file(sheet, tmp_path)
    assert outrider.end() == 0


def test_texts_are_shown_for_anybody_in_the_file_and_say_what_is_not_known_of_whom(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    people = tmp_path / "people.csv"
    people.write_text(
        "First Name,Last Name,Company,City\nAda,Lane,Fern,Leeds\n"
        + "".join(f"Ben{n},Hill,Oak,York\n" for n in range(20))
        + "Cara,Moss,,\n"
    )
    outrider = start()
    outrider.enter(sheet, "/#/new")
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(people)
    expect(sheet.get_by_test_id("preview-counts")).to_contain_text("22 people")
    say_the_goal(sheet)
    onward(sheet, "Sequence")
    text = sheet.get_by_role("textbox", name="Message of step 1")
    text.fill("Hi {first_name} of {company} in {city}")
    step = sheet.get_by_role("listitem", name="Step 1: Invitation")
    expect(step).to_contain_text("Hi Ada of Fern in Leeds")
    expect(step).to_contain_text("{company}: 1 of 22 people have none")
    expect(step).to_contain_text("{city}: 1 of 22 people have none")
    sheet.get_by_label("Preview for someone else").fill("mos")
    expect(sheet.get_by_role("list", name="People in the file").get_by_role("button")).to_have_count(1)
    sheet.keyboard.press("Enter")
    expect(step.get_by_role("list", name="How step 1 reads").get_by_role("listitem").first).to_contain_text("Cara Moss")
    expect(step).to_contain_text("Hi Cara of {company} in {city}")
    text.fill("Hi {first_name} of {company|your company}, in {town}")
    expect(step).to_contain_text("Hi Cara of your company")
    expect(step.get_by_role("alert")).to_contain_text("There is no variable {town}")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_text("One of the messages cannot be sent as it is.")).to_be_visible()
    put_first_name(sheet, text)
    expect(step.get_by_role("alert")).to_have_count(0)

    other_words_for_york(sheet)
    sheet.evaluate("location.hash = '#/'")
    expect(sheet.get_by_text("Talks is not finished.")).to_be_visible()
    sheet.get_by_role("link", name="Continue").click()
    expect(sheet.get_by_role("textbox", name="Message of step 3")).to_be_visible()
    onward(sheet, "Limits and hours")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_test_id("forecast")).to_contain_text("would go out")
    sheet.get_by_role("button", name="Start later").click()
    sheet.wait_for_url("**/today")
    to_screen(sheet, "Sequence")
    expect(sheet.get_by_role("region", name="Steps", exact=True)).to_contain_text("Else: city is not “York”")
    assert outrider.end() == 0


def fill_every_step(sheet: Page) -> None:
    """The wizard to its end, with something of the user's own in each step, left where it ends."""
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(CONNECTIONS)
    expect(sheet.get_by_test_id("preview-counts")).to_contain_text("38 people")
    sheet.get_by_label("Read Position as").select_option(label="Custom field")
    say_the_goal(sheet)
    sheet.get_by_label("What it is about").fill("A talk in May.")
    least = sheet.get_by_label(LEAST)
    expect(sheet.get_by_test_id("coming")).to_have_text("38 of 38 people have that score or more.")
    least.fill("101")
    expect(sheet.get_by_text("From 0 to 100.", exact=True)).to_be_visible()
    least.fill("10")
    expect(sheet.get_by_test_id("coming")).to_have_text(re.compile(r"^[1-3]\d of 38 people have that score or more."))
    onward(sheet, "Sequence")
    sheet.get_by_role("textbox", name="Message of step 1").fill("Hi {first_name}, {topic}")
    sheet.get_by_label("Days to wait before step 2").fill("9")
    sheet.get_by_label("Days to wait before step 2").press("Tab")
    onward(sheet, "Limits and hours")
    sheet.get_by_role("radio", name="The practice network").check()
    sheet.get_by_label("Messages a day").fill("10")
    expect(sheet.get_by_test_id("ramp")).to_contain_text(re.compile(r"If you begin on .* messages? a day"))
    sheet.get_by_role("button", name="Sat", exact=True).click()
    sheet.get_by_label("To", exact=True).fill("9:00")
    sheet.get_by_label("To", exact=True).press("Tab")
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_label("To", exact=True)).to_be_focused()
    expect(sheet.get_by_text("The end must be later")).to_be_visible()
    sheet.get_by_label("To", exact=True).fill("17:30")
    sheet.get_by_label("To", exact=True).press("Tab")
    rare = sheet.get_by_label("Conversations a month")
    sheet.get_by_text("More limits").click()
    rare.fill("-1")
    expect(rare).to_have_attribute("aria-invalid", "true")
    rare.fill("30")  # what was put right is not folded away under the hand
    expect(rare).to_be_focused()


def kept(sheet: Page, words: str, *, empty: bool = False) -> AbstractContextManager[object]:
    """What is done in it leads to a draft being kept that says these words."""

    def says(answer: Response) -> bool:
        if not answer.url.endswith("/campaigns/new/draft") or answer.request.method != "POST":
            return False
        text = answer.json()["form"]
        return text == "" if empty else words in text

    return sheet.expect_response(says)


def every_step_opens_at_its_top(sheet: Page) -> None:
    """And going back loses nothing."""
    size = sheet.viewport_size
    sheet.set_viewport_size({"width": 1_000, "height": 420})
    top, steps = sheet.get_by_role("heading", name="New campaign"), sheet.get_by_label("Steps")
    for title in ("Sequence", "Goal", "Leads"):
        sheet.get_by_role("main").evaluate("(main) => main.scrollTo(0, main.scrollHeight)")
        expect(top).not_to_be_in_viewport()
        sheet.get_by_role("button", name="Back").click()
        expect(steps.locator("[aria-current=step]")).to_contain_text(title)
        expect(top).to_be_in_viewport(ratio=1)
    expect(sheet.get_by_label("Read Position as").locator("option:checked")).to_have_text("Custom field")
    for title in ("Goal", "Sequence", "Limits and hours"):
        sheet.get_by_role("main").evaluate("(main) => main.scrollTo(0, main.scrollHeight)")
        onward(sheet, title)
        expect(top).to_be_in_viewport(ratio=1)
        if title == "Goal":
            expect(sheet.get_by_label("What you want from them")).to_have_value(GOAL)
            expect(sheet.get_by_label("What it is about")).to_have_value("A talk in May.")
        if title == "Sequence":
            expect(sheet.get_by_role("textbox", name="Message of step 1")).to_have_value("Hi {first_name}, {topic}")
            expect(sheet.get_by_label("Days to wait before step 2")).to_have_value("9")
    assert size is not None
    sheet.set_viewport_size(size)


def what_was_typed_is_the_campaign(sheet: Page) -> None:
    """As its setup shows it."""
    expect(sheet.get_by_role("radio", name="The practice network")).to_be_checked()
    sheet.keyboard.press("Control+Enter")
    expect(sheet.get_by_role("heading", name="Talks is ready")).to_be_visible()
    sheet.get_by_role("button", name="Start later").click()
    to_screen(sheet, "Setup")
    for label, value in (("Messages a day", "10"), ("To", "17:30"), ("Conversations a month", "30"), (LEAST, "10")):
        expect(sheet.get_by_label(label, exact=True)).to_have_value(value)
    expect(sheet.get_by_role("button", name="Sat", exact=True)).to_have_attribute("aria-pressed", "true")


def test_what_was_typed_of_a_campaign_outlives_a_reload_and_a_restart_until_it_is_the_campaign(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    outrider = start()
    outrider.enter(sheet, "/#/new")
    fill_every_step(sheet)
    sheet.get_by_role("button", name="Leads").click()
    sheet.get_by_label("Company contains").fill("Salud")
    expect(sheet.get_by_test_id("filter-matches")).to_have_text(MATCH)
    with kept(sheet, '"step":"limits"'):
        sheet.get_by_role("button", name="Limits and hours").click()
    with closing(sqlite3.connect(tmp_path / "data" / "outrider.db")) as connection:
        text = kept_draft(connection).form
    assert "Salud" in text
    assert [name for name in ("Amara", "amara", "linkedin.com", "@") if name in text] == [], "nobody of the file"

    sheet.reload()
    expect(sheet.get_by_label("Steps").locator("[aria-current=step]")).to_contain_text("Limits and hours")
    expect(sheet.get_by_label("Messages a day")).to_have_value("10")
    sheet.get_by_role("button", name="Leads").click()
    expect(sheet.get_by_label("Company contains")).to_have_value("Salud")
    expect(sheet.get_by_test_id("filter-matches")).to_have_text(MATCH)
    expect(sheet.get_by_label("Read Position as").locator("option:checked")).to_have_text("Custom field")
    assert outrider.end() == 0

    # A file is not kept over a restart: it is chosen again, and read as it was.
    outrider = start()
    outrider.enter(sheet, "/")
    expect(sheet.get_by_text("Talks is not finished.")).to_be_visible()
    sheet.get_by_role("link", name="Continue").click()
    expect(sheet.get_by_text("Choose “Connections.csv” again")).to_be_visible()
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(CONNECTIONS)
    expect(sheet.get_by_label("Company contains")).to_have_value("Salud")
    expect(sheet.get_by_label("Read Position as").locator("option:checked")).to_have_text("Custom field")
    sheet.get_by_role("button", name="Goal").click()
    expect(sheet.get_by_label("What you want from them")).to_have_value(GOAL)

    # Starting over can be taken back.
    over = sheet.get_by_role("button", name="Start over")
    with kept(sheet, "", empty=True):
        over.click()
    expect(sheet.get_by_role("button", name="Choose a file…")).to_be_visible()
    with kept(sheet, "Salud"):
        sheet.get_by_role("button", name="Undo").click()
    expect(sheet.get_by_label("What you want from them")).to_have_value(GOAL)
    sheet.get_by_role("button", name="Leads").click()
    expect(sheet.get_by_label("Company contains")).to_have_value("Salud")
    sheet.get_by_role("button", name="Limits and hours").click()
    every_step_opens_at_its_top(sheet)
    what_was_typed_is_the_campaign(sheet)
    assert outrider.end() == 0


def test_the_limits_that_are_saved_hold_and_ask_for_approvals_again(start: Start, sheet: Page) -> None:
    outrider = start()
    outrider.enter(sheet)
    sheet.get_by_role("button", name="Start the rehearsal").click()
    to_screen(sheet, "Review")
    drafts_wait(sheet, 12)
    campaign = sheet.url.split("/campaigns/")[1].split("/")[0]

    to_screen(sheet, "Setup")
    field = sheet.get_by_label("Invitations a day")
    field.fill("101")
    expect(sheet.get_by_text("From 0 to 100.")).to_be_visible()
    save = sheet.get_by_role("button", name="Save")
    expect(save).to_be_disabled()
    expect(save).to_have_accessible_description("Correct what is marked before you save.")
    field.fill("0")
    starts = sheet.get_by_label("From", exact=True)
    starts.fill("25:99")
    starts.press("Tab")
    expect(starts).to_have_value("25:99")
    expect(starts).to_have_accessible_description("Enter a time, such as 09:00.")
    expect(save).to_be_disabled()
    starts.fill("9:00")
    starts.press("Tab")
    expect(sheet.get_by_text("Enter a time")).to_have_count(0)
    sheet.get_by_role("button", name="Save").click()
    expect(sheet.get_by_text("Saved.")).to_be_visible()

    sheet.evaluate(f"location.hash = '#/campaigns/{campaign}/run'")
    expect(sheet.get_by_text("leaves no room for more").first).to_be_visible()
    review(sheet, 12)
    sheet.keyboard.press("j")
    expect(sheet.get_by_role("option").nth(1)).to_have_attribute("aria-selected", "true")
    sheet.keyboard.press("a")
    drafts_left(sheet, 11)

    to_screen(sheet, "Setup")
    field.fill("5")
    for name, day in (("Last day for a first contact", "2031-01-30"), ("Last day", "2031-02-28")):
        sheet.get_by_label(name, exact=True).fill(day)
    sheet.get_by_role("button", name="Save").click()
    expect(sheet.get_by_text("Saved.")).to_be_visible()
    sheet.evaluate(f"location.hash = '#/campaigns/{campaign}/review'")
    drafts_wait(sheet, 11)  # what was approved stays so
    to_screen(sheet, "Setup")
    expect(sheet.get_by_label("Last day", exact=True)).to_have_value("2031-02-28")
    to_screen(sheet, "Today")
    expect(sheet.get_by_role("main")).to_contain_text(
        re.compile("Last day for a first contact.*30 Jan.*Last day.*28 Feb", re.S)
    )
    assert outrider.end() == 0


def put_on_the_list_and_taken_off(sheet: Page) -> None:
    """With a way back."""
    sheet.evaluate("location.hash = '#/settings/people'")
    sheet.get_by_label("Profile address or e-mail").fill("nobody")
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_text("“nobody” does not identify a person.")).to_be_visible()
    sheet.get_by_label("Profile address or e-mail").fill("linkedin.com/in/ada-lane")
    sheet.get_by_label("Name", exact=True).fill("Ada Lane")
    sheet.keyboard.press("Enter")
    remove = sheet.get_by_role("button", name="Remove Ada Lane")
    remove.click()
    expect(sheet.get_by_text("The list is empty.")).to_be_visible()
    sheet.get_by_role("button", name="Undo").click()
    expect(remove).to_be_visible()


def the_doctor_is_asked(sheet: Page) -> None:
    """And another browser is tried."""
    sheet.evaluate("location.hash = '#/settings/diagnostics'")
    findings = sheet.get_by_role("list", name="Findings")
    expect(findings.get_by_text("the practice network starts")).to_be_visible()
    expect(sheet.get_by_role("button", name="Copy report")).to_be_visible()
    sheet.keyboard.press("Control+k")
    sheet.get_by_role("combobox", name="Command").fill("chromium")
    expect(sheet.get_by_role("option", name="Browser")).to_be_visible()
    sheet.keyboard.press("Enter")
    sheet.get_by_role("button", name="Try it").click()
    expect(sheet.get_by_text("starts and works.")).to_be_visible(timeout=SOON)
    refusal = error("browser_unusable", "It cannot be used.", "Choose another.")
    sheet.route("**/api/settings/browser", lambda route: route.fulfill(status=409, json=refusal.model_dump()))
    automatic, other = sheet.get_by_role("radio").all()[:2]
    other.click()
    expect(sheet.get_by_role("alert").filter(has_text=refusal.sentence)).to_be_visible()
    expect(automatic).to_be_checked()
    sheet.unroute("**/api/settings/browser")
    sheet.get_by_label("Another browser").fill("/nowhere/chrome")
    sheet.keyboard.press("Enter")
    refused = "Outrider cannot use /nowhere/chrome as its browser"
    expect(sheet.get_by_role("alert").filter(has_text=refused)).to_be_visible()
    sheet.route("**/api/settings", lambda route: route.abort())
    sheet.evaluate("location.hash = '#/settings/data'")
    expect(sheet.get_by_role("alert").filter(has_text="Outrider is not responding.")).to_be_visible()
    sheet.unroute("**/api/settings")
    sheet.keyboard.press("F5")
    expect(sheet.get_by_text("Free disk space")).to_be_visible()


def test_how_it_looks_outlives_a_restart_and_holds_before_pairing(start: Start, sheet: Page) -> None:
    outrider = start()
    outrider.enter(sheet, "#/settings/appearance")
    with sheet.expect_response("**/api/preferences"):  # it is shown before it is kept
        sheet.get_by_role("radio", name="Dark").check()
    with sheet.expect_response("**/api/preferences"):
        sheet.get_by_label("Text size").select_option("150")
    put_on_the_list_and_taken_off(sheet)
    the_doctor_is_asked(sheet)
    root = sheet.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    expect(root).to_have_css("font-size", "24px")
    assert outrider.end() == 0
    outrider = start()
    sheet.goto(outrider.url)
    expect(sheet.get_by_label("Code")).to_be_visible()
    expect(root).to_have_css("color-scheme", "dark")
    expect(root).to_have_css("font-size", "24px")
    assert outrider.end() == 0


def a_name_is_read_whole_in_a_narrow_window(sheet: Page, name: str) -> None:
    link = sheet.get_by_role("main").get_by_role("link", name=name)
    sheet.set_viewport_size({"width": 760, "height": 860})
    expect(link).to_be_visible()
    assert link.evaluate("name => name.scrollWidth <= name.clientWidth")
    sheet.set_viewport_size({"width": 1280, "height": 900})


def all_of_them_are_archived(sheet: Page) -> None:
    """The last campaign goes into the archive, which is offered once; nothing is said of it but that."""
    sheet.get_by_role("link", name="A second one").click()
    to_screen(sheet, "Setup")
    expect(sheet.get_by_role("region", name="Limits")).to_be_visible()  # as above
    sheet.get_by_role("button", name="Archive", exact=True).click()
    expect(sheet.get_by_text("All campaigns are archived.")).to_be_visible()
    expect(sheet.get_by_role("main").get_by_role("button", name="archive")).to_have_count(1)
    sheet.get_by_role("button", name="Archived").click()
    sheet.get_by_role("link", name="A second one").click()
    expect(sheet.get_by_text("Nothing happens here until you bring it back")).to_be_visible()
    expect(sheet.get_by_test_id("run-status")).to_have_count(0)
    expect(sheet.get_by_text("Paused")).to_have_count(0)


def test_a_campaign_is_duplicated_archived_brought_back_and_deleted(start: Start, sheet: Page, tmp_path: Path) -> None:
    with open_workspace(read_settings(data_dir=tmp_path / "data")) as workspace:
        campaign = find_or_create_rehearsal(workspace, None, None)
    outrider = start()
    outrider.enter(sheet, f"#/campaigns/{campaign}/setup")
    name = "Rehearsal 1"
    expect(sheet.get_by_role("heading", level=1)).to_have_text(name)

    expect(sheet.get_by_role("region", name="Limits")).to_be_visible()  # it comes later, and moves what is below it
    sheet.get_by_role("button", name="Duplicate…").click()
    dialog = sheet.get_by_role("dialog")
    expect(dialog.get_by_text("Those not contacted yet (")).to_be_visible()
    dialog.get_by_label("Name").fill("A second one")
    dialog.get_by_role("button", name="Duplicate").click()
    expect(sheet.get_by_role("heading", level=1)).to_have_text("A second one")

    sheet.keyboard.press("Control+k")
    sheet.get_by_role("combobox", name="Command").fill("clara")
    sheet.get_by_role("option", name=name).filter(has_text="Clara Yilmaz").click()
    expect(sheet.get_by_role("heading", level=1)).to_have_text(name)
    expect(sheet.get_by_test_id("lead-detail")).to_contain_text("Clara Yilmaz")
    to_screen(sheet, "Setup")
    expect(sheet.get_by_role("region", name="Limits")).to_be_visible()  # as above
    sheet.get_by_role("button", name="Archive", exact=True).click()
    a_name_is_read_whole_in_a_narrow_window(sheet, "A second one")
    expect(sheet.get_by_role("link", name=name)).to_have_count(0)
    sheet.get_by_role("button", name="Archived").click()
    sheet.get_by_role("button", name=f"Bring {name} back").click()
    expect(sheet.get_by_text("The archive is empty.")).to_be_visible()
    sheet.get_by_role("button", name="All campaigns").click()
    sheet.get_by_role("link", name=name).click()
    to_screen(sheet, "Setup")
    deleted = sheet.url
    sheet.get_by_role("button", name="Delete…").click()
    forever = dialog.get_by_role("button", name="Delete for good")
    expect(dialog.get_by_text("12 people")).to_be_visible()
    expect(forever).to_be_disabled()
    dialog.get_by_label("Type its name").fill(name)
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_text("is deleted")).to_be_visible()
    expect(sheet.get_by_role("link", name="A second one")).to_be_visible()
    expect(sheet.get_by_role("link", name=name)).to_have_count(0)
    sheet.evaluate("address => { location.hash = new URL(address).hash; }", deleted)
    expect(sheet.get_by_text("This campaign is not here any more.")).to_be_visible()
    expect(sheet.get_by_role("navigation", name="Main").get_by_role("link", name="Today")).to_have_count(0)
    sheet.get_by_role("main").get_by_role("button", name="All campaigns").click()
    all_of_them_are_archived(sheet)
    assert outrider.end() == 0


def test_a_stale_page_loads_itself_again_unless_something_typed_would_be_lost(start: Start, sheet: Page) -> None:
    outrider = start()
    updated: list[bool] = []
    sockets: list[WebSocketRoute] = []

    def session(route: Route) -> None:
        answer = route.fetch()
        view = answer.json()
        route.fulfill(response=answer, body=json.dumps({**view, **({"build": "another"} if updated else {})}))

    def feed(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    def page(route: Route) -> None:
        updated.clear()  # what is loaded is of the new build
        route.continue_()

    sheet.route("**/api/session", session)
    sheet.route(outrider.url + "/", page)
    sheet.route_web_socket("**/api/feed", feed)
    outrider.enter(sheet, "#/new")
    sheet.get_by_label("later").check()
    onward(sheet, "Goal")
    expect(sheet.get_by_label("Name")).to_be_focused()
    sheet.keyboard.type("Half a name")
    expect(sheet.get_by_role("status").filter(has_text="Live")).to_be_visible()
    updated.append(True)
    sockets[-1].close()
    expect(sheet.get_by_text("Outrider was updated.")).to_be_visible()
    expect(sheet.get_by_label("Name")).to_have_value("Half a name")

    with kept(sheet, "", empty=True):
        sheet.get_by_role("button", name="Start over").click()
    with sheet.expect_navigation():
        sockets[-1].close()
    expect(sheet.get_by_text("Outrider was updated.")).to_have_count(0)
    expect(sheet.get_by_role("button", name="Choose a file…")).to_be_visible()
    expect(sheet.get_by_role("button", name="Start over")).to_have_count(0)  # what was started over stays away
    assert outrider.end() == 0
