"""The one door for writing: all or nothing, numbered without gaps, heard of after it is on disk."""

import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backend.domain.events.events import AuditEntry, Event
from backend.store.log import replay, verification
from backend.store.log.chain import GENESIS
from backend.store.log.journal import Journal, TrialJournal, WouldRecordError
from backend.store.log.projections import LostRowError
from backend.store.log.transaction import Committed, StaleStateError
from tests.fakes.clock import START, FakeClock
from tests.fakes.ids import SeededIds
from tests.patience import PATIENCE
from tests.store.opening import (
    CAMPAIGN,
    CREATED,
    dump,
    integrity,
    lead_imported,
    open_journal,
    started,
    task_created,
    write,
)
from tests.stored_rows import all_rows, first_row


class UnluckyError(Exception):
    """Something goes wrong in the middle."""


def assert_sound(journal: Journal) -> None:
    """Every invariant of the store, after whatever happened."""
    reports = journal.database.query(verification.verify)
    assert [report.broken for report in reports] == [None] * len(reports)
    assert replay.find_differences(journal.database) == []
    journal.database.close()
    assert integrity(journal.database.path) == "ok"


# --- all or nothing ---------------------------------------------------------------------------------------------------


def test_an_exception_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    heard: list[Committed] = []
    journal.subscribe(heard.append)
    before = dump(journal.database.path)
    with pytest.raises(UnluckyError), journal.transaction() as transaction:  # noqa: PT012
        transaction.record(CAMPAIGN, [lead_imported(1), task_created(1)], actor="a", cause="c", at=START)
        transaction.audit(CAMPAIGN, [AuditEntry("looked", {})], actor="a", cause="c", at=START)
        transaction.record("workspace", [Event("ConfigSet", "k", {"value": "v"})], actor="a", cause="c", at=START)
        raise UnluckyError
    assert dump(journal.database.path) == before
    assert heard == []
    assert journal.commits == 1
    write(journal, lead_imported(1))
    assert [event.event.entity_id for committed in heard for event in committed.events] == ["lead-1"]
    assert_sound(journal)


