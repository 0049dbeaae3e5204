"""Devices that sleep, are stopped, copied, killed or have their clocks set in mid-send: nobody gets anything twice.

All in one process: one account on one practice network, one project in memory, a clock for each device. Whoever is interrupted
stands still while the others go on, so that every order of events is one that a seed gives again.
"""

import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.files.content_files import BlobStore
from backend.domain.values.errors import OutriderError
from backend.ports.site import ActCheck, ShownByAct, unguarded
from backend.runtime.run.campaign_runner import CampaignRunner
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import LeaseTimes, ThisDevice
from backend.store.log import replay, verification
from backend.store.replication import replica
from tests.fakes.campaign import MESSAGE_ONLY, MONDAY_NOON, Killed, Stage, WatchedSite, When
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject, FakeSharedStore
from tests.runtime.sync.test_acting import Stepping

PEOPLE = 3
TIMES = LeaseTimes()
PAUSES = (300, 1_500, 30_000, 79_000, 81_000, 101_000, round(TIMES.whole * 1_000) + 1, 600_000)
"""How long an interruption takes (ms): around everything that an act and a lease are measured by."""
MOST_INTERRUPTIONS, MOST_DEEP, MOST_ROUNDS = 5, 2, 60
LIKELY = {"intent": 0.15, "before": 0.15, "click": 0.4, "bytes": 0.6, "after": 0.1, "acted": 0.1}
SELDOM = 0.003
LONG, SHORT = PAUSES[-2:], PAUSES[:3]
KINDS = {"slept": 3, "slept untold": 3, "stopped": 4, "copied": 4, "killed": 2, "set": 1}


class RaceClock(FakeClock):
    """One device's clock: waiting lets time pass for everybody."""

    def __init__(self, world: "World") -> None:
        super().__init__(world.time)
        self.world = world

    def jump(self, milliseconds: int) -> None:
        self.world.passes(milliseconds)

    def advance(self, milliseconds: int) -> None:
        self.world.passes(milliseconds)

    def count(self, milliseconds: int) -> None:
        """Time has passed for this device, too."""
        self.set_forward(milliseconds)
        self.stands_still(milliseconds)


