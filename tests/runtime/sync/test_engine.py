"""Both stores come into step, whatever happens between them."""

import hashlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from typing import Any

import pytest

from backend.adapters.files import content_files
from backend.domain.events.events import EVENT_KINDS, WORKSPACE, AuditEntry, Event
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import (
    Appended,
    Batch,
    LoggedAudit,
    LoggedEvent,
    SharedStoreRefusedError,
    SharedStoreUnreachableError,
    StreamHeads,
)
from backend.ports.sync_status import IN_SYNC
from backend.runtime.sync.push import MOST_ENTRIES
from backend.runtime.worker import LONGEST, Backoff
from backend.store.log.transaction import Transaction
from backend.store.replication import replica
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject, FakeSharedStore
from tests.patience import PATIENCE
from tests.runtime.sync.conftest import CAMPAIGN, ONE_BY_ONE, Machine, Machines, run_rounds
from tests.stored_rows import all_rows, first_row


def test_what_was_here_is_there_and_on_every_other_device(desk: Machine, machines: Machines) -> None:
    desk.configure("theme", "dark")
    desk.campaign()
    for number in range(MOST_ENTRIES + 1):
        desk.configure(f"n{number}", "x")
    desk.engine.run_round()
    assert desk.waiting() == 0
    laptop = machines("Laptop")
    laptop.engine.run_round()
    assert laptop.logs() == desk.logs()
    assert laptop.configured() == desk.configured()


def test_two_workspaces_become_one(desk: Machine, laptop: Machine) -> None:
    desk.configure("desk", "1")
    laptop.configure("laptop", "1")
    laptop.campaign("camp-l")
    run_rounds(desk, laptop, desk)
    assert desk.configured() == laptop.configured() == {"desk": "1", "laptop": "1"}
    assert desk.logs() == laptop.logs()


def test_the_shared_store_s_word_stands_and_what_was_decided_here_is_kept(desk: Machine, laptop: Machine) -> None:
    desk.configure("theme", "dark")
    run_rounds(desk, laptop)
    desk.configure("theme", "light", new=False)
    laptop.configure("theme", "blue", new=False)
    run_rounds(desk, laptop)
    assert laptop.configured() == {"theme": "light"}
    assert laptop.engine.report.state().conflicts == 1
    assert desk.engine.report.state().conflicts == 0


