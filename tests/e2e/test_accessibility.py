"""axe-core on every screen, in both themes: nothing serious and nothing critical; and no screen is too wide."""

from itertools import cycle
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Page, expect

from tests.e2e.desk import desk
from tests.e2e.tour import touring

Theme = Literal["light", "dark"]
THEMES: tuple[tuple[Theme, Theme], ...] = (("light", "dark"), ("dark", "light"))

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")
COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of which the outcome depends on the theme."""
PAINTED = """new Promise(painted => requestAnimationFrame(painted))
  .then(() => Promise.allSettled(document.getAnimations().map(one => one.finished)))"""
"""The page has heard of its theme and its size, and nothing moves: a colour that is still changing has no contrast to be judged."""
JUDGE = f"""options => {PAINTED}.then(() => axe.run(document, options)).then(found => found.violations
  .filter(one => {list(GRAVE)}.includes(one.impact))
  .map(one => `${{one.id}} (${{one.impact}}): ${{one.help}}: `
    + one.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(", ")))"""
"""One call for each theme: a screen takes longer to be asked than to be judged."""
WIDE = f"""{PAINTED}.then(() => [document.documentElement, document.querySelector("main")]
  .filter(one => one && one.scrollWidth > one.clientWidth)
  .map(one => `${{one.tagName}}: ${{one.scrollWidth}} in ${{one.clientWidth}}`))"""

CUT_OFF = f"""{PAINTED}.then(() => [...document.querySelectorAll("main button, main a")]
  .filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.textContent))"""


LONG = f"""{PAINTED}.then(() => [document.documentElement]
  .filter(one => one.scrollHeight > one.clientHeight)
  .map(one => `the page: ${{one.scrollHeight}} in ${{one.clientHeight}}`))"""
"""What is longer than the window is scrolled within it, and the navigation stays."""


def grave(page: Page, theme: Theme, *, only: tuple[str, ...] = ()) -> list[str]:
    """What axe finds serious or critical in that theme, each with the elements it is about; of these rules only."""
    page.emulate_media(color_scheme=theme)
    # Style sheets are not loaded anew: none of the rules that are on asks for them.
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False} | (
        {"runOnly": {"type": "rule", "values": only}} if only else {}
    )
    return [f"{theme}: {line}" for line in page.evaluate(JUDGE, options)]


def in_both_themes(page: Page, themes: tuple[Theme, Theme] = ("dark", "light")) -> list[str]:
    """Everything in the one theme; in the other nothing but the colours is another."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))  # by the debugging protocol: the page's policy allows no foreign script
    first, other = themes
    return [*grave(page, first), *grave(page, other, only=COLOURS)]


def too_wide(page: Page) -> list[str]:
    """In a narrow window the screen is never scrolled sideways; a table in it may be."""
    usual = page.viewport_size
    assert usual is not None
    page.set_viewport_size({"width": 320, "height": usual["height"]})
    wide = page.evaluate(WIDE)
    page.set_viewport_size(usual)
    return [f"narrow: {line}" for line in wide]


def test_every_screen_in_both_themes(sheet: Page, tmp_path: Path) -> None:
    refused: list[str] = []
    sheet.on("response", lambda answer: refused.append(f"{answer.status} {answer.url}") if not answer.ok else None)
    with touring(sheet, tmp_path / "data") as tour:
        problems = {"pairing": in_both_themes(sheet)}
        tour.pair()
        problems["first start"] = in_both_themes(sheet)
        tour.live()
        # A theme takes a while to be put on: each screen begins with the one that the last ended with.
        for name, themes in zip(tour.stops(), cycle(THEMES), strict=False):
            problems[name] = [*in_both_themes(sheet, themes), *sheet.evaluate(LONG), *too_wide(sheet)]
    assert {where: what for where, what in problems.items() if what} == {}
    assert refused == [], "the page asks for nothing that is not there"


def test_in_a_narrow_window_names_can_be_read_and_no_button_is_cut_off(sheet: Page, tmp_path: Path) -> None:
    with desk(tmp_path) as at:
        at.draft(0, "Hi")
        at.enter(sheet, "tasks")
        sheet.set_viewport_size({"width": 320, "height": 800})
        places = {
            f"#/campaigns/{at.campaign}/tasks": "Reach 0",
            f"#/campaigns/{at.campaign}/leads/import": "Connections.csv",
            "#/settings/skills": "Handling a reply",
        }
        for address, name in places.items():
            sheet.evaluate("hash => { location.hash = hash }", address)
            shown = sheet.get_by_text(name, exact=True).first
            expect(shown).to_be_visible()
            assert shown.evaluate("name => name.scrollWidth <= name.clientWidth + 1"), name
            assert sheet.evaluate(CUT_OFF) == [], address


def test_axe_would_tell(sheet: Page) -> None:
    """The instrument works: a picture without a text alternative is found, and grey on grey in the dark theme."""
    sheet.set_content("<html lang=en><title>t</title><main><img src='data:,'></main></html>")
    assert any("image-alt" in line for line in in_both_themes(sheet))
    sheet.set_content(
        "<html lang=en><title>t</title><style>:root{color-scheme:light dark}p{background:canvas;color:#333}</style>"
        "<main><h1>t</h1><p>Text</p></main></html>"
    )
    assert [line[:20] for line in in_both_themes(sheet, ("light", "dark"))] == ["dark: color-contrast"]
    assert [line[:20] for line in in_both_themes(sheet, ("dark", "light"))] == ["dark: color-contrast"]
