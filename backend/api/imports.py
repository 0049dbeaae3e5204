"""Lead files: looked at, imported in the background, and what became of their rows."""

from collections.abc import Iterator, Mapping
from itertools import islice

from flask import Blueprint, Response, request

from backend.api.csv_text import csv_lines
from backend.api.exchange import body, reply
from backend.api.files import deliver, write_out
from backend.api.reads import leads as reads
from backend.api.services import ReadableLeads, Services
from backend.api.wire.base import Done
from backend.api.wire.files import Destination
from backend.api.wire.leads import BringIn, FileColumn, ImportPreview, LeadField, LookAtFile, RejectedLine, SampleLead
from backend.domain.errors import OutriderError
from backend.domain.lead_row import LeadRow, RejectedRow

LOOKED_AT = 2_000
SHOWN, SHOWN_RAW, SAMPLES = 8, 2_000, 3


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/imports…`."""
    routes = Blueprint("imports", __name__, url_prefix="/api/campaigns/<campaign_id>/imports")

    @routes.post("/preview")
    def preview(campaign_id: str) -> Response:
        look = body(LookAtFile)
        return reply(_preview(services, look.ticket, _plain(look.mapping)))

    @routes.post("")
    def start(campaign_id: str) -> Response:
        given = body(BringIn)
        path, name = services.files.source(given.ticket)
        source = services.lead_files.read(path, _plain(given.mapping))
        services.session.bring_in(campaign_id, source, file=name, file_format=source.format.name)
        return reply(Done(campaign_id=campaign_id), 202)

    @routes.get("")
    def imports(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.imports(connection, campaign_id, request.args.get("before", "")))

    @routes.get("/<import_id>/rejected")
    def rejected(campaign_id: str, import_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.rejected(connection, campaign_id, import_id, request.args.get("after", "")))

    @routes.get("/<import_id>/rejected/export")
    def download(campaign_id: str, import_id: str) -> Response:
        with services.database.read() as connection:
            reads.import_of(connection, campaign_id, import_id)
        return deliver(services, _rejected_csv(services, campaign_id, import_id), "rejected rows.csv", "text/csv")

    @routes.post("/<import_id>/rejected/export")
    def save(campaign_id: str, import_id: str) -> Response:
        return write_out(services, body(Destination).ticket, _rejected_csv(services, campaign_id, import_id))

    return routes


def _plain(mapping: Mapping[LeadField, str] | None) -> dict[str, str] | None:
    return None if mapping is None else {field: column for field, column in mapping.items()}  # noqa: C416 - for its type


def _rejected_csv(services: Services, campaign_id: str, import_id: str) -> Iterator[bytes]:
    yield from csv_lines([("line", "code", "reason", "row")])
    after: str | None = ""
    while after is not None:
        with services.database.read() as connection:
            page = reads.rejected(connection, campaign_id, import_id, after)
        yield from csv_lines((str(row.line), row.code, row.reason, row.raw) for row in page.rows)
        after = page.next


def _preview(services: Services, ticket: str, mapping: dict[str, str] | None) -> ImportPreview:
    path, name = services.files.source(ticket)
    try:
        source = services.lead_files.read(path, mapping)
    except OutriderError as error:
        if error.code not in ("lead_file_unknown_format", "lead_file_no_name_column"):
            raise
        header, guessed = services.lead_files.guess(path)
        if len(header) == 0:
            raise
        wanted = guessed if mapping is None else mapping
        if not {"full_name", "first_name", "last_name"} & wanted.keys():
            return _unusable(name, header, wanted)
        source = services.lead_files.read(path, wanted)
    return _shown(name, source)


def _unusable(name: str, header: tuple[str, ...], mapping: dict[str, str]) -> ImportPreview:
    fields = {column: field for field, column in mapping.items()}
    return ImportPreview(
        file=name,
        format="unknown",
        encoding="",
        delimiter="",
        columns=[FileColumn(name=cell, field=fields.get(cell), samples=[]) for cell in header],
        usable=False,
        rows=[],
        rejected=[],
        good=0,
        bad=0,
        whole=False,
    )


def _shown(name: str, source: ReadableLeads) -> ImportPreview:
    rows = list(islice(source, LOOKED_AT + 1))
    whole, rows = len(rows) <= LOOKED_AT, rows[:LOOKED_AT]
    good = [row for row in rows if isinstance(row, LeadRow)]
    bad = [row for row in rows if isinstance(row, RejectedRow)]
    fields = {column: field for field, column in source.columns.items()}
    return ImportPreview(
        file=name,
        format=source.format.name,
        encoding=source.encoding,
        delimiter=source.delimiter,
        columns=[
            FileColumn(name=cell, field=fields.get(cell), samples=_samples(good, cell, fields.get(cell)))
            for cell in source.header
        ],
        usable=True,
        rows=[_sample(row) for row in good[:SHOWN]],
        rejected=[
            RejectedLine(id=str(row.line), line=row.line, code=row.code, reason=row.reason, raw=row.raw[:SHOWN_RAW])
            for row in bad[:SHOWN]
        ],
        good=len(good),
        bad=len(bad),
        whole=whole,
    )


def _samples(rows: list[LeadRow], column: str, field: str | None) -> list[str]:
    values = (getattr(row, field) if field else row.extra.get(column.strip()) for row in rows)
    return list(islice(dict.fromkeys(value[:80] for value in values if value), SAMPLES))


def _sample(row: LeadRow) -> SampleLead:
    return SampleLead(
        line=row.line,
        full_name=row.full_name[:200],
        job_title=(row.job_title or "")[:200],
        company=(row.company or "")[:200],
        email=row.email or "",
        profile_url=row.profile_url or "",
        connected_on=row.connected_on or "",
    )
