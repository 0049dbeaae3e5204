"""A second start on the same data folder: it finds the first by a small file, and knocks.

The file is read by its owner only and holds no key to anything but the knock. One that an earlier launch left behind does
no harm: nobody answers, or somebody else does and says nothing that is believed.
"""

import http.client
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pydantic import Field, ValidationError

from backend.api.wire.base import Wire
from backend.api.wire.session import Knocked, KnockRequest
from bridge.address import HOST

FILE = "instance.json"
SECONDS = 5.0
_LONGEST_ANSWER = 1_000


class Door(Wire):
    """Where this launch listens, and what it answers to."""

    port: int = Field(ge=1, le=65_535)
    secret: str = Field(max_length=128)

    @property
    def url(self) -> str:
        """The page's address."""
        return f"http://{HOST}:{self.port}/"


@contextmanager
def door(folder: Path, *, port: int, secret: str) -> Iterator[None]:
    """Say where this launch is, for as long as it is."""
    path = folder / FILE
    with suppress(OSError):  # without it a second start is refused, as it would be anyway
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:  # noqa: PTH123
            out.write(Door(port=port, secret=secret).model_dump_json())
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def knock(folder: Path) -> tuple[Door, bool] | None:
    """Where the running launch is and whether its window is in front now; None if none answers."""
    from backend.api.auth import KNOCK  # noqa: PLC0415 - brings Flask, which a first start leaves to its backend

    try:
        found = Door.model_validate_json((folder / FILE).read_bytes())
        with closing(http.client.HTTPConnection(HOST, found.port, timeout=SECONDS)) as connection:
            connection.request(
                "POST",
                KNOCK,
                KnockRequest(secret=found.secret).model_dump_json(),
                {"Content-Type": "application/json", "Origin": found.url.rstrip("/")},
            )
            answer = Knocked.model_validate_json(connection.getresponse().read(_LONGEST_ANSWER))
    except (OSError, http.client.HTTPException, ValidationError):
        return None
    return found, answer.window
