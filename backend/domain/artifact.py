"""An artifact: content under a type and a key, in versions that never change (spec 000 §17; spec 001 FR-016…FR-022)."""

import json
import re
from dataclasses import dataclass
from enum import StrEnum

from genson import SchemaBuilder

from backend.domain.errors import OutriderError
from backend.domain.events import Event, Json, canonical


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


class Source(StrEnum):
    """Whose words the content is; one by the agent is kept only after the user's yes."""

    USER = "user"
    AGENT = "agent"


KEY_PATTERN = r"^[a-z0-9][a-z0-9_.-]{0,63}$"
MAX_BYTES = 1_000_000
"""Of the content in UTF-8."""
MAX_SCHEMA = 32_768
"""Characters; what would take more is told by its outermost type alone."""

TEXT: dict[str, Json] = {"type": "string", "contentMediaType": "text/plain"}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Content:
    """Content that may be kept: checked, and its schema inferred; made by `content`."""

    artifact_type: ArtifactType
    key: str
    text: str
    schema: dict[str, Json]

    def persisted(self, artifact_id: str, source: Source, latest: int, now: int) -> Event:
        """The fact that it is kept as the version after `latest` (0 when there is none)."""
        changes = {
            "artifact_type": self.artifact_type,
            "artifact_key": self.key,
            "source": source,
            "content": self.text,
            "schema": self.schema,
            "version": latest + 1,
            "created_at": now,
        }
        return Event("ArtifactPersisted", artifact_id, changes)


def content(artifact_type: str, key: str, text: str) -> Content:
    """Check what is to be kept and infer its schema; raises `OutriderError("artifact_…")`."""
    if artifact_type not in set(ArtifactType):
        raise OutriderError("artifact_type_unknown", type=artifact_type[:80], types=", ".join(ArtifactType))
    if not re.fullmatch(KEY_PATTERN, key):
        raise OutriderError("artifact_key_invalid", key=key[:80])
    if not text:
        raise OutriderError("artifact_empty")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:  # half a surrogate pair is no character
        raise OutriderError("artifact_not_text", at=error.start) from error
    if size > MAX_BYTES:
        raise OutriderError("artifact_too_large", bytes=size, limit=MAX_BYTES)
    return Content(ArtifactType(artifact_type), key, text, infer_schema(text))


def text_of(raw: bytes) -> str:
    """Bytes as the text they are, character for character, a byte order mark included; raises `artifact_not_text`."""
    if len(raw) > MAX_BYTES:
        raise OutriderError("artifact_too_large", bytes=len(raw), limit=MAX_BYTES)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise OutriderError("artifact_not_text", at=error.start) from error


def infer_schema(text: str) -> dict[str, Json]:
    """The JSON Schema of a JSON object or array; everything else is text. The same text, the same schema."""
    try:
        value = json.loads(text, parse_constant=_no_number)
        if not isinstance(value, dict | list):
            return TEXT
        builder = SchemaBuilder(schema_uri=_DIALECT)
        builder.add_object(value)
        schema: dict[str, Json] = builder.to_schema()
        if len(canonical(schema)) <= MAX_SCHEMA:
            return schema
    except (ValueError, RecursionError):  # no JSON, or nested deeper than anybody reads
        return TEXT
    return {"$schema": _DIALECT, "type": schema["type"], "$comment": "too many fields to list"}


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
