"""A process that is killed while it writes loses nothing it acknowledged and leaves nothing half."""

import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from backend.store.database import Database
from backend.store.log import replay, verification
from tests.store.opening import dump, integrity, started

ROOT = Path(__file__).resolve().parents[2]
KILLS = 20


def _write_and_kill(path: Path, mode: str, first: int, patience: float) -> int:
    """Run the writer, kill it with SIGKILL, and answer the last number it acknowledged."""
    command = [sys.executable, "-m", "tests.store.writing_process", str(path), mode, str(first)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        if mode == "half":
            line = ""
            while not line.startswith("half"):
                line = writer.stdout.readline()
            writer.kill()
            return int(line.split()[1]) - 1
        time.sleep(patience)
        writer.kill()
        rest = writer.stdout.read().rpartition("\n")[0].splitlines()  # the last line may be cut off
    acknowledged = [int(line.split()[1]) for line in rest if line.startswith("ack ")]
    return max(acknowledged, default=first - 1)


def test_what_was_acknowledged_survives_every_kill_and_nothing_is_half_written(tmp_path: Path) -> None:
    path, random = tmp_path / "o.db", Random(1)
    started(path).database.close()
    written = acknowledged = 0
    for kill in range(KILLS):
        mode = "half" if kill % 2 else "free"
        acknowledged = max(acknowledged, _write_and_kill(path, mode, written + 1, random.uniform(0, 0.06)))
        database = Database(path)
        with database.read() as connection:
            reports = verification.verify(connection)
            leads = {row[0] for row in connection.execute("SELECT position FROM leads")}
            tasks = {int(row[0].removeprefix("task-")) for row in connection.execute("SELECT id FROM tasks")}
            audits = connection.execute("SELECT count(*) FROM audit_log").fetchone()[0]
        differences = replay.find_differences(database)
        database.close()
        assert [report.broken for report in reports] == [None, None]
        assert differences == []
        assert leads == tasks, "a lead without its task is half a transaction"
        assert leads == set(range(1, audits + 1))
        # A commit whose acknowledgement was cut off may be there; one that was acknowledged must be.
        assert acknowledged <= len(leads) <= acknowledged + 1
        written = acknowledged = len(leads)
    assert integrity(path) == "ok"
    assert written >= KILLS // 2


def test_what_another_process_left_in_the_write_ahead_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    started(path).database.close()
    acknowledged = _write_and_kill(path, "half", 1, 0)
    assert acknowledged == 1
    assert path.with_name("o.db-wal").stat().st_size > 0
    assert len(dump(path)["leads"]) == 1
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM tasks").fetchone() == (1,)
    connection.close()
