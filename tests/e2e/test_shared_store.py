"""The shared store as a person meets it: attaching, being offline, another device, conflicts, keys, what leaves."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from backend.api.server.page_files import PAGE
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.store.replication.project_schema import schema_sql
from tests.api.app import running
from tests.e2e.shared_store import (
    CALLS,
    CODE,
    EMAIL,
    NOON,
    PASSPHRASE,
    PASSWORD,
    PUBLIC_KEY,
    RECOVERY,
    URL,
    VAULT,
    WRONG_KEY,
    SharedStoreRoutes,
    conflict,
    error,
)
from tests.e2e.test_accessibility import in_both_themes, too_wide
from tests.e2e.test_page import STORED
from tests.fakes.model_server import ModelServer

SECRET = "sk-canary-7731"
VALUES = "[...document.querySelectorAll('input, textarea')].map(one => one.value).join(' ')"


@pytest.fixture
def store(sheet: Page, tmp_path: Path) -> Iterator[SharedStoreRoutes]:
    """The page, paired, with the shared store's routes answered by the test."""
    with running(tmp_path / "data", PAGE) as app:
        store = SharedStoreRoutes(app, sheet)
        sheet.goto(app.origin)
        sheet.get_by_label("Code").fill(app.codes[-1])
        sheet.keyboard.press("Enter")
        expect(sheet.get_by_role("status").filter(has_text="Live")).to_be_visible()
        yield store


def go(page: Page, section: str) -> None:
    page.evaluate("hash => { location.hash = hash }", f"#/settings/{section}")


def nowhere(page: Page, secret: str) -> None:
    """It is not in the page, not in a field, not in its address, history or storage."""
    assert secret not in page.content()
    assert secret not in page.evaluate(VALUES)
    assert secret not in page.evaluate(STORED) + page.evaluate("JSON.stringify(history.state)")


def prepared_by_one_paste_of_sql(store: SharedStoreRoutes, sheet: Page) -> None:
    """On the clipboard, exactly as it is applied."""
    sheet.context.grant_permissions(["clipboard-read", "clipboard-write"])
    assert store.asked == []
    sheet.get_by_text("Prepare a project, once").click()
    sheet.get_by_role("button", name="Copy the SQL").click()
    expect(sheet.get_by_text("The SQL is on the clipboard.")).to_be_visible()
    assert sheet.evaluate("navigator.clipboard.readText()") == schema_sql()
    assert in_both_themes(sheet) == []


def attached_step_by_step(store: SharedStoreRoutes, sheet: Page) -> None:
    """What is wrong is said beside its field."""
    url, key = sheet.get_by_label("Project URL"), sheet.get_by_label("Public key")
    email, password = sheet.get_by_label("E-mail", exact=True), sheet.get_by_label("Password", exact=True)
    url.fill("http://abcdefgh.supabase.co")
    expect(sheet.get_by_text("A password is not safe over http://")).to_be_visible()
    url.fill("https://supabase.com/dashboard/project/abcdefgh/settings/api")
    key.fill("sb_secret_1234")
    expect(sheet.get_by_text("This is the secret key")).to_be_visible()
    key.blur()
    expect(email).to_be_disabled()
    assert store.asked == [], "neither an address that is wrong nor a secret key goes anywhere"

    key.fill("another project's")
    expect(sheet.get_by_text("A key is one word without spaces.")).to_be_visible()
    key.fill("sb_publishable_2")
    expect(key).to_have_attribute("aria-invalid", "true")  # without a click: it is looked at when typing pauses
    expect(sheet.get_by_role("alert").filter(has_text=WRONG_KEY)).to_be_visible()
    assert in_both_themes(sheet) == []
    assert store.asked == [("/sync/check", {"url": URL, "public_key": "sb_publishable_2"})]

    key.fill(PUBLIC_KEY)
    expect(sheet.get_by_role("list", name="What was found").get_by_role("img", name="passed")).to_have_count(3)
    expect(email).to_be_focused()
    email.fill(EMAIL)
    password.fill("not hers")
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("alert").filter(has_text="The e-mail address or the password is wrong.")).to_be_visible()
    expect(password).to_be_focused()
    expect(password).to_have_value("")
    password.fill(PASSWORD)
    sheet.keyboard.press("Enter")

    # The first upload, as far as it is.
    expect(sheet.get_by_text("Signed in as ada@example.org.")).to_be_visible()
    bar = sheet.get_by_role("progressbar", name="Pushed")
    expect(bar).to_have_attribute("aria-valuenow", "0")
    store.announce(waiting=310)
    expect(bar).to_have_attribute("aria-valuenow", "930")
    expect(sheet.get_by_text("310 entries to go")).to_be_visible()
    store.announce(phase="in_sync", waiting=0)
    expect(bar).to_have_count(0)
    nowhere(sheet, PASSWORD)


