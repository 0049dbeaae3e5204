"""Commitments that look outside: a query of the user's, files of the campaign's folder, a program that was approved."""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.child_processes import is_running
from backend.adapters.files.command_program import below
from backend.adapters.files.outside_checks import CampaignFolderChecks
from backend.adapters.processes import COMMAND, command
from backend.domain.events.events import Event
from backend.domain.turn.commitments import COMMITMENT, FileExists, SqlHolds
from backend.domain.turn.new_tasks import commitment
from backend.domain.turn.proposals import Rejection, parse
from backend.domain.values.errors import OutriderError
from backend.ports.line_process import AnswerTimeoutError, ProcessEndedError
from backend.store import condition_process
from backend.store.condition_process import ConditionProcesses
from backend.store.database import Database
from backend.store.log import replay
from backend.store.scratch_database import ScratchDatabase
from backend.turn.verifier import verify_waiting
from tests.domain.proposal_texts import VALID
from tests.fakes.campaign import Stage
from tests.patience import PATIENCE
from tests.posix import make_pipe
from tests.sandbox.conftest import FOREVER, questions

Check = Callable[..., tuple[bool, str]]
WATCHER = command(COMMAND)


@pytest.fixture
def campaign(stage: Stage) -> str:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    return campaign


def open_task(stage: Stage, campaign: str) -> str:
    task = stage.ids.new()
    made = {"kind": "custom", "description": task, "status": "in_progress", "needs": "think", "source": "user"}
    stage.note_elsewhere(campaign, Event("TaskCreated", task, {**made, "created_at": 1}))
    return task


@pytest.fixture
def check(stage: Stage, campaign: str, tmp_path: Path) -> Check:
    """Add the promise to a task that claims to be done, and verify it: (done, what was found)."""
    folder = tmp_path / "campaigns"

    def checked(approved: list[str] | None = None, seconds: float = PATIENCE, **promise: Any) -> tuple[bool, str]:
        task = open_task(stage, campaign)
        if promise["type"] == "command":
            condition = COMMITMENT.validate_json(json.dumps(promise))
            stage.commands().tasks.add_commitment(campaign, task, condition, approved)  # type: ignore[arg-type]
        else:  # as from another device: what can never be so is refused where it is given
            stage.note_elsewhere(campaign, commitment(stage.ids.new(), task, promise, "user"))
        stage.note_elsewhere(campaign, Event("TaskClaimed", task, {"status": "verifying"}))
        outside = CampaignFolderChecks(folder.joinpath, WATCHER, seconds=seconds)
        ((verified, done),) = verify_waiting(stage.journal, stage.clock, campaign, outside, seconds=seconds)
        assert verified == task
        (outcome,) = json.loads(stage.audits(campaign, "verification")[-1][1])["checks"]
        started = json.loads(stage.audits(campaign, "verification.started")[-1][1])
        assert (started["task_id"], started["check"]["type"]) == (task, promise["type"]), "on record before it began"
        assert stage.one("SELECT status FROM tasks WHERE id=?", task) == ("done" if done else "in_progress")
        assert replay.find_differences(stage.database) == []
        return done, str(outcome["detail"])

    return checked


# --- sql ---


def image_of(database: Database) -> bytes:
    """As a copy in memory hands it over."""
    with closing(ScratchDatabase(database)) as scratch:
        return scratch._image()


@pytest.fixture(params=["in its own process", "of a copy", "here"])
def asked(request: pytest.FixtureRequest, stage: Stage) -> Iterator[ConditionProcesses | None]:
    """Where the query is asked: as in the app, as in a copy in memory, and as where nothing else runs."""
    conditions = None if request.param == "here" else ConditionProcesses(stage.path, questions)
    if conditions is not None and request.param == "of a copy":
        conditions = conditions.of_copy(lambda: image_of(stage.database))
    stage.database.conditions = conditions
    yield conditions
    if conditions is not None:
        conditions.close()


