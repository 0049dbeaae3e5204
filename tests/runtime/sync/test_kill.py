"""Two devices decide in the same stream at once and either is killed at random: nothing is lost, nothing comes twice."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.store.log import replay, verification
from tests.patience import PATIENCE
from tests.postgres import Project
from tests.runtime.sync.racer import Racer
from tests.supabase.signed_in import PASSWORD
from tests.supabase_gateway import Gateway

NAMES = ("Desk", "Laptop")
DECISIONS = 150


@pytest.fixture
def gateway(project: Project) -> Iterator[Gateway]:
    made = Gateway(project.url("authenticator"))
    yield made
    made.close()


def device(folder: Path, name: str, gateway: Gateway) -> Racer:
    return Racer(folder / name, name, gateway.url, gateway.key)


def start(folder: Path, name: str, gateway: Gateway) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.runtime.sync.syncer", str(folder / name), name, gateway.url, gateway.key]
    return subprocess.Popen(
        [*command, str(DECISIONS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def race(folder: Path, gateway: Gateway, chance: random.Random, kills: int) -> None:
    for name in NAMES:
        (folder / name).mkdir()
        made = device(folder, name, gateway)
        enter = made.account.sign_in.with_password if name == "Laptop" else made.account.sign_in.sign_up
        enter("ada@example.test", PASSWORD)
        made.attach()
        made.close()
    running = {name: start(folder, name, gateway) for name in NAMES}
    for _ in range(kills):
        time.sleep(chance.uniform(0.3, 1.5))  # the moment of the kill is the experiment here, not a way of waiting
        name = chance.choice(NAMES)
        running[name].kill()
        running[name].communicate()
        running[name] = start(folder, name, gateway)
    for process in running.values():
        _, stderr = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, stderr
    logs: list[list[tuple[int, str, bytes]]] = []
    for _ in range(2):  # the first brings what the other device still had
        logs.clear()
        for name in NAMES:
            made = device(folder, name, gateway)
            made.engine.run_round()
            assert made.engine.report.state().phase == "in_sync"
            assert replay.find_differences(made.database) == []
            with made.database.read() as connection:
                assert [report for report in verification.verify(connection) if report.broken] == []
                logs.append(connection.execute("SELECT seq, entity_id, hash FROM event_log ORDER BY seq").fetchall())
            made.close()
    assert logs[0] == logs[1]
    expected = sorted(f"{name}-{number}" for name in NAMES for number in range(1, DECISIONS + 1))
    assert sorted(entity for _, entity, _ in logs[0]) == expected


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(20))
def test_killed_at_random_everything_decided_arrives_once_and_in_order(
    tmp_path: Path, gateway: Gateway, seed: int
) -> None:
    race(tmp_path, gateway, random.Random(seed), kills=10)
