"""The assistant's panel in a real browser: what is said there works, nothing typed is lost, nothing happens without a yes."""

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import FilePayload, Locator, Page, Route, expect

from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from tests.e2e.desk import Desk, desk
from tests.e2e.using import drafts_left
from tests.patience import PATIENCE

POSTING = "\ufeffChief Technology Officer\r\nFernhill Books, Berlin\n\n\tWe look for “somebody”, 🙂 e\u0301 a\u200bb\u202ec\r\n"
HOSTILE = '<img src=x onerror="window.ran=1"> <script>window.ran=1</script> \u202egnp.exe\u202c zero\u200bwidth </div>'
PASTE = """text => {
  const data = new DataTransfer()
  data.setData("text/plain", text)
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}))
}"""
WATCH = """() => {
  window.seen = {}
  new MutationObserver(() => {
    for (const [, n] of (document.querySelector("[data-testid=growing]")?.textContent ?? "").matchAll(/piece (\\d+);/g)) {
      window.seen[n] ??= Date.now()
    }
  }).observe(document.body, {subtree: true, childList: true, characterData: true})
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
        return self.aside.get_by_label("Attachments").get_by_role("listitem")

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
    with at.app.workspace.database.read() as connection:
        return connection.execute(sql, values).fetchall()


def lines(at: Desk) -> list[Any]:
    """The conversation, as it is on record."""
    shown: list[Any] = at.app.ask(f"/api/campaigns/{at.campaign}/assistant").json["lines"]
    return shown


def stored(at: Desk, key: str) -> bytes:
    ((content,),) = rows(at, "SELECT CAST(content AS BLOB) FROM artifacts WHERE artifact_key=?", key)
    return bytes(content)


def keep(at: Desk, key: str, content: str, *, age_ms: int = 0) -> None:
    """An artifact, kept that long ago."""
    made = at.app.services.clock(at.campaign).now() - age_ms
    what = {"artifact_type": "job_posting", "artifact_key": key, "version": 1, "content": content, "made_by": "user"}
    at.app.record(at.campaign, Event("ArtifactPersisted", f"id-{key}", {**what, "created_at": made}))


@dataclass
class Slow:
    """Says its reply in pieces, each when it is told to; TASK in them is the task's id."""

    pieces: tuple[str, ...]
    name: str = "slow"
    heard: list[float] = field(default_factory=list)
    go_on: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        pieces = [piece.replace("TASK", snapshot.focus.task.id) for piece in self.pieces]
        for piece in pieces:
            self.heard.append(time.time() * 1_000)
            on_text(piece)
            assert self.go_on.acquire(timeout=PATIENCE)
        return "".join(pieces)


def seen_at_once(at: Desk, panel: Panel) -> None:
    """Each piece is on the page while the next is not said yet; within 150 ms, as soon as the machine has a moment."""
    most = 200
    begun, ended = '{"type":"no_op","task_id":"TASK","params":{"say":"', '"}}'
    slow = Slow((begun, *(f"piece {n};" for n in range(most)), ended))
    at.app.run_service.proposer = slow
    panel.page.evaluate(WATCH)
    panel.say("tell me something")
    slow.go_on.release()
    took: list[float] = []
    while len(took) < most and min(took, default=most) > 150:
        n = len(took)
        panel.page.wait_for_function("n => window.seen[n]", arg=n)
        took.append(panel.page.evaluate("n => window.seen[n]", n) - slow.heard[n + 1])
        slow.go_on.release()
    assert min(took) <= 150, took
    slow.go_on.release(most)
    expect(panel.last).to_contain_text("piece 0;piece 1;")


