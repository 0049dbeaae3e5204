"""What every value is made of that is served as it is, strict both ways, and what an id may look like.

Times are ms UTC of the campaign's own clock (a rehearsal's runs ahead), durations are microseconds where the name says so.
"""

import re
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

ID = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
"""Of a campaign, and of the stream that its log is."""

ENTITY_ID = r"[A-Za-z0-9][A-Za-z0-9_:.@-]{0,127}"
"""Of anything else that an event is about: also names of keys and settings, which have their kind before a colon."""

_ID, _ENTITY_ID = re.compile(ID), re.compile(ENTITY_ID)


def is_id(text: str) -> bool:
    """Whether this may be a campaign's id."""
    return _ID.fullmatch(text) is not None


def is_entity_id(text: str) -> bool:
    """Whether this may be the id of what an event is about."""
    return _ENTITY_ID.fullmatch(text) is not None


def _checked_id(text: str) -> str:
    if not is_entity_id(text):
        raise ValueError("no id looks like that")
    return text


Id = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_checked_id)]
CodePoints = Annotated[list[Annotated[str, Field(pattern=r"^U\+[0-9A-F]{4,6}$")]], Field(max_length=20_000)]
"""The hidden characters of a text that its reader was shown."""
Sentence = Annotated[str, Field(min_length=1, max_length=500)]
Moment = Annotated[int, Field(ge=0, le=253_402_300_799_999)]
"""A time in ms UTC that every calendar shows: to the end of the year 9999."""
Reason = Annotated[str, Field(max_length=500)]
"""Why the user decided something; may be empty."""


class Shape(BaseModel):
    """Base of every shape: no coercion, no unknown field, no change after it was made; built when first used."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    @classmethod
    def showing(cls, source: object, /, **fields: Any) -> Self:
        """With what the source has under the names of its fields, and what is given by name for the others."""
        return cls(**fields, **{name: getattr(source, name) for name in cls.__pydantic_fields__ if name not in fields})


class ErrorShape(Shape):
    """What every failed request answers, and what a run that broke leaves behind."""

    code: str
    sentence: str
    remedy: str
