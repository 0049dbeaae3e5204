"""A second start on the same data folder finds the first, and is not misled by what an earlier one left behind."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from backend.api.server.window_activation import RUNNING_LAUNCH, SECOND_START, WindowShown, proof_of, window_state
from bridge.__main__ import activate_if_running
from bridge.listener import open_listener, port_of
from bridge.single_instance import (
    FILE,
    PORT_FILE,
    InstanceAddress,
    activate_running_instance,
    last_port,
    published_instance,
)
from tests.api.app import App, running
from tests.patience import PATIENCE


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with running(tmp_path / "data") as started:
        yield started


def test_a_second_start_finds_the_running_launch_and_shows_its_window(app: App, tmp_path: Path) -> None:
    services = app.launch.services
    with published_instance(tmp_path, port=app.server.port, secret=services.window_activation.secret):
        assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
        running = activate_running_instance(tmp_path)
        assert running is not None
        assert (running[0].url, running[1].window) == (app.origin + "/", False), "there is no window yet"
        assert app.ask("/api/pair", {"code": running[1].code}, X_Outrider_Token=None).status == 200, "and a way in"
        shown: list[bool] = []

        def show() -> bool:
            shown.append(True)
            return True

        services.window_activation.show_window = show
        again = activate_running_instance(tmp_path)
        assert again is not None
        assert (again[0], again[1].window, again[1].code) == (running[0], True, "")
        assert shown == [True]
        assert app.token not in (tmp_path / FILE).read_text()
    assert not (tmp_path / FILE).exists()
    assert activate_running_instance(tmp_path) is None


@pytest.mark.parametrize("secret", ["", "x", "x" * 43])
def test_a_second_start_that_does_not_know_the_secret_is_refused(app: App, secret: str) -> None:
    app.launch.services.window_activation.show_window = lambda: pytest.fail("nobody may be let in")
    body = {"nonce": "n" * 32, "proof": proof_of(secret, SECOND_START, app.authority, "n" * 32)}
    answer = app.ask("/api/show-window", body, X_Outrider_Token=None)
    assert (answer.status, answer.code) == (401, "show_window_refused")
    answer = app.ask("/api/show-window", {**body, "proof": "\ud800"}, X_Outrider_Token=None)
    assert (answer.status, answer.code) in ((401, "show_window_refused"), (400, "bad_request"))


def test_an_answer_cannot_be_said_back_as_a_request(app: App) -> None:
    secret = app.launch.services.window_activation.secret
    proof = proof_of(secret, RUNNING_LAUNCH, app.authority, "n" * 32, window_state(shown=False, code=""))
    answer = app.ask("/api/show-window", {"nonce": "n" * 32, "proof": proof}, X_Outrider_Token=None)
    assert answer.code == "show_window_refused"


def test_a_second_start_from_another_page_is_refused(app: App) -> None:
    secret = app.launch.services.window_activation.secret
    body = {"nonce": "n" * 32, "proof": proof_of(secret, SECOND_START, app.authority, "n" * 32)}
    answer = app.ask("/api/show-window", body, Origin="http://evil.example", X_Outrider_Token=None)
    assert (answer.status, answer.code) == (403, "origin_refused")


@pytest.mark.parametrize("text", ["", "{}", '{"port":0,"secret":"x"}', '{"port":"80","secret":"x"}', "\x00"])
def test_a_file_that_is_not_ours_leads_nowhere(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert activate_running_instance(tmp_path) is None


OK = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
PROOF_BY_ANOTHER_SECRET = WindowShown(
    window=True, proof=proof_of("x", RUNNING_LAUNCH, "", "", window_state(shown=True, code=""))
)
SAID_BY_STRANGERS = {
    "nothing": b"",
    "a page": b"HTTP/1.0 200 OK\r\n\r\n<html>",
    "an error": b"HTTP/1.0 404 Not Found\r\n\r\n{}",
    "noise": b"\xff" * 100_000,
    "no proof": OK + b'{"window": true}',
    "an empty proof": OK + b'{"window": true, "proof": ""}',
    "a proof by another secret": OK + PROOF_BY_ANOTHER_SECRET.model_dump_json().encode(),
}


@contextmanager
def stranger(folder: Path, answer: Callable[[socket.socket], None]) -> Iterator[InstanceAddress]:
    """Somebody else answers one visitor at the port that an earlier launch left in its file."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def serve() -> None:
            visitor, _ = server.accept()
            with visitor, suppress(OSError):
                answer(visitor)

        thread = threading.Thread(target=serve)
        thread.start()
        address = InstanceAddress(port=server.getsockname()[1], secret="the secret of this folder")
        (folder / FILE).write_text(address.model_dump_json())
        yield address
        thread.join()


