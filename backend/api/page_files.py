"""The built page, and how it looks from its first paint on; without Flask, for the window shows it before the backend is there."""

import hashlib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from backend.domain.errors import OutriderError
from backend.domain.shapes import Wire

PAGE = Path(__file__).parents[2] / "frontend" / "dist"


class Preferences(Wire):
    """`zoom` is the size of text in percent, `assistant` whether its panel is open."""

    theme: Literal["system", "light", "dark"] = "system"
    zoom: Annotated[int, Field(ge=80, le=200, multiple_of=10)] = 100
    motion: Literal["system", "reduced"] = "system"
    assistant: Literal["closed", "open"] = "closed"


def build_of(page: Path) -> str:
    """Which build the page is: its index names every other file by what is in it."""
    try:
        return hashlib.sha256((page / "index.html").read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise OutriderError("page_missing", path=page) from error


def index_html(page: Path, look: Preferences) -> str:
    """The page itself; raises `page_missing`."""
    # Before any script: a page that begins light and turns dark hurts. The build tells a page that it is stale.
    given = {"build": build_of(page), **look.model_dump()}
    marks = " ".join(f'data-{name}="{value}"' for name, value in given.items())
    return (page / "index.html").read_text("utf-8").replace("<html", f"<html {marks}", 1)
