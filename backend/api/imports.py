"""Imports: begun, and what became of the rows of those before."""

from collections.abc import Iterator

from flask import Blueprint, Response, request

from backend.api.csv_text import csv_lines
from backend.api.exchange import body, reply
from backend.api.files import deliver, write_out
from backend.api.lead_files import chosen
from backend.api.reads import leads as reads
from backend.api.services import Services
from backend.api.wire.base import Done
from backend.api.wire.files import Destination
from backend.api.wire.leads import ChosenLeads


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/imports…`."""
    routes = Blueprint("imports", __name__, url_prefix="/api/campaigns/<campaign_id>/imports")

    @routes.post("")
    def start(campaign_id: str) -> Response:
        source, name = chosen(services, body(ChosenLeads))
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


def _rejected_csv(services: Services, campaign_id: str, import_id: str) -> Iterator[bytes]:
    yield from csv_lines([("line", "code", "reason", "row")])
    after: str | None = ""
    while after is not None:
        with services.database.read() as connection:
            page = reads.rejected(connection, campaign_id, import_id, after)
        yield from csv_lines((str(row.line), row.code, row.reason, row.raw) for row in page.rows)
        after = page.next
