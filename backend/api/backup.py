"""A copy of the database, which keeps from losing log entries, the way back from one, and going on without lost ones."""

import secrets
from collections.abc import Iterator

from backend.api.exports import CHUNK_BYTES, Export, record_export
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Ticket
from backend.domain.events.events import WORKSPACE
from backend.domain.values.shapes import Shape
from backend.runtime.copies.record_loss import RecordLossState
from backend.runtime.copies.restoring import BackupFound, RestoreState
from backend.store.backup import back_up

BACKUP_NAME = "outrider-backup.db"
MEDIA_TYPE = "application/vnd.sqlite3"

routes = Routes("backup", "/backup")


@routes.export("/export")
def export(services: Services) -> Export:
    """A copy of the database; it is proven before its first byte is handed on."""
    return Export(_copied(services), BACKUP_NAME, MEDIA_TYPE, recorded=True)


class ChosenBackup(Shape):
    """A backup, by the ticket of the file that the user chose."""

    ticket: Ticket


@routes.get()
def view(services: Services) -> RestoreState:
    """The backup that the next start puts back, and what this start put back."""
    return services.restoring.state()


@routes.post("/check")
def check(services: Services, body: ChosenBackup) -> BackupFound:
    """Read a backup whole, and say what is missing in it; raises `backup_*`."""
    file = services.files.source(body.ticket)
    return services.restoring.check(body.ticket, file.path, file.name)


@routes.post("/restore")
def restore(services: Services, body: ChosenBackup) -> RestoreState:
    """Have the backup that was checked last put back at the next start; nothing acts until then."""
    with services.run_service.at_rest():
        services.restoring.schedule(body.ticket)
    return services.restoring.state()


@routes.post("/cancel")
def cancel(services: Services) -> RestoreState:
    """Put nothing back at the next start."""
    services.restoring.cancel()
    return services.restoring.state()


@routes.post("/dismiss")
def dismiss(services: Services) -> RestoreState:
    """The user has read what this start put back."""
    services.restoring.restored = None
    return services.restoring.state()


def _copied(services: Services) -> Iterator[bytes]:
    record_export(services, WORKSPACE, BACKUP_NAME)  # before: a backup that lacked its own entry would miss one
    copy = services.files.upload_folder() / f"backup-{secrets.token_hex(8)}.db"
    try:
        back_up(services.database, copy)
        with copy.open("rb") as file:
            yield from iter(lambda: file.read(CHUNK_BYTES), b"")
    finally:
        copy.unlink(missing_ok=True)


record_loss = Routes("record_loss", "/record-loss")


@record_loss.get()
def view_missing(services: Services) -> RecordLossState:
    """What is missing."""
    return services.record_loss.state()


@record_loss.post("/accept")
def accept(services: Services) -> RecordLossState:
    """Go on without what is missing."""
    services.record_loss.accept(services.clock(WORKSPACE).now())
    return services.record_loss.state()