def test_words_appear_while_they_are_generated_and_can_be_stopped_and_are_shown_for_exactly_what_they_are(
    tmp_path: Path, sheet: Page
) -> None:
    with assisted(tmp_path, sheet) as (at, panel):
        seen_at_once(at, panel)
        slow = Slow(('{"type":"no_op",', '"task_id":"x","params":', "{}}"))
        at.app.run_service.proposer = slow
        panel.say("tell me something else")
        growing = panel.aside.get_by_test_id("growing")
        expect(growing).to_contain_text('{"type":"no_op",')
        expect(panel.aside.get_by_role("status").filter(has_text="The model is writing")).to_be_visible()
        slow.go_on.release()
        expect(growing).to_contain_text('"task_id":"x","params":')
        routes: list[Route] = []

        def hold(route: Route) -> None:
            routes.append(route)

        sheet.route("**/assistant/stop", hold)
        with sheet.expect_request("**/assistant/stop"):
            panel.aside.get_by_role("button", name="Stop").click()
        stopping = panel.aside.get_by_role("status").filter(has_text="Stopping")
        expect(stopping).to_have_count(0)  # not before Outrider knows: until then another turn may begin
        routes.pop().continue_()
        panel.idle()  # the model is not waited for
        expect(growing).to_have_count(0)
        expect(panel.last).to_contain_text("You stopped while the model was answering")
        slow.go_on.release(2)
        each_kind_of_question_has_its_own_control(at, panel)
        what_is_hostile_stays_text(at, panel)


@dataclass
class Saying:
    """Proposes these, one a turn, and after them nothing more."""

    steps: list[tuple[str, dict[str, Any]]]
    name: str = "saying"

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        kind, params = self.steps.pop(0) if self.steps else ("no_op", {})
        reply = json.dumps({"type": kind, "task_id": snapshot.focus.task.id, "params": params}, ensure_ascii=False)
        on_text(reply)
        return reply


def asking(question: str, kind: str, *choices: str) -> tuple[str, dict[str, Any]]:
    return "request_user_input", {"question": question, "kind": kind, "choices": list(choices)}


def speaking(say: str) -> tuple[str, dict[str, Any]]:
    return "no_op", {"say": say}


def each_kind_of_question_has_its_own_control(at: Desk, panel: Panel) -> None:
    """A field, a button for each choice, yes and no."""
    asked = [asking("Which city?", "text"), asking("Berlin or Bonn?", "choice", "Berlin", "Bonn")]
    at.app.run_service.proposer = Saying([*asked, asking("Sure?", "confirm"), speaking("Fine.")])
    panel.say("ask me")
    panel.last.get_by_label("Your answer").fill("Trier")
    panel.last.get_by_role("button", name="Answer").click()
    expect(panel.lines.filter(has_text="Which city?")).to_contain_text("You: Trier")
    panel.last.get_by_role("button", name="Bonn").click()
    panel.last.get_by_role("button", name="No", exact=True).click()
    expect(panel.last).to_contain_text("Fine.")
    expect(panel.lines.filter(has_text="Sure?")).to_contain_text("You: no")
    answers = rows(at, "SELECT answer FROM input_requests ORDER BY created_at, id")
    assert [answer for (answer,) in answers] == ["Trier", "Bonn", "no"]


def what_is_hostile_stays_text(at: Desk, panel: Panel) -> None:
    """In a question, in an answer, in what was pasted, in what was typed and in what the model says."""
    sheet = panel.page
    at.app.run_service.proposer = Saying([asking(HOSTILE, "choice", "<b>one</b>", "two\u202e"), speaking("Thanks.")])
    panel.paste(HOSTILE + "\n" + HOSTILE)
    panel.field.fill(HOSTILE)
    panel.field.press("Enter")
    question = panel.aside.get_by_role("group").filter(has_text="window.ran")
    question.get_by_role("button", name="<b>one</b>").click()
    expect(panel.lines.filter(has_text="You: <b>one</b>")).to_have_count(1)
    expect(panel.last).to_contain_text("Thanks.")

    text = f"  Two lines,\n\twith {HOSTILE}  \n"
    at.app.run_service.proposer = Saying([speaking(text)])
    panel.say("tell me something")
    line = panel.last
    expect(line).to_have_attribute("data-author", "model")
    expect(line).to_contain_text("<script>window.ran=1</script>")
    for name in ("right-to-left override", "zero-width space"):
        expect(line.get_by_role("img", name=name).first).to_be_visible()
    assert [line["text"] for line in lines(at) if line["author"] == "model"][-1] == text
    assert sheet.evaluate("window.ran") is None
    assert panel.aside.locator("script, img, b").count() == 0
    line.get_by_role("link", name="Details").click()
    expect(sheet.get_by_test_id("turn-card")).to_contain_text("no_op")


