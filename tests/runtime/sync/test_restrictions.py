"""What a user forbade on one device holds on every device, whatever another one recorded first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.files.blobs import BlobStore
from backend.commands.user_commands import Commands
from backend.domain.campaign import CampaignStatus
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import ThisDevice
from backend.store.log import replay, verification
from backend.store.queries import approvals, messages
from backend.store.replication import rebase_queue, replica
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.shared_store import FakeProject, FakeSharedStore


class Pair:
    """A campaign with one approved invitation, on two devices in sync."""

    def __init__(self, folder: Path) -> None:
        for name in ("desk", "laptop"):
            (folder / name).mkdir()
        self.stages = desk, laptop = Stage(folder / "desk"), Stage(folder / "laptop")
        self.campaign = desk.campaign(1, settings=ONE_STEP)
        desk.run(self.campaign, approve=False)
        with desk.database.read() as connection:
            (self.message,) = (draft.id for draft in messages.drafts(connection, self.campaign))
        self.approve(desk)
        project = FakeProject(lambda: desk.clock.ticks() / 1e6)
        self.engines = [self._engine(stage, name, project) for stage, name in ((desk, "desk"), (laptop, "laptop"))]
        self.synchronise()
        self.desk, self.laptop = desk.commands(), Commands(laptop.journal, desk.clock)

    def _engine(self, stage: Stage, name: str, project: FakeProject) -> SyncEngine:
        with stage.journal.transaction() as transaction:
            replica.attach(transaction, replica.AttachedProject("http://x", "key", "ada", "a@b.c", name, name, 1))
        shared_store = FakeSharedStore(project)
        return SyncEngine(
            stage.journal,
            BlobStore(stage.path.parent / "artifacts"),
            ThisDevice(name, name, name),
            stage.clock,
            connect=lambda: shared_store,
            turn=stage.turn_queue.turn,
            chance=lambda: 1.0,
        )

    def approve(self, stage: Stage) -> None:
        user = stage.commands()
        user.approve(self.campaign, self.message, shown_digest=user.digest(self.campaign, self.message))

    def synchronise(self) -> None:
        """Until what either device repeated has reached the other."""
        for _ in range(3):
            for engine in self.engines:
                engine.run_round()

    def statuses(self) -> list[tuple[str | None, str | None]]:
        """What both devices say of the text and of its approval."""
        found: list[tuple[str | None, str | None]] = []
        for stage in self.stages:
            with stage.database.read() as connection:
                message = messages.message(connection, self.campaign, self.message)
                approval = approvals.approval_of(connection, self.message)
            found.append((message.status.value if message else None, approval.status.value if approval else None))
        return found

    def conflicts(self) -> int:
        """Decisions that wait for a choice, on the laptop."""
        with self.stages[1].database.read() as connection:
            return rebase_queue.count_open_conflicts(connection)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    made = Pair(tmp_path)
    yield made
    for stage in made.stages:
        assert replay.find_differences(stage.database) == []
        with stage.database.read() as connection:
            assert [report for report in verification.verify(connection) if report.broken] == []
        stage.close()


def test_an_approval_taken_back_here_is_taken_back_everywhere(pair: Pair) -> None:
    pair.laptop.withdraw(pair.campaign, pair.message)
    pair.desk.withdraw(pair.campaign, pair.message)
    pair.desk.edit(pair.campaign, pair.message, "Another text.")
    pair.approve(pair.stages[0])
    pair.synchronise()
    assert pair.conflicts() == 0
    assert [status for status, _ in pair.statuses()] == ["draft", "draft"]
    pair.stages[0].run(pair.campaign, approve=False)
    assert pair.stages[0].received() == []


def test_do_not_contact_wins_over_a_text_approved_anew(pair: Pair) -> None:
    with pair.stages[0].database.read() as connection:
        lead = messages.message(connection, pair.campaign, pair.message)
    assert lead is not None
    pair.laptop.leads.do_not_contact(pair.campaign, lead.lead_id, "Asked me not to")
    pair.desk.withdraw(pair.campaign, pair.message)
    pair.approve(pair.stages[0])
    pair.synchronise()
    assert pair.conflicts() == 0
    assert [status for status, _ in pair.statuses()] == ["cancelled", "cancelled"]


def test_what_was_sent_meanwhile_is_shown_and_not_hidden(pair: Pair) -> None:
    pair.laptop.withdraw(pair.campaign, pair.message)
    pair.stages[0].run(pair.campaign, approve=False)
    assert len(pair.stages[0].delivered()) == 1
    pair.synchronise()
    assert pair.conflicts() == 1
    assert [status for status, _ in pair.statuses()] == ["sent", "sent"]


def test_what_allows_is_left_for_the_user_to_choose(pair: Pair) -> None:
    pair.laptop.change_status(pair.campaign, CampaignStatus.PAUSED)
    pair.laptop.change_status(pair.campaign, CampaignStatus.ACTIVE)
    pair.desk.change_status(pair.campaign, CampaignStatus.PAUSED)
    pair.synchronise()
    assert pair.conflicts() > 0
