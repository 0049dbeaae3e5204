"""What is erased for good is nowhere any more: not in the logs, the rows, the file, its write-ahead log, the shared store."""

import contextlib
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.commands.requests import RequestCommands
from backend.domain.turn.request import Attachment
from backend.domain.values.errors import OutriderError
from backend.store.log import replay, verification
from backend.store.log.historical_database import HistoricalDatabase
from tests.fakes.campaign import Stage
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject
from tests.runtime.assistant.conftest import Saying, Talk, saying
from tests.runtime.sync.conftest import CAMPAIGN, Machine

WORD = "ZEBRA"
ANSWER = f"{WORD} the second"


def files_with(folder: Path, word: str) -> list[str]:
    """The files below a folder in which the word is, anywhere, in whatever case."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.name for path in files if word.lower().encode() in path.read_bytes().lower())


def assert_sound(stage: Stage) -> None:
    assert replay.find_differences(stage.database) == []
    with stage.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []


@pytest.fixture
def talked(talk: Talk) -> Talk:
    """Words of the user's and of the model's in all places where they can get to."""
    stage = talk.stage
    stage.runner(stop_after=9).run(talk.campaign)
    talk.tell(f"list my {WORD} artifacts", Attachment(f"{WORD}.txt", f"{WORD} plans " * 2_000))
    asking = saying("request_user_input", question=f"Which {WORD}?", kind="choice", choices=[ANSWER, "none"])
    request = talk.ask(f"do it {WORD}")
    talk.work(request, Saying([asking]))
    talk.answer(ANSWER)
    talk.work(request, Saying([saying("no_op", say=f"{WORD}, as you said.")]))
    talk.tell("now this", proposer=Saying([f"no proposal at all, {WORD}"]))
    keeping = saying("persist_artifact", artifact_type="custom", key="plan", content=f"{WORD} kept")
    talk.work(talk.ask(f"keep {WORD}"), Saying([keeping]))
    return talk


def test_no_word_of_it_is_left_on_the_disk(talked: Talk) -> None:
    stage = talked.stage
    folder = stage.database.path.parent
    assert files_with(folder, WORD) == ["outrider.db-wal"], "nothing was copied into the file yet"
    stage.database.checkpoint()
    assert "outrider.db" in files_with(folder, WORD)
    before = {table: len(rows) for table, rows in stage.dump(skip=()).items()}
    assert talked.stage.commands().requests.erase(talked.campaign) > 20
    assert files_with(folder, WORD) == []
    after = {table: len(rows) for table, rows in stage.dump(skip=()).items()}
    grown = {table for table in before if before[table] != after[table]}
    assert grown <= {"event_log", "conversations", "erasures", "erased_evidence"}, "every other row keeps its place"
    assert_sound(stage)


def test_it_is_left_out_by_replay_rebuilding_and_time_travel(talked: Talk) -> None:
    stage = talked.stage
    stage.commands().requests.erase(talked.campaign)
    before = stage.dump()
    replay.rebuild(stage.database)
    assert stage.dump() == before
    assert WORD not in repr(before)
    head = stage.head(talked.campaign)[0]
    with contextlib.closing(HistoricalDatabase(stage.database, talked.campaign)) as past:
        for seq in range(1, head + 1):
            while not past.seek_some(seq):
                pass
            dumped = [past.scratch.execute(f"SELECT * FROM {table}").fetchall() for table in replay.PROJECTIONS]
            assert WORD not in repr(dumped), seq


def test_the_campaign_goes_on_and_the_conversation_begins_anew(talked: Talk) -> None:
    stage = talked.stage
    stage.commands().requests.erase(talked.campaign)
    request = talked.tell("hello", proposer=Saying([saying("no_op", say="Hi.")]))
    assert talked.status(request) == ("done", "")
    stage.commands().requests.restore(talked.campaign)
    hidden, lines = stage.query(
        "SELECT conversation_from, (SELECT min(line) FROM conversations WHERE request_id=?) FROM campaigns", request
    )[0]
    assert hidden == lines - 1, "what was erased is not shown again"
    stage.run(talked.campaign)
    assert stage.status(talked.campaign) == "completed"
    assert_sound(stage)


def test_erased_twice_is_erased_once(talked: Talk) -> None:
    talked.stage.commands().requests.erase(talked.campaign)
    head = talked.stage.head(talked.campaign)
    assert talked.stage.commands().requests.erase(talked.campaign) == 0
    assert talked.stage.head(talked.campaign) == head


def test_what_waits_for_the_user_ends_and_what_the_assistant_works_on_is_not_erased_under_it(talk: Talk) -> None:
    requests = talk.stage.commands().requests
    working = talk.ask(f"do it {WORD}")
    with pytest.raises(OutriderError) as refused:
        requests.erase(talk.campaign)
    assert refused.value.code == "assistant_works"
    talk.work(working, Saying([saying("request_user_input", question=f"Which {WORD}?", kind="text")]))
    requests.erase(talk.campaign)
    assert talk.status(working)[0] == "blocked"
    assert talk.stage.query("SELECT status FROM input_requests WHERE task_id=?", working) == [("withdrawn",)]
    assert files_with(talk.stage.database.path.parent, WORD) == []


def test_the_campaigns_own_words_stay(talked: Talk) -> None:
    """Only turns for requests lose their replies: what the campaign's own turns said is on record as before."""
    stage = talked.stage
    own = {f"t{n}" for (n,) in stage.query("SELECT number FROM turn_projection WHERE request_id IS NULL")}
    entries = [row for row in stage.query("SELECT cause, seq, payload FROM audit_log ORDER BY seq") if row[0] in own]
    stage.commands().requests.erase(talked.campaign)
    assert entries
    rows = stage.query("SELECT cause, seq, payload FROM audit_log ORDER BY seq")
    assert [row for row in rows if row[0] in own] == entries
    assert stage.query("SELECT 1 FROM audit_log WHERE payload='{}' AND salt IS NULL")


