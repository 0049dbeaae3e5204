"""Artifacts: found by type and key, read byte for byte, kept in new versions."""

import base64
import binascii
import io
import json
import os
from collections.abc import Iterator
from typing import IO, Any

from pydantic import Field

from backend.api.exports import Export, record_read
from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import After, Page, Ticket
from backend.domain.model.artifact import MAX_INLINE, ArtifactType, Maker, refuse_size, text_content
from backend.domain.reports.campaign_files import CONTEXT, ENVIRONMENT, TASKS
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions
from backend.store.queries.turn import artifacts, requests
from backend.store.queries.turn.artifacts import ArtifactOrigin, ArtifactVersion, StoredArtifact

PAGE = 50
MOST_VERSIONS = 200
MAX_SAVE_BYTES = MAX_INLINE * 3 // 2
"""The largest text of the log in base64, with its key around it."""

_ONE = "/<artifact_type>/<key>/<int(max=999999999):version>"

routes = Routes("artifacts", "/campaigns/<campaign_id>/artifacts")


class ArtifactsQuery(After):
    """Which artifacts: with these words, of this type, kept between these times (ms UTC)."""

    words: str = Field(default="", max_length=200)
    type: ArtifactType | None = None
    since: int | None = Field(default=None, ge=0, lt=10**16)
    until: int | None = Field(default=None, ge=0, lt=10**16)


class ArtifactLine(Shape):
    """An artifact at its newest version; `id` is that version's."""

    id: str
    artifact_type: ArtifactType
    artifact_key: str
    version: int
    made_by: Maker
    created_at: int
    media_type: str


class ArtifactView(ArtifactLine):
    """One version with its inferred schema; the content is read by itself, byte for byte. `versions` are the newest.

    `sha256` (hex) and `size` (bytes) are those of the content as it was kept.
    """

    origin: ArtifactOrigin | None
    inferred: dict[str, Any]
    sha256: str
    size: int
    latest: int
    versions: list[ArtifactVersion]


class ProposedArtifact(Shape):
    """What an agent proposes to keep and the user is asked about: exactly this, as the version after `latest`."""

    artifact_type: ArtifactType
    artifact_key: str
    content: str
    sha256: str
    latest: int


class SaveArtifact(Shape):
    """Keep these bytes after version `follows`, 0 for a new artifact."""

    artifact_type: str = Field(max_length=40)
    artifact_key: str = Field(max_length=200)
    follows: int = Field(ge=0)
    content_base64: str


class SaveArtifactFile(Shape):
    """Keep what is in the file behind the ticket after version `follows`, 0 for a new artifact."""

    artifact_type: str = Field(max_length=40)
    artifact_key: str = Field(max_length=200)
    follows: int = Field(ge=0)
    ticket: Ticket


class CampaignFilesWritten(Shape):
    """The campaign's files for people were written again, and where."""

    folder: str
    files: list[str]


class ArtifactSaved(Shape):
    """The version that was made."""

    campaign_id: str
    version: int


@routes.get()
def list_(connection: DatabaseConnection, campaign_id: str, query: ArtifactsQuery) -> Page[ArtifactLine]:
    """Artifacts, the latest kept first; raises `campaign_unknown`."""
    page = artifacts.find(
        connection,
        campaign_id,
        words=query.words,
        artifact_type=query.type or "",
        since=query.since,
        until=query.until,
        after=cursor.number_after(query.after),
        limit=PAGE,
    )
    rows = [ArtifactLine.showing(head, artifact_key=head.key) for head in page.rows]
    return Page(rows=rows, next=None if page.next is None else str(page.next))


@routes.get(_ONE)
def view(connection: DatabaseConnection, campaign_id: str, artifact_type: str, key: str, version: int) -> ArtifactView:
    """One version and the list of all; raises `artifact_unknown`."""
    stored = _stored(connection, campaign_id, artifact_type, key, version)
    record = artifacts.version_record(connection, campaign_id, artifact_type, key, version)
    assert record is not None  # noqa: S101 - of one transaction with what is stored
    versions = artifacts.versions(connection, campaign_id, artifact_type, key, MOST_VERSIONS)
    return ArtifactView(
        id=record.id,
        artifact_type=ArtifactType(artifact_type),
        artifact_key=key,
        version=version,
        made_by=record.made_by,
        created_at=record.created_at,
        origin=artifacts.origin(connection, campaign_id, record.id),
        inferred=json.loads(record.schema),
        sha256=stored.sha256,
        size=stored.size,
        media_type=stored.media_type,
        latest=versions[0].version,
        versions=versions,
    )


