"""What every value is made of that is served as it is: strict both ways.

Times are ms UTC of the campaign's own clock (a rehearsal's runs ahead), durations are microseconds where the name says so.
"""

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """Base of every shape: no coercion, no unknown field, no change after it was made; built when first used."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class ErrorShape(Shape):
    """What every failed request answers, and what a run that broke leaves behind."""

    code: str
    sentence: str
    remedy: str
