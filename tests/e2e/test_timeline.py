"""The timeline as a person uses it: filter, open, travel in time, verify, export, and see what arrives."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from backend.domain.events.events import Event
from backend.store.database import Database
from backend.store.log.journal import Journal
from tests.e2e.conftest import Start
from tests.e2e.using import Started
from tests.fakes.campaign import MONDAY_NOON, Stage
from tests.fakes.ids import SeededIds
from tests.fakes.keychain import MemoryKeyring, keychain_of
from tests.fakes.proved import verifier


class Written(NamedTuple):
    """A campaign that was run for a while: one person invited, two drafts waiting."""

    id: str
    data: Path
    head: int
    approved: int
    """The event with which the first draft was approved."""


@pytest.fixture
def written(tmp_path: Path) -> Written:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    stage = Stage(data)
    campaign = stage.campaign(3, name="Talks")
    stage.run(campaign, approve=False)
    by_model = Event(
        "CampaignEdited", campaign, {"proposer": "model:mine"}
    )  # which writes another text for one rejected
    stage.journal.record(campaign, events=[by_model], actor="user", cause="a test", at=stage.clock.now())
    (first, *_) = stage.query("SELECT id FROM messages WHERE status='draft' ORDER BY id")
    user = stage.commands()
    user.review.approve(campaign, first[0], shown_digest=user.review.digest(campaign, first[0]))
    stage.run(campaign, approve=False)
    approved = stage.one("SELECT min(seq) FROM event_log WHERE campaign_id=? AND kind='ApprovalGiven'", campaign)
    head = stage.head(campaign)[0]
    stage.close()
    return Written(campaign, data, head, approved)


@pytest.fixture
def opened(start: Start, sheet: Page, written: Written) -> Iterator[Started]:
    outrider = start()
    outrider.enter(sheet, f"#/campaigns/{written.id}/timeline/group/all")
    expect(rows(sheet).first).to_be_visible()
    yield outrider
    assert outrider.end() == 0


def fill(written: Written, events: int) -> int:
    """Much more happens, none of it interesting; the last event."""
    database = Database(written.data / "outrider.db")
    made = [Event("RuntimeChanged", written.id, {"loop_enabled": n % 2}) for n in range(events)]
    Journal(database, SeededIds("fill")).record(
        written.id, events=made, actor="controller", cause="fill", at=MONDAY_NOON
    )
    database.close()
    return written.head + events


def rows(page: Page) -> Locator:
    return page.get_by_role("list", name="Entries, newest first").get_by_role("listitem")


def at(page: Page, written: Written, *rest: str) -> None:
    page.evaluate("to => { location.hash = to }", "/".join([f"#/campaigns/{written.id}/timeline", *rest]))


def tamper(written: Written, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(written.data / "outrider.db", isolation_level=None)) as connection:
        connection.execute("DROP TRIGGER event_log_stays")
        connection.execute(sql, values)


def the_draft_is_seen_waiting_and_one_returns(sheet: Page, written: Written) -> None:
    """As it was before the first approval."""
    at(sheet, written, "at", str(written.approved))
    expect(rows(sheet).filter(has_text=f"#{written.approved}")).to_have_attribute("aria-current", "true")
    sheet.keyboard.press("t")
    banner = sheet.get_by_role("region", name="Time travel")
    expect(banner).to_contain_text(f"after event #{written.approved}")
    expect(banner).to_contain_text("Nothing can be changed here")
    sheet.keyboard.press("ArrowLeft")
    expect(banner).to_contain_text(f"after event #{written.approved - 1}")
    expect(sheet.get_by_test_id("past-drafts")).to_have_text("3 waiting")
    expect(sheet.get_by_test_id("past").get_by_text("Vera Torres invitation")).to_be_visible()
    expect(sheet.get_by_test_id("past").locator("dt:text-is('Leads') + dd")).to_contain_text("not contacted")
    expect(sheet.get_by_role("list", name="Leads").get_by_text("Vera Torres")).to_be_visible()
    expect(sheet.get_by_role("button", name="Approve")).to_have_count(0)
    sheet.keyboard.press("ArrowRight")
    sheet.keyboard.press("ArrowRight")
    expect(banner).to_contain_text(f"after event #{written.approved + 1}")
    expect(sheet.get_by_test_id("past-drafts")).to_have_text("2 waiting")
    sheet.keyboard.press("[")
    expect(sheet.get_by_test_id("past-drafts")).to_have_text("3 waiting")
    sheet.get_by_label("Event", exact=True).fill("1")
    expect(banner).to_contain_text("after event #1")
    expect(sheet.get_by_text("No leads yet.")).to_be_visible()
    sheet.keyboard.press("Escape")
    expect(rows(sheet).first).to_contain_text("Draft written for Vera Torres (message)")
    expect(sheet).not_to_have_url(re.compile("/past/"))


def filtered_opened_and_looked_back_on_by_keyboard_alone(sheet: Page, written: Written) -> None:
    """The log, an entry of it, and the past."""
    expect(rows(sheet).first).to_contain_text(f"#{written.head}")
    sheet.keyboard.press("/")
    sheet.keyboard.type("MessageSent")
    sheet.keyboard.press("Enter")
    expect(rows(sheet)).to_have_count(1)
    expect(rows(sheet)).to_contain_text("Invitation to Vera Torres sent")
    expect(sheet.get_by_text("1 entry, all shown")).to_be_visible()
    sheet.keyboard.press("Escape")
    sheet.keyboard.press("j")
    expect(rows(sheet).first).to_have_attribute("aria-current", "true")
    expect(rows(sheet).first.get_by_role("button").first).to_be_focused()
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("region", name="Content")).to_contain_text('"status": "sent"')
    expect(sheet.get_by_test_id("hash")).to_have_text(stored_hash(written, "MessageSent"))
    sheet.get_by_role("link", name="History of this lead").click()
    expect(sheet.get_by_text("all shown")).to_be_visible()
    expect(sheet.get_by_text("History of Vera Torres")).to_be_visible()
    sheet.get_by_label("Kind").select_option("Leads")
    expect(rows(sheet).last).to_contain_text("Vera Torres imported")
    expect(sheet.get_by_role("listitem").filter(has_text="Milan Haddad")).to_have_count(0)
    sheet.get_by_role("link", name="Show everything").click()
    expect(sheet.get_by_text("History of Vera Torres")).to_have_count(0)
    sheet.get_by_label("Kind").select_option("Turns")
    expect(rows(sheet).first).to_contain_text("Turn ")
    rows(sheet).first.get_by_role("button").first.click()
    expect(rows(sheet).first).to_have_attribute("aria-current", "true")
    sheet.keyboard.press("j")
    expect(rows(sheet).nth(1)).to_have_attribute("aria-current", "true")
    expect(
        rows(sheet).nth(1).get_by_role("button").first
    ).to_be_focused()  # the focus does not stay where it was clicked
    sheet.get_by_role("button", name="Audit").click()
    expect(sheet.get_by_label("Kind")).to_have_value("")
    expect(rows(sheet).filter(has_text="Sent an invitation to Vera Torres: confirmed")).to_have_count(1)
    sheet.get_by_role("button", name="Workspace").click()
    expect(rows(sheet).last).to_contain_text("installed")  # the skills that come with Outrider
    at(sheet, written, "group", "all")
    the_draft_is_seen_waiting_and_one_returns(sheet, written)


def seq_of(written: Written, kind: str) -> int:
    """Where the first event of that kind stands."""
    with closing(sqlite3.connect(written.data / "outrider.db")) as connection:
        (sequence,) = connection.execute(
            "SELECT min(seq) FROM event_log WHERE campaign_id=? AND kind=?", (written.id, kind)
        ).fetchone()
    return int(sequence)


def stored_hash(written: Written, kind: str) -> str:
    with closing(sqlite3.connect(written.data / "outrider.db")) as connection:
        (stored,) = connection.execute("SELECT lower(hex(hash)) FROM event_log WHERE kind=?", (kind,)).fetchone()
    return str(stored)


@pytest.fixture
def keychain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that can keep a key."""
    keyring = MemoryKeyring()
    monkeypatch.setattr("backend.app.wiring.Keychain", lambda: keychain_of(keyring))


