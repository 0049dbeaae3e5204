"""What an attacker tries against the loopback server: each is refused, and nothing changes."""

import socket
from pathlib import Path

import pytest

from backend.api.server.auth import MAX_REQUEST_BYTES
from backend.api.server.launch_token import LaunchToken
from tests.api.app import App, running
from tests.patience import PATIENCE

REHEARSE = "/api/rehearsals"


def heads(app: App) -> object:
    with app.workspace.database.read() as connection:
        return connection.execute("SELECT campaign_id, event_seq, audit_seq FROM log_heads").fetchall()


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"Host": "evil.example"}, 403, "origin_refused"),
        ({"Host": "localhost:{port}"}, 403, "origin_refused"),
        ({"Host": "127.0.0.1:{port}.evil.example"}, 403, "origin_refused"),
        ({"Host": "127.attacker.example:{port}"}, 403, "origin_refused"),
        ({"Host": "127.0.0.1"}, 403, "origin_refused"),
        ({"Origin": "http://evil.example"}, 403, "origin_refused"),
        ({"Origin": "http://127.0.0.1:{other}"}, 403, "origin_refused"),
        ({"Origin": "http://127.0.0.1:{port}.evil.example"}, 403, "origin_refused"),
        ({"Origin": "https://127.0.0.1:{port}"}, 403, "origin_refused"),
        ({"Origin": "null"}, 403, "origin_refused"),
        ({"Origin": None}, 403, "origin_refused"),
        ({"Sec_Fetch_Site": "cross-site"}, 403, "origin_refused"),
        ({"Sec_Fetch_Site": "same-site"}, 403, "origin_refused"),
        ({"X_Outrider_Token": None}, 401, "token_refused"),
        ({"X_Outrider_Token": ""}, 401, "token_refused"),
        ({"X_Outrider_Token": "\xe9" * 43}, 401, "token_refused"),
        ({"Content_Type": "text/plain"}, 415, "json_required"),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415, "json_required"),
        ({"Content_Type": None}, 415, "json_required"),
        ({"Transfer_Encoding": "chunked"}, 400, "bad_request"),
        ({"Transfer_Encoding": "gzip, Chunked"}, 400, "bad_request"),
    ],
)
def test_a_stranger_s_command_is_refused_and_changes_nothing(
    app: App, changes: dict[str, str | None], status: int, code: str
) -> None:
    port = app.server.port
    sent = {k: v and v.format(port=port, other=port + 1) for k, v in changes.items()}
    before = heads(app)
    answer = app.ask(REHEARSE, {}, **sent)
    assert (answer.status, answer.code) == (status, code)
    assert set(answer.json) == {"code", "sentence", "remedy"}
    assert heads(app) == before
    assert app.run_service.is_idle


def test_the_token_of_an_earlier_launch_is_refused(app: App) -> None:
    answer = app.ask("/api/campaigns", X_Outrider_Token=LaunchToken().value)
    assert (answer.status, answer.code) == (401, "token_refused")


def test_reading_needs_the_token_too(app: App) -> None:
    assert app.ask("/api/campaigns", X_Outrider_Token=None).status == 401
    assert app.ask("/api/campaigns", Origin=None).ok


