"""Shapes that several nouns have in common; every shape is a `Shape` (`backend.domain.values.shapes`)."""

from typing import Annotated, Generic, TypeVar

from pydantic import Field

from backend.domain.values.shapes import Shape

Ticket = Annotated[str, Field(min_length=1, max_length=64)]
Row = TypeVar("Row")


class After(Shape):
    """Which part of a list is asked for: what comes after this cursor ("" for the beginning)."""

    after: str = Field(default="", max_length=128)


class PageQuery(After):
    """At most so many rows of a list, after this cursor."""

    limit: int = Field(default=50, ge=1, le=200)


class Page(Shape, Generic[Row]):
    """A part of a list; `next` is the cursor of what follows, null at the end."""

    rows: list[Row]
    next: str | None


class Choice(Shape):
    """Something to choose, and what it is called."""

    id: str
    title: str


class Named(Shape):
    """A person or campaign, by its id and by what people call it."""

    id: str
    name: str


class MadeCampaign(Shape):
    """The campaign that was made."""

    campaign_id: str


class Nothing(Shape):
    """A command without particulars."""


class Offered(Shape):
    """A file that may be read in this launch, behind its ticket; `size` in bytes."""

    ticket: str
    name: str
    size: int


class Destination(Shape):
    """Where one export may be written, once."""

    ticket: Ticket


class Written(Shape):
    """An export that is complete on disk; `size` in bytes."""

    name: str
    size: int