@pytest.mark.usefixtures("asked")
def test_a_query_is_compared_with_what_the_user_expects(check: Check) -> None:
    count = "SELECT count(*) FROM leads WHERE campaign_id = :campaign"
    assert check(type="sql", select=count, expected=2) == (True, "the query gives '2'")
    assert check(type="sql", select=count, expected=3)[0] is False
    assert check(type="sql", select=count, expected="2")[0] is False
    assert check(type="sql", select="WITH t(n) AS (SELECT 'x') SELECT n FROM t", expected="x")[0] is True
    assert check(type="sql", select="SELECT id FROM leads WHERE 0", expected=None)[0] is True
    assert check(type="sql", select="SELECT sum(value) FROM json_each('[1, 2]')", expected=3)[0] is True


NO_READING = [
    "DELETE FROM leads",
    "UPDATE leads SET notes='x'",
    "INSERT INTO leads(id) VALUES ('x')",
    "CREATE TABLE x(y)",
    "ATTACH DATABASE '/tmp/x.db' AS x",
    "PRAGMA journal_mode=DELETE",
    "SELECT 1; SELECT 2",
    "SELECT encrypted_value FROM configuration",
    "SELECT change_payload FROM event_log",
    "SELECT content FROM conversations",
    "SELECT key_name FROM (SELECT * FROM key_origins)",
    "SELECT sql FROM sqlite_master",
    "SELECT file FROM pragma_database_list",
    "SELECT load_extension('x')",
    "SELECT length(zeroblob(900000000))",
    "SELECT nothing FROM leads",
    "SELECT \x00 1",
]


@pytest.mark.usefixtures("asked")
def test_a_query_that_is_more_than_reading_a_value_is_refused(stage: Stage, check: Check) -> None:
    before = stage.query("SELECT * FROM leads")
    for select in NO_READING:
        done, detail = check(type="sql", select=select, expected=None)
        assert (done, detail.partition(": ")[0]) == (False, "the query was refused"), select
        assert stage.query("SELECT * FROM leads") == before, select


@pytest.mark.usefixtures("asked")
def test_a_query_without_end_is_ended(check: Check) -> None:
    endless = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT count(*) FROM n"
    assert check(type="sql", select=endless, expected=1, seconds=0.2) == (False, "the query took longer than 0.2 s")


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("asked", ["in its own process", "of a copy"], indirect=True)
def test_a_call_that_cannot_be_interrupted_is_ended_and_the_next_is_answered(check: Check) -> None:
    assert check(type="sql", select=FOREVER, expected=1, seconds=0.2) == (False, "the query took longer than 0.2 s")
    assert check(type="sql", select="SELECT count(*) FROM leads", expected=2)[0] is True


@pytest.mark.parametrize("asked", ["in its own process"], indirect=True)
def test_a_query_is_stopped_without_a_verdict(stage: Stage, campaign: str, asked: ConditionProcesses) -> None:
    looked = iter([False])  # it is stopped while it is asked
    with pytest.raises(ProcessEndedError):
        asked.first_value(FOREVER, campaign, PATIENCE, lambda: next(looked, True))
    task = open_task(stage, campaign)
    stage.commands().tasks.add_commitment(campaign, task, SqlHolds(type="sql", select=FOREVER, expected=0))
    stage.note_elsewhere(campaign, Event("TaskClaimed", task, {"status": "verifying"}))
    assert verify_waiting(stage.journal, stage.clock, campaign, stopped=lambda: True) == []
    assert stage.one("SELECT status FROM tasks WHERE id=?", task) == "verifying"


# --- files ---


@pytest.fixture
def folder(tmp_path: Path, campaign: str) -> Path:
    folder = tmp_path / "campaigns" / campaign
    folder.mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "out").symlink_to(tmp_path / "secret.txt")
    (folder / "report.txt").write_bytes(b"x" * (2 << 20) + "the réport is done".encode())
    return folder


