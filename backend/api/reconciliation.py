"""Comparing a later export of LinkedIn's with what is on record of its people."""

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Ticket
from backend.commands.reconciliation import Read
from backend.domain.contact.reconciliation import Reconciliation
from backend.domain.values.shapes import Shape

routes = Routes("reconciliation", "/reconciliation")


class ChosenExport(Shape):
    """The export that was chosen: the zip, or one of its tables."""

    ticket: Ticket


@routes.post()
def compare(services: Services, body: ChosenExport) -> Reconciliation:
    """Record what the export shows of people on record; raises `file_ticket_unknown`, `export_…` and `lead_file_…`."""
    _, name = services.files.source(body.ticket)
    return services.session.compare_export(export_reader(services, body.ticket), name)


def export_reader(services: Services, ticket: str) -> Read:
    """Reads the chosen file as LinkedIn's export; raises `file_ticket_unknown`."""
    path, _ = services.files.source(ticket)
    return lambda addresses: services.lead_files.contacts(path, addresses)
