"""What the window does for its page, on this system (`backend.api.native.Native`)."""

import threading
from pathlib import Path
from typing import Protocol

import webview
from platformdirs import user_documents_path

from backend.api.native import Copied, Link, Notice, OpenFile, SaveFile, Title
from backend.api.server.file_tickets import FileTickets, safe_name
from backend.api.server.launch_token import LaunchToken
from backend.api.server.page_files import PlaceInPage
from backend.api.shapes import Destination, Offered
from backend.domain.values.errors import OutriderError
from bridge import links, notifications

_TYPES = {
    "leads": ("Lead files (*.csv;*.xlsx;*.zip)", "All files (*.*)"),
    "skill": ("Skills (*.zip;*.md)", "All files (*.*)"),
    "backup": ("Backups (*.db)", "All files (*.*)"),
    "any": ("All files (*.*)",),
}


class WindowActions(Protocol):
    """The window behind the functions."""

    def choose(self, kind: webview.FileDialog, folder: Path, name: str, types: tuple[str, ...]) -> Path | None:
        """Show a file dialog."""
        ...

    def copy(self, text: str) -> None:
        """Put a text on the clipboard."""
        ...

    def name(self, title: str) -> None:
        """Set the title."""
        ...

    def keep_place(self, place_in_page: PlaceInPage) -> None:
        """Come back there at the next start."""
        ...

    def open_data_folder(self) -> None:
        """Show it in the system's file manager."""
        ...

    def bring_to_front(self) -> None:
        """Above the other windows."""
        ...

    def stop_and_close(self) -> None:
        """Let the current action end, then close; does not wait."""
        ...

    def keep_open(self) -> None:
        """The user was asked and stays."""
        ...


class NativeCalls:
    """Each method may be called from any thread, several at once; a dialog is shown one at a time."""

    def __init__(self, token: LaunchToken, files: FileTickets, shell: WindowActions) -> None:
        self._token = token
        self._files = files
        self._shell = shell
        self._dialog = threading.Lock()
        self._folder = user_documents_path()

    def outrider_token(self) -> str:
        """The token of this launch."""
        return self._token.value

    def open_file(self, asked: OpenFile) -> Offered | None:
        """Let the user choose a file to read; None if they do not."""
        return self._offered(self._choose(webview.FileDialog.OPEN, types=_TYPES[asked.kind]))

    def open_folder(self) -> Offered | None:
        """Let the user choose a folder to read; None if they do not."""
        return self._offered(self._choose(webview.FileDialog.FOLDER))

    def save_file(self, asked: SaveFile) -> Destination | None:
        """Let the user choose where to write; None if they do not."""
        path = self._choose(webview.FileDialog.SAVE, name=safe_name(asked.suggested, "export"))
        return None if path is None else Destination(ticket=self._files.ticket_for_writing(path))

    def notify(self, notice: Notice) -> None:
        """Show a notification of the system."""
        notifications.notify(notice.title, notice.text)

    def open_link(self, link: Link) -> None:
        """Open an http or https address in the user's own browser."""
        links.open_link(link.url)

    def copy_text(self, copied: Copied) -> None:
        """Put a text on the clipboard."""
        self._shell.copy(copied.text)

    def set_title(self, title: Title) -> None:
        """Name the window after what it shows."""
        self._shell.name(title.title)

    def keep_place(self, place_in_page: PlaceInPage) -> None:
        """Come back there at the next start."""
        self._shell.keep_place(place_in_page)

    def open_data_folder(self) -> None:
        """Show the data folder in the system's file manager."""
        self._shell.open_data_folder()

    def start_again(self) -> None:
        """None failed."""

    def bring_to_front(self) -> None:
        """Show the window above the others."""
        self._shell.bring_to_front()

    def stop_and_close(self) -> None:
        """Let the current action end, then close."""
        self._shell.stop_and_close()

    def keep_open(self) -> None:
        """The user was asked and does not want to close."""
        self._shell.keep_open()

    def _offered(self, path: Path | None) -> Offered | None:
        if path is None:
            return None
        try:
            return self._files.ticket_for_reading(path, path.name)
        except OSError as error:
            raise OutriderError("upload_failed", detail=error.strerror or "it is not there") from error

    def _choose(self, kind: webview.FileDialog, *, name: str = "", types: tuple[str, ...] = ()) -> Path | None:
        if not self._dialog.acquire(blocking=False):
            raise OutriderError("dialog_open")
        try:
            path = self._shell.choose(kind, self._folder, name, types)
        finally:
            self._dialog.release()
        if path is not None:
            self._folder = path.parent
        return path
