"""Where the window was, where in its page, and how that looked: kept in the data folder; fitted to the screens there are today."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from backend.api.server.page_files import PlaceInPage, Preferences
from backend.domain.values.shapes import Shape
from backend.machine.durable_files import replace_file

FILE = "window.json"
LOOK_FILE = "look.json"
PLACE_FILE = "place.json"
AnyShape = TypeVar("AnyShape", bound=Shape)
SMALLEST = (720, 480)
NARROWEST_BROWSER = 500
"""A Chromium with a frame gets no narrower."""
_GRIP = 100 * 100
"""So much of the window must lie on a screen to count as being there."""


class ScreenArea(NamedTuple):
    """What a screen shows without its panels, in the system's own units."""

    x: int
    y: int
    width: int
    height: int


class WindowGeometry(Shape):
    """The window's frame when it is not maximised, and whether it is."""

    x: int
    y: int
    width: int
    height: int
    maximized: bool = False


def fit_to_screens(geometry: WindowGeometry, areas: Sequence[ScreenArea]) -> WindowGeometry:
    """The place moved and shrunk into the screen that shows most of it; into the first one's middle if none does."""
    if not areas:
        return geometry
    best = max(areas, key=lambda area: _overlap(geometry, area))
    width, height = (
        min(max(geometry.width, SMALLEST[0]), best.width),
        min(max(geometry.height, SMALLEST[1]), best.height),
    )
    if _overlap(geometry, best) < _GRIP:
        best = areas[0]
        width, height = min(width, best.width), min(height, best.height)
        x, y = best.x + (best.width - width) // 2, best.y + (best.height - height) // 2
    else:
        x = min(max(geometry.x, best.x), best.x + best.width - width)
        y = min(max(geometry.y, best.y), best.y + best.height - height)
    return geometry.model_copy(update={"x": x, "y": y, "width": width, "height": height})


def side_by_side(area: ScreenArea) -> tuple[ScreenArea, ScreenArea] | None:
    """Outrider's place and one for a browser beside it; None on a screen without room for both."""
    left = max(SMALLEST[0], area.width * 11 // 20)
    if area.width - left < NARROWEST_BROWSER or area.height < SMALLEST[1]:
        return None
    return area._replace(width=left), area._replace(x=area.x + left, width=area.width - left)


def _overlap(geometry: WindowGeometry, area: ScreenArea) -> int:
    wide = min(geometry.x + geometry.width, area.x + area.width) - max(geometry.x, area.x)
    high = min(geometry.y + geometry.height, area.y + area.height) - max(geometry.y, area.y)
    return max(wide, 0) * max(high, 0)


def load_geometry(folder: Path) -> WindowGeometry | None:
    """The last place; None if there is none or the file is not what it was."""
    return _load(folder / FILE, WindowGeometry)


def save_geometry(folder: Path, geometry: WindowGeometry) -> None:
    """Keep it, whole or not at all; a place that cannot be kept is no reason not to close."""
    _save(folder / FILE, geometry)


def load_look(folder: Path) -> Preferences:
    """How the page looked when the window was closed; it asks again once the backend is there."""
    return _load(folder / LOOK_FILE, Preferences) or Preferences()


def save_look(folder: Path, look: Preferences) -> None:
    """Keep it for the next start's first paint, which comes before the database is open."""
    _save(folder / LOOK_FILE, look)


def load_place(folder: Path) -> PlaceInPage:
    """Where the user was in the page; the list of campaigns if that is not known."""
    return _load(folder / PLACE_FILE, PlaceInPage) or PlaceInPage(address="#/")


def save_place(folder: Path, place_in_page: PlaceInPage) -> None:
    """Keep it; a place that cannot be kept is no reason not to go there."""
    _save(folder / PLACE_FILE, place_in_page)


def _load(path: Path, shape: type[AnyShape]) -> AnyShape | None:
    try:
        return shape.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _save(path: Path, content: Shape) -> None:
    with suppress(OSError):
        replace_file(path, content.model_dump_json().encode(), synced=False)