def test_a_question_waits_through_a_reload_and_a_restart_and_what_was_typed_through_a_lost_connection(
    tmp_path: Path, sheet: Page
) -> None:
    with assisted(tmp_path, sheet) as (at, panel):
        port = int(at.app.authority.rpartition(":")[2])
        at.app.run_service.proposer = Saying([asking("Berlin or Bonn?", "choice", "Berlin", "Bonn")])
        panel.say("ask me")
        expect(panel.last.get_by_role("button", name="Bonn")).to_be_visible()
        sheet.reload()
        expect(panel.last.get_by_role("button", name="Bonn")).to_be_visible()  # open as it was left
        panel.field.fill("half a sentence")
        panel.paste("one\r\ntwo")
        sheet.evaluate(DROP, ["note.txt", "kept"])
        expect(panel.goes_with).to_have_count(2)
    expect(sheet.get_by_text("Reconnecting…")).to_be_visible()
    panel.field.press("Enter")
    expect(panel.aside.get_by_role("alert")).to_contain_text("not_reachable")
    expect(panel.field).to_have_value("half a sentence")

    with desk(tmp_path, port) as at:
        expect(sheet.get_by_label("Code")).to_be_visible()
        at.pair(sheet)
        at.app.run_service.proposer = Saying([speaking("As you wish.")])
        expect(panel.field).to_have_value("half a sentence")
        expect(panel.goes_with).to_have_count(2)
        panel.lines.get_by_role("button", name="Bonn").click()
        expect(panel.lines.filter(has_text="Berlin or Bonn?")).to_contain_text("You: Bonn")
        expect(panel.last).to_contain_text("As you wish.")
        panel.field.press("Enter")  # the ticket was of another launch: the file is handed over again
        expect(panel.lines.filter(has_text="half a sentence")).to_contain_text("note.txt")
        expect(panel.field).to_have_value("")
        attachments = rows(at, "SELECT name, content FROM attachments ORDER BY place")
        assert attachments == [("pasted text", "one\r\ntwo"), ("note.txt", "kept")]
        at.app.run_service.proposer = None
        sent_again_is_the_same_request(at, panel)


def sent_again_is_the_same_request(at: Desk, panel: Panel) -> None:
    """Outrider took it, and the page did not hear of that."""
    keys: list[str] = []

    def taken_but_not_told(route: Any) -> None:
        keys.append((route.request.post_data_json or {})["key"])
        route.fetch()
        route.abort()

    panel.page.route("**/assistant/messages", taken_but_not_told)
    panel.field.fill("list my saved artifacts")
    panel.field.press("Enter")
    expect(panel.aside.get_by_role("alert")).to_contain_text("not_reachable")
    panel.page.unroute("**/assistant/messages")
    with panel.page.expect_request("**/assistant/messages") as again:
        panel.field.press("Enter")
    assert [(again.value.post_data_json or {})["key"]] == keys
    expect(panel.field).to_have_value("")
    expect(panel.last.get_by_role("table")).to_be_visible()
    assert [line["text"] for line in lines(at)].count("list my saved artifacts") == 1


