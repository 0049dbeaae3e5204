"""What a project costs a campaign: one round trip for each act, none for anything else."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.bench import bench_app
from tests.postgres import binaries


@pytest.fixture(scope="module")
def figures() -> Any:
    if binaries(17) is None:
        pytest.skip("PostgreSQL 17 is not installed here (`make setup` installs it where it can)")
    done = CliRunner().invoke(bench_app, ["sync", "--events", "1000", "--log", "2000", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.output.splitlines()[-1])


def test_an_act_costs_one_round_trip_more_with_a_project_and_a_look_none(figures: Any) -> None:
    alone, attached = figures["turn"]["alone"], figures["turn"]["attached"]
    assert (alone["round_trips_a_look"], alone["round_trips_an_effect"]) == (0, 0)
    assert (attached["round_trips_a_look"], attached["round_trips_an_effect"]) == (0, 1)


def test_pages_from_far_away_are_measured_one_at_a_time_and_several_at_once(figures: Any) -> None:
    measured = {"one_at_a_time_a_s", "in_flight_a_s", "gain", "pull_a_s"}
    assert measured == figures["empty"]["distant"].keys() == figures["long"]["distant"].keys()


def test_both_logs_are_measured_beside_copy_and_upserts(figures: Any) -> None:
    measured = {"push_a_s", "pull_a_s", "copy_in_a_s", "copy_out_a_s", "upsert_a_s"}
    assert measured <= figures["empty"].keys() & figures["long"].keys()
    assert figures["long_to_empty"].keys() == {"push_a_s", "pull_a_s"}