def detached_after_a_confirmation(store: SharedStoreRoutes, sheet: Page) -> None:
    """A working copy stays."""
    store.attach(waiting=4)
    store.asked.clear()
    sheet.get_by_role("button", name="Detach…").click()
    expect(sheet.get_by_text("4 entries have not reached it yet.")).to_be_visible()
    sheet.get_by_role("button", name="Keep it").click()
    assert store.asked == []
    sheet.get_by_role("button", name="Detach…").click()
    sheet.get_by_role("button", name="Detach the project").click()
    expect(sheet.get_by_text("The project is detached. Everything is on this machine")).to_be_visible()
    expect(sheet.get_by_label("Project URL")).to_be_visible()


def entered_with_what_the_mail_has(store: SharedStoreRoutes, sheet: Page) -> None:
    """An account is made, or entered with a link or code."""
    sheet.get_by_label("Project URL").fill(URL)
    sheet.get_by_label("Public key").fill(PUBLIC_KEY)
    email = sheet.get_by_label("E-mail", exact=True)
    expect(email).to_be_focused()
    email.fill(EMAIL)
    sheet.get_by_label("I have no account yet").check()
    sheet.get_by_label("Password", exact=True).fill("a new password")
    sheet.get_by_role("button", name="Create the account").click()
    expect(sheet.get_by_text(f"A mail was sent to {EMAIL}.")).to_be_visible()
    expect(sheet.get_by_label("I have no account yet")).not_to_be_checked()

    sheet.get_by_label("By e-mail, without a password").check()
    sheet.get_by_role("button", name="Send the mail").click()
    expect(sheet.get_by_text("Open its link on this computer, or paste the link below.")).to_be_visible()
    code_field = sheet.get_by_label("Link or code", exact=True)
    expect(code_field).to_be_focused()
    code_field.fill(f"{URL}/auth/v1/verify?token=pkce_1&type=magiclink&redirect_to=http://127.0.0.1:1/sign-in/m")
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("alert").filter(has_text="The link has been used")).to_be_visible()
    code_field.fill("111111")
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("alert").filter(has_text="The code is wrong")).to_be_visible()
    expect(code_field).to_be_focused()
    code_field.fill(CODE)
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_role("button", name="Detach…")).to_be_visible()
    assert [path for path, _ in store.asked][-4:] == ["/sync/ask-mail", *["/sync/answer-mail"] * 3]


def signed_in_by_a_link_that_was_opened(store: SharedStoreRoutes, sheet: Page) -> None:
    """On the page that waits for it."""
    sheet.get_by_label("Project URL").fill(URL)
    sheet.get_by_label("Public key").fill(PUBLIC_KEY)
    sheet.get_by_label("E-mail", exact=True).fill(EMAIL)
    sheet.get_by_label("By e-mail, without a password").check()
    sheet.get_by_role("button", name="Send the mail").click()
    expect(sheet.get_by_label("Link or code", exact=True)).to_be_focused()
    store.attach(phase="in_sync")
    expect(sheet.get_by_role("button", name="Detach…")).to_be_visible()
    sheet.get_by_role("button", name="Check the project").click()
    expect(sheet.get_by_role("list", name="What was found")).to_contain_text("It answers.")
    store.announce(phase="signed_out", acting="nobody")
    expect(sheet.get_by_label("Link or code", exact=True)).to_have_count(0)
    expect(sheet.get_by_role("button", name="Send the mail")).to_be_visible()


