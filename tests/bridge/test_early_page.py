"""The page before the backend: its own files at once, everything else when the backend is there, under the same rules."""

import html
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.api.app import create_app
from backend.api.server.auth import security_headers
from backend.api.server.page_files import LastSeen, PlaceInPage, Preferences, index_html
from backend.app.launch import open_backend
from backend.machine.settings import read_settings
from backend.store.last_known import KnownCampaign, LastKnown
from bridge import early_page
from bridge.early_page import EarlyPage
from bridge.listener import open_listener, port_of
from bridge.server import LoopbackServer
from tests.patience import PATIENCE

FILES = {
    "/index.html": "<!doctype html><html></html>",
    "/assets/a.js": "run();",
    "/assets/b.css": "x{}",
    "/secret.txt": "no",
}
DARK = Preferences(theme="dark", zoom=120)
QUERY = "window=0123"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    for name, text in FILES.items():
        (folder / name[1:]).parent.mkdir(parents=True, exist_ok=True)
        (folder / name[1:]).write_text(text)
    (tmp_path / "outside.js").write_text("not the page's")
    return folder


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with open_listener() as listening:
        yield listening


@pytest.fixture
def early(listener: socket.socket, page: Path) -> Iterator[EarlyPage]:
    made = EarlyPage(listener, page, DARK, QUERY)
    made.start()
    yield made
    made.close()


class Asked:
    """One request that was sent, and what comes for it."""

    def __init__(self, listener: socket.socket, path: str, method: str = "GET", **headers: str) -> None:
        self.authority = f"127.0.0.1:{port_of(listener)}"
        self.line = socket.create_connection(("127.0.0.1", port_of(listener)), timeout=PATIENCE)
        named = {"Host": self.authority, **{name.replace("_", "-"): value for name, value in headers.items()}}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        self.line.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode())

    def answer(self) -> tuple[int, dict[str, str], str]:
        with self.line:
            response = b"".join(self.line.makefile("rb")).decode()
        head, _, body = response.partition("\r\n\r\n")
        first, *lines = head.split("\r\n")
        return int(first.split(" ")[1]), dict(line.split(": ", 1) for line in lines), body


def test_the_page_is_answered_before_there_is_a_backend(listener: socket.socket, early: EarlyPage, page: Path) -> None:
    asked = Asked(listener, "/?window", Sec_Fetch_Site="none")
    status, headers, body = asked.answer()
    assert (status, body) == (200, index_html(page, DARK))
    assert 'data-theme="dark"' in body
    assert headers.items() >= security_headers(asked.authority).items()
    for path, kind in (("/assets/a.js", "text/javascript"), ("/assets/b.css", "text/css")):
        status, headers, body = Asked(listener, path, Origin=f"http://{asked.authority}").answer()
        assert (status, body) == (200, FILES[path])
        assert headers["Content-Type"].startswith(kind)


def test_what_was_seen_last_is_only_for_the_window(listener: socket.socket, page: Path) -> None:
    named = KnownCampaign(
        id="c1",
        name='"><script>',
        status="active",
        state="On",
        site="practice",
        leads={},
        needs={},
    )
    last_known = LastKnown(campaigns=[named])
    early = EarlyPage(listener, page, DARK, QUERY, LastSeen(last_known, PlaceInPage(address="#/", above=340)))
    host = f"Host: 127.0.0.1:{port_of(listener)}"

    def body(path: str) -> str:
        return (early.answer(f"GET {path} HTTP/1.1\r\n{host}".encode()) or b"").decode()

    page_body = body(f"/?{QUERY}")
    match = re.search('data-known="([^"]*)" data-above="340"', page_body)
    assert match is not None
    assert LastKnown.model_validate_json(html.unescape(match[1])) == last_known
    for other in ("/", "/?window", "/?window=", f"/?{QUERY}4", f"/?{QUERY[:-1]}", f"/?x&{QUERY}", "/?window=\u00e4"):
        assert "data-known" not in body(other), other
        assert "data-theme" in body(other), other


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/", {"Host": "evil.example"}),
        ("GET", "/", {"Sec_Fetch_Site": "cross-site"}),
        ("GET", "/", {"Origin": "http://evil.example"}),
        ("POST", "/", {}),
        ("GET", "/api/session", {"X_Outrider_Token": "guessed"}),
        ("GET", "/api/feed", {}),
        ("GET", "/../outside.js", {}),
        ("GET", "/assets/..%2f..%2foutside.js", {}),
        ("GET", "/secret.txt", {}),
        ("nonsense", "", {}),
    ],
)
def test_everything_else_is_for_the_backend(
    listener: socket.socket, page: Path, method: str, path: str, headers: dict[str, str]
) -> None:
    authority = f"127.0.0.1:{port_of(listener)}"
    named = {"Host": authority, **{name.replace("_", "-"): value for name, value in headers.items()}}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items())]
    assert EarlyPage(listener, page, DARK, QUERY).answer("\r\n".join(lines).encode()) is None


