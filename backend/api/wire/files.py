"""Files in and out: a ticket stands for a path, which the page neither learns nor names."""

from typing import Annotated

from pydantic import Field

from backend.api.wire.base import Wire

Ticket = Annotated[str, Field(min_length=1, max_length=64)]


class Offered(Wire):
    """A file that may be read in this launch; `size` in bytes."""

    ticket: str
    name: str
    size: int


class Destination(Wire):
    """Where one export may be written, once."""

    ticket: Ticket


class Written(Wire):
    """An export that is complete on disk; `size` in bytes."""

    name: str
    size: int
