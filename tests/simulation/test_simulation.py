"""Worlds from seeds: no rule is ever broken, the same seed is the same world, and a rule that is broken is seen."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from tests.fakes.shared_store import FakeSharedStore
from tests.patience import A_WHOLE_CAMPAIGN
from tests.postgres import Server
from tests.simulation import kept_seeds
from tests.simulation.long_world import LongWorld
from tests.simulation.planted import PLANTED, SLOW
from tests.simulation.planted_rules import MENDED
from tests.simulation.planting import Planted
from tests.simulation.postgres_world import PostgresWorld
from tests.simulation.shrink import shrink
from tests.simulation.world import KINDS, Outcome, Plan, simulate

ROOT = Path(__file__).parents[2]
DAYS = 10
WORLDS, AT_ONCE, SHORT, FEW = 100, 20, 6, 2
"""Worlds, how many are one test, and their days and people; `make endurance` lives through 20,000."""
BESIDE_POSTGRES = 2
"""Worlds that also live with a real shared store."""
PATIENCE = 500
"""In so many worlds a planted fault must be found."""
EACH = 5
"""Of so many worlds and faults one is in every run of the tests; all are lived through by `make worlds`."""


def sampled(cases: Sequence[object]) -> list[ParameterSet]:
    """One of `EACH`, and the others behind `make worlds`."""
    return [pytest.param(case, marks=() if n % EACH == 0 else pytest.mark.worlds) for n, case in enumerate(cases)]


@pytest.mark.parametrize("first", sampled(range(0, WORLDS, AT_ONCE)))
def test_whatever_goes_wrong_no_rule_is_broken_and_every_campaign_ends(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        plan = Plan(seed, SHORT, 1 + seed % 2, people=FEW)
        outcome = simulate(plan)
        assert outcome.violation == "", f"{plan.command}\n" + "\n".join(outcome.story[-40:])


def test_a_world_in_which_everything_may_go_wrong() -> None:
    outcome = simulate(Plan(7, 3 * DAYS, 3, faults=frozenset(KINDS)))
    assert outcome.violation == "", "\n".join(outcome.story[-40:])
    assert sum(1 for times in outcome.faults.values() if times) > len(KINDS) // 3


def test_a_month_of_daily_work_with_many_people() -> None:
    outcome = simulate(Plan(1, 30, 1, people=120), LongWorld)
    assert outcome.violation == "", "\n".join(outcome.story[-40:])
    assert all(outcome.faults[done] for done in ("messages", "replies", "limits changed", "not to be contacted"))


@pytest.mark.endurance
def test_half_a_year_with_ten_thousand_people() -> None:
    outcome = simulate(Plan(1, 180, 1, people=10_000), LongWorld)
    assert outcome.violation == "", "\n".join(outcome.story[-40:])
    assert outcome.faults["requests that left"] > 10_000


def test_the_same_seed_is_the_same_world_in_any_process_whatever_was_lived_through_before() -> None:
    first, many = 5, 2

    def lived(outcome: Outcome) -> tuple[str, int]:
        return outcome.digest, outcome.switches

    here = {seed: lived(simulate(Plan(seed, SHORT))) for seed in range(first, first + many)}
    backwards = {seed: lived(simulate(Plan(seed, SHORT))) for seed in reversed(here)}
    assert backwards == here
    size = ["--seed", str(first), "--seeds", str(many), "--days", str(SHORT), "--json"]
    output = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *size],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "4242"},
        capture_output=True,
        text=True,
        timeout=A_WHOLE_CAMPAIGN,
        check=True,
    ).stdout
    there = [json.loads(line) for line in output.splitlines()]
    assert {world["seed"]: (world["digest"], world["switches"]) for world in there} == here


@pytest.mark.parametrize("file", sampled(sorted(kept_seeds.SEEDS.glob("*.json"))), ids=lambda file: file.stem)
def test_what_was_broken_once_is_not_broken_again(file: Path) -> None:
    outcome = simulate(kept_seeds.load(file))
    assert outcome.violation == "", "\n".join(outcome.story[-40:])


@pytest.mark.parametrize("name", MENDED)
def test_a_kept_world_breaks_a_rule_still_without_its_mend(name: str) -> None:
    with MENDED[name]():
        assert simulate(kept_seeds.load(kept_seeds.SEEDS / f"{name}.json")).violation


def is_seen(planted: Planted) -> Outcome | None:
    """The first world that shows it; without the fault, that world is sound."""
    plans = (Plan(seed, DAYS, planted.devices, faults=planted.faults) for seed in range(PATIENCE))
    for plan in plans:
        with planted.plant():
            outcome = simulate(plan)
        if outcome.violation and not simulate(plan).violation:
            return outcome
    return None


@pytest.mark.parametrize(
    "planted", sampled([planted for planted in PLANTED if planted.name not in SLOW]), ids=lambda planted: planted.name
)
def test_a_rule_that_is_broken_is_seen(planted: Planted) -> None:
    assert is_seen(planted)


@pytest.mark.endurance
@pytest.mark.parametrize(
    "planted", [planted for planted in PLANTED if planted.name in SLOW], ids=lambda planted: planted.name
)
def test_every_rule_that_is_broken_is_seen(planted: Planted) -> None:
    assert is_seen(planted)


def test_a_broken_world_shrinks_to_a_short_story() -> None:
    planted = next(planted for planted in PLANTED if planted.name == "daily limits are not looked at")
    kinds = frozenset({"late sends", "site errors", "busy"})
    with planted.plant():
        worlds = (Plan(seed, DAYS, 2, faults=kinds) for seed in range(PATIENCE))
        large = next(plan for plan in worlds if simulate(plan).violation)
        small, outcome = shrink(large, most=40)
    assert outcome.violation
    assert small.faults is not None
    assert small.faults < kinds
    assert outcome.days <= large.days
    assert len(outcome.story) <= 30


def test_a_real_shared_store_answers_as_the_one_in_memory_and_ends_with_the_devices_rows(postgres_17: Server) -> None:
    for seed in range(BESIDE_POSTGRES):
        live_beside_postgres(Plan(seed, SHORT, people=FEW), postgres_17)


@pytest.mark.endurance
def test_hundreds_of_worlds_beside_a_real_shared_store(postgres_17: Server) -> None:
    for seed in range(1_000, 1_500):
        live_beside_postgres(Plan(seed, SHORT, 2 + seed % 2, people=FEW), postgres_17)


def live_beside_postgres(plan: Plan, server: Server) -> None:
    worlds: list[PostgresWorld] = []

    def begun(plan: Plan, folder: Path) -> PostgresWorld:
        worlds.append(PostgresWorld(plan, folder, server))
        return worlds[-1]

    outcome = simulate(plan, begun)
    assert outcome.violation == "", f"{plan.command} --postgres\n" + "\n".join(outcome.story[-40:])
    assert worlds[0].calls > 20


def test_a_shared_store_that_answers_otherwise_is_seen(postgres_17: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeSharedStore, "release_lease", lambda *_: None)
    outcomes = (simulate(Plan(seed, SHORT), partial(PostgresWorld, server=postgres_17)) for seed in range(5))
    assert any("the project answers" in outcome.violation for outcome in outcomes)


def test_a_plan_is_told_by_its_command() -> None:
    plan = Plan(3, 4, 1, 2, frozenset({"kill", "paused store"}), frozenset({1, 2}))
    assert plan.command == (
        "python -m tests.simulation --seed 3 --days 4 --devices 1 --people 2 --faults 'kill,paused store' --without 1,2"
    )
    assert replace(plan, faults=None, without=frozenset()).command.endswith("--people 2")


@pytest.mark.endurance
@pytest.mark.parametrize("first", range(1_000, 21_000, 200))
def test_twenty_thousand_worlds(first: int) -> None:
    for seed in range(first, first + 200):
        plan = Plan(seed, (SHORT, DAYS)[seed % 2], 1 + seed % 3, people=1 + seed % 4)
        outcome = simulate(plan)
        assert outcome.violation == "", f"{plan.command}\n" + "\n".join(outcome.story[-40:])
