"""An artifact: content under a type and a key, in versions that never change (spec 000 §17; spec 001 FR-016…FR-022)."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from backend.domain.model.content_schema import BINARY, PLAIN, InferredContent, infer
from backend.domain.values.canonical_json import Json
from backend.domain.values.errors import OutriderError


class ArtifactType(StrEnum):
    """The controlled vocabulary."""

    JOB_POSTING = "job_posting"
    SCORING_ALGORITHM = "scoring_algorithm"
    LEAD_SCORING_CONFIG = "lead_scoring_config"
    PYTHON_SCRIPT = "python_script"
    ANALYSIS_RESULT = "analysis_result"
    CONTEXT = "context"
    RESEARCH = "research"
    MESSAGE_TEMPLATE = "message_template"
    FILE_SUMMARY = "file_summary"
    NOTE = "note"


_BY_BLUEPRINT = "putting a scoring blueprint in force"
PROTECTED: Mapping[ArtifactType, str] = {
    ArtifactType.SCORING_ALGORITHM: _BY_BLUEPRINT,
    ArtifactType.LEAD_SCORING_CONFIG: _BY_BLUEPRINT,
    ArtifactType.ANALYSIS_RESULT: "saving what an approved script answered",
}
"""The types that say what Outrider itself did, and how a version is made; nobody writes one, whoever says yes to it."""


def refuse_protected(artifact_type: ArtifactType) -> None:
    """Raises `artifact_protected` for a type that only Outrider makes."""
    if artifact_type in PROTECTED:
        raise OutriderError("artifact_protected", type=artifact_type, how=PROTECTED[artifact_type])


class MakerKind(StrEnum):
    """Who can make a version of an artifact (spec 001 FR-022); all but the user are "agent" in the column `source`."""

    USER = "user"
    MODEL = "model"
    PROGRAM = "program"
    SCRIPT = "script"
    CONTROLLER = "controller"


@dataclass(frozen=True, slots=True)
class Maker:
    """Who made a version: `name` is what the user called a program, an agent's own, or the SHA-256 of a script; else empty.

    What a model or a connected program proposes is kept only after the user's yes.
    """

    kind: MakerKind
    name: str = ""

    def __str__(self) -> str:
        """As it is stored."""
        return f"{self.kind} {self.name}".rstrip()


def maker(stored: str) -> Maker:
    """The maker that is stored like this."""
    kind, _, name = stored.partition(" ")
    return Maker(MakerKind(kind), name)


BY_USER, BY_MODEL, BY_CONTROLLER = Maker(MakerKind.USER), Maker(MakerKind.MODEL), Maker(MakerKind.CONTROLLER)


KEY_PATTERN = r"^[a-z0-9][a-z0-9_.-]{0,63}$"
MAX_BYTES = 50_000_000
MAX_INLINE = 1_000_000
"""Text of up to so many bytes in UTF-8 stands in the log; anything else is kept as a file beside it."""
BEGINNING = 20_000
"""Characters of a text in a file that stand in its row: what is searched and shown to the agent."""

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
)


class StoredFile(NamedTuple):
    """Bytes that are kept as a file named by their SHA-256; `beginning` is the first of them as text, empty for no text."""

    sha256: str
    size: int
    media_type: str
    beginning: str = ""


@dataclass(frozen=True, slots=True)
class ArtifactContent:
    """Content that may be kept: checked, and its schema inferred; made by `text_content` and `file_content`."""

    artifact_type: ArtifactType
    key: str
    text: str
    schema: dict[str, Json]
    sha256: str
    size: int
    media_type: str = PLAIN
    in_file: bool = False


def text_content(artifact_type: str, key: str, text: str) -> ArtifactContent:
    """Check a text that is to stand in the log and infer its schema; raises `OutriderError("artifact_…")`."""
    checked_type = _named(artifact_type, key)
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:  # half a surrogate pair is no character
        raise OutriderError("artifact_not_text", at=error.start) from error
    refuse_size(len(raw), MAX_INLINE)
    inferred = infer(text)
    return ArtifactContent(
        checked_type, key, text, inferred.schema, hashlib.sha256(raw).hexdigest(), len(raw), inferred.media_type
    )


def file_content(artifact_type: str, key: str, file: StoredFile) -> ArtifactContent:
    """Check what is kept as a file; raises `OutriderError("artifact_…")`."""
    checked_type = _named(artifact_type, key)
    refuse_size(file.size, MAX_BYTES)
    beginning = file.beginning[:BEGINNING]
    inferred = InferredContent(file.media_type, {"contentMediaType": file.media_type})
    if file.media_type == PLAIN:
        inferred = infer(beginning, whole=False)
    return ArtifactContent(
        checked_type, key, beginning, inferred.schema, file.sha256, file.size, inferred.media_type, in_file=True
    )


def refuse_size(size: int, limit: int = MAX_BYTES) -> None:
    """Raises `artifact_empty` and `artifact_too_large`."""
    if not size:
        raise OutriderError("artifact_empty")
    if size > limit:
        raise OutriderError("artifact_too_large", bytes=size, limit=limit)


def text_of(raw: bytes) -> str:
    """Bytes that are to stand in the log as the text they are, byte order mark included; raises `artifact_not_text`."""
    refuse_size(len(raw), MAX_INLINE)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise OutriderError("artifact_not_text", at=error.start) from error


def media_type_of(head: bytes) -> str:
    """What kind of data that is no text seems to be, by its first bytes."""
    return next((kind for magic, kind in _MAGIC if head.startswith(magic)), BINARY)


def _named(artifact_type: str, key: str) -> ArtifactType:
    if artifact_type not in set(ArtifactType):
        raise OutriderError("artifact_type_unknown", type=artifact_type[:80], types=", ".join(ArtifactType))
    if not re.fullmatch(KEY_PATTERN, key):
        raise OutriderError("artifact_key_invalid", key=key[:80])
    return ArtifactType(artifact_type)