def test_a_project_is_prepared_attached_detached_and_entered_in_every_way(
    store: SharedStoreRoutes, sheet: Page
) -> None:
    go(sheet, "sync")
    prepared_by_one_paste_of_sql(store, sheet)
    attached_step_by_step(store, sheet)
    detached_after_a_confirmation(store, sheet)
    sheet.reload()  # or the form would know what was typed in it
    entered_with_what_the_mail_has(store, sheet)
    detached_after_a_confirmation(store, sheet)
    sheet.reload()  # or the form would know what was typed in it
    signed_in_by_a_link_that_was_opened(store, sheet)


def who_acts_elsewhere(store: SharedStoreRoutes, sheet: Page) -> None:
    """They are named, and can be asked to hand over."""
    store.attach(acting="elsewhere", acting_name="Laptop")
    banner = sheet.get_by_role("group", name=re.compile("Laptop"))
    expect(banner).to_contain_text("“Laptop” has this account open.")
    banner.get_by_role("button", name="Take over").click()
    expect(banner).to_contain_text(
        re.compile(r"Asked “Laptop” to hand over; this device takes over at \d\d:02:00 at the latest")
    )
    expect(banner.get_by_role("button")).to_have_count(0)
    store.announce(acting="here", acting_name="Desk", asked=False, until=None)
    expect(banner).to_have_count(0)

    # It may be refused before the page has heard of it.
    refusal = error(
        "lease_held_elsewhere", "“Laptop” has this account open.", "Take over, or go on there."
    ).model_dump()
    sheet.route("**/start", lambda route: route.fulfill(status=409, json=refusal))
    campaign = find_or_create_rehearsal(store.app.workspace, None, None)
    sheet.evaluate("hash => { location.hash = hash }", f"#/campaigns/{campaign}/run")
    sheet.get_by_role("button", name="Start", exact=True).click()
    toast = sheet.get_by_role("alert").filter(has_text="lease_held_elsewhere")
    toast.get_by_role("button", name="Take over").click()
    expect(toast).to_have_count(0)
    assert store.asked[-1] == ("/sync/take-over", {})


def conflicts_wait_for_the_user(store: SharedStoreRoutes, sheet: Page) -> None:
    """Until the user chooses."""
    store.attach()
    store.asked.clear()
    store.in_conflict(conflict(1), conflict(2, again=False), conflict(3))
    expect(sheet.get_by_test_id("sync-line")).to_have_accessible_name("In sync 3 in conflict")
    banner = sheet.get_by_role("group", name="3 decisions are in conflict.")
    banner.get_by_role("link", name="Choose").click()
    items = sheet.get_by_test_id("conflict")
    expect(items).to_have_count(3)
    expect(items.nth(0)).to_contain_text("Met in Leeds.")
    expect(items.nth(0)).to_contain_text("Met in York.")
    expect(items.nth(0).get_by_role("link", name="Open")).to_have_attribute("href", "#/campaigns/c1/leads/l1")
    expect(items.nth(1).get_by_role("button", name="Use mine")).to_have_count(0)
    assert in_both_themes(sheet) == []

    items.nth(0).get_by_role("button", name="Use mine").click()
    expect(items).to_have_count(2)
    expect(items.nth(0)).to_be_focused()
    items.nth(0).get_by_role("button", name="Keep theirs").click()
    expect(items).to_have_count(1)
    items.nth(0).get_by_role("button", name="Keep theirs").click()
    expect(sheet.get_by_text("No conflicts.")).to_be_visible()
    expect(sheet.get_by_text("2 steps of the agent were dropped, too")).to_be_visible()
    expect(sheet.get_by_test_id("sync-line")).to_have_text(re.compile(r"^\s*In sync\s*$"))
    chosen = [(path, body["choice"]) for path, body in store.asked]
    assert chosen == [
        (f"/sync/conflicts/s{number}", choice) for number, choice in ((1, "mine"), (2, "theirs"), (3, "theirs"))
    ]