def test_a_file_is_there_is_the_one_that_was_named_and_contains_a_text(check: Check, folder: Path) -> None:
    digest = hashlib.sha256((folder / "report.txt").read_bytes()).hexdigest()
    assert check(type="file_exists", path="report.txt") == (True, "the file is there")
    assert check(type="file_exists", path="report.txt", sha256=digest)[0] is True
    assert check(type="file_exists", path="report.txt", sha256="0" * 64)[0] is False
    assert check(type="file_exists", path="no.txt") == (False, "No such file or directory")
    assert check(type="file_contains", path="report.txt", text="xthe réport") == (True, "the text is in the file")
    assert check(type="file_contains", path="report.txt", text="another")[0] is False


@pytest.mark.usefixtures("folder")
def test_a_file_that_takes_too_long_to_read_has_failed_with_that_reason(check: Check) -> None:
    sought = {"type": "file_contains", "path": "report.txt", "text": "another"}
    assert check(**sought, seconds=0) == (False, "the check took longer than 0 s")


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_looked_at_here_is_not_taken_to_be_so(stage: Stage, campaign: str) -> None:
    task = open_task(stage, campaign)
    stage.note_elsewhere(
        campaign,
        commitment(stage.ids.new(), task, {"type": "file_exists", "path": "report.txt"}, "user"),
        Event("TaskClaimed", task, {"status": "verifying"}),
    )
    assert verify_waiting(stage.journal, stage.clock, campaign) == [(task, False)]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("path", ["../../secret.txt", "../secret.txt", "out", "/etc/passwd", "."])
def test_no_file_outside_the_campaigns_folder_is_looked_at(check: Check, path: str) -> None:
    done, detail = check(type="file_contains", path=path, text="secret")
    assert done is False
    assert detail != "the text is not in the file"


@pytest.mark.posix
def test_what_is_no_ordinary_file_is_not_waited_for(check: Check, folder: Path) -> None:
    make_pipe(folder / "pipe")
    assert check(type="file_contains", path="pipe", text="x") == (False, "it is no ordinary file")


# --- programs ---


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_program_runs_without_a_shell_in_the_campaigns_folder_and_is_told_no_key(
    check: Check, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTRIDER_KEY_X", "canary")
    argv = [
        *python("import os,sys; open('said','w').write(repr((sys.argv[1:], dict(os.environ), os.getpid())))"),
        "$(id);*",
    ]
    assert check(argv, type="command", argv=argv) == (True, "the command ended with status 0")
    arguments, environment, pid = eval((folder / "said").read_text(), {})
    assert arguments == ["$(id);*"]
    assert "canary" not in repr(environment)
    assert not {"PYTHONPATH", "PYTHONSAFEPATH"} & environment.keys(), "nothing that would load our code into it"
    assert pid != os.getpid(), "outside of the agent's session and of ours"
    assert check(python("raise SystemExit(3)"), type="command", argv=python("raise SystemExit(3)"), exit_code=3)[0]
    assert check(python("raise SystemExit(3)"), type="command", argv=python("raise SystemExit(3)"))[0] is False
    assert check(["no-such-program"], type="command", argv=["no-such-program"])[0] is False


def test_no_program_starts_without_the_users_approval_of_exactly_this_command(
    stage: Stage, check: Check, campaign: str, folder: Path
) -> None:
    argv = python("open('ran','w')")
    for approved in (None, [], argv[:-1], [*argv, ""], [" ".join(argv)]):
        with pytest.raises(OutriderError) as refused:
            check(approved, type="command", argv=argv)
        assert refused.value.code == "command_not_approved"
    # One that came from another device, or that was forged there: nobody said yes to it here.
    promise = {"type": "command", "argv": argv, "exit_code": 0, "timeout_s": 30}
    task = {"kind": "custom", "description": "forged", "status": "verifying", "needs": "think", "source": "user"}
    stage.note_elsewhere(
        campaign,
        Event("TaskCreated", "FORGED", {**task, "created_at": 1}),
        Event("CommitmentMade", "FORGED-C", {"task_id": "FORGED", "params": promise, "source": "user"}),
    )
    outside = CampaignFolderChecks(folder.parent.joinpath, WATCHER)
    assert ("FORGED", False) in verify_waiting(stage.journal, stage.clock, campaign, outside)
    assert stage.one("SELECT reason FROM tasks WHERE id='FORGED'").startswith("you have not approved")
    assert not (folder / "ran").exists()


def test_a_program_that_takes_too_long_ends_with_all_that_it_started(check: Check, folder: Path) -> None:
    child = "import os,time; open('child','w').write(str(os.getpid())); time.sleep(600)"
    code = f"import subprocess,sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()"
    argv = python(code)
    done, detail = check(argv, type="command", argv=argv, timeout_s=5)
    assert (done, detail) == (False, "the command took longer than 5 s and was ended")
    assert not is_running(int((folder / "child").read_text()))


STAYS = "open('child.new','w').write(str(os.getpid())); os.rename('child.new','child'); time.sleep(600)"
FORKS = {
    "a child": f"if os.fork() == 0:\n {STAYS}",
    "a group of its own": f"if os.fork() == 0:\n os.setpgid(0, 0); {STAYS}",
    "a session of its own": f"if os.fork() == 0:\n os.setsid(); {STAYS}",
    "a daemon": f"if os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  {STAYS}\n os._exit(0)",
    "one that ignores signals": (
        f"if os.fork() == 0:\n os.setsid()\n for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n {STAYS}"
    ),
    "one that stands still": (
        f"if os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  {STAYS}\n os.kill(os.getpid(), signal.SIGSTOP)"
    ),
}
"""How a program leaves something behind."""
UNTIL_THERE = "while not os.path.exists('child'): time.sleep(0.01)"

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="macOS tells nobody of a daemon, Windows has no fork")


