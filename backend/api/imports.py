"""Imports of lead files: begun, and what became of the rows of those before."""

from collections.abc import Iterator

from pydantic import Field

from backend.api import cursor
from backend.api.csv_text import csv_lines
from backend.api.endpoint import Noun
from backend.api.exports import Export
from backend.api.lead_files import ChosenLeads, open_chosen_file
from backend.api.reconciliation import export_reader
from backend.api.services import Services
from backend.api.shapes import After, Done, Page
from backend.domain.errors import OutriderError
from backend.domain.shapes import Wire
from backend.store.database import DatabaseConnection
from backend.store.queries import imports as import_queries
from backend.store.queries.imports import ImportRow, RejectedRecord

CONNECTIONS = "linkedin_connections"
MOST_IMPORTS, MOST_REJECTED = 50, 100

routes = Noun("imports", "/campaigns/<campaign_id>/imports")


class ImportsQuery(Wire):
    """The imports before that one ("": the latest)."""

    before: str = Field(default="", max_length=64)


@routes.post(status=202)
def start(services: Services, campaign_id: str, body: ChosenLeads) -> Done:
    """Begin to import a file; raises `file_ticket_unknown`, `lead_file_…`, `import_running`."""
    source, name = open_chosen_file(services, body)
    services.session.start_import(
        campaign_id,
        source,
        file=name,
        file_format=source.format.name,
        total=source.most_rows,
        export=export_reader(services, body.ticket) if source.format.name == CONNECTIONS else None,
    )
    return Done(campaign_id=campaign_id)


@routes.post("/cancel")
def cancel(services: Services, campaign_id: str) -> Done:
    """Stop the import between two batches; what is there stays, and importing the file again goes on. Nothing if none runs."""
    services.importer.cancel(campaign_id)
    return Done(campaign_id=campaign_id)


@routes.get()
def list_(connection: DatabaseConnection, campaign_id: str, query: ImportsQuery) -> Page[ImportRow]:
    """The campaign's imports, the latest first; `finished_at` is null while one runs or when it was cut off."""
    rows = import_queries.imports(connection, campaign_id, query.before, MOST_IMPORTS)
    return Page(rows=rows, next=rows[-1].id if len(rows) == MOST_IMPORTS else None)


@routes.get("/<import_id>/rejected")
def rejected(connection: DatabaseConnection, campaign_id: str, import_id: str, query: After) -> Page[RejectedRecord]:
    """The records of an import that could not become leads, in the order of the file; raises `import_unknown`."""
    return _rejected(connection, campaign_id, import_id, query.after)


@routes.export("/<import_id>/rejected/export")
def rejected_export(services: Services, campaign_id: str, import_id: str) -> Export:
    """The same as a spreadsheet; raises `import_unknown`."""
    with services.database.read() as connection:
        _import_of(connection, campaign_id, import_id)
    return Export(_rejected_csv(services, campaign_id, import_id), "rejected rows.csv", "text/csv")


def _rejected(connection: DatabaseConnection, campaign_id: str, import_id: str, after: str) -> Page[RejectedRecord]:
    _import_of(connection, campaign_id, import_id)
    line, _, id_ = after.partition(":")
    begin = cursor.whole(line)
    place = import_queries.FIRST if begin is None else (begin, id_)
    rows = import_queries.rejected_records(connection, import_id, place, MOST_REJECTED)
    return Page(rows=rows, next=f"{rows[-1].line}:{rows[-1].id}" if len(rows) == MOST_REJECTED else None)


def _import_of(connection: DatabaseConnection, campaign_id: str, import_id: str) -> str:
    """The import's file; raises `import_unknown`."""
    found = import_queries.find(connection, campaign_id, import_id)
    if found is None:
        raise OutriderError("import_unknown", import_id=import_id)
    return found.file


def _rejected_csv(services: Services, campaign_id: str, import_id: str) -> Iterator[bytes]:
    yield from csv_lines([("line", "code", "reason", "row")])
    after: str | None = ""
    while after is not None:
        with services.database.read() as connection:
            page = _rejected(connection, campaign_id, import_id, after)
        yield from csv_lines((str(row.line), row.code, row.reason, row.raw) for row in page.rows)
        after = page.next
