"""The voice: the soul that holds, its versions, and what is wrong with a text that is to be the next."""

from pydantic import Field

from backend.api.wire.base import Wire

MOST_TYPED = 40_000
"""Characters that a request may hold; what is far too long is still told by how much."""


class SoulView(Wire):
    """The soul that holds now; version 0 comes with Outrider. `limit` in characters."""

    version: int
    text: str
    limit: int


class SoulLine(Wire):
    """A version; `restores` is the earlier one with the same text. Version 0 was never made, so it has no time."""

    id: str
    version: int
    who: str
    restores: int | None
    created_at: int | None
    characters: int


class SoulHistory(Wire):
    """Versions, the newest first; `next` is where the following page begins."""

    rows: list[SoulLine]
    next: str | None


class SoulText(Wire):
    """The text of one version."""

    version: int
    text: str


class CheckSoul(Wire):
    """A text as far as it is typed; nothing of it is kept."""

    text: str = Field(max_length=MOST_TYPED)


class TextProblem(Wire):
    """What keeps a text from being the soul, and where it stands: its line from 1, its place in UTF-16 units."""

    code: str
    sentence: str
    remedy: str
    line: int
    start: int
    end: int


class SoulCheck(Wire):
    """Everything that is wrong with a text, in its order."""

    problems: list[TextProblem]


class SaveSoul(Wire):
    """Make this text the version after `follows`."""

    text: str = Field(max_length=MOST_TYPED)
    follows: int = Field(ge=0)


class RestoreSoul(Wire):
    """Make the text of this version the one after `follows`."""

    version: int = Field(ge=0)
    follows: int = Field(ge=0)


class SoulSaved(Wire):
    """The version that holds now."""

    version: int
