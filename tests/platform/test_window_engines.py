"""The windows of Windows and macOS stay on our page and report when they are put away: on pywebview's own code for them."""

import sys
import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from backend.domain.values.errors import OutriderError
from bridge import mac_desktop, navigation, windows_desktop
from bridge.mac_desktop import MacDesktop, guarded_delegate
from bridge.navigation import NavigationGuard
from bridge.window_visibility import WindowVisibility, follow_minimizing
from bridge.windows_desktop import WindowsDesktop, guard_webview
from tests.platform.pywebview_engines import (
    FORM_STATES,
    HOME,
    PLATFORMS,
    NetArguments,
    Registry,
    WebView2Control,
    mac_engine,
    made_window,
    windows_engine,
)
from tests.platform.test_webview_runtime import RUNTIME

ELSEWHERE = "https://example.org/profile"
NAVIGATIONS: list[tuple[str, bool, bool, bool]] = [
    (f"{HOME}/?window=key#/today", False, True, False),
    (f"{HOME}/review", True, True, False),
    (ELSEWHERE, True, False, True),
    (ELSEWHERE, False, False, False),
    ("mailto:ann@example.org", True, False, True),
    ("file:///C:/Windows/System32/calc.exe", True, False, False),
    ("ms-msdt:/id", True, False, False),
    ("about:blank", False, False, False),
]
"""(address, whether a link was clicked, whether the window goes there, whether it opens outside)."""


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was opened by the system; pywebview's own way to do that is closed."""
    opened: list[str] = []
    monkeypatch.setattr(navigation, "_open_in_thread", opened.append)
    monkeypatch.setattr("webbrowser.open", lambda *_: pytest.fail("opened by pywebview, unseen"))
    return opened


@pytest.fixture
def reports() -> list[bool]:
    """What presence heard of the window."""
    return []


@pytest.fixture
def visibility(reports: list[bool]) -> WindowVisibility:
    visibility = WindowVisibility()
    visibility.listen(reports.append)
    visibility.shown()
    reports.clear()
    return visibility


def no_failure(error: OutriderError) -> None:
    raise error


class WindowsWindow:
    """A window made by pywebview's code for Windows."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        visibility: WindowVisibility,
        fail: Callable[[OutriderError], None] = no_failure,
    ) -> None:
        self.engine = windows_engine(monkeypatch, Registry(RUNTIME))
        self.window = made_window(monkeypatch)
        form = MagicMock(spec_set=["Controls", "Show", "Activate"])
        self.browser = self.engine.Chromium.EdgeChrome(form, self.window, "")
        self.control: WebView2Control = self.browser.webview
        # As `BrowserForm` has them, by the test of its names below.
        self.form = SimpleNamespace(
            browser=self.browser,
            pywebview_window=self.window,
            WindowState=FORM_STATES.Normal,
            old_state=FORM_STATES.Normal,
            Width=1_280,
            Height=860,
            _scale=1.0,
        )
        self.window.native = self.form  # type: ignore[assignment]
        desktop = WindowsDesktop()
        desktop._geometry = SimpleNamespace(maximized=False, model_copy=lambda update: desktop._geometry)  # type: ignore[assignment]
        desktop.before_pages(HOME)
        desktop.window_created(self.window, HOME, visibility, fail)

    def becomes(self, state: str) -> None:
        """What Windows Forms does: the state is there, then the form's own handler is called."""
        self.form.WindowState = state
        self.engine.BrowserView.BrowserForm.on_resize(self.form, None, None)


@pytest.mark.parametrize(("address", "clicked", "goes", "opens"), NAVIGATIONS)
def test_on_windows_only_our_page_is_gone_to(
    monkeypatch: pytest.MonkeyPatch,
    visibility: WindowVisibility,
    outside: list[str],
    address: str,
    clicked: bool,
    goes: bool,
    opens: bool,
) -> None:
    control = WindowsWindow(monkeypatch, visibility).control
    control.become_ready()
    assert control.loaded == [f"{HOME}/?window=key"], "pywebview's own handler ran"
    navigation_ = control.NavigationStarting.raise_(
        control, NetArguments(Uri=address, IsUserInitiated=clicked, Cancel=False)
    )
    assert navigation_.Cancel is not goes
    assert outside == ([address] if opens else [])


