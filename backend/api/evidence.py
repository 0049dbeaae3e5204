"""Evidence: a file is served only under a name that a record of the campaign bears, and only as what was kept."""

from flask import Blueprint, Response

from backend.api.exchange import asked
from backend.api.reads.evidence import is_recorded
from backend.api.services import Services
from backend.api.wire.evidence import EvidenceAsked
from backend.domain.errors import OutriderError

_PICTURE = "image/png"
_WORDS = "text/plain; charset=utf-8"


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/evidence/<name>?of=<id of the action, message or incident>`."""
    routes = Blueprint("evidence", __name__, url_prefix="/api/campaigns/<campaign_id>/evidence")

    @routes.get("/<path:file>")
    def evidence(campaign_id: str, file: str) -> Response:
        owner = asked(EvidenceAsked).of
        with services.database.read() as connection:
            if not is_recorded(connection, campaign_id, owner, file):
                raise OutriderError("evidence_unknown")
        content = services.evidence(file)
        return Response(content, content_type=_PICTURE if file.endswith(".png") else _WORDS)

    return routes