def exported_whole(sheet: Page, written: Written) -> None:
    """The export is the log."""
    with sheet.expect_download() as started:
        sheet.get_by_role("button", name="Export", exact=True).click()
    lines = [json.loads(line) for line in started.value.path().read_text("utf-8").splitlines()]
    with closing(sqlite3.connect(written.data / "outrider.db")) as connection:
        columns = "seq, kind, entity_id, change_payload, lower(hex(hash))"
        stored = connection.execute(
            f"SELECT {columns} FROM event_log WHERE campaign_id=? ORDER BY seq", (written.id,)
        ).fetchall()
        (audits,) = connection.execute("SELECT count(*) FROM audit_log WHERE campaign_id=?", (written.id,)).fetchone()
    names = ("seq", "kind", "entity_id", "payload", "hash")
    assert [tuple(line[name] for name in names) for line in lines if line["log"] == "event"] == stored
    assert [chained(line) for line in lines[: len(stored)]] == [row[-1] for row in stored]
    assert sum(line["log"] == "audit" for line in lines) == audits - 1, "what records the export comes behind it"


def verified(sheet: Page, written: Written) -> None:
    """One that is untouched."""
    sheet.get_by_role("button", name="Verify").click()
    proof = sheet.get_by_test_id("proof")
    expect(proof).to_contain_text(f"Event log is sound: {written.head} entries.")
    expect(proof).to_contain_text("Audit log is sound")
    expect(proof).to_contain_text("Every table matches the event log.")
    sheet.get_by_role("button", name="Audit").click()
    expect(rows(sheet).filter(has_text="Sent an invitation")).not_to_have_count(0)
    expect(proof).to_have_count(0)  # it was about the other tab


