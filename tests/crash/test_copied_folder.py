"""Two copies of one data folder on one machine, without a shared project: one at a time acts, and nobody hears twice.

Both run the same campaign in a real browser against one practice network, whose ledger is the witness.
"""

import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from backend.runtime.run import rehearsal
from tests.cli.outrider import until
from tests.crash.test_sigkill import SAMPLE, Stage, wait_until_running
from tests.patience import A_WHOLE_CAMPAIGN, PATIENCE
from tests.practice.running import Running


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Stage]:
    """One lead: the copies have the same person to write to."""
    data_dir, ledger = tmp_path / "data", tmp_path / "ledger.jsonl"
    data_dir.mkdir()
    with open_workspace(AppSettings(data_dir, "", 10)) as workspace:
        campaign_id = rehearsal.find_or_create_rehearsal(workspace, SAMPLE, 1)
    network = Running(ledger)
    yield Stage(data_dir, campaign_id, network, ledger, 1)
    network.stop()


@pytest.fixture
def copy(folder: Stage, tmp_path: Path) -> Stage:
    shutil.copytree(folder.data_dir, tmp_path / "copy")
    return replace(folder, data_dir=tmp_path / "copy")


def kill(victim: "subprocess.Popen[str]") -> None:
    victim.kill()
    victim.communicate(timeout=PATIENCE)


def doubled(folder: Stage) -> dict[tuple[str, str, str], int]:
    """Who got what more than once."""
    sent = [*folder.network.entries("invitation"), *folder.network.entries("message")]
    counts = Counter((entry["kind"], entry["to"], entry["text"]) for entry in sent)
    return {key: count for key, count in counts.items() if count > 1}


def status(folder: Stage) -> tuple[str, int]:
    """How the campaign stands there, and how many acts were begun."""
    connection = sqlite3.connect(folder.data_dir / "outrider.db")
    acts = connection.execute("SELECT count(*) FROM actions").fetchone()[0]
    campaign_status = connection.execute("SELECT status FROM campaigns").fetchone()[0]
    connection.close()
    return campaign_status, acts


def test_the_second_copy_is_refused_while_the_first_one_runs_and_goes_on_once_it_was_killed(
    folder: Stage, copy: Stage
) -> None:
    untouched = status(copy)
    victim = folder.start()
    assert wait_until_running(victim)

    refused = copy.run()
    assert refused.returncode != 0
    assert "account_in_use" in refused.stderr
    assert str(folder.data_dir) in refused.stderr, "it says which other folder"
    assert status(copy) == untouched, "nothing was begun"
    copy.check()

    kill(victim)
    ended = copy.run()
    assert ended.returncode == 0, ended.stderr
    copy.check()
    assert doubled(folder) == {}


@pytest.mark.endurance
def test_a_copy_that_follows_a_killed_one_waits_for_what_that_had_under_way(folder: Stage, copy: Stage) -> None:
    folder.settle_seconds = copy.settle_seconds = 30.0  # more than the delay by as much as a busy machine may need
    folder.network.arm("carried_out_later", "invite", ms=15_000)
    victim = folder.start()
    until("the request is under way", lambda: '"fault":"carried_out_later"' in folder.ledger.read_text("utf-8"))
    kill(victim)
    assert folder.network.entries("invitation") == [], "it has not arrived yet"

    ended = copy.run()
    assert ended.returncode == 0, ended.stderr
    assert folder.network.entries("invitation") != []
    assert doubled(folder) == {}


def test_two_copies_that_start_at_the_same_moment_write_to_nobody_twice(folder: Stage, copy: Stage) -> None:
    both = [folder.start(), copy.start()]
    failures = [each.communicate(timeout=A_WHOLE_CAMPAIGN)[1] for each in both]
    refused = [failure for each, failure in zip(both, failures, strict=True) if each.returncode != 0]
    assert len(refused) <= 1, failures  # a busy machine may start the second one when the first has ended
    assert all("account_in_use" in failure for failure in refused)
    assert doubled(folder) == {}
