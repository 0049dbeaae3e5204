"""What Outrider's window does for its page: named functions, typed on both sides from the one table below.

The bridge's implementation satisfies `Native` under mypy; the page calls the interface that `make wire` writes from it.
Every function takes at most one shape and answers a shape, a string or null; what goes wrong is an `ErrorShape`.
"""

from typing import Annotated, Any, Literal, NamedTuple, Protocol, get_type_hints

from pydantic import Field, StringConstraints

from backend.api.server.page_files import PlaceInPage
from backend.api.shapes import Destination, Offered
from backend.domain.values.shapes import Shape

Line = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]


class OpenFile(Shape):
    """Which files the dialog offers: lead files (CSV, zip), skills (zip, SKILL.md), backups (db), or any."""

    kind: Literal["leads", "skill", "backup", "any"]


class SaveFile(Shape):
    """The name that the dialog suggests."""

    suggested: Line


class Notice(Shape):
    """A notification of the system."""

    title: Line
    text: str = Field(max_length=500)


class Link(Shape):
    """An address for the user's own browser."""

    url: str = Field(min_length=1, max_length=2_048)


class Copied(Shape):
    """A text for the clipboard."""

    text: str = Field(max_length=1_000_000)


class Title(Shape):
    """The window's title."""

    title: Line


class Native(Protocol):
    """What the window does for its page."""

    def outrider_token(self) -> str:
        """The token of this launch."""
        ...

    def open_file(self, asked: OpenFile) -> Offered | None:
        """Let the user choose a file to read; null if they do not."""
        ...

    def open_folder(self) -> Offered | None:
        """Let the user choose a folder to read; null if they do not."""
        ...

    def save_file(self, asked: SaveFile) -> Destination | None:
        """Let the user choose where to write; null if they do not."""
        ...

    def notify(self, notice: Notice) -> None:
        """Show a notification of the system, where it can."""
        ...

    def open_link(self, link: Link) -> None:
        """Open an http or https address in the user's own browser."""
        ...

    def copy_text(self, copied: Copied) -> None:
        """Put a text on the clipboard."""
        ...

    def set_title(self, title: Title) -> None:
        """Name the window after what it shows."""
        ...

    def keep_place(self, place: PlaceInPage) -> None:
        """Come back there at the next start."""
        ...

    def open_data_folder(self) -> None:
        """Show the data folder in the system's file manager."""
        ...

    def start_again(self) -> None:
        """Try once more after a start that failed, and wait for what comes of it; nothing where none failed."""
        ...

    def bring_to_front(self) -> None:
        """Show the window above the others."""
        ...

    def stop_and_close(self) -> None:
        """Let the current action end, then close."""
        ...

    def keep_open(self) -> None:
        """The user was asked and does not want to close."""
        ...


class Function(NamedTuple):
    """One row of the table; `takes` is null for a function without an argument."""

    name: str
    takes: type[Shape] | None
    answers: Any
    doc: str


def functions() -> list[Function]:
    """Every function of `Native`, in the order in which they are written."""
    native_functions = []
    for name, function in vars(Native).items():
        if name.startswith("_"):
            continue
        hints = get_type_hints(function)
        answers = hints.pop("return")
        native_functions.append(Function(name, next(iter(hints.values()), None), answers, function.__doc__ or ""))
    return native_functions