@pytest.mark.parametrize("path", ["/", "/api/campaigns", "/nothing", "/api/rehearsals"])
def test_every_answer_is_hardened_and_allows_no_other_origin(app: App, path: str) -> None:
    headers = app.ask(path).headers
    assert headers["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        f" connect-src 'self' ws://{app.authority}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert not [name for name in headers if name.lower().startswith("access-control-")]
    assert not [name for name in headers if name.lower() == "set-cookie"]


def test_a_body_beyond_the_limit_is_refused(app: App) -> None:
    answer = app.ask("/api/pair", b'{"code":"' + b"A" * MAX_REQUEST_BYTES + b'"}')
    assert (answer.status, answer.code) == (413, "request_too_large")


@pytest.mark.parametrize(
    "start_line",
    ["POST /api/pair", "POST /api/presence", "POST /api/server/uploads?name=a.csv", "POST /mcp", "POST /", "GET /"],
)
@pytest.mark.parametrize("chunks", [b"", b"ffff\r\n{}", b"7fffffff\r\n{}"])
def test_a_body_whose_length_is_not_stated_is_not_read(app: App, start_line: str, chunks: bytes) -> None:
    lines = [f"{name}: {value}" for name, value in app.headers(Transfer_Encoding="chunked").items()]
    with socket.create_connection(("127.0.0.1", app.server.port), PATIENCE) as line:
        line.sendall("\r\n".join([f"{start_line} HTTP/1.1", *lines, "", ""]).encode() + chunks)
        line.shutdown(socket.SHUT_WR)
        answer = b"".join(line.makefile("rb"))
    assert b" 400 " in answer.partition(b"\r\n")[0]
    assert b"its length is not stated" in answer


@pytest.mark.parametrize("path", ["/../settings.py", "/%2e%2e/data/outrider.db", "/..%2fdata%2foutrider.db", "/.env"])
def test_no_file_beside_the_page_is_served(app: App, path: str) -> None:
    answer = app.ask(path)
    assert (answer.status, answer.code) == (404, "page_unknown")


def test_a_page_that_was_not_built_is_a_coded_answer(tmp_path: Path) -> None:
    with running(tmp_path / "data", tmp_path / "nowhere") as app:
        answer = app.ask("/")
        assert (answer.status, answer.code) == (424, "page_missing")


UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Content_Type": None,
    "X_Outrider_Token": None,
}


@pytest.mark.parametrize(
    "changes",
    [
        {"Origin": None},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
def test_a_foreign_socket_gets_no_upgrade(app: App, changes: dict[str, str | None]) -> None:
    answer = app.ask("/api/feed", **{**UPGRADE, **changes})
    assert (answer.status, answer.code) == (403, "origin_refused")
    assert not app.launch.services.feed.ask_before_closing()


@pytest.mark.parametrize(
    "changes",
    [
        {"Sec_WebSocket_Key": None},
        {"Sec_WebSocket_Version": None},
        {"Sec_WebSocket_Version": "8"},
        {"Sec_WebSocket_Version": "13, 8"},
    ],
)
def test_a_malformed_handshake_is_the_senders_fault_and_told_without_a_traceback(
    app: App, changes: dict[str, str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    answer = app.ask("/api/feed", **{**UPGRADE, **changes})
    assert (answer.status, answer.code) == (400, "bad_request")
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "hello",
    [
        {"token": "x" * 43, "after": {}},
        {"token": "", "after": {}},
        {"after": {}},
        {"token": "TOKEN", "after": {}, "more": 1},
        {"token": "TOKEN", "after": {"c": -1}},
        {"token": "TOKEN", "after": {"c": "1"}},
        ["TOKEN"],
    ],
)
def test_a_socket_without_the_token_is_closed(app: App, hello: object) -> None:
    if isinstance(hello, dict) and hello.get("token") == "TOKEN":
        hello["token"] = app.token
    with app.socket(hello=hello) as socket:
        assert socket.closed() == (1008, "token_refused")


def test_a_socket_message_beyond_the_limit_is_refused(app: App) -> None:
    with app.socket(hello={"token": app.token, "after": {"c" * 70_000: 1}}) as socket:
        assert socket.closed()[0] in (1008, 1009)


def test_a_page_that_talks_after_its_hello_is_cut_off(app: App) -> None:
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        socket.ws.send("more")
        assert socket.closed() == (1008, "unexpected_message")


def test_an_unexpected_failure_tells_the_page_nothing(
    app: App, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise ZeroDivisionError("the inner secret")

    monkeypatch.setattr(app.run_service, "run_states", broken)
    answer = app.ask("/api/session")
    assert (answer.status, answer.code) == (500, "internal_error")
    printed = capsys.readouterr().err
    assert "secret" not in answer.text + printed, "a message may quote anybody's words, or a key"
    assert printed.splitlines()[:2] == ["Traceback, without messages:", "ZeroDivisionError"]
    assert "test_auth.py:" in printed


def test_the_token_does_not_show_in_a_representation() -> None:
    token = LaunchToken()
    assert token.value not in f"{token!r}{token}"
