"""Imports of lead files: begun, and what became of the rows of those before; a later export compared with what is on record."""

import json
from collections.abc import Callable, Iterator

from pydantic import Field

from backend.api.exports import BOM, Export, csv_lines
from backend.api.lead_files import ChosenLeads, open_chosen_file
from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import After, Page, Ticket
from backend.commands import import_undo as undoing
from backend.commands.import_undo import UndoneImport
from backend.commands.reconciliation import compare_export
from backend.domain.contact.reconciliation import Reconciliation
from backend.domain.leads.lead_merge import EXTRA, TAGS
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import imports as import_queries
from backend.store.queries.leads.imports import ImportRow, RejectedRecord
from backend.store.queries.people import imported_people
from backend.store.queries.people.imported_people import ImportedPeople

CONNECTIONS = "linkedin_connections"
MOST_IMPORTS, MOST_REJECTED = 50, 100

routes = Routes("imports", "/campaigns/<campaign_id>/imports")


class ImportsQuery(Shape):
    """The imports before that one ("": the latest)."""

    before: str = Field(default="", max_length=64)


class FieldChange(Shape):
    """A field of a lead before and after a row of a file; empty: there was nothing."""

    field: str
    earlier: str
    later: str


class MergedRecord(Shape):
    """A row that said something else of a known lead, and by what the two were found to be one person."""

    id: str
    line: int
    lead_id: str
    full_name: str
    matched: str
    changes: list[FieldChange]


@routes.post()
def start(services: Services, campaign_id: str, body: ChosenLeads) -> None:
    """Begin to import a file; raises `file_ticket_unknown`, `lead_file_…`, `import_running`."""
    source, name = open_chosen_file(services, body)
    services.importer.start(
        campaign_id,
        source,
        services.clock(campaign_id),
        file=name,
        file_format=source.format.name,
        total=source.most_rows,
        lead_filter=body.filter,
        read_as=source.read_as,
        compare=export_comparison(services, body.ticket) if source.format.name == CONNECTIONS else None,
    )


@routes.post("/cancel")
def cancel(services: Services, campaign_id: str) -> None:
    """Stop the import between two batches; what is there stays, and importing the file again goes on. Nothing if none runs."""
    services.importer.cancel(campaign_id)


@routes.get()
def list_(connection: DatabaseConnection, campaign_id: str, query: ImportsQuery) -> Page[ImportRow]:
    """The campaign's imports, the latest first; `finished_at` is null while one runs or when it was cut off."""
    rows = import_queries.imports(connection, campaign_id, query.before, MOST_IMPORTS)
    return Page(rows=rows, next=rows[-1].id if len(rows) == MOST_IMPORTS else None)


@routes.get("/<import_id>/undo")
def undo_forecast(connection: DatabaseConnection, campaign_id: str, import_id: str) -> UndoneImport:
    """What undoing the import would do; raises `import_unknown` and `import_already_undone`."""
    return undoing.undo_forecast(connection, campaign_id, import_id)


@routes.post("/<import_id>/undo")
def undo(services: Services, campaign_id: str, import_id: str) -> UndoneImport:
    """Take an import back, but for whom something was sent; raises `import_unknown`, `import_already_undone`, `import_running`."""
    if services.importer.running(campaign_id):
        raise OutriderError("import_running")
    clock = services.clock(campaign_id)
    return undoing.undo_import(services.workspace.journal, clock, campaign_id, import_id)


@routes.get("/<import_id>/people")
def brought(services: Services, connection: DatabaseConnection, campaign_id: str, import_id: str) -> ImportedPeople:
    """Whom it brought: who is with another campaign, was in touch before, or is asked about; raises `import_unknown`."""
    _import_of(connection, campaign_id, import_id)
    return imported_people.brought(connection, campaign_id, import_id, services.turn_inputs(campaign_id).now)


@routes.get("/<import_id>/merged")
def merged(connection: DatabaseConnection, campaign_id: str, import_id: str, query: After) -> Page[MergedRecord]:
    """Rows that said something else of a known lead, in the order of the file; raises `import_unknown`."""
    _import_of(connection, campaign_id, import_id)
    rows = import_queries.merged_rows(connection, import_id, _place(query.after), MOST_REJECTED)
    shown = [MergedRecord.showing(row, changes=field_changes(row.earlier, row.later)) for row in rows]
    return Page(rows=shown, next=f"{rows[-1].line}:{rows[-1].id}" if len(rows) == MOST_REJECTED else None)


