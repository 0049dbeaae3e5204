"""A desktop for the window: a screen, a data folder, and Outrider on both as often as a test opens it."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.bridge.opened import BRIDGE, Opened, looking_into, opened
from tests.bridge.screen import MISSING, Screen, screen


class Desktop:
    """Opens Outrider's window and looks into it."""

    def __init__(self, screen: Screen, data: Path, playwright: Playwright, stack: ExitStack) -> None:
        self.screen, self.data = screen, data
        self._playwright, self._stack = playwright, stack

    def start(self, program: Sequence[str] = BRIDGE, **more: str) -> Opened:
        """Start it; whether it opens a window is up to it."""
        surroundings = {**self.screen.environ, "QT_QPA_PLATFORM": "xcb", **more}
        return self._stack.enter_context(opened(self.data, surroundings, program))

    @contextmanager
    def open(self, program: Sequence[str] = BRIDGE, **more: str) -> Iterator[tuple[Opened, Page, str]]:
        """(process, page, the window's id), as soon as its page is live."""
        process = self.start(program, **more)
        with looking_into(process, self._playwright) as page:
            page.emulate_media(reduced_motion="reduce")  # what only moves is drawn by the processor here
            expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
            yield process, page, self.screen.window("Outrider")


@contextmanager
def desktop_for(data: Path, playwright: Playwright, *options: str) -> Iterator[Desktop]:
    """On this data folder; skips where there is no screen to be had."""
    if MISSING:
        pytest.skip(f"not installed here: {', '.join(MISSING)}")
    with screen(*options) as made, ExitStack() as stack:
        yield Desktop(made, data, playwright, stack)


@pytest.fixture
def desktop(tmp_path: Path, playwright: Playwright) -> Iterator[Desktop]:
    with desktop_for(tmp_path / "data", playwright) as made:
        yield made
