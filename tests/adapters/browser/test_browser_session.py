"""What a browser session refuses, survives and never repeats."""

import contextlib
import os
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page

from backend.adapters.browser import session as session_module
from backend.adapters.browser.chromium import find_browser, holders
from backend.adapters.browser.session import BrowserSession, origin_of
from backend.domain.values.errors import OutriderError
from backend.ports.site import ActCalledOff, SiteUnavailable, unguarded
from backend.turn.recovery import LONGEST_ACT_SECONDS
from tests import posix
from tests.chromium import hidden_browser
from tests.kills import KILL
from tests.patience import PATIENCE

try:
    find_browser()
except OutriderError as missing:
    pytest.skip(missing.sentence, allow_module_level=True)

FORM = b"<h1>Form</h1><form method=post action=/post><input name=a value=b><button>Send</button></form>"


class Resetting:
    """A server that keeps connections alive, answers any GET with a form, and treats a post as it is told."""

    def __init__(self) -> None:
        self.posts: list[bytes] = []
        self.connections = 0
        self.hold = threading.Event()
        self.hold.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as asked, contextlib.suppress(OSError):
            while first := asked.readline():
                length = 0
                while (line := asked.readline().strip()) != b"":
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                if first.startswith(b"POST"):
                    self.posts.append(asked.read(length))
                    self.hold.wait(PATIENCE)
                    # The connection is reset without an answer, as by a crash.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(FORM)
                connection.sendall(head + FORM)

    def close(self) -> None:
        self.hold.set()
        self._listener.close()


@pytest.fixture
def server() -> Iterator[Resetting]:
    running = Resetting()
    yield running
    running.close()


def hidden_session(folder: Path, url: str) -> BrowserSession:
    """For what is about the session's start, end and driver; what the browser does by itself is seen in a whole one."""
    return BrowserSession("practice", folder / "profile", url, headless=True, timeout=PATIENCE, find=hidden_browser)


@pytest.fixture
def session(server: Resetting, tmp_path: Path) -> Iterator[BrowserSession]:
    started = hidden_session(tmp_path, server.url)
    yield started
    started.close()


@pytest.fixture(scope="module")
def shared_server() -> Iterator[Resetting]:
    running = Resetting()
    yield running
    running.close()


@pytest.fixture(scope="module")
def shared_session(shared_server: Resetting, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserSession]:
    """For what is about the page, and neither about the browser's start nor its end."""
    profile = tmp_path_factory.mktemp("shared") / "profile"
    started = BrowserSession("practice", profile, shared_server.url, headless=True, timeout=PATIENCE)
    yield started
    started.close()


def test_a_post_whose_connection_breaks_is_never_repeated(
    shared_session: BrowserSession, shared_server: Resetting
) -> None:
    session, server = shared_session, shared_server

    def send(page: Any) -> int:
        for _ in range(2):
            page.goto(f"{server.url}/form")
        return session.submit(page, page.get_by_role("button", name="Send").click, unguarded)

    for posts in (1, 2):
        with pytest.raises(SiteUnavailable):
            session.run(send)
        time.sleep(0.3)
        assert server.posts == [b"a=b"] * posts


def test_a_shared_browser_stays_open_until_its_last_user_has_closed_it(
    session: BrowserSession, server: Resetting
) -> None:
    for user in ("first", "second"):
        session.start(user)
    session.close("nobody")
    session.close("first")
    assert session.run(lambda page: page.goto(f"{server.url}/form") and session.starts) == 1
    session.close("second")
    session.start("third")
    assert session.starts == 2
    session.close("third")


def test_whoever_starts_while_the_last_user_closes_has_a_browser_of_their_own(session: BrowserSession) -> None:
    for number in range(2):
        session.start(number)
        closing = threading.Thread(target=session.close, args=(number,))
        closing.start()
        session.start(number + 1)
        closing.join(PATIENCE)
        assert session.run(lambda page: page.evaluate("1 + 1")) == 2
        session.close(number + 1)