def a_device_is_revoked(store: SharedStoreRoutes, sheet: Page) -> None:
    """The new code is shown once and kept nowhere."""
    store.attach()
    store.asked.clear()
    go(sheet, "sync")
    sheet.get_by_role("button", name="Revoke Laptop").click()
    first, second = sheet.get_by_label("New passphrase"), sheet.get_by_label("Once more")
    expect(first).to_be_focused()
    sheet.keyboard.press("Escape")
    expect(first).to_have_count(0)
    sheet.get_by_role("button", name="Revoke Laptop").click()
    first.fill("short")
    second.fill("short")
    sheet.keyboard.press("Enter")
    expect(first).to_be_focused()
    first.fill(PASSPHRASE)
    second.fill(PASSPHRASE + "x")
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_text("The two do not match.")).to_be_visible()
    expect(second).to_be_focused()
    second.fill(PASSPHRASE)
    sheet.keyboard.press("Enter")

    dialog = sheet.get_by_role("dialog", name="Outrider recovery kit")
    expect(dialog.get_by_test_id("recovery-code")).to_have_text(RECOVERY)
    close = dialog.get_by_role("button", name="Close for good")
    expect(close).to_be_disabled()
    sheet.keyboard.press("Escape")
    sheet.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    assert in_both_themes(sheet) == []
    sheet.emulate_media(media="print")
    expect(dialog.get_by_role("button", name="Print…")).to_be_hidden()
    expect(sheet.get_by_role("heading", name="Devices")).to_be_hidden()
    expect(dialog.get_by_test_id("recovery-code")).to_be_visible()
    sheet.emulate_media(media="screen")
    assert RECOVERY not in sheet.evaluate(STORED)
    sheet.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog.get_by_role("button", name="Copy the code").click()
    copied = sheet.get_by_role("status").filter(has_text="Code copied")
    copied.get_by_role("button", name="Dismiss").click()  # it is not behind the dialog
    expect(copied).to_have_count(0)
    dialog.get_by_label("I have written it down").check()
    close.click()
    expect(dialog).to_have_count(0)
    expect(sheet.locator("body")).not_to_be_focused()
    nowhere(sheet, RECOVERY)
    nowhere(sheet, PASSPHRASE)
    expect(sheet.get_by_role("listitem").filter(has_text="Laptop")).to_contain_text("access revoked")
    assert store.asked == [("/vault/revoke", {"device_id": "d2", "passphrase": PASSPHRASE})]


