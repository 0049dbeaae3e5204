"""The controller is killed again and again while a campaign runs in a real browser against the practice network.

The network is a process of its own and keeps its own ledger: the witness. Whatever the moment of the kill, in the end
everything has been delivered once, and both logs and every projection are sound after each restart.
"""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend import rehearsal
from backend.settings import AppSettings
from backend.store import replay, verification
from backend.store.database import Database
from backend.wiring import open_workspace
from tests.practice.running import Running

BOUNDARIES = (*(f"step-{n}" for n in range(1, 9)), "intent", "acted", "before-commit", "after-commit")
SAMPLE = Path(__file__).parents[1] / "data" / "Connections.csv"
PATIENCE = 120.0


@dataclass
class Stage:
    """A data folder with a rehearsal in it, and the practice network beside it."""

    data_dir: Path
    campaign_id: str
    network: Running
    ledger: Path

    def start(self, boundary: str = "") -> "subprocess.Popen[str]":
        command = [
            sys.executable,
            "-m",
            "tests.crash.victim",
            str(self.data_dir),
            self.campaign_id,
            self.network.url,
            boundary,
        ]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def check(self) -> None:
        """Both chains and all projections, read by a process that is not the one that wrote them."""
        database = Database(self.data_dir / "outrider.db")
        try:
            assert replay.check(database) == []
            with database.read() as connection:
                assert [report for report in verification.verify(connection) if report.broken] == []
        finally:
            database.close()

    def summary(self) -> dict[str, object]:
        with open_workspace(AppSettings(self.data_dir, "", 10)) as workspace:
            return rehearsal.summary(workspace, self.campaign_id, self.ledger)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    with open_workspace(AppSettings(data_dir, "", 10)) as workspace:
        campaign_id = rehearsal.prepared(workspace, SAMPLE, 10)
    ledger = tmp_path / "ledger.jsonl"
    network = Running(ledger)
    yield Stage(data_dir, campaign_id, network, ledger)
    network.stop()


def wait_until_running(victim: "subprocess.Popen[str]") -> bool:
    """False when it ended without a turn: nothing was left to do."""
    assert victim.stdout is not None
    return victim.stdout.readline().strip() == "running"


def finish(stage: Stage) -> dict[str, object]:
    """Let it run to its end, undisturbed."""
    victim = stage.start()
    out, err = victim.communicate(timeout=PATIENCE)
    assert victim.returncode == 0, err
    assert out.split()[-1] == "completed"
    stage.check()
    return stage.summary()


def assert_nothing_lost_and_nothing_twice(stage: Stage, summary: dict[str, object]) -> None:
    assert summary["status"] == "completed"
    assert summary["steps_skipped"] == 0
    assert summary["outcome_unknown"] == 0
    ledger = summary["ledger"]
    assert isinstance(ledger, dict)
    assert (ledger["duplicates"], ledger["missing"]) == (0, 0)
    assert ledger["received"] == summary["messages_sent"]
    assert sum(summary["leads"].values()) == 10  # type: ignore[attr-defined]


def test_killed_at_every_boundary_of_a_turn_nothing_is_lost_or_sent_twice(stage: Stage) -> None:
    for boundary in BOUNDARIES:
        victim = stage.start(boundary)
        victim.communicate(timeout=PATIENCE)
        assert victim.returncode == -9, f"{boundary} was never reached"
        stage.check()
    assert_nothing_lost_and_nothing_twice(stage, finish(stage))


def kill_at_random(stage: Stage, kills: int, seed: int) -> int:
    """Kill so many times, at moments that the seed draws; how many times the process was killed while it had work."""
    chance, done = random.Random(seed), 0
    while done < kills:
        victim = stage.start()
        if not wait_until_running(victim):
            victim.communicate(timeout=PATIENCE)
            break
        try:  # the moment of the kill is the experiment here, not a way of waiting for something
            victim.communicate(timeout=chance.uniform(0.0, 1.5))
        except subprocess.TimeoutExpired:
            victim.kill()
            victim.communicate()
            done += 1
            stage.check()
    return done


def test_killed_at_random_moments_nothing_is_lost_or_sent_twice(stage: Stage) -> None:
    assert kill_at_random(stage, 13, seed=20261121) == 13
    assert_nothing_lost_and_nothing_twice(stage, finish(stage))


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(10))
def test_two_hundred_kills_nothing_is_lost_or_sent_twice(stage: Stage, seed: int) -> None:
    started = time.monotonic()
    done = kill_at_random(stage, 20, seed)
    assert done == 20
    print(f"{done} kills in {time.monotonic() - started:.0f} s")
    assert_nothing_lost_and_nothing_twice(stage, finish(stage))
