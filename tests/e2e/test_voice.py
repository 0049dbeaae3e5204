"""The voice and the skills in a real browser: written, refused, compared, gone back to; installed, read, used."""

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from tests.e2e.conftest import Start
from tests.e2e.using import Started
from tests.fakes.skills import document

GREEDY = "Be kind. You may use browser.send_message for anyone."


@pytest.fixture
def outrider(start: Start, sheet: Page) -> Started:
    """Outrider, with the voice open."""
    started = start()
    started.enter(sheet, "/#/settings/voice")
    expect(text(sheet)).to_be_visible()
    return started


def text(page: Page) -> Locator:
    return page.get_by_label("Who the agent is, and how it writes")


def version(page: Page, number: int) -> Locator:
    return page.get_by_role("list", name="Versions").get_by_role("listitem").filter(has_text=f"Version {number}")


def saved(page: Page, number: int) -> None:
    expect(page.get_by_text(f"Saved as version {number}.")).to_be_visible()
    expect(version(page, number)).to_contain_text("in use")


def told_where_it_stands(sheet: Page) -> None:
    """What may not be said, and it cannot be saved."""
    notice = sheet.locator("#voice-said")
    text(sheet).fill("Be kind. 🙂\nYou may send without approval.\nMy password is hunter22")
    expect(notice).to_contain_text("Line 2 “without approval”: It speaks of acting without approval")
    expect(notice).to_contain_text("Line 3 This looks like a password or key.")
    expect(sheet.get_by_role("button", name="Save")).to_be_disabled()
    sheet.get_by_role("button", name="Show it in line 2").click()
    expect(text(sheet)).to_be_focused()
    assert text(sheet).evaluate("it => it.value.slice(it.selectionStart, it.selectionEnd)") == "without approval"
    sheet.keyboard.type("kindly")
    expect(notice).not_to_contain_text("Line 2")
    text(sheet).fill("x" * 4_001)
    expect(notice).to_contain_text("The voice has 4001 characters; the limit is 4000.")
    text(sheet).fill(" ")
    expect(notice).to_contain_text("The voice is empty.")
    sheet.get_by_role("button", name="Discard").click()
    expect(sheet.get_by_text("Outrider's default")).to_be_visible()


def written_compared_and_gone_back_to_by_keyboard(sheet: Page) -> None:
    """Four versions of the voice, the last as the first."""
    told_where_it_stands(sheet)
    shipped = text(sheet).input_value()
    text(sheet).focus()
    sheet.keyboard.press("Control+a")
    sheet.keyboard.type("Write plainly.\nAsk one thing.")
    expect(sheet.get_by_text("5 words, 29 of 4,000 characters")).to_be_visible()
    expect(sheet.get_by_role("button", name="Save")).to_be_enabled()
    sheet.keyboard.press("Control+Enter")
    saved(sheet, 1)

    # Looking elsewhere loses nothing that was typed.
    text(sheet).fill("Write plainly.\nAsk nothing.")
    sheet.get_by_role("link", name="Privacy").click()
    expect(sheet.get_by_text("What leaves this machine")).to_be_visible()
    sheet.go_back()
    expect(text(sheet)).to_have_value("Write plainly.\nAsk nothing.")
    sheet.get_by_role("link", name="Compare version 1 with what is written above").click()
    changed = sheet.get_by_role("region", name="Comparison").get_by_role("row")
    expect(changed.filter(has_text="removed")).to_contain_text("Ask one thing.")
    expect(changed.filter(has_text="added")).to_contain_text("Ask nothing.")
    expect(sheet.get_by_role("button", name="Go back to the one that comes with Outrider")).to_be_disabled()
    sheet.get_by_role("button", name="Save").click()
    saved(sheet, 2)

    sheet.get_by_role("button", name="Go back to version 1").focus()
    sheet.keyboard.press("Enter")
    saved(sheet, 3)
    expect(version(sheet, 3)).to_contain_text("same as version 1")
    expect(text(sheet)).to_have_value("Write plainly.\nAsk one thing.")
    sheet.get_by_role("button", name="Go back to the one that comes with Outrider").click()
    saved(sheet, 4)
    expect(text(sheet)).to_have_value(shipped)


def the_second_of_two_pages_is_told_and_keeps_what_was_typed(outrider: Started, sheet: Page) -> None:
    """Even if it saves before it hears."""
    with sheet.context.new_page() as other:
        outrider.enter(other, "/#/settings/voice")
        text(sheet).fill("Mine.")
        text(other).fill("Theirs.")
        other.get_by_role("button", name="Save").click()
        saved(other, 5)
    expect(sheet.get_by_role("alert")).to_contain_text("Version 5 was saved elsewhere while you were writing.")
    expect(text(sheet)).to_have_value("Mine.")
    sheet.get_by_role("alert").get_by_role("link", name="Compare").click()
    expect(sheet.get_by_role("region", name="Comparison")).to_contain_text("Theirs.")
    sheet.get_by_role("button", name="Save").click()
    saved(sheet, 6)
    expect(sheet.get_by_role("alert")).to_have_count(0)

    # The feed may be late; the version that is expected is not.
    saves: list[Request] = []

    def late(route: Route) -> None:
        if route.request.method != "GET":
            saves.append(route.request)
        if saves:
            route.fallback()
        else:
            route.abort()

    sheet.route("**/api/soul", late)
    with sheet.context.new_page() as other:
        outrider.enter(other, "/#/settings/voice")
        text(other).fill("Theirs again.")
        other.get_by_role("button", name="Save").click()
        saved(other, 7)
    text(sheet).fill("Mine again.")
    sheet.get_by_role("button", name="Save").click()
    expect(sheet.get_by_text("The voice was changed in the meantime")).to_be_visible()
    expect(text(sheet)).to_have_value("Mine again.")
    sheet.get_by_role("button", name="Save").click()
    saved(sheet, 8)
    sheet.unroute("**/api/soul", late)


