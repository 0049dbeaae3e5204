"""Evidence: what was seen, kept as files named by their SHA-256."""

from pydantic import Field

from backend.api.wire.base import Id, Wire


class EvidencePiece(Wire):
    """Something seen: the words that matter, and the file that shows it ("" when there is none)."""

    kind: str
    file: str
    sha256: str
    quote: str


class EvidenceAsked(Wire):
    """In whose record the file is named: the id of an action, a message or an incident."""

    of: Id = Field(...)
