"""Files in and out in a plain browser: `frontend/src/lib/desktop/files.ts` itself, against the real server."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask, Response
from playwright.sync_api import Page, expect

from backend.api.exports import Export, send_download
from backend.domain.events.events import WORKSPACE
from backend.domain.values.errors import OutriderError
from tests.api.app import App, running

FRONTEND = Path(__file__).parents[2] / "frontend"
SCRIPT = """
import { pickFile, saveExport, uploadFile } from "%(lib)s/desktop/files";
import { copyText, openLink } from "%(lib)s/desktop/system";
import { keepToken } from "%(lib)s/api/token";
Object.assign(window, { pickFile, saveExport, uploadFile, copyText, openLink, keepToken });
"""
BUILD = """
import { build } from "vite";
const [root, outDir] = process.argv.slice(1);
await build({ configFile: false, logLevel: "error", root, build: { outDir } });
"""
ROWS = "name\nAda\n" * 100_000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of nothing but these functions."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "main.ts").write_text(SCRIPT % {"lib": (FRONTEND / "src" / "lib").as_posix()})
    (folder / "index.html").write_text('<!doctype html><title>x</title><script type="module" src="./main.ts"></script>')
    command = ["node", "--input-type=module", "-e", BUILD, str(folder), str(folder / "out")]
    subprocess.run(command, cwd=FRONTEND, check=True)
    return folder / "out"


@pytest.fixture
def app(tmp_path: Path, built: Path) -> Iterator[App]:
    with running(tmp_path / "data", built) as app:
        flask, services = app.server.app, app.launch.services
        assert isinstance(flask, Flask)

        def export() -> Response:
            return send_download(services, WORKSPACE, Export([ROWS.encode()], "Läds.csv", "text/csv"))

        def broken() -> Response:
            raise OutriderError("campaign_unknown", campaign="c")

        flask.add_url_rule("/api/whole/export", "whole", export)
        flask.add_url_rule("/api/broken/export", "broken", broken)
        yield app


@pytest.fixture
def page(app: App, sheet: Page) -> Page:
    sheet.goto(app.origin + "/")
    sheet.wait_for_function("() => 'keepToken' in window")
    sheet.evaluate("token => keepToken(token)", app.token)
    return sheet


def test_a_file_that_is_chosen_or_dropped_is_handed_over_unless_it_is_too_large(
    app: App, page: Page, tmp_path: Path
) -> None:
    leads = tmp_path / "Löads 🙂.csv"
    leads.write_text(ROWS)
    with page.expect_file_chooser() as chooser:
        page.evaluate("() => { pickFile('leads').then(offered => window.offered = offered); }")
    chooser.value.set_files(leads)
    offered = page.wait_for_function("() => window.offered").json_value()
    assert (offered["name"], offered["size"]) == ("Löads 🙂.csv", len(ROWS))
    assert app.launch.services.files.source(offered["ticket"]).path.read_text() == ROWS

    # One that is dropped; and one that is too large is refused before it is sent.
    offered = page.evaluate("() => uploadFile(new File(['a,b'], 'dropped.csv'))")
    assert app.launch.services.files.source(offered["ticket"]).path.read_bytes() == b"a,b"
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    large = "() => uploadFile(new File([new ArrayBuffer(65 << 20)], 'x')).catch(error => error.shape)"
    assert page.evaluate(large)["code"] == "request_too_large"
    assert sent == []


def test_an_export_is_downloaded_whole_or_says_why_not_and_links_and_the_clipboard_have_ways_of_their_own(
    page: Page, tmp_path: Path
) -> None:
    with page.expect_download() as download:
        written = page.evaluate("() => saveExport('/whole/export', 'Läds.csv')")
    assert written == {"name": "Läds.csv", "size": len(ROWS)}
    assert download.value.suggested_filename == "Läds.csv"
    download.value.save_as(tmp_path / "saved.csv")
    assert (tmp_path / "saved.csv").read_text() == ROWS

    # A failed one is a coded error and no file.
    downloads: list[object] = []
    page.on("download", lambda download: downloads.append(download))  # noqa: PLW0108 - Playwright wants a Python function
    error = page.evaluate("() => saveExport('/broken/export', 'x.csv').catch(error => error.shape)")
    assert error["code"] == "campaign_unknown"
    assert downloads == []

    with page.expect_popup() as opened:
        page.evaluate("() => openLink(location.origin + '/index.html')")
    assert opened.value.evaluate("window.opener") is None
    error = page.evaluate("() => openLink('javascript:alert(1)').catch(error => error.shape)")
    assert error["code"] == "link_refused"
    page.bring_to_front()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("() => copyText('copied 🙂')")
    assert page.evaluate("() => navigator.clipboard.readText()") == "copied 🙂"
    expect(page).to_have_title("x")

    # Without a server an export says so.
    page.context.set_offline(True)
    error = page.evaluate("() => saveExport('/whole/export', 'x.csv').catch(error => error.shape)")
    assert error["code"] == "not_reachable"
