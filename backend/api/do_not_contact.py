"""The do-not-contact list: whom no campaign may write to. It goes in and out as a CSV file."""

from collections.abc import Iterator
from dataclasses import replace

from pydantic import Field

from backend.api.exports import BOM, Export, csv_lines
from backend.api.lead_files import Sheet, sheets_of
from backend.api.server.endpoint import Routes
from backend.api.server.services import ReadableDoNotContactFile, Services
from backend.api.shapes import After, Page, Ticket
from backend.commands import do_not_contact_undo as undoing
from backend.commands.do_not_contact_import import DoNotContactReport, forecast_import
from backend.commands.do_not_contact_undo import UndoneDoNotContactImport
from backend.domain.events.events import WORKSPACE
from backend.domain.people.contact_keys import ContactKind, entry_key, kind_of
from backend.domain.people.do_not_contact_file import OUR_COLUMNS, Role, exported_row
from backend.domain.people.lead_row import RejectedRow
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import Database, DatabaseConnection
from backend.store.queries.people import do_not_contact
from backend.store.queries.people import do_not_contact_imports as imports
from backend.store.queries.people.do_not_contact import ForbiddenPerson
from backend.store.queries.people.do_not_contact_imports import DoNotContactImportRow

routes = Routes("do_not_contact", "/do-not-contact")

A_PAGE = 50
EXPORTED_AT_ONCE = 2_000
SHOWN_REJECTED, SHOWN_RAW = 20, 500


class Forbid(Shape):
    """Never contact this person (the address of a profile, or an e-mail address), or anybody of a company or a domain."""

    person: str = Field(min_length=2, max_length=500)
    kind: ContactKind = "person"
    name: str = Field(default="", max_length=120)
    reason: str = Field(default="", max_length=500)


class ChosenList(Shape):
    """A do-not-contact file that was chosen; `encoding` is what the user named, null: guessed; `sheet` as of a lead file."""

    ticket: Ticket
    encoding: str | None = Field(default=None, max_length=40)
    sheet: str = Field(default="", max_length=100)


class ListColumn(Shape):
    """A column of the file, and what its cells are taken for; null if nothing is read from it."""

    name: str
    role: Role | None


class CampaignHit(Shape):
    """A campaign, and how many of its leads stop."""

    name: str
    leads: int


class DoNotContactPreview(Shape):
    """What importing the file would do; nothing was written.

    `people`, `companies` and `domains` are rows that put somebody on the list; with `already` and `rejected` they are all its rows.
    `erased` of the people are known by a key only. Without `columns` it is a bare list.
    """

    file: str
    encoding: str
    sheet: str
    """The sheet of a workbook that is read; empty for any other file."""
    sheets: list[Sheet]
    """All of its sheets with anything in them; empty for any other file."""
    sheet_sentences: list[str]
    """How the file is read, and what of a workbook is not, in words."""
    columns: list[ListColumn]
    people: int
    companies: int
    domains: int
    already: int
    rejected: int
    erased: int
    leads_stopped: int
    campaigns: list[CampaignHit]
    messages_withdrawn: int
    rejected_rows: list[RejectedRow]


@routes.get()
def list_(connection: DatabaseConnection, query: After) -> Page[ForbiddenPerson]:
    """A page of the list, newest first."""
    rows = do_not_contact.forbidden_people(connection, query.after, A_PAGE + 1)
    return Page(rows=rows[:A_PAGE], next=rows[A_PAGE - 1].id if len(rows) > A_PAGE else None)


@routes.post()
def add(services: Services, body: Forbid) -> None:
    """Put an entry on the list; raises `person_unclear`, `company_unclear` and `domain_unclear`."""
    key = entry_key(body.kind, body.person, services.member_key)
    name = body.name.strip() or (body.person.strip()[:120] if body.kind == "company" else "")
    services.commands(WORKSPACE).workspace.add_do_not_contact(key, name, body.reason.strip())


routes.command("/remove", "workspace.remove_do_not_contact")