@routes.get("/<import_id>/rejected")
def rejected(connection: DatabaseConnection, campaign_id: str, import_id: str, query: After) -> Page[RejectedRecord]:
    """The records of an import that could not become leads, in the order of the file; raises `import_unknown`."""
    return _rejected(connection, campaign_id, import_id, query.after)


@routes.export("/<import_id>/rejected/export")
def rejected_export(services: Services, campaign_id: str, import_id: str) -> Export:
    """The same as a spreadsheet; raises `import_unknown`."""
    services.database.query(_import_of, campaign_id, import_id)
    return Export(_rejected_csv(services, campaign_id, import_id), "rejected rows.csv", "text/csv")


@routes.export("/<import_id>/rejected/rows")
def rejected_rows(services: Services, campaign_id: str, import_id: str) -> Export:
    """The same below the file's own header, to be mended and imported; raises `import_unknown` and `import_header_unknown`."""
    with services.database.read() as connection:
        file = _import_of(connection, campaign_id, import_id)
        preamble = import_queries.preamble(connection, import_id)
    if not preamble:
        raise OutriderError("import_header_unknown", file=file)
    return Export(_rows_to_mend(services, campaign_id, import_id, preamble), "rows to fix.csv", "text/csv")


def _rejected(connection: DatabaseConnection, campaign_id: str, import_id: str, after: str) -> Page[RejectedRecord]:
    _import_of(connection, campaign_id, import_id)
    rows = import_queries.rejected_records(connection, import_id, _place(after), MOST_REJECTED)
    return Page(rows=rows, next=f"{rows[-1].line}:{rows[-1].id}" if len(rows) == MOST_REJECTED else None)


def _place(after: str) -> tuple[int, str]:
    line, _, id_ = after.partition(":")
    begin = cursor.whole(line)
    return import_queries.FIRST if begin is None else (begin, id_)


def field_changes(earlier: str, later: str) -> list[FieldChange]:
    """The fields that a row changed, without those that nobody sees."""
    before, now = json.loads(earlier), json.loads(later)
    return [
        FieldChange(field=name.removeprefix(EXTRA), earlier=_shown(name, before[name]), later=_shown(name, now[name]))
        for name in now
        if name != "member_key"
    ]


def _shown(name: str, value: str) -> str:
    return ", ".join(json.loads(value)) if name == TAGS else value


def _import_of(connection: DatabaseConnection, campaign_id: str, import_id: str) -> str:
    """The import's file; raises `import_unknown`."""
    row = import_queries.find(connection, campaign_id, import_id)
    if row is None:
        raise OutriderError("import_unknown", import_id=import_id)
    return row.file


def _rejected_csv(services: Services, campaign_id: str, import_id: str) -> Iterator[bytes]:
    yield from csv_lines([("line", "code", "reason", "row")])
    for rows in _rejected_pages(services, campaign_id, import_id):
        yield from csv_lines((str(row.line), row.code, row.reason, row.raw) for row in rows)


def _rows_to_mend(services: Services, campaign_id: str, import_id: str, preamble: str) -> Iterator[bytes]:
    yield (BOM + preamble.removeprefix(BOM)).encode()
    for rows in _rejected_pages(services, campaign_id, import_id):
        yield "".join(row.raw if row.raw.endswith(("\n", "\r")) else f"{row.raw}\n" for row in rows).encode()


def _rejected_pages(services: Services, campaign_id: str, import_id: str) -> Iterator[list[RejectedRecord]]:
    after: str | None = ""
    while after is not None:
        page = services.database.query(_rejected, campaign_id, import_id, after)
        yield page.rows
        after = page.next


reconciliation = Routes("reconciliation", "/reconciliation")


class ChosenExport(Shape):
    """The export that was chosen: the zip, or one of its tables."""

    ticket: Ticket


@reconciliation.post()
def compare(services: Services, body: ChosenExport) -> Reconciliation:
    """Record what the export shows of people on record; raises `file_ticket_unknown`, `export_…` and `lead_file_…`."""
    return export_comparison(services, body.ticket)()


def export_comparison(services: Services, ticket: str) -> Callable[[], Reconciliation]:
    """Compares LinkedIn's export with what is on record, in real time for real people; raises `file_ticket_unknown`."""
    path, name = services.files.source(ticket)
    journal, clock = services.workspace.journal, services.workspace.clock
    return lambda: compare_export(
        journal, clock, lambda addresses: services.lead_files.contacts(path, addresses), file=name
    )