def test_a_trial_leaves_nothing_and_tells_whether_it_would_have(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    heard: list[Committed] = []
    journal.subscribe(heard.append)
    before = dump(journal.database.path)
    trial = TrialJournal(journal)
    with trial.transaction() as transaction:
        transaction.connection.execute("UPDATE campaigns SET name='another'")
    with pytest.raises(WouldRecordError), trial.transaction() as transaction:
        transaction.record(CAMPAIGN, [lead_imported(1)], actor="a", cause="c", at=START)
    assert (dump(journal.database.path), heard) == (before, [])
    assert_sound(journal)


@pytest.mark.parametrize(
    "bad", [lead_imported(1), Event("LeadAdvanced", "lead-9", {"status": "x"}), Event("Nothing", "x", {})]
)
def test_one_bad_event_takes_its_whole_transaction_with_it(tmp_path: Path, bad: Event) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    with pytest.raises(Exception):  # noqa: B017, PT011 - each is bad in its own way
        write(journal, lead_imported(2), bad, lead_imported(3), audits=[AuditEntry("x", {})])
    with journal.database.read() as connection:
        assert [row[0] for row in connection.execute("SELECT id FROM leads")] == ["lead-1"]
        assert connection.execute("SELECT count(*) FROM audit_log").fetchone() == (0,)
    write(journal, lead_imported(2))
    assert_sound(journal)


def test_a_keyboard_interrupt_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    with pytest.raises(KeyboardInterrupt), journal.transaction() as transaction:  # noqa: PT012
        transaction.record(CAMPAIGN, [lead_imported(1)], actor="a", cause="c", at=START)
        raise KeyboardInterrupt
    write(journal, lead_imported(2))
    assert [row[0] for row in journal.database.query(all_rows, "SELECT id FROM leads")] == ["lead-2"]
    assert_sound(journal)


# --- numbers ----------------------------------------------------------------------------------------------------------


def test_numbers_have_no_gaps_in_each_campaign_when_four_threads_write_to_two(tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "o.db")
    for campaign in ("camp-1", "camp-2"):
        write(journal, CREATED._replace(entity_id=campaign), campaign=campaign)
    each = 25

    def work(thread: int) -> None:
        campaign = f"camp-{thread % 2 + 1}"
        for number in range(each):
            lead = lead_imported(thread * 1_000 + number)
            audits = [AuditEntry("looked", {"thread": thread})] * (number % 3)
            write(journal, lead, audits=audits, campaign=campaign)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    with journal.database.read() as connection:
        for campaign in ("camp-1", "camp-2"):
            for log in ("event_log", "audit_log"):
                numbers = [
                    r[0]
                    for r in connection.execute(f"SELECT seq FROM {log} WHERE campaign_id=? ORDER BY seq", (campaign,))
                ]
                assert numbers == list(range(1, len(numbers) + 1))
            assert connection.execute("SELECT count(*) FROM leads WHERE campaign_id=?", (campaign,)).fetchone() == (50,)
    assert journal.commits == 102
    assert_sound(journal)


def test_a_rolled_back_transaction_uses_up_no_number(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    for number in range(5):
        with pytest.raises(UnluckyError), journal.transaction() as transaction:  # noqa: PT012
            transaction.record(CAMPAIGN, [lead_imported(number)], actor="a", cause="c", at=START)
            raise UnluckyError
        write(journal, lead_imported(number))
    with journal.database.read() as connection:
        assert [row[0] for row in connection.execute("SELECT seq FROM event_log ORDER BY seq")] == [1, 2, 3, 4, 5, 6]
    assert_sound(journal)


def test_order_is_by_sequence_and_not_by_the_clock(tmp_path: Path) -> None:
    journal, clock = started(tmp_path / "o.db"), FakeClock()
    for number, jump in enumerate((0, -86_400_000, 86_400_000, -1)):
        clock.advance(jump)
        journal.record(CAMPAIGN, events=[lead_imported(number)], actor="a", cause="c", at=clock.now())
    rows = journal.database.query(all_rows, "SELECT entity_id, timestamp FROM event_log WHERE seq>1 ORDER BY seq")
    assert [row[0] for row in rows] == ["lead-0", "lead-1", "lead-2", "lead-3"]
    assert rows[1][1] < rows[0][1]
    assert_sound(journal)


# --- stale state ------------------------------------------------------------------------------------------------------


def hashes(journal: Journal) -> list[bytes]:
    return [row[0] for row in journal.database.query(all_rows, "SELECT hash FROM event_log ORDER BY seq")]


def test_another_event_of_the_same_number_is_another_state(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    with pytest.raises(StaleStateError), journal.transaction() as transaction:
        transaction.expect(CAMPAIGN, 1, GENESIS)


def test_a_decision_on_stale_state_is_not_written(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    before, now = hashes(journal)
    with pytest.raises(StaleStateError), journal.transaction() as transaction:  # noqa: PT012
        transaction.expect(CAMPAIGN, 1, before)
        transaction.record(CAMPAIGN, [lead_imported(2)], actor="a", cause="c", at=START)
    with journal.transaction() as transaction:
        transaction.expect(CAMPAIGN, 2, now)
        transaction.record(CAMPAIGN, [lead_imported(2)], actor="a", cause="c", at=START)
    assert journal.database.query(first_row, "SELECT event_seq FROM log_heads") == (3,)


def test_of_several_decisions_on_the_same_state_exactly_one_is_written(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    barrier, (first,) = threading.Barrier(4), hashes(journal)

    def decide(thread: int) -> bool:
        barrier.wait()
        try:
            with journal.transaction() as transaction:
                transaction.expect(CAMPAIGN, 1, first)
                transaction.record(CAMPAIGN, [lead_imported(thread)], actor="a", cause="c", at=START)
        except StaleStateError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(decide, range(4))) == [False, False, False, True]
    assert_sound(journal)


def test_a_new_stream_begins_at_nothing(tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "o.db")
    with journal.transaction() as transaction:
        transaction.expect("camp-1", 0, GENESIS)
        transaction.record("camp-1", [CREATED], actor="a", cause="c", at=START)
        transaction.expect("camp-1", 1, transaction.head("camp-1").event_hash)
    assert_sound(journal)


# --- listeners --------------------------------------------------------------------------------------------------------


def test_listeners_hear_of_a_transaction_after_it_is_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    journal = started(path)
    seen: list[tuple[int, int]] = []

    def look(committed: Committed) -> None:
        other = sqlite3.connect(path)
        seen.append((committed.seq, other.execute("SELECT max(seq) FROM event_log").fetchone()[0]))
        other.close()

    journal.subscribe(look)
    for number in range(3):
        write(journal, lead_imported(number))
    assert seen == [(2, 2), (3, 3), (4, 4)]


def test_listeners_hear_exactly_what_was_written_in_order_until_they_leave(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    heard: list[Committed] = []
    leave = journal.subscribe(heard.append)
    write(journal, lead_imported(1), lead_imported(2), audits=[AuditEntry("x", {})] * 2)
    write(journal, audits=[AuditEntry("x", {})])
    leave()
    write(journal, lead_imported(3))
    first, second = heard
    assert (first.campaign_id, first.seq, first.audit_seq) == (CAMPAIGN, 3, 2)
    assert [(r.seq, r.event.entity_id, r.actor, r.cause, r.timestamp) for r in first.events] == [
        (2, "lead-1", "test", "a test", START),
        (3, "lead-2", "test", "a test", START),
    ]
    assert (second.seq, second.audit_seq, second.events) == (3, 3, ())


def test_a_transaction_over_two_streams_is_heard_of_once_for_each(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    heard: list[Committed] = []
    journal.subscribe(heard.append)
    with journal.transaction() as transaction:
        transaction.record(CAMPAIGN, [lead_imported(1)], actor="a", cause="c", at=START)
        transaction.record("workspace", [Event("ConfigSet", "k", {"value": "v"})], actor="a", cause="c", at=START)
    assert sorted((committed.campaign_id, committed.seq) for committed in heard) == [("camp-1", 2), ("workspace", 1)]
    assert_sound(journal)


def test_every_listener_hears_commits_in_their_order_even_from_several_threads(tmp_path: Path) -> None:
    """A first listener that is slow once must not let the second hear the later commit before the earlier one."""
    journal = started(tmp_path / "o.db")
    slow_one_is_in, order = threading.Event(), list[int]()

    def slow(committed: Committed) -> None:
        if committed.seq == 2:
            slow_one_is_in.set()
            time.sleep(0.3)

    journal.subscribe(slow)
    journal.subscribe(lambda committed: order.append(committed.seq))
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(write, journal, lead_imported(1))
        assert slow_one_is_in.wait(PATIENCE)
        second = threads.submit(write, journal, lead_imported(2))
        first.result()
        second.result()
    assert order == [2, 3]


# --- readers ----------------------------------------------------------------------------------------------------------


def test_readers_see_only_what_is_committed(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")

    def leads() -> int:
        return int(journal.database.query(first_row, "SELECT count(*) FROM leads")[0])

    with journal.transaction() as transaction:
        transaction.record(CAMPAIGN, [lead_imported(1)], actor="a", cause="c", at=START)
        assert transaction.connection.execute("SELECT count(*) FROM leads").fetchone() == (1,)
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(leads).result() == 0
        assert leads() == 0
    assert leads() == 1


def test_a_reader_sees_one_moment_however_long_it_looks(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    with journal.database.read() as connection:
        assert connection.execute("SELECT count(*) FROM leads").fetchone() == (1,)
        write(journal, lead_imported(2))
        assert connection.execute("SELECT count(*) FROM leads").fetchone() == (1,)
        assert journal.database.query(first_row, "SELECT event_seq FROM log_heads") == (2,)
    assert journal.database.query(first_row, "SELECT count(*) FROM leads") == (2,)


def test_the_version_differs_after_every_commit_whoever_made_it_and_only_then(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db", lead_imported(1))
    database = journal.database
    before = database.version()
    database.query(first_row, "SELECT count(*) FROM leads")
    with database.write() as connection:
        connection.execute("SELECT count(*) FROM leads").fetchone()
    with pytest.raises(LostRowError):
        write(journal, lead_imported(2), Event("LeadNoted", "nobody", {"notes": "x"}))
    assert database.version() == before is not None
    with journal.transaction() as transaction:
        asked_within = database.version()
        transaction.record(CAMPAIGN, [lead_imported(2)], actor="a", cause="c", at=START)
    assert asked_within == before
    assert database.version() == before.after_commit() != before
    own_version = database.version()
    with sqlite3.connect(database.path) as other:
        other.execute("UPDATE leads SET notes='x'")
    other.close()
    assert database.version() != own_version


def test_the_version_is_not_told_within_a_read_or_while_another_thread_writes(tmp_path: Path) -> None:
    database = started(tmp_path / "o.db").database
    with database.read():
        assert database.version() is None
    with database.write(), ThreadPoolExecutor(1) as threads:
        assert threads.submit(database.version).result() is None
    assert database.version() is not None


def test_logs_and_rows_agree_at_every_moment_that_a_reader_sees(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    stop, torn = threading.Event(), list[tuple[int, int, int]]()

    def watch() -> int:
        looks = 0
        while not stop.is_set():
            with journal.database.read() as connection:
                events = connection.execute("SELECT count(*) FROM event_log").fetchone()[0]
                leads = connection.execute("SELECT count(*) FROM leads").fetchone()[0]
                head = connection.execute("SELECT event_seq FROM log_heads").fetchone()[0]
            if not events == leads + 1 == head:
                torn.append((events, leads, head))
            looks += 1
        return looks

    with ThreadPoolExecutor(2) as threads:
        watchers = [threads.submit(watch) for _ in range(2)]
        for number in range(40):
            write(journal, lead_imported(2 * number), lead_imported(2 * number + 1))
        stop.set()
        assert sum(watcher.result() for watcher in watchers) > 0
    assert torn == []


@pytest.mark.parametrize(
    "sql", ["DELETE FROM leads", "INSERT INTO config_kv VALUES ('w','k','v')", "CREATE TABLE x(y)"]
)
def test_a_reader_cannot_write(tmp_path: Path, sql: str) -> None:
    journal = started(tmp_path / "o.db")
    with pytest.raises(Exception, match=r"readonly|is read-only"), journal.database.read() as connection:
        connection.execute(sql)
    write(journal, lead_imported(1))


def test_every_commit_is_on_disk_before_it_is_acknowledged(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    with journal.database.write() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_a_row_of_a_campaign_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    journal = started(tmp_path / "o.db")
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        write(journal, lead_imported(1), campaign="camp-9")


def test_what_was_written_is_there_after_opening_again(tmp_path: Path) -> None:
    path = tmp_path / "o.db"
    started(path, lead_imported(1)).database.close()
    before = dump(path)
    journal = open_journal(path, "another seed")
    write(journal, lead_imported(2))
    assert_sound(journal)
    after = dump(path)
    assert [row for row in after["event_log"] if row[1] <= 2] == before["event_log"]
    assert len(after["event_log"]) == 3


# --- the fakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [SeededIds.new, SeededIds.salt])
def test_the_same_seed_gives_the_same_ids_and_salts(make: Callable[[SeededIds], object]) -> None:
    first, same, other = SeededIds("a"), SeededIds("a"), SeededIds("b")
    first_ids, same_ids, others = ([make(ids) for _ in range(50)] for ids in (first, same, other))
    assert first_ids == same_ids
    assert len(set(first_ids)) == 50
    assert not set(first_ids) & set(others)


def test_seeded_ids_sort_in_the_order_of_asking() -> None:
    ids = SeededIds()
    made = [ids.new() for _ in range(1_200)]
    assert made == sorted(made)
    assert {len(id_) for id_ in made} == {26}


def test_the_fake_clock_goes_where_it_is_told() -> None:
    clock, wake = FakeClock(), threading.Event()
    clock.sleep_until(START + 500, wake)
    assert (clock.now(), clock.ticks(), clock.sleeps) == (START + 500, 500_000, [START + 500])
    clock.sleep_until(START, wake)
    wake.set()
    clock.sleep_until(START + 9_000, wake)
    assert clock.now() == START + 500
    assert clock.sleeps == [START + 500, START, START + 9_000]
