"""Lead files that the user chose: looked at before anything is decided, and read as they were shown."""

from collections.abc import Mapping
from itertools import islice

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.services import ReadableLeads, Services
from backend.api.wire.leads import (
    ChosenLeads,
    FileColumn,
    FindInFile,
    FoundInFile,
    ImportPreview,
    LeadField,
    RejectedLine,
    SampleLead,
)
from backend.domain.errors import OutriderError
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.domain.variables import VARIABLES, Recipient, columns_as_variables, value_of

LOOKED_AT = 2_000
SHOWN, SHOWN_RAW, SAMPLES = 8, 2_000, 3


def blueprint(services: Services) -> Blueprint:
    """`POST /api/lead-files/…`; it needs no campaign and writes nothing."""
    routes = Blueprint("lead_files", __name__, url_prefix="/api/lead-files")

    @routes.post("/preview")
    def preview() -> Response:
        return reply(_preview(services, body(ChosenLeads)))

    @routes.post("/find")
    def find() -> Response:
        given = body(FindInFile)
        source, _ = chosen(services, given)
        words = given.words.casefold().split()
        fitting = (row for row in source if isinstance(row, LeadRow) and _fits(words, row.full_name.casefold().split()))
        return reply(FoundInFile(rows=[_sample(row) for row in islice(fitting, SHOWN)]))

    return routes


def _fits(words: list[str], name: list[str]) -> bool:
    return all(any(part.startswith(word) for part in name) for word in words)


def further_variables(source: ReadableLeads) -> list[str]:
    """What the columns that are no field are called in braces."""
    further = (column for column in source.header if column not in source.columns.values())
    return list(columns_as_variables(dict.fromkeys(further, "")))


def chosen(services: Services, given: ChosenLeads) -> tuple[ReadableLeads, str]:
    """The file, and what its owner calls it; raises `file_ticket_unknown` and `lead_file_*` before any row is used."""
    path, name = services.files.source(given.ticket)
    return services.lead_files.read(path, _plain(given.mapping)), name


def _plain(mapping: Mapping[LeadField, str] | None) -> dict[str, str] | None:
    return None if mapping is None else {field: column for field, column in mapping.items()}  # noqa: C416 - for its type


def _preview(services: Services, given: ChosenLeads) -> ImportPreview:
    path, name = services.files.source(given.ticket)
    mapping = _plain(given.mapping)
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
        variables=[],
        lacking={},
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
        variables=(further := further_variables(source)),
        lacking=_lacking([_recipient(row) for row in good], [*VARIABLES, *further]),
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
        email=(row.email or "")[:500],
        profile_url=row.profile_url or "",
        connected_on=row.connected_on or "",
        more=columns_as_variables(row.extra),
    )


def _recipient(row: LeadRow) -> Recipient:
    return Recipient(
        row.full_name, row.company or "", row.job_title or "", row.email or "", columns_as_variables(row.extra)
    )


def _lacking(people: list[Recipient], names: list[str]) -> dict[str, int]:
    counts = {name: sum(not value_of(name, to, "-").strip() for to in people) for name in names}
    return {name: n for name, n in counts.items() if n}