@pytest.mark.parametrize(("address", "clicked", "goes", "opens"), NAVIGATIONS)
def test_on_windows_no_new_window_is_made_and_no_program_started(
    monkeypatch: pytest.MonkeyPatch,
    visibility: WindowVisibility,
    outside: list[str],
    address: str,
    clicked: bool,
    goes: bool,
    opens: bool,
) -> None:
    control = WindowsWindow(monkeypatch, visibility).control
    control.become_ready()
    core = control.CoreWebView2
    assert core is not None
    request = core.NewWindowRequested.raise_(core, NetArguments(Uri=address, IsUserInitiated=clicked, Handled=False))
    assert request.Handled is True
    assert outside == ([address] if opens else [])
    assert len(control.loaded) == 1, "the page stays"

    outside.clear()
    frame = core.FrameNavigationStarting.raise_(core, NetArguments(Uri=address, IsUserInitiated=clicked, Cancel=False))
    assert frame.Cancel is not goes
    started = core.LaunchingExternalUriScheme.raise_(core, NetArguments(Uri=address, Cancel=False))
    assert started.Cancel is True
    assert outside == []


def test_on_windows_presence_hears_that_the_window_is_minimised_and_comes_back(
    monkeypatch: pytest.MonkeyPatch, visibility: WindowVisibility, reports: list[bool]
) -> None:
    window = WindowsWindow(monkeypatch, visibility)
    for state in (FORM_STATES.Minimized, FORM_STATES.Normal):
        window.becomes(state)
    assert reports == [False, True]
    reports.clear()
    for state in (FORM_STATES.Maximized, FORM_STATES.Minimized, FORM_STATES.Maximized):
        window.becomes(state)
    assert reports == [True, False, True], "it comes back as large as it was, which pywebview calls maximised only"


def test_on_windows_an_engine_that_does_not_start_is_no_empty_page(
    monkeypatch: pytest.MonkeyPatch, visibility: WindowVisibility
) -> None:
    failures: list[OutriderError] = []
    window = WindowsWindow(monkeypatch, visibility, failures.append)
    window.control.become_ready("System.Exception: it is damaged.\n   at Microsoft.Web")
    (failure,) = failures
    assert failure.code == "webview_failed"
    assert "did not start (System.Exception: it is damaged)" in failure.sentence


def test_on_windows_without_webview2_pywebview_s_other_engine_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert windows_engine(monkeypatch, Registry({})).renderer == "mshtml"
    with pytest.raises(OutriderError) as refused:
        WindowsDesktop().before_pages(HOME)
    assert refused.value.code == "webview_missing"


def test_on_windows_what_cannot_be_hooked_raises() -> None:
    """pywebview without the handler that is replaced; setting it would be of no use."""
    browser = SimpleNamespace(webview=WebView2Control())
    with pytest.raises(AttributeError):
        guard_webview(browser, NavigationGuard(HOME), no_failure)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (
            "winforms.py",
            ["self.pywebview_window.native = self", "self.browser = Chromium.EdgeChrome(", "self.Resize +="],
        ),
        ("winforms.py", ["window.events.before_show.set()", "renderer = 'edgechromium'"]),
        ("edgechromium.py", ["sender.CoreWebView2.NewWindowRequested += self.on_new_window_request"]),
        ("cocoa.py", ["self._browserDelegate = BrowserView.BrowserDelegate.alloc().init()"]),
        ("cocoa.py", ["self.webview.setUIDelegate_(self._browserDelegate)"]),
        ("cocoa.py", ["self.webview.setNavigationDelegate_(self._browserDelegate)"]),
    ],
)
def test_pywebview_still_names_what_is_hooked(module: str, names: list[str]) -> None:
    source = (PLATFORMS / module).read_text("utf-8")
    assert [name for name in names if name not in source] == []


