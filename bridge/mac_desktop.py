"""The window on macOS: drawn by WebKit, which asks pywebview's `BrowserDelegate` where it may go."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import webview

from backend.domain.values.errors import OutriderError
from bridge import clipboard
from bridge.default_desktop import DefaultDesktop
from bridge.navigation import NavigationGuard
from bridge.window_visibility import WindowVisibility

ENGINE = "webview.platforms.cocoa"
_CANCEL = 0
"""WKNavigationActionPolicyCancel."""
_LINK_ACTIVATED = 0
"""WKNavigationTypeLinkActivated."""
_AWAKE_AS_LONG_AS_THE_MACHINE = 0x00EF_FFFF
"""NSActivityUserInitiatedAllowingIdleSystemSleep."""


class MacDesktop(DefaultDesktop):
    """Cocoa around WebKit."""

    def before_pages(self, home: str) -> None:
        """Have pywebview make its windows with our delegate, which asks the guard first."""
        view: Any = import_module(ENGINE).BrowserView
        view.BrowserDelegate = guarded_delegate(view.BrowserDelegate, NavigationGuard(home))

    def guard(
        self, window: webview.Window, visibility: WindowVisibility, fail: Callable[[OutriderError], None]
    ) -> None:
        """The delegate does; follow what pywebview does not report: that the whole program is hidden."""
        self._observers = follow_hiding(import_module("AppKit"), visibility)
        self._activity = keep_from_napping(import_module("Foundation"))

    def copy(self, text: str) -> str:
        """Put a text on the clipboard; what is there then."""
        return clipboard.copy_on_mac(text, import_module("AppKit"))


def guarded_delegate(delegate: Any, guard: NavigationGuard) -> Any:
    """pywebview's delegate, which is asked only where the guard allows; its methods have the names of WebKit's protocols."""

    class GuardedBrowserDelegate(delegate):  # type: ignore[misc]
        """Named after its class, because Objective-C has one list of all names."""

        def webView_decidePolicyForNavigationAction_decisionHandler_(  # noqa: N802 - its name there
            self, view: Any, action: Any, decide: Any
        ) -> None:
            address, clicked = _asked(action)
            if action.targetFrame() is None:
                guard.open_new_window(address, clicked=clicked)
                decide(_CANCEL)
            elif guard.allows(address, clicked=clicked):
                delegate.webView_decidePolicyForNavigationAction_decisionHandler_(self, view, action, decide)
            else:
                decide(_CANCEL)

        def webView_createWebViewWithConfiguration_forNavigationAction_windowFeatures_(  # noqa: N802 - its name there
            self, view: Any, configuration: Any, action: Any, features: Any
        ) -> None:
            address, clicked = _asked(action)
            guard.open_new_window(address, clicked=clicked)

    # Raises where pywebview has no such methods any more, and decides elsewhere.
    _ = delegate.webView_decidePolicyForNavigationAction_decisionHandler_
    _ = delegate.webView_createWebViewWithConfiguration_forNavigationAction_windowFeatures_
    return GuardedBrowserDelegate


def follow_hiding(appkit: Any, visibility: WindowVisibility) -> list[Any]:
    """Report when the program is hidden (Cmd-H) and shown again; the observers live as long as the answer."""
    center = appkit.NSNotificationCenter.defaultCenter()

    def follow(name: Any, hidden: bool) -> Any:
        return center.addObserverForName_object_queue_usingBlock_(
            name, None, None, lambda _: visibility.program_hidden(hidden)
        )

    return [
        follow(appkit.NSApplicationDidHideNotification, True),
        follow(appkit.NSApplicationDidUnhideNotification, False),
    ]


def keep_from_napping(foundation: Any) -> Any:
    """Let macOS not slow the program whose window nobody sees (App Nap), for as long as the answer lives.

    What is due by the clock, and the lease of a shared store, is due then, too. The machine itself sleeps as it likes.
    """
    process = foundation.NSProcessInfo.processInfo()
    return process.beginActivityWithOptions_reason_(_AWAKE_AS_LONG_AS_THE_MACHINE, "Campaigns go by the clock")


def _asked(action: Any) -> tuple[str, bool]:
    """The address, empty if there is none, and whether a link was clicked."""
    url = action.request().URL()
    return "" if url is None else str(url.absoluteString()), action.navigationType() == _LINK_ACTIVATED
