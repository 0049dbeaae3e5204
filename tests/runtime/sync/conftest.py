"""Devices of one user around a project in memory. Each step of an engine is taken by the test, so nothing waits for time."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.adapters.files.content_files import BlobStore
from backend.domain.events.events import WORKSPACE, Event
from backend.ports.blobs import BlobRef
from backend.runtime.feed.feed_messages import SyncState
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import LeaseTimes, ThisDevice
from backend.runtime.sync.pages import PageLimits
from backend.runtime.worker import Workers
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.log.journal import Journal
from backend.store.replication import replica
from backend.turn.turn_queue import TurnQueue
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SeededIds
from tests.fakes.shared_store import FakeProject, FakeSharedStore

CAMPAIGN = "camp-1"
LEASE_TIMES = LeaseTimes()
ONE_BY_ONE = PageLimits(entries=1, in_flight=1)


class Machine:
    """A data folder with a project attached, and its engine, whose threads are not begun."""

    def __init__(
        self,
        folder: Path,
        name: str,
        project: FakeProject,
        clock: FakeClock,
        times: LeaseTimes = LEASE_TIMES,
        *,
        first_pause: float | None = None,
    ) -> None:
        self.folder, self.name, self.clock, self.times = folder, name, clock, times
        self.launches = 0
        self.first_pause = first_pause
        self.limits = PageLimits()
        self.shared_store = FakeSharedStore(project)
        self.blobs = BlobStore(folder / "artifacts")
        self.ids = SeededIds(name)
        self.heard: list[SyncState] = []
        self.wanted: list[str] = []
        self.turn_queue = TurnQueue()
        self._open()
        with self.journal.transaction() as transaction:
            replica.attach(
                transaction, replica.AttachedProject("http://x", "key", "ada", "a@b.c", f"dev-{name}", name, 1)
            )

    def _open(self) -> None:
        self.database = Database(self.folder / "outrider.db")
        self.journal = Journal(self.database, self.ids)
        self.launches += 1
        self.engine = SyncEngine(
            self.journal,
            self.blobs,
            ThisDevice(f"dev-{self.name}", self.name, f"{self.folder} {self.launches}"),
            self.clock,
            shared_store=self.shared_store,
            turn=self.turn_queue.turn,
            chance=lambda: 1.0,
            on_change=self.heard.append,
            on_wanted=self.wanted.append,
            workers=Workers(self.clock, first_pause=self.first_pause),
            times=self.times,
            limits=self.limits,
        )

    def restart(self, limits: PageLimits | None = None) -> None:
        """The process ended without a word, and another one begins."""
        self.limits = limits or self.limits
        self.database.close()
        self._open()

    def close(self) -> None:
        self.database.close()

    def record(self, stream: str, *events: Event, actor: str = "user", cause: str = "test") -> None:
        self.journal.record(stream, events=events, actor=actor, cause=cause, at=self.clock.now())

    def configure(self, name: str, value: str, *, new: bool = True) -> None:
        """Decide something in the workspace's own stream."""
        self.record(WORKSPACE, Event("ConfigSet" if new else "ConfigChanged", name, {"value": value}))

    def configured(self) -> dict[str, str]:
        with self.database.read() as connection:
            return dict(connection.execute("SELECT id, value FROM config_kv WHERE campaign_id='workspace'"))

    def campaign(self, campaign_id: str = CAMPAIGN, site: str = "practice") -> None:
        created = {
            "name": "Talk",
            "goal": "Learn",
            "status": "initializing",
            "site": site,
            "account": "me",
            "settings": "{}",
            "created_at": 1,
        }
        self.record(campaign_id, Event("CampaignCreated", campaign_id, created))

    def keep_file(self, key: str, content: bytes, campaign_id: str = CAMPAIGN) -> BlobRef:
        """The user keeps these bytes as an artifact in a file."""
        blob = self.blobs.keep([content])
        artifact = {
            "artifact_type": "note", "artifact_key": key, "made_by": "user", "content": "", "schema": {}, "version": 1,
            "created_at": 1, "sha256": blob.sha256, "bytes": blob.size, "media_type": "application/pdf", "in_file": 1,
        }  # fmt: skip
        self.record(campaign_id, Event("ArtifactPersisted", f"artifact-{key}", artifact))
        return blob

    def turn(self, number: int, campaign_id: str = CAMPAIGN) -> None:
        """A turn took place here."""
        turn = {"history": "WLPACI", "steps": [1] * 8, "proposal": "no_op"}
        self.record(campaign_id, Event("TurnCompleted", str(number), turn), actor="controller", cause=f"t{number}")

    def logs(self) -> list[tuple[object, ...]]:
        """Both logs as they stand."""
        with self.database.read() as connection:
            events = connection.execute("SELECT campaign_id, seq, hash FROM event_log ORDER BY 1, 2").fetchall()
            audits = connection.execute("SELECT campaign_id, seq, hash FROM audit_log ORDER BY 1, 2").fetchall()
        return [*events, *audits]

    def waiting(self) -> int:
        return self.database.query(replica.count_unacknowledged)

    def check(self) -> None:
        """Both chains, and every projection."""
        assert replay.find_differences(self.database) == []
        with self.database.read() as connection:
            assert [report for report in verification.verify(connection) if report.broken] == []


Machines = Callable[[str], Machine]


def run_rounds(*machines: Machine) -> None:
    """They synchronise one after another, in this order."""
    for machine in machines:
        machine.engine.run_round()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(clock: FakeClock) -> FakeProject:
    return FakeProject(lambda: clock.ticks() / 1e6)


@pytest.fixture
def machines(tmp_path: Path, memory: FakeProject, clock: FakeClock) -> Iterator[Machines]:
    made: list[Machine] = []

    def make(name: str) -> Machine:
        (tmp_path / name).mkdir()
        made.append(Machine(tmp_path / name, name, memory, clock))
        return made[-1]

    yield make
    for machine in made:
        machine.check()
        machine.close()


@pytest.fixture
def desk(machines: Machines) -> Machine:
    return machines("Desk")


@pytest.fixture
def laptop(machines: Machines) -> Machine:
    return machines("Laptop")
