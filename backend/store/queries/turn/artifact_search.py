"""Artifacts as the assistant finds them: the newest versions that fit, or one version that is named."""

from typing import NamedTuple

from backend.domain.turn.assistant_results import ArtifactShown, FoundArtifact
from backend.store.database import DatabaseConnection
from backend.store.queries.turn import artifacts
from backend.store.queries.turn.artifacts import MOST_FOUND, ArtifactHead

SHOWN = 20
ALWAYS = 2**53
COUNTED = 5
"""Pages of a search that are counted; who finds more than a thousand should say more."""


class ArtifactQuery(NamedTuple):
    """What fits: every word begins one of its key, type or text, and the rest is as given; ms UTC, `before` excluded."""

    words: tuple[str, ...] = ()
    artifact_type: str = ""
    key: str = ""
    version: int | None = None
    after: int = 0
    before: int = ALWAYS


def newest(
    connection: DatabaseConnection, campaign_id: str, artifact_query: ArtifactQuery
) -> tuple[int, list[FoundArtifact]]:
    """How many fit, and the newest of them; of each the newest version, unless one is asked for."""
    if artifact_query.version is not None and artifact_query.artifact_type and artifact_query.key:
        shown_artifact = shown(
            connection, campaign_id, artifact_query.artifact_type, artifact_query.key, artifact_query.version
        )
        return (1, [shown_artifact.artifact]) if shown_artifact else (0, [])
    total, rows, after = 0, list[ArtifactHead](), None
    for _ in range(COUNTED):
        page = artifacts.find(
            connection,
            campaign_id,
            words=" ".join((*artifact_query.words, artifact_query.key)),
            artifact_type=artifact_query.artifact_type,
            since=artifact_query.after,
            until=artifact_query.before if artifact_query.before < ALWAYS else None,
            after=after,
            limit=MOST_FOUND,
        )
        fits = [row for row in page.rows if artifact_query.key in ("", row.key)]
        total, rows, after = total + len(fits), rows + fits, page.next
        if after is None:
            break
    return total, [FoundArtifact.showing(row, bytes=row.size) for row in rows[:SHOWN]]


def shown(
    connection: DatabaseConnection, campaign_id: str, artifact_type: str, key: str, version: int
) -> ArtifactShown | None:
    """One version, to be shown direct from the store, with the SHA-256 of its bytes."""
    stored_artifact = artifacts.stored(connection, campaign_id, artifact_type, key, version)
    record = artifacts.version_record(connection, campaign_id, artifact_type, key, version)
    if stored_artifact is None or record is None:
        return None
    found_artifact = FoundArtifact(
        artifact_type=artifact_type,
        key=key,
        version=version,
        made_by=record.made_by,
        bytes=stored_artifact.size,
        created_at=record.created_at,
    )
    return ArtifactShown(artifact=found_artifact, sha256=stored_artifact.sha256)
