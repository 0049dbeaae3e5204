"""Connecting a model, trying it, letting it propose in a campaign, and seeing what that cost."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from backend.app.wiring import open_workspace
from backend.machine.settings import read_settings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.e2e.conftest import Start
from tests.e2e.test_campaigns import onward
from tests.fakes.model_server import ModelServer, names_listed

KEY = "sk-canary-90b2"
PASSPHRASE = "lantern gravel otter nine"


def connect(sheet: Page, server: ModelServer) -> None:
    """From a preset to a connection, with what is wrong on the way."""
    sheet.get_by_role("button", name="Own address Anything").click()
    form = sheet.get_by_role("form", name="Connection")
    form.get_by_role("button", name="Save and test").click()
    expect(form.get_by_text("An address beginning with https://")).to_be_visible()
    form.get_by_label("Name", exact=True).fill("Workbench")
    form.get_by_role("combobox", name="Model").fill("tiny-1")
    form.get_by_label("Address").fill("http://10.0.0.5:8000/v1")
    expect(form.get_by_text("This server is on my own network.")).to_be_visible()
    form.get_by_label("Address").fill(f"{server.url}/v1")
    expect(form.get_by_text("This server is on my own network.")).to_be_hidden()
    form.get_by_label("Key name").fill("canary")
    expect(form.locator("[data-prices]")).to_contain_text("Prices are left open.")
    form.get_by_label("Price in").fill("3")
    form.get_by_label("Price out").fill("15")
    form.get_by_role("button", name="Save and test").click()
    expect(sheet.get_by_text("no campaign uses it")).to_be_visible()
    expect(sheet.get_by_role("listitem", name="Workbench")).to_be_focused()


def begin_with_it(sheet: Page, url: str) -> None:
    """The wizard, as far as its last step."""
    sheet.goto(url + "#/new")
    sheet.get_by_label("later").check()
    onward(sheet, "Goal")
    sheet.get_by_label("Name").fill("Autumn talks")
    sheet.get_by_label("What you want from them").fill("Careful outreach")
    sheet.get_by_role("radio", name="Workbench").check()
    expect(sheet.get_by_text("tiny-1 at 127.0.0.1 writes each message")).to_be_visible()
    onward(sheet, "Sequence")
    onward(sheet, "Limits and hours")
    sheet.get_by_label("Steps").get_by_role("button", name="Goal").click()
    expect(sheet.get_by_role("radio", name="Workbench")).to_be_checked()


def remove_and_undo(sheet: Page) -> None:
    """Removed by mistake, and back."""
    sheet.get_by_role("button", name="Remove Workbench").click()
    expect(sheet.get_by_text("No model is connected.")).to_be_visible()
    sheet.get_by_role("button", name="Undo").click()
    expect(sheet.get_by_role("button", name="Test Workbench")).to_be_visible()


def test_a_model_is_connected_tried_and_proposes(
    start: Start,
    sheet: Page,
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OUTRIDER_KEY_CANARY", KEY)
    with open_workspace(read_settings(data_dir=tmp_path / "data")) as workspace:
        campaign = find_or_create_rehearsal(workspace, None, None)
    outrider = start()
    outrider.enter(sheet, "#/settings/models")
    expect(sheet.get_by_text("No model is connected.")).to_be_visible()
    connect(sheet, server)

    # A trial tells in words, whatever happens.
    server.acts.append(401)
    sheet.get_by_role("button", name="Test Workbench").click()
    expect(sheet.get_by_text("127.0.0.1 refused the key.", exact=True)).to_be_visible()
    sheet.get_by_role("button", name="Test Workbench").click()
    expect(sheet.get_by_text("It works, and its replies have the right format.", exact=True)).to_be_visible()
    sheet.get_by_role("button", name="Change Workbench").click()
    expect(sheet.get_by_text("Given by the environment variable OUTRIDER_KEY_CANARY")).to_be_visible()
    expect(sheet.get_by_label("Key", exact=True)).to_be_disabled()
    sheet.get_by_role("button", name="Cancel").click()

    remove_and_undo(sheet)

    # A new campaign may begin with it.
    sheet.goto(outrider.url + "#/settings/privacy")
    expect(sheet.get_by_role("region", name="Hosts").get_by_role("row").filter(has_text="127.0.0.1")).to_be_visible()

    begin_with_it(sheet, outrider.url)

    # A campaign changes over at its next step; it has not begun, so nothing but that step happens.
    sheet.goto(f"{outrider.url}#/campaigns/{campaign}/run")
    expect(sheet.get_by_role("button", name="Step once")).to_be_enabled()
    expect(sheet.get_by_test_id("cost")).to_be_hidden()
    sheet.goto(f"{outrider.url}#/campaigns/{campaign}/setup")
    sheet.get_by_label("Who writes").select_option(label="Workbench")
    expect(sheet.get_by_text("From the next step on: Workbench.")).to_be_visible()
    sheet.get_by_label("Use the model for every step").check()
    asked = len(server.requests)
    sheet.goto(f"{outrider.url}#/campaigns/{campaign}/run")
    sheet.get_by_role("button", name="Step once").click()
    card = sheet.get_by_test_id("turn-card")
    expect(card.get_by_text("tiny-1")).to_be_visible()
    expect(card.get_by_text("400 tokens in")).to_be_visible()
    cost = sheet.get_by_test_id("cost")
    expect(cost.get_by_text("1 reply")).to_be_visible()
    expect(cost.get_by_text("of $5.00")).to_be_visible()
    assert len(server.requests) == asked + 1
    assert KEY not in sheet.content()
    assert outrider.end() == 0
    assert KEY not in "".join(capfd.readouterr())
    content = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert KEY.encode() not in content


def a_known_price_is_proposed(sheet: Page) -> None:
    """With its day; and a given one stays."""
    sheet.get_by_role("button", name="OpenAI Hosted").click()
    form = sheet.get_by_role("form", name="Connection")
    model, prices, price_in = (
        form.get_by_role("combobox", name="Model"),
        form.locator("[data-prices]"),
        form.get_by_label("Price in"),
    )
    model.fill("gpt-4.1")
    expect(prices).to_contain_text("Proposed, check it: gpt-4.1 cost $2.00 in and $8.00 out")
    expect(price_in).to_have_value("2")
    model.fill("gpt-unheard-of")
    expect(prices).to_contain_text("Prices are left open.")
    expect(price_in).to_have_value("")
    price_in.fill("9")
    model.fill("gpt-4.1-mini")
    expect(price_in).to_have_value("9")
    expect(prices).not_to_contain_text("Proposed")
    form.get_by_role("button", name="Cancel").click()


def kept_but_for_its_secrets(sheet: Page, server: ModelServer) -> None:
    """A form that was left, for another section or for the wizard."""
    form = begin_model(sheet, server)
    form.get_by_label("Key", exact=True).fill(KEY)
    sheet.get_by_role("navigation", name="Settings").get_by_role("link", name="Keys").click()
    expect(form).to_have_count(0)
    sheet.get_by_role("navigation", name="Settings").get_by_role("link", name="Models").click()
    expect(form.get_by_label("Name", exact=True)).to_have_value("Workbench")
    expect(form.get_by_label("Address")).to_have_value(f"{server.url}/v1")
    expect(form.get_by_label("Key", exact=True)).to_have_value("")
    expect(form).to_contain_text("Your entries were kept, but not the key or passphrase")
    stored = sheet.evaluate("() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert "Workbench" not in stored
    assert KEY not in stored

    # The wizard opens on its own first field, whatever was left elsewhere.
    sheet.evaluate("location.hash = '#/new'")
    expect(sheet.get_by_role("button", name="Choose a file…")).to_be_focused()
    sheet.get_by_label("later").check()
    onward(sheet, "Goal")
    expect(sheet.get_by_label("Name", exact=True)).to_be_focused()
    sheet.get_by_role("button", name="Connect a model").click()
    expect(form.get_by_label("Name", exact=True)).to_have_value("Workbench")
    sheet.evaluate("location.hash = '#/settings/models'")
    expect(form.get_by_label("Name", exact=True)).to_have_value("Workbench")


def test_a_model_is_chosen_from_the_list_of_its_server_and_a_form_that_was_left_is_kept(
    start: Start, sheet: Page, server: ModelServer
) -> None:
    outrider = start()
    outrider.enter(sheet, "#/settings/models")
    a_known_price_is_proposed(sheet)
    kept_but_for_its_secrets(sheet, server)
    form = sheet.get_by_role("form", name="Connection")
    form.get_by_label("Key name").fill("")
    model, ask = form.get_by_role("combobox", name="Model"), form.get_by_role("button", name="List models")
    model.fill("my-own")
    assert server.listed == [], "nobody is asked before the user wants it"

    server.listing = (401, {}, [])
    ask.click()
    expect(form.get_by_label("Key name")).to_be_focused()
    expect(form.get_by_role("alert").filter(has_text="127.0.0.1 refused the key.")).to_be_visible()
    form.get_by_label("Key name").fill("canary")
    expect(form.get_by_text("127.0.0.1 refused the key.")).to_have_count(0)
    form.get_by_label("Key name").fill("")

    server.listing = (404, {}, [])
    ask.click()
    expect(model).to_be_focused()
    expect(form.get_by_role("alert").filter(has_text="does not say which models it offers")).to_be_visible()
    expect(model).to_have_value("my-own")

    server.listing = names_listed(*(f"big-{number:03}" for number in range(80)), "tiny\u200b-0", "tiny-1", "tiny-2")
    ask.click()
    offered = form.get_by_role("list", name="Models offered")
    expect(offered.get_by_role("button")).to_have_count(50)
    expect(offered).to_contain_text("33 more")
    expect(form.get_by_role("status")).to_have_text("83 models offered.")
    model.fill("tiny")
    expect(offered.get_by_role("button")).to_have_text(["tiny-1", "tiny-2", "tiny[U+200B]-0"])
    model.press("ArrowDown")
    sheet.keyboard.press("ArrowDown")
    sheet.keyboard.press("Enter")
    expect(model).to_have_value("tiny-2")
    expect(model).to_be_focused()
    expect(offered).to_have_count(0)
    model.press("ArrowDown")
    expect(offered).to_be_visible()
    sheet.keyboard.press("Escape")
    expect(offered).to_have_count(0)
    size = sheet.viewport_size
    assert size is not None
    sheet.set_viewport_size({"width": 320, "height": 900})
    assert form.evaluate("one => one.scrollWidth <= one.clientWidth"), "nothing of the form is cut off"
    sheet.set_viewport_size(size)
    model.press("Enter")
    row = sheet.get_by_role("listitem", name="Workbench")
    expect(row).to_contain_text("It works, and its replies have the right format.")
    assert server.requests[-1][2]["model"] == "tiny-2"


def begin_model(sheet: Page, server: ModelServer) -> Locator:
    """A form in which all but the secrets is filled in."""
    sheet.get_by_role("button", name="Own address Anything").click()
    form = sheet.get_by_role("form", name="Connection")
    expect(form.get_by_label("Name", exact=True)).to_be_focused()
    form.get_by_label("Name", exact=True).fill("Workbench")
    form.get_by_label("Key name").fill("canary")
    form.get_by_role("combobox", name="Model").fill("tiny-1")
    form.get_by_label("Address").fill(f"{server.url}/v1")
    return form


def fill_secrets(form: Locator) -> None:
    """The key, and a vault's first passphrase."""
    form.get_by_label("Key", exact=True).fill(KEY)
    form.get_by_label("New passphrase").fill(PASSPHRASE)
    form.get_by_label("Once more").fill(PASSPHRASE)


