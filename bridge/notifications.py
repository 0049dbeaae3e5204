"""Notifications of the system: the desktop's service on Linux, Notification Center on macOS, toasts on Windows."""

import asyncio
import html
import logging
import sys

from backend.domain.values.errors import OutriderError

SECONDS = 5.0
logging.getLogger("desktop_notifier").setLevel(logging.CRITICAL)  # it is told by a coded error instead


def notify(title: str, text: str) -> None:
    """Show it; raises `notice_failed` where there is no service that does."""
    # Imported when it is needed, so that the window opens sooner. The library finds its resources by their name alone, which
    # a packager does not see.
    import desktop_notifier.resources  # noqa: F401, PLC0415
    from desktop_notifier import DesktopNotifier  # noqa: PLC0415

    # On Linux the text is a little markup language; on the others it is plain.
    shown = html.escape(text, quote=False) if sys.platform.startswith("linux") else text
    shown_at_all: list[bool] = []
    sending = DesktopNotifier("Outrider", app_icon=None).send(
        title, shown, on_dispatched=lambda: shown_at_all.append(True)
    )
    try:
        asyncio.run(asyncio.wait_for(sending, SECONDS))
    except TimeoutError as error:
        raise OutriderError("notice_failed") from error
    if not shown_at_all:
        raise OutriderError("notice_failed")
