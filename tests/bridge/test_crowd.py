"""Whoever else uses the machine can connect to the server, and keeps nobody from it who has the token."""

import random
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from backend.runtime.run.rehearsal import find_or_create_rehearsal
from bridge.server import USUAL_LIMITS, ConnectionLimits
from tests.api.app import App, running
from tests.bridge import crowd as crowded
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
AT_ONCE = ConnectionLimits(head_seconds=0.1, without_token_seconds=0.1, body_seconds=0.1)
"""Time limits that are met soon."""


def a_page(folder: Path, text: str = "<!doctype html><title>Outrider</title>") -> Path:
    page = folder / "page"
    page.mkdir()
    (page / "index.html").write_text(text)
    return page


@contextmanager
def crowd(app: App, *, idle: int, dripping: int, half_open: int) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.bridge.crowd", *map(str, (app.server.port, idle, dripping, half_open))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == b"crowded\n"
        yield
        process.stdin.close()
        process.wait(PATIENCE)


def test_stop_is_answered_however_many_others_are_connected(tmp_path: Path) -> None:
    with running(tmp_path / "data") as app:
        campaign = find_or_create_rehearsal(app.workspace, None, None)
        with crowd(app, idle=200, dripping=200, half_open=60):
            for _ in range(5):
                assert app.ask(f"/api/campaigns/{campaign}/stop", {}).status == 204
                assert app.ask("/api/campaigns").status == 200


def test_a_page_loads_pairs_and_hears_the_feed_in_a_crowd(tmp_path: Path) -> None:
    with (
        running(tmp_path / "data", a_page(tmp_path), limits=USUAL_LIMITS) as app,
        crowd(app, idle=200, dripping=200, half_open=20),
    ):
        assert app.ask("/", X_Outrider_Token=None).status == 200
        assert app.ask("/api/pair", {"code": app.codes[0]}, X_Outrider_Token=None).json["token"] == app.token
        with app.hearing() as socket:
            assert app.ask("/api/campaigns").status == 200
            assert socket.ws.connected


def test_sockets_that_never_say_hello_take_no_slot_of_those_that_do(tmp_path: Path) -> None:
    with running(tmp_path / "data") as app, ExitStack() as open_sockets:
        for _ in range(14):
            open_sockets.enter_context(app.socket())
        for _ in range(16):
            socket = open_sockets.enter_context(app.socket(hello={"token": app.token, "after": {}}))
            socket.until("ready")
        with app.socket(hello={"token": app.token, "after": {}}) as one_too_many:
            assert one_too_many.closed() == (1013, "too_many_sockets")
        for _ in range(200):
            assert app.ask("/api/campaigns").status == 200


def test_a_socket_that_says_nothing_is_ended_without_a_word_about_its_token(tmp_path: Path) -> None:
    with running(tmp_path / "data", limits=AT_ONCE) as app, app.socket() as socket:
        assert socket.closed()[1] == "", "a page that was slow tries again"


def test_no_thread_is_left_of_a_socket_that_has_ended(tmp_path: Path) -> None:
    upgrade = crowded.HEAD.format("GET /api/feed", "{0}", "{0}") + crowded.UPGRADE
    before = threading.active_count()
    with running(tmp_path / "data") as app:
        for _ in range(200):
            with socket.create_connection(("127.0.0.1", app.server.port), PATIENCE) as line:
                line.sendall(upgrade.format(app.server.port).encode())
                assert line.recv(4096).endswith(b"\r\n\r\n")
                line.sendall(b"\x81\x81\x00\x00\x00\x00x")  # no hello
                assert b"token_refused" in line.makefile("rb").read()
    assert threading.active_count() == before


def drip_until_cut(app: App, beginning: str) -> None:
    """Say a byte now and then until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", app.server.port), PATIENCE) as line:
        line.sendall(beginning.format(authority=app.authority, token=app.token).encode())
        line.settimeout(0.02)
        while True:
            try:
                line.sendall(b"1")
                if not line.recv(4096):
                    return
            except TimeoutError:
                continue
            except OSError:
                return


HOST = "Host: {authority}\r\nOrigin: http://{authority}\r\n"
BODY = "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{{"


@pytest.mark.parametrize(
    "beginning",
    [
        "",
        "GET / HTTP/1.1\r\n",
        "GET /api/campaigns HTTP/1.1\r\n" + HOST + "X-Outrider-Token: {token}\r\nX-More: ",
        "POST /api/pair HTTP/1.1\r\n" + HOST + BODY,
        "POST /api/presence HTTP/1.1\r\n" + HOST + "X-Outrider-Token: {token}\r\n" + BODY,
        "GET / HTTP/1.1\r\n" + HOST + "\r\n",
    ],
    ids=["silence", "head", "head with token", "body", "body with token", "more after the end"],
)
def test_a_request_has_a_time_for_the_whole_of_it_however_steadily_it_drips(tmp_path: Path, beginning: str) -> None:
    with running(tmp_path / "data", limits=AT_ONCE) as app:
        drip_until_cut(app, beginning)
        assert app.ask("/api/campaigns").status == 200


def test_a_head_without_end_is_cut_off(tmp_path: Path) -> None:
    with running(tmp_path / "data") as app:
        with socket.create_connection(("127.0.0.1", app.server.port), PATIENCE) as line, suppress(OSError):
            while True:  # until it is reset
                line.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 8192)
        assert app.ask("/api/campaigns").status == 200


def test_who_takes_the_answer_slowly_is_cut_off(tmp_path: Path) -> None:
    page = a_page(tmp_path, "x" * 32_000_000)
    limits = ConnectionLimits(without_token=1, without_token_seconds=PATIENCE)
    with running(tmp_path / "data", page, limits=limits) as app, socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", app.server.port))
        line.sendall(f"GET / HTTP/1.1\r\nHost: {app.authority}\r\n\r\n".encode())
        refused = app.ask("/api/pair", {"code": "wrong"}, X_Outrider_Token=None)
        assert refused.code == "pairing_refused"


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_request_that_comes_in_pieces_is_answered(tmp_path: Path, cut: int) -> None:
    with running(tmp_path / "data") as app:
        head = f"POST /api/presence HTTP/1.1\r\nHost: {app.authority}\r\nOrigin: {app.origin}\r\nX-Outrider-Token: {app.token}\r\n"
        body = b'{"page": "p", "visible": true, "idle_ms": 0}'
        whole = f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        with socket.create_connection(("127.0.0.1", app.server.port), PATIENCE) as line:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for start in range(0, len(whole), cut):
                line.sendall(whole[start : start + cut])
            assert line.makefile("rb").readline().startswith(b"HTTP/1.0 204")


def test_no_bytes_whatever_end_the_server(tmp_path: Path) -> None:
    chance = random.Random(20261122)
    parts = [
        b"GET ",
        b"/api/pair",
        b" HTTP/1.1",
        b"\r\n",
        b"\r\n\r\n",
        b"Content-Length:",
        b"9" * 5_000,
        b"-1",
        b"\xb2",
        b":",
    ]
    parts += [
        b"Transfer-Encoding: chunked",
        b"Expect: 100-continue",
        b"X-Outrider-Token: \xff",
        b"\x00",
        b"Host: [",
        b"\n",
    ]
    with running(tmp_path / "data") as app:
        for _ in range(200):
            content = b"".join(chance.choices(parts, k=chance.randint(1, 12))) + b"\r\n\r\n"
            with socket.create_connection(("127.0.0.1", app.server.port), PATIENCE) as line:
                line.sendall(content)
        assert app.ask("/api/campaigns").status == 200
