"""The event by which an artifact is kept."""

from backend.domain.events.events import Event
from backend.domain.events.facts.turn import ArtifactPersisted, UnusualArtifact
from backend.domain.model.artifact import ArtifactContent, Maker
from backend.domain.model.content_schema import PLAIN


def artifact_persisted(content: ArtifactContent, artifact_id: str, made_by: Maker, latest: int, now: int) -> Event:
    """The fact that it is kept as the version after `latest` (0 when there is none)."""
    unusual: UnusualArtifact = {}  # what is usual is the column's default
    if content.media_type != PLAIN:
        unusual["media_type"] = content.media_type
    if content.in_file:
        unusual["in_file"] = 1
    return ArtifactPersisted(
        artifact_id,
        artifact_type=content.artifact_type,
        artifact_key=content.key,
        made_by=str(made_by),
        content=content.text,
        schema=content.schema,
        version=latest + 1,
        created_at=now,
        sha256=content.sha256,
        bytes=content.size,
        **unusual,
    )
