"""What every shape is made of: strict both ways.

Times are ms UTC of the campaign's own clock (a rehearsal's runs ahead), durations are microseconds where the name says so.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Id = Annotated[str, Field(min_length=1, max_length=64)]
Sentence = Annotated[str, Field(min_length=1, max_length=500)]


class Wire(BaseModel):
    """Base of every shape: no coercion, no unknown field, no change after it was made; built when first used."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class ErrorShape(Wire):
    """What every failed request answers, and what a run that broke leaves behind."""

    code: str
    sentence: str
    remedy: str


class Following(Wire):
    """Which part of a list is asked for: what comes after a row's cursor ("" for the beginning), at most so many rows."""

    after: str = Field(default="", max_length=96)
    limit: int = Field(default=50, ge=1, le=200)


class Done(Wire):
    """The command was carried out."""

    campaign_id: str


class Nothing(Wire):
    """A command without particulars."""
