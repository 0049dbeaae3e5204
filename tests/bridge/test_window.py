"""The real pywebview window: it opens, it is ours, page script reaches nothing but the named function, it closes cleanly."""

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import webview
from playwright.sync_api import Page, Playwright, expect

from backend.api.native import functions
from backend.domain.values.errors import OutriderError
from bridge import window as window_module
from tests.bridge.opened import Opened, looking_into, opened
from tests.bridge.screen import until
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the debugging port is Qt's")

REACH = """async names => {
  const reached = [];
  for (const name of names) {
    const answer = new Promise(resolve => {
      window.pywebview._returnValuesCallbacks[name] = { probe: value => resolve('answer') };
    });
    window.pywebview._jsApiCallback(name, [], 'probe');
    const said = await Promise.race([answer, new Promise(resolve => setTimeout(() => resolve('silence'), 250))]);
    reached.push(name + ': ' + said);
  }
  return reached;
}"""


@contextmanager
def listening() -> Iterator[socket.socket]:
    """Another server of this machine, which gives up soon where nobody comes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        yield server


def test_the_window_is_our_page_s_alone_and_is_found_by_a_second_start(tmp_path: Path, playwright: Playwright) -> None:
    with opened(tmp_path / "data") as window:
        with looking_into(window, playwright) as page:
            expect(page.get_by_role("button", name="Start the rehearsal")).to_be_visible()
            expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
            token = gets_the_token_without_a_code(window, page)
            script_reaches_nothing_else_of_python(page)
            goes_nowhere_but_to_our_page(page)
            page.reload()
            expect(page.get_by_role("button", name="Start the rehearsal")).to_be_visible()
        second = Opened(tmp_path / "data", tmp_path / "second.txt")
        status, output = second.ended()
        assert status == 0, second.errors.read_text()
        assert output.splitlines()[1] == "Its window is in front now."
        status, output = window.end()
        assert status == 0
    assert token not in output + window.errors.read_text()
    assert "ode" not in output, "a window needs no code in the terminal"
    assert not (tmp_path / "data" / "instance.json").exists()


def gets_the_token_without_a_code(window: Opened, page: Page) -> str:
    """By the one function for it, and keeps it nowhere; the token."""
    names = page.evaluate("Object.keys(window.pywebview.api)")
    assert names == [row.name for row in functions()]
    token = str(page.evaluate("window.pywebview.api.outrider_token().then(answer => answer.value)"))
    assert len(token) == 43
    stored = page.evaluate(
        "[location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage),"
        " document.documentElement.outerHTML].join()"
    )
    assert token not in stored
    command_line = Path(f"/proc/{window.process.pid}/cmdline").read_text()
    assert token not in command_line
    assert token not in Path(f"/proc/{window.process.pid}/environ").read_text()
    return token


def script_reaches_nothing_else_of_python(page: Page) -> None:
    """Nor a file."""
    names = ["_functions", "window", "evaluate_js", "outrider_token.__globals__", "native", "close"]
    assert page.evaluate(REACH, names) == [f"{name}: silence" for name in names]
    assert page.evaluate(REACH, ["outrider_token"]) == ["outrider_token: answer"], "the probe itself works"
    assert page.evaluate("fetch('file:///etc/hostname').then(() => 'read', () => 'refused')") == "refused", (
        "the page may not read files"
    )


def goes_nowhere_but_to_our_page(page: Page) -> None:
    """Neither to another server nor to a file or a program."""
    with listening() as other_server:
        address = page.url
        other = f"http://127.0.0.1:{other_server.getsockname()[1]}/"
        for elsewhere in (other, address.replace("127.0.0.1", "localhost"), "file:///etc/hostname", "mailto:a@b.org"):
            page.evaluate("elsewhere => { location.href = elsewhere; }", elsewhere)
            with pytest.raises(TimeoutError):
                other_server.accept()
            assert page.evaluate("location.href") == address
        expect(page.get_by_role("button", name="Start the rehearsal")).to_be_visible()


def test_a_window_that_cannot_be_guarded_is_closed_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pywebview itself would log it and show the window."""
    closed = threading.Event()

    def cannot_guard(*_: object) -> None:
        raise AttributeError("on_new_window_request")

    def start(**_: object) -> None:
        (made,) = webview.windows
        made._initialize(SimpleNamespace(renderer="none", destroy_window=lambda _: closed.set()))
        made.events.before_show.set()
        made.events.shown.set()
        assert closed.wait(PATIENCE), "it is shown without a guard"

    system = SimpleNamespace(start=lambda place: place, before_pages=lambda _: None, window_created=cannot_guard)
    monkeypatch.setattr(window_module, "_system", lambda: system)
    monkeypatch.setattr(webview, "windows", [])
    monkeypatch.setattr(webview, "start", start)
    with pytest.raises(OutriderError) as refused:
        window_module.Window("http://127.0.0.1:5000", tmp_path).show()
    assert refused.value.code == "window_unguarded"
    assert "on_new_window_request" in refused.value.sentence


def test_an_answer_to_a_page_that_is_gone_keeps_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pywebview waits for the page to take it, for ever if the window closes meanwhile."""
    taken, waiting = threading.Event(), list[threading.Thread]()

    def wait_for_the_page(_: str) -> None:
        waiting.append(threading.current_thread())
        taken.wait(PATIENCE)

    monkeypatch.setattr(window_module, "_system", lambda: SimpleNamespace(start=lambda place: place))
    monkeypatch.setattr(webview, "windows", [])
    window_module.Window("http://127.0.0.1:5000", tmp_path)
    (made,) = webview.windows
    monkeypatch.setattr(made, "run_js", wait_for_the_page)
    made.evaluate_js("answer()")
    until(lambda: waiting, "the answer is on its way")
    assert waiting[0].daemon
    taken.set()