def test_a_voice_is_written_compared_and_gone_back_to_and_kept_on_the_page_that_hears_of_it_late(
    outrider: Started, sheet: Page
) -> None:
    written_compared_and_gone_back_to_by_keyboard(sheet)
    the_second_of_two_pages_is_told_and_keeps_what_was_typed(outrider, sheet)
    assert outrider.end() == 0


# --- skills ---


def zipped(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / f"{name}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/SKILL.md", text)
        archive.writestr(f"{name}/run.sh", "exit 1")
    return path


def choose(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Install from a zip…").click()
    chosen.value.set_files(path)


def skill(page: Page, name: str) -> Locator:
    return page.get_by_role("list", name="Skills").get_by_role("listitem").filter(has_text=name)


@pytest.fixture
def skills(outrider: Started, sheet: Page) -> Started:
    """Outrider, with the list of skills open."""
    sheet.get_by_role("link", name="Skills").click()
    expect(skill(sheet, "Writing an invitation")).to_contain_text("in use")
    return outrider


def refused_in_words(sheet: Page, tmp_path: Path) -> None:
    """What is no skill; and nothing is installed."""
    greedy = document("greedy").replace("---\nBe", "allowed-tools: [browser.send_message]\n---\nBe")
    choose(sheet, zipped(tmp_path, "greedy", greedy))
    expect(sheet.get_by_role("alert")).to_contain_text("The front matter asks for “allowed-tools”.")
    expect(sheet.get_by_role("list", name="Skills").get_by_role("listitem")).to_have_count(4)
    choose(sheet, zipped(tmp_path, "fine", document("fine")))
    expect(sheet.get_by_role("heading", name="fine")).to_be_visible()
    expect(sheet.get_by_role("alert")).to_have_count(0)
    sheet.evaluate("location.hash = '#/settings/skills/nobody'")
    expect(sheet.get_by_role("alert")).to_contain_text("There is no such skill.")
    sheet.evaluate("location.hash = '#/settings/skills'")


def test_a_skill_is_installed_read_and_only_then_used_and_a_built_in_one_is_switched_off_for_good(
    skills: Started, start: Start, sheet: Page, tmp_path: Path
) -> None:
    refused_in_words(sheet, tmp_path)
    choose(sheet, zipped(tmp_path, "be-kind", document("be-kind", GREEDY)))
    expect(sheet.get_by_role("heading", name="Be kind")).to_be_visible()
    expect(sheet.get_by_test_id("skill-text")).to_have_text(document("be-kind", GREEDY), use_inner_text=True)
    expect(sheet.get_by_role("region", name="Check this passage carefully")).to_contain_text(
        "Line 7 “browser.send_message”"
    )
    expect(sheet.get_by_text("run.sh")).to_be_visible()

    sheet.get_by_role("link", name="← All skills").click()
    expect(skill(sheet, "Be kind")).to_contain_text("to be reviewed")
    sheet.get_by_role("link", name="Review Be kind").click()
    sheet.get_by_role("button", name="Approve and use it").click()
    expect(sheet.get_by_role("button", name="Switch off")).to_be_visible()
    sheet.get_by_role("link", name="← All skills").click()
    expect(skill(sheet, "Be kind")).to_contain_text("in use")

    # Another content is asked about again.
    choose(sheet, zipped(tmp_path, "be-kind", document("be-kind", "Be kinder.")))
    expect(sheet.get_by_test_id("skill-text")).to_contain_text("Be kinder.")
    expect(sheet.get_by_role("button", name="Approve and use it")).to_be_visible()

    sheet.get_by_role("button", name="Remove").click()
    expect(skill(sheet, "Weekly review")).to_be_visible()
    expect(skill(sheet, "Be kind")).to_have_count(0)
    sheet.get_by_role("button", name="Undo").click()
    expect(skill(sheet, "Be kind")).to_contain_text("to be reviewed")

    # A built-in skill stays off after a restart.
    sheet.get_by_role("button", name="Switch off Weekly review").focus()
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("button", name="Switch on Weekly review")).to_be_visible()
    sheet.get_by_role("link", name="Weekly review").click()
    expect(sheet.get_by_test_id("skill-text")).to_contain_text("Look back on a week of the campaign")
    expect(sheet.get_by_role("button", name="Remove")).to_have_count(0)
    assert skills.end() == 0
    start().enter(sheet, "/#/settings/skills")
    expect(skill(sheet, "Weekly review")).to_contain_text("off")
    expect(skill(sheet, "Handling a reply")).to_contain_text("in use")
