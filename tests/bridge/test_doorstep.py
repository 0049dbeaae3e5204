"""A second start on the same data folder finds the first, and is not misled by what an earlier one left behind."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bridge.doorstep import FILE, Door, door, knock
from tests.api.app import App, running


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with running(tmp_path / "data") as started:
        yield started


def test_a_knock_finds_the_running_launch_and_shows_its_window(app: App, tmp_path: Path) -> None:
    services = app.launch.services
    with door(tmp_path, port=app.server.port, secret=services.knock.secret):
        assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
        found = knock(tmp_path)
        assert found is not None
        assert (found[0].url, found[1]) == (app.origin + "/", False), "there is no window yet"
        shown: list[bool] = []

        def show() -> bool:
            shown.append(True)
            return True

        services.knock.answer = show
        assert knock(tmp_path) == (found[0], True)
        assert shown == [True]
        assert app.token not in (tmp_path / FILE).read_text()
    assert not (tmp_path / FILE).exists()
    assert knock(tmp_path) is None


@pytest.mark.parametrize("secret", ["", "x", "\ud800", "x" * 43])
def test_a_knock_without_the_secret_is_refused(app: App, secret: str) -> None:
    services = app.launch.services
    services.knock.answer = lambda: pytest.fail("nobody may be let in")
    answer = app.ask("/api/knock", {"secret": secret}, X_Outrider_Token=None)
    assert (answer.status, answer.code) in ((401, "knock_refused"), (400, "bad_request"))


def test_a_knock_from_another_page_is_refused(app: App) -> None:
    said = {"secret": app.launch.services.knock.secret}
    answer = app.ask("/api/knock", said, Origin="http://evil.example", X_Outrider_Token=None)
    assert (answer.status, answer.code) == (403, "origin_refused")


@pytest.mark.parametrize("text", ["", "{}", '{"port":0,"secret":"x"}', '{"port":"80","secret":"x"}', "\x00"])
def test_a_file_that_is_not_ours_leads_nowhere(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert knock(tmp_path) is None


@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.0 200 OK\r\n\r\n<html>", b"HTTP/1.0 404 Not Found\r\n\r\n{}", b"\xff" * 100_000]
)
def test_somebody_else_at_the_old_port_is_not_believed(tmp_path: Path, said: bytes) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def answer() -> None:
            visitor, _ = server.accept()
            with visitor:
                visitor.recv(4_096)
                visitor.sendall(said)

        stranger = threading.Thread(target=answer)
        stranger.start()
        (tmp_path / FILE).write_text(Door(port=server.getsockname()[1], secret="old").model_dump_json())
        assert knock(tmp_path) is None
        stranger.join()


def test_a_file_left_behind_is_replaced(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("left behind")
    (tmp_path / FILE).chmod(0o644)
    with door(tmp_path, port=1, secret="s"):
        assert Door.model_validate_json((tmp_path / FILE).read_bytes()).secret == "s"
        assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
