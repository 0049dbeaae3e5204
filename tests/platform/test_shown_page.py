"""On macOS and Windows our functions answer our own page alone, also where another address only begins like ours."""

from types import SimpleNamespace
from typing import Any

import pytest

from bridge.default_desktop import DefaultDesktop
from bridge.mac_desktop import MacDesktop
from bridge.windows_desktop import WindowsDesktop

HOME = "http://127.0.0.1:5000"


@pytest.mark.parametrize("desktop", [MacDesktop(), WindowsDesktop()])
@pytest.mark.parametrize(
    ("shown", "is_ours"),
    [
        (f"{HOME}/?window=key#/today", True),
        (f"{HOME}0/", False),
        (f"{HOME}@example.org/", False),
        (f"{HOME}.example.org/", False),
        ("https://127.0.0.1:5000/", False),
        ("file:///etc/hosts", False),
        (None, False),
    ],
)
def test_only_our_page_is_ours(desktop: DefaultDesktop, shown: str | None, is_ours: bool) -> None:
    window: Any = SimpleNamespace(get_current_url=lambda: shown)
    desktop._window = window
    assert desktop.is_showing(HOME) == is_ours
