"""Whatever two devices decide apart, one after another and with answers lost, they end alike and write to nobody who is refused.

Each seed draws its decisions from the rows of every command, and the user chooses at random where a choice waits.
"""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from backend.commands import conflicts
from backend.commands.user_commands import Commands
from backend.domain.values.errors import OutriderError
from backend.store.replication import rebase_queue
from backend.store.replication.rebase_queue import Conflict
from tests.runtime.sync.test_command_matrix import ROWS, World

SEEDS = (*range(25), 135, 191, 212, 511)
"""The last few, and 24, are those that find an answer which another device's refusal does not withdraw."""
STEPS = 9
OF_ONE_DEVICE = frozenset({
    "project", "acknowledged", "rebase_queue", "rebase_queue_entries", "signatures", "erased_evidence", "lead_keys",
    "artifact_heads", "log_heads", "event_log", "audit_log",
})  # fmt: skip
"""Tables that say what this device knows of the other, or that number by the order in which rows came."""
APART_FROM_SESSIONS = tuple(name for name, row in ROWS.items() if not row.by_hand)
ABOUT_A_PERSON = tuple(
    name for name in APART_FROM_SESSIONS if name.startswith(("review.", "replies.", "leads.do_not", "leads.contact"))
)
"""Most decisions are about the same person, for that is where two devices can want opposites."""
REFUSED_AND_APPROVED = (
    "SELECT m.id FROM messages m JOIN leads l ON l.id = m.lead_id"
    " WHERE l.blocked = 'do_not_contact' AND m.status IN ('draft', 'approved')"
)


class SeenFrom(World):
    """The world as one device knows it, for ids are looked up where something is decided."""

    def __init__(self, world: World, device: int) -> None:
        self.__dict__.update(vars(world))
        stages: Any = (world.stages[device], *world.stages)
        self.stages = stages


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    world = World(tmp_path_factory.mktemp("world"))
    yield world
    world.close()


def decide(world: World, device: int, user: Commands, chance: random.Random) -> None:
    """Some command; nothing comes of one that is refused, or whose object this device does not have."""
    row = ROWS[chance.choice(ABOUT_A_PERSON if chance.random() < 0.7 else APART_FROM_SESSIONS)]
    with suppress(OutriderError, LookupError, ValueError, sqlite3.IntegrityError):
        chance.choice((row.before, row.mine, row.opposite))(SeenFrom(world, device), user)


def synchronise_once(world: World, device: int, chance: random.Random) -> None:
    """Calls get lost, or their answers do."""
    engine: Any = world.engines[device]
    engine._shared_store.faults.extend(chance.choice(("", "before", "after")) for _ in range(chance.randrange(4)))
    engine.run_round()
    engine._shared_store.faults.clear()


def choose(world: World, users: tuple[Commands, Commands], chance: random.Random) -> None:
    """Until no decision waits on either device."""
    while True:
        world.synchronise()
        waiting = [
            (user, conflict)
            for stage, user in zip(world.stages, users, strict=True)
            for conflict in stage.database.query(rebase_queue.open_conflicts)
        ]
        if not waiting:
            return
        user, conflict = chance.choice(waiting)
        settle(user, conflict, chance)


def settle(user: Commands, conflict: Conflict, chance: random.Random) -> None:
    """By the user's choice, where there is one."""
    repeats = conflicts.can_repeat(lambda _: user, conflict) and chance.random() < 0.5
    conflicts.resolve(lambda _: user, conflict, "mine" if repeats else "theirs")


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_two_devices_decide_apart_they_end_alike(begun: World, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    world = begun.copied(tmp_path)
    users = world.desk, Commands(world.laptop.journal, world.stages[1].clock)
    for _ in range(STEPS):
        device = chance.randrange(2)
        if chance.random() < 0.8:
            decide(world, device, users[device], chance)
        else:
            synchronise_once(world, device, chance)
        world.stages[device].clock.set_forward(chance.choice((0, 1_000, 3_600_000, -3_600_000)))
    choose(world, users, chance)
    desk, laptop = (stage.dump(OF_ONE_DEVICE) for stage in world.stages)
    assert desk == laptop
    heads = "SELECT campaign_id, event_seq, event_hash, audit_seq, audit_hash FROM log_heads ORDER BY 1"
    assert world.stages[0].query(heads) == world.stages[1].query(heads)
    assert world.stages[0].query(REFUSED_AND_APPROVED) == []
    world.close()