def test_a_call_that_waits_for_another_users_call_does_not_break_it_off(server: Resetting, tmp_path: Path) -> None:
    session = BrowserSession("practice", tmp_path / "profile", server.url, headless=True, timeout=0.05)
    session.start("first")
    begun, over = threading.Event(), threading.Event()

    def long(_: Any) -> str:
        begun.set()
        return "whole" if over.wait(PATIENCE) else "late"

    with ThreadPoolExecutor(1) as other:
        first = other.submit(session.run, long)
        assert begun.wait(PATIENCE)
        with pytest.raises(SiteUnavailable, match="busy"):
            session.run_act(lambda page: page.evaluate("1 + 1"))
        over.set()
        assert first.result(PATIENCE) == "whole"
    session.close()


def test_neither_page_nor_post_goes_by_a_proxy_of_the_environment(
    server: Resetting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Resetting()
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    monkeypatch.setenv("no_proxy", "")
    monkeypatch.setenv("NODE_USE_ENV_PROXY", "1")
    session = BrowserSession("practice", tmp_path / "profile", server.url, headless=True, timeout=PATIENCE)

    def send(page: Any) -> int:
        page.goto(f"{server.url}/form")
        return session.submit(page, page.get_by_role("button", name="Send").click, unguarded)

    with pytest.raises(SiteUnavailable):
        session.run(send)
    session.close()
    assert (server.posts, proxy.posts, proxy.connections) == ([b"a=b"], [], 0)
    proxy.close()


def test_what_is_called_off_after_the_browsers_own_post_was_stopped_never_leaves(
    session: BrowserSession, server: Resetting
) -> None:
    def check(_: object = None) -> None:
        raise ActCalledOff("the machine slept")

    def send(page: Any) -> int:
        page.goto(f"{server.url}/form")
        return session.submit(page, page.get_by_role("button", name="Send").click, check)

    with pytest.raises(ActCalledOff):
        session.run_act(send)
    assert session.run(lambda page: page.goto(f"{server.url}/form") and page.title()) == ""
    session.close()
    assert server.posts == []


@pytest.mark.posix
@pytest.mark.skipif(sys.platform != "linux", reason="finds the driver in /proc")
@pytest.mark.parametrize("stopped", ["driver", "browser"])
@pytest.mark.parametrize("moment", ["before the click", "before the bytes"])
def test_a_driver_or_a_browser_that_is_stopped_in_mid_act_sends_nothing_when_it_goes_on(
    session: BrowserSession, server: Resetting, stopped: str, moment: str
) -> None:
    session.start()
    (browser,) = holders(session.profile)
    driver = int(Path(f"/proc/{browser.pid}/stat").read_text().rpartition(")")[2].split()[1])
    process = driver if stopped == "driver" else browser.pid
    before: list[list[bytes]] = []

    def stop() -> None:
        posix.stop(process)

    def check(_: object = None) -> None:
        if moment == "before the bytes":
            stop()
        before.append(list(server.posts))

    def send(page: Any) -> int:
        page.goto(f"{server.url}/form")
        button = page.get_by_role("button", name="Send")
        session.timeout = 0.5  # the act is broken off soon from here on
        if moment == "before the click":
            stop()
        return session.submit(page, button.click, check)

    session.timeout, patience = 0.5, session.timeout
    with pytest.raises(SiteUnavailable):
        session.run_act(send)
    with contextlib.suppress(ProcessLookupError):
        posix.go_on(process)
    session.timeout = patience
    assert session.run(lambda page: page.goto(f"{server.url}/form") and page.evaluate("1 + 1")) == 2
    # What left did so by ourselves, right after the question; whatever goes on later has nothing to send.
    assert server.posts == ([b"a=b"] if moment == "before the bytes" else [])
    assert before == ([[]] if moment == "before the bytes" else [])


SENDER = """
import sys
from pathlib import Path
from backend.adapters.browser.session import BrowserSession
from backend.ports.site import unguarded
session = BrowserSession("practice", Path(sys.argv[1]), sys.argv[2], headless=True, timeout=120)
def send(page):
    page.goto(sys.argv[2] + "/form")
    session.submit(page, page.get_by_role("button", name="Send").click, unguarded)
session.run(send)
"""


def driver_of(profile: Path) -> int:
    """The process of Playwright's driver that started this profile's browser: other tests of this process have theirs."""
    (holder,) = holders(profile)
    return int(Path(f"/proc/{holder.pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for the driver in /proc")
@pytest.mark.parametrize("driver_too", [False, True], ids=["outrider", "outrider and driver"])
def test_a_kill_in_mid_post_does_not_let_the_browser_post_too(
    server: Resetting, tmp_path: Path, driver_too: bool
) -> None:
    server.hold.clear()
    profile = tmp_path / "profile"
    sender = subprocess.Popen([sys.executable, "-c", SENDER, str(profile), server.url], stderr=subprocess.DEVNULL)
    until(lambda: bool(server.posts))
    if driver_too:
        os.kill(driver_of(profile), KILL)
    sender.kill()
    sender.wait()
    until(lambda: not holders(profile))
    time.sleep(0.3)
    assert server.posts == [b"a=b"]


@pytest.mark.posix  # process groups
def test_ctrl_c_reaches_neither_driver_nor_browser(server: Resetting, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    script = (
        "import os, signal, sys; from pathlib import Path; from backend.adapters.browser.session import BrowserSession\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "session = BrowserSession('practice', Path(sys.argv[1]), sys.argv[2], headless=True)\n"
        "look = lambda page: page.goto(sys.argv[2]) and page.title()\n"
        "session.run(look); os.killpg(0, signal.SIGINT); session.run(lambda page: page.wait_for_timeout(300))\n"
        "session.run(look); assert session.starts == 1; session.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(profile), server.url], start_new_session=True, timeout=60, check=False
    )
    assert done.returncode == 0


def test_on_windows_the_driver_and_its_browser_are_in_a_job_until_they_are_closed(
    server: Resetting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then nothing drives a browser on whose window nobody looks, and nobody has to find it at the next start."""
    joined, ended = list[int](), list[int]()

    def job_here(pid: int) -> Any:
        joined.append(pid)
        return SimpleNamespace(end=lambda: ended.append(pid))

    monkeypatch.setattr(session_module, "job_here", job_here)
    with contextlib.closing(hidden_session(tmp_path / "profile", server.url)) as session:
        session.start()
        assert joined == [session._driver], "before the browser is started, which is in it by that"
        assert ended == []
    assert ended == joined


def test_a_page_that_hangs_is_broken_off(session: BrowserSession, server: Resetting) -> None:
    session.start()
    patience = session.timeout, session.launch_timeout
    session.timeout, session.launch_timeout = 0.1, 0.0
    with pytest.raises(SiteUnavailable):
        session.run(lambda page: page.evaluate("() => { while (true); }"))
    session.timeout, session.launch_timeout = patience
    assert session.run(lambda page: page.evaluate("1 + 1")) == 2
    assert session.starts == 2


def test_what_a_page_asks_for_is_refused(shared_session: BrowserSession, shared_server: Resetting) -> None:
    def ask(page: Any) -> list[Any]:
        page.goto(shared_server.url)
        page.evaluate("() => { window.open('/other'); alert('hello'); }")
        page.evaluate("() => { location.href = 'data:application/x-zip,PK'; }")
        page.wait_for_timeout(200)
        states = [
            page.evaluate(f"navigator.permissions.query({{name: '{name}'}}).then(answer => answer.state)")
            for name in ("geolocation", "notifications", "camera")
        ]
        return [len(page.context.pages), *states]

    assert shared_session.run(ask) == [1, "denied", "denied", "denied"]


def test_the_page_is_told_that_it_is_driven(shared_session: BrowserSession) -> None:
    assert shared_session.run(lambda page: page.evaluate("navigator.webdriver")) is True


def test_calls_from_any_thread_are_made_in_one(shared_session: BrowserSession) -> None:
    seen: set[str] = set()

    def look() -> None:
        seen.add(shared_session.run(lambda _: threading.current_thread().name))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"browser"}


def test_a_defect_in_the_work_is_not_taken_for_the_browsers(shared_session: BrowserSession) -> None:
    with pytest.raises(ZeroDivisionError):
        shared_session.run(lambda _: 1 // 0)


def test_closing_is_idempotent_and_a_closed_session_starts_again(session: BrowserSession) -> None:
    session.close()
    session.start()
    session.close()
    session.close()
    assert holders(session.profile) == []
    assert session.run(lambda page: page.url) == "about:blank"
    assert session.starts == 2


@pytest.mark.parametrize("origin", ["https://www.linkedin.com", "http://localhost.example.org", "http://10.0.0.1:80"])
@pytest.mark.parametrize("site", ["linkedin_drive", "practice"])
def test_a_hidden_browser_is_for_what_this_machine_serves_only(tmp_path: Path, site: str, origin: str) -> None:
    with pytest.raises(OutriderError) as forbidden:
        BrowserSession(site, tmp_path, origin, headless=True)
    assert forbidden.value.code == "headless_forbidden"


@pytest.mark.skipif(sys.platform != "linux", reason="only there a display can be missing")
def test_a_missing_display_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    session = BrowserSession("practice", tmp_path / "profile", "http://127.0.0.1:1")
    with pytest.raises(OutriderError, match="no display") as failed:
        session.start()
    assert failed.value.code == "display_missing"
    with pytest.raises(SiteUnavailable, match="no display"):
        session.run(lambda page: page.url)
    session.close()


def test_an_act_is_broken_off_before_recovery_takes_it_for_over(tmp_path: Path) -> None:
    session = BrowserSession("practice", tmp_path / "profile", "http://127.0.0.1:1", headless=True)
    assert session.act_seconds + session.launch_timeout < LONGEST_ACT_SECONDS


@pytest.mark.parametrize("driver", ["/bin/false", "/no/such/program"])
def test_a_driver_that_dies_while_it_starts_is_a_browser_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str
) -> None:
    session = hidden_session(tmp_path, "http://127.0.0.1:1")
    with monkeypatch.context() as broken:
        broken.setenv("PLAYWRIGHT_NODEJS_PATH", driver)
        with pytest.raises(OutriderError) as failed:
            session.start()
        assert failed.value.code == "browser_failed"
        with pytest.raises(SiteUnavailable):
            session.run(lambda page: page.url)
    try:
        assert session.run(lambda page: page.evaluate("1 + 1")) == 2, "and the next call has a browser"
    finally:
        session.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the driver is found by /proc")
@pytest.mark.parametrize("when", ["before a page", "while it waits", "while a request is expected"])
def test_a_driver_that_dies_in_mid_act_is_a_site_that_cannot_be_reached(tmp_path: Path, when: str) -> None:
    server = Resetting()
    session = hidden_session(tmp_path, server.url)

    def die() -> None:
        os.kill(driver_of(tmp_path / "profile"), KILL)

    def act(page: Any) -> None:
        page.goto(server.url)
        if when == "before a page":
            die()
            page.goto(server.url)
        elif when == "while it waits":
            threading.Timer(0.1, die).start()
            page.wait_for_timeout(PATIENCE * 1_000)
        else:
            with page.expect_request(lambda _: False, timeout=PATIENCE * 1_000):
                die()

    try:
        with pytest.raises(SiteUnavailable):
            session.run(act)
        assert session.run(lambda page: page.evaluate("1 + 1")) == 2
        assert session.starts == 2
    finally:
        session.close()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://127.0.0.1:80/in/a?b#c", "http://127.0.0.1:80"),
        ("http://127.0.0.1:80@evil.example/", "http://evil.example"),
        ("HTTPS://WWW.Example", "https://www.example"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin


def until(reached: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.02)


LOADS_AHEAD = """address => {
  const script = Object.assign(document.createElement('script'), {type: 'speculationrules'});
  const rules = ['prefetch', 'prerender'].map(way =>
    [way, [{source: 'list', eagerness: 'immediate', urls: [`${address}?${way}`]}]]);
  script.textContent = JSON.stringify(Object.fromEntries(rules));
  document.head.append(script);
}"""


def test_no_page_loads_another_before_it_is_wanted(tmp_path: Path) -> None:
    """No route sees what is loaded ahead: nothing would keep it from telling what is being typed."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(FORM)))
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(FORM)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    profile = tmp_path / "profile"
    (profile / "Default").mkdir(parents=True)
    (profile / "Default" / "Preferences").write_text('{"net": {"network_prediction_options": 0}, "homepage": "x"}')
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        threading.Thread(target=served.serve_forever, args=(0.05,), daemon=True).start()
        url = f"http://127.0.0.1:{served.server_port}"
        session = BrowserSession("practice", profile, url, headless=True, timeout=PATIENCE, find=find_browser)

        def look(page: Page) -> None:
            page.goto(f"{url}/")
            page.evaluate(LOADS_AHEAD, "/ahead")
            page.wait_for_timeout(1_000)

        try:
            session.run(look)
        finally:
            session.close()
            served.shutdown()
    assert [path for path in asked if path.startswith("/ahead")] == []
