"""A script's way: approved, kept, run twice on one moment, its answer kept, and found again later."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from backend.adapters.clocks import SystemClock
from backend.adapters.sandbox.builtin_scripts import builtin_source
from backend.commands.artifacts import ArtifactCommands
from backend.domain.device.script import ScriptLimits, ScriptStatus, kept_result, script_sha256
from backend.domain.events.events import Event
from backend.domain.model.artifact import BY_CONTROLLER, BY_USER, Maker, MakerKind, maker, text_content
from backend.domain.values.errors import OutriderError
from backend.runtime.jobs.script_runs import ScriptRunner
from backend.store.log.journal import Journal
from backend.store.queries.turn import scripts
from tests.sandbox.conftest import Run, sandbox
from tests.store.opening import CAMPAIGN, lead_imported, started, write
from tests.stored_rows import all_rows, first_row

COUNT = "print('counting')\nresult = {'leads': len(leads()), 'first': leads()[0]['full_name']}"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return started(tmp_path / "outrider.db", lead_imported(1), lead_imported(2))


@pytest.fixture
def runner(journal: Journal) -> ScriptRunner:
    return ScriptRunner(journal, sandbox(), SystemClock(), ArtifactCommands(journal, SystemClock()), builtin_source)


def audits(journal: Journal) -> list[str]:
    with journal.database.read() as connection:
        rows = connection.execute("SELECT action_type FROM audit_log WHERE campaign_id=? ORDER BY seq", (CAMPAIGN,))
        return [row[0] for row in rows]


def test_who_made_a_script_is_told_by_its_text_not_by_who_ran_it(runner: ScriptRunner, journal: Journal) -> None:
    ours = builtin_source("response_rate_by_title") or ""
    runner.keep(CAMPAIGN, "response_rate_by_title", ours, "in a test")
    runner.keep(CAMPAIGN, "response_rate_by_title", f"{ours}\n", "in a test")
    makers = journal.database.query(all_rows, "SELECT made_by FROM artifacts ORDER BY version")
    assert [maker(*row) for row in makers] == [BY_CONTROLLER, BY_USER]


def test_an_answer_is_that_script_on_that_data(journal: Journal, runner: ScriptRunner) -> None:
    sha256 = runner.keep(CAMPAIGN, "count", COUNT, "in a test")
    assert sha256 == script_sha256(COUNT)
    ran = runner.run(CAMPAIGN, "count", sha256)
    assert ran.outcome.status is ScriptStatus.OK, ran
    assert json.loads(ran.outcome.result) == {"leads": 2, "first": "Person 1"}
    assert ran.outcome.output == "counting\n"
    assert ran.reproducible
    assert ran.answer
    (ended,) = journal.database.query(scripts.ended_runs, CAMPAIGN, 10)
    assert (ended.parameters["outcome"], ended.parameters["result_sha256"]) == ("ok", ran.result_sha256)
    result_id = runner.keep_result(CAMPAIGN, "count", ran.answer)
    artifact = journal.database.query(scripts.result, result_id)
    assert artifact is not None
    stored = kept_result(artifact.content)
    made_by, version = journal.database.query(first_row, "SELECT made_by, version FROM artifacts WHERE id=?", result_id)
    assert (maker(made_by), version) == (Maker(MakerKind.SCRIPT, sha256), 1)
    assert (stored.script_sha256, stored.log_position, stored.result_sha256) == (
        sha256,
        ran.log_position,
        ran.result_sha256,
    )
    write(journal, lead_imported(3))
    assert runner.verify(result_id).same  # of the data as it was
    again = runner.run(CAMPAIGN, "count", sha256)
    assert json.loads(again.outcome.result)["leads"] == 3
    assert again.log_position > ran.log_position
    assert audits(journal) == [
        "script.approved", "script.started", "script.ended", "script.verified", "script.started", "script.ended",
    ]  # fmt: skip


def test_the_same_script_is_kept_once_and_another_byte_is_another(journal: Journal, runner: ScriptRunner) -> None:
    first = runner.keep(CAMPAIGN, "count", COUNT, "in a test")
    assert runner.keep(CAMPAIGN, "count", COUNT, "again") == first
    second = runner.keep(CAMPAIGN, "count", COUNT + "\n", "in a test")
    assert second != first
    stored = journal.database.query(all_rows, "SELECT version, sha256 FROM artifacts ORDER BY version")
    assert stored == [(1, first), (2, second)]


def test_what_was_not_kept_does_not_run(journal: Journal, runner: ScriptRunner) -> None:
    with pytest.raises(OutriderError) as refused:
        runner.run(CAMPAIGN, "count", script_sha256(COUNT))
    assert refused.value.code == "script_unknown"
    sha256 = runner.keep(CAMPAIGN, "count", COUNT, "in a test")
    with journal.database.write() as connection:
        connection.execute("UPDATE artifacts SET content = content || '  # and more'")
    with pytest.raises(OutriderError, match="script_not_approved"):
        runner.run(CAMPAIGN, "count", sha256)


def test_a_script_that_is_kept_but_was_not_approved_does_not_run(journal: Journal, runner: ScriptRunner) -> None:
    content = text_content("python_script", "count", COUNT)
    runner.artifacts.keep(CAMPAIGN, "python_script", "count", content, follows=0)
    with pytest.raises(OutriderError) as refused:
        runner.run(CAMPAIGN, "count", content.sha256)
    assert refused.value.code == "script_not_approved"
    assert audits(journal) == []
    runner.keep(CAMPAIGN, "count", COUNT, "in a test")
    assert runner.run(CAMPAIGN, "count", content.sha256).outcome.status is ScriptStatus.OK
    (ended,) = journal.database.query(scripts.ended_runs, CAMPAIGN, 10)
    assert (ended.parameters["key"], ended.parameters["script_sha256"]) == ("count", content.sha256)


def test_a_failure_keeps_no_answer_and_says_the_line(journal: Journal, runner: ScriptRunner) -> None:
    sha256 = runner.keep(CAMPAIGN, "wrong", "x = 1\nresult = x / 0", "in a test")
    ran = runner.run(CAMPAIGN, "wrong", sha256)
    assert (ran.outcome.status, ran.outcome.line, ran.answer) == (ScriptStatus.FAILED, 2, None)
    assert "division by zero" in ran.outcome.told
    stored = journal.database.query(first_row, "SELECT count(*) FROM artifacts WHERE artifact_type='analysis_result'")
    assert stored == (0,)


def test_an_answer_that_somebody_changed_is_none(journal: Journal, runner: ScriptRunner) -> None:
    ran = runner.run(CAMPAIGN, "count", runner.keep(CAMPAIGN, "count", COUNT, "in a test"))
    assert ran.answer
    result_id = runner.keep_result(CAMPAIGN, "count", ran.answer)
    with journal.database.read() as connection:
        artifact = scripts.result(connection, result_id)
    assert artifact is not None
    for was, changed in (('"leads": 2', '"leads": 3'), ("counting", "counted ")):
        assert was in artifact.content
        with pytest.raises(OutriderError, match="script_result_unreadable"):
            kept_result(artifact.content.replace(was, changed))


def test_an_answer_from_before_an_erasure_is_not_kept_wherever_the_erasure_came_to_stand(
    journal: Journal, runner: ScriptRunner
) -> None:
    sha256 = runner.keep(CAMPAIGN, "count", COUNT, "in a test")
    before = runner.run(CAMPAIGN, "count", sha256).answer
    write(journal, Event("EntriesErased", "e1", {"entries": {}, "created_at": 1}))
    after = runner.run(CAMPAIGN, "count", sha256).answer
    assert before
    assert after
    with pytest.raises(OutriderError, match="script_no_result"):
        runner.keep_result(CAMPAIGN, "count", before)
    runner.keep_result(CAMPAIGN, "count", after)
    # Another device's entries came first, the erasure among them: at the answer's position stands another entry now.
    with pytest.raises(OutriderError, match="script_no_result"):
        runner.keep_result(CAMPAIGN, "count", replace(before, log_position=after.log_position))


def test_time_and_chance_stand_still(run: Run) -> None:
    source = "import random\nfrom datetime import datetime\nresult = [random.random(), str(datetime.now()), hash('x'), id('x')]"
    assert run(source).result == run(source).result


def test_a_run_can_be_cancelled(run: Run) -> None:
    cancelled = threading.Event()
    cancelled.set()
    ended = run("while True: pass", ScriptLimits(), cancelled)
    assert (ended.status, ended.code) == (ScriptStatus.KILLED, "script_cancelled")


def test_the_clock_on_the_wall_ends_a_run_from_outside(run: Run) -> None:
    assert ScriptLimits().seconds == 60
    ended = run("while True: pass", ScriptLimits(seconds=1.5))
    assert (ended.status, ended.code) == (ScriptStatus.KILLED, "script_timeout")
    assert ended.ms < 20_000


def test_a_script_may_ask_only_so_often(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.adapters.sandbox.sandbox._MOST_QUERIES", 500)
    ended = run("while True: query('SELECT 1')", ScriptLimits(seconds=60))
    assert (ended.status, ended.code) == (ScriptStatus.KILLED, "script_too_many_queries")


def test_a_refused_query_is_remembered(journal: Journal, runner: ScriptRunner) -> None:
    source = "try:\n    query('SELECT * FROM sqlite_master')\nexcept:\n    pass\nresult = 'swallowed'"
    ran = runner.run(CAMPAIGN, "sneaky", runner.keep(CAMPAIGN, "sneaky", source, "in a test"))
    assert (ran.outcome.status, ran.outcome.code) == (ScriptStatus.DENIED, "script_denied")
    assert "sqlite_master" in ran.outcome.message
