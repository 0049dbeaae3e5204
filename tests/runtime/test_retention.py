"""Files that only grow are bounded by the user's policy; what is removed is told, and the logs still prove what they did."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.files.evidence import EvidenceStore
from backend.domain.device.retention import RetentionPolicy
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.model.campaign import DAY
from backend.domain.model.site import Evidence
from backend.runtime.jobs.retention import Retention
from backend.store.log import replay, verification
from backend.store.queries.device import retained_files
from backend.store.replication import rebase_queue
from tests.fakes.campaign import MESSAGE_ONLY, Stage


class RetainedFiles:
    """A campaign that is over and one that goes on: a picture and a ledger of each, a replaced database, an unnamed picture."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage, self.folder = stage, folder
        self.store = EvidenceStore(folder / "evidence")
        self.over, self.going = (stage.campaign(1, settings=MESSAGE_ONLY) for _ in range(2))
        self.of_over, self.of_going, self.unnamed = (
            self.store.keep("sent", content) for content in (b"over", b"going", b"seen on the way")
        )
        self._send(self.over, self.of_over)
        self._send(self.going, self.of_going)
        stage.commands().campaigns.archive(self.over)
        self.ledgers = folder / "practice"
        self.ledgers.mkdir()
        for campaign in (self.over, self.going):
            for end in ("jsonl", "network"):
                (self.ledgers / f"{campaign}.{end}").write_text("{}\n")
        self.replaced = folder / "outrider-before-restore-1.db"
        self.replaced.write_bytes(b"replaced")
        self.retention = self.restart()
        self.age(0)

    def restart(self) -> Retention:
        """As the next start has it."""
        return Retention(self.stage.journal, self.stage.clock, self.store.folder, self.store.forget, self.ledgers)

    def _send(self, campaign: str, shown: Evidence) -> None:
        ((lead,),) = self.stage.query("SELECT id FROM leads WHERE campaign_id=?", campaign)
        piece = {"kind": "seen", "sha256": shown.sha256, "file": shown.file, "quote": ""}
        draft = {"lead_id": lead, "task_id": "", "step": "hello", "kind": "message", "text": "Hello", "status": "draft"}
        sent = {"status": "sent", "sent_at": self.stage.clock.now(), "evidence": [piece]}
        self.stage.note_elsewhere(
            campaign,
            Event("MessageDrafted", f"m-{campaign}", draft | {"created_at": 1}),
            Event("MessageApproved", f"m-{campaign}", {"status": "approved"}),
            Event("MessageSent", f"m-{campaign}", sent),
        )

    def files(self) -> set[str]:
        paths = [*self.store.folder.glob("*/*"), *self.ledgers.iterdir(), *self.folder.glob("outrider-before-*")]
        return {path.relative_to(self.folder).as_posix() for path in paths}

    def age(self, days: int) -> None:
        """Every file was written so many days ago."""
        then = self.stage.clock.now() / 1_000 - days * DAY / 1_000
        for name in self.files():
            os.utime(self.folder / name, (then, then))

    def keep_for(self, policy: RetentionPolicy) -> None:
        self.stage.commands().workspace.keep(retained_files.POLICY, policy.model_dump())


@pytest.fixture
def retained(tmp_path: Path) -> Iterator[RetainedFiles]:
    stage = Stage(tmp_path)
    yield RetainedFiles(stage, tmp_path)
    stage.close()


def test_what_is_old_goes_and_what_a_campaign_that_goes_on_needs_stays(retained: RetainedFiles) -> None:
    everything = retained.files()
    assert retained.retention.apply().files == 0
    retained.stage.clock.advance(366 * DAY)
    removed = retained.retention.apply()
    gone = {f"evidence/{picture.file}" for picture in (retained.of_over, retained.unnamed)}
    gone |= {f"practice/{retained.over}.{end}" for end in ("jsonl", "network")} | {retained.replaced.name}
    assert everything - retained.files() == gone
    assert removed.files == len(gone)
    ((_, payload),) = retained.stage.audits(WORKSPACE, "file.remove")
    assert json.loads(payload)["parameters"] | {"bytes": 0} == {
        "evidence": 2, "rehearsals": 2, "databases": 1, "bytes": 0,
    }  # fmt: skip
    assert retained.retention.apply().files == 0
    assert len(retained.stage.audits(WORKSPACE, "file.remove")) == 1, "a day on which nothing goes says nothing"


def test_a_picture_that_waits_beside_the_log_stays_however_old_its_campaign_is(retained: RetainedFiles) -> None:
    stage = retained.stage
    with stage.database.write() as connection:
        rebase_queue.stash(connection, stage.ids.new, retained.over, "event", 0, 0, stage.clock.now())
        connection.execute(
            "UPDATE rebase_queue_entries SET payload=json_object('evidence', ?) WHERE kind='CampaignCreated'",
            (retained.unnamed.file,),
        )
    stage.clock.advance(366 * DAY)
    retained.retention.apply()
    pictures = {f"evidence/{picture.file}" for picture in (retained.of_over, retained.unnamed)}
    assert pictures <= retained.files(), "one is named in a list, the other one, of an incident, by itself"


def test_the_users_own_periods_hold(retained: RetainedFiles) -> None:
    retained.age(10)
    retained.keep_for(RetentionPolicy(evidence_days=None, rehearsal_days=None, replaced_database_days=9))
    assert retained.retention.apply().files == 2, "and the picture that no record names, which proves nothing"
    assert not retained.replaced.exists()


def test_the_logs_verify_and_replay_after_everything_went(retained: RetainedFiles) -> None:
    retained.stage.clock.advance(366 * DAY)
    retained.retention.apply()
    with retained.stage.database.read() as connection:
        assert not any(report.broken for report in verification.verify(connection))
    assert replay.find_differences(retained.stage.database) == []


def test_deleting_a_campaign_can_give_its_space_back(tmp_path: Path) -> None:
    stage = Stage(tmp_path, people=400)
    campaign = stage.campaign(400, settings=MESSAGE_ONLY)
    stage.commands().campaigns.archive(campaign)
    stage.commands().campaigns.delete(campaign)
    stage.database.checkpoint()
    before = stage.path.stat().st_size
    free = stage.database.query(retained_files.free_bytes)
    assert free > 0
    stage.database.compact()
    assert stage.path.stat().st_size <= before - free
    assert stage.database.query(retained_files.free_bytes) == 0
    assert replay.find_differences(stage.database) == []
    stage.close()


def test_a_clock_that_jumped_removes_nothing_before_a_day_has_passed_by_it(retained: RetainedFiles) -> None:
    everything = retained.files()
    retained.stage.clock.advance(366 * DAY)
    retained.retention.daily()
    assert retained.files() == everything
    retained.stage.clock.advance(DAY)
    retained.retention.daily()
    assert len(retained.files()) < len(everything)


@pytest.mark.parametrize("starts", [1, 2, 5])
def test_nor_by_another_start_which_finds_what_was_recorded_by_it(retained: RetainedFiles, starts: int) -> None:
    everything = retained.files()
    retained.stage.clock.advance(400 * DAY)
    for _ in range(starts):
        retained.keep_for(RetentionPolicy())
        retained.restart().daily()
        retained.stage.clock.advance(DAY // 10)
    assert retained.files() == everything


def test_entries_ahead_of_a_clock_that_was_set_back_stop_nothing(retained: RetainedFiles) -> None:
    everything = retained.files()
    for days in (366, 434, -432):
        retained.keep_for(RetentionPolicy(evidence_days=abs(days)))
        retained.stage.clock.advance(days * DAY)
    retained.restart().daily()
    assert len(retained.files()) < len(everything)
