"""The assistant's panel in a real browser: what is said there works, nothing typed is lost, nothing happens without a yes."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Locator, Page, Request, expect

from backend.domain.campaign import DAY
from backend.domain.events import Event
from backend.domain.snapshot import Snapshot
from backend.ports.proposer import Hear, Meter, free, nobody
from tests.e2e.desk import Desk, desk

POSTING = "\ufeffChief Technology Officer\r\nFernhill Books, Berlin\n\n\tWe look for “somebody” – 🙂 e\u0301 a\u200bb\u202ec\r\n"
HOSTILE = "<img src=x onerror=\"window.ran=1\"> <script>window.ran=1</script> \u202egnp.exe\u202c zero\u200bwidth </div>"
PASTE = """text => {
  const data = new DataTransfer()
  data.setData("text/plain", text)
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}))
}"""
DROP = """([name, text]) => {
  const data = new DataTransfer()
  data.items.add(new File([text], name, {type: "text/plain"}))
  const panel = document.querySelector("aside")
  for (const kind of ["dragover", "drop"]) {
    panel.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}))
  }
}"""


@dataclass
class Panel:
    """The open panel, as a person uses it."""

    page: Page

    @property
    def aside(self) -> Locator:
        return self.page.get_by_role("complementary", name="Assistant")

    @property
    def field(self) -> Locator:
        return self.aside.get_by_label("Message", exact=True)

    @property
    def lines(self) -> Locator:
        return self.aside.get_by_role("article")

    @property
    def last(self) -> Locator:
        return self.lines.last

    @property
    def goes_with(self) -> Locator:
        return self.aside.get_by_label("Goes with the message").get_by_role("listitem")

    def say(self, text: str) -> None:
        self.field.fill(text)
        self.field.press("Enter")
        expect(self.lines.filter(has_text=text).first).to_be_visible()
        expect(self.field).to_have_value("")

    def paste(self, text: str) -> None:
        self.field.focus()
        self.page.evaluate(PASTE, text)

    def idle(self) -> None:
        expect(self.aside.get_by_role("button", name="Stop")).to_have_count(0)


def opened(page: Page) -> Panel:
    """By its key, from wherever the user is."""
    expect(page.get_by_role("button", name="Assistant", exact=True)).to_be_visible()
    page.keyboard.press("Control+j")
    panel = Panel(page)
    expect(panel.field).to_be_focused()
    return panel


@contextmanager
def assisted(tmp_path: Path, page: Page, screen: str = "run", port: int = 0) -> Iterator[tuple[Desk, Panel]]:
    """The app, and the panel beside a screen of its campaign."""
    with desk(tmp_path, port) as at:
        at.enter(page, screen)
        yield at, opened(page)


def rows(at: Desk, sql: str, *values: object) -> list[Any]:
    with at.app.session.workspace.database.read() as connection:
        return connection.execute(sql, values).fetchall()


def stored(at: Desk, key: str) -> bytes:
    ((content,),) = rows(at, "SELECT CAST(content AS BLOB) FROM artifacts WHERE artifact_key=?", key)
    return bytes(content)


def keep(at: Desk, key: str, content: str, *, age_ms: int = 0) -> None:
    """An artifact, kept that long ago."""
    made = at.app.session.clock(at.campaign).now() - age_ms
    what = {"artifact_type": "job_posting", "artifact_key": key, "version": 1, "content": content, "source": "user"}
    at.app.record(at.campaign, Event("ArtifactPersisted", f"id-{key}", {**what, "created_at": made}))


@dataclass
class Slow:
    """Says its reply in pieces, each when it is told to."""

    pieces: tuple[str, ...]
    name: str = "slow"
    go_on: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def propose(self, snapshot: Snapshot, hear: Hear = nobody, meter: Meter = free) -> str:
        for piece in self.pieces:
            hear(piece)
            assert self.go_on.acquire(timeout=20)
        return "".join(self.pieces)


def speaking(say: str) -> str:
    """A reply that says this and wants nothing more."""
    return json.dumps({"type": "no_op", "task_id": "TASK", "params": {"say": say}}, ensure_ascii=False)


def test_saved_artifacts_are_listed_and_one_is_opened(tmp_path: Path, sheet: Page) -> None:
    with assisted(tmp_path, sheet) as (at, panel):
        keep(at, "fernhill-cto", POSTING)
        panel.say("list my saved artifacts")
        table = panel.last.get_by_role("table")
        expect(table.get_by_role("row").filter(has_text="fernhill-cto")).to_contain_text("Job posting")
        table.get_by_role("link", name="fernhill-cto").click()
        expect(sheet.get_by_role("main").get_by_test_id("direct")).to_be_visible()
        expect(sheet.get_by_test_id("sha256")).to_have_text(hashlib.sha256(POSTING.encode()).hexdigest())
        expect(panel.last.get_by_role("table")).to_be_visible()  # beside every screen


def test_words_appear_while_they_are_generated_and_can_be_stopped(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        slow = Slow(('{"type":"no_op",', '"task_id":"x","params":', "{}}"))
        at.app.session.proposer = slow
        at.enter(sheet, "run")
        panel = opened(sheet)
        panel.say("tell me something")
        growing = panel.aside.get_by_test_id("growing")
        expect(growing).to_contain_text('{"type":"no_op",')
        expect(panel.aside.get_by_role("status").filter(has_text="The model is writing")).to_be_visible()
        slow.go_on.release()
        expect(growing).to_contain_text('"task_id":"x","params":')
        panel.aside.get_by_role("button", name="Stop").click()
        slow.go_on.release(2)
        expect(growing).to_have_count(0)
        panel.idle()
