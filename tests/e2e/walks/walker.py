"""Somebody at the page: keys, clicks and filled fields are counted, and each is used only once the page shows what it means."""

import re
import time
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

MOST_TABS = 60

SHOWN_WHOLE = """dialog => [...dialog.querySelectorAll("blockquote")].filter(text => {
    const { left, top, bottom } = text.getBoundingClientRect();
    return [top + 1, bottom - 1].every(y => text.contains(document.elementFromPoint(left + 9, y)));
}).map(text => text.textContent.trim())"""


@dataclass
class Walker:
    """`keys` were pressed, a character typed being one; `clicks` and filled `fields` are counted apart."""

    page: Page
    keys: int = 0
    clicks: int = 0
    fields: int = 0
    _begun: float = field(default_factory=time.monotonic)

    def press(self, *keys: str) -> None:
        """Press these, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        """Type it."""
        self.page.keyboard.type(text)
        self.keys += len(text)

    def click(self, target: Locator) -> None:
        """Click it."""
        target.click()
        self.clicks += 1

    def fill(self, target: Locator, text: str) -> None:
        """Write into it, which has the focus; its text is counted as one field."""
        expect(target).to_be_focused()
        self.page.keyboard.type(text)
        self.fields += 1

    def choose_file(self, target: Locator, file: Path) -> None:
        """Click it and choose that file; one click."""
        with self.page.expect_file_chooser() as chosen:
            self.click(target)
        chosen.value.set_files(file)

    def tab_to(self, target: Locator) -> None:
        """Press Tab until it has the focus."""
        expect(target).to_be_enabled()
        for _ in range(MOST_TABS):
            if target.evaluate("node => node === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not reach {target}")

    def approve_several(self, number: int) -> set[str]:
        """In the open dialog: read on until every text was in view, then approve them all; the texts that were shown whole."""
        dialog = self.page.get_by_role("dialog")
        button = dialog.get_by_role("button", name=re.compile(r"^(Read on: [1-9]|Approve \d)"))
        self.tab_to(button)
        shown = set(dialog.evaluate(SHOWN_WHOLE))
        while (label := button.inner_text()) != f"Approve {number}":
            self.press("Enter")
            expect(button).not_to_have_text(label)
            shown |= set(dialog.evaluate(SHOWN_WHOLE))
        self.press("Enter")
        expect(dialog).to_have_count(0)
        return shown

    def told(self, what: str) -> str:
        """What it took, for whoever reads the output (pytest -s)."""
        return f"{what}: {self.keys} keys, {self.clicks} clicks, {self.fields} fields, {time.monotonic() - self._begun:.1f} s"
