"""Artifacts by name, type and day, the newest versions only; no content is read but of those that are shown."""

import hashlib
import sqlite3
from typing import NamedTuple

from backend.domain.findings import ArtifactShown, FoundArtifact

SHOWN = 20
SCANNED = 5_000
"""How many versions a search passes over at most, the latest first."""


class Wanted(NamedTuple):
    """What fits: every word is part of the key, and the rest is as given; times in ms UTC, `before` excluded."""

    words: tuple[str, ...] = ()
    artifact_type: str = ""
    key: str = ""
    version: int | None = None
    after: int = 0
    before: int = 2**53


_VERSIONS = """
SELECT a.id, a.artifact_type, a.artifact_key, a.version, a.source, a.created_at,
       NOT EXISTS (SELECT 1 FROM artifacts n WHERE n.campaign_id = a.campaign_id AND n.artifact_type = a.artifact_type
                   AND n.artifact_key = a.artifact_key AND n.version = a.version + 1)
FROM artifacts a WHERE a.campaign_id = ? ORDER BY a.id DESC LIMIT ?
"""


def newest(connection: sqlite3.Connection, campaign_id: str, want: Wanted) -> tuple[int, list[FoundArtifact]]:
    """How many fit, and the newest of them; of each the newest version, unless one is asked for."""
    total, ids = 0, list[str]()
    for id_, type_, key, version, _, created_at, last in connection.execute(_VERSIONS, (campaign_id, SCANNED)):
        fits = last if want.version is None else version == want.version
        fits = fits and want.artifact_type in ("", type_) and want.key in ("", key)
        if fits and want.after <= created_at < want.before and all(word in key for word in want.words):
            total += 1
            if len(ids) < SHOWN:
                ids.append(id_)
    return total, [found(connection, id_) for id_ in ids]


_ONE = (
    "SELECT artifact_type, artifact_key, version, source, length(CAST(content AS BLOB)), created_at FROM artifacts"
    " WHERE id=?"
)


def found(connection: sqlite3.Connection, artifact_id: str) -> FoundArtifact:
    """One version as it is listed."""
    type_, key, version, source, size, created_at = connection.execute(_ONE, (artifact_id,)).fetchone()
    return FoundArtifact(
        artifact_type=type_, key=key, version=version, source=source, bytes=size, created_at=created_at
    )


def shown(
    connection: sqlite3.Connection, campaign_id: str, artifact_type: str, key: str, version: int
) -> ArtifactShown | None:
    """One version, to be shown direct from the store, with the SHA-256 of its bytes."""
    row = connection.execute(
        "SELECT id, content FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=? AND version=?",
        (campaign_id, artifact_type, key, version),
    ).fetchone()
    if row is None:
        return None
    return ArtifactShown(artifact=found(connection, row[0]), sha256=hashlib.sha256(row[1].encode()).hexdigest())
