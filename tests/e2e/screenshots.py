"""`python -m tests.e2e.screenshots FOLDER`: a picture of every screen, light and dark, from a real rehearsal."""

import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests.chromium import CHROMIUM
from tests.e2e.tour import live_through, tour
from tests.e2e.using import Outrider

SIZE = ViewportSize(width=1280, height=860)


def main(folder: Path) -> None:
    """Write the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as data:
        browser = playwright.chromium.launch(**CHROMIUM)
        outrider = Outrider(Path(data) / "data")
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        outrider.enter(page)
        page.get_by_role("button", name="Start the rehearsal").first.wait_for()
        take(page, folder, "first-start")
        campaign_id = live_through(page)
        for stop in tour(page, campaign_id):
            take(page, folder, stop.name)
        browser.close()
        outrider.end()


def take(page: Page, folder: Path, name: str) -> None:
    """One screen in both themes."""
    themes: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        page.screenshot(path=folder / f"{name}-{theme}.png")
        sys.stdout.write(f"{name}-{theme}.png\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
