"""Artifacts, for the page and for the assistant: by name, type, time and text; no list ever reads a content."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.model.artifact import ArtifactType, Maker, maker
from backend.domain.turn.assistant_results import ArtifactShown, FoundArtifact
from backend.domain.turn.snapshot import NamedArtifact
from backend.ports.blobs import BlobRef
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_index

MOST_FOUND = 200


class ArtifactHead(NamedTuple):
    """An artifact at one version, as a rule its newest; `created_at` is ms UTC, `size` 0 when it is not known."""

    number: int
    id: str
    artifact_type: ArtifactType
    key: str
    version: int
    made_by: Maker
    created_at: int
    size: int
    media_type: str


class ArtifactResults(NamedTuple):
    """Artifacts, the latest kept first; `next` is where the following page begins, None at the end."""

    rows: list[ArtifactHead]
    next: int | None


class StoredArtifact(NamedTuple):
    """One version as it is kept: `text` whole, or in a file named by `sha256` and `text` its beginning."""

    text: str
    sha256: str
    size: int
    media_type: str
    in_file: bool


_HEAD = "h.number, h.artifact_id, h.artifact_type, h.artifact_key, h.version, h.made_by, h.created_at, h.bytes, h.media_type"
_VERSION = "h.number, v.id, h.artifact_type, h.artifact_key, v.version, v.made_by, v.created_at, v.bytes, v.media_type"
_NEWEST_THEN = (
    "SELECT id FROM artifacts INDEXED BY artifacts_versions WHERE campaign_id = h.campaign_id"
    " AND artifact_type = h.artifact_type AND artifact_key = h.artifact_key"
    " AND created_at >= :since AND created_at < :until ORDER BY version DESC LIMIT 1"
)
_STORED = (
    "SELECT content, sha256, bytes, media_type, in_file FROM artifacts"
    " WHERE campaign_id=? AND artifact_type=? AND artifact_key=? AND version=?"
)


def find(
    connection: DatabaseConnection,
    campaign_id: str,
    *,
    words: str = "",
    artifact_type: str = "",
    since: int | None = None,
    until: int | None = None,
    after: int | None = None,
    limit: int = 50,
) -> ArtifactResults:
    """The artifacts in whose key, type or text all words begin some word; kept at or after `since` and before `until`.

    Of each its newest version counts; with `until`, which looks back, the newest that was kept in that time. Of a text it
    is the beginning of its newest version (`words` in the schema says how much).
    """
    terms = lead_index.expression(words)
    values: dict[str, Any] = {
        "campaign": campaign_id,
        "type": artifact_type,
        "since": since,
        "until": until,
        "after": after,
        "text": f'"{_word(campaign_id)}{_word(artifact_type)}" {terms}',
    }
    where = ["h.campaign_id = :campaign"]
    if artifact_type:
        where.append("h.artifact_type = :type")
    number = "artifacts_text.rowid" if terms else "h.number"
    # What is kept later has the higher number: the times become a stretch of numbers, which every index is sorted by.
    # A clock may have been set back meanwhile, so the times themselves are asked, too.
    if since is not None:
        where.append(
            f"{number} >= (SELECT min(number) FROM artifact_heads INDEXED BY artifact_heads_by_time"
            " WHERE campaign_id = :campaign AND created_at >= :since)"
        )
        if until is None:
            where.append("h.created_at >= :since")
    if after is not None:
        where.append(f"{number} < :after")
    if terms:
        source = "artifacts_text CROSS JOIN artifact_heads h ON h.number = artifacts_text.rowid"
        where.insert(0, "artifacts_text MATCH :text")
    else:
        index = "artifact_heads_of_type" if artifact_type else "artifact_heads_latest"
        source = f"artifact_heads h INDEXED BY {index}"
    limit = min(limit, MOST_FOUND)
    head = _HEAD
    if until is not None:
        head, source = _VERSION, f"{source} CROSS JOIN artifacts v ON v.id = ({_NEWEST_THEN})"
        values["since"] = since or 0
    sql = f"SELECT {head} FROM {source} WHERE {' AND '.join(where)} ORDER BY {number} DESC LIMIT {limit + 1}"
    rows = [_head(row) for row in connection.execute(sql, values)]
    return ArtifactResults(rows[:limit], rows[limit - 1].number if len(rows) > limit else None)


def _word(text: str) -> str:
    # Ours are one word; what else an address names must not be a query's syntax.
    return "".join(filter(str.isalnum, text))


def _head(row: tuple[Any, ...]) -> ArtifactHead:
    number, id_, type_, key, version, made_by, created_at, size, media_type = row
    return ArtifactHead(number, id_, ArtifactType(type_), key, version, maker(made_by), created_at, size, media_type)


def stored(
    connection: DatabaseConnection, campaign_id: str, artifact_type: str, key: str, version: int
) -> StoredArtifact | None:
    """That version; what was kept before digests were is given one."""
    row = connection.execute(_STORED, (campaign_id, artifact_type, key, version)).fetchone()
    if row is None:
        return None
    text, sha256, size, media_type, in_file = row
    if not sha256:
        raw = text.encode()
        sha256, size = hashlib.sha256(raw).hexdigest(), len(raw)
    return StoredArtifact(text, sha256, size, media_type, bool(in_file))


def stored_digests(connection: DatabaseConnection) -> set[str]:
    """The digests of all files that some version is kept in, one that was rolled back and may come back included."""
    aside = (
        "SELECT json_extract(payload, '$.sha256') FROM rebase_queue_entries"
        " WHERE kind = 'ArtifactPersisted' AND json_extract(payload, '$.in_file')"
    )
    return {row[0] for row in connection.execute(f"SELECT sha256 FROM artifacts WHERE in_file UNION {aside}")}


_BEGINNING = (
    "SELECT a.artifact_type, a.artifact_key, a.version, substr(a.content, 1, :chars), a.media_type, a.bytes"
    " FROM artifact_heads h CROSS JOIN artifacts a ON a.id = h.artifact_id WHERE h.campaign_id = :campaign"
)


def named(
    connection: DatabaseConnection, campaign_id: str, names: Iterable[tuple[str, str]], chars: int
) -> list[NamedArtifact]:
    """The artifacts of these types and keys that there are, with the beginnings of their texts."""
    rows = (
        connection.execute(
            f"{_BEGINNING} AND h.artifact_type = :type AND h.artifact_key = :key",
            {"campaign": campaign_id, "type": type_, "key": key, "chars": chars},
        ).fetchone()
        for type_, key in names
    )
    return [_shown(row) for row in rows if row is not None]


def latest_of(
    connection: DatabaseConnection, campaign_id: str, artifact_type: str, chars: int, limit: int
) -> list[NamedArtifact]:
    """The latest artifacts of a type, with the beginnings of their texts."""
    rows = connection.execute(
        f"{_BEGINNING} AND h.artifact_type = :type ORDER BY h.number DESC LIMIT :limit",
        {"campaign": campaign_id, "type": artifact_type, "chars": chars, "limit": limit},
    )
    return [_shown(row) for row in rows]


def _shown(row: tuple[Any, ...]) -> NamedArtifact:
    type_, key, version, text, media_type, size = row
    return NamedArtifact(type_, key, version, text or f"({media_type}, {size} bytes)")


def latest_version(connection: DatabaseConnection, campaign_id: str, artifact_type: str, key: str) -> int:
    """The artifact's newest version, 0 when there is none."""
    row = connection.execute(
        "SELECT coalesce(max(version), 0) FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=?",
        (campaign_id, artifact_type, key),
    )
    return int(row.fetchone()[0])


