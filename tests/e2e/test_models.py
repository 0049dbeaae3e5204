"""Connecting a model, trying it, letting it propose in a campaign, and seeing what that cost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Start, StartProcess
from tests.e2e.test_campaigns import onward
from tests.fakes.model_server import ModelServer

KEY = "sk-canary-90b2"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


def connect(sheet: Page, server: ModelServer) -> None:
    """From a preset to a connection, with what is wrong on the way."""
    sheet.get_by_role("button", name="Other Anything").click()
    form = sheet.get_by_role("form", name="Connection")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("An address beginning with https://")).to_be_visible()
    form.get_by_label("Name", exact=True).fill("Workbench")
    form.get_by_label("Model").fill("tiny-1")
    form.get_by_label("Address").fill("http://10.0.0.5:8000/v1")
    expect(form.get_by_text("This server is on my own network.")).to_be_visible()
    form.get_by_label("Address").fill(f"{server.url}/v1")
    expect(form.get_by_text("This server is on my own network.")).to_be_hidden()
    form.get_by_label("Key name").fill("canary")
    form.get_by_label("Price in").fill("3")
    form.get_by_label("Price out").fill("15")
    form.get_by_role("button", name="Save").click()
    expect(sheet.get_by_text("no campaign uses it")).to_be_visible()


def begin_with_it(sheet: Page, url: str) -> None:
    """The wizard, as far as its last step."""
    sheet.goto(url + "#/new")
    sheet.get_by_label("Name").fill("Autumn talks")
    sheet.get_by_label("What it is about").fill("Careful outreach")
    sheet.get_by_role("radio", name="Workbench").check()
    expect(sheet.get_by_text("tiny-1 at 127.0.0.1 writes each message")).to_be_visible()
    onward(sheet, "Leads")
    sheet.get_by_label("later").check()
    onward(sheet, "Sequence")
    onward(sheet, "Review")
    expect(sheet.get_by_role("definition").filter(has_text="Workbench")).to_be_visible()


def remove_and_undo(sheet: Page) -> None:
    """Removed by mistake, and back."""
    sheet.get_by_role("button", name="Remove Workbench").click()
    expect(sheet.get_by_text("No model is connected.")).to_be_visible()
    sheet.get_by_role("button", name="Undo").click()
    expect(sheet.get_by_role("button", name="Test Workbench")).to_be_visible()


def test_a_model_is_connected_tried_and_proposes(
    start_process: StartProcess, sheet: Page, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTRIDER_KEY_CANARY", KEY)
    outrider = start_process()
    outrider.enter(sheet, "#/settings/models")
    expect(sheet.get_by_text("No model is connected.")).to_be_visible()
    connect(sheet, server)

    # A trial tells in words, whatever happens.
    server.acts.append(401)
    sheet.get_by_role("button", name="Test Workbench").click()
    expect(sheet.get_by_text("127.0.0.1 refused the key.")).to_be_visible()
    sheet.get_by_role("button", name="Test Workbench").click()
    expect(sheet.get_by_text("It works, and its replies have the right format.")).to_be_visible()
    sheet.get_by_role("button", name="Change Workbench").click()
    expect(sheet.get_by_text("Given by the environment variable OUTRIDER_KEY_CANARY")).to_be_visible()
    expect(sheet.get_by_label("Key", exact=True)).to_be_disabled()
    sheet.get_by_role("button", name="Cancel").click()

    remove_and_undo(sheet)

    # A new campaign may begin with it.
    sheet.goto(outrider.url + "#/settings/privacy")
    expect(sheet.get_by_role("region", name="Hosts").get_by_role("row").filter(has_text="127.0.0.1")).to_be_visible()

    begin_with_it(sheet, outrider.url)

    # A running campaign changes over at its next turn.
    sheet.goto(outrider.url + "#/")
    sheet.get_by_role("button", name="Start the rehearsal").click()
    sheet.get_by_role("button", name="Stop", exact=True).click()
    expect(sheet.get_by_role("button", name="Step once")).to_be_enabled()
    campaign = sheet.url.partition("#/campaigns/")[2].partition("/")[0]
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
    assert KEY not in "".join(outrider.said)
    kept = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    assert KEY.encode() not in kept


def test_a_key_that_cannot_be_stored_yet_stays_in_the_form(start: Start, sheet: Page, server: ModelServer) -> None:
    outrider = start()
    outrider.enter(sheet, "#/settings/models")
    sheet.get_by_role("button", name="Other Anything").click()
    form = sheet.get_by_role("form", name="Connection")
    name = form.get_by_label("Name", exact=True)
    expect(name).to_be_focused()
    form.get_by_label("Key name").fill("canary")
    form.get_by_label("Key", exact=True).fill(KEY)
    form.get_by_label("Model").fill("tiny-1")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_label("Address")).to_be_focused()
    form.get_by_label("Address").fill(f"{server.url}/v1")
    form.get_by_role("button", name="Save").click()
    expect(sheet.get_by_role("alert").filter(has_text="Settings, Keys")).to_be_visible()  # there is no vault yet
    expect(form.get_by_label("Key", exact=True)).to_have_value(KEY)
