"""axe-core on every screen, in both themes: nothing serious and nothing critical."""

from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page

from tests.e2e.conftest import Start
from tests.e2e.tour import live_through, tour

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


def grave(page: Page) -> list[str]:
    """What axe finds serious or critical, each with the elements it is about."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))  # by the debugging protocol: the page's policy allows no foreign script
    found: dict[str, Any] = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found["violations"]
        if one["impact"] in GRAVE
    ]


def test_every_screen_in_both_themes(start: Start, sheet: Page) -> None:
    outrider = start()
    outrider.enter(sheet)
    sheet.emulate_media(reduced_motion="reduce")  # a colour that is still changing has no contrast to be judged
    sheet.get_by_role("button", name="Start the rehearsal").first.wait_for()
    found = {f"first start, {theme}": under(sheet, theme) for theme in THEMES}
    for stop in tour(sheet, live_through(sheet)):
        found |= {f"{stop.name}, {theme}": under(sheet, theme) for theme in THEMES}
    assert {where: what for where, what in found.items() if what} == {}
    assert outrider.end() == 0


def under(page: Page, theme: Literal["light", "dark"]) -> list[str]:
    page.emulate_media(color_scheme=theme)
    return grave(page)


def test_axe_would_tell(sheet: Page) -> None:
    """The instrument works: a picture without a text alternative is found."""
    sheet.set_content("<html lang=en><title>t</title><main><img src='data:,'></main></html>")
    assert any("image-alt" in line for line in grave(sheet))


def test_the_palette_and_the_help(start: Start, sheet: Page) -> None:
    outrider = start()
    outrider.enter(sheet)
    sheet.emulate_media(reduced_motion="reduce")
    sheet.get_by_role("button", name="Start the rehearsal").first.wait_for()
    sheet.keyboard.press("Control+k")
    sheet.get_by_role("combobox", name="Command").wait_for()
    assert grave(sheet) == []
    sheet.keyboard.type("short")
    sheet.keyboard.press("Enter")
    sheet.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    assert grave(sheet) == []
    sheet.keyboard.press("Escape")
    sheet.get_by_role("dialog").wait_for(state="detached")
    sheet.keyboard.press("g")
    sheet.keyboard.press("s")
    sheet.wait_for_url("**/#/settings")
    assert outrider.end() == 0