@on_linux
@pytest.mark.posix
@pytest.mark.parametrize("forks", FORKS.values(), ids=FORKS)
def test_a_program_leaves_nothing_behind_wherever_it_hides_it(check: Check, folder: Path, forks: str) -> None:
    argv = python(f"import os, signal, time\n{forks}\n{UNTIL_THERE}")
    assert check(argv, type="command", argv=argv)[0] is True
    assert not is_running(int((folder / "child").read_text()))


@on_linux
@pytest.mark.posix
def test_a_daemon_ends_with_a_program_that_takes_too_long(check: Check, folder: Path) -> None:
    argv = python(f"import os, time\n{FORKS['a daemon']}\ntime.sleep(600)")
    assert check(argv, type="command", argv=argv, timeout_s=5)[0] is False
    assert not is_running(int((folder / "child").read_text()))


@on_linux
@pytest.mark.posix
def test_a_program_that_is_never_the_same_process_for_long_ends_as_well(check: Check, folder: Path) -> None:
    code = (
        "import os, time\nend = time.time() + 60\nwhile time.time() < end:\n"
        " open('child','w').write(str(os.getpid()))\n if os.fork(): os._exit(0)\n os.setsid()"
    )
    argv = python(code)
    assert check(argv, type="command", argv=argv)[0] is True
    assert not is_running(int((folder / "child").read_text() or "0"))


@pytest.mark.posix
def test_a_program_that_ends_its_watcher_has_not_succeeded(check: Check) -> None:
    argv = python("import os, signal, time; os.kill(os.getppid(), signal.SIGKILL); time.sleep(0.2)")
    assert check(argv, type="command", argv=argv) == (False, "the process that watches over the command was ended")


def test_a_run_that_is_stopped_ends_a_program_without_a_verdict(stage: Stage, campaign: str, tmp_path: Path) -> None:
    argv = python(f"import os, time; {STAYS}")
    task = open_task(stage, campaign)
    promise = COMMITMENT.validate_json(json.dumps({"type": "command", "argv": argv}))
    stage.commands().tasks.add_commitment(campaign, task, promise, argv)  # type: ignore[arg-type]
    stage.note_elsewhere(campaign, Event("TaskClaimed", task, {"status": "verifying"}))
    outside, child = CampaignFolderChecks(tmp_path.joinpath, WATCHER), tmp_path / campaign / "child"
    assert verify_waiting(stage.journal, stage.clock, campaign, outside, stopped=child.exists) == []
    assert not is_running(int(child.read_text()))
    assert stage.one("SELECT status FROM tasks WHERE id=?", task) == "verifying", "it is verified next time"


