"""Artifacts: the list, one version with where it comes from, and what is to be kept."""

from typing import Any

from pydantic import Field

from backend.api.wire.base import Wire
from backend.api.wire.files import Ticket
from backend.domain.artifact import ArtifactType, Source


class ArtifactLine(Wire):
    """An artifact at its newest version; `id` is that version's."""

    id: str
    artifact_type: ArtifactType
    artifact_key: str
    version: int
    source: Source
    created_at: int
    media_type: str


class ArtifactPage(Wire):
    """Artifacts, the latest kept first; `next` is where the following page begins."""

    rows: list[ArtifactLine]
    next: str | None


class VersionLine(Wire):
    """A version of an artifact."""

    version: int
    source: Source
    created_at: int


class Origin(Wire):
    """The event that kept a version, as it stands in the log."""

    seq: int
    actor: str
    cause: str


class ArtifactView(Wire):
    """One version with its inferred schema; the content is read by itself, byte for byte. `versions` are the newest.

    `sha256` (hex) and `size` (bytes) are those of the content as it was kept.
    """

    id: str
    artifact_type: ArtifactType
    artifact_key: str
    version: int
    source: Source
    created_at: int
    origin: Origin | None
    inferred: dict[str, Any]
    sha256: str
    size: int
    media_type: str
    latest: int
    versions: list[VersionLine]


class ProposedArtifact(Wire):
    """What an agent proposes to keep and the user is asked about: exactly this, as the version after `latest`."""

    artifact_type: ArtifactType
    artifact_key: str
    content: str
    sha256: str
    size: int
    latest: int


class SaveArtifact(Wire):
    """Keep these bytes after version `follows`, 0 for a new artifact."""

    artifact_type: str = Field(max_length=40)
    artifact_key: str = Field(max_length=200)
    follows: int = Field(ge=0)
    content_base64: str


class SaveArtifactFile(Wire):
    """Keep what is in the file behind the ticket after version `follows`, 0 for a new artifact."""

    artifact_type: str = Field(max_length=40)
    artifact_key: str = Field(max_length=200)
    follows: int = Field(ge=0)
    ticket: Ticket


class PapersWritten(Wire):
    """The campaign's files for people were written again, and where."""

    folder: str
    files: list[str]


class ArtifactSaved(Wire):
    """The version that was made."""

    campaign_id: str
    version: int
