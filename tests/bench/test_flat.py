"""The cost of a turn does not grow with the campaign: proved by what it asks of the database, not by a stopwatch."""

import json
import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backend.adapters.llm.scripted import ScriptedProposer
from backend.app.wiring import Workspace, build_continuation_loop, build_turn_loop
from backend.domain.model.task import ActionFamily
from backend.domain.turn.request import Attachment
from backend.store.queries.contact import actions
from backend.turn.loop import TurnReport
from backend.turn.presence import Presence
from tests.bench import bench_app, sample_campaign
from tests.bench.sample_campaign import workspace_in
from tests.bench.turns import listening

# One row a campaign (`c`: the campaigns); what every commit empties; the tags of one lead; `a`: the last few audit entries.
KEPT_SMALL = {
    "a",
    "c",
    "runtime_snapshot",
    "execution_state",
    "log_heads",
    "leads_new",
    "leads_reidentified",
    "leads_unsearched",
    "json_each",
}
ANY_ROW = re.compile(r"\bSELECT 1 FROM (\w+) LIMIT 1$")
"""Asks only whether a table has any row: its first ends the scan."""


SAID = ("list my saved artifacts", "show me the note from today", "save this note")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with sample_campaign.workspace_in(tmp_path) as opened:
        yield opened


def statements_of_turns(workspace: Workspace, count: int) -> set[str]:
    campaign_id = sample_campaign.filled_campaign(workspace, 60, 0)
    commands = workspace.commands()
    loop = build_turn_loop(workspace, sample_campaign.InstantSite(), commands.clock, Presence(attended=True))
    loop.proposer = ScriptedProposer()  # by itself it is shown all that a model is
    seen: set[str] = set()
    with workspace.database.read() as reader:
        reader.set_trace_callback(seen.add)
    with workspace.database.write() as writer:
        writer.set_trace_callback(seen.add)
    for number in range(count):
        assert isinstance(loop.run_turn(campaign_id), TurnReport)
        if number % 10 == 0:  # for requests of the user, too
            text = SAID[number // 10 % len(SAID)]
            request = commands.requests.begin(campaign_id, text, [Attachment("a.txt", "text")], key=str(number))
            build_continuation_loop(workspace, lambda: commands.clock, Presence(attended=True)).run(
                campaign_id, request
            )
    return {sql for sql in seen if sql.lstrip().startswith(("SELECT", "UPDATE", "INSERT"))}


def plan(connection: sqlite3.Connection, sql: str) -> list[str]:
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]


def test_no_statement_of_a_turn_scans_a_table_or_sorts_it(workspace: Workspace) -> None:
    statements = statements_of_turns(workspace, 40)
    assert len(statements) > 100
    with workspace.database.read() as connection:
        for sql in statements:
            small = {"", "CONSTANT", *KEPT_SMALL, *ANY_ROW.findall(sql)}
            for line in plan(connection, sql):
                assert "TEMP B-TREE" not in line, (line, sql)
                scanned = line.removeprefix("SCAN ").split()[0] if line.startswith("SCAN ") else ""
                assert scanned in small or scanned.startswith("(subquery"), (line, sql)


def test_what_the_account_did_is_counted_by_a_statement_that_stays_prepared(workspace: Workspace) -> None:
    """A parameter that may match the condition of a partial index has SQLite plan the whole statement again, each time."""
    prepared: list[int] = []

    def allow(action: int, *_: object) -> int:
        prepared.append(action)
        return sqlite3.SQLITE_OK

    with workspace.database.read() as connection:
        connection.set_authorizer(allow)
        actions.usage(connection, "practice", ActionFamily.INVITE, 1, 0)
        assert prepared
        prepared.clear()
        for family in (ActionFamily.MESSAGE, ActionFamily.WITHDRAW):
            actions.usage(connection, "practice", family, 2, 3)
        connection.set_authorizer(None)
    assert prepared == []


@pytest.mark.posix
@pytest.mark.endurance
def test_twenty_thousand_turns_take_no_more_memory(tmp_path: Path) -> None:
    """Within 5 MB, from when everything has been used once; while a page listens."""
    turns = 20_000
    with workspace_in(tmp_path) as workspace, listening(workspace):
        campaigns = [
            sample_campaign.filled_campaign(workspace, turns // 20, 0, account) for account in ("one", "other")
        ]
        commands = workspace.commands()
        loop = build_turn_loop(workspace, sample_campaign.InstantSite(), commands.clock, Presence(attended=True))
        sizes = []
        for number in range(turns):
            report = loop.run_turn(campaigns[number % 2])
            assert isinstance(report, TurnReport), (number, report)
            if number >= turns // 10 and number % (turns // 20) == 0:
                workspace.database.release_memory()  # as every ten seconds of a run, which may be all of these turns
                sizes.append(_memory_mb())
    assert max(sizes) - min(sizes) < 5, sizes


def _memory_mb() -> float:
    process = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], check=True, capture_output=True, text=True)
    return int(process.stdout) / 1_000


@pytest.mark.posix
def test_the_benchmark_says_what_a_turn_costs_in_commits(tmp_path: Path) -> None:
    arguments = ["turns", "--leads", "30", "--events", "50", "--turns", "200", "--folder", str(tmp_path), "--json"]
    result = CliRunner().invoke(bench_app, arguments)
    assert result.exit_code == 0, result.output
    measured = json.loads(result.output.splitlines()[-1])
    assert measured["commits_per_turn"] == 1.0
    assert measured["effect"]["commits_per_turn"] == 2.0
    assert set(measured) >= {"turn_ms", "cpu_ms", "turns_per_s", "bytes_per_turn", "floor_ms", "ratio_to_floor"}
    assert set(measured["turn_ms"]) == {"p50", "p95", "max"}


@pytest.mark.parametrize("arguments", [["turns", "--leads", "1", "--turns", "12"], ["turns", "--leads", "0"]])
def test_the_benchmark_refuses_what_it_cannot_measure(arguments: list[str]) -> None:
    assert CliRunner().invoke(bench_app, arguments).exit_code == 2