def test_webview2_still_names_what_is_hooked() -> None:
    library = (PLATFORMS.parent / "lib" / "Microsoft.Web.WebView2.Core.dll").read_bytes()
    names = ["NavigationStarting", "FrameNavigationStarting", "NewWindowRequested", "LaunchingExternalUriScheme"]
    properties = ["get_IsUserInitiated", "get_Uri", "set_Cancel", "set_Handled", "get_InitializationException"]
    looked_for = [*(f"add_{name}" for name in names), *properties]
    assert [name for name in looked_for if name.encode() not in library] == []


class MacWindow:
    """A window made by pywebview's code for macOS."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, visibility: WindowVisibility) -> None:
        self.engine: ModuleType = mac_engine(monkeypatch)
        self.window = made_window(monkeypatch)
        self.desktop = desktop = MacDesktop()
        desktop._geometry = SimpleNamespace(maximized=False, model_copy=lambda update: desktop._geometry)  # type: ignore[assignment]
        desktop.before_pages(HOME)
        self.window.events.before_show += lambda: desktop.window_created(self.window, HOME, visibility, no_failure)
        self.view = self.engine.BrowserView(self.window)
        self.center = sys.modules["AppKit"].NSNotificationCenter.defaultCenter()

    @property
    def delegate(self) -> Any:
        """Whom WebKit asks."""
        (delegate,) = self.view.webview.setNavigationDelegate_.call_args.args
        assert self.view.webview.setUIDelegate_.call_args.args == (delegate,)
        return delegate

    def happens(self, message: str) -> None:
        """Cocoa tells the window's delegate."""
        getattr(self.view._windowDelegate, message)(SimpleNamespace(object=lambda: self.view.window))

    def program(self, notification: Any) -> None:
        """Cocoa tells whoever observes the program."""
        for call in self.center.addObserverForName_object_queue_usingBlock_.call_args_list:
            if call.args[0] is notification:
                call.args[3](None)


def action(address: str | None, *, clicked: bool, new_window: bool = False, otherwise: int = -1) -> Any:
    """WebKit's question; `otherwise` is how it comes to it without a click on a link."""
    url = None
    if address is not None:
        url = MagicMock(absoluteString=lambda: address, __str__=lambda _: address)
    request = SimpleNamespace(URL=lambda: url, allHTTPHeaderFields=dict)
    return SimpleNamespace(
        request=lambda: request,
        navigationType=lambda: 0 if clicked else otherwise,
        targetFrame=lambda: None if new_window else MagicMock(),
        shouldPerformDownload=lambda: False,
    )


@pytest.mark.parametrize(("address", "clicked", "goes", "opens"), NAVIGATIONS)
def test_on_macos_only_our_page_is_gone_to(
    monkeypatch: pytest.MonkeyPatch,
    visibility: WindowVisibility,
    outside: list[str],
    address: str,
    clicked: bool,
    goes: bool,
    opens: bool,
) -> None:
    window = MacWindow(monkeypatch, visibility)
    answers: list[int] = []
    window.delegate.webView_decidePolicyForNavigationAction_decisionHandler_(
        window.view.webview, action(address, clicked=clicked), answers.append
    )
    assert answers == [int(goes)]
    assert outside == ([address] if opens else [])


@pytest.mark.parametrize(("address", "clicked", "goes", "opens"), NAVIGATIONS)
def test_on_macos_no_new_window_is_made(
    monkeypatch: pytest.MonkeyPatch,
    visibility: WindowVisibility,
    outside: list[str],
    address: str,
    clicked: bool,
    goes: bool,
    opens: bool,
) -> None:
    window = MacWindow(monkeypatch, visibility)
    answers: list[int] = []
    asked = action(address, clicked=clicked, new_window=True)
    window.delegate.webView_decidePolicyForNavigationAction_decisionHandler_(window.view.webview, asked, answers.append)
    assert answers == [0]
    assert outside == ([address] if opens else [])
    outside.clear()
    made = window.delegate.webView_createWebViewWithConfiguration_forNavigationAction_windowFeatures_(
        window.view.webview, None, asked, None
    )
    assert made is None
    assert outside == ([address] if opens else [])


