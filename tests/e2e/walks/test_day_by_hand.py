"""A day by hand with the keys counted: people written to, replies answered, somebody found, everything paused."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from backend.domain.events.events import Event
from tests.api import by_hand
from tests.api.app import App, running
from tests.api.runs import ask
from tests.cli.outrider import until
from tests.e2e.test_send_session import facsimiles
from tests.e2e.walks.walker import Walker
from tests.fakes.send_desk import MESSAGES

NAMES = (
    "Clara Yilmaz", "Thandi Holm", "Elena Okonkwo", "Iris Novak", "Paulo Reyes", "Mira Castell", "Jonas Weber", "Aiko Tanaka",
    "Bruno Lima", "Sofia Rossi", "Tom Baker", "Wanda Kowal",
)  # fmt: skip
REPLIES = 2


@contextmanager
def at_work(tmp_path: Path, page: Page, people: int, screen: str) -> Iterator[tuple[App, str]]:
    """A campaign of contacts on the user's own hand, open on that screen."""
    (tmp_path / "data").mkdir()
    facsimiles(page)
    rows = [
        f"{name.replace(' ', ',')},Founder,Elm,,https://www.linkedin.com/in/{slug(name)}" for name in NAMES[:people]
    ]
    table = "\n".join(("First Name,Last Name,Title,Company,Email,Person Linkedin Url", *rows, ""))
    with running(tmp_path / "data") as app:
        campaign = by_hand.make(app.workspace, tmp_path, MESSAGES, people=table)
        page.goto(f"{app.origin}/#/campaigns/{campaign}/{screen}")
        page.get_by_label("Code").fill(app.codes[-1])
        page.keyboard.press("Enter")
        expect(page.get_by_role("navigation", name="Main")).to_be_visible()
        yield app, campaign


def slug(name: str) -> str:
    return name.lower().replace(" ", "-")


def rows(app: App, query: str) -> list[Any]:
    with app.workspace.database.read() as connection:
        return connection.execute(query).fetchall()


def test_people_are_written_to_by_three_keys_each(tmp_path: Path, sheet: Page) -> None:
    count = 4
    with at_work(tmp_path, sheet, count, "send") as (app, campaign):
        by_hand.start_and_approve(app, campaign, count)
        progress = sheet.get_by_test_id("send-progress")
        expect(progress).to_have_text(f"0 done, {count} to go")
        walker = Walker(sheet)
        for position in range(count):
            with sheet.context.expect_page() as opened:
                walker.press("Enter")  # to look for a reply
            sheet.bring_to_front()
            expect(sheet.get_by_role("button", name="No reply, copy the message")).to_be_enabled()
            walker.press("Enter")
            opened.value.close()  # where it is pasted and sent
            expect(sheet.get_by_role("button", name="Sent exactly this message")).to_be_enabled()
            walker.press("s")
            expect(progress).to_have_text(f"{position + 1} done, {count - position - 1} to go")
        print(walker.told(f"{count} people by hand"))
        assert walker.keys <= 3 * count
        sheet.keyboard.press("Escape")  # the last word takes effect with leaving
        until("all are on record", lambda: rows(app, "SELECT count(*) FROM messages WHERE status='sent'") == [(count,)])


def replied(app: App, campaign: str) -> None:
    """Everybody wrote, as if they had been written to before."""
    by_hand.start_and_approve(app, campaign, len(rows(app, "SELECT id FROM leads")))
    now = app.services.clock(campaign).now()
    for position, (lead,) in enumerate(rows(app, "SELECT id FROM leads ORDER BY id")):
        came = now - 60_000 * (position + 1)
        reply = {"lead_id": lead, "kind": "reply", "text": f"Gladly, number {position + 1}!", "status": "received"}
        progress = {"replied_at": came, "status": "responded", "relation": "connected", "last_sent_at": came - 1}
        app.record(
            campaign,
            Event("ReplyReceived", f"reply{position}", {**reply, "sent_at": came, "created_at": came}),
            Event("LeadAdvanced", lead, progress),
        )


def are_on_record(app: App, words: str, count: int) -> None:
    query = f"SELECT count(*) FROM messages WHERE status='sent' AND text='{words}'"
    until("they are on record", lambda: rows(app, query) == [(count,)])


