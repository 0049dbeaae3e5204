"""Notifications of the system: the desktop's service on Linux, Notification Center on macOS, toasts on Windows."""

import asyncio
import html
import sys

from desktop_notifier import DesktopNotifier

from backend.domain.errors import OutriderError

SECONDS = 5.0


def notify(title: str, text: str) -> None:
    """Show it; raises `notice_failed` where there is no service that does."""
    # On Linux the text is a little markup language; on the others it is plain.
    shown = html.escape(text, quote=False) if sys.platform.startswith("linux") else text
    try:
        asyncio.run(asyncio.wait_for(DesktopNotifier("Outrider", app_icon=None).send(title, shown), SECONDS))
    except Exception as error:  # the library's three back ends raise each their own
        raise OutriderError("notice_failed", detail=type(error).__name__) from error
