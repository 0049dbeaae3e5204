"""The controller is killed again and again while a campaign runs in a real browser against the practice network.

The network is a process of its own and keeps its own ledger: the witness. Whatever the moment of the kill, in the end
everything has been delivered once, and both logs and every projection are sound after each restart.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.runtime.run import rehearsal
from backend.store.database import Database
from backend.store.log import replay, verification
from tests import forked
from tests.chromium import HIDDEN_BROWSER
from tests.cli.outrider import until
from tests.kills import KILLED
from tests.patience import A_WHOLE_CAMPAIGN, PATIENCE
from tests.practice.running import Running

BOUNDARIES = (*(f"step-{n}" for n in range(1, 9)), "intent", "acted", "before-commit", "after-commit")
SAMPLE_OF_BOUNDARIES = ("step-3", "intent", "acted", "before-commit", "after-commit")
"""Those after which something else is durable. `make endurance` takes all of them; of each kind of turn, in one process,
`tests/turn/test_recovery.py` always does."""
ENVIRONMENT = {**os.environ, **HIDDEN_BROWSER}
SAMPLE = Path(__file__).parents[1] / "data" / "Connections.csv"


@dataclass
class Stage:
    """A data folder with a rehearsal in it, and the practice network beside it."""

    data_dir: Path
    campaign_id: str
    network: Running
    ledger: Path
    leads: int
    settle_seconds: float = 1.0
    """Nothing is late here but where a test says so, and then it waits longer."""

    def run(self, boundary: str = "") -> forked.Done:
        """To its end, or until it kills itself at that boundary."""
        arguments = [*self._told(), boundary]
        patience = PATIENCE if boundary else A_WHOLE_CAMPAIGN
        return forked.run(
            "tests.crash.victim:main",
            *arguments,
            environment=ENVIRONMENT,
            stdin=self.network.secrets.to_line(),
            timeout=patience,
        )

    def start(self) -> "subprocess.Popen[str]":
        victim = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.victim", *self._told()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        assert victim.stdin is not None
        victim.stdin.write(self.network.secrets.to_line())
        victim.stdin.flush()
        return victim

    def _told(self) -> list[str]:
        return [str(self.data_dir), self.campaign_id, self.network.url, str(self.settle_seconds)]

    def check(self) -> None:
        """Both chains and all projections, read by a process that is not the one that wrote them."""
        database = Database(self.data_dir / "outrider.db")
        try:
            assert replay.find_differences(database) == []
            with database.read() as connection:
                assert [report for report in verification.verify(connection) if report.broken] == []
        finally:
            database.close()

    def sent_acts(self) -> list[str]:
        """The acts by which a message arrived."""
        database = Database(self.data_dir / "outrider.db")
        try:
            with database.read() as connection:
                rows = connection.execute(
                    "SELECT id FROM actions WHERE campaign_id=? AND status='sent'", (self.campaign_id,)
                ).fetchall()
        finally:
            database.close()
        return [row[0] for row in rows]

    def audited_acts(self) -> tuple[list[str], list[str]]:
        """Of the acts: those whose beginning is in the audit log, and those whose completion is."""
        database = Database(self.data_dir / "outrider.db")
        try:
            with database.read() as connection:
                acts = connection.execute(
                    "SELECT action_type, json_extract(payload, '$.action_id') FROM audit_log WHERE campaign_id=?"
                    " AND json_extract(payload, '$.action_id') IS NOT NULL",
                    (self.campaign_id,),
                ).fetchall()
        finally:
            database.close()
        begun = [action for kind, action in acts if kind == "action.started"]
        return sorted(begun), sorted(action for kind, action in acts if kind != "action.started")

    def summary(self) -> dict[str, object]:
        with open_workspace(AppSettings(self.data_dir, "", 10)) as workspace:
            return rehearsal.rehearsal_summary(workspace, self.campaign_id, self.ledger)


@pytest.fixture
def stage(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """Ten leads, or as many as the test asks for."""
    leads = getattr(request, "param", 10)
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    with open_workspace(AppSettings(data_dir, "", 10)) as workspace:
        campaign_id = rehearsal.find_or_create_rehearsal(workspace, SAMPLE, leads)
    ledger = tmp_path / "ledger.jsonl"
    network = Running(ledger)
    yield Stage(data_dir, campaign_id, network, ledger, leads)
    network.stop()


def wait_until_running(victim: "subprocess.Popen[str]") -> bool:
    """False when it ended without a turn: nothing was left to do."""
    assert victim.stdout is not None
    return victim.stdout.readline().strip() == "running"


def finish(stage: Stage) -> dict[str, object]:
    """Let it run to its end, undisturbed."""
    ended = stage.run()
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split()[-1] == "completed"
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
    assert sum(summary["leads"].values()) == stage.leads  # type: ignore[attr-defined]
    begun, completed = stage.audited_acts()
    assert begun == completed, "each act has one line that it began and one that completes it"
    sent = stage.sent_acts()
    assert len(sent) == summary["messages_sent"]
    assert set(sent) <= set(completed), "no delivered message is without its audit entry"


@pytest.mark.parametrize("stage", [2], indirect=True)
@pytest.mark.parametrize(
    "boundaries",
    [
        pytest.param(SAMPLE_OF_BOUNDARIES, id="sample"),
        pytest.param(BOUNDARIES, id="all", marks=pytest.mark.endurance),
    ],
)
def test_killed_at_every_boundary_of_a_turn_nothing_is_lost_or_sent_twice(
    stage: Stage, boundaries: tuple[str, ...]
) -> None:
    for boundary in boundaries:
        assert stage.run(boundary).returncode == KILLED, f"{boundary} was never reached"
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


@pytest.mark.parametrize("stage", [1], indirect=True)
@pytest.mark.parametrize("fault", ["arrives_late", pytest.param("carried_out_later", marks=pytest.mark.endurance)])
def test_killed_between_the_click_and_the_answer_a_late_send_is_sent_once(stage: Stage, fault: str) -> None:
    stage.settle_seconds = 20.0  # more than the delay by as much as a busy machine may need
    stage.network.arm(fault, "invite", ms=6_000)
    victim = stage.start()
    until("the request is under way", lambda: f'"fault":"{fault}"' in stage.ledger.read_text("utf-8"))
    victim.kill()
    victim.communicate()
    assert '"kind":"invitation"' not in stage.ledger.read_text("utf-8"), "it has not arrived yet"
    stage.check()
    assert_nothing_lost_and_nothing_twice(stage, finish(stage))
    invited = [entry["to"] for entry in stage.network.entries("invitation")]
    assert len(invited) == 1


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(10))
def test_two_hundred_kills_nothing_is_lost_or_sent_twice(stage: Stage, seed: int) -> None:
    started = time.monotonic()
    done = kill_at_random(stage, 20, seed)
    assert done == 20
    print(f"{done} kills in {time.monotonic() - started:.0f} s")
    assert_nothing_lost_and_nothing_twice(stage, finish(stage))
