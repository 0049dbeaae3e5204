"""A locked, read-only, full or damaged database: a coded error, nothing half-written, never silently wrong data."""

import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from backend.domain.events.events import AuditEntry
from backend.domain.model.task import ActionFamily
from backend.domain.values.errors import OutriderError
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.contact import actions
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.leads import scored_leads
from tests.fakes.clock import START
from tests.patience import PATIENCE
from tests.posix import longest_file
from tests.store.opening import (
    CAMPAIGN,
    dump,
    integrity,
    lead_imported,
    open_journal,
    schema,
    started,
    task_created,
    write,
)

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65_534

pytestmark = pytest.mark.posix  # modes, users and limits

# --- locked -----------------------------------------------------------------------------------------------------------

_HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
if sys.argv[2] == "alone":
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("CREATE TABLE IF NOT EXISTS held(x)")
print("held", flush=True)
input()
connection.execute("ROLLBACK")
"""


class Holder:
    """Another process that holds the database until it is let go."""

    def __init__(self, path: Path, how: str = "") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(path), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "held\n"

    def __enter__(self) -> "Holder":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate("\n", timeout=PATIENCE)


def test_a_write_while_another_process_holds_the_database_is_refused_as_locked(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    started(path).database.close()
    journal = open_journal(path, "second", busy_seconds=0.05)
    with Holder(path):
        with pytest.raises(OutriderError) as refused:
            write(journal, lead_imported(1))
        assert refused.value.code == "database_locked"
        assert str(path) in refused.value.sentence
        with journal.database.read() as connection:  # reading goes on
            assert connection.execute("SELECT count(*) FROM campaigns").fetchone() == (1,)
    write(journal, lead_imported(1))
    assert replay.find_differences(journal.database) == []


def test_a_database_that_another_process_keeps_for_itself_is_refused_as_locked(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    started(path).database.close()
    with Holder(path, "alone"), pytest.raises(OutriderError) as refused:
        Database(path, busy_seconds=0.05)
    assert refused.value.code == "database_locked"
    Database(path).close()


def test_a_new_file_that_another_process_is_making_is_refused_as_locked(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    with Holder(path), pytest.raises(OutriderError) as refused:
        Database(path, busy_seconds=0.05)
    assert refused.value.code == "database_locked"
    Database(path).close()


def test_a_writer_waits_for_its_turn_instead_of_failing(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    first = started(path)
    other = open_journal(path, "second", busy_seconds=10)
    for number in range(20):
        write(first if number % 2 else other, lead_imported(number))
    assert replay.find_differences(first.database) == []


def test_two_programs_that_write_at_once_both_get_their_turn(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    started(path).database.close()
    two = [open_journal(path, "one", busy_seconds=30), open_journal(path, "two", busy_seconds=30)]

    def work(which: int) -> None:
        for number in range(25):
            write(two[which], lead_imported(which * 1_000 + number))

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(work, range(2)))
    with two[0].database.read() as connection:
        assert connection.execute("SELECT event_seq FROM log_heads").fetchone() == (51,)
        assert [report.broken for report in verification.verify(connection)] == [None, None]
    assert replay.find_differences(two[1].database) == []


# --- read-only --------------------------------------------------------------------------------------------------------

_TRY = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from backend.domain.values.errors import OutriderError
from tests.store.opening import open_journal, write, lead_imported
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    journal = open_journal(Path(sys.argv[1]), "nobody")
    print("opened", flush=True)
    write(journal, lead_imported(99))
    print("written")
except OutriderError as error:
    print(error.code)
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user may enter; pytest's own is private."""
    folder = Path(tempfile.mkdtemp(prefix="outrider-test-"))
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(folder)