def test_one_press_creates_the_vault_saves_the_key_and_tests_the_model(
    start: Start, sheet: Page, server: ModelServer
) -> None:
    outrider = start()
    outrider.enter(sheet, "#/settings/models")
    form = begin_model(sheet, server)
    key, save = form.get_by_label("Key", exact=True), form.get_by_role("button", name="Save and test")
    key.fill(KEY)
    save.click()
    expect(form.get_by_label("New passphrase")).to_be_focused()
    form.get_by_label("New passphrase").fill(PASSPHRASE)
    form.get_by_label("Once more").fill(PASSPHRASE[:-1])
    save.click()
    expect(form.get_by_label("Once more")).to_be_focused()
    expect(key).to_have_value(KEY)
    assert server.requests == []

    # The key is refused: what was done is told, and the form stays.
    form.get_by_label("Once more").fill(PASSPHRASE)
    server.acts.append(401)
    form.get_by_label("Once more").press("Enter")
    outcome = form.locator("[data-outcome]")
    expect(outcome).to_contain_text("The vault was created. The model was saved. The key was saved.")
    expect(outcome).to_contain_text("127.0.0.1 refused the key.")
    expect(outcome).to_be_focused()
    expect(form.get_by_label("New passphrase")).to_have_count(0)
    expect(form.get_by_text("Saved in the vault.")).to_be_visible()

    # It is kept, and is not taken for one that works, not in the wizard and not after the page is loaded again.
    sheet.reload()
    expect(sheet.get_by_role("listitem", name="Workbench")).to_contain_text(
        "The last test failed: 127.0.0.1 refused the key."
    )
    sheet.get_by_role("button", name="Change Workbench").click()

    save.click()
    row = sheet.get_by_role("listitem", name="Workbench")
    expect(row).to_be_focused()
    expect(row).to_contain_text("It works, and its replies have the right format.")
    expect(sheet.get_by_role("status").filter(has_text="Workbench was saved. It works")).to_have_count(1)
    expect(form).to_have_count(0)
    assert server.requests[-1][1]["authorization"] == f"Bearer {KEY}"

    row.get_by_role("button", name="Test Workbench").click()
    expect(row.locator("[data-trial]")).to_be_focused()
    expect(sheet.get_by_role("status").filter(has_text="Workbench: It works")).to_have_count(1)