def test_the_only_answer_is_on_record_once_it_is_said_to_be_sent(tmp_path: Path, sheet: Page) -> None:
    with at_work(tmp_path, sheet, 1, "inbox") as (app, campaign):
        replied(app, campaign)
        expect(sheet.get_by_role("article").get_by_text("Gladly, number 1!")).to_be_visible()
        sheet.keyboard.press("r")
        sheet.get_by_label("Your answer", exact=True).fill("Thanks!")
        with sheet.context.expect_page() as opened:
            sheet.keyboard.press("Control+Enter")
        opened.value.close()
        sheet.bring_to_front()
        sheet.get_by_role("button", name="Sent exactly this message").click()
        are_on_record(app, "Thanks!", 1)  # no other conversation is gone to
        expect(sheet.get_by_text("Say in Send whether you sent it.")).to_have_count(0)


def test_replies_are_read_answered_and_reported_sent_on_one_screen_and_one_more_waits_in_send(
    tmp_path: Path, sheet: Page
) -> None:
    with at_work(tmp_path, sheet, REPLIES + 1, "inbox") as (app, campaign):
        replied(app, campaign)
        walker, words = Walker(sheet), "Thank you! Would Tuesday suit you?"
        answer, sent = sheet.get_by_label("Your answer", exact=True), "Sent exactly this message"
        for position in range(REPLIES):
            expect(sheet.get_by_role("article").get_by_text(f"Gladly, number {position + 1}!")).to_be_visible()
            walker.press("r")
            expect(answer).to_be_focused()
            answer.fill(words)
            with sheet.context.expect_page() as opened:
                walker.press("Control+Enter")
            profile = opened.value
            profile.get_by_label("Add a note").focus()
            profile.keyboard.press("Control+V")
            expect(profile.get_by_label("Add a note")).to_have_value(words)
            profile.close()
            sheet.bring_to_front()
            expect(sheet.get_by_role("button", name=sent)).to_be_enabled()
            walker.press("s")
            expect(sheet.get_by_role("button", name=sent)).to_have_count(0)
            are_on_record(app, words, position + 1)
        # The last is not sent after all.
        expect(sheet.get_by_role("article").get_by_text(f"Gladly, number {REPLIES + 1}!")).to_be_visible()
        sheet.keyboard.press("r")
        answer.fill("Thanks!")
        with sheet.context.expect_page() as opened:
            sheet.keyboard.press("Control+Enter")
        opened.value.close()
        sheet.bring_to_front()
        sheet.get_by_role("button", name="Not sent").click()
        expect(sheet.get_by_role("link", name="Open Send")).to_be_visible()
        assert rows(app, "SELECT status FROM messages WHERE text='Thanks!'") == [("approved",)]
        walker.press("g", "o")
        print(walker.told(f"{REPLIES} replies"))
        assert walker.keys <= 4 * REPLIES


def test_somebody_is_found_by_few_keys_and_everything_is_paused_by_one_on_every_screen(
    tmp_path: Path, sheet: Page
) -> None:
    with at_work(tmp_path, sheet, len(NAMES), "today") as (app, campaign):
        walker = Walker(sheet)
        walker.press("Control+k")
        expect(sheet.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
        walker.type("wand")
        expect(sheet.get_by_role("option", name="Wanda Kowal").first).to_have_attribute("aria-selected", "true")
        walker.press("Enter")
        expect(sheet.get_by_role("heading", name="Wanda Kowal")).to_be_visible()
        assert walker.keys <= 6

        by_hand.start_and_approve(app, campaign, len(NAMES))
        # In Send at last, where it is told what waits and goes on by one button.
        for screen in ("today", "review", "inbox", "leads", "sequence", "insights", "setup", "send"):
            sheet.evaluate("hash => { location.hash = hash }", f"#/campaigns/{campaign}/{screen}")
            expect(sheet).to_have_title(re.compile(f"^(\\(\\d+\\) )?{screen} ·", re.IGNORECASE))
            app.ask(f"/api/campaigns/{campaign}/start", {})
            expect(sheet.get_by_role("button", name="Pause everything")).to_be_visible()
            walker = Walker(sheet)
            walker.press("Control+.")
            until("it is paused", lambda: ask(app, f"/api/campaigns/{campaign}")["status"] == "paused")
            assert walker.keys == 1
        waiting = f"{len(NAMES)} approved messages wait in “Talks”, which is paused."
        expect(sheet.get_by_text(waiting)).to_be_visible()
        main = sheet.get_by_role("main")
        named = [re.compile("^Continue the campaign"), re.compile("^Continue “Talks”")]
        expect(main.get_by_role("button", name="Continue")).to_have_text(named)
        main.get_by_role("button", name="Continue “Talks”").press("Enter")
        expect(sheet.get_by_test_id("send-progress")).to_have_text(f"0 done, {len(NAMES)} to go")
