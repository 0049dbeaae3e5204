"""Artifacts as the page sees them; no list ever reads a content."""

import hashlib
import json
import sqlite3

from backend.api.wire.artifacts import ArtifactLine, ArtifactPage, ArtifactView, Origin, VersionLine
from backend.domain.artifact import ArtifactType, Source
from backend.domain.errors import OutriderError
from backend.store import reading

PAGE = 50
MOST_VERSIONS = 200
SCANNED = 5_000
"""How many versions one page passes over at most; what it has not reached is on the next."""

_NEWEST = """
SELECT a.id, a.artifact_type, a.artifact_key, a.version, a.source, a.created_at,
       NOT EXISTS (SELECT 1 FROM artifacts n WHERE n.campaign_id = a.campaign_id AND n.artifact_type = a.artifact_type
                   AND n.artifact_key = a.artifact_key AND n.version = a.version + 1)
FROM artifacts a WHERE a.campaign_id = ? AND a.id < ? ORDER BY a.id DESC LIMIT ?
"""
_VERSIONS = (
    "SELECT version, source, created_at FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=?"
    " ORDER BY version DESC LIMIT ?"
)
_ONE = (
    "SELECT id, source, created_at, schema FROM artifacts"
    " WHERE campaign_id=? AND artifact_type=? AND artifact_key=? AND version=?"
)
_CONTENT = "SELECT content FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=? AND version=?"
# Named, because the planner would rather walk the campaign's whole log.
_ORIGIN = (
    "SELECT seq, actor, cause FROM event_log INDEXED BY event_log_artifacts"
    " WHERE campaign_id=? AND entity_id=? AND kind='ArtifactPersisted'"
)


def artifact_page(
    connection: sqlite3.Connection, campaign_id: str, *, artifact_type: str, words: str, after: str
) -> ArtifactPage:
    """The artifacts of that type whose key contains `words`, both optional; raises `campaign_unknown`."""
    if reading.campaign(connection, campaign_id) is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    rows: list[ArtifactLine] = []
    passed, last = 0, ""
    for id_, type_, key, version, source, created_at, newest in connection.execute(
        _NEWEST, (campaign_id, after or "~", SCANNED)
    ):
        passed, last = passed + 1, id_
        if newest and artifact_type in ("", type_) and words in key:
            rows.append(
                ArtifactLine(
                    id=id_,
                    artifact_type=ArtifactType(type_),
                    artifact_key=key,
                    version=version,
                    source=Source(source),
                    created_at=created_at,
                )
            )
            if len(rows) == PAGE:
                break
    return ArtifactPage(rows=rows, next=last if len(rows) == PAGE or passed == SCANNED else None)


def artifact_view(
    connection: sqlite3.Connection, campaign_id: str, artifact_type: str, key: str, version: int
) -> ArtifactView:
    """One version and the list of all; raises `artifact_unknown`."""
    found = connection.execute(_ONE, (campaign_id, artifact_type, key, version)).fetchone()
    if found is None:
        raise OutriderError("artifact_unknown", type=artifact_type, key=key, version=version)
    id_, source, created_at, schema = found
    origin = connection.execute(_ORIGIN, (campaign_id, id_)).fetchone()
    versions = connection.execute(_VERSIONS, (campaign_id, artifact_type, key, MOST_VERSIONS)).fetchall()
    return ArtifactView(
        id=id_,
        artifact_type=ArtifactType(artifact_type),
        artifact_key=key,
        version=version,
        source=Source(source),
        created_at=created_at,
        origin=Origin(seq=origin[0], actor=origin[1], cause=origin[2]) if origin else None,
        inferred=json.loads(schema),
        latest=versions[0][0],
        versions=[VersionLine(version=n, source=Source(by), created_at=at) for n, by, at in versions],
    )


def artifact_content(
    connection: sqlite3.Connection, campaign_id: str, artifact_type: str, key: str, version: int
) -> tuple[bytes, bytes]:
    """The content as it is kept, and its SHA-256; raises `artifact_unknown`."""
    found = connection.execute(_CONTENT, (campaign_id, artifact_type, key, version)).fetchone()
    if found is None:
        raise OutriderError("artifact_unknown", type=artifact_type, key=key, version=version)
    content: bytes = found[0].encode()
    return content, hashlib.sha256(content).digest()
