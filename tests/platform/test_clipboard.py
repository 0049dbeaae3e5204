"""The clipboards of macOS and Windows, by their own rules, emulated: what was copied is what is there, to the last character."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from backend.domain.values.errors import OutriderError
from bridge import clipboard
from bridge.window import Window
from tests.platform.windows_library import Function

TEXTS = ["José \u2013 Łukasz", "Hällo\n\t🙂 'quotes' \\ \u2028 end", "", "\ufeffmark", "line\r\nline", "日本語"]


class Pasteboard:
    """What NSPasteboard does: a new text needs a cleared board, and a type of its own."""

    def __init__(self, *, refuses: bool = False) -> None:
        self._kept: dict[str, str] | None = None
        self._refuses = refuses

    def clearContents(self) -> int:  # noqa: N802 - its name there
        self._kept = {}
        return 1

    def setString_forType_(self, text: str, kind: str) -> bool:  # noqa: N802 - its name there
        if self._kept is None or self._refuses:
            return False
        self._kept[kind] = text
        return True

    def stringForType_(self, kind: str) -> str | None:  # noqa: N802 - its name there
        return (self._kept or {}).get(kind)


class Windows:
    """What user32 and kernel32 do: moveable memory of its own, handles, one program at a time, NUL ends a text."""

    def __init__(self, busy: int = 0) -> None:
        self.busy, self.opened, self.kept = busy, False, 0
        self.memory: dict[int, Any] = {}
        self.calls = {name: Function(getattr(self, f"_{name}")) for name in _NAMES}

    def __getattr__(self, name: str) -> Any:
        return self.calls[name]

    def _OpenClipboard(self, _: Any) -> int:  # noqa: N802
        self.busy -= 1
        self.opened = self.busy < 0
        return int(self.opened)

    def _CloseClipboard(self) -> int:  # noqa: N802
        self.opened = False
        return 1

    def _EmptyClipboard(self) -> int:  # noqa: N802
        assert self.opened
        self.kept = 0
        return 1

    def _GlobalAlloc(self, _: int, size: int) -> int:  # noqa: N802
        handle = (1 << 40) + len(self.memory)
        self.memory[handle] = ctypes.create_string_buffer(b"\xff" * size, size)
        return handle

    def _GlobalLock(self, handle: int) -> int:  # noqa: N802
        return ctypes.addressof(self.memory[handle])

    def _GlobalUnlock(self, _: int) -> int:  # noqa: N802
        return 1

    def _SetClipboardData(self, kind: int, handle: int) -> int:  # noqa: N802
        assert (self.opened, kind) == (True, 13)
        self.kept = handle
        return handle

    def _GetClipboardData(self, kind: int) -> int:  # noqa: N802
        assert (self.opened, kind) == (True, 13)
        return self.kept


_NAMES = [name[1:] for name in vars(Windows) if name[:1] == "_" and name[1:2].isupper()]


@pytest.mark.parametrize("text", TEXTS)
def test_on_macos_what_is_copied_is_what_is_there(text: str) -> None:
    board = Pasteboard()
    assert clipboard.copy_on_mac("earlier", appkit(board)) == "earlier"
    assert clipboard.copy_on_mac(text, appkit(board)) == text
    assert board.stringForType_("public.utf8-plain-text") == text


def test_on_macos_a_text_that_is_not_taken_is_not_there() -> None:
    assert clipboard.copy_on_mac("words", appkit(Pasteboard(refuses=True))) == ""


def appkit(board: Pasteboard) -> SimpleNamespace:
    general = SimpleNamespace(generalPasteboard=lambda: board)
    return SimpleNamespace(NSPasteboard=general, NSPasteboardTypeString="public.utf8-plain-text")


@pytest.mark.parametrize("text", TEXTS)
def test_on_windows_what_is_copied_is_what_is_there_without_a_mark_before_it(text: str) -> None:
    system = Windows(busy=3)
    assert clipboard.copy_on_windows(text, system, system) == text
    assert system.memory[system.kept].raw == text.encode("utf-16-le") + b"\0\0"
    assert not system.opened


def test_on_windows_a_text_that_would_be_cut_is_seen_to_be() -> None:
    system = Windows()
    assert clipboard.copy_on_windows("before\0after", system, system) == "before"


def test_on_windows_a_clipboard_that_stays_open_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "_BETWEEN_SECONDS", 0.0)
    system = Windows(busy=1_000)
    with pytest.raises(OSError, match="keeps the clipboard open"):
        clipboard.copy_on_windows("x", system, system)


def busy(_: str) -> str:
    raise OSError("another program keeps the clipboard open")


@pytest.mark.parametrize("copy", [lambda text: text[:-1], lambda text: "\ufeff" + text, lambda _: "", busy])
def test_what_is_there_otherwise_than_it_was_given_does_not_count_as_copied(copy: Any) -> None:
    """Whoever pastes would send it under the user's name."""
    window: Any = SimpleNamespace(_system=SimpleNamespace(copy=copy))
    with pytest.raises(OutriderError, match="copy_failed"):
        Window.copy(window, "words")
    window._system.copy = str
    Window.copy(window, "words")