def test_how_it_stands_is_always_shown_what_keeps_it_from_going_on_has_a_banner_and_a_device_is_revoked(
    store: SharedStoreRoutes, sheet: Page
) -> None:
    line = sheet.get_by_test_id("sync-line")
    aloud = sheet.get_by_role("navigation", name="Main").get_by_role("status").first
    expect(line).to_have_text(re.compile("On this machine only"))
    store.attach(phase="pushing", waiting=12)
    expect(line).to_have_text(re.compile("Pushing 12"))
    expect(aloud).to_be_empty()

    store.announce(phase="offline", since=NOON, waiting=3)
    banner = sheet.get_by_role("group", name=re.compile("Offline since"))
    expect(banner).to_contain_text(
        "Everything can be read; 3 changes wait here; nothing is sent until the shared store answers."
    )
    expect(line).to_contain_text("3\u00a0waiting")
    expect(aloud).to_have_text(re.compile(r"^Offline since \d+ \w+, \d\d:\d\d$"))
    assert in_both_themes(sheet) == []
    paused = error("project_paused", "The project is paused.", "Choose “Resume project”.")
    store.announce(phase="offline", since=NOON, problem=paused)
    expect(banner).to_contain_text("The project is paused. Choose “Resume project”.")
    store.announce(phase="pushing", since=None, problem=None)
    expect(banner).to_have_count(0)
    store.announce(phase="offline", since=NOON)
    banner.get_by_role("button", name="Try now").click()
    expect(banner).to_have_count(0)
    expect(line).to_have_text(re.compile("In sync"))

    line.click()
    expect(sheet.get_by_role("heading", name="Devices")).to_be_visible()
    store.announce(phase="signed_out", acting="nobody")
    sheet.get_by_label("Password", exact=True).fill(PASSWORD)
    sheet.keyboard.press("Enter")
    expect(sheet.get_by_text(f"Signed in as {EMAIL}.")).to_be_visible()
    assert store.asked[-1] == (
        "/sync/sign-in",
        {"url": URL, "public_key": PUBLIC_KEY, "email": EMAIL, "password": PASSWORD, "fresh": False},
    )
    who_acts_elsewhere(store, sheet)
    conflicts_wait_for_the_user(store, sheet)
    a_device_is_revoked(store, sheet)


def what_leaves_is_shown(store: SharedStoreRoutes, sheet: Page) -> None:
    """Call by call."""
    go(sheet, "privacy")
    rows = sheet.get_by_role("region", name="Hosts").get_by_role("row")
    expect(rows.nth(1)).to_contain_text("api.openai.com")
    for words in ("The model “Drafts”", "a lead's name, title and company", "1,204", "3 failed", "2.4 MB", "910 kB"):
        expect(rows.nth(1)).to_contain_text(words)
    expect(rows.nth(2)).to_contain_text("no longer allowed")
    expect(sheet.get_by_role("list", name="Refused calls")).to_contain_text("telemetry.example.com 2 times")
    expect(sheet.get_by_text("It goes by the proxy")).to_contain_text("it is no call of Outrider's")
    expect(sheet.get_by_text("Your passphrase and recovery code.")).to_be_visible()
    assert in_both_themes(sheet) == []
    store.calls = CALLS.model_copy(update={"hosts": [], "refused": []})
    sheet.get_by_role("button", name="Refresh").click()
    expect(sheet.get_by_text("Nothing leaves this machine.")).to_be_visible()


def a_key_is_written_tested_forgotten_and_never_shown(store: SharedStoreRoutes, sheet: Page) -> None:
    """Not in the page, its fields, its address or its storage."""
    server = ModelServer()
    try:
        connection = {
            "id": "m1", "name": "Workbench", "provider": "other", "base_url": f"{server.url}/v1", "plain_http": False,
            "model": "tiny-1", "mode": "json_object", "max_output_tokens": 512, "context_tokens": 8_192,
            "connect_timeout_ms": 5_000,
            "first_token_timeout_ms": 5_000, "idle_timeout_ms": 5_000, "total_timeout_ms": 20_000,
            "price_in": 0, "price_out": 0, "key": "canary",
        }  # fmt: skip
        assert store.app.ask("/api/models", {"connection": connection}).status == 200
        go(sheet, "keys")
        expect(sheet.get_by_text("No keys yet.")).to_be_visible()
        form = sheet.get_by_role("form", name="New key")
        form.get_by_label("Name").fill("Not A Name")
        form.get_by_label("Value").fill(SECRET)
        expect(form.get_by_label("Value")).to_have_attribute("type", "password")
        sheet.keyboard.press("Enter")
        expect(form.get_by_text("A lower-case letter, then letters, digits and underscores")).to_be_visible()
        form.get_by_label("Name").fill("canary")
        sheet.keyboard.press("Enter")
        expect(sheet.get_by_text("The key “canary” was saved.")).to_be_visible()
        assert store.asked == [("/keys/canary", {"kind": "llm_provider", "secret": SECRET})]
        nowhere(sheet, SECRET)
        assert in_both_themes(sheet) == []

        server.acts.append(401)
        sheet.get_by_role("button", name="Test canary").click()
        line = sheet.get_by_test_id("key").filter(has_text="canary")
        expect(line.get_by_role("status")).not_to_be_empty()

        sheet.get_by_role("button", name="Replace canary").click()
        value = sheet.get_by_label("New value")
        expect(value).to_be_focused()
        expect(value).to_have_value("")
        value.fill(SECRET + "-new")
        sheet.keyboard.press("Enter")
        expect(value).to_have_count(0)
        nowhere(sheet, SECRET)

        sheet.get_by_role("button", name="Forget canary").click()
        expect(sheet.get_by_role("button", name="Forget it")).to_be_focused()
        sheet.keyboard.press("Enter")
        expect(sheet.get_by_text("No keys yet.")).to_be_visible()
    finally:
        server.close()


