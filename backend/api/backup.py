"""A copy of the database, which keeps from losing log entries."""

import secrets
from collections.abc import Iterator

from backend.api.endpoint import Noun
from backend.api.exports import CHUNK_BYTES, Export
from backend.api.services import Services
from backend.store.backup import back_up

BACKUP_NAME = "outrider-backup.db"
MEDIA_TYPE = "application/vnd.sqlite3"

routes = Noun("backup", "/backup")


@routes.export("/export")
def export(services: Services) -> Export:
    """A copy of the database; it is proven before its first byte is handed on."""
    return Export(_copied(services), BACKUP_NAME, MEDIA_TYPE)


def _copied(services: Services) -> Iterator[bytes]:
    copy = services.files.upload_folder() / f"backup-{secrets.token_hex(8)}.db"
    try:
        back_up(services.database, copy)
        with copy.open("rb") as file:
            yield from iter(lambda: file.read(CHUNK_BYTES), b"")
    finally:
        copy.unlink(missing_ok=True)
