"""A script's SQL is asked in a process that can be killed: no function of SQLite that runs for hours keeps anybody waiting."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from backend.domain.device.script import ScriptLimits, ScriptStatus
from backend.store.foreign_sql import HEAP_BYTES
from backend.store.queries.turn import script_data as module
from backend.store.queries.turn.script_data import ScriptData, script_data
from backend.store.script_database import MOST_SECONDS
from tests.fakes.questions import QueryFailedError, rows
from tests.kills import KILL
from tests.patience import PATIENCE
from tests.sandbox.conftest import FOREVER, NOW, questions, sandbox
from tests.store.opening import CAMPAIGN, lead_imported, started

LONG = "printf('%999999s', 'x')"
ENDLESS = {
    "printf": "SELECT printf('%.*c', 2147483647, 'x')",
    "instr": f"SELECT sum(instr(replace({LONG}, ' ', 'a'), printf('%400000s', 'b'))) FROM leads a, leads b, leads c",
    "like": "SELECT replace(printf('%999999s', 'x'), ' ', 'a') LIKE '%a%a%a%a%a%a%a%a%a%a%b'",
    "glob": "SELECT replace(printf('%999999s', 'x'), ' ', 'a') GLOB '*a*a*a*a*a*a*a*a*a*a*b'",
    "replace": f"SELECT replace(replace({LONG}, ' ', 'a'), replace(printf('%400000s', 'b'), ' ', 'a'), 'c') || 1",
    "trim": FOREVER,
    "compiling": "WITH a0 AS (SELECT 1 x), "
    + ", ".join(f"a{n} AS (SELECT p.x FROM a{n - 1} p, a{n - 1} q)" for n in range(1, 25))
    + " SELECT * FROM a24",
    "recursion": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
}
"""One call each, or one step of SQLite's that may be as long."""
HUGE = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30000)"
    " SELECT count(*) FROM (SELECT DISTINCT printf('%99000s', i) FROM n)"
)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[ScriptData]:
    journal = started(tmp_path / "outrider.db", *(lead_imported(number) for number in range(1, 30)))
    with journal.database.read() as connection, script_data(connection, CAMPAIGN, NOW, questions) as rows:
        yield rows
    journal.database.close()


@pytest.mark.parametrize("sql", ENDLESS.values(), ids=ENDLESS)
def test_a_question_ends_with_its_time_and_the_next_is_answered(
    data: ScriptData, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rows(data, "SELECT count(*) FROM leads")[1] == [[29]]
    monkeypatch.setattr(module, "_KILLED_AFTER", 0.5)
    with suppress(QueryFailedError):  # on a fast machine some have an answer
        rows(data, sql)
    monkeypatch.undo()
    assert rows(data, "SELECT count(full_name) FROM leads")[1] == [[29]]


def test_there_is_a_call_that_nothing_but_a_kill_ends(data: ScriptData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KILLED_AFTER", 0.5)
    with pytest.raises(QueryFailedError, match="took longer"):
        rows(data, FOREVER)


def test_memory_is_bounded_and_the_next_question_is_answered(data: ScriptData) -> None:
    assert HEAP_BYTES < 30_000 * 99_000
    with pytest.raises(QueryFailedError, match="memory"):
        rows(data, HUGE)
    assert rows(data, "SELECT count(*) FROM leads")[1] == [[29]]


def test_json_is_taken_apart(data: ScriptData) -> None:
    assert rows(data, "SELECT value FROM json_each('[1, \"a\"]')")[1] == [[1], ["a"]]
    assert rows(data, "SELECT count(*) FROM leads, json_tree(leads.extra)")[1] == [[29]]


def test_cancelling_ends_a_question_at_once(data: ScriptData) -> None:
    cancelled = threading.Event()
    asked = threading.Event()
    ask = data.ask

    def told(question: dict[str, object]) -> bytes:
        asked.set()
        return ask(question)

    data.ask = told  # type: ignore[method-assign,assignment]

    def cancel() -> None:
        if asked.wait(PATIENCE):
            cancelled.set()

    waiting = threading.Thread(target=cancel)
    waiting.start()
    began = time.monotonic()
    ended = sandbox().run(f'result = query("{FOREVER}")', data, now=NOW, cancelled=cancelled)
    waiting.join()
    assert (ended.status, ended.code) == (ScriptStatus.KILLED, "script_cancelled")
    assert time.monotonic() - began < MOST_SECONDS


def test_a_runs_time_is_over_in_the_middle_of_a_question(data: ScriptData) -> None:
    ended = sandbox().run(f'result = query("{FOREVER}")', data, now=NOW, limits=ScriptLimits(seconds=2.0))
    assert (ended.status, ended.code) == (ScriptStatus.KILLED, "script_timeout")
    assert ended.ms < MOST_SECONDS * 1_000


def test_a_script_may_go_on_after_a_question_that_took_too_long(
    data: ScriptData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_KILLED_AFTER", 1.0)
    source = f'try:\n    query("{FOREVER}")\nexcept ValueError:\n    result = query("SELECT count(*) AS n FROM leads")[0]["n"]'
    ended = sandbox().run(source, data, now=NOW)
    assert (ended.status, ended.result) == (ScriptStatus.OK, "29"), ended.told


ASKS = """
import os, sys
from pathlib import Path
from backend.store.database import Database
from backend.store.queries.turn.script_data import script_data
from tests.sandbox.conftest import NOW, questions
from tests.store.opening import CAMPAIGN
with Database(Path(sys.argv[1])).read() as connection, script_data(connection, CAMPAIGN, NOW, questions) as data:
    data.ask({"op": "query", "sql": "SELECT 1", "params": []})
    print(data._process._process.pid, flush=True)
    data.ask({"op": "query", "sql": sys.argv[2], "params": []})
"""


def asking(path: Path) -> tuple["subprocess.Popen[str]", int]:
    """A program that asks what takes forever, and the process that it asks."""
    started(path, lead_imported(1)).database.close()
    program = subprocess.Popen(
        [sys.executable, "-c", ASKS, str(path), FOREVER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert program.stdout is not None
    return program, int(program.stdout.readline())


def gone(pid: int) -> bool:
    """Whether there is no such process; one that nobody has waited for is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, KILL], ids=["Ctrl-C", "killed"])
def test_nothing_is_left_of_a_question_whose_program_ends(tmp_path: Path, how: signal.Signals) -> None:
    program, asked = asking(tmp_path / "outrider.db")
    program.send_signal(how)
    began = time.monotonic()
    assert program.wait(PATIENCE) != 0
    program.communicate()
    while not gone(asked):
        assert time.monotonic() - began < MOST_SECONDS
        time.sleep(0)
    assert time.monotonic() - began < MOST_SECONDS


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_process_knows_no_secret_and_has_no_file(data: ScriptData, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTRIDER_KEY_OPENAI", "sk-secret")
    process = questions()
    try:
        kind, reply = process.ask(b"S", json.dumps({"tables": {}, "now": NOW}).encode(), seconds=PATIENCE)
        assert kind == b"R"
        assert {"landlock", "limits", "seccomp"} & {*json.loads(reply)["layers"]}
        environment = b""
        with suppress(PermissionError):  # nobody looks into it, if it is not root
            environment = Path(f"/proc/{process._process.pid}/environ").read_bytes()  # type: ignore[attr-defined]
        assert b"secret" not in environment
    finally:
        process.end()
