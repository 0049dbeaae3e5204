"""Evidence: a file is served only under a name that a record of the campaign bears, and only as what was kept."""

import json

from flask import Response

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.model.site import Evidence
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Id, Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.device.retained_files import is_recorded

_PICTURE = "image/png"

_WORDS = "text/plain; charset=utf-8"

routes = Routes("evidence", "/campaigns/<campaign_id>/evidence")


class EvidenceQuery(Shape):
    """In whose record the file is named: the id of an action, a message or an incident."""

    of: Id


@routes.get("/<path:file>")
def file(
    services: Services, connection: DatabaseConnection, campaign_id: str, file: str, query: EvidenceQuery
) -> Response:
    """A file of the evidence store; raises `evidence_unknown`, `evidence_damaged`."""
    if not is_recorded(connection, campaign_id, query.of, file):
        raise OutriderError("evidence_unknown")
    return Response(services.evidence(file), content_type=_PICTURE if file.endswith(".png") else _WORDS)


def evidence_pieces(evidence: str) -> list[Evidence]:
    """Evidence as an action keeps it."""
    return [Evidence(**piece) for piece in json.loads(evidence)]