@routes.export(f"{_ONE}/content")
def content(services: Services, campaign_id: str, artifact_type: str, key: str, version: int) -> Export:
    """The content of one version, byte for byte, with its digest (RFC 9530); raises `artifact_unknown`, `artifact_damaged`."""
    stored = services.database.query(_stored, campaign_id, artifact_type, key, version)
    pieces = _file(services, stored.sha256) if stored.in_file else [stored.text.encode()]
    digest = base64.b64encode(bytes.fromhex(stored.sha256)).decode()
    return Export(pieces, f"{key}-v{version}", "application/octet-stream", {"Repr-Digest": f"sha-256=:{digest}:"})


def _file(services: Services, sha256: str) -> Iterator[bytes]:
    try:
        yield from services.blobs.chunks(sha256)
    except OutriderError:
        services.sync.fetch_again(sha256)
        raise


@routes.post("/campaign-files")
def write_campaign_files(services: Services, campaign_id: str) -> CampaignFilesWritten:
    """Write the campaign's files for people again; raises `campaign_unknown`, `export_failed`."""
    folder = services.write_campaign_files(campaign_id)
    return CampaignFilesWritten(folder=str(folder), files=[CONTEXT, ENVIRONMENT, TASKS])


@routes.get("/proposed/<question_id>")
def proposed(connection: DatabaseConnection, campaign_id: str, question_id: str) -> ProposedArtifact:
    """What the open question is about; raises `question_unknown`, and `approval_text_changed` for bytes of another digest."""
    question = questions.existing_proposal(connection, campaign_id, question_id, "save_artifact")
    payload = question.payload
    text, _ = requests.proposed_text(connection, question.task_id, payload)
    proposal = text_content(payload["artifact_type"], payload["artifact_key"], text)
    if payload.get("sha256", proposal.sha256) != proposal.sha256:
        raise OutriderError("approval_text_changed")
    return ProposedArtifact.showing(
        proposal,
        artifact_key=proposal.key,
        content=proposal.text,
        latest=artifacts.latest_version(connection, campaign_id, proposal.artifact_type, proposal.key),
    )


@routes.post(status=201, most_bytes=MAX_SAVE_BYTES)
def save(services: Services, campaign_id: str, body: SaveArtifact) -> ArtifactSaved:
    """Keep these bytes as a new version."""
    return _saved(services, campaign_id, body, io.BytesIO(_decoded(body.content_base64)))


@routes.post("/from-file", status=201)
def save_file(services: Services, campaign_id: str, body: SaveArtifactFile) -> ArtifactSaved:
    """Keep a file as a new version; raises `upload_failed`."""
    path, name = services.files.source(body.ticket)
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            refuse_size(size)
            saved = _saved(services, campaign_id, body, file)
    except OSError as error:
        raise OutriderError("upload_failed", detail=error.strerror or type(error).__name__) from error
    record_read(services, campaign_id, name, size, "artifact")
    return saved


def _saved(
    services: Services, campaign_id: str, body: SaveArtifact | SaveArtifactFile, source: IO[bytes]
) -> ArtifactSaved:
    version = services.commands(campaign_id).artifacts.save(
        campaign_id, body.artifact_type, body.artifact_key, source, services.blobs, follows=body.follows
    )
    return ArtifactSaved(campaign_id=campaign_id, version=version)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise OutriderError("bad_request", detail="content_base64: it is not base64") from error


def _stored(
    connection: DatabaseConnection, campaign_id: str, artifact_type: str, key: str, version: int
) -> StoredArtifact:
    """How that version is kept; raises `artifact_unknown`."""
    stored = artifacts.stored(connection, campaign_id, artifact_type, key, version)
    if stored is None:
        raise OutriderError("artifact_unknown", type=artifact_type, key=key, version=version)
    return stored
