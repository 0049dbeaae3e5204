"""No word from outside turns the page's text around or hides in it, whichever screen shows it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Page

from backend.store.functions import add_functions
from tests.e2e.tour import STOPS, Stop, touring

OVERRIDE = "\u202e"
"""The right-to-left override: whatever follows is read backwards."""
FROM_OUTSIDE = (
    "SELECT full_name FROM leads",
    "SELECT company FROM leads",
    "SELECT job_title FROM leads",
    "SELECT headline FROM leads",
    "SELECT text FROM messages",
    "SELECT change_payload ->> 'text' FROM event_log WHERE kind = 'ReplyReceived'",
    "SELECT name FROM campaigns",
    "SELECT goal FROM campaigns",
    "SELECT file FROM imports",
    "SELECT name FROM devices",
)
NOTHING_IS_DONE = Stop("", "", "").act
SCREENS = tuple(stop for stop in STOPS if stop.act is NOTHING_IS_DONE and not stop.address.startswith("new"))
AS_IT_IS = """override => {
  const found = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    if (node.nodeType === Node.TEXT_NODE && node.data.includes(override)) found.push(node.data);
    for (const one of node.attributes ?? []) if (one.value.includes(override)) found.push(`${one.name}: ${one.value}`);
  }
  return found;
}"""


def put_overrides_into(database: Path) -> None:
    """Into every word from outside, wherever a table or a log has it."""
    with closing(sqlite3.connect(database, isolation_level=None, timeout=30)) as connection:
        add_functions(connection)
        words = {word for sql in FROM_OUTSIDE for (word,) in connection.execute(sql) if word and len(word) > 2}
        pattern = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))

        def overridden(text: str | float | bytes | None) -> str | float | bytes | None:
            return (
                pattern.sub(lambda match: match[0][:2] + OVERRIDE + match[0][2:], text)
                if isinstance(text, str)
                else text
            )

        connection.create_function("overridden", 1, overridden)
        schema = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL").fetchall()
        for kind, name, _ in schema:
            if kind == "trigger":  # logs are only ever appended to
                connection.execute(f"DROP TRIGGER {name}")
        for kind, name, sql in schema:
            if kind == "table" and "VIRTUAL" not in sql:
                for _, column, type_, *_ in connection.execute(f"PRAGMA table_info({name})").fetchall():
                    if type_ == "TEXT" and not column.endswith("_key"):
                        connection.execute(f"UPDATE {name} SET {column}=overridden({column})")


def test_what_a_word_from_outside_hides_is_shown_on_every_screen(sheet: Page, tmp_path: Path) -> None:
    with touring(sheet, tmp_path / "data") as tour:
        tour.pair()
        tour.live()
        put_overrides_into(tmp_path / "data" / "outrider.db")
        sheet.reload()
        raw: dict[str, list[str]] = {}
        revealed: set[str] = set()
        for name in tour.stops(SCREENS):
            if raw_text := sheet.evaluate(AS_IT_IS, OVERRIDE):
                raw[name] = raw_text
            if "U+202E" in sheet.locator("body").inner_text():
                revealed.add(name)
    assert raw == {}
    assert {"campaigns", "today", "run", "tasks", "leads", "inbox", "timeline", "review"} <= revealed
