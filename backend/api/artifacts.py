"""Artifacts: found by type and key, read byte for byte, kept in new versions."""

import base64
import binascii
import io
import os
from collections.abc import Iterable
from typing import IO

from flask import Blueprint, Response, request

from backend.api.exchange import body, reply
from backend.api.files import deliver, write_out
from backend.api.reads import artifacts as reads
from backend.api.services import Services
from backend.api.wire.artifacts import ArtifactSaved, PapersWritten, SaveArtifact, SaveArtifactFile
from backend.api.wire.base import Nothing
from backend.api.wire.files import Destination
from backend.domain.artifact import MAX_INLINE, refuse_size
from backend.domain.errors import OutriderError
from backend.domain.papers import CONTEXT, ENVIRONMENT, TASKS
from backend.store.artifacts import Stored

MAX_SAVE_BYTES = MAX_INLINE * 3 // 2
"""The largest text of the log in base64, with its key around it."""


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/artifacts…`."""
    routes = Blueprint("artifacts", __name__, url_prefix="/api/campaigns/<campaign_id>/artifacts")

    @routes.get("")
    def page(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.artifact_page(connection, campaign_id, request.args.to_dict()))

    @routes.get("/<artifact_type>/<key>/<int(max=999999999):version>")
    def view(campaign_id: str, artifact_type: str, key: str, version: int) -> Response:
        with services.database.read() as connection:
            return reply(reads.artifact_view(connection, campaign_id, artifact_type, key, version))

    def exactly(campaign_id: str, artifact_type: str, key: str, version: int) -> tuple[Stored, Iterable[bytes]]:
        with services.database.read() as connection:
            found = reads.artifact_stored(connection, campaign_id, artifact_type, key, version)
        return found, services.blobs.chunks(found.sha256) if found.in_file else [found.text.encode()]

    @routes.get("/<artifact_type>/<key>/<int(max=999999999):version>/content")
    def content(campaign_id: str, artifact_type: str, key: str, version: int) -> Response:
        found, pieces = exactly(campaign_id, artifact_type, key, version)
        digest = base64.b64encode(bytes.fromhex(found.sha256)).decode()
        response = deliver(services, pieces, f"{key}-v{version}", "application/octet-stream")
        response.headers["Repr-Digest"] = f"sha-256=:{digest}:"  # RFC 9530
        return response

    @routes.post("/<artifact_type>/<key>/<int:version>/content")
    def write(campaign_id: str, artifact_type: str, key: str, version: int) -> Response:
        _, pieces = exactly(campaign_id, artifact_type, key, version)
        return write_out(services, body(Destination).ticket, pieces)

    @routes.post("/papers")
    def papers(campaign_id: str) -> Response:
        body(Nothing)
        folder = services.papers(campaign_id)
        return reply(PapersWritten(folder=str(folder), files=[CONTEXT, ENVIRONMENT, TASKS]))

    @routes.get("/proposed/<question_id>")
    def proposed(campaign_id: str, question_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.proposed(connection, campaign_id, question_id))

    @routes.post("")
    def save(campaign_id: str) -> Response:
        request.max_content_length = MAX_SAVE_BYTES
        given = body(SaveArtifact)
        return saved(campaign_id, given, io.BytesIO(_decoded(given.content_base64)))

    @routes.post("/from-file")
    def save_file(campaign_id: str) -> Response:
        given = body(SaveArtifactFile)
        path, _ = services.files.source(given.ticket)
        try:
            with path.open("rb") as file:
                refuse_size(os.fstat(file.fileno()).st_size)
                return saved(campaign_id, given, file)
        except OSError as error:
            raise OutriderError("upload_failed", detail=error.strerror or type(error).__name__) from error

    def saved(campaign_id: str, given: SaveArtifact | SaveArtifactFile, source: IO[bytes]) -> Response:
        version = services.session.commands(campaign_id).artifacts.save(
            campaign_id, given.artifact_type, given.artifact_key, source, services.blobs, follows=given.follows
        )
        return reply(ArtifactSaved(campaign_id=campaign_id, version=version), 201)

    return routes


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise OutriderError("bad_request", detail="content_base64: it is not base64") from error
