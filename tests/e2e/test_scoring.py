"""Scoring in a real Chromium: an imported list is ranked with reasons, changed with its effect in view, and scored anew."""

import csv
import json
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from backend.adapters.leadfiles import read_leads
from backend.app.wiring import open_workspace
from backend.commands.lead_import import import_leads
from backend.domain.events.events import Event
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.campaign import Settings
from backend.machine.settings import AppSettings
from backend.store.database import Database
from backend.store.log import replay
from tests.e2e.conftest import Start
from tests.e2e.test_leads import names, to_leads

TITLES = ("CTO", "Head of Data", "Software Engineer", "Recruiter", "Accountant")
COMPANIES = ("Northwind Payments", "Harbour Bank", "Bakery Meyer", "Clinic am See")
INDUSTRIES = ("Fintech", "Banking", "Food", "Health")
SIZES = ("11-50", "201-500", "10,001+", "51-200")
GOAL = "Reach CTOs in fintech startups about a careful tool."


def people(path: Path, count: int, *, first_title: str = "CTO") -> Path:
    """A table of leads with columns of its own."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            (
                "First Name",
                "Last Name",
                "URL",
                "Email Address",
                "Company",
                "Position",
                "Connected On",
                "Industry",
                "Company Size",
            )
        )
        for n in range(count):
            title = first_title if n == 0 else TITLES[n % len(TITLES)]
            writer.writerow((
                "Ada", f"Person {n:03}", f"https://www.linkedin.com/in/person-{n}", f"p{n}@example.org" if n % 2 or n == 0 else "",
                COMPANIES[n % 4], title, f"{1 + n % 28} Mar {2020 + n % 6}", INDUSTRIES[n % 4], SIZES[n % 3],
            ))  # fmt: skip
    return path


def made(data_dir: Path, count: int, tmp_path: Path) -> str:
    """A campaign with so many imported leads, none of them scored."""
    data_dir.mkdir(exist_ok=True)
    with open_workspace(AppSettings(data_dir, "", 10)) as workspace:
        commands = workspace.commands()
        campaign = commands.campaigns.create_on_practice("Fintech", GOAL, Settings())
        rows = read_leads(people(tmp_path / "people.csv", count))
        import_leads(workspace.journal, commands.clock, campaign, rows, file="people.csv", file_format="linkedin")
    return campaign


def asked(data_dir: Path, campaign: str) -> None:
    """The agent has proposed the blueprint of the goal."""
    blueprint = blueprint_for(
        GOAL, ("job_title", "company", "headline", "industry", "company_size", "connected_on", "email")
    )
    with open_workspace(AppSettings(data_dir, "", 10)) as workspace:
        question = {
            "task_id": None, "kind": "approve_blueprint", "question": "Score the leads by this blueprint?",
            "choices": ["yes", "no"], "payload": {"blueprint": json.loads(blueprint.model_dump_json())},
            "status": "open", "created_at": 1,
        }  # fmt: skip
        event = Event("InputRequested", "question-1", question)
        workspace.journal.record(campaign, events=[event], actor="controller", cause="test", at=1)


def sound(data_dir: Path) -> None:
    database = Database(data_dir / "outrider.db")
    try:
        assert replay.find_differences(database) == []
    finally:
        database.close()


def prioritise(sheet: Page, name: str, priority: int) -> None:
    """By hand, in the list of leads."""
    sheet.get_by_label("Search leads").fill(name.removeprefix("Ada "))
    expect(sheet.get_by_test_id("lead-total")).to_have_text("1 lead")
    sheet.get_by_text(name).click()
    sheet.get_by_label("Priority", exact=True).fill(str(priority))
    sheet.get_by_role("button", name="Set", exact=True).click()
    expect(sheet.get_by_text("Set manually", exact=True)).to_be_visible()


def new_data_moves_a_lead_up(sheet: Page, tmp_path: Path) -> None:
    """And the list follows, down and up."""
    people(tmp_path / "people.csv", 20, first_title="Accountant")
    sheet.keyboard.press("Escape")
    sheet.get_by_role("button", name="Import…").click()
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(tmp_path / "people.csv")
    sheet.get_by_role("button", name="Import", exact=True).click()
    expect(sheet.get_by_test_id("import").first).to_contain_text("1 merged")
    sheet.keyboard.press("Escape")
    expect(sheet.locator("[aria-rowindex='2']")).to_contain_text("Ada Person 001")
    expect(sheet.locator("[role=row]").filter(has_text="Ada Person 000")).not_to_contain_text("+50 title contains")
    assert "Ada Person 000" not in names(sheet)[:6]

    people(tmp_path / "people.csv", 20, first_title="Founder and CTO, Engineering")
    sheet.get_by_role("button", name="Import…").click()
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(tmp_path / "people.csv")
    sheet.get_by_role("button", name="Import", exact=True).click()
    expect(sheet.get_by_test_id("import").first).to_contain_text("1 merged")
    sheet.keyboard.press("Escape")
    expect(sheet.locator("[aria-rowindex='2']")).to_contain_text("Ada Person 000")
    expect(sheet.locator("[aria-rowindex='2']")).to_contain_text("+25 title contains “engineering”")


def test_twenty_imported_leads_are_scored_listed_in_descending_order_and_explained(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    """US3: independent test, acceptance scenarios 1, 2 and 4."""
    campaign = made(tmp_path / "data", 20, tmp_path)
    outrider = start()
    to_leads(outrider, sheet, campaign, "scoring")
    expect(sheet.get_by_test_id("scoring")).to_contain_text("Version 1")
    sheet.get_by_role("button", name="Score now").click()
    expect(sheet.get_by_test_id("scored")).to_have_text("20 leads scored, 20 changed")
    sheet.keyboard.press("Escape")
    expect(sheet.get_by_test_id("lead-total")).to_have_text("20 leads")
    first = sheet.locator("[aria-rowindex='2']")
    expect(first).to_contain_text("Ada Person 001")
    expect(first).to_contain_text("+50 title contains “")  # the list is the scored one
    shown = [
        int(text)
        for text in sheet.locator("[role=row] [role=gridcell] .tabular-nums").all_text_contents()
        if text.isdigit()
    ]
    assert len(shown) >= 10
    assert shown == sorted(shown, reverse=True)
    assert all(0 <= score <= 100 for score in shown)
    sheet.keyboard.press("j")
    sheet.keyboard.press("Enter")
    parts = sheet.get_by_test_id("score-parts")
    expect(parts).to_contain_text("Decision maker")
    points = [int(text.split()[0]) for text in parts.locator("td:first-child").all_text_contents()]
    assert sum(points) == shown[0]
    new_data_moves_a_lead_up(sheet, tmp_path)
    assert outrider.end() == 0
    sound(tmp_path / "data")


def test_the_blueprint_is_changed_with_its_effect_in_view_and_a_priority_by_hand_persists(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    """US3: acceptance scenario 3; FR-030, FR-033, FR-034."""
    data_dir = tmp_path / "data"
    campaign = made(data_dir, 100, tmp_path)
    outrider = start()
    to_leads(outrider, sheet, campaign, "scoring")
    sheet.get_by_role("button", name="Score now").click()
    expect(sheet.get_by_test_id("scored")).to_contain_text("100 leads scored")
    sheet.keyboard.press("Escape")
    prioritise(sheet, "Ada Person 044", 99)

    sheet.goto(re.sub(r"/leads.*", "/leads/scoring", sheet.url))
    sheet.get_by_role("button", name="Change…").click()
    expect(sheet.get_by_text("No changes yet.")).to_be_visible()
    expect(sheet.get_by_text("The order of the leads stays as it is.")).to_be_visible()
    sheet.get_by_label("Weight of Decision maker").fill("40")
    expect(sheet.get_by_test_id("weight-sum")).to_contain_text("Weights add up to 90 of 100")
    expect(sheet.get_by_role("button", name="Save and score")).to_be_disabled()
    sheet.get_by_role("button", name="Make it 100").click()
    expect(sheet.get_by_test_id("weight-sum")).to_have_text("Weights add up to 100")
    sheet.get_by_role("button", name="Suggest from the goal").click()
    expect(sheet.get_by_role("button", name="Edit Industry")).to_be_visible()
    effect = sheet.get_by_test_id("effect")
    expect(effect).to_contain_text("rise")
    expect(effect.get_by_role("table", name="Top ten after the change")).to_contain_text("manual")
    sheet.get_by_role("button", name="Edit Job title relevance").click()
    sheet.get_by_label("Words", exact=True).fill("cto, chief technology officer")
    expect(sheet.get_by_label("For a part")).to_have_value(re.compile("director of engineering"))
    expect(sheet.get_by_text("“cto”, “chief technology officer”; 50 %")).to_be_visible()
    effect.scroll_into_view_if_needed()
    sheet.get_by_role("button", name="Save and score").click()
    expect(sheet.get_by_text("Version 2 is in force; leads are scored with it.")).to_be_visible()
    expect(sheet.get_by_test_id("scored")).to_contain_text("100 leads scored")
    sheet.keyboard.press("Escape")
    sheet.keyboard.press("Escape")
    expect(sheet.get_by_test_id("lead-total")).to_have_text("100 leads")
    expect(sheet.locator("[aria-rowindex='2']")).to_contain_text(re.compile("Ada Person 044.*manual", re.DOTALL))
    expect(sheet.locator("[aria-rowindex='3']")).to_contain_text("title contains “cto”")
    assert outrider.end() == 0
    outrider = start()
    to_leads(outrider, sheet, campaign)
    expect(sheet.locator("[aria-rowindex='2']")).to_contain_text("Ada Person 044")
    assert outrider.end() == 0
    sound(data_dir)


def test_a_scoring_goes_on_a_proposed_blueprint_takes_effect_by_a_yes_and_is_held_against_ten_people_in_order(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    """FR-029: proposed for the goal, approved by the user, in Run as in Scoring. SC-005: ten people put in order."""
    data_dir = tmp_path / "data"
    campaign = made(data_dir, 40, tmp_path)
    with open_workspace(AppSettings(data_dir, "", 10)) as workspace:
        workspace.commands().scoring.again(campaign)
    asked(data_dir, campaign)
    outrider = start()
    to_leads(outrider, sheet, campaign, "scoring")
    expect(sheet.get_by_test_id("scored")).to_have_text("40 leads scored, 40 changed")
    sheet.goto(re.sub(r"/leads.*", "/run", sheet.url))
    preview = sheet.get_by_test_id("blueprint-preview")
    expect(preview).to_contain_text("Industry")
    expect(preview).to_contain_text("Top ten after the change")
    sheet.goto(re.sub(r"/run$", "/leads/scoring", sheet.url))
    expect(sheet.get_by_test_id("scoring")).to_contain_text("Proposed: waiting for your approval")
    sheet.get_by_role("button", name="yes").click()
    expect(sheet.get_by_text("by the model, approved by you")).to_be_visible()
    expect(sheet.get_by_test_id("scored")).to_contain_text("40 leads scored")
    expect(sheet.get_by_test_id("blueprint-preview")).to_have_count(0)
    ten_people_are_put_in_order_by_keyboard_and_by_hand(sheet)
    assert outrider.end() == 0
    sound(data_dir)


def ten_people_are_put_in_order_by_keyboard_and_by_hand(sheet: Page) -> None:
    """A round is dealt without scores, ordered, saved, and taken back."""
    sheet.get_by_role("button", name="Rank these 10…").click()
    screen = sheet.get_by_test_id("ranking")
    rows = screen.get_by_role("listitem").filter(has=sheet.get_by_role("button", name=re.compile("^Move ")))
    expect(rows).to_have_count(10)
    expect(screen.get_by_text("Save a round to see")).to_be_visible()
    expect(rows.first).not_to_contain_text("score")
    first, second, tenth = (_lead(rows.nth(n)) for n in (0, 1, 9))

    rows.first.focus()
    sheet.keyboard.press("Alt+ArrowDown")
    expect(rows.nth(1)).to_have_attribute("data-lead", first)
    expect(rows.nth(1)).to_be_focused()
    sheet.keyboard.press("k")
    expect(rows.first).to_be_focused()
    sheet.keyboard.press(" ")
    expect(screen.get_by_role("status")).to_contain_text("is picked up")
    sheet.keyboard.press("j")
    expect(rows.nth(1)).to_have_attribute("data-lead", second)
    sheet.keyboard.press("Escape")
    expect(rows.first).to_have_attribute("data-lead", second)

    below, above = rows.nth(9).bounding_box(), rows.first.bounding_box()
    assert below is not None
    assert above is not None
    sheet.mouse.move(below["x"] + 60, below["y"] + 12)
    sheet.mouse.down()
    sheet.mouse.move(above["x"] + 60, above["y"] + 4, steps=6)
    sheet.mouse.up()
    expect(rows.first).to_have_attribute("data-lead", tenth)
    expect(rows.nth(1)).to_have_attribute("data-lead", second)

    screen.get_by_role("button", name="Save this order").click()
    agreement = sheet.get_by_test_id("agreement")
    expect(agreement).to_contain_text(re.compile(r"\d+ of \d+ pairs agree"))
    expect(agreement).to_contain_text("Kendall's tau")
    expect(screen.get_by_role("heading", name="Round 2: whom would you write to first?")).to_be_visible()
    expect(sheet.get_by_test_id("suggestion")).to_contain_text("Not enough to suggest weights")
    expect(sheet.get_by_test_id("disagreements")).to_contain_text("You put")
    sheet.get_by_role("button", name="Take back round 1").click()
    expect(screen.get_by_text("Save a round to see")).to_be_visible()
    sheet.get_by_role("button", name="Count again round 1").click()
    expect(agreement).to_contain_text("pairs agree")
    sheet.keyboard.press("Escape")
    expect(sheet.get_by_test_id("scoring")).to_contain_text("Version 2")


def _lead(row: Locator) -> str:
    return row.get_attribute("data-lead") or ""