def forgotten_with_a_kit(store: SharedStoreRoutes, sheet: Page) -> None:
    """The recovery kit is the way that is left."""
    store.vault, store.kit = replace(VAULT, state="locked", needs="passphrase"), True
    sheet.reload()
    form = sheet.get_by_role("form", name="Unlock the keys")
    form.get_by_label("Passphrase").fill("not this one")
    assert too_wide(sheet) == []
    sheet.keyboard.press("Enter")
    way, anew = (sheet.get_by_role("button", name=name) for name in ("Use the recovery kit", "Start a new vault…"))
    expect(way).to_have_count(1)
    way.press("Enter")
    expect(anew).to_have_count(1)
    passphrase = form.get_by_label("The kit's passphrase")
    expect(passphrase).to_be_focused()
    assert too_wide(sheet) == []
    # Neither of the two: the way back, and a new vault.
    sheet.keyboard.type("not this one")
    form.get_by_label("Recovery code").fill(RECOVERY)
    sheet.keyboard.press("Enter")
    expect(form.get_by_role("alert")).to_contain_text("The passphrase is wrong.")
    form.get_by_role("button", name="Use the passphrase").press("Enter")
    expect(form.get_by_label("Recovery code")).to_have_count(0)
    expect(form.get_by_label("Passphrase")).to_be_focused()
    sheet.keyboard.type("not this one")
    sheet.keyboard.press("Enter")
    way.press("Enter")
    expect(passphrase).to_be_focused()
    sheet.keyboard.type(PASSPHRASE)
    form.get_by_label("Recovery code").fill(RECOVERY)
    sheet.keyboard.press("Enter")
    expect(form).to_have_count(0)
    assert store.asked[-1] == ("/vault/unlock", {"passphrase": PASSPHRASE, "code": RECOVERY})


def lost_on_a_device_that_never_opened_it(store: SharedStoreRoutes, sheet: Page) -> None:
    """What is left is said before anything is typed: another device, or a new vault and what that gives up."""
    store.key("openai", "locked")
    store.vault, store.kit = replace(VAULT, state="locked", needs="passphrase_and_code"), True
    sheet.reload()
    form = sheet.get_by_role("form", name="Unlock the keys")
    expect(sheet.get_by_text("If the keys are open on another device, make a new recovery kit there.")).to_be_visible()
    sheet.get_by_role("button", name="Start a new vault…").press("Enter")
    fresh = sheet.get_by_role("form", name="A new vault")
    for lost in ("Given up, on all your devices: openai.", "The recovery kit stops working", "cannot be undone"):
        expect(fresh).to_contain_text(lost)
    assert in_both_themes(sheet) == []
    fresh.get_by_label("New passphrase").fill(PASSPHRASE)
    fresh.get_by_label("Once more").fill(PASSPHRASE)
    fresh.get_by_role("button", name="Forget the old keys").press("Enter")
    expect(form).to_have_count(0)
    assert store.asked[-1] == ("/vault/anew", {"passphrase": PASSPHRASE})
    del store.keys["openai"]


