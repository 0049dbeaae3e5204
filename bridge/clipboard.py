"""The clipboards of macOS and Windows, by each system's own interface: its programs for it change what they are given.

`pbcopy` reads what an app that Finder started gives it as MacRoman, and `clip` guesses the encoding or keeps its mark. Each
function puts a text there and returns what is there then.
"""

import ctypes
import time
from typing import Any

_UNICODE_TEXT = 13
_MOVEABLE = 0x2
_TRIES, _BETWEEN_SECONDS = 20, 0.025
"""While another program has the clipboard open, which takes it a moment."""


def copy_on_mac(text: str, appkit: Any) -> str:
    """By the general pasteboard of `AppKit`."""
    board = appkit.NSPasteboard.generalPasteboard()
    board.clearContents()
    board.setString_forType_(text, appkit.NSPasteboardTypeString)
    return str(board.stringForType_(appkit.NSPasteboardTypeString) or "")


def copy_on_windows(text: str, user32: Any, kernel32: Any) -> str:
    """As Unicode text, by the libraries of those names. Raises OSError while another program keeps the clipboard open."""
    for function in (kernel32.GlobalAlloc, kernel32.GlobalLock, user32.GetClipboardData, user32.SetClipboardData):
        function.restype = ctypes.c_void_p
    kernel32.GlobalAlloc.argtypes = (ctypes.c_uint, ctypes.c_size_t)
    for function in (kernel32.GlobalLock, kernel32.GlobalUnlock):
        function.argtypes = (ctypes.c_void_p,)
    user32.SetClipboardData.argtypes = (ctypes.c_uint, ctypes.c_void_p)
    content = text.encode("utf-16-le", "surrogatepass") + b"\0\0"
    _open(user32)
    try:
        user32.EmptyClipboard()
        handle = kernel32.GlobalAlloc(_MOVEABLE, len(content))
        ctypes.memmove(kernel32.GlobalLock(handle), content, len(content))
        kernel32.GlobalUnlock(handle)
        user32.SetClipboardData(_UNICODE_TEXT, handle)  # from here on it is the system's
        return _read(user32, kernel32)
    finally:
        user32.CloseClipboard()


def _open(user32: Any) -> None:
    for _ in range(_TRIES):
        if user32.OpenClipboard(None):
            return
        time.sleep(_BETWEEN_SECONDS)
    raise OSError("another program keeps the clipboard open")


def _read(user32: Any, kernel32: Any) -> str:
    handle = user32.GetClipboardData(_UNICODE_TEXT)
    if not handle:
        return ""
    try:
        # Not `wstring_at`, whose characters are as wide as the machine's.
        return _text_at(kernel32.GlobalLock(handle))
    finally:
        kernel32.GlobalUnlock(handle)


def _text_at(address: int) -> str:
    units = ctypes.cast(address, ctypes.POINTER(ctypes.c_uint16))
    end = 0
    while units[end]:
        end += 1
    return ctypes.string_at(address, 2 * end).decode("utf-16-le", "surrogatepass")
