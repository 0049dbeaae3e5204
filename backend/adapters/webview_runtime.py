"""Whether Windows has WebView2, which draws the window: it comes with Windows 11 and with Edge, and can be missing or removed.

Asked as Microsoft describes it ("Distribute your app and the WebView2 Runtime") and of the same entries as pywebview, which takes
Internet Explorer's engine where it finds none.
"""

import sys
from importlib import import_module
from typing import Any

from backend.domain.values.errors import OutriderError

CHANNELS = (
    "{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}",  # the runtime
    "{2CD8A007-E189-409D-A2C8-9AF4EF3C72AA}",  # Edge Beta
    "{0D50BFEC-CD6A-4F9A-964C-C7416E3ACB10}",  # Edge Dev
    "{65C35B14-6C1D-4122-AC46-7148CC9D6497}",  # Edge Canary
)
_FOLDERS = (
    ("HKEY_CURRENT_USER", r"SOFTWARE\Microsoft\EdgeUpdate\Clients"),
    ("HKEY_LOCAL_MACHINE", r"SOFTWARE\WOW6432Node\Microsoft\EdgeUpdate\Clients"),
    ("HKEY_LOCAL_MACHINE", r"SOFTWARE\Microsoft\EdgeUpdate\Clients"),  # of a Windows of 32 bits
)
OLDEST = 86
"""The oldest major version that pywebview takes."""


def webview_version(registry: Any | None = None) -> str:
    """The version that draws the window, empty if there is none that can; `registry` is the module `winreg`."""
    winreg = registry or import_module("winreg")
    versions = [
        _version(winreg, getattr(winreg, root), rf"{folder}\{channel}")
        for channel in CHANNELS
        for root, folder in _FOLDERS
    ]
    return next((version for version in versions if _major(version) >= OLDEST), "")


def require_webview_runtime() -> None:
    """Raises `webview_missing` on a Windows without it."""
    if sys.platform == "win32" and not webview_version():
        raise OutriderError("webview_missing")


def _version(winreg: Any, root: Any, path: str) -> str:
    try:
        with winreg.OpenKey(root, path) as key:
            value, _ = winreg.QueryValueEx(key, "pv")
    except OSError:
        return ""
    return str(value)


def _major(version: str) -> int:
    """0 also for "0.0.0.0", which is left behind where it was removed."""
    number = version.partition(".")[0]
    return int(number) if number.isascii() and number.isdecimal() else 0