def forgotten_without_a_kit(store: SharedStoreRoutes, sheet: Page) -> None:
    """A new vault is the way that is left, and the old keys are gone."""
    store.vault, store.kit = replace(VAULT, state="locked", needs="passphrase"), False
    sheet.reload()
    form = sheet.get_by_role("form", name="Unlock the keys")
    form.get_by_label("Passphrase").fill("not this one")
    sheet.keyboard.press("Enter")
    way, anew = (sheet.get_by_role("button", name=name) for name in ("Use the recovery kit", "Start a new vault…"))
    expect(way).to_have_count(0)
    anew.press("Enter")
    fresh = sheet.get_by_role("form", name="A new vault")
    expect(fresh).to_contain_text("This cannot be undone.")
    assert too_wide(sheet) == []
    assert in_both_themes(sheet) == []
    fresh.get_by_label("New passphrase").fill(PASSPHRASE)
    fresh.get_by_label("Once more").fill(PASSPHRASE)
    fresh.get_by_role("button", name="Forget the old keys").press("Enter")
    expect(form).to_have_count(0)
    assert store.asked[-1] == ("/vault/anew", {"passphrase": PASSPHRASE})


def no_keychain(store: SharedStoreRoutes, sheet: Page) -> None:
    """A passphrase is chosen before anything is sealed."""
    why = "This machine has no keychain, so a passphrase protects what is secret here."
    store.vault = replace(VAULT, state="none", needs="passphrase", problem=why)
    go(sheet, "keys")
    sheet.reload()  # what was read a moment ago is not read again
    form = sheet.get_by_role("form", name="A passphrase for this machine")
    expect(form.get_by_text(why)).to_be_visible()
    expect(sheet.get_by_role("form", name="New key")).to_have_count(0)
    go(sheet, "sync")
    expect(sheet.get_by_label("Project URL")).to_be_visible()
    form.get_by_label("New passphrase").fill(PASSPHRASE)
    form.get_by_label("Once more").fill(PASSPHRASE)
    sheet.keyboard.press("Enter")
    expect(form).to_have_count(0)
    nowhere(sheet, PASSPHRASE)
    go(sheet, "keys")
    expect(sheet.get_by_role("form", name="New key")).to_be_visible()


def test_keys_are_written_and_never_shown_and_locked_ones_are_asked_for_with_a_way_whatever_is_missing(
    store: SharedStoreRoutes, sheet: Page
) -> None:
    a_key_is_written_tested_forgotten_and_never_shown(store, sheet)
    what_leaves_is_shown(store, sheet)
    store.vault = replace(VAULT, state="locked", needs="passphrase_and_code")
    sheet.reload()
    form = sheet.get_by_role("form", name="Unlock the keys")
    form.get_by_label("Recovery code").fill(RECOVERY)
    form.get_by_label("Passphrase").fill("not this one")
    sheet.keyboard.press("Enter")
    expect(form.get_by_role("alert")).to_contain_text("The passphrase is wrong.")
    expect(form.get_by_label("Passphrase")).to_be_focused()
    assert in_both_themes(sheet) == []
    form.get_by_label("Passphrase").fill(PASSPHRASE)
    sheet.keyboard.press("Enter")
    expect(form).to_have_count(0)
    nowhere(sheet, PASSPHRASE)
    assert store.asked[-1] == ("/vault/unlock", {"passphrase": PASSPHRASE, "code": RECOVERY})
    lost_on_a_device_that_never_opened_it(store, sheet)
    forgotten_with_a_kit(store, sheet)
    forgotten_without_a_kit(store, sheet)
    no_keychain(store, sheet)