ASKS = """
import json, sys
from pathlib import Path
from backend.adapters.child_processes import is_running
from backend.adapters.files.command_program import below
from backend.adapters.files.outside_checks import CampaignFolderChecks
from backend.adapters.processes import COMMAND, command
from backend.domain.turn.commitments import COMMITMENT
promise = COMMITMENT.validate_json(json.dumps({"type": "command", "argv": json.loads(sys.argv[2])}))
CampaignFolderChecks(Path(sys.argv[1]).joinpath, command(COMMAND)).check("c", promise)
"""


def test_a_program_ends_with_whoever_started_it(tmp_path: Path) -> None:
    argv = python(f"import os, time; {STAYS}")
    asking = subprocess.Popen([sys.executable, "-c", ASKS, str(tmp_path), json.dumps(argv)])
    child = tmp_path / "c" / "child"
    _until(child.exists)
    asking.kill()
    asking.wait()
    _until(lambda: not is_running(int(child.read_text())))


def _until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_who_descends_from_a_process_is_read_from_a_table_of_parents() -> None:
    """Where no process takes over another's children."""
    table = [(1, 0), (5, 1), (6, 5), (7, 6), (8, 1), (9, 5), (0, 0)]
    assert sorted(below(table, 5)) == [6, 7, 9]
    assert list(below(table, 8)) == list(below([], 8)) == []
    assert sorted(below([(4, 4), (5, 4)], 4)) == [4, 5], "whatever the table says, it is read once"


# --- whose they are ---


@pytest.mark.parametrize("kind", ["sql", "file_exists", "file_contains", "command"])
def test_no_proposal_can_promise_what_reads_files_or_starts_programs(kind: str) -> None:
    promise = {"type": kind, "select": "SELECT 1", "expected": 1, "path": "x", "text": "x", "argv": ["x"]}
    proposed = json.loads(json.dumps(VALID["create_task"]))
    proposed["params"]["commitments"] = [promise]
    assert isinstance(parse(json.dumps(proposed)), Rejection)


def test_a_task_that_is_over_promises_nothing_more(stage: Stage, campaign: str) -> None:
    stage.note_elsewhere(
        campaign,
        Event("TaskCreated", "OVER", {
            "kind": "custom", "description": "x", "status": "cancelled", "needs": "think", "source": "user", "created_at": 1,
        }),
    )  # fmt: skip
    promise = COMMITMENT.validate_json('{"type":"leads_scored"}')
    for task, code in (("OVER", "task_settled"), ("nothing", "task_unknown")):
        with pytest.raises(OutriderError) as refused:
            stage.commands().tasks.add_commitment(campaign, task, promise)  # type: ignore[arg-type]
        assert refused.value.code == code


@pytest.mark.parametrize(
    "promise",
    [
        {"type": "sql", "select": "DELETE FROM leads", "expected": 1},
        {"type": "sql", "select": "SELECT nothing FROM leads", "expected": 1},
        {"type": "sql", "select": "SELECT 1; SELECT 2", "expected": 1},
        {"type": "sql", "select": "SELECT sql FROM sqlite_master", "expected": 1},
        {"type": "sql", "select": "SELECT content FROM conversations", "expected": 1},
        {"type": "sql", "select": "QUERY PLAN SELECT 1", "expected": 1},
        {"type": "file_exists", "path": "/etc/passwd"},
        {"type": "file_contains", "path": "notes/../../x", "text": "x"},
        {"type": "artifact_exists", "artifact_type": "nonsense", "artifact_key": "k"},
    ],
)
def test_what_can_never_be_so_is_refused_where_it_is_given(
    stage: Stage, campaign: str, promise: dict[str, Any]
) -> None:
    task = open_task(stage, campaign)
    condition = COMMITMENT.validate_json(json.dumps(promise))
    with pytest.raises(OutriderError) as refused:
        stage.commands().tasks.add_commitment(campaign, task, condition)  # type: ignore[arg-type]
    assert refused.value.code == "condition_impossible"
    assert stage.query("SELECT id FROM commitments WHERE task_id=?", task) == []