@pytest.mark.parametrize("reply", SAID_BY_STRANGERS.values(), ids=SAID_BY_STRANGERS)
def test_somebody_else_at_the_old_port_is_neither_believed_nor_told_the_secret(tmp_path: Path, reply: bytes) -> None:
    heard: list[bytes] = []

    def answer(visitor: socket.socket) -> None:
        heard.append(visitor.recv(4_096))
        visitor.sendall(reply)

    with stranger(tmp_path, answer) as address:
        assert activate_running_instance(tmp_path) is None
    assert address.secret.encode() not in heard[0]


def test_an_echo_of_the_own_proof_is_not_believed(tmp_path: Path) -> None:
    def answer(visitor: socket.socket) -> None:
        asked = json.loads(visitor.recv(4_096).partition(b"\r\n\r\n")[2])
        visitor.sendall(OK + json.dumps({"window": True, "proof": asked["proof"]}).encode())

    with stranger(tmp_path, answer):
        assert activate_running_instance(tmp_path) is None


def test_somebody_who_drips_an_answer_does_not_hold_a_second_start_up(tmp_path: Path) -> None:
    given_up = threading.Event()

    def answer(visitor: socket.socket) -> None:
        while not given_up.wait(0.01):
            visitor.sendall(b"x")

    with stranger(tmp_path, answer):
        assert activate_running_instance(tmp_path, seconds=0.2) is None
        given_up.set()


def test_no_address_is_told_before_the_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with stranger(tmp_path, lambda visitor: visitor.sendall(OK + b'{"window": true, "proof": ""}')):
        assert not activate_if_running(tmp_path)
    assert capsys.readouterr() == ("Outrider is running already.\n", "")


def test_a_launch_that_is_only_beginning_is_found_once_it_says_where_it_is(app: App, tmp_path: Path) -> None:
    """Whoever is second comes between the first one's lock and its file, or finds what an earlier launch left there."""
    (tmp_path / FILE).write_text(InstanceAddress(port=_closed_port(), secret="of an earlier launch").model_dump_json())
    secret = app.launch.services.window_activation.secret
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(activate_running_instance, tmp_path, published_within=PATIENCE)
        with published_instance(tmp_path, port=app.server.port, secret=secret):
            running = second.result()
    assert running is not None
    assert running[0].authority == app.authority


def _closed_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


def test_a_file_left_behind_is_replaced(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("left behind")
    (tmp_path / FILE).chmod(0o644)
    with published_instance(tmp_path, port=1, secret="s"):
        assert InstanceAddress.model_validate_json((tmp_path / FILE).read_bytes()).secret == "s"
        assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_the_port_is_known_after_the_launch_and_nothing_else_is_taken_for_one(tmp_path: Path) -> None:
    assert last_port(tmp_path) == 0
    with published_instance(tmp_path, port=40_123, secret="s"):
        pass
    assert last_port(tmp_path) == 40_123
    for text in ("", "x", "80", "-1", "65536", "4\x00", "9" * 5_000):
        (tmp_path / PORT_FILE).write_text(text)
        assert last_port(tmp_path) == 0


def test_a_port_that_is_taken_is_not_waited_for() -> None:
    with open_listener() as first, open_listener(port_of(first)) as second:
        assert port_of(second) != port_of(first)
