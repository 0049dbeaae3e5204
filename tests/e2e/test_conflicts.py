"""Two devices that decide the same while offline: each choice is pressed in the real page, and holds on both."""

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.api import by_hand
from tests.api.test_sync import Desk, desks, gateway  # noqa: F401 - the fixtures
from tests.e2e.desk import pair
from tests.e2e.test_accessibility import in_both_themes, too_wide
from tests.supabase_gateway import Gateway

AWAY = (503, {"message": "The project does not answer."})
PLACES = ("Leeds", "York")


def opened(page: Page, at: Desk, address: str) -> Page:
    """The device's page, paired, at that address."""
    page.goto(f"{at.app.origin}/#/{address}")
    pair(page, at.app)
    expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
    return page


def go(page: Page, address: str) -> None:
    page.evaluate("address => { location.hash = address }", f"#/{address}")


def note_on(page: Page, campaign: str, lead: str) -> Locator:
    go(page, f"campaigns/{campaign}/leads/{lead}")
    return page.get_by_label("Notes", exact=True)


def write_note(page: Page, campaign: str, lead: str, text: str) -> None:
    field = note_on(page, campaign, lead)
    field.fill(text)
    with page.expect_response("**/note") as answer:
        field.blur()
    assert answer.value.ok


def rename(page: Page, campaign: str, name: str) -> None:
    go(page, f"campaigns/{campaign}/setup")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()


def test_either_choice_of_a_conflict_holds_on_both_devices(
    desks: list[Desk],  # noqa: F811 - the fixture
    gateway: Gateway,  # noqa: F811 - the fixture
    sheet: Page,
    tmp_path: Path,
) -> None:
    desk, laptop = desks
    campaign = by_hand.make(desk.app.workspace, tmp_path)
    with desk.app.workspace.database.read() as connection:
        (first, name), (second, other) = connection.execute("SELECT id, full_name FROM leads ORDER BY id LIMIT 2")
    desk.sign_in(fresh=True)
    desk.until(phase="in_sync", waiting=0)
    laptop.sign_in()
    laptop.ask_until(lambda: laptop.app.ask(f"/api/campaigns/{campaign}/leads/{second}").ok)
    pages = {
        each: opened(page, each, "settings/sync")
        for each, page in zip(desks, (sheet, sheet.context.new_page()), strict=True)
    }

    gateway.out_of_order = AWAY
    for each, page in pages.items():
        place = PLACES[each is laptop]
        for lead in (first, second):
            write_note(page, campaign, lead, f"Met in {place}")
        rename(page, campaign, f"Talks in {place}")
    gateway.out_of_order = None
    for each in desks:
        each.post("now")
    for each in desks:
        each.until(phase="in_sync", waiting=0, conflicts=3)
    # Whichever of them reached the store later has the choice.
    (late,) = (each for each in desks if not each.app.ask("/api/sync/conflicts").json["open"][0]["device"])
    sheet, (mine, theirs) = pages[late], PLACES if late is desk else PLACES[::-1]

    banner = sheet.get_by_role("group", name="3 decisions are in conflict.")
    banner.get_by_role("link", name="Choose").click()
    items = sheet.get_by_test_id("conflict")
    expect(items).to_have_count(3)
    for shown in (name, "Yours, decided here", f"Met in {mine}", "Theirs, in force now", f"Met in {theirs}"):
        expect(items.nth(0)).to_contain_text(shown)
    expect(items.nth(2)).to_contain_text(f"name: Talks in {mine}")
    assert in_both_themes(sheet) == []
    assert too_wide(sheet) == []

    items.nth(0).get_by_role("button", name="Use mine").press("Enter")
    expect(items).to_have_count(2)
    expect(items.nth(0)).to_be_focused()
    expect(items.nth(0)).to_contain_text(other)
    items.nth(0).get_by_role("button", name="Keep theirs").press("Enter")
    expect(items).to_have_count(1)
    items.nth(0).get_by_role("button", name="Use mine").press("Enter")
    expect(sheet.get_by_text("No conflicts.")).to_be_visible()
    expect(sheet.locator("body")).not_to_be_focused()
    expect(banner).to_have_count(0)

    late.until(phase="in_sync", waiting=0, conflicts=0)
    for each in desks:
        each.post("now")
    for page in pages.values():
        expect(note_on(page, campaign, first)).to_have_value(f"Met in {mine}")
        expect(note_on(page, campaign, second)).to_have_value(f"Met in {theirs}")
        expect(page.get_by_role("heading", name=f"Talks in {mine}")).to_be_visible()
    assert [each.app.ask("/api/sync/conflicts").json["open"] for each in desks] == [[], []]
