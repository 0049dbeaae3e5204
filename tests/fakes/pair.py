"""A campaign on two devices of the same user, in sync."""

from collections.abc import Callable
from pathlib import Path

from backend.adapters.files.content_files import BlobStore
from backend.commands.user_commands import Commands
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import ThisDevice
from backend.store.log import replay, verification
from backend.store.replication import rebase_queue, replica
from backend.store.replication.rebase_queue import Conflict
from tests.fakes.campaign import Stage
from tests.fakes.shared_store import FakeProject, FakeSharedStore

DEVICES = ("desk", "laptop")


class Pair:
    """The desk, where `begin` makes the campaign, and the laptop. Who synchronises first is the desk."""

    def __init__(self, folder: Path, begin: Callable[[Stage], str]) -> None:
        for name in DEVICES:
            (folder / name).mkdir()
        self.stages = desk, _ = Stage(folder / "desk"), Stage(folder / "laptop", seed="laptop")
        self.campaign = begin(desk)
        project = FakeProject(lambda: desk.clock.ticks() / 1e6)
        for stage, name in zip(self.stages, DEVICES, strict=True):
            with stage.journal.transaction() as transaction:
                replica.attach(transaction, replica.AttachedProject("http://x", "key", "ada", "a@b.c", name, name, 1))
        self._connect(project)
        self.synchronise()

    def _connect(self, project: FakeProject) -> None:
        desk, laptop = self.stages
        self.project = project
        self.engines = [self._engine(stage, name) for stage, name in zip(self.stages, DEVICES, strict=True)]
        self.desk, self.laptop = desk.commands(), Commands(laptop.journal, desk.clock)

    def _engine(self, stage: Stage, name: str) -> SyncEngine:
        shared_store = FakeSharedStore(self.project)
        return SyncEngine(
            stage.journal,
            BlobStore(stage.path.parent / "artifacts"),
            ThisDevice(name, name, name),
            stage.clock,
            shared_store=shared_store,
            turn=stage.turn_queue.turn,
            chance=lambda: 1.0,
        )

    def synchronise(self) -> None:
        """Until what either device repeated has reached the other."""
        for _ in range(3):
            for engine in self.engines:
                engine.run_round()

    def conflicts(self) -> list[Conflict]:
        """Decisions that wait for a choice, on the laptop."""
        return self.stages[1].database.query(rebase_queue.open_conflicts)

    def close(self) -> None:
        """Both logs are whole, and the tables are what they say."""
        for stage in self.stages:
            assert replay.find_differences(stage.database) == []
            with stage.database.read() as connection:
                assert [report for report in verification.verify(connection) if report.broken] == []
            stage.close()
