"""Files in: `POST /api/uploads`. Files out: what every export has in common, for a browser's download and for the window's dialog.

An export is two routes on one address: `GET …/export` answers `deliver(…)`, `POST …/export` with a `Destination` answers
`write_out(…)`.
"""

import contextlib
import os
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO
from urllib.parse import quote

from flask import Blueprint, Response, request

from backend.api.auth import UPLOADS
from backend.api.exchange import reply
from backend.api.file_desk import safe_name, write_all
from backend.api.services import Services
from backend.api.wire.files import Written
from backend.domain.errors import OutriderError

MAX_UPLOAD_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 256 * 1024


def blueprint(services: Services) -> Blueprint:
    """`/api/uploads`."""
    routes = Blueprint("files", __name__)

    @routes.post(UPLOADS)
    def upload() -> Response:
        request.max_content_length = MAX_UPLOAD_BYTES
        stream = request.stream
        try:
            kept = services.files.keep(iter(lambda: stream.read(CHUNK_BYTES), b""), request.args.get("name", ""))
        except OSError as error:
            raise OutriderError("upload_failed", detail=error.strerror or "the connection broke off") from error
        return reply(kept, 201)

    return routes


def deliver(services: Services, chunks: Iterable[bytes], filename: str, media_type: str) -> Response:
    """An export as a download.

    It is made completely before its first byte is sent: what goes wrong on the way is a coded answer, not a file that ends
    early, and the length that is sent along lets the browser notice a connection that broke off.
    """
    spool = tempfile.TemporaryFile(dir=services.files.scratch())  # noqa: SIM115 - closed when the answer was sent
    try:
        size = write_all(spool, chunks)
    except BaseException as error:
        spool.close()
        raise _export_failed(error) from error
    spool.seek(0)
    response = Response(_read(spool), mimetype=media_type)
    response.call_on_close(spool.close)
    response.content_length = size
    response.headers["Content-Disposition"] = disposition(filename)
    return response


def write_out(services: Services, ticket: str, chunks: Iterable[bytes]) -> Response:
    """An export into the file that the user chose in the window's dialog: `Written`.

    Complete or not at all: it is written beside the file and then takes its place. Raises `file_ticket_unknown`,
    `export_failed`, and whatever `chunks` raises.
    """
    path = services.files.destination(ticket)
    beside: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.stem[:40]}.", delete=False) as out:
            beside = Path(out.name)
            size = write_all(out, chunks)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)
    except BaseException as error:
        if beside is not None:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
        raise _export_failed(error) from error
    return reply(Written(name=path.name, size=size))


def disposition(filename: str) -> str:
    """Content-Disposition for a download of this name, whatever is in it (RFC 6266)."""
    name = safe_name(filename, "export")
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().replace('"', "") or "export"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _export_failed(error: BaseException) -> BaseException:
    if isinstance(error, OSError):
        return OutriderError("export_failed", detail=error.strerror or type(error).__name__)
    return error


def _read(spool: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: spool.read(CHUNK_BYTES), b"")
