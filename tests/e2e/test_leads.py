"""The Leads screen in a real Chromium: import with a preview, search, priorities by hand, thousands of rows."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from backend.app.wiring import open_workspace
from backend.domain.events.events import Event
from backend.machine.settings import AppSettings
from tests.api.app import running
from tests.bench.sample_campaign import empty_campaign, fill
from tests.e2e.conftest import Start
from tests.e2e.desk import Desk
from tests.e2e.using import Started

CSV = Path(__file__).parents[1] / "data" / "Connections.csv"
NASTY = "<script>window.ran = true</script> \u202egnp.exe\u200b"


def made(data_dir: Path, *leads: dict[str, object], count: int = 0) -> str:
    """A data folder with one campaign, before Outrider is started on it."""
    data_dir.mkdir(exist_ok=True)
    with open_workspace(AppSettings(data_dir, "", 10)) as workspace:
        campaign = empty_campaign(workspace)
        rows = [*leads, *({"full_name": f"Person {n:06}", "weight_score": 50} for n in range(count))]

        def lead(n: int) -> Event:
            base = {"profile_url": f"https://www.linkedin.com/in/p{n}", "member_key": f"p{n}", "position": n}
            return Event("LeadImported", f"lead{n}", {**base, **rows[n]})

        fill(workspace, campaign, len(rows), lead)
    return campaign


def to_leads(outrider: Started, sheet: Page, campaign: str, *rest: str) -> None:
    outrider.enter(sheet, "/#/campaigns/" + "/".join([campaign, "leads", *rest]))


NAMES = "[role=row] p.font-medium"
FOURTEEN_LETTERS = 14 * 7.5
"""As wide as they are on average at the usual size of text, in pixels."""
SIDEWAYS = """() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() =>
  [document.documentElement, ...document.querySelectorAll("main, [data-testid=leads-scroller], [data-testid=lead-detail]")]
  .filter(one => one.scrollWidth > one.clientWidth)
  .map(one => `${one.dataset.testid ?? one.tagName}: ${one.scrollWidth} in ${one.clientWidth}`))"""
"""What is wider than its place, once the page has been drawn at its size."""


def names(sheet: Page) -> list[str]:
    """Who is listed, from the top, as far as rows are made."""
    return [name.strip() for name in sheet.locator(NAMES).all_text_contents()]


def test_a_file_is_previewed_imported_searched_and_its_rejected_row_is_shown(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    campaign = made(tmp_path / "data")
    outrider = start()
    to_leads(outrider, sheet, campaign)
    expect(sheet.get_by_text("No leads yet")).to_be_visible()
    sheet.get_by_role("button", name="Import…").first.click()
    with sheet.expect_file_chooser() as chosen:
        sheet.get_by_role("button", name="Choose a file…").click()
    chosen.value.set_files(CSV)
    expect(sheet.get_by_test_id("preview-counts")).to_have_text("38 people, 1 duplicate left out, 1 rejected")
    expect(sheet.get_by_test_id("preview-rows")).to_contain_text("Amara Okonkwo")
    sheet.get_by_test_id("preview-duplicates").locator("summary").click()
    expect(sheet.get_by_test_id("preview-duplicates")).to_contain_text("is on line")
    expect(sheet.get_by_test_id("preview-rejected")).to_contain_text("neither a first nor a last name")
    expect(sheet.get_by_test_id("import")).to_have_count(0)
    sheet.get_by_role("button", name="Import", exact=True).click()
    expect(sheet.get_by_test_id("import")).to_contain_text("new")
    expect(sheet.get_by_text("Importing")).to_have_count(0)  # nothing says so any more once it ended
    sheet.get_by_role("button", name="1 rejected").click()
    expect(sheet.get_by_test_id("rejected")).to_contain_text("neither a first nor a last name")
    with sheet.expect_download() as saved:
        sheet.get_by_test_id("rejected").get_by_role("button", name="Save as CSV").click()
    assert "no_name" in saved.value.path().read_text("utf-8")

    sheet.keyboard.press("Escape")
    total = sheet.get_by_test_id("lead-total")
    expect(total).to_have_text("38 leads")
    sheet.keyboard.press("/")
    sheet.keyboard.type("jose gar")
    expect(total).to_have_text("1 lead")
    expect(sheet.locator(NAMES)).to_have_text(["José García Núñez"])
    sheet.keyboard.press("Escape")
    expect(total).to_have_text("38 leads")
    sheet.get_by_role("columnheader", name="Name").get_by_role("button").click()
    expect(sheet.get_by_role("columnheader", name="Name")).to_have_attribute("aria-sort", "ascending")
    expect(sheet.locator("[aria-rowindex='3']")).to_contain_text("Anastasia Petridou")
    assert names(sheet)[:10] == sorted(names(sheet)[:10], key=str.casefold)

    sheet.get_by_role("button", name="Import…").first.click()
    sheet.get_by_role("button", name="Undo the import of Connections.csv").click()
    asked = sheet.get_by_test_id("undo-import")
    expect(asked).to_contain_text("38 people removed")
    expect(asked).to_be_focused()
    sheet.keyboard.press("Escape")  # closes the question alone
    expect(asked).to_have_count(0)
    sheet.get_by_role("button", name="Undo the import of Connections.csv").click()
    asked.get_by_role("button", name="Undo the import").click()
    expect(sheet.get_by_test_id("import")).to_contain_text("Import the file again to bring them back")
    sheet.get_by_role("button", name="Back to the list").click()
    expect(sheet.get_by_text("No leads yet")).to_be_visible()
    assert outrider.end() == 0


def test_a_priority_by_hand_moves_the_row_survives_a_restart_and_can_be_undone(
    start: Start, sheet: Page, tmp_path: Path
) -> None:
    leads = [{"full_name": name, "weight_score": score} for name, score in (("Ada", 90), ("Ben", 60), ("Cara", 30))]
    campaign = made(tmp_path / "data", *leads)
    outrider = start()
    to_leads(outrider, sheet, campaign)
    rows = sheet.locator("[data-lead]")
    expect(rows).to_have_count(3)
    # by keys
    sheet.get_by_role("grid").focus()
    for key in ("j", "j", "j", "Alt+ArrowUp"):
        sheet.keyboard.press(key)
    expect(rows.nth(1)).to_contain_text("Cara")
    expect(rows.nth(1)).to_contain_text("manual")
    assert names(sheet) == ["Ada", "Cara", "Ben"]
    sheet.get_by_role("button", name="Undo").click()
    expect(rows.nth(1)).to_contain_text("Ben")
    # by number
    rows.nth(1).click()
    panel = sheet.get_by_test_id("lead-detail")
    panel.get_by_label("Priority").fill("95")
    panel.get_by_role("button", name="Set").click()
    expect(rows.nth(0)).to_contain_text("Ben")
    # who is open stays, and the empty list says why it is empty
    sheet.get_by_role("button", name="Left out", exact=True).click()
    sheet.get_by_role("button", name="Clear the filters").click()
    expect(panel).to_be_visible()
    expect(rows).to_have_count(3)
    # by dragging Cara to the top
    grip, top = rows.nth(2).get_by_title("Drag").bounding_box(), rows.nth(0).bounding_box()
    assert grip
    assert top
    sheet.mouse.move(grip["x"] + 4, grip["y"] + 20)
    sheet.mouse.down()
    sheet.mouse.move(grip["x"] + 4, top["y"] + 20, steps=6)
    sheet.mouse.up()
    expect(rows.nth(0)).to_contain_text("Cara")
    assert names(sheet) == ["Cara", "Ben", "Ada"]
    assert outrider.end() == 0
    again = start()
    to_leads(again, sheet, campaign)
    expect(rows.nth(0)).to_contain_text("Cara")
    sheet.reload()
    expect(rows.nth(0)).to_contain_text("Cara")
    assert names(sheet) == ["Cara", "Ben", "Ada"]
    assert again.end() == 0


def test_what_is_typed_is_kept_and_an_unsure_greeting_is_settled_and_can_be_undone(sheet: Page, tmp_path: Path) -> None:
    nasty: dict[str, object] = {"full_name": NASTY, "greeting_name": "Ann", "company": NASTY, "extra": {NASTY: NASTY}}
    others: list[dict[str, object]] = [{"full_name": name} for name in ("Ada Lane", "J. R. Voss", "M. Okafor")]
    campaign = made(tmp_path / "data", nasty, *others)
    with running(tmp_path / "data") as app:
        Desk(app, campaign).enter(sheet, "leads/lead0")
        panel = sheet.get_by_test_id("lead-detail")
        expect(panel).to_contain_text("<script>window.ran = true</script>")
        assert sheet.evaluate("window.ran ?? false") is False
        sheet.route("**/note", lambda route: route.abort(), times=1)
        panel.get_by_label("Notes", exact=True).fill("prefers tea")
        expect(panel).to_contain_text("Not saved yet; kept here")
        expect(panel).not_to_contain_text("Not saved yet")  # tried again by itself
        panel.get_by_label("Add a tag").fill("vip")
        sheet.keyboard.press("Enter")
        expect(panel.get_by_label("Remove the tag vip")).to_be_visible()
        panel.get_by_role("button", name="Do not contact…").click()
        panel.get_by_role("button", name="Never contact").click()
        expect(sheet.get_by_test_id("lead-waiting")).to_contain_text("do-not-contact list")
        sheet.get_by_role("button", name="Undo").click()
        expect(sheet.get_by_test_id("lead-waiting")).not_to_contain_text("do-not-contact list")

        # A priority that is being typed stays when the lead is loaded again.
        panel.get_by_label("Priority").fill("95")
        app.record(campaign, Event("LeadAdvanced", "lead0", {"headline": "Somewhere new"}))
        expect(panel).to_contain_text("Somewhere new")
        expect(panel.get_by_label("Priority")).to_have_value("95")

        # An unsure greeting is settled in the list, or beside it.
        sheet.keyboard.press("Escape")
        expect(sheet.locator("[data-lead]")).to_have_count(4)
        sheet.get_by_role("button", name="Greeting unsure").click()
        expect(sheet.locator("[data-lead]")).to_have_count(2)
        field = sheet.get_by_label("Greeting name of J. R. Voss")
        field.fill("Jo")
        field.press("Enter")
        expect(sheet.locator("[data-lead]")).to_have_count(1)
        sheet.get_by_role("button", name="Undo").click()
        expect(sheet.locator("[data-lead]")).to_have_count(2)
        sheet.locator("[data-lead]").first.click()
        panel.get_by_label("Greeting name", exact=True).fill("Mo")
        panel.get_by_role("button", name="Save greeting name").click()
        expect(sheet.locator("[data-lead]")).to_have_count(1)


def test_thousands_of_leads_are_reached_anywhere_without_a_gap(start: Start, sheet: Page, tmp_path: Path) -> None:
    count = 3_000
    campaign = made(tmp_path / "data", count=count)
    outrider = start()
    to_leads(outrider, sheet, campaign)
    expect(sheet.get_by_test_id("lead-total")).to_have_text("3,000 leads")
    expect(sheet.get_by_role("grid")).to_have_attribute("aria-rowcount", "3001")
    scroller = sheet.get_by_test_id("leads-scroller")
    for share, first in ((0.0, 0), (0.5, None), (1.0, None), (0.123, None), (0.0, 0)):
        scroller.evaluate("(box, share) => box.scrollTop = share * (box.scrollHeight - box.clientHeight)", share)
        index = scroller.evaluate("box => Math.round(box.scrollTop / 56)") if first is None else first
        shown = min(index + 3, count - 1)
        expect(sheet.locator(f"[aria-rowindex='{shown + 2}']")).to_contain_text(f"Person {shown:06}")
        listed = names(sheet)
        numbers = [int(name.removeprefix("Person ")) for name in listed]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    # A current row that is scrolled out of sight is not referred to.
    grid = sheet.get_by_role("grid", name="Leads")
    expect(sheet.locator("#lead-lead0")).to_have_count(1)
    sheet.keyboard.press("j")
    expect(grid).to_have_attribute("aria-activedescendant", "lead-lead0")
    grid.evaluate("grid => { grid.scrollTop = grid.scrollHeight }")
    expect(sheet.locator("#lead-lead0")).to_have_count(0)
    expect(grid).not_to_have_attribute("aria-activedescendant", "lead-lead0")
    grid.evaluate("grid => { grid.scrollTop = 0 }")
    expect(grid).to_have_attribute("aria-activedescendant", "lead-lead0")
    assert outrider.end() == 0


def keeps_its_name(sheet: Page, row: Locator) -> None:
    """Beside a lead a name of one long word is cut and never squeezed out, and nothing is scrolled sideways."""
    row.click()
    expect(sheet.get_by_test_id("lead-detail")).to_be_visible()
    for assistant in (False, True):
        if assistant:
            sheet.keyboard.press("Control+j")
            expect(sheet.get_by_role("complementary", name="Assistant")).to_be_visible()
        for width in (1024, 860, 768, 480, 1440, 1280):
            sheet.set_viewport_size({"width": width, "height": 768})
            assert sheet.evaluate(SIDEWAYS) == [], f"{width} pixels, with the assistant: {assistant}"
            assert row.locator("p.font-medium").evaluate("e => e.getBoundingClientRect().width") > FOURTEEN_LETTERS
    sheet.get_by_role("button", name="Close the assistant").click()
    sheet.set_viewport_size({"width": 1280, "height": 900})
    sheet.get_by_test_id("lead-detail").get_by_role("button", name="Close").click()
    expect(sheet.get_by_test_id("lead-detail")).to_have_count(0)


def saved_view(sheet: Page, text: str, name: str) -> Locator:
    """Search, and keep that by a name; the view's button."""
    sheet.get_by_label("Search leads").fill(text)
    sheet.get_by_role("button", name="Save as view…").click()
    sheet.get_by_label("Name of the view").fill(name)
    sheet.keyboard.press("Enter")
    view = sheet.get_by_role("button", name=name, exact=True)
    expect(view).to_have_attribute("aria-pressed", "true")
    return view