COMPILED_FOR_EVER = (
    "WITH a0 AS (SELECT 1 x), "
    + ", ".join(f"a{n} AS (SELECT p.x FROM a{n - 1} p, a{n - 1} q)" for n in range(1, 40))
    + " SELECT * FROM a39"
)
"""Each name is read twice for each time the next one is: nobody lives as long, and nothing interrupts it."""


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize("asked", ["in its own process", "of a copy"], indirect=True)
def test_a_query_that_takes_for_ever_to_be_read_is_refused_where_it_is_given(
    stage: Stage, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(condition_process, "PLAN_SECONDS", 0.2)
    task = open_task(stage, campaign)
    promise = SqlHolds(type="sql", select=COMPILED_FOR_EVER, expected=1)
    with pytest.raises(OutriderError, match=r"longer than 0.2 s to be read"):
        stage.commands().tasks.add_commitment(campaign, task, promise)
    possible = SqlHolds(type="sql", select="SELECT count(*) FROM leads", expected=2)
    stage.commands().tasks.add_commitment(campaign, task, possible)
    assert stage.one("SELECT count(*) FROM commitments WHERE task_id=?", task) == 1


def test_a_copy_in_memory_asks_of_its_own_rows_and_never_in_our_process(stage: Stage, campaign: str) -> None:
    stage.database.conditions = ConditionProcesses(stage.path, questions)
    count = "SELECT count(*) FROM leads WHERE campaign_id = :campaign"
    with closing(ScratchDatabase(stage.database)) as scratch:
        assert scratch.conditions is not None
        with scratch.write() as connection:
            connection.execute("DELETE FROM leads WHERE id = (SELECT min(id) FROM leads)")
        assert scratch.conditions.first_value(count, campaign, PATIENCE, lambda: False) == 1
        with pytest.raises(AnswerTimeoutError):
            scratch.conditions.first_value(FOREVER, campaign, 0.2, lambda: False)
    assert stage.database.conditions.first_value(count, campaign, PATIENCE, lambda: False) == 2
    stage.database.conditions.close()


def test_a_query_is_not_asked_where_it_is_given(stage: Stage, campaign: str) -> None:
    """What it says today, or cannot say, tells nothing of the day on which the task is done."""
    task, no_json_yet = open_task(stage, campaign), "SELECT json(full_name) FROM leads"
    promise = SqlHolds(type="sql", select=no_json_yet, expected=None)
    stage.commands().tasks.add_commitment(campaign, task, promise)
    assert stage.one("SELECT count(*) FROM commitments WHERE task_id=?", task) == 1


def test_a_condition_that_the_user_added_can_be_removed_and_only_that(stage: Stage, campaign: str) -> None:
    task, own_commitment = open_task(stage, campaign), stage.ids.new()
    stage.note_elsewhere(campaign, commitment(own_commitment, task, {"type": "leads_scored"}, "controller"))
    commands = stage.commands().tasks
    commands.add_commitment(campaign, task, FileExists(type="file_exists", path="report.txt"))
    ((added,),) = stage.query("SELECT id FROM commitments WHERE task_id=? AND source='user'", task)
    with pytest.raises(OutriderError, match="no such condition"):
        commands.remove_commitment(campaign, task, own_commitment)
    commands.remove_commitment(campaign, task, added)
    with pytest.raises(OutriderError, match="no such condition"):
        commands.remove_commitment(campaign, task, added)
    for (lead,) in stage.query("SELECT id FROM leads"):
        stage.note_elsewhere(campaign, Event("LeadScored", lead, {"weight_score": 50}))
    stage.note_elsewhere(campaign, Event("TaskClaimed", task, {"status": "verifying"}))
    assert verify_waiting(stage.journal, stage.clock, campaign) == [(task, True)]
    with pytest.raises(OutriderError) as over:
        commands.remove_commitment(campaign, task, own_commitment)
    assert over.value.code == "task_settled"
    assert replay.find_differences(stage.database) == []