@pytest.mark.parametrize("reader", [False, True])
def test_a_reader_in_the_way_puts_the_write_ahead_log_off_and_not_for_ever(stage: Stage, reader: bool) -> None:
    talk = Talk(stage, stage.campaign(2))
    talk.tell(f"{WORD}, hello", proposer=Saying([saying("no_op", say="Hi.")]))
    folder = stage.database.path.parent
    stage.outside.execute("BEGIN")
    if reader:
        stage.outside.execute("SELECT count(*) FROM tasks").fetchone()
    stage.commands().requests.erase(talk.campaign)
    assert bool(files_with(folder, WORD)) is reader
    stage.outside.execute("COMMIT")
    stage.database.checkpoint()
    assert files_with(folder, WORD) == []


# --- several devices ---


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[FakeProject, Machine, Machine]]:
    """Two devices in sync, and a conversation that both have."""
    clock = FakeClock()
    project = FakeProject(lambda: clock.now() / 1_000)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    here, there = (Machine(tmp_path / name, name, project, clock) for name in ("here", "there"))
    here.campaign()
    say(here, f"{WORD} one")
    for machine in (here, there):
        machine.engine.run_round()
    yield project, here, there
    here.close()
    there.close()


def say(machine: Machine, text: str) -> None:
    """A plain command, and a request that ends at once."""
    requests = RequestCommands(machine.journal, machine.clock)
    requests.record_plain_command(CAMPAIGN, text, key=f"plain{len(machine.logs())}")
    request = requests.begin(CAMPAIGN, text, [Attachment("a", text)], key=f"key{len(machine.logs())}")
    requests.abandon(CAMPAIGN, request, f"Ended: {text}", "ended")


def erase(machine: Machine) -> None:
    RequestCommands(machine.journal, machine.clock).erase(CAMPAIGN)


def test_the_shared_store_and_the_other_device_erase_too(machines: tuple[FakeProject, Machine, Machine]) -> None:
    project, here, there = machines
    assert files_with(there.folder, WORD)
    assert WORD.encode() in pickle.dumps(project.users)
    erase(here)
    here.engine.run_round()
    assert WORD.encode() not in pickle.dumps(project.users)
    there.engine.run_round()
    for machine in (here, there):
        assert files_with(machine.folder, WORD) == []
        machine.check()
    assert here.logs() == there.logs()


def test_a_device_that_was_offline_erases_when_it_comes_back(machines: tuple[FakeProject, Machine, Machine]) -> None:
    """And so does the store with what is erased by a device that was offline, whoever came first meanwhile."""
    project, here, there = machines
    there.shared_store.offline = True
    erase(there)
    say(there, "later")
    here.configure("meanwhile", "1")
    say(here, "between")
    here.engine.run_round()
    assert WORD.encode() in pickle.dumps(project.users)
    there.shared_store.offline = False
    for machine in (there, here, there, here):
        machine.engine.run_round()
    assert WORD.encode() not in pickle.dumps(project.users)
    for machine in (here, there):
        assert files_with(machine.folder, WORD) == []
        machine.check()
    assert here.logs() == there.logs()


def test_what_left_the_log_behind_another_devices_entries_is_erased_with_it(
    machines: tuple[FakeProject, Machine, Machine],
) -> None:
    """Kept for the user's choice, it would otherwise hold the words for ever."""
    _, here, there = machines
    there.shared_store.offline = True
    say(there, f"{WORD} two")
    say(here, f"{WORD} three")
    here.engine.run_round()
    there.shared_store.offline = False
    there.engine.run_round()
    with there.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM rebase_queue_entries WHERE entity_type='line'").fetchone()[0]
    erase(there)
    for machine in (there, here, there):
        machine.engine.run_round()
    for machine in (here, there):
        assert files_with(machine.folder, WORD) == []
        machine.check()
