"""The built page, and how it looks from its first paint on; without Flask, for the window shows it before the backend is there."""

import hashlib
import html
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.last_known import LastKnown

PAGE = Path(__file__).parents[3] / "frontend" / "dist"


class Preferences(Shape):
    """`zoom` is the size of text in percent, `assistant` whether its panel is open.

    `keys`: whether a letter by itself is a shortcut, or only combinations and named keys are (WCAG 2.1.4). `notices`: how the user
    is told when something needs them, by a number in the title (`badge`), or by the system's notifications as well (`desktop`);
    `notice_names`: whether these name people.
    """

    theme: Literal["system", "light", "dark"] = "system"
    zoom: Annotated[int, Field(ge=80, le=200, multiple_of=10)] = 100
    motion: Literal["system", "reduced"] = "system"
    assistant: Literal["closed", "open"] = "closed"
    keys: Literal["letters", "combinations"] = "letters"
    notices: Literal["off", "badge", "desktop"] = "badge"
    notice_names: Literal["shown", "hidden"] = "shown"


class PlaceInPage(Shape):
    """Where the user is: the list of campaigns or a campaign's screen, as the address's fragment.

    `above` is how much room (in pixels) what waits in all campaigns takes above the list, when that was shown last.
    """

    address: str = Field(pattern=r"^#/(campaigns/[A-Za-z0-9_-]{1,64}/[a-z]{1,20})?$")
    above: int = Field(default=0, ge=0, le=5_000)


class LastSeen(NamedTuple):
    """What the window showed when it was closed: not for whoever connects, only for who knows the window's address."""

    last_known: LastKnown | None = None
    place: PlaceInPage = PlaceInPage(address="#/")


def build_of(page: Path) -> str:
    """Which build the page is: its index names every other file by what is in it."""
    try:
        return hashlib.sha256((page / "index.html").read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise OutriderError("page_missing", path=page) from error


def index_html(page: Path, look: Preferences, seen: LastSeen | None = None) -> str:
    """The page itself, with what was seen last if it may be shown; raises `page_missing`."""
    # Before any script: a page that begins light and turns dark hurts. The build tells a page that it is stale.
    attributes = {"build": build_of(page), **look.model_dump()}
    if seen is not None and seen.last_known is not None:
        attributes |= {"known": seen.last_known.model_dump_json(), "above": seen.place.above}
    marks = " ".join(f'data-{name}="{html.escape(str(value))}"' for name, value in attributes.items())
    return (page / "index.html").read_text("utf-8").replace("<html", f"<html {marks}", 1)