def test_the_table_is_arranged_marked_and_decided_about_by_keyboard(start: Start, sheet: Page, tmp_path: Path) -> None:
    people: list[dict[str, object]] = [
        {"full_name": f"Ada {n}", "weight_score": 90 - n, "company": "Acme" if n < 3 else "Other"} for n in range(6)
    ]
    campaign = made(tmp_path / "data", *people, {"full_name": "W" * 300, "weight_score": 1})
    outrider = start()
    to_leads(outrider, sheet, campaign)
    rows = sheet.locator("[data-lead]")
    expect(rows).to_have_count(7)
    keeps_its_name(sheet, rows.nth(6))
    # a range and all, within the list
    marked = sheet.get_by_test_id("lead-marked")
    rows.nth(0).get_by_role("checkbox").click()
    expect(marked).to_have_text("1 of 7 marked")
    sheet.keyboard.press("Shift+ArrowDown")
    expect(marked).to_have_text("2 of 7 marked")
    rows.nth(3).get_by_role("checkbox").click(modifiers=["Shift"])
    expect(marked).to_have_text("4 of 7 marked")
    sheet.keyboard.press("Escape")
    expect(marked).to_have_count(0)
    sheet.keyboard.press("Control+a")
    expect(marked).to_have_text("7 of 7 marked")
    assert sheet.evaluate("getSelection().toString()") == ""
    # one decision about all of them, and back
    sheet.keyboard.press("t")
    expect(sheet.get_by_placeholder("Tag", exact=True)).to_be_focused()
    sheet.keyboard.type("warm")
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_text("Tagged 7 leads.")).to_be_visible()
    expect(rows.nth(0)).to_contain_text("warm")
    expect(marked).to_have_count(0)
    sheet.get_by_role("button", name="Undo").click()
    expect(rows.nth(0)).not_to_contain_text("warm")
    # a view by name, and another order of columns, are there after a restart
    view = saved_view(sheet, "acme", "Acme people")
    expect(rows).to_have_count(3)
    sheet.get_by_role("button", name="Columns").click()
    sheet.get_by_role("checkbox", name="Step").click()
    expect(sheet.get_by_role("columnheader", name="Step")).to_have_count(0)
    header = sheet.get_by_role("columnheader", name="Company").get_by_role("button")
    with sheet.expect_response("**/leads/table"):
        header.press("Alt+ArrowLeft")
    headers = sheet.get_by_role("columnheader")
    expect(headers.nth(3)).to_contain_text("Company")
    assert outrider.end() == 0
    again = start()
    to_leads(again, sheet, campaign)
    expect(rows).to_have_count(7)
    expect(headers.nth(3)).to_contain_text("Company")
    expect(sheet.get_by_role("columnheader", name="Step")).to_have_count(0)
    view.click()
    expect(rows).to_have_count(3)
    assert again.end() == 0


