"""Comparing a later export of LinkedIn's with what is on record of its people."""

from collections.abc import Callable

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Ticket
from backend.commands.reconciliation import compare_export
from backend.domain.contact.reconciliation import Reconciliation
from backend.domain.values.shapes import Shape

routes = Routes("reconciliation", "/reconciliation")


class ChosenExport(Shape):
    """The export that was chosen: the zip, or one of its tables."""

    ticket: Ticket


@routes.post()
def compare(services: Services, body: ChosenExport) -> Reconciliation:
    """Record what the export shows of people on record; raises `file_ticket_unknown`, `export_…` and `lead_file_…`."""
    return export_comparison(services, body.ticket)()


def export_comparison(services: Services, ticket: str) -> Callable[[], Reconciliation]:
    """Compares the chosen file, as LinkedIn's export, with what is on record; raises `file_ticket_unknown`.

    Real people's time is real time.
    """
    path, name = services.files.source(ticket)
    journal, clock = services.workspace.journal, services.workspace.clock
    return lambda: compare_export(
        journal, clock, lambda addresses: services.lead_files.contacts(path, addresses), file=name
    )
