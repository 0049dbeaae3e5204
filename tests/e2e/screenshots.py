"""`python -m tests.e2e.screenshots FOLDER`: a picture of every screen, light and dark, from a real rehearsal."""

import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests.chromium import CHROMIUM
from tests.e2e.tour import touring

SIZE = ViewportSize(width=1280, height=860)
DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(done), 50)))"
THEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")


def main(folder: Path) -> None:
    """Write the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as data:
        browser = playwright.chromium.launch(**CHROMIUM)
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        with touring(page, Path(data) / "data") as tour:
            take(page, folder, "pairing")
            tour.pair()
            take(page, folder, "first-start")
            tour.live()
            for name in tour.stops():
                take(page, folder, name)
        browser.close()


def take(page: Page, folder: Path, name: str) -> None:
    """One screen in both themes."""
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        page.evaluate(DRAWN)  # or the picture shows colours that are on their way
        page.screenshot(path=folder / f"{name}-{theme}.png")
        sys.stdout.write(f"{name}-{theme}.png\n")
    page.emulate_media(color_scheme="light")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