def test_an_undo_that_comes_late_is_about_whoever_was_meant_and_not_about_who_is_shown_by_then(
    tmp_path: Path, start: Start, sheet: Page
) -> None:
    campaign = made(tmp_path / "data", {"full_name": "Ada Alm"}, {"full_name": "Ben Bok"})
    to_leads(start(), sheet, campaign)
    panel = sheet.get_by_test_id("lead-detail")
    for act in ("Skip", "Do not contact…"):
        sheet.get_by_role("row").filter(has_text="Ada Alm").click()
        expect(panel.get_by_role("heading", name="Ada Alm")).to_be_visible()
        panel.get_by_role("button", name=act, exact=True).click()
        if act != "Skip":
            panel.get_by_role("button", name="Never contact").click()
        notice = sheet.get_by_role("status").filter(has_text="Ada Alm")
        expect(notice).to_be_visible()
        sheet.get_by_role("row").filter(has_text="Ben Bok").click()
        expect(panel.get_by_role("heading", name="Ben Bok")).to_be_visible()
        notice.get_by_role("button", name="Undo").click()
        if act == "Skip":
            expect(sheet.get_by_text("Ada Alm is no longer skipped.")).to_be_visible()
            sheet.get_by_role("button", name="Dismiss").click()
        sheet.get_by_role("row").filter(has_text="Ada Alm").click()
        expect(panel.get_by_role("heading", name="Ada Alm")).to_be_visible()
        expect(panel.get_by_role("button", name=act, exact=True)).to_be_visible()