def _as_nobody(path: Path) -> list[str]:
    process = subprocess.run(
        [sys.executable, "-c", _TRY, str(path), str(ROOT)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.split()


@pytest.mark.parametrize("mode", ["file", "folder", "both", "unreadable"])
def test_a_database_that_may_not_be_written_is_refused_by_name(shared: Path, mode: str) -> None:
    path = shared / "o.db"
    started(path, lead_imported(1)).database.close()
    path.chmod({"unreadable": 0o000, "folder": 0o666}.get(mode, 0o444))
    shared.chmod(0o777 if mode == "file" else 0o555)
    lines = _as_nobody(path)
    assert lines[-1] == "database_read_only"
    shared.chmod(0o755)
    path.chmod(0o644)
    assert len(dump(path)["leads"]) == 1
    assert integrity(path) == "ok"


def test_a_new_database_in_a_folder_that_may_not_be_written_is_refused_by_name(shared: Path) -> None:
    shared.chmod(0o555)
    assert _as_nobody(shared / "o.db") == ["database_read_only"]


# --- full -------------------------------------------------------------------------------------------------------------


def test_a_full_database_is_refused_by_name_and_nothing_is_half_written(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    journal = started(path)
    with journal.database.write() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages + 12}")
    written = 0
    with pytest.raises(OutriderError) as refused:  # noqa: PT012 - until it is full
        for number in range(1_000):
            events = lead_imported(number, headline="x" * 500), task_created(number)
            write(journal, *events, audits=[AuditEntry("looked", {"n": number})])
            written += 1
    assert refused.value.code == "database_full"
    assert written > 0
    with journal.database.read() as connection:
        for table in ("leads", "tasks", "audit_log"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (written,)
        assert [report.broken for report in verification.verify(connection)] == [None, None]
    assert replay.find_differences(journal.database) == []
    with journal.database.write() as connection:
        connection.execute("PRAGMA max_page_count=1000000")
    write(journal, lead_imported(5_000))
    assert replay.find_differences(journal.database) == []
    journal.database.close()
    assert integrity(path) == "ok"


_FILL = """
import resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from backend.domain.values.errors import OutriderError
from tests.store.opening import open_journal, write, lead_imported, task_created
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
written = 0
try:
    journal = open_journal(Path(sys.argv[1]), "filling")
    for number in range(1_000):
        write(journal, lead_imported(number, headline="x" * 500), task_created(number))
        written += 1
except OutriderError as error:
    print(error.code, written, flush=True)
import os
os._exit(0)
"""


@pytest.mark.parametrize("spare", [5_000, 20_000, 61_000, 100_000, 177_777])
def test_a_write_that_the_disk_refuses_is_a_coded_error_and_loses_nothing_acknowledged(
    tmp_path: Path, spare: int
) -> None:
    """The process may not make files longer than a limit: SQLite gets an I/O error at some write, wherever that is."""
    path = tmp_path / "o.db"
    started(path).database.close()
    limit = path.stat().st_size + spare
    assert longest_file() > limit
    process = subprocess.run(
        [sys.executable, "-c", _FILL, str(path), str(ROOT), str(limit)], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    code, written = process.stdout.split()
    assert code in {"database_full", "database_unread"}
    database = Database(path)
    with database.read() as connection:
        leads = connection.execute("SELECT count(*) FROM leads").fetchone()[0]
        assert connection.execute("SELECT count(*) FROM tasks").fetchone() == (leads,)
        assert int(written) <= leads <= int(written) + 1
        assert [report.broken for report in verification.verify(connection)] == [None, None]
    assert replay.find_differences(database) == []
    database.close()
    assert integrity(path) == "ok"


_ERASE = """
import os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from backend.domain.events.events import Event
from tests.fakes.campaign import Stage
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
stage = Stage(Path(sys.argv[1]), people=5)
campaign = stage.campaign(3)
stage.database.checkpoint()
heard = []
stage.journal.subscribe(lambda _: heard.append("heard"))
text = "words " * 400
person = {"profile_url": "", "job_title": text, "position": 1, "import_id": "i1"}
more = [Event("LeadImported", f"l{n}", {"full_name": f"Ada {n}", "member_key": f"a{n}", **person}) for n in range(8)]
stage.journal.record(campaign, events=more, actor="user", cause="import", at=stage.clock.now())
size = stage.path.stat().st_size
assert stage.path.with_name("outrider.db-wal").stat().st_size < size  # what is not in the file yet does not fit into it
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
heard.clear()
print(stage.commands().people.erase(campaign, "l7").leads, *set(heard), flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
stage.database.checkpoint()
wal = stage.path.with_name("outrider.db-wal").read_bytes()
print("left" if b"Ada 7" in wal + stage.path.read_bytes() else "gone", flush=True)
os._exit(0)
"""


def test_an_erasure_holds_although_the_disk_refuses_to_empty_the_write_ahead_log_which_the_next_checkpoint_does(
    tmp_path: Path,
) -> None:
    """It is recorded by then: it must not be told as failed, and its words must not stay in that file."""
    process = subprocess.run(
        [sys.executable, "-c", _ERASE, str(tmp_path), str(ROOT)], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == ["1", "heard", "gone"]


# --- damaged ----------------------------------------------------------------------------------------------------------

DAMAGES = 200


UNPROVABLE = {"erased_evidence"}
"""Files this device still has to remove: no log determines them, and a name too many removes no file still named."""


def _everything(path: Path) -> dict[str, Any]:
    """What the program reads: every table, and the reads of a turn, which go by the indexes."""
    database = Database(path)
    try:
        with database.read() as c:
            tables = [table for table in schema() if table not in UNPROVABLE]
            answers: dict[str, Any] = {t: sorted(c.execute(f"SELECT * FROM {t}"), key=repr) for t in tables}
            answers["position"] = campaigns.position(c, CAMPAIGN)
            answers["ready"] = task_queries.ready_tasks(c, CAMPAIGN, START * 2)
            answers["unplanned"] = lead_queries.unplanned_leads(c, CAMPAIGN, 1_000)
            answers["unscored"] = scored_leads.unscored(c, CAMPAIGN, 1_000)
            answers["usage"] = actions.usage(c, "me", ActionFamily.INVITE, START, 0)
            answers["counts"] = (lead_queries.lead_counts(c, CAMPAIGN), task_queries.task_counts(c, CAMPAIGN))
            answers["by member"] = lead_queries.leads_of_members(c, CAMPAIGN, [f"x/{n}" for n in range(60)])
            answers["by lead"] = [task_queries.task_of_lead(c, f"lead-{n}") for n in range(60)]
            return answers
    finally:
        database.close()


def _finds(path: Path) -> bool:
    """Whether `outrider log verify` or `outrider replay --check` find something."""
    database = Database(path)
    try:
        with database.read() as connection:
            broken = any(report.broken for report in verification.verify(connection))
        return broken or bool(replay.find_differences(database))
    finally:
        database.close()


def _sample(path: Path) -> bytes:
    leads = [lead_imported(n, weight_score=n % 7 or None) for n in range(60)]
    tasks = [task_created(n, lead_id=f"lead-{n}", needs="think") for n in range(60)]
    journal = started(path, *leads[:10], *tasks[:10])
    write(journal, *leads[10:], *tasks[10:], audits=[AuditEntry("looked", {"n": n}) for n in range(30)])
    journal.database.close()
    return path.read_bytes()


def _damaged(content: bytes, random: Random) -> bytes:
    spoiled = bytearray(content)
    how = random.randrange(4)
    if how == 0:  # flipped bits
        for _ in range(random.choice((1, 1, 1, 8))):
            spoiled[random.randrange(100, len(spoiled))] ^= 1 << random.randrange(8)
    elif how == 1:  # truncated
        del spoiled[random.randrange(1, len(spoiled)) :]
    elif how == 2:  # a page of random bytes
        at = random.randrange(len(spoiled) // 4_096) * 4_096
        spoiled[at : at + 4_096] = random.randbytes(4_096)
    else:  # a page of zeros, or an old page in the place of another
        at, other = (random.randrange(len(spoiled) // 4_096) * 4_096 for _ in range(2))
        spoiled[at : at + 4_096] = random.choice((bytes(4_096), content[other : other + 4_096]))
    return bytes(spoiled)


def test_a_damaged_database_is_read_right_or_refused_by_name_and_never_silently_wrong(tmp_path: Path) -> None:
    content = _sample(tmp_path / "o.db")
    right = _everything(tmp_path / "o.db")
    path = tmp_path / "damaged.db"
    silent, uncoded, outcomes = [], [], {"right": 0, "refused": 0, "found": 0}
    for seed in range(DAMAGES):
        for old in tmp_path.glob("damaged.db*"):
            old.unlink()
        path.write_bytes(_damaged(content, Random(seed)))
        try:
            if _finds(path):
                outcomes["found"] += 1
                continue
            read = _everything(path)
        except OutriderError:
            outcomes["refused"] += 1
        except Exception as error:  # noqa: BLE001 - each is a finding
            uncoded.append(f"{seed}: {error!r}"[:160])
        else:
            outcomes["right"] += read == right
            wrong = [name for name in right if read[name] != right[name]]
            if wrong:
                silent.append(f"{seed}: {wrong}")
    assert (silent, uncoded) == ([], []), f"of {DAMAGES}, silently wrong: {silent}, errors without a code: {uncoded}"
    assert min(outcomes.values()) > 0, outcomes


def test_a_damaged_write_ahead_log_gives_a_committed_state_and_never_half_of_one(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    journal = started(path)
    states = [_rows(path)]
    for number in range(12):
        write(journal, lead_imported(number), task_created(number), audits=[AuditEntry("looked", {"n": number})])
        states.append(_rows(path))
    content, wal = path.read_bytes(), path.with_name("o.db-wal").read_bytes()
    journal.database.close()
    assert len(wal) > 10_000
    copy = tmp_path / "copy.db"
    for seed in range(60):
        random = Random(seed)
        for old in tmp_path.glob("copy.db*"):
            old.unlink()
        spoiled = bytearray(wal)
        if seed % 3:
            spoiled[random.randrange(len(spoiled))] ^= 1 << random.randrange(8)
        else:
            del spoiled[random.randrange(len(spoiled)) :]
        copy.write_bytes(content)
        copy.with_name("copy.db-wal").write_bytes(spoiled)
        try:
            sound = not _finds(copy)
        except OutriderError:
            continue
        assert sound
        rows = _rows(copy)
        assert rows in states or not rows["event_log"], "a state that was never committed"


def _rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    return dump(path)


def test_random_bytes_are_refused_by_name(tmp_path: Path) -> None:
    for seed in range(20):
        path = tmp_path / f"{seed}.db"
        path.write_bytes(Random(seed).randbytes(5_000))
        with pytest.raises(OutriderError) as refused:
            Database(path)
        assert refused.value.code == "database_corrupt"


def test_a_folder_in_the_place_of_the_database_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(OutriderError) as refused:
        Database(tmp_path)
    assert refused.value.code == "path_unusable"


def test_every_error_of_the_database_says_which_file_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    path.write_bytes(b"x" * 5_000)
    with pytest.raises(OutriderError) as refused:
        Database(path)
    assert str(path) in refused.value.sentence
    assert refused.value.remedy
    assert isinstance(refused.value.__cause__, sqlite3.DatabaseError)
