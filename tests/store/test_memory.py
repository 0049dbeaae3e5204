"""What the database takes in memory does not grow with the file: in a long run, and while it is written anew."""

import subprocess
import sys
from pathlib import Path

import pytest

from backend.domain.values.errors import OutriderError
from backend.store.database import Database
from tests.store.opening import CREATED, lead_imported, open_journal, write

ROOT = Path(__file__).parents[2]
BEFORE = """
import os, resource, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from backend.domain.values.errors import OutriderError
from backend.store import database as databases
from backend.store.database import Database
from backend.store.log import heads_file
from tests.store.opening import CREATED, lead_imported, open_journal, write

def peak_mb():
    if sys.platform == "linux":  # where the other one is at least that of the process that started this one
        (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) / 1_000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000)

path = Path(sys.argv[1])
"""
LONG_RUN = """
from backend.adapters.ids import SystemIds
from backend.store.log.journal import Journal
heads_file.MEMORY_SECONDS = 0.0
database = Database(path)
journal = Journal(database, SystemIds(), heads_file.HeadsKeeper(database, every_seconds=0.0))
write(journal, CREATED)
words = "x" * 8_000
for number in range(20_000):
    if number == 100:
        before = peak_mb()
    write(journal, lead_imported(number, headline=words))
    if path.stat().st_size > 20_000_000:
        break
print(peak_mb() - before)
"""
WRITTEN_ANEW = """
databases.WRITER_CACHE_KIB = 2_000
database = Database(path)
with database.write() as connection:
    connection.execute("CREATE TABLE large (id INTEGER PRIMARY KEY, words TEXT)")
    for number in range(40_000):
        connection.execute("INSERT INTO large(words) VALUES (?)", (os.urandom(500).hex(),))
before = peak_mb()
database.compact()
print(peak_mb() - before)
"""
REFUSED = """
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
try:
    Database(path).compact()
except OutriderError as error:
    print(error.code, flush=True)
os._exit(0)
"""


def printed(path: Path, program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", BEFORE + program, str(path), str(ROOT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.posix
@pytest.mark.parametrize(("program", "most_mb"), [(LONG_RUN, 5), (WRITTEN_ANEW, 10)], ids=["long run", "written anew"])
def test_what_was_written_stays_in_no_memory(tmp_path: Path, program: str, most_mb: int) -> None:
    assert float(printed(tmp_path / "o.db", program)) < most_mb


@pytest.mark.posix
@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_file_that_the_disk_has_no_room_to_write_anew_stays_as_it_was(tmp_path: Path, part: float) -> None:
    path = tmp_path / "o.db"
    journal = open_journal(path, "filled")
    write(journal, CREATED)
    for number in range(200):
        write(journal, lead_imported(number, headline="x" * 2_000))
    journal.database.close()
    assert printed(path, REFUSED, str(int(path.stat().st_size * part))) in {"database_full", "database_unread"}
    assert not list(tmp_path.glob("*.compacting*"))
    database = Database(path)
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM leads").fetchone() == (200,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.compact()
    database.close()


def test_a_file_is_not_written_anew_while_another_program_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    database, other = Database(path, busy_seconds=0.1), Database(path)
    with other.write() as connection:
        connection.execute("CREATE TABLE of_another (one TEXT)")
        with pytest.raises(OutriderError) as refused:
            database.compact()
    assert refused.value.code == "database_locked"
    assert not list(tmp_path.glob("*.compacting*"))
    database.compact()
    database.close()
    other.close()
