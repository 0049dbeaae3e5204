"""Uploads of files from a plain browser, which cannot name a path."""

from typing import IO

from backend.api.exports import CHUNK_BYTES
from backend.api.server.auth import UPLOADS
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Offered
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape

MAX_UPLOAD_BYTES = 64 * 1024 * 1024

routes = Routes("uploads")


class UploadQuery(Shape):
    """The file's name on the user's side."""

    name: str = ""


@routes.post(UPLOADS.removeprefix("/api"), status=201, most_bytes=MAX_UPLOAD_BYTES)
def keep(services: Services, query: UploadQuery, body: IO[bytes]) -> Offered:
    """Store a file for this launch, and give a ticket for it; raises `upload_failed`."""
    try:
        return services.files.store_upload(iter(lambda: body.read(CHUNK_BYTES), b""), query.name)
    except OSError as error:
        raise OutriderError("upload_failed", detail=error.strerror or "the connection broke off") from error
