"""A display that a variable names is tried before a window is shown on it."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters import display
from backend.adapters.display import why_no_display, why_no_window
from backend.domain.values.health_check import OK, WARN
from backend.runtime.doctor import display as examined
from tests.patience import PATIENCE
from tests.posix import file_socket

pytestmark = [
    pytest.mark.posix,
    pytest.mark.skipif(sys.platform != "linux", reason="only there a display can be missing"),
]

GONE = {
    "an X server that has ended": {"DISPLAY": ":7777"},
    "Wayland without a compositor": {"WAYLAND_DISPLAY": "wayland-7777", "XDG_SESSION_TYPE": "wayland"},
    "both": {"DISPLAY": ":7777", "WAYLAND_DISPLAY": "wayland-7777"},
    "a name that is none": {"DISPLAY": "nothing"},
}


@pytest.fixture(params=GONE)
def gone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    values = GONE[request.param]
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    return values


def test_a_display_that_is_gone_is_told_with_its_name(gone: dict[str, str]) -> None:
    reason = why_no_display()
    assert "cannot be opened" in reason
    assert all(f"{name}={value}" in reason for name, value in gone.items() if "DISPLAY" in name)
    assert examined().status == WARN


def test_a_display_that_opens_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "minimal")
    assert why_no_display() == ""
    assert examined().status == OK


def test_a_display_that_never_answers_is_waited_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", "nothing")
    monkeypatch.setattr(display, "SECONDS", 0.1)
    monkeypatch.setattr(display, "command", lambda _: [sys.executable, "-c", "import signal; signal.pause()"])
    assert "does not answer" in why_no_display()


@pytest.mark.parametrize(
    ("user", "surroundings", "can"),
    [(1000, {}, True), (0, {}, False), (0, {"QTWEBENGINE_DISABLE_SANDBOX": "1"}, True)],
)
def test_the_window_is_not_begun_where_its_engine_would_end_at_once(
    monkeypatch: pytest.MonkeyPatch, user: int, surroundings: dict[str, str], *, can: bool
) -> None:
    for name in ("QTWEBENGINE_DISABLE_SANDBOX", "QTWEBENGINE_CHROMIUM_FLAGS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert (why_no_window() == "") is can


@pytest.mark.parametrize(
    ("fails", "says", "why"),
    [
        (
            "libqxcb",
            "libxcb-cursor.so.0: cannot open shared object file: No such file or directory",
            "Qt misses libxcb-cursor.so.0",
        ),
        (
            "libQt6Gui",
            "libEGL.so.1: cannot open shared object file: No such file or directory",
            "Qt misses libEGL.so.1",
        ),
        (
            "WebEngineCore",
            "/qt/libQt6.so: invalid ELF header",
            "Qt cannot be loaded (/qt/libQt6.so: invalid ELF header)",
        ),
        ("nothing", "", ""),
    ],
)
def test_a_library_that_is_missing_is_named_before_qt_would_end_the_process(
    monkeypatch: pytest.MonkeyPatch, fails: str, says: str, why: str
) -> None:
    def load(path: str) -> None:
        if fails in path:
            raise OSError(says)

    for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(display, "CDLL", load)
    assert why_no_window() == why
    if why and "qxcb" in fails:
        monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
        assert why_no_window() == "", "a platform that is not used may be damaged"


def test_without_qt_there_is_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(display, "find_spec", lambda _: None)
    assert why_no_window() == "Qt is not installed"


@pytest.fixture
def x_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[bytearray]:
    """What a server of display :7778 answers to whoever connects."""
    answer = bytearray()
    with file_socket() as server:
        server.bind("\0/tmp/.X11-unix/X7778")
        server.listen()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(12)
                connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("DISPLAY", ":7778.0")
        yield answer
        thread.join(PATIENCE)


@pytest.mark.parametrize(("says", "asks_qt"), [(b"\x01", False), (b"\x00", True)])
def test_qt_is_asked_only_where_the_server_does_not_let_us_in_at_once(
    x_server: bytearray, monkeypatch: pytest.MonkeyPatch, says: bytes, *, asks_qt: bool
) -> None:
    x_server += says
    asked: list[object] = []

    def run(command: object, **_: object) -> subprocess.CompletedProcess[bytes]:
        asked.append(command)
        return subprocess.CompletedProcess((), 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert why_no_display() == ""
    assert bool(asked) is asks_qt


@pytest.mark.parametrize("listens", [True, False])
def test_qt_is_asked_only_where_no_compositor_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, listens: bool
) -> None:
    asked: list[object] = []

    def run(command: object, **_: object) -> subprocess.CompletedProcess[bytes]:
        asked.append(command)
        return subprocess.CompletedProcess((), 0)

    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    monkeypatch.setattr(subprocess, "run", run)
    with file_socket() as compositor:
        if listens:
            compositor.bind(str(tmp_path / "wayland-0"))
            compositor.listen()
        assert why_no_display() == ""
    assert bool(asked) is not listens