class World:
    """What all devices share, and the chance that decides what happens to them."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self.folder = folder
        self.time = MONDAY_NOON
        self.true = FakeClock(MONDAY_NOON)
        self.devices: list[Device] = []
        self.project = FakeProject(lambda: self.time / 1e3)
        self.interruptions = self.deep = 0
        self.told: list[str] = []

    def passes(self, milliseconds: int, sleeper: "Device | None" = None, *, announced: bool = True) -> None:
        """Time passes; a machine that sleeps does not count it."""
        self.time += milliseconds
        self.true.advance(milliseconds)
        for device in self.devices:
            if device is sleeper:
                device.clock.sleep(milliseconds, announced=announced)
            else:
                device.clock.count(milliseconds)

    def close(self) -> None:
        for device in self.devices:
            device.close()

    def one_may_act(self) -> None:
        """At no moment do two launches believe that they hold the lease for long enough to act."""
        sure = [device.name for device in self.devices if device.is_sure_of_the_lease()]
        assert len(sure) <= 1, f"{sure} may act at once after {self.told}"

    def moment(self, device: "Device", name: str) -> None:
        """The device is at a boundary, where it may be interrupted."""
        likely = LIKELY.get(name, SELDOM)
        if self.interruptions < MOST_INTERRUPTIONS and self.deep < MOST_DEEP and self.chance.random() < likely:
            self.interruptions += 1
            self.deep += 1
            try:
                self.interrupt(device, name)
            finally:
                self.deep -= 1

    def interrupt(self, device: "Device", name: str) -> None:
        (kind,) = self.chance.choices(list(KINDS), list(KINDS.values()))
        # A copy is dangerous while the lease of what it was copied from lasts, anything else when it is over.
        first = self.chance.choice(PAUSES if self.chance.random() < 0.5 else SHORT if kind == "copied" else LONG)
        pauses = [first, self.chance.choice(PAUSES)]
        self.told.append(f"{device.name} {kind} at {name}, {pauses}")
        if kind == "set":
            device.clock.set_forward(self.chance.choice((-3_600_000, -1_200, 1_200, 3_600_000)))
        if kind == "copied":
            self.devices.append(device.copy(f"{device.name}'s copy {len(self.devices)}"))
        sleeper = device if kind.startswith("slept") else None
        self.passes(pauses[0], sleeper, announced=kind == "slept")
        for other in self.chance.sample(self.devices, len(self.devices)):
            if not other.runs:
                other.take_part()
        self.passes(pauses[1], sleeper, announced=kind == "slept")
        if kind == "killed":
            raise Killed


class RaceSite(WatchedSite):
    """The one account; whoever sends something must hold the lease at that very moment."""

    def __init__(self, device: "Device", exchange: Any) -> None:
        super().__init__(exchange, device.world.true)
        self._device = device
        self.during = self._at

    def _at(self, _tool: str, when: When) -> None:
        self._device.world.moment(self._device, when)

    def send_message(self, person: Any, text: str, check: ActCheck = unguarded) -> Any:
        def sure(shown: ShownByAct | None = None) -> None:
            check(shown)
            self._device.must_hold_the_lease()

        return super().send_message(person, text, sure)


class Device:
    """A data folder, and the launch that runs on it."""

    stage: Stage
    device_id: str

    def __init__(self, world: World, name: str, exchange: Any = None, copy_of: "Device | None" = None) -> None:
        self.world, self.name = world, name
        folder = world.folder / name
        folder.mkdir()
        if copy_of is not None:
            with (
                closing(sqlite3.connect(copy_of.stage.path)) as source,
                closing(sqlite3.connect(folder / "outrider.db")) as to,
            ):
                source.backup(to)
        self.device_id = copy_of.device_id if copy_of else f"dev-{name}"
        self.stage = Stage(folder, seed=f"{name} {world.time}")
        self.exchange = exchange or self.stage.exchange
        self.clock = RaceClock(world)
        self.stage.clock, self.stage.exchange = self.clock, self.exchange
        self.stage.site = RaceSite(self, self.exchange)
        self.shared_store = FakeSharedStore(world.project)
        self.launches, self.runs, self.completed = 0, False, False
        self.runner: CampaignRunner | None = None
        if copy_of is None:
            with self.stage.journal.transaction() as transaction:
                attached = replica.AttachedProject("http://x", "key", "ada", "a@b.c", self.device_id, name, 1)
                replica.attach(transaction, attached)
        self.launch()

    def launch(self) -> None:
        self.launches += 1
        self.wanted = ""
        self.engine = SyncEngine(
            self.stage.journal,
            BlobStore(self.stage.path.parent / "artifacts"),
            ThisDevice(self.device_id, self.name, f"{self.name} {self.launches}"),
            self.clock,
            shared_store=self.shared_store,
            turn=self.stage.turn_queue.turn,
            chance=lambda: 1.0,
            on_wanted=self.hand_over,
        )
        self.stage.sync_status = Stepping(self.engine)

    def hand_over(self, name: str) -> None:
        self.wanted = name
        if self.runner is not None:
            self.runner.stop.set()
            self.runner.wake.set()

    def copy(self, name: str) -> "Device":
        return Device(self.world, name, self.exchange, copy_of=self)

    def must_hold_the_lease(self) -> None:
        """Asked of the project itself, by its own time."""
        user = self.world.project.users["ada"]
        assert (user.holder, user.ends > self.world.project.now()) == (self.engine.lease.device.launch, True)
        self.world.one_may_act()

    def is_sure_of_the_lease(self) -> bool:
        """By its own clocks, that is: it cannot know better."""
        return self.engine.lease.fence is not None and self.engine.lease.seconds() > TIMES.arrive

    def take_part(self) -> None:
        """Act if that is possible now, until the campaign ends or something else ends it."""
        self.runs = True
        try:
            self.engine.run_round()
            with self.engine.hold_lease():
                self.world.one_may_act()
                self.wanted = ""
                self.runner = self.stage.runner(
                    boundary=lambda name: self.world.moment(self, name), handed_over_to=lambda: self.wanted
                )
                self.runner.run(self.campaign())
        except OutriderError as error:
            if error.code not in ("lease_held_elsewhere", "campaign_not_active"):
                raise
        except Killed:
            self.stage.reopen()
            self.launch()
        else:
            self.engine.run_round()
        finally:
            self.runs, self.runner = False, None
        self.completed = self.stage.status(self.campaign()) == "completed"

    def campaign(self) -> str:
        return str(self.stage.one("SELECT id FROM campaigns"))

    def close(self) -> None:
        self.stage.close()


def race(seed: int, folder: Path) -> World:
    """Two devices, whatever copies are made of them, and one campaign to its end; judged by what the network received."""
    world = World(seed, folder)
    with ExitStack() as open_:
        open_.callback(world.close)
        desk = Device(world, "Desk")
        world.devices.append(desk)
        desk.stage.campaign(PEOPLE, settings=MESSAGE_ONLY, connected=True)
        desk.engine.run_round()
        laptop = Device(world, "Laptop", desk.exchange)
        world.devices.append(laptop)
        laptop.engine.run_round()
        for _ in range(MOST_ROUNDS):
            if all(device.completed for device in world.devices):
                break
            world.passes(world.chance.choice(PAUSES))
            world.chance.choice([device for device in world.devices if not device.completed]).take_part()
        judge(world)
    return world


def judge(world: World) -> None:
    desk = world.devices[0]
    messages = Counter(entry.to for entry in desk.stage.received() if entry.kind == "message")
    assert max(messages.values()) == 1, f"doubled: {messages} after {world.told}"
    asked = sum(device.stage.one("SELECT count(*) FROM input_requests WHERE status='open'") for device in world.devices)
    assert asked or len(messages) == PEOPLE, f"lost: {messages} after {world.told}"
    for device in world.devices:
        device.engine.run_round()
        assert replay.find_differences(device.stage.database) == []
        with device.stage.database.read() as connection:
            assert [report for report in verification.verify(connection) if report.broken] == []


@pytest.fixture
def folder() -> Iterator[Path]:
    """On a disk of memory where there is one: order is what is proved here."""
    with tempfile.TemporaryDirectory(prefix="outrider-") as made:
        yield Path(made)


@pytest.mark.parametrize("seed", range(12))
def test_devices_that_sleep_or_are_copied_in_mid_send_send_nothing_twice(folder: Path, seed: int) -> None:
    race(seed, folder)


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(1_000, 1_400))
def test_four_hundred_races_with_sleeps_copies_kills_and_set_clocks(folder: Path, seed: int) -> None:
    race(seed, folder)