def test_what_is_typed_stays_over_screens_a_closed_panel_and_a_narrow_window(tmp_path: Path, sheet: Page) -> None:
    with assisted(tmp_path, sheet) as (_, panel):
        panel.field.fill("half a sentence")
        sheet.get_by_role("navigation").get_by_role("link", name="Leads").click()
        expect(sheet).to_have_url(re.compile("/leads$"))
        expect(panel.field).to_have_value("half a sentence")
        sheet.get_by_role("navigation").get_by_role("link", name="Settings").click()
        expect(panel.aside).to_have_count(0)
        sheet.go_back()
        expect(panel.field).to_have_value("half a sentence")
        panel.field.press("Escape")
        expect(panel.aside).to_have_count(0)
        opened(sheet)
        expect(panel.field).to_have_value("half a sentence")
        panel.field.press("Enter")
        expect(panel.lines.filter(has_text="half a sentence")).to_have_count(1)

        # A long text that is pasted goes with the message, and can be put into it.
        panel.field.fill("Save this: ")
        panel.paste("one\r\ntwo")
        expect(panel.goes_with).to_contain_text("pasted text")
        expect(panel.goes_with).to_contain_text("8 bytes")
        panel.goes_with.get_by_role("button", name="Insert into the message").click()
        expect(panel.goes_with).to_have_count(0)
        expect(panel.field).to_have_value("Save this: \none\ntwo")
        expect(panel.field).to_be_focused()
        panel.paste("x" * 601)
        panel.goes_with.get_by_role("button", name="Remove pasted text").click()
        expect(panel.goes_with).to_have_count(0)
        panel.field.press("Escape")

        # In a narrow window it covers the screen, until it leads there.
        sheet.set_viewport_size({"width": 720, "height": 860})
        opener = sheet.get_by_role("button", name="Assistant", exact=True)
        opener.click()
        expect(panel.field).to_be_focused()
        expect(sheet.locator("main")).to_have_attribute("inert", "")
        assert panel.aside.bounding_box() == {"x": 0, "y": 0, "width": 720, "height": 860}
        panel.aside.get_by_role("heading").click()
        sheet.keyboard.press("Escape")
        expect(panel.aside).to_have_count(0)
        expect(opener).to_be_focused()
        opened(sheet).say("list my saved artifacts")
        panel.last.get_by_role("link", name="blueprint").click()
        expect(panel.aside).to_have_count(0)
        expect(sheet.get_by_test_id("direct")).to_be_visible()


