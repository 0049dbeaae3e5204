"""pywebview's own modules for Windows and macOS, as they are installed, run on objects that stand for .NET's and Cocoa's.

What is hooked by `bridge` is thereby hooked in pywebview's real code: an update that renames or reorders it fails here.
"""

import builtins
import ctypes
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
import webview

PLATFORMS = Path(webview.__file__).parent / "platforms"
HOME = "http://127.0.0.1:5000"


class NetEvent:
    """An event of .NET: handlers are added by `+=` and called with the sender and the event's arguments."""

    def __init__(self) -> None:
        self.handlers: list[Callable[[Any, Any], None]] = []

    def __iadd__(self, handler: Callable[[Any, Any], None]) -> "NetEvent":
        self.handlers.append(handler)
        return self

    def raise_(self, sender: Any, arguments: Any) -> Any:
        for handler in self.handlers:
            handler(sender, arguments)
        return arguments


class NetArguments(SimpleNamespace):
    """An event's arguments, whose properties have methods by which pywebview reads and sets them too."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("set_"):
            return lambda value: setattr(self, name[4:], value)
        if name.startswith("get_"):
            return lambda: getattr(self, name[4:])
        raise AttributeError(name)


class CoreWebView2:
    """WebView2 itself, with the events that its documentation names; it has no others."""

    def __init__(self) -> None:
        self.NavigationStarting, self.FrameNavigationStarting = NetEvent(), NetEvent()
        self.NewWindowRequested, self.LaunchingExternalUriScheme = NetEvent(), NetEvent()
        self.SourceChanged, self.DownloadStarting = NetEvent(), NetEvent()
        self.WebResourceResponseReceived, self.WebResourceRequested = NetEvent(), NetEvent()
        self.Settings, self.CookieManager = SimpleNamespace(), MagicMock()

    def AddWebResourceRequestedFilter(self, *_: Any) -> None:  # noqa: N802 - its name there
        pass


class WebView2Control:
    """The control of Windows Forms around it: the core comes later, when its thread has time."""

    def __init__(self) -> None:
        self.CoreWebView2: CoreWebView2 | None = None
        self.CoreWebView2InitializationCompleted, self.NavigationStarting = NetEvent(), NetEvent()
        self.NavigationCompleted, self.WebMessageReceived = NetEvent(), NetEvent()
        self.loaded: list[str] = []

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "Source":
            self.loaded.append(str(value))

    def BringToFront(self) -> None:  # noqa: N802 - its name there
        pass

    def EnsureCoreWebView2Async(self, _: Any) -> None:  # noqa: N802 - its name there
        pass

    def become_ready(self, failure: str = "") -> None:
        """As it does once the message loop runs."""
        self.CoreWebView2 = None if failure else CoreWebView2()
        arguments = SimpleNamespace(IsSuccess=not failure, InitializationException=failure)
        self.CoreWebView2InitializationCompleted.raise_(self, arguments)


FORM_STATES = SimpleNamespace(Normal="normal", Minimized="minimized", Maximized="maximized")


class Registry:
    """The module `winreg`, with these entries and .NET 4.8."""

    HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE = "HKCU", "HKLM"
    _NET = ("HKLM", r"SOFTWARE\Microsoft\NET Framework Setup\NDP\v4\Full")

    def __init__(self, entries: dict[tuple[str, str], dict[str, Any]]) -> None:
        self._entries = {self._NET: {"Release": 528_040}, **entries}

    def OpenKey(self, root: str, path: str) -> Any:  # noqa: N802 - its name there
        if (root, path) not in self._entries:
            raise FileNotFoundError(path)
        opened = MagicMock()
        opened.__enter__.return_value = opened
        opened.values_there = self._entries[root, path]
        return opened

    def QueryValueEx(self, opened: Any, name: str) -> tuple[Any, int]:  # noqa: N802 - its name there
        if name not in opened.values_there:
            raise FileNotFoundError(name)
        return opened.values_there[name], 1

    def CloseKey(self, _: Any) -> None:  # noqa: N802 - its name there
        pass


def windows_engine(monkeypatch: pytest.MonkeyPatch, registry: Registry) -> ModuleType:
    """pywebview's `winforms`, which loads `edgechromium` where the registry has WebView2."""
    system = MagicMock()
    system.Windows.Forms.Form = type("Form", (), {})
    system.Windows.Forms.FormWindowState = FORM_STATES
    system.Uri = str
    modules: dict[str, Any] = {
        "clr": MagicMock(),
        "winreg": registry,
        "System": system,
        "System.Windows": system.Windows,
        "System.Windows.Forms": system.Windows.Forms,
        "System.Collections": MagicMock(),
        "System.Collections.Generic": MagicMock(),
        "System.Diagnostics": MagicMock(),
        "System.Drawing": MagicMock(),
        "System.Globalization": MagicMock(),
        "System.Reflection": MagicMock(),
        "System.Threading": MagicMock(),
        "System.Threading.Tasks": MagicMock(),
        "Microsoft": MagicMock(),
        "Microsoft.Win32": MagicMock(),
        "Microsoft.Web": MagicMock(),
        "Microsoft.Web.WebView2": MagicMock(),
        "Microsoft.Web.WebView2.Core": MagicMock(),
        "Microsoft.Web.WebView2.WinForms": MagicMock(WebView2=WebView2Control),
        "webview.platforms.win32": MagicMock(),
        "webview.platforms.mshtml": MagicMock(),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("webview.platforms.win32", modules["webview.platforms.win32"], raising=False)
    monkeypatch.setattr("webview.platforms.mshtml", modules["webview.platforms.mshtml"], raising=False)
    monkeypatch.setattr("webview.util.interop_dll_path", lambda name: name)
    monkeypatch.setattr(ctypes, "windll", MagicMock(), raising=False)
    monkeypatch.setattr(ctypes, "WinDLL", MagicMock(), raising=False)
    monkeypatch.setenv("Path", "")
    loaded("edgechromium", monkeypatch)
    return loaded("winforms", monkeypatch)


class CocoaObject:
    """An object of Cocoa: it knows every message, and its own methods answer the ones that it has."""

    @classmethod
    def alloc(cls) -> "CocoaObject":
        return cls()

    def init(self) -> "CocoaObject":
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        answer = MagicMock()
        self.__dict__[name] = answer
        return answer


def mac_engine(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """pywebview's `cocoa`; what it puts into the program's own loop is not run."""
    app_kit = MagicMock(NSObject=CocoaObject, NSWindow=CocoaObject, NSPopUpButton=CocoaObject)
    web_kit = SimpleNamespace(
        WKWebView=CocoaObject,
        WKWebViewConfiguration=MagicMock(),
        WKWebsiteDataStore=MagicMock(),
        NSDate=MagicMock(),
        WKNavigationActionPolicyCancel=0,
        WKNavigationActionPolicyAllow=1,
        WKNavigationTypeLinkActivated=0,
        WKNavigationTypeBackForward=2,
    )
    modules: dict[str, Any] = {
        "AppKit": app_kit,
        "Foundation": MagicMock(),
        "WebKit": web_kit,
        "objc": SimpleNamespace(nil=None, super=builtins.super),
        "PyObjCTools": MagicMock(),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return loaded("cocoa", monkeypatch)


def loaded(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The installed module, run anew and put where it is imported from until the test ends."""
    full_name = f"webview.platforms.{name}"
    spec = importlib.util.spec_from_file_location(full_name, PLATFORMS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, full_name, module)
    monkeypatch.setattr(f"webview.platforms.{name}", module, raising=False)
    spec.loader.exec_module(module)
    return module


def made_window(monkeypatch: pytest.MonkeyPatch) -> webview.Window:
    """pywebview's window, which no engine shows."""
    monkeypatch.setattr(webview, "windows", [])
    window = webview.create_window("Outrider", f"{HOME}/?window=key")
    assert window is not None
    window._initialize(MagicMock())
    return window