def test_a_header_that_is_given_twice_is_for_the_backend(listener: socket.socket, page: Path) -> None:
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port_of(listener)}\r\nHost: evil.example"
    assert EarlyPage(listener, page, DARK, QUERY).answer(head.encode()) is None


def test_who_waited_is_answered_by_the_backend_in_the_same_way(
    listener: socket.socket, early: EarlyPage, tmp_path: Path, page: Path
) -> None:
    wrong = Asked(listener, "/", Host="evil.example")
    without = Asked(listener, "/api/session")
    unknown = Asked(listener, "/../outside.js")
    half = socket.create_connection(("127.0.0.1", port_of(listener)), timeout=PATIENCE)
    half.sendall(b"GET /api/ses")
    assert Asked(listener, "/").answer()[0] == 200  # the others were accepted before it, and still wait
    settings = read_settings({}, tmp_path / "data")
    with open_backend(settings, show_code=lambda _: None, hidden_browser=True, page=page) as launch:
        server = LoopbackServer(create_app(launch.services), listener, launch.services.caller_of)
        launch.authority[0] = server.authority
        server.start(early.hand_over())
        try:
            half.sendall(f"sion HTTP/1.1\r\nHost: {server.authority}\r\n\r\n".encode())
            with half:
                assert b"token_refused" in b"".join(half.makefile("rb"))
            assert "origin_refused" in wrong.answer()[2]
            assert "token_refused" in without.answer()[2]
            assert unknown.answer()[0] == 404
            token = launch.services.token.value
            assert Asked(listener, "/api/session", X_Outrider_Token=token).answer()[0] == 200
            assert Asked(listener, "/").answer()[1].items() >= security_headers(server.authority).items()
        finally:
            server.close()


def test_a_backend_that_does_not_come_lets_nobody_wait(listener: socket.socket, page: Path) -> None:
    early = EarlyPage(listener, page, DARK, QUERY)
    early.start()
    waiting = Asked(listener, "/api/session")
    assert Asked(listener, "/").answer()[0] == 200
    early.close()
    with waiting.line:
        assert waiting.line.recv(1) == b""
    early.close()


def test_a_crowd_ends_the_oldest_and_does_not_keep_the_page_waiting(
    listener: socket.socket, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_page, "MOST_CONNECTIONS", 4)
    early = EarlyPage(listener, page, DARK, QUERY)
    early.start()
    crowd = [Asked(listener, "/api/session") for _ in range(6)]
    assert Asked(listener, "/").answer()[0] == 200
    with crowd[0].line as oldest:
        assert oldest.recv(1) == b""
    early.close()
    for visitor in crowd:
        visitor.line.close()


def test_a_page_that_was_not_built_is_the_backends_to_explain(listener: socket.socket, tmp_path: Path) -> None:
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port_of(listener)}"
    assert EarlyPage(listener, tmp_path / "nothing", DARK, QUERY).answer(head.encode()) is None