def test_the_whole_panel_by_keyboard_alone(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        draft = at.draft(0, "Hello")
        at.enter(sheet, "leads")
        search = sheet.get_by_label("Search leads")
        search.focus()
        panel = opened(sheet)  # while typing elsewhere, too
        expect(panel.field).to_be_focused()
        sheet.keyboard.type("first")
        sheet.keyboard.press("Shift+Enter")
        sheet.keyboard.type("second")
        expect(panel.field).to_have_value("first\nsecond")
        panel.field.fill("list my saved artifacts")
        sheet.keyboard.press("Enter")
        expect(panel.last.get_by_role("table")).to_be_visible()
        expect(panel.field).to_be_focused()
        at.app.run_service.proposer = Saying([asking("Sure?", "confirm"), speaking("Fine.")])
        sheet.keyboard.type("ask me")
        sheet.keyboard.press("Enter")
        expect(panel.last.get_by_role("button", name="yes")).to_be_visible()
        sheet.keyboard.press("ArrowUp")
        expect(panel.field).to_have_value("ask me")
        sheet.keyboard.press("ArrowUp")
        expect(panel.field).to_have_value("list my saved artifacts")
        sheet.keyboard.press("ArrowDown")
        sheet.keyboard.press("ArrowDown")
        expect(panel.field).to_have_value("")
        sheet.keyboard.press("Shift+Tab")
        expect(sheet.get_by_role("link", name="Connect a model")).to_be_focused()
        sheet.keyboard.press("Shift+Tab")
        expect(panel.last.get_by_role("button", name="No", exact=True)).to_be_focused()
        sheet.keyboard.press("Shift+Tab")
        sheet.keyboard.press("Enter")
        expect(panel.last).to_contain_text("Fine.")
        sheet.keyboard.press("Escape")
        expect(panel.aside).to_have_count(0)
        expect(search).to_be_focused()

        # A key in it does nothing on the screen beside it: in Review these approve and reject.
        sheet.evaluate("hash => { location.hash = hash }", f"#/campaigns/{at.campaign}/review")
        expect(sheet.get_by_role("main").get_by_role("article")).to_be_visible()
        opened(sheet).aside.get_by_role("log").focus()
        for key in ("a", "r", "Enter"):
            sheet.keyboard.press(key)
        panel.aside.get_by_role("button", name="Attach…").focus()
        sheet.keyboard.press("a")
        sheet.keyboard.press("Escape")
        expect(panel.aside).to_have_count(0)
        assert at.status(draft) == "draft"
        drafts_left(sheet, 1)


TABLES = ("tasks", "leads", "artifacts", "messages", "input_requests", "conversations")


def test_the_conversation_is_erased_for_good_after_a_second_yes_or_deleted_with_a_way_back(
    tmp_path: Path, sheet: Page
) -> None:
    with assisted(tmp_path, sheet) as (at, panel):
        panel.say("ZEBRA, list my saved artifacts")
        expect(panel.lines).to_have_count(2)
        delete = panel.aside.get_by_role("button", name="Delete conversation")
        delete.click()
        choice = panel.aside.get_by_role("region", name="Delete conversation")
        choice.get_by_label("Also erase for good").check()
        expect(choice.get_by_text("This cannot be undone.")).to_be_visible()
        choice.get_by_role("button", name="Cancel").click()
        assert "ZEBRA" in repr(rows(at, "SELECT * FROM event_log"))
        delete.click()
        choice.get_by_label("Also erase for good").check()
        choice.get_by_role("button", name="Erase for good").click()
        expect(panel.lines).to_have_count(0)
        expect(choice).to_have_count(0)
        expect(sheet.get_by_role("button", name="Undo")).to_have_count(0)
        for table in ("event_log", "audit_log", *TABLES):
            assert "ZEBRA" not in repr(rows(at, f"SELECT * FROM {table}"))
        panel.say("list my saved artifacts")
        expect(panel.lines).to_have_count(2)

        # Deleting changes nothing else, and can be undone.
        keep(at, "acme", "We look for a CTO.")
        at.app.run_service.proposer = Saying([asking("Sure?", "confirm")])
        panel.say("ask me")
        expect(panel.last.get_by_role("button", name="yes")).to_be_visible()
        before = {table: rows(at, f"SELECT * FROM {table} ORDER BY 1") for table in TABLES}
        delete.click()
        panel.aside.get_by_role("button", name="Delete", exact=True).click()
        expect(panel.lines).to_have_count(0)
        expect(panel.aside.get_by_text("Ask about this campaign")).to_be_visible()
        expect(sheet.get_by_text("Conversation deleted. The log keeps its record.")).to_be_visible()
        assert {table: rows(at, f"SELECT * FROM {table} ORDER BY 1") for table in TABLES} == before
        sheet.get_by_role("button", name="Undo").click()
        expect(panel.last.get_by_role("button", name="yes")).to_be_visible()
        assert {table: rows(at, f"SELECT * FROM {table} ORDER BY 1") for table in TABLES} == before


LAID_OUT = """node => new Promise(done => {
  const look = before => requestAnimationFrame(() => requestAnimationFrame(() => {
    const now = node.getBoundingClientRect().height;
    if (now === before) done(); else look(now);
  }));
  look(0);
})"""
"""Until its height is its own: what comes into view has a guessed one until then (`content-visibility`)."""


def test_a_long_conversation_is_rendered_by_parts_and_stays_where_it_is_read(tmp_path: Path, sheet: Page) -> None:
    with desk(tmp_path) as at:
        at.app.record(at.campaign, *(said(number) for number in range(1, 301)))
        at.enter(sheet, "run")
        panel = opened(sheet)
        log = panel.aside.get_by_role("log")
        # By tag and text, and waited for without `expect`: roles of so many lines are slow to work out.
        lines = sheet.locator("[role=log] article")

        def line(number: int) -> Locator:
            return lines.filter(has_text=f"Line {number}.")

        line(300).wait_for()
        assert lines.count() < 120
        log.focus()
        while line(100).count() == 0:
            sheet.keyboard.press("Home")
        line(100).scroll_into_view_if_needed()
        line(100).evaluate(LAID_OUT)
        box = line(100).bounding_box()
        at.app.record(at.campaign, said(301))
        line(301).wait_for()
        assert line(100).bounding_box() == box, "what is read does not move"
        panel.aside.get_by_role("button", name="Latest").click()
        expect(line(301)).to_be_in_viewport()
        at.app.record(at.campaign, said(302))
        line(302).wait_for()
        expect(line(302)).to_be_in_viewport()


def said(number: int) -> Event:
    line = {"request_id": "r", "line": number, "role": "user", "kind": "said", "content": f"Line {number}."}
    return Event("ConversationSaid", f"line{number:04}", {**line, "created_at": number})


def what_was_pasted_chosen_or_dropped_is_saved_byte_for_byte_after_a_yes_only(at: Desk, panel: Panel) -> None:
    """And not after a no."""
    sheet = panel.page

    def answers(yes: str) -> None:
        before = panel.lines.filter(has_text=f"You: {yes.lower()}").count()
        panel.last.get_by_role("button", name=yes, exact=True).click()
        expect(panel.lines.filter(has_text=f"You: {yes.lower()}")).to_have_count(before + 1)
        panel.idle()

    query = "SELECT count(*) FROM artifacts WHERE artifact_key='cto-berlin'"
    for answer in ("No", "Yes"):
        panel.paste(POSTING)
        panel.say("save this job posting as an artifact called cto-berlin")
        expect(panel.last.get_by_role("button", name=answer, exact=True)).to_be_visible()
        assert rows(at, query) == [(0,)]
        answers(answer)
        assert rows(at, query) == [(int(answer == "Yes"),)]
    assert stored(at, "cto-berlin") == POSTING.encode()

    for name in ("chosen-cto.txt", "dropped-cto.txt"):
        if name.startswith("dropped"):
            sheet.evaluate(DROP, [name, POSTING])
        else:
            with sheet.expect_file_chooser() as chosen:
                panel.aside.get_by_role("button", name="Attach…").click()
            chosen.value.set_files(FilePayload(name=name, mimeType="text/plain", buffer=POSTING.encode()))
        expect(panel.goes_with).to_contain_text(name)
        panel.say("save this job posting as an artifact")
        answers("Yes")
        assert stored(at, name.removesuffix(".txt")) == POSTING.encode()


def the_posting_from_yesterday_is_chosen_and_shown_from_the_store(at: Desk, panel: Panel) -> None:
    """When there are several."""
    sheet = panel.page

    def tamper(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.body().replace(b"Engineering", b"Tampering!!"))

    keep(at, "acme-vp", "VP Engineering", age_ms=DAY)
    sheet.route("**/content", tamper)
    panel.say("show me the job posting")
    expect(panel.last.get_by_role("alert")).to_contain_text("digests differ")  # it was changed on its way
    expect(panel.aside.get_by_test_id("direct")).to_have_count(0)
    sheet.unroute("**/content")

    keep(at, "fernhill-cto", POSTING, age_ms=DAY)
    keep(at, "of-today", "Something else")
    panel.say("show me the job posting from yesterday")
    choices = panel.last.get_by_role("button")
    expect(choices).to_have_count(2)
    expect(panel.last).not_to_contain_text("of-today")
    choices.filter(has_text="fernhill-cto").click()
    shown = panel.last.get_by_test_id("artifact")
    expect(shown.get_by_test_id("direct")).to_be_visible()
    expect(shown.get_by_test_id("sha256")).to_have_text(hashlib.sha256(POSTING.encode()).hexdigest())
    assert shown.get_by_test_id("content").evaluate("shown => shown.textContent") == POSTING
    shown.get_by_role("link", name="fernhill-cto").click()
    expect(sheet.get_by_role("main").get_by_test_id("direct")).to_be_visible()

    # All of them are listed, and one is opened.
    sheet.get_by_role("navigation").get_by_role("link", name="Leads").click()
    panel.say("list my saved artifacts")
    table = panel.last.get_by_role("table")
    expect(table.get_by_role("row").filter(has_text="fernhill-cto")).to_contain_text("Job posting")
    table.get_by_role("link", name="fernhill-cto").click()
    expect(sheet.get_by_role("main").get_by_test_id("direct")).to_be_visible()
    digest = sheet.get_by_role("main").get_by_test_id("sha256")
    expect(digest).to_have_text(hashlib.sha256(POSTING.encode()).hexdigest())
    expect(panel.last.get_by_role("table")).to_be_visible()  # beside every screen


def response_rates_are_shown_as_a_picture_and_as_a_table(at: Desk, panel: Panel) -> None:
    """Each leads to Insights."""
    sheet = panel.page
    for position, (lead, _) in enumerate(at.leads):
        industry = "Software" if position < 4 else "Water"
        replied = {"replied_at": 5} if position < 3 else {}
        contacted = {"status": "contacted", "invited_at": 1, "extra": {"Industry": industry}}
        at.app.record(at.campaign, Event("LeadAdvanced", lead, {**contacted, **replied}))
    panel.say("show response rates by industry")
    expect(panel.last.get_by_role("listitem").filter(has_text="Software")).to_contain_text("75 % · 3 of 4")
    panel.last.get_by_role("button", name="as a table").click()
    expect(panel.last.get_by_role("row").filter(has_text="Water")).to_contain_text("Water800 %")
    panel.last.get_by_role("button", name="as a table").click()
    panel.last.get_by_role("link", name="in Insights").click()
    expect(sheet.get_by_label("Group by")).to_have_value("extra:Industry")


def prioritised_after_a_yes(at: Desk, panel: Panel) -> None:
    """For what the user says."""
    settings = "SELECT json_extract(settings, '$.blueprint.criteria') FROM campaigns WHERE id=?"
    before = rows(at, settings, at.campaign)
    panel.say("prioritise my leads for CTOs in fintech")
    expect(panel.last.get_by_test_id("blueprint-preview")).to_be_visible()
    assert rows(at, settings, at.campaign) == before, "proposed, and nothing more"
    panel.last.get_by_role("button", name="Yes", exact=True).click()
    expect(panel.lines.filter(has_text="In force")).to_have_count(1)
    panel.idle()
    ((criteria,),) = rows(at, settings, at.campaign)
    assert "cto" in criteria
    assert "fintech" in criteria


def continued_and_paused_by_a_word(at: Desk, panel: Panel) -> None:
    """What it is understood as is shown before it is said."""
    sheet = panel.page
    understood = panel.aside.get_by_test_id("understood-as")
    panel.field.fill("continue the talk")
    expect(understood).to_have_text("")
    panel.field.fill("continue")
    expect(understood).to_have_text("Understood as: Continue the campaign")
    assert at.app.run_service.is_idle, "shown, and nothing more"
    panel.say("continue")
    expect(panel.last).to_contain_text("The campaign goes on")
    expect(sheet.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    expect(sheet.get_by_test_id("turn")).not_to_have_text("0")
    panel.say("pause")
    expect(panel.last).to_contain_text("The campaign stops")
    expect(sheet.get_by_role("button", name="Continue")).to_be_enabled()
    assert at.app.run_service.is_idle


def answers_from_the_data_and_does_what_it_is_told(at: Desk, panel: Panel) -> None:
    """And says what it cannot."""
    sheet = panel.page
    # A script is honestly not there, and what is not understood says what is.
    panel.say("write a python script that counts my leads")
    expect(panel.last).to_contain_text("script")
    panel.say("sing me a song")
    expect(panel.last).to_contain_text("I cannot answer that without a model")

    _, name = at.leads[0]
    panel.say(f"why was {name} not contacted?")
    shown = panel.aside.get_by_test_id("lead")
    expect(shown).to_contain_text(name)
    shown.get_by_text("What was checked").click()
    expect(shown).to_contain_text("The campaign is on")

    prioritised_after_a_yes(at, panel)
    continued_and_paused_by_a_word(at, panel)
    assert {line["author"] for line in lines(at)} == {"user", "outrider"}, "no model was asked"
    shown.get_by_role("link", name=name).click()
    expect(sheet.get_by_test_id("lead-detail")).to_contain_text(name)


def test_without_a_model_the_assistant_answers_shows_and_saves_what_it_is_told(tmp_path: Path, sheet: Page) -> None:
    with assisted(tmp_path, sheet) as (at, panel):
        the_posting_from_yesterday_is_chosen_and_shown_from_the_store(at, panel)
        what_was_pasted_chosen_or_dropped_is_saved_byte_for_byte_after_a_yes_only(at, panel)
        sheet.evaluate("hash => { location.hash = hash }", f"#/campaigns/{at.campaign}/run")
        answers_from_the_data_and_does_what_it_is_told(at, panel)
        response_rates_are_shown_as_a_picture_and_as_a_table(at, panel)
