"""Artifacts as the page sees them."""

import json
import re
import sqlite3

from backend.api.wire.artifacts import ArtifactLine, ArtifactPage, ArtifactView, Origin, ProposedArtifact, VersionLine
from backend.domain.artifact import ArtifactType, Source, content
from backend.domain.errors import OutriderError
from backend.store import artifacts, reading, requests
from backend.store.artifacts import Stored

PAGE = 50
MOST_VERSIONS = 200

_VERSIONS = (
    "SELECT version, source, created_at FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=?"
    " ORDER BY version DESC LIMIT ?"
)
_ONE = (
    "SELECT id, source, created_at, schema FROM artifacts"
    " WHERE campaign_id=? AND artifact_type=? AND artifact_key=? AND version=?"
)
_PROPOSED = "SELECT payload, task_id FROM input_requests WHERE id=? AND campaign_id=? AND kind='save_artifact' AND status='open'"
# Named, because the planner would rather walk the campaign's whole log.
_ORIGIN = (
    "SELECT seq, actor, cause FROM event_log INDEXED BY event_log_artifacts"
    " WHERE campaign_id=? AND entity_id=? AND kind='ArtifactPersisted'"
)


def artifact_page(connection: sqlite3.Connection, campaign_id: str, asked: dict[str, str]) -> ArtifactPage:
    """The artifacts that `words`, `type`, `since`, `until` (ms UTC) fit, each optional; raises `campaign_unknown`."""
    if reading.campaign(connection, campaign_id) is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    found = artifacts.find(
        connection,
        campaign_id,
        words=asked.get("words", "")[:200],
        artifact_type=asked.get("type", ""),
        since=_number(asked, "since"),
        until=_number(asked, "until"),
        after=_number(asked, "after"),
        limit=PAGE,
    )
    rows = [
        ArtifactLine(
            id=head.id,
            artifact_type=head.artifact_type,
            artifact_key=head.key,
            version=head.version,
            source=head.source,
            created_at=head.created_at,
            media_type=head.media_type,
        )
        for head in found.rows
    ]
    return ArtifactPage(rows=rows, next=None if found.next is None else str(found.next))


def _number(asked: dict[str, str], name: str) -> int | None:
    given = asked.get(name, "")
    if not given:
        return None
    if not re.fullmatch("[0-9]{1,16}", given):
        raise OutriderError("bad_request", detail=name)
    return int(given)


def artifact_view(
    connection: sqlite3.Connection, campaign_id: str, artifact_type: str, key: str, version: int
) -> ArtifactView:
    """One version and the list of all; raises `artifact_unknown`."""
    stored = artifact_stored(connection, campaign_id, artifact_type, key, version)
    id_, source, created_at, schema = connection.execute(_ONE, (campaign_id, artifact_type, key, version)).fetchone()
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
        sha256=stored.sha256,
        size=stored.size,
        media_type=stored.media_type,
        latest=versions[0][0],
        versions=[VersionLine(version=n, source=Source(by), created_at=at) for n, by, at in versions],
    )


def proposed(connection: sqlite3.Connection, campaign_id: str, question_id: str) -> ProposedArtifact:
    """What the open question is about; raises `question_unknown`, and `approval_text_changed` for bytes of another digest."""
    row = connection.execute(_PROPOSED, (question_id, campaign_id)).fetchone()
    if row is None:
        raise OutriderError("question_unknown", question=question_id)
    asked, text = json.loads(row[0]), ""
    if "content" in asked:
        text = asked["content"]
    elif given := requests.attachment(connection, row[1] or "", asked["attachment"]):
        text = given[1]  # what the user gave, character for character
    wanted = content(asked["artifact_type"], asked["artifact_key"], text)
    if asked.get("sha256", wanted.sha256) != wanted.sha256:
        raise OutriderError("approval_text_changed")
    return ProposedArtifact(
        artifact_type=wanted.artifact_type,
        artifact_key=wanted.key,
        content=wanted.text,
        sha256=wanted.sha256,
        size=wanted.size,
        latest=reading.latest_version(connection, campaign_id, wanted.artifact_type, wanted.key),
    )


def artifact_stored(
    connection: sqlite3.Connection, campaign_id: str, artifact_type: str, key: str, version: int
) -> Stored:
    """How that version is kept; raises `artifact_unknown`."""
    found = artifacts.stored(connection, campaign_id, artifact_type, key, version)
    if found is None:
        raise OutriderError("artifact_unknown", type=artifact_type, key=key, version=version)
    return found