@routes.post("/preview")
def preview(services: Services, body: ChosenList) -> DoNotContactPreview:
    """What importing a file would do; raises `file_ticket_unknown`, `lead_file_…` and `do_not_contact_file_unknown`."""
    source, name = _open(services, body)
    return _preview(source, name, services.database.query(forecast_import, source, file=name))


@routes.post("/imports")
def import_(services: Services, body: ChosenList) -> None:
    """Begin to put the rows of a file on the list; raises as the preview does, and `do_not_contact_import_running`."""
    source, name = _open(services, body)
    services.do_not_contact_importer.start(source, file=name, total=source.most_rows)


@routes.get("/imports")
def imports_(connection: DatabaseConnection, query: After) -> Page[DoNotContactImportRow]:
    """The files that were imported, the latest first; `finished_at` is null while one runs or when it was cut off."""
    rows = imports.list_imports(connection, query.after, A_PAGE)
    return Page(rows=rows, next=rows[-1].id if len(rows) == A_PAGE else None)


@routes.get("/imports/<import_id>/undo")
def undo_forecast(connection: DatabaseConnection, import_id: str) -> UndoneDoNotContactImport:
    """What undoing would do; raises `do_not_contact_import_unknown` and `do_not_contact_import_already_undone`."""
    return undoing.undo_forecast(connection, import_id)


@routes.post("/imports/<import_id>/undo")
def undo(services: Services, import_id: str) -> UndoneDoNotContactImport:
    """Take exactly the entries of this import off the list; raises as its forecast, and `do_not_contact_import_running`."""
    if services.do_not_contact_importer.busy:
        raise OutriderError("do_not_contact_import_running")
    workspace = services.workspace
    return undoing.undo_do_not_contact_import(workspace.journal, workspace.clock, import_id)


@routes.export("/export")
def export(services: Services) -> Export:
    """The whole list as a CSV file, which can be imported again."""
    return Export(exported_list(services.database), "do not contact.csv", "text/csv")


@routes.export("/rejected")
def rejected_export(services: Services, query: ChosenList) -> Export:
    """The rows of a file that put nobody on the list, with their reasons; raises as the preview does."""
    source, _ = _open(services, query)
    return Export(rejected_lines(source), "rejected rows.csv", "text/csv")


def exported_list(database: Database) -> Iterator[bytes]:
    """The list as CSV, in the order of its keys; some at a time."""
    yield BOM.encode()
    yield from csv_lines([OUR_COLUMNS])
    after = ""
    while True:
        entries = database.query(do_not_contact.exported_entries, after, EXPORTED_AT_ONCE)
        if not entries:
            return
        yield from csv_lines(exported_row(entry, kind_of(entry.member_key)) for entry in entries)
        after = entries[-1].member_key


def rejected_lines(source: ReadableDoNotContactFile) -> Iterator[bytes]:
    """The rejected rows of a file as CSV."""
    yield from csv_lines([("line", "code", "reason", "row")])
    for row in source:
        if isinstance(row, RejectedRow):
            yield from csv_lines([(str(row.line), row.code, row.reason, row.raw)])


def _open(services: Services, chosen_list: ChosenList) -> tuple[ReadableDoNotContactFile, str]:
    path, name = services.files.source(chosen_list.ticket)
    return services.do_not_contact_file(path, chosen_list.encoding, chosen_list.sheet), name


def _preview(source: ReadableDoNotContactFile, name: str, report: DoNotContactReport) -> DoNotContactPreview:
    return DoNotContactPreview.showing(
        report,
        file=name,
        encoding=source.encoding,
        sheet=source.sheet.name,
        sheets=sheets_of(source.sheet),
        sheet_sentences=source.sheet.sentences,
        columns=[ListColumn(name=cell, role=source.roles.get(at)) for at, cell in enumerate(source.header)],
        campaigns=[CampaignHit(name=campaign, leads=n) for campaign, n in report.campaigns.items()],
        rejected_rows=[replace(row, raw=row.raw[:SHOWN_RAW]) for row in report.rejected_rows[:SHOWN_REJECTED]],
    )
