"""External links: the only way out of the window, into the user's own browser, and only to the web; and our own folder."""

import webbrowser
from pathlib import Path
from urllib.parse import urlsplit

from backend.domain.values.errors import OutriderError


def checked(url: str) -> str:
    """The address as it may be opened; raises `link_refused`.

    Only http and https: any other scheme would start a program of somebody else's choice. No user name before the host,
    which only serves to make another host look like the real one.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise OutriderError("link_refused") from error
    printable = url.isprintable() and not any(letter.isspace() or letter in '"<>\\^`{|}' for letter in url)
    if parts.scheme not in ("http", "https") or not host or "@" in parts.netloc or not printable:
        raise OutriderError("link_refused")
    return parts.geturl()


def open_link(url: str) -> None:
    """Open it in the user's browser; raises `link_refused` and `link_failed`."""
    open_outside(checked(url))


def open_outside(address: str) -> None:
    """Open an address that was checked (`checked`, `navigation.where_to_open`) by the system; raises `link_failed`."""
    if not webbrowser.open(address):
        raise OutriderError("link_failed")


def open_folder(folder: Path) -> None:
    """Show a folder of ours in the system's file manager; raises `folder_not_shown`."""
    if not webbrowser.open(folder.as_uri()):
        raise OutriderError("folder_not_shown", path=folder)