def proof_exported_and_signed(sheet: Page, tmp_path: Path) -> None:
    """After a word on personal data."""
    sheet.get_by_role("button", name="Export proof…").click()
    dialog = sheet.get_by_role("dialog", name="Export proof")
    expect(dialog).to_contain_text("It contains personal data:")
    with sheet.expect_download() as download:
        dialog.get_by_role("button", name="Save the proof").click()
    file = tmp_path / "proof.html"
    download.value.save_as(file)
    expect(dialog).to_be_hidden()
    page, script = file.read_text(encoding="utf-8"), verifier()
    checked = script.Proof(script.block(page, "proof"), script.block(page, "seal"))
    checked.check()
    assert checked.problems == []
    sheet.get_by_role("button", name="Verify").click()
    expect(sheet.get_by_test_id("proof")).to_contain_text("Signed: up to event")


def tampering_is_shown(sheet: Page, written: Written) -> None:
    """And it leads to the entry."""
    scored = seq_of(written, "LeadScored")
    tamper(
        written,
        "UPDATE event_log SET change_payload='{\"weight_score\":99}' WHERE campaign_id=? AND seq=?",
        written.id,
        scored,
    )
    sheet.get_by_role("button", name="Verify").click()
    proof = sheet.get_by_test_id("proof")
    expect(proof).to_contain_text(f"Event log is broken at entry {scored}")
    expect(proof).to_contain_text("rows differ from the event log")
    proof.get_by_role("link", name="Show the entry").click()
    expect(rows(sheet).filter(has_text=f"#{scored}")).to_have_attribute("aria-current", "true")
    expect(proof).to_be_visible()  # another address in the same screen begins nothing anew
    expect(sheet.get_by_role("region", name="Content")).to_contain_text('"weight_score": 99')


