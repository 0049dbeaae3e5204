"""Putting a backup back from the page: checked now, and put in place at the next start, before the database is opened."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from backend.commands.contact_memory import remembering_events
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.campaign import CampaignDeleted
from backend.domain.events.record_loss import describe
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import ErrorShape, Shape
from backend.ports.clock import Clock
from backend.ports.ids import Ids
from backend.store import backup as backups
from backend.store.backup import EraseAgain
from backend.store.database import Database
from backend.store.log import erasure
from backend.store.log.erasing_events import erasing_events
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaign_contents, campaigns
from backend.store.queries.device import erased_things
from backend.store.queries.reports import campaign_overview
from backend.store.replication import replica


class BackupFound(Shape):
    """A backup that was read whole, every entry of it checked; `missing` is what it lacks, a line each."""

    name: str
    bytes: int
    entries: int
    missing: list[str]


class BackupRestored(Shape):
    """What became of the backup at this start; `kept` is the database of before ("": there was none), `problem` why not.

    `erased_again` log entries lost their words for the second time: they had been erased since the backup was made.
    `detached` says that the project is attached no more, and how it is again; "" if none was.
    """

    kept: str
    erased_again: int
    problem: ErrorShape | None
    detached: str = ""


class RestoreState(Shape):
    """The backup that the next start puts back, and what this start put back."""

    scheduled: BackupFound | None
    restored: BackupRestored | None


def restore_at_start(database: Path, erase_in_restored: EraseAgain) -> BackupRestored | None:
    """Put back what the user scheduled, or what a killed restore left to do, None if nothing.

    The caller holds the data folder and has opened nothing. Raises `restore_unfinished`: then there may be no database.
    """
    try:
        done = backups.restore_scheduled(database, erase_in_restored)
    except OutriderError as error:
        if error.code == "restore_unfinished":
            raise
        return BackupRestored(kept="", erased_again=0, problem=ErrorShape.showing(error))
    if done is None:
        return None
    previous, detached = str(done.previous_database or ""), detached_sentence(done.project_left)
    return BackupRestored(kept=previous, erased_again=done.erased_again, problem=None, detached=detached)


def detached_sentence(url: str) -> str:
    """That a backup is from before this project was attached, and what to do then; "" of none."""
    if not url:
        return ""
    return (
        f"The project {url}: the backup is from before it was attached. Attach it again under Settings, Sync & devices; what"
        " other devices recorded since comes back then."
    )


def erase_again(ids: Ids, clock: Clock, erased: Database, restored: Database) -> None:
    """Erase in a database put back what this device knows to be erased: people, deleted campaigns, conversations. The folder
    stays the device that it was, whichever device's backup it is.

    A person is erased by the same command as before, so nobody writes to them. Where that cannot be done, because something was
    being sent to them then, their words go all the same.
    """
    journal = Journal(restored, ids)
    with erased.read() as connection, journal.transaction() as transaction:
        replica.keep_device(transaction, replica.project(connection))
    commands = Commands(journal, clock, "controller")
    with erased.read() as connection:
        people, deleted = erased_things.erased_leads(connection), erased_things.deleted_campaigns(connection)
    for campaign_id, lead_id in people:
        with restored.read() as connection:
            has_words = erased_things.has_words(connection, lead_id)
        if has_words:
            with contextlib.suppress(OutriderError):
                commands.people.erase(campaign_id, lead_id)
    for campaign_id in deleted:
        with journal.transaction() as transaction:  # whatever it did then, nothing of it runs now
            if campaign_overview.exists(transaction.connection, campaign_id):
                now, campaign = clock.now(), campaigns.campaign(transaction.connection, campaign_id)
                if campaign is not None:
                    remembered = remembering_events(transaction, ids, campaign, now)
                    transaction.record(WORKSPACE, remembered, actor="controller", cause="restore", at=now)
                left = campaign_contents.what_is_left(transaction.connection, campaign_id)
                events: list[Event] = [CampaignDeleted(campaign_id, deleted_at=now)]
                events += erasing_events(transaction, campaign_id, left, now)
                transaction.record(campaign_id, events, actor="controller", cause="restore", at=now)
    with erased.read() as erased_connection, journal.transaction() as transaction:
        for stream, left in erasure.words_back(erased_connection, transaction.connection).items():
            events = erasing_events(transaction, stream, left, clock.now())
            transaction.record(stream, events, actor="controller", cause="restore", at=clock.now())
    with restored.write() as connection:  # the database that it replaces had them erased, and is kept
        erased_things.evidence_settled(connection, [erased_things.COPIES])


class RestoreService:
    """Checks a backup that the user chose, and schedules it."""

    def __init__(
        self, database: Path, restored: BackupRestored | None, refuse_another_file: Callable[[], None] = lambda: None
    ) -> None:
        """`refuse_another_file` raises `data_folder_gone` where the folder is not ours any more."""
        self._database = database
        self._refuse_another_file = refuse_another_file
        self._lock = threading.Lock()
        self._checked: tuple[str, BackupFound] | None = None
        self._scheduled: BackupFound | None = None
        self.restored = restored

    def state(self) -> RestoreState:
        """What is to be put back, and what was."""
        return RestoreState(scheduled=self._scheduled, restored=self.restored)

    def check(self, ticket: str, path: Path, name: str) -> BackupFound:
        """Read a backup whole; only the last one read can be scheduled, by its ticket. Raises `backup_*` and `data_folder_gone`."""
        with self._lock:
            self._checked = None
            try:
                checked = backups.check(self._database, path)
            except OutriderError as error:
                self._refuse_another_file()  # where the copy was is another folder by now, or none
                # The user knows it by its own name.
                raise OutriderError(error.code, **{**error.facts, "path": name}) from error
            missing = [describe(loss, checked.names) for loss in checked.lost]
            missing += filter(None, [detached_sentence(checked.project_left)])
            shown = BackupFound(name=name, bytes=checked.bytes, entries=checked.entries, missing=missing)
            self._checked = ticket, shown
            return shown

    def schedule(self, ticket: str) -> None:
        """Have it put back at the next start. Raises `file_ticket_unknown` unless it was checked last."""
        with self._lock:
            if self._checked is None or self._checked[0] != ticket:
                raise OutriderError("file_ticket_unknown")
            backups.schedule(self._database)
            self._scheduled, self._checked = self._checked[1], None

    def cancel(self) -> None:
        """Nothing is put back."""
        with self._lock:
            backups.cancel(self._database)
            self._scheduled = self._checked = None

    def refuse(self) -> None:
        """Raises `restore_scheduled`: what is done now would be missing after the next start."""
        if self._scheduled is not None:
            raise OutriderError("restore_scheduled")
