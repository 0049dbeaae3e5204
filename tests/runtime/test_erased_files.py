"""Pictures of an erased person are removed on every device that has them, whatever becomes of a process."""

import threading
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from backend.adapters.files.evidence import EvidenceStore
from backend.domain.events.events import AuditEntry, Event
from backend.domain.model.site import Evidence
from backend.runtime.copies.restoring import erase_again
from backend.runtime.jobs.erased_files import ErasedFiles
from backend.runtime.worker import Workers
from backend.store.backup import back_up, restore
from backend.store.database import Database
from backend.store.log.journal import Journal
from tests.fakes.campaign import MESSAGE_ONLY, Stage
from tests.fakes.ids import SeededIds
from tests.fakes.pair import Pair
from tests.patience import PATIENCE


class Desk:
    """A device that looked at two people's pages; of the first one there are three pictures, and one that shows both."""

    def __init__(self, stage: Stage, campaign: str, folder: Path) -> None:
        self.stage, self.campaign = stage, campaign
        self.store, self.removed = EvidenceStore(folder / "evidence"), threading.Event()
        self.campaigns_removed: list[str] = []
        self.copies_removed = 0
        ((self.lead,), (self.other,)) = stage.query("SELECT id FROM leads ORDER BY position LIMIT 2")
        sent_picture, look_picture, incident_picture = (
            self.store.keep("seen", content) for content in (b"said", b"look", b"met")
        )
        self.both, self.others = (self.store.keep("seen", content) for content in (b"of both", b"of the other one"))
        opened = {"account": "me", "kind": "unknown_page", "said": "?", "status": "open", "opened_at": 1}
        looked = {"parameters": {"lead_id": self.lead}, "evidence": [look_picture.file], "outcome": "ok"}
        events = [
            *sent("m1", self.lead, sent_picture, self.both),
            *sent("m2", self.other, self.others, self.both),
            Event("IncidentOpened", "i1", opened | {"evidence": incident_picture.file, "lead_id": self.lead}),
        ]
        stage.note_elsewhere(campaign, *events, audits=[AuditEntry("browser.read_profile", looked)])

    def files(self) -> set[str]:
        """What is there."""
        return {file.relative_to(self.store.folder).as_posix() for file in self.store.folder.glob("*/*")}

    def forget(self, files: Iterable[str]) -> None:
        self.store.forget(files)
        self.removed.set()

    def forget_campaign(self, campaign_id: str) -> None:
        self.campaigns_removed.append(campaign_id)
        self.removed.set()

    def forget_copies(self, every: bool) -> None:
        assert every, "what was erased was here"
        self.copies_removed += 1

    def service(self, workers: Workers | None = None) -> ErasedFiles:
        workers = workers or Workers(self.stage.clock)
        return ErasedFiles(self.stage.journal, self.forget, self.forget_campaign, self.forget_copies, workers)

    def has_only_the_others(self) -> bool:
        return self.files() == {self.both.file, self.others.file}


def sent(id_: str, lead: str, *shown: Evidence) -> list[Event]:
    pieces = [{"kind": "seen", "sha256": picture.sha256, "file": picture.file, "quote": ""} for picture in shown]
    message = {"lead_id": lead, "task_id": "", "step": "hello", "kind": "message", "text": "Hello", "status": "draft"}
    return [
        Event("MessageDrafted", id_, message | {"created_at": 1}),
        Event("MessageApproved", id_, {"status": "approved"}),
        Event("MessageSent", id_, {"status": "sent", "sent_at": 2, "evidence": pieces}),
    ]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    stage = Stage(tmp_path)
    yield Desk(stage, stage.campaign(2, settings=MESSAGE_ONLY), tmp_path)
    stage.close()


def test_an_erasure_removes_the_pictures_of_whom_it_is_about_and_no_others(desk: Desk) -> None:
    service = desk.service()
    service.remove()
    assert len(desk.files()) == 5
    desk.stage.commands().people.erase(desk.campaign, desk.lead)
    service.remove()
    assert desk.has_only_the_others()
    assert desk.stage.query("SELECT * FROM erased_evidence") == []
    desk.stage.commands().people.erase(desk.campaign, desk.other)
    service.remove()
    assert desk.files() == set()


def test_pictures_that_a_crash_kept_from_being_removed_go_at_the_next_start(desk: Desk) -> None:
    desk.stage.commands().people.erase(desk.campaign, desk.lead)
    desk.stage.reopen()
    assert len(desk.files()) == 5
    workers = Workers(desk.stage.clock)
    desk.service(workers).open()
    assert desk.removed.wait(PATIENCE)
    workers.close(PATIENCE)
    assert desk.has_only_the_others()


