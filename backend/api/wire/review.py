"""What the user decides about a text."""

from pydantic import Field

from backend.api.wire.base import Wire


class Approve(Wire):
    """Approve exactly the text whose digest this is."""

    digest: str = Field(max_length=128)


class Edit(Wire):
    """The draft's new text; it still needs approval."""

    text: str = Field(max_length=20_000)