def stored_files(connection: DatabaseConnection) -> list[BlobRef]:
    """Every file that some version is kept in."""
    return [BlobRef(*row) for row in connection.execute("SELECT DISTINCT sha256, bytes FROM artifacts WHERE in_file")]


@dataclass(frozen=True, slots=True)
class ArtifactVersion:
    """One version of an artifact in the list of all; `created_at` in ms UTC."""

    version: int
    made_by: Maker
    created_at: int


def versions(
    connection: DatabaseConnection, campaign_id: str, artifact_type: str, key: str, limit: int
) -> list[ArtifactVersion]:
    """The artifact's versions, newest first."""
    rows = connection.execute(
        "SELECT version, made_by, created_at FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=?"
        " ORDER BY version DESC LIMIT ?",
        (campaign_id, artifact_type, key, limit),
    )
    return [ArtifactVersion(version, maker(made_by), at) for version, made_by, at in rows]


class VersionRecord(NamedTuple):
    """What is recorded of a version beside its content; `schema` in JSON."""

    id: str
    made_by: Maker
    created_at: int
    schema: str


def version_record(
    connection: DatabaseConnection, campaign_id: str, artifact_type: str, key: str, version: int
) -> VersionRecord | None:
    """Of that version."""
    row = connection.execute(
        "SELECT id, made_by, created_at, schema FROM artifacts"
        " WHERE campaign_id=? AND artifact_type=? AND artifact_key=? AND version=?",
        (campaign_id, artifact_type, key, version),
    ).fetchone()
    return VersionRecord(row[0], maker(row[1]), row[2], row[3]) if row else None


@dataclass(frozen=True, slots=True)
class ArtifactOrigin:
    """The event that a version was kept by."""

    seq: int
    actor: str
    cause: str


def origin(connection: DatabaseConnection, campaign_id: str, artifact_id: str) -> ArtifactOrigin | None:
    """The event that this version was kept by."""
    # The index is named, because the planner would rather walk the campaign's whole log.
    row = connection.execute(
        "SELECT seq, actor, cause FROM event_log INDEXED BY event_log_artifacts"
        " WHERE campaign_id=? AND entity_id=? AND kind='ArtifactPersisted'",
        (campaign_id, artifact_id),
    ).fetchone()
    return ArtifactOrigin(*row) if row else None


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
        page = find(
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
    stored_artifact = stored(connection, campaign_id, artifact_type, key, version)
    record = version_record(connection, campaign_id, artifact_type, key, version)
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