@pytest.mark.parametrize("kind", range(1, 5))
def test_on_macos_no_form_and_no_way_back_opens_anything_outside(
    monkeypatch: pytest.MonkeyPatch, visibility: WindowVisibility, outside: list[str], kind: int
) -> None:
    window = MacWindow(monkeypatch, visibility)
    answers: list[int] = []
    window.delegate.webView_decidePolicyForNavigationAction_decisionHandler_(
        window.view.webview, action("https://example.org/", clicked=False, otherwise=kind), answers.append
    )
    assert (answers, outside) == ([0], [])


def test_on_macos_an_address_that_is_none_is_answered_too(
    monkeypatch: pytest.MonkeyPatch, visibility: WindowVisibility, outside: list[str]
) -> None:
    """WebKit ends the program whose delegate does not answer."""
    window = MacWindow(monkeypatch, visibility)
    answers: list[int] = []
    window.delegate.webView_decidePolicyForNavigationAction_decisionHandler_(
        window.view.webview, action(None, clicked=True), answers.append
    )
    assert (answers, outside) == ([0], [])


def test_on_macos_presence_hears_that_the_window_is_put_away_and_comes_back(
    monkeypatch: pytest.MonkeyPatch, visibility: WindowVisibility, reports: list[bool]
) -> None:
    window = MacWindow(monkeypatch, visibility)
    app_kit = sys.modules["AppKit"]
    window.happens("windowDidMiniaturize_")
    window.program(app_kit.NSApplicationDidHideNotification)
    window.program(app_kit.NSApplicationDidUnhideNotification)
    assert reports == [False, False, False], "shown again, the program still has its window minimised"
    window.happens("windowDidDeminiaturize_")
    window.program(app_kit.NSApplicationDidHideNotification)
    window.program(app_kit.NSApplicationDidUnhideNotification)
    assert reports[3:] == [True, False, True]


def test_on_macos_a_window_that_nobody_sees_is_not_slowed_and_the_machine_may_sleep(
    monkeypatch: pytest.MonkeyPatch, visibility: WindowVisibility
) -> None:
    """App Nap ends with the activity, and an activity with the object that stands for it."""
    window = MacWindow(monkeypatch, visibility)
    begin = sys.modules["Foundation"].NSProcessInfo.processInfo().beginActivityWithOptions_reason_
    ((options, reason),) = [call.args for call in begin.call_args_list]
    assert options & 0x00FF_FFFF == 0x00EF_FFFF, "all of NSActivityUserInitiated but NSActivityIdleSystemSleepDisabled"
    assert reason
    assert window.desktop._activity is begin.return_value


def test_on_macos_what_cannot_be_hooked_raises() -> None:
    class OtherDelegate:
        """pywebview's, if it decided by a newer message of WebKit's."""

    with pytest.raises(AttributeError):
        guarded_delegate(OtherDelegate, NavigationGuard(HOME))


def test_the_engines_are_those_that_pywebview_loads() -> None:
    source = (PLATFORMS.parent / "guilib.py").read_text("utf-8")
    assert f"import {windows_desktop.ENGINE} as guilib" in source
    assert f"import {mac_desktop.ENGINE} as guilib" in source


def test_a_window_is_not_seen_before_it_is_shown() -> None:
    reports: list[bool] = []
    visibility = WindowVisibility()
    visibility.listen(reports.append)
    visibility.minimized(True)
    visibility.shown()
    assert reports == [False, False, False], "opened minimised"
    visibility.minimized(False)
    assert reports[-1]


def test_whoever_listens_late_hears_what_holds() -> None:
    reports: list[bool] = []
    visibility = WindowVisibility()
    visibility.shown()
    visibility.listen(reports.append)
    assert reports == [True]


def test_pywebview_s_events_are_heard_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a lock pywebview starts a thread for each, and the last to come would be believed."""
    window = made_window(monkeypatch)
    reports: list[tuple[bool, threading.Thread]] = []
    visibility = WindowVisibility()
    visibility.shown()
    visibility.listen(lambda seen: reports.append((seen, threading.current_thread())))
    reports.clear()
    follow_minimizing(window, visibility)
    window.events.minimized.set()
    window.events.restored.set()
    assert reports == [(False, threading.current_thread()), (True, threading.current_thread())]
