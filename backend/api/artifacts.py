"""Artifacts: found by type and key, read byte for byte, kept in new versions."""

import base64
import binascii

from flask import Blueprint, Response, request

from backend.api.exchange import body, reply
from backend.api.files import write_out
from backend.api.reads import artifacts as reads
from backend.api.services import Services
from backend.api.wire.artifacts import ArtifactSaved, SaveArtifact
from backend.api.wire.files import Destination
from backend.domain.artifact import MAX_BYTES
from backend.domain.errors import OutriderError

MAX_SAVE_BYTES = MAX_BYTES * 3 // 2
"""The largest content in base64, with its key around it."""


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/artifacts…`."""
    routes = Blueprint("artifacts", __name__, url_prefix="/api/campaigns/<campaign_id>/artifacts")

    @routes.get("")
    def page(campaign_id: str) -> Response:
        asked = request.args
        with services.database.read() as connection:
            return reply(
                reads.artifact_page(
                    connection,
                    campaign_id,
                    artifact_type=asked.get("type", ""),
                    words=asked.get("key", ""),
                    after=asked.get("after", ""),
                )
            )

    @routes.get("/<artifact_type>/<key>/<int(max=999999999):version>")
    def view(campaign_id: str, artifact_type: str, key: str, version: int) -> Response:
        with services.database.read() as connection:
            return reply(reads.artifact_view(connection, campaign_id, artifact_type, key, version))

    @routes.get("/<artifact_type>/<key>/<int(max=999999999):version>/content")
    def content(campaign_id: str, artifact_type: str, key: str, version: int) -> Response:
        with services.database.read() as connection:
            found, digest = reads.artifact_content(connection, campaign_id, artifact_type, key, version)
        said = {"Repr-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:"}  # RFC 9530
        return Response(found, mimetype="application/octet-stream", headers=said)

    @routes.post("/<artifact_type>/<key>/<int:version>/content")
    def write(campaign_id: str, artifact_type: str, key: str, version: int) -> Response:
        ticket = body(Destination).ticket
        with services.database.read() as connection:
            found, _ = reads.artifact_content(connection, campaign_id, artifact_type, key, version)
        return write_out(services, ticket, [found])

    @routes.post("")
    def save(campaign_id: str) -> Response:
        request.max_content_length = MAX_SAVE_BYTES
        given = body(SaveArtifact)
        version = services.session.commands(campaign_id).artifacts.save(
            campaign_id, given.artifact_type, given.artifact_key, _decoded(given.content_base64), follows=given.follows
        )
        return reply(ArtifactSaved(campaign_id=campaign_id, version=version), 201)

    return routes


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise OutriderError("bad_request", detail="content_base64: it is not base64") from error
