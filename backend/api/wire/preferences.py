"""How Outrider looks to its user."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.wire.base import Wire


class Preferences(Wire):
    """`zoom` is the size of text in percent, `assistant` whether its panel is open."""

    theme: Literal["system", "light", "dark"] = "system"
    zoom: Annotated[int, Field(ge=80, le=200, multiple_of=10)] = 100
    motion: Literal["system", "reduced"] = "system"
    assistant: Literal["closed", "open"] = "closed"