def test_a_model_is_connected_within_a_new_campaign_and_a_failed_step_loses_nothing(
    start: Start, sheet: Page, server: ModelServer
) -> None:
    outrider = start()
    outrider.enter(sheet, "#/new")
    sheet.get_by_label("later").check()
    onward(sheet, "Goal")
    sheet.get_by_label("What you want from them").fill("Careful outreach")
    sheet.get_by_role("button", name="Connect a model").click()
    form = begin_model(sheet, server)
    fill_secrets(form)

    # A step of saving that fails loses nothing that was typed.
    failure = {"code": "database_busy", "sentence": "It is busy.", "remedy": "Try again."}
    sheet.route("**/api/models/*/key", lambda route: route.fulfill(status=409, json=failure))
    form.get_by_role("button", name="Save and test").click()
    expect(form.get_by_label("Key", exact=True)).to_be_focused()
    expect(form.get_by_role("alert").filter(has_text="It is busy. Try again.")).to_be_visible()
    expect(form).to_contain_text("The vault was created. The model was saved. The key was not saved.")
    expect(form.get_by_label("Key", exact=True)).to_have_value(KEY)
    expect(form.get_by_role("combobox", name="Model")).to_have_value("tiny-1")
    sheet.unroute("**/api/models/*/key")
    form.get_by_role("button", name="Save and test").click()
    chosen = sheet.get_by_role("radio", name="Workbench")
    expect(chosen).to_be_focused()
    expect(chosen).to_be_checked()
    expect(sheet.get_by_role("status").filter(has_text="The model works")).to_have_count(1)
    expect(sheet.get_by_label("What you want from them")).to_have_value("Careful outreach")
    expect(form).to_have_count(0)
