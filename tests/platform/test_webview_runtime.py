"""A Windows without WebView2 is recognised, as Microsoft describes its registry and as pywebview decides."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from backend.adapters import webview_runtime
from backend.adapters.webview_runtime import CHANNELS, require_webview_runtime, webview_version
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import FAIL, OK
from backend.runtime import doctor
from bridge import __main__ as start
from bridge.start_failure import show_box_without_console
from tests.platform.pywebview_engines import Registry, windows_engine

VERSION = "131.0.2903.70"
FOR_ALL = ("HKLM", rf"SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients\{CHANNELS[0]}")
FOR_ONE = ("HKCU", rf"SOFTWARE\Microsoft\EdgeUpdate\Clients\{CHANNELS[0]}")
BETA = ("HKCU", rf"SOFTWARE\Microsoft\EdgeUpdate\Clients\{CHANNELS[1]}")
RUNTIME: dict[tuple[str, str], dict[str, Any]] = {FOR_ALL: {"pv": VERSION}}

REGISTRIES: dict[str, tuple[dict[tuple[str, str], dict[str, Any]], str]] = {
    "for all users": (RUNTIME, VERSION),
    "for this user": ({FOR_ONE: {"pv": VERSION}}, VERSION),
    "Edge Beta": ({BETA: {"pv": VERSION}}, VERSION),
    "removed for all, there for this user": ({FOR_ALL: {"pv": "0.0.0.0"}, FOR_ONE: {"pv": VERSION}}, VERSION),
    "none": ({}, ""),
    "removed": ({FOR_ALL: {"pv": "0.0.0.0"}}, ""),
    "an empty version": ({FOR_ALL: {"pv": ""}}, ""),
    "an entry without a version": ({FOR_ALL: {}}, ""),
    "no version": ({FOR_ALL: {"pv": "unknown"}}, ""),
    "too old": ({FOR_ALL: {"pv": "85.0.564.41"}}, ""),
}


@pytest.mark.parametrize("case", REGISTRIES)
def test_the_registry_says_whether_it_is_there(case: str) -> None:
    entries, version = REGISTRIES[case]
    assert webview_version(Registry(entries)) == version


@pytest.mark.parametrize("case", [case for case in REGISTRIES if case not in ("an empty version", "no version")])
def test_pywebview_decides_the_same(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """But for what it cannot read, over which it stumbles; then it takes the other engine, too."""
    entries, version = REGISTRIES[case]
    engine = windows_engine(monkeypatch, Registry(entries))
    assert engine.renderer == ("edgechromium" if version else "mshtml")


def windows_with(monkeypatch: pytest.MonkeyPatch, entries: dict[tuple[str, str], dict[str, Any]]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "winreg", Registry(entries))


def test_doctor_names_the_version_or_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    windows_with(monkeypatch, RUNTIME)
    well = doctor.window()
    assert (well.status, VERSION in well.said) == (OK, True)
    windows_with(monkeypatch, {})
    missing = doctor.window()
    assert missing.status == FAIL
    assert "WebView2 Runtime is missing" in missing.said
    assert "Install" in missing.remedy
    assert "--no-window" in missing.remedy


def test_a_start_without_it_makes_no_window(monkeypatch: pytest.MonkeyPatch) -> None:
    windows_with(monkeypatch, {})
    monkeypatch.setattr("bridge.window.Window", lambda *_: pytest.fail("an empty page"))
    nothing: Any = SimpleNamespace()
    with pytest.raises(OutriderError) as refused:
        start.show(nothing, nothing, nothing, None, hidden_browser=False)
    assert refused.value.code == "webview_missing"


def test_elsewhere_it_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webview_runtime, "webview_version", lambda: pytest.fail("there is no registry"))
    for system in ("linux", "darwin"):
        monkeypatch.setattr(sys, "platform", system)
        require_webview_runtime()


class Console:
    """What kernel32 and user32 say of a program's console, and the boxes they show."""

    def __init__(self, window: int, visible: bool) -> None:
        self._window, self._visible = window, visible
        self.boxes: list[tuple[Any, str, str, int]] = []

    def GetConsoleWindow(self) -> int:  # noqa: N802 - its name there
        return self._window

    def IsWindowVisible(self, window: int) -> int:  # noqa: N802 - its name there
        assert window == self._window
        return int(self._visible)

    def MessageBoxW(self, *box: Any) -> int:  # noqa: N802 - its name there
        self.boxes.append(box)
        return 1


@pytest.mark.parametrize(("window", "visible", "boxes"), [(0, False, 1), (7, False, 1), (7, True, 0)])
def test_a_start_whose_console_nobody_sees_says_why_in_a_box(window: int, visible: bool, boxes: int) -> None:
    error, console = OutriderError("webview_missing"), Console(window, visible)
    show_box_without_console(error, console, console)
    assert len(console.boxes) == boxes
    for _, text, title, _ in console.boxes:
        assert title == "Outrider"
        assert all(part in text for part in (error.sentence, error.remedy, error.code))
