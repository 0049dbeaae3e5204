"""The newest campaigns as they were when Outrider was last closed: what the window shows until the database is open.

A small file beside the database, with names and counts and nothing about a person. It is there only while nobody has the
database open: whoever opens it removes the file first, so what is deleted, renamed or erased later is in no stale copy.
"""

from pathlib import Path
from typing import Annotated

from pydantic import Field

from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.small_file import load_small, save_small

FILE = "last-known.json"
MOST_CAMPAIGNS = 20
_MOST_BYTES = 64 * 1024

Count = Annotated[int, Field(ge=0)]


class KnownCampaign(Shape):
    """A campaign by its name, state and counts; `leads` by their status, `needs` what waits for the user."""

    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    name: str
    status: str
    state: str
    site: str
    leads: dict[str, Count]
    needs: dict[str, Count]


class LastKnown(Shape):
    """The newest campaigns that are not in the archive, newest first."""

    campaigns: list[KnownCampaign] = Field(max_length=MOST_CAMPAIGNS)


def load_last_known(folder: Path) -> LastKnown | None:
    """None if there is no such file, or it is not what it was."""
    return load_small(folder / FILE, LastKnown, _MOST_BYTES)


def save_last_known(folder: Path, last_known: LastKnown) -> None:
    """Keep it for the next start, which does without it where it cannot be kept."""
    save_small(folder / FILE, last_known)


def remove_last_known(folder: Path) -> None:
    """From here on it may be wrong; raises `data_dir_unusable`."""
    try:
        (folder / FILE).unlink(missing_ok=True)
    except OSError as error:
        raise OutriderError("data_dir_unusable", path=folder, detail=error.strerror or error) from error
