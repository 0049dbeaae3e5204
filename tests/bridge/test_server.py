"""The loopback server: on 127.0.0.1 only, with a bounded set of threads, closed for good."""

import socket
from pathlib import Path

import pytest

from tests.api.app import running


def test_it_listens_on_the_loopback_address_only(tmp_path: Path) -> None:
    with running(tmp_path / "data") as app:
        assert app.server.socket.getsockname() == ("127.0.0.1", app.server.port)
        assert app.server.url == f"http://127.0.0.1:{app.server.port}/"


def test_many_requests_share_a_few_connections_to_the_store(tmp_path: Path) -> None:
    with running(tmp_path / "data") as app:
        for _ in range(60):
            assert app.ask("/api/campaigns").status == 200
        threads = {thread.name for thread in app.server._pool._threads}
        assert len(threads) <= 15, "few, also on a busy machine, where one may not be free yet"


def test_a_connection_that_says_nothing_does_not_keep_it_from_closing(tmp_path: Path) -> None:
    with running(tmp_path / "data") as app:
        silent = socket.create_connection(("127.0.0.1", app.server.port))
        assert app.ask("/api/campaigns").status == 200
    with silent:
        silent.settimeout(5)
        assert silent.recv(1) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", app.server.port)).close()


def test_no_answer_says_what_serves_here_or_in_which_version(tmp_path: Path) -> None:
    with running(tmp_path / "data") as app:
        for request in (b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n", b"nonsense\r\n\r\n", b"GET /nowhere HTTP/1.0\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", app.server.port)) as caller:
                caller.sendall(request.replace(b"%s", app.server.authority.encode()))
                caller.shutdown(socket.SHUT_WR)
                answer = b"".join(caller.makefile("rb")).lower()
            assert answer
            assert b"\nserver:" not in answer
            assert b"werkzeug" not in answer
            assert b"python/" not in answer