def test_a_file_that_cannot_be_removed_now_is_removed_later(desk: Desk) -> None:
    busy = [PermissionError("another program reads it")]

    def forget(files: Iterable[str]) -> None:
        if busy:
            raise busy.pop()
        desk.forget(files)

    service = ErasedFiles(
        desk.stage.journal, forget, desk.forget_campaign, desk.forget_copies, Workers(desk.stage.clock)
    )
    desk.stage.commands().people.erase(desk.campaign, desk.lead)
    with pytest.raises(PermissionError):
        service.remove()
    service.remove()
    assert desk.has_only_the_others()


def test_who_is_erased_while_files_are_removed_leaves_none_either(desk: Desk) -> None:
    waiting = [desk.other]

    def forget(files: Iterable[str]) -> None:
        desk.forget(files)
        if waiting:
            desk.stage.commands().people.erase(desk.campaign, waiting.pop())

    desk.stage.commands().people.erase(desk.campaign, desk.lead)
    ErasedFiles(
        desk.stage.journal, forget, desk.forget_campaign, desk.forget_copies, Workers(desk.stage.clock)
    ).remove()
    assert (desk.files(), desk.copies_removed) == (set(), 2)
    assert desk.stage.query("SELECT * FROM erased_evidence") == []


def test_a_device_that_hears_of_an_erasure_removes_its_own_pictures(tmp_path: Path) -> None:
    pair = Pair(tmp_path, lambda stage: stage.campaign(2, settings=MESSAGE_ONLY))
    laptop = Desk(pair.stages[1], pair.campaign, tmp_path / "laptop")
    workers = Workers(laptop.stage.clock)
    laptop.service(workers).open()
    pair.synchronise()
    pair.desk.people.erase(pair.campaign, laptop.lead)
    assert len(laptop.files()) == 5
    pair.synchronise()
    assert laptop.removed.wait(PATIENCE)
    workers.close(PATIENCE)
    assert laptop.has_only_the_others()
    pair.close()


def test_a_device_that_hears_of_a_deletion_removes_the_campaigns_own_files(tmp_path: Path) -> None:
    pair = Pair(tmp_path, lambda stage: stage.campaign(2, settings=MESSAGE_ONLY))
    laptop = Desk(pair.stages[1], pair.campaign, tmp_path / "laptop")
    pair.synchronise()
    laptop.service().remove()
    assert laptop.campaigns_removed == []
    pair.desk.campaigns.delete(pair.campaign)
    workers = Workers(laptop.stage.clock)
    laptop.service(workers).open()
    pair.synchronise()
    assert laptop.removed.wait(PATIENCE)
    workers.close(PATIENCE)
    assert laptop.campaigns_removed[0] == pair.campaign
    pair.close()


def test_a_backup_that_is_put_back_names_no_picture_of_who_was_erased(desk: Desk, tmp_path: Path) -> None:
    stage, copy, present = desk.stage, tmp_path / "copy.db", tmp_path / "restored" / "o.db"
    back_up(stage.database, copy)
    stage.commands().people.erase(desk.campaign, desk.lead)
    present.parent.mkdir()
    back_up(stage.database, present)
    restore(present, copy, erase_again=partial(erase_again, stage.ids, stage.clock), despite_loss=True)
    restored = Database(present)
    with restored.read() as connection:
        assert connection.execute("SELECT evidence FROM incidents").fetchall() == [("",)]
    journal = Journal(restored, SeededIds("restored"))
    ErasedFiles(journal, desk.forget, desk.forget_campaign, desk.forget_copies, Workers(stage.clock)).remove()
    restored.close()
    assert desk.has_only_the_others()


def test_a_deleted_campaign_leaves_no_picture_but_what_another_one_names(desk: Desk) -> None:
    stage = desk.stage
    second = stage.campaign(1, settings=MESSAGE_ONLY, skip=20, name="Other")
    ((lead,),) = stage.query("SELECT id FROM leads WHERE campaign_id=?", second)
    stage.note_elsewhere(second, *sent("m3", lead, desk.both))
    stage.commands().campaigns.delete(desk.campaign)
    desk.service().remove()
    assert desk.files() == {desk.both.file}
    desk.campaigns_removed.clear()
    desk.service().remove()
    assert desk.campaigns_removed == [desk.campaign], "what was written of it since goes, too, though nothing is noted"
