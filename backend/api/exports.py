"""Exports: files out, whole or not at all, for a browser's download and for the window's dialog (`endpoint.Routes.export`)."""

import contextlib
import csv
import io
import os
import secrets
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import quote

from flask import Response

from backend.api.server.file_tickets import safe_name, write_all
from backend.api.server.services import Services
from backend.api.shapes import Written
from backend.domain.events.events import AuditEntry
from backend.domain.values.csv_cell import neutralised
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import move_onto
from backend.machine.unfinished_files import noted

CHUNK_BYTES = 256 * 1024


@dataclass(frozen=True)
class Export:
    """A file that is made while it is read; `headers` go with a download."""

    chunks: Iterable[bytes]
    filename: str
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
    recorded: bool = False
    """Whether whoever makes it has put it into the audit log already."""


def send_download(services: Services, campaign_id: str, export: Export) -> Response:
    """An export as a download.

    It is made completely before its first byte is sent: what goes wrong on the way is a coded answer, not a file that ends
    early, and the length that is sent along lets the browser notice a connection that broke off. Raises `data_folder_gone`.
    """
    services.database.refuse_another_file()
    spool: IO[bytes] | None = None
    try:
        spool = tempfile.TemporaryFile(dir=services.files.upload_folder())  # noqa: SIM115 - closed when the answer was sent
        size = write_all(spool, export.chunks)
        spool.seek(0)
        if not export.recorded:
            record_export(services, campaign_id, export.filename, size)
    except BaseException as error:
        if spool is not None:
            with contextlib.suppress(OSError):  # what it could not write, it cannot write now
                spool.close()
        raise _export_failed(error) from error
    response = Response(iter(lambda: spool.read(CHUNK_BYTES), b""), mimetype=export.media_type)
    response.call_on_close(spool.close)
    response.content_length = size
    response.headers.update(export.headers)
    response.headers["Content-Disposition"] = content_disposition(export.filename)
    return response


def write_export(services: Services, campaign_id: str, ticket: str, export: Export) -> Written:
    """Write an export into the file that the user chose in the window's dialog.

    Complete or not at all: it is written beside the file and then takes its place; a link to it stays. Raises
    `file_ticket_unknown`, `export_failed`, and whatever its chunks raise.
    """
    path = Path(os.path.realpath(services.files.destination(ticket)))
    beside = path.with_name(f".{path.stem[:40]}.{secrets.token_hex(4)}")
    try:
        with noted(services.workspace.settings.data_dir, [beside]):
            size = _write_beside(beside, export.chunks)
            if not export.recorded:  # before: no file is there that is in no log, and none of which failure was told
                record_export(services, campaign_id, path.name, size)
            move_onto(beside, path)
    except BaseException as error:
        raise _export_failed(error) from error
    return Written(name=path.name, size=size)


def _write_beside(path: Path, chunks: Iterable[bytes]) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with open(descriptor, "wb") as out:  # noqa: PTH123 - Path has no mode
        size = write_all(out, chunks)
        os.fsync(out.fileno())
    return size


def record_export(services: Services, campaign_id: str, name: str, size: int | None = None) -> None:
    """Audit every file that is written or leaves for a browser's download (spec 000 §4.3); without a size it is only begun."""
    what = {"files": [name]} if size is None else {"files": [name], "bytes": size}
    written = AuditEntry("file.write", {"parameters": what, "outcome": "begun" if size is None else "ok"})
    now = services.clock(campaign_id).now()
    services.workspace.journal.record(campaign_id, events=(), audits=(written,), actor="user", cause="export", at=now)


def record_read(services: Services, campaign_id: str, name: str, size: int, cause: str) -> None:
    """Every file of the user's that is read has its audit entry, too (spec 000 §4.3); it never says where the file is."""
    read = AuditEntry("file.read", {"parameters": {"file": name, "bytes": size}, "outcome": "ok"})
    now = services.clock(campaign_id).now()
    services.workspace.journal.record(campaign_id, events=(), audits=(read,), actor="user", cause=cause, at=now)


def content_disposition(filename: str) -> str:
    """Content-Disposition for a download of this name, whatever is in it (RFC 6266)."""
    name = safe_name(filename, "export")
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().replace('"', "") or "export"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _export_failed(error: BaseException) -> BaseException:
    if isinstance(error, OSError):
        return OutriderError("export_failed", detail=error.strerror or type(error).__name__)
    return error


BOM = "\ufeff"
"""Without it, spreadsheets take UTF-8 for something else."""


def csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Each row as a line of CSV in UTF-8."""
    for row in rows:
        out = io.StringIO()
        csv.writer(out).writerow([neutralised(cell) for cell in row])
        yield out.getvalue().encode("utf-8", "backslashreplace")
