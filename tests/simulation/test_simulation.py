"""Worlds from seeds: no rule is ever broken, the same seed is the same world, and a rule that is broken is seen."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import A_WHOLE_CAMPAIGN
from tests.simulation.planted import PLANTED, Planted
from tests.simulation.world import KINDS, Plan, simulate

ROOT = Path(__file__).parents[2]
WORLDS, DAYS = 16, 10
PATIENCE = 60
"""In so many worlds a planted fault must be found."""


@pytest.mark.parametrize("seed", range(WORLDS))
def test_whatever_goes_wrong_no_rule_is_broken_and_every_campaign_ends(seed: int) -> None:
    outcome = simulate(Plan(seed, DAYS))
    assert outcome.violation == "", "\n".join(outcome.story[-40:])


def test_a_world_in_which_everything_may_go_wrong() -> None:
    outcome = simulate(Plan(7, DAYS, 3, frozenset(KINDS)))
    assert outcome.violation == "", "\n".join(outcome.story[-40:])
    assert len(outcome.faults) > len(KINDS) // 2


def test_the_same_seed_is_the_same_world_in_another_process() -> None:
    here = simulate(Plan(5, DAYS))
    command = [sys.executable, "-m", "tests.simulation", "--seed", "5", "--days", str(DAYS), "--json"]
    for _ in range(2):
        told = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=A_WHOLE_CAMPAIGN, check=True
        ).stdout
        assert json.loads(told)["digest"] == here.digest


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_a_rule_that_is_broken_is_seen(planted: Planted) -> None:
    with planted.plant():
        found = (simulate(Plan(seed, DAYS, planted.devices, planted.faults)).violation for seed in range(PATIENCE))
        assert any(found)


@pytest.mark.endurance
@pytest.mark.parametrize("first", range(1_000, 3_000, 50))
def test_two_thousand_worlds(first: int) -> None:
    for seed in range(first, first + 50):
        outcome = simulate(Plan(seed, 20, 1 + seed % 3))
        assert outcome.violation == "", f"seed {seed}\n" + "\n".join(outcome.story[-40:])