def test_a_round_to_which_nothing_is_new_reads_nothing_until_something_is(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.configure("theme", "dark")
    run_rounds(desk, laptop, desk)  # the last one finds nothing to do
    reads = 0
    read = desk.database.read

    def counted() -> AbstractContextManager[sqlite3.Connection]:
        nonlocal reads
        reads += 1
        return read()

    monkeypatch.setattr(desk.database, "read", counted)
    desk.engine.run_round()
    desk.engine.run_round(poll=False)
    assert reads == 0
    laptop.configure("theme", "light", new=False)
    run_rounds(laptop, desk)
    assert desk.configured() == {"theme": "light"}
    desk.configure("font", "large")
    desk.engine.run_round(poll=False)
    assert desk.waiting() == 0


def test_it_opens_offline_and_what_is_here_is_read(desk: Machine) -> None:
    desk.configure("theme", "dark")
    desk.shared_store.offline = True
    desk.engine.open()
    assert desk.configured() == {"theme": "dark"}
    desk.engine.close(20.0)


def test_offline_everything_waits_and_goes_by_itself(desk: Machine, clock: FakeClock) -> None:
    desk.shared_store.offline = True
    began = clock.now()
    first = desk.engine.run_round()
    clock.advance(60_000)
    desk.configure("theme", "dark")
    assert desk.engine.run_round() > first
    state = desk.engine.report.state()
    assert (state.phase, state.since, state.waiting) == ("offline", began, 1)
    assert desk.configured() == {"theme": "dark"}
    assert "out of reach since 00:00" in desk.engine.describe()
    desk.shared_store.offline = False
    desk.engine.run_round()
    state = desk.engine.report.state()
    assert (state.phase, state.since, state.waiting) == ("in_sync", None, 0)
    assert [status.phase for status in desk.heard][-1] != "offline"


def test_with_locked_keys_it_is_not_out_of_reach_and_goes_on_once_they_are_open(
    desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> list[StreamHeads]:
        raise SharedStoreUnreachableError("a passphrase is needed", code="sign_in_locked")

    with monkeypatch.context() as patched:
        patched.setattr(desk.shared_store, "streams", locked)
        desk.configure("theme", "dark")
        desk.engine.run_round()
        state = desk.engine.report.state()
        assert (state.phase, state.since, state.problem and state.problem.code) == ("locked", None, "sign_in_locked")
        assert "keys are locked" in desk.engine.describe()
        with pytest.raises(OutriderError, match="keys are locked"), desk.engine.hold_lease():
            pass
    desk.engine.run_round()
    assert (desk.engine.report.state().phase, desk.waiting()) == ("in_sync", 0)


@pytest.mark.parametrize("code", ["project_paused", "project_over_quota", "network_sign_in", "network_unreachable"])
def test_why_it_is_offline_is_kept_and_told_until_it_is_back(
    desk: Machine, code: ErrorCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_reach() -> list[StreamHeads]:
        raise SharedStoreUnreachableError("why", code=code)

    with monkeypatch.context() as patched:
        patched.setattr(desk.shared_store, "streams", out_of_reach)
        desk.engine.run_round()
        state = desk.engine.report.state()
        assert (state.phase, state.problem and state.problem.code) == ("offline", code)
        with pytest.raises(OutriderError) as refused, desk.engine.hold_lease():
            pass
        assert refused.value.code == code
    desk.engine.run_round()
    assert desk.engine.report.state().problem is None


@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("news", [True, False])
def test_a_project_that_lost_what_it_had_is_told_and_nothing_is_begun(
    desk: Machine, memory: FakeProject, left: int, news: bool
) -> None:
    desk.configure("theme", "dark")
    desk.configure("size", "1")
    desk.engine.run_round()
    del memory.users["ada"].events[WORKSPACE][left:]  # restored from a backup, or made anew
    if news:
        desk.configure("font", "serif")
    desk.engine.run_round()
    state = desk.engine.report.state()
    assert state.problem is not None
    assert (state.phase, state.problem.code) == ("refused", "shared_store_behind")
    with pytest.raises(OutriderError, match="has lost entries of workspace"), desk.engine.hold_lease():
        pass
    with desk.journal.transaction() as transaction:
        attached = replica.project(transaction.connection)
        assert attached is not None
        replica.detach(transaction, 1)
        replica.attach(transaction, attached)
    desk.engine.run_round()
    assert (desk.engine.report.state().phase, desk.waiting()) == ("in_sync", 0)
    assert desk.configured().keys() >= {"theme", "size"}


@pytest.mark.parametrize("call", ["append", "pull_events"])
def test_an_answer_that_comes_after_detaching_says_nothing_of_the_next_project(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    desk.configure("theme", "dark")
    if call == "pull_events":
        laptop.configure("from", "another project")
        laptop.engine.run_round()
    asked = getattr(desk.shared_store, call)

    def slowly(*what: Any) -> Any:
        answer = asked(*what)
        with desk.journal.transaction() as transaction:
            replica.detach(transaction, 1)
            replica.attach(transaction, replica.AttachedProject("http://y", "key", "ada", "a@b.c", "dev-2", "Desk", 2))
        return answer

    monkeypatch.setattr(desk.shared_store, call, slowly)
    desk.engine.run_round()
    assert desk.waiting() == 1
    assert desk.configured() == {"theme": "dark"}


def test_detached_in_the_middle_of_pulling_what_was_rolled_back_is_there_again(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.configure("desk", "1")
    laptop.configure("laptop", "1")
    laptop.configure("more", "1")
    laptop.engine.run_round()
    desk.restart(ONE_BY_ONE)
    desk.shared_store.faults.extend(["", "", "before"])
    desk.engine.run_round()
    assert desk.configured() == {"laptop": "1"}
    with desk.journal.transaction() as transaction:
        replica.detach(transaction, desk.clock.now())
    assert desk.configured() == {"laptop": "1", "desk": "1"}


def test_whoever_asked_in_between_hears_what_follows(desk: Machine) -> None:
    desk.engine.run_round()
    desk.heard.clear()
    desk.configure("theme", "dark")
    assert desk.engine.report.state().waiting == 1
    desk.engine.run_round()
    assert [state.waiting for state in desk.heard] == [0]


@pytest.mark.parametrize("fault", ["before", "after"])
def test_a_lost_answer_loses_and_doubles_nothing(desk: Machine, machines: Machines, fault: str) -> None:
    """Each call of a round in turn is the one that fails."""
    for call in range(1, 12):
        desk.configure(f"n{call}", "x")
        desk.shared_store.faults.extend([""] * (call - 1))
        desk.shared_store.faults.append(fault)  # type: ignore[arg-type]
        for _ in range(3):
            desk.engine.run_round()
        desk.shared_store.faults.clear()
        desk.engine.run_round()
        assert desk.waiting() == 0
    laptop = machines("Laptop")
    laptop.engine.run_round()
    assert laptop.logs() == desk.logs()
    assert len(laptop.configured()) == 11


def test_the_pace_slows_down_and_never_hurries_the_other_side() -> None:
    pace = Backoff(lambda: 1.0)
    waits = [pace.next_delay() for _ in range(10)]
    assert waits[:4] == [1.0, 2.0, 4.0, 8.0]
    assert waits[-1] == LONGEST
    assert pace.next_delay(300.0) == 300.0
    pace.reset()
    assert Backoff(lambda: 0.0).next_delay() == 0.5
    assert pace.next_delay() == 1.0


def test_what_the_other_side_asks_for_is_waited(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy() -> list[StreamHeads]:
        raise SharedStoreUnreachableError("busy", 120.0)

    monkeypatch.setattr(desk.shared_store, "streams", busy)
    assert desk.engine.run_round() == 120.0


def test_killed_between_two_pages_what_was_decided_follows_at_the_next_start_in_its_order(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    laptop.restart(ONE_BY_ONE)
    for machine in (desk, laptop):
        machine.configure(f"{machine.name}-1", "1")
        machine.configure(f"{machine.name}-2", "1")
    desk.engine.run_round()
    pull, pages = laptop.shared_store.pull_events, list[object]()

    def killed(campaign_id: str, after: int, most: int) -> Sequence[LoggedEvent]:
        if pages:
            raise KeyboardInterrupt
        pages.append(after)
        return pull(campaign_id, after, most)

    with monkeypatch.context() as patch:
        patch.setattr(laptop.shared_store, "pull_events", killed)
        with pytest.raises(KeyboardInterrupt):
            laptop.engine.run_round()
    assert laptop.configured().keys() == {"Desk-1"}
    laptop.restart()
    laptop.configure("Laptop-3", "1")
    laptop.engine.run_round(poll=False)  # it does not ask for news first
    desk.engine.run_round()
    assert desk.logs() == laptop.logs()
    order = [row[0] for row in desk.database.query(all_rows, "SELECT entity_id FROM event_log ORDER BY seq")]
    assert order == ["Desk-1", "Desk-2", "Laptop-1", "Laptop-2", "Laptop-3"]


def test_what_is_decided_while_others_are_adopted_comes_behind_what_was_decided_before(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decision at every step of it: the log has them in the order in which the user made them."""
    for machine in (desk, laptop):
        machine.configure(f"{machine.name}-0", "1")
    desk.engine.run_round()
    made = count(1)
    transaction = laptop.journal.transaction

    @contextmanager
    def with_another() -> Iterator[Transaction]:
        with monkeypatch.context() as patch:
            patch.setattr(laptop.journal, "transaction", transaction)
            if (number := next(made)) < 9:
                laptop.configure(f"Laptop-{number}", "1")
        with transaction() as begun:
            yield begun

    monkeypatch.setattr(laptop.journal, "transaction", with_another)
    laptop.engine.run_round()
    monkeypatch.setattr(laptop.journal, "transaction", transaction)
    laptop.engine.run_round()
    with laptop.database.read() as connection:
        rows = connection.execute("SELECT entity_id FROM event_log WHERE entity_id LIKE 'Laptop%' ORDER BY seq")
        order = [row[0] for row in rows]
    assert order == [f"Laptop-{number}" for number in range(len(order))]
    assert len(order) > 3


def test_what_was_rolled_back_waits_for_the_last_page_of_both_logs(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit log is the longer one here: its pages are still to come when the last event is adopted."""
    laptop.restart(ONE_BY_ONE)
    for machine, looks in ((desk, 3), (laptop, 1)):
        looked = [AuditEntry("looked", {"n": number}) for number in range(looks)]
        event = Event("ConfigSet", machine.name, {"value": "1"})
        machine.journal.record(WORKSPACE, events=[event], audits=looked, actor="user", cause="test", at=1)
    desk.engine.run_round()
    pull, before = laptop.shared_store.pull_audits, list[set[str]]()

    def pulled(campaign_id: str, after: int, most: int) -> Sequence[LoggedAudit]:
        before.append(set(laptop.configured()))
        return pull(campaign_id, after, most)

    monkeypatch.setattr(laptop.shared_store, "pull_audits", pulled)
    laptop.engine.run_round()
    assert before == [{"Laptop"}, {"Desk"}, {"Desk"}]
    assert laptop.configured().keys() == {"Desk", "Laptop"}


def test_closing_pushes_what_waits_and_gives_the_lease_back(desk: Machine, laptop: Machine) -> None:
    desk.engine.open()
    with desk.engine.hold_lease():
        desk.campaign()
        desk.turn(1)
    desk.engine.close(20.0)
    assert desk.waiting() == 0
    with laptop.engine.hold_lease():
        assert laptop.logs() == desk.logs()


def test_closing_waits_no_longer_than_it_may(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    hanging, on = threading.Event(), threading.Event()

    def hang() -> list[StreamHeads]:
        hanging.set()
        on.wait(PATIENCE)
        return []

    monkeypatch.setattr(desk.shared_store, "streams", hang)
    desk.engine.open()
    assert hanging.wait(PATIENCE)
    desk.engine.close(0.0)
    on.set()
    desk.engine.close(20.0)


def test_signed_out_says_so_and_goes_on_after_signing_in(desk: Machine) -> None:
    desk.shared_store.signed_out = True
    desk.configure("theme", "dark")
    desk.engine.run_round()
    assert desk.engine.report.state().phase == "signed_out"
    assert "not signed in" in desk.engine.describe()
    with pytest.raises(OutriderError, match="signed_out"), desk.engine.hold_lease():
        pass
    desk.shared_store.signed_out = False
    desk.engine.run_round()
    assert desk.engine.report.state().phase == "in_sync"


def test_a_defect_is_shown_and_tried_again(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = desk.shared_store.streams
    monkeypatch.setattr(desk.shared_store, "streams", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # for the worker, which prints it and tries again
        desk.engine.run_round()
    problem = desk.engine.report.state().problem
    assert problem is not None
    assert (desk.engine.report.state().phase, problem.code) == ("refused", "internal_error")
    monkeypatch.setattr(desk.shared_store, "streams", streams)
    desk.engine.run_round()
    assert desk.engine.report.state().phase == "in_sync"


def test_files_are_there_before_the_event_that_names_them_and_are_fetched_whole(desk: Machine, laptop: Machine) -> None:
    content = bytes(range(256)) * 5_000
    desk.campaign()
    blob = desk.keep_file("k", content)
    append, order = desk.shared_store.append, list[bool]()

    def appended(batch, fence):  # type: ignore[no-untyped-def]
        if any(event.kind == "ArtifactPersisted" for event in batch.events):
            order.append(desk.shared_store.get_blob(blob.sha256, 2) is not None)
        return append(batch, fence)

    desk.shared_store.append = appended  # type: ignore[method-assign]
    run_rounds(desk, laptop)
    assert order == [True]
    assert b"".join(laptop.blobs.chunks(blob.sha256)) == content


def test_a_file_that_is_heard_of_while_another_one_is_fetched_is_fetched_too(desk: Machine, laptop: Machine) -> None:
    desk.campaign()
    desk.keep_file("first", b"one")
    desk.engine.run_round()
    get_blob = laptop.shared_store.get_blob

    def meanwhile(sha256: str, part: int) -> bytes | None:
        """A run begins here, which brings everything that others recorded."""
        laptop.shared_store.get_blob = get_blob  # type: ignore[method-assign]
        desk.keep_file("second", b"two")
        desk.engine.run_round()
        with laptop.engine.hold_lease():
            pass
        return get_blob(sha256, part)

    laptop.shared_store.get_blob = meanwhile  # type: ignore[method-assign]
    run_rounds(laptop, laptop)
    contents = [b"".join(laptop.blobs.chunks(hashlib.sha256(content).hexdigest())) for content in (b"one", b"two")]
    assert contents == [b"one", b"two"]


def test_a_file_whose_transfer_broke_off_is_fetched_with_the_next_round(desk: Machine, laptop: Machine) -> None:
    desk.campaign()
    blob = desk.keep_file("k", b"content")
    desk.engine.run_round()
    get_blob = laptop.shared_store.get_blob

    def breaks_off(sha256: str, part: int) -> bytes | None:
        laptop.shared_store.get_blob = get_blob  # type: ignore[method-assign]
        raise SharedStoreUnreachableError("the line broke")

    laptop.shared_store.get_blob = breaks_off  # type: ignore[method-assign]
    laptop.engine.run_round()
    assert not laptop.blobs.holds(blob.sha256)
    laptop.engine.run_round()
    assert laptop.blobs.holds(blob.sha256)


@pytest.mark.parametrize("what", ["changed", "removed"])
def test_a_file_that_is_damaged_here_is_fetched_again_when_it_is_missed(
    desk: Machine, laptop: Machine, what: str
) -> None:
    desk.campaign()
    blob = desk.keep_file("k", b"content")
    run_rounds(desk, laptop)
    file = content_files.path_of(laptop.blobs.folder, blob.sha256)
    file.write_bytes(b"?ontent") if what == "changed" else file.unlink()
    laptop.engine.run_round()
    with pytest.raises(OutriderError):
        list(laptop.blobs.chunks(blob.sha256))
    laptop.engine.fetch_again(blob.sha256)
    laptop.engine.run_round()
    assert b"".join(laptop.blobs.chunks(blob.sha256)) == b"content"


def test_a_copy_that_is_damaged_there_too_takes_no_ones_place_and_is_not_fetched_twice(
    desk: Machine, laptop: Machine
) -> None:
    desk.campaign()
    blob = desk.keep_file("k", b"content")
    run_rounds(desk, laptop)
    FakeSharedStore.put_blob(laptop.shared_store, blob.sha256, 0, 1, b"c?ntent")
    file = content_files.path_of(laptop.blobs.folder, blob.sha256)
    file.write_bytes(b"?ontent")
    fetched, get_blob = list[int](), laptop.shared_store.get_blob

    def counted(sha256: str, part: int) -> bytes | None:
        fetched.append(part)
        return get_blob(sha256, part)

    laptop.shared_store.get_blob = counted  # type: ignore[method-assign]
    for number in range(3):
        laptop.engine.fetch_again(blob.sha256)
        desk.configure("theme", str(number), new=not number)
        run_rounds(desk, laptop, laptop)
    assert fetched == [0]
    assert file.read_bytes() == b"?ontent", "nobody knows better"
    assert [path for path in laptop.blobs.folder.glob("*/*") if path != file] == []
    FakeSharedStore.put_blob(laptop.shared_store, blob.sha256, 0, 1, b"content")
    laptop.engine.fetch_again(blob.sha256)
    laptop.engine.run_round()
    assert b"".join(laptop.blobs.chunks(blob.sha256)) == b"content"


def test_what_one_stream_is_refused_holds_no_other_up(desk: Machine) -> None:
    desk.record("nobody", Event("ConfigSet", "x", {"value": "1"}))  # a campaign that was never created
    desk.configure("theme", "dark")
    desk.campaign()
    desk.engine.run_round()
    assert desk.engine.report.state().phase == "refused"
    assert desk.waiting() == 1
    assert {head.campaign_id for head in desk.shared_store.streams()} == {WORKSPACE, CAMPAIGN}


REFUSED_TEXT = "it breaks a rule"


class Particular(FakeSharedStore):
    """Takes no entry about “bad”, for good; counts how often it is asked to append."""

    appends = 0
    relents = False

    def append(self, batch: Batch, fence: int | None) -> Appended:
        self.appends += 1
        if not self.relents and any(event.entity_id == "bad" for event in batch.events):
            raise SharedStoreRefusedError("append_refused", REFUSED_TEXT)
        return super().append(batch, fence)


@pytest.fixture
def particular(desk: Machine, memory: FakeProject) -> Particular:
    desk.shared_store = desk.engine._shared_store = store = Particular(memory)
    return store


def test_an_entry_that_never_passes_is_named_and_not_sent_for_ever(desk: Machine, particular: Particular) -> None:
    desk.campaign()
    for name in ("one", "two", "bad", "three"):
        desk.record(CAMPAIGN, Event("ConfigSet", name, {"value": "1"}), cause=name)
    desk.configure("theme", "dark")
    desk.engine.run_round()
    state = desk.engine.report.state()
    assert state.problem is not None
    assert (state.phase, state.waiting, state.problem.code) == ("refused", 2, "entry_refused")
    assert state.problem.sentence == f"The shared store refuses entry 4 of {CAMPAIGN}, a “ConfigSet”: {REFUSED_TEXT}."
    heads = {head.campaign_id: head.event_seq for head in particular.streams()}
    assert heads == {CAMPAIGN: 3, WORKSPACE: 1}, "what came before it is there, and so is every other stream"

    appends = particular.appends
    for number in range(5):
        desk.configure(f"later-{number}", "1")
        desk.record(CAMPAIGN, Event("ConfigSet", f"behind-{number}", {"value": "1"}))
        desk.engine.run_round()
    assert particular.appends == appends + 5, "only the other stream's"
    assert desk.engine.report.state().phase == "refused"

    desk.engine.try_again()
    desk.engine.run_round()
    assert desk.engine.report.state().phase == "refused"
    particular.relents = True
    desk.engine.try_again()
    desk.engine.run_round()
    assert (desk.engine.report.state().phase, desk.waiting()) == ("in_sync", 0)


def test_a_campaign_whose_entry_is_refused_begins_nothing_and_the_others_act(
    desk: Machine, particular: Particular
) -> None:
    desk.campaign()
    desk.campaign("camp-2")
    desk.record(CAMPAIGN, Event("ConfigSet", "bad", {"value": "1"}), cause="bad")
    desk.configure("theme", "dark")
    with desk.engine.hold_lease():
        desk.record("camp-2", Event("ConfigSet", "fine", {"value": "1"}))
        assert desk.engine.push_and_confirm("camp-2")
        assert desk.engine.describe() == IN_SYNC
        assert not desk.engine.push_and_confirm(CAMPAIGN)
        assert REFUSED_TEXT in desk.engine.describe()
        desk.engine.run_round()
        assert REFUSED_TEXT in desk.engine.describe(), "it does not try an act again and again"


def test_no_transaction_is_shown_by_halves_because_of_what_is_refused(desk: Machine, particular: Particular) -> None:
    desk.campaign()
    together = [Event("ConfigSet", name, {"value": "1"}) for name in ("a", "b", "c", "bad", "d")]
    desk.record(CAMPAIGN, *together, cause="together")
    desk.engine.run_round()
    assert [(head.campaign_id, head.event_seq) for head in particular.streams()] == [(CAMPAIGN, 1)]


def test_an_entry_recorded_again_behind_another_device_s_is_tried_again(
    desk: Machine, laptop: Machine, particular: Particular
) -> None:
    desk.configure("bad", "1")
    desk.engine.run_round()
    assert desk.engine.report.state().phase == "refused"
    laptop.configure("theme", "dark")
    laptop.engine.run_round()
    particular.relents = True
    desk.engine.run_round()
    assert (desk.engine.report.state().phase, desk.waiting()) == ("in_sync", 0)


def test_a_device_whose_access_was_taken_away_says_so_before_it_writes_anything(desk: Machine, laptop: Machine) -> None:
    for machine in (desk, laptop):
        machine.record(WORKSPACE, Event("DeviceJoined", f"dev-{machine.name}", {"name": machine.name, "created_at": 1}))
        machine.engine.run_round()
    desk.engine.run_round()
    assert (desk.engine.report.state().phase, desk.engine.describe()) == ("in_sync", "in_sync")
    laptop.record(WORKSPACE, Event("DeviceRevoked", "dev-Desk", {"revoked_at": 2}))
    laptop.engine.run_round()
    for _ in range(2):  # and goes on saying so while it only reads
        desk.engine.run_round()
        problem = desk.engine.report.state().problem
        assert desk.engine.report.state().phase == "refused"
        assert problem is not None
        assert problem.code == "device_revoked"
        assert "revoked its access" in desk.engine.describe()
    assert laptop.engine.report.state().phase == "in_sync"


def test_entries_of_a_newer_outrider_hold_up_their_stream_alone_until_this_device_is_updated_too(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for campaign_id in (CAMPAIGN, "camp-2"):
        desk.campaign(campaign_id)
    run_rounds(desk, laptop)
    for campaign_id in (CAMPAIGN, "camp-2"):
        desk.record(campaign_id, Event("CampaignEdited", campaign_id, {"name": f"{campaign_id} of the desk"}))
    desk.keep_file("plan", b"plan")
    desk.engine.run_round()
    older = {kind: EVENT_KINDS[kind] for kind in EVENT_KINDS if kind != "ArtifactPersisted"}
    with monkeypatch.context() as before_update:
        before_update.setattr(replica, "EVENT_KINDS", older)
        for _ in range(2):
            laptop.engine.run_round()
            state = laptop.engine.report.state()
            assert state.problem is not None
            assert (state.phase, state.problem.code) == ("refused", "shared_store_newer")
            names = laptop.database.query(all_rows, "SELECT name FROM campaigns ORDER BY id")
            assert names == [("Talk",), ("camp-2 of the desk",)]
            laptop.record(CAMPAIGN, Event("CampaignEdited", CAMPAIGN, {"goal": "Teach"}))
    run_rounds(laptop, desk)
    assert (laptop.engine.report.state().phase, desk.logs()) == ("in_sync", laptop.logs())
    assert desk.database.query(first_row, "SELECT goal FROM campaigns WHERE id=?", CAMPAIGN) == ("Teach",)