@pytest.mark.usefixtures("keychain", "opened")
def test_the_log_is_walked_by_keyboard_exported_verified_proved_and_found_tampered_with(
    sheet: Page, written: Written, tmp_path: Path
) -> None:
    filtered_opened_and_looked_back_on_by_keyboard_alone(sheet, written)
    exported_whole(sheet, written)
    verified(sheet, written)
    at(sheet, written, "group", "all")
    proof_exported_and_signed(sheet, tmp_path)
    tampering_is_shown(sheet, written)


def chained(line: dict[str, Any], before: list[bytes] = [bytes(32)]) -> str:  # noqa: B006 - carries the chain on
    metadata = [
        line[n] for n in ("campaign_id", "seq", "timestamp", "kind", "entity_type", "entity_id", "actor", "cause")
    ]
    digest = hashlib.sha256(bytes.fromhex(line["salt"]) + line["payload"].encode()).digest()
    before[0] = hashlib.sha256(before[0] + digest + json.dumps(metadata, separators=(",", ":")).encode()).digest()
    return before[0].hex()


def test_a_long_log_is_searched_to_its_beginning_scrolled_and_looked_back_on(
    start: Start, sheet: Page, written: Written
) -> None:
    head = fill(written, 12_000)
    outrider = start()
    outrider.enter(sheet, f"#/campaigns/{written.id}/timeline/text/Milan%20Haddad/group/message")
    expect(rows(sheet)).to_have_count(1)
    expect(rows(sheet)).to_contain_text("Draft written for Milan Haddad (invitation)")
    at(sheet, written, "text", "nobody is called so")
    expect(sheet.get_by_text("The whole log was searched.")).to_be_visible()
    at(sheet, written)
    expect(sheet.get_by_label("Kind")).to_have_value("highlights")
    expect(rows(sheet).filter(has_text="Automatic steps switched")).to_have_count(0)
    expect(rows(sheet).first).to_contain_text("Draft written for Vera Torres (message)")
    expect(rows(sheet).first.get_by_role("heading", name="Thu 4 Jun")).to_be_visible()
    sheet.get_by_label("Kind").select_option("Everything")
    expect(rows(sheet).first).to_contain_text(f"#{head}")
    for shown in (100, 150, 200):
        sheet.get_by_role("list", name="Entries, newest first").evaluate(
            "list => { list.scrollTop = list.scrollHeight }"
        )
        expect(sheet.get_by_text(f"{shown} shown")).to_be_visible()
    assert rows(sheet).count() < 80, "only what is in sight is in the page"
    at(sheet, written, "past", str(head))
    expect(sheet.get_by_role("progressbar", name="Events replayed")).to_be_visible()
    expect(sheet.get_by_test_id("past-drafts")).to_have_text("3 waiting")
    expect(sheet.get_by_role("progressbar", name="Events replayed")).to_have_count(0)
    assert outrider.end() == 0


def test_what_is_recorded_arrives_at_once_and_moves_nothing_that_is_read(
    opened: Started, sheet: Page, chrome: Browser, written: Written
) -> None:
    other = chrome.new_page()
    opened.enter(other, f"#/campaigns/{written.id}/review")
    reject = other.get_by_role("button", name="Reject").first
    reject.click()
    other.keyboard.press("Enter")
    expect(rows(sheet).filter(has_text="cancelled: rejected by the user")).to_be_visible()
    expect(rows(sheet).first).not_to_contain_text(f"#{written.head}")

    sheet.keyboard.press("j")
    sheet.keyboard.press("j")
    expect(rows(sheet).nth(1).get_by_role("button").first).to_be_focused()
    sheet.keyboard.press("Enter")
    read = sheet.get_by_role("region", name="Content")
    expect(read).to_be_visible()
    box = read.bounding_box()
    reject.click()
    other.keyboard.press("Enter")
    pill = sheet.get_by_role("button", name=" new")
    expect(pill).to_be_visible()
    assert read.bounding_box() == box
    pill.click()
    expect(rows(sheet).filter(has_text="cancelled: rejected by the user")).to_have_count(2)
    expect(pill).to_have_count(0)
    other.close()
