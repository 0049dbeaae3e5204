"""One suite over the shared store in memory and the real one: our client, the stand-in for a hosted project, PostgreSQL."""

import hashlib
import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest

from backend.domain.events.events import WORKSPACE
from backend.domain.events.signature import SignedHeads
from backend.ports.shared_store import (
    Appended,
    Batch,
    LoggedEvent,
    SharedStore,
    SharedStoreConflictError,
    SharedStoreRefusedError,
    StreamHeads,
)
from tests.fakes.entries import CAMPAIGN, Stream
from tests.fakes.shared_store import MOST_PART, FakeProject, FakeSharedStore
from tests.postgres import ADMIN
from tests.postgres import Project as Postgres
from tests.supabase.signed_in import hosted

SHA = "0123456789abcdef" * 4


class World:
    """A project as its users see it, and the time that its leases run by."""

    def __init__(self, view: Callable[[str], SharedStore], advance: Callable[[float], None]) -> None:
        self.view = view
        self.advance = advance


@pytest.fixture(params=["memory", "PostgreSQL"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "memory":
        fake = FakeProject()
        yield World(lambda user: FakeSharedStore(fake, user), fake.advance)
        return
    postgres: Postgres = request.getfixturevalue("project")
    ahead = 0.0

    def advance(seconds: float) -> None:
        nonlocal ahead
        ahead += seconds
        later = f"select clock_timestamp() + interval '{ahead} seconds'"
        with psycopg.connect(postgres.url(ADMIN), autocommit=True) as connection:
            connection.execute(
                "create or replace function outrider.now() returns timestamptz language sql volatile set search_path = ''"
                f" as $$ {later} $$".encode()
            )

    with hosted(postgres.url("authenticator")) as devices:
        yield World(lambda user: devices.of(f"{user}@example.test").shared_store, advance)


@pytest.fixture
def shared_store(world: World) -> SharedStore:
    return world.view("ada")


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(SharedStoreRefusedError) as refused:
        act()
    return refused.value.code


# --- appending ---


def test_what_was_appended_comes_back_byte_for_byte(shared_store: SharedStore) -> None:
    stream = Stream().settings(5).audited(4)
    assert shared_store.append(stream.batch(), None) == Appended(5, 4, 5)
    assert list(shared_store.pull_events(WORKSPACE, 0, 100)) == stream.events
    assert list(shared_store.pull_audits(WORKSPACE, 0, 100)) == stream.audits
    ends = StreamHeads(WORKSPACE, 5, 4, stream.events[-1].hash, stream.audits[-1].hash)
    assert shared_store.streams() == [ends]


def test_an_erased_entry_comes_back_with_its_digest_and_what_is_left(shared_store: SharedStore) -> None:
    stream = Stream().settings(3)
    stream.erased(2)
    shared_store.append(stream.batch(), None)
    (erased,) = shared_store.pull_events(WORKSPACE, 1, 1)
    assert (erased.payload, erased.salt) == ('{"value":""}', None)
    assert erased == stream.events[1]


def test_an_erasure_takes_the_words_out_of_what_is_there_already(shared_store: SharedStore) -> None:
    stream = Stream().settings(3).audited(3)
    shared_store.append(stream.batch(), None)
    left = {stream.erased(2): '{"value":""}', stream.erased_audit(3): "{}"}
    stream.event("EntriesErased", "erasure-1", {"entries": left, "created_at": 1})
    shared_store.append(stream.batch(3, audits_after=3), None)
    assert list(shared_store.pull_events(WORKSPACE, 0, 9)) == stream.events
    assert list(shared_store.pull_audits(WORKSPACE, 0, 9)) == stream.audits


def test_what_was_sent_before_it_was_erased_is_passed_over_and_then_erased(shared_store: SharedStore) -> None:
    """The answer to the first push was lost: the device sends it again, and has erased it meanwhile."""
    stream = Stream().settings(2).audited(1)
    shared_store.append(stream.batch(), None)
    left = {stream.erased(1): '{"value":""}', stream.erased_audit(1): "{}"}
    stream.event("EntriesErased", "erasure-1", {"entries": left, "created_at": 1})
    for _ in range(2):
        assert shared_store.append(stream.batch(), None) == Appended(3, 1, 3)
        assert list(shared_store.pull_events(WORKSPACE, 0, 9)) == stream.events
        assert list(shared_store.pull_audits(WORKSPACE, 0, 9)) == stream.audits


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("shorter_first", [True, False])
def test_of_two_erasures_of_one_entry_the_one_counts_that_leaves_less(
    shared_store: SharedStore, together: bool, shorter_first: bool
) -> None:
    stream = Stream().settings(3).audited(3)
    shared_store.append(stream.batch(), None)
    shorter = {stream.erased(2): '{"value":""}', stream.erased_audit(3): "{}"}
    longer = dict.fromkeys(shorter, '{"value":"some of it"}')
    for number, left in enumerate((shorter, longer) if shorter_first else (longer, shorter)):
        stream.event("EntriesErased", f"erasure-{number}", {"entries": left, "created_at": 1})
        if not together:
            shared_store.append(stream.batch(3 + number, audits_after=3), None)
    if together:
        shared_store.append(stream.batch(3, audits_after=3), None)
    assert list(shared_store.pull_events(WORKSPACE, 0, 9)) == stream.events
    assert list(shared_store.pull_audits(WORKSPACE, 0, 9)) == stream.audits


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("which_first", [0, 1])
def test_of_what_two_erasures_leave_of_one_entry_only_the_words_stay_that_both_left(
    shared_store: SharedStore, together: bool, which_first: int
) -> None:
    stream = Stream().settings(3)
    shared_store.append(stream.batch(), None)
    digest = stream.erased(2, '{"value":"(erased) met (erased)"}')
    both = ['{"value":"Omar met (erased)"}', '{"value":"(erased) met Lena"}']
    for number in (which_first, 1 - which_first):
        erasure = {"entries": {digest: both[number]}, "created_at": 1}
        stream.event("EntriesErased", f"erasure-{number}", erasure)
        if not together:
            shared_store.append(stream.batch(len(stream.events) - 1), None)
    if together:
        shared_store.append(stream.batch(3), None)
    assert list(shared_store.pull_events(WORKSPACE, 0, 9)) == stream.events


def test_an_erasure_that_is_emptied_later_says_nothing_any_more(shared_store: SharedStore) -> None:
    stream = Stream().settings(3)
    shared_store.append(stream.batch(), None)
    digest = stream.erased(2, '{"value":"Omar met (erased)"}')
    stream.event("EntriesErased", "erasure-1", {"entries": {digest: stream.events[1].payload}, "created_at": 1})
    shared_store.append(stream.batch(3), None)
    emptied = stream.erased(4, '{"created_at":1,"entries":{}}')
    stream.events[1] = stream.events[1]._replace(payload='{"value":"(erased) met (erased)"}')
    left = {digest: stream.events[1].payload, emptied: stream.events[3].payload}
    stream.event("EntriesErased", "erasure-2", {"entries": left, "created_at": 1})
    shared_store.append(stream.batch(4), None)
    assert list(shared_store.pull_events(WORKSPACE, 0, 9)) == stream.events


@pytest.mark.parametrize("left", ['{"value":7}', "{}", '{"value":"","status":"sent"}', '{"status":"sent"}'])
def test_an_erasure_that_changes_numbers_states_or_fields_is_refused(shared_store: SharedStore, left: str) -> None:
    stream = Stream().settings(3)
    shared_store.append(stream.batch(), None)
    whole = stream.events[1]
    digest = stream.erased(2)
    stream.events[1] = whole
    stream.event("EntriesErased", "erasure-1", {"entries": {digest: left}, "created_at": 1})
    assert refusal(lambda: shared_store.append(stream.batch(3), None)) == "append_refused"
    assert list(shared_store.pull_events(WORKSPACE, 1, 1)) == [whole]


def test_signatures_come_back_as_they_were_sent_and_that_of_the_head_always(shared_store: SharedStore) -> None:
    stream = Stream().settings(3)

    def signed(batch: Batch, name: str) -> SignedHeads:
        ends = batch.event_seq + len(batch.events), batch.audit_seq + len(batch.audits)
        heads = SignedHeads(WORKSPACE, ends[0], b"e" * 32, ends[1], b"a" * 32, name, 7, b"s" * 64)
        shared_store.append(batch._replace(signature=heads), None)
        return heads

    first, last = signed(stream.batch(0, 1), "one"), signed(stream.batch(1), "two")
    signed(stream.batch(1), "two")
    begin, head = StreamHeads(WORKSPACE, 0, 0), StreamHeads(WORKSPACE, 3, 0)
    assert last in shared_store.pull_signatures(begin, head)
    assert list(shared_store.pull_signatures(begin, head._replace(event_seq=2))) == [first]
    assert list(shared_store.pull_signatures(head, head)) == []
    assert list(shared_store.pull_signatures(begin._replace(campaign_id=CAMPAIGN), head)) == []


def test_the_same_batch_again_changes_nothing_and_answers_the_same(shared_store: SharedStore) -> None:
    batch = Stream().settings(3).audited(2).batch()
    assert shared_store.append(batch, None) == shared_store.append(batch, None) == Appended(3, 2, 3)


def test_of_a_batch_that_overlaps_only_what_is_new_is_appended(shared_store: SharedStore) -> None:
    stream = Stream().settings(5)
    shared_store.append(stream.batch(0, 3), None)
    assert shared_store.append(stream.batch(1), None).event_seq == 5
    assert list(shared_store.pull_events(WORKSPACE, 0, 100)) == stream.events


def test_an_old_batch_is_passed_over_after_newer_ones(shared_store: SharedStore) -> None:
    stream = Stream().settings(5)
    shared_store.append(stream.batch(), None)
    assert shared_store.append(stream.batch(1, 3), None).event_seq == 5


def test_another_device_s_entry_at_the_same_place_is_a_conflict_and_nothing_is_appended(
    shared_store: SharedStore,
) -> None:
    first = Stream().settings(2)
    shared_store.append(first.batch(), None)
    other = Stream(seed="elsewhere").settings(3).audited(1)
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(other.batch(), None)
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(other.batch(1), None)
    assert shared_store.streams() == [StreamHeads(WORKSPACE, 2, 0, first.events[-1].hash)]


def test_a_gap_is_a_conflict_between_batches_and_within_one(shared_store: SharedStore) -> None:
    stream = Stream().settings(5).audited(3)
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(stream.batch(2), None)
    whole = stream.batch()
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(whole._replace(events=(*whole.events[:2], *whole.events[3:])), None)
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(whole._replace(events=whole.events[1:]), None)
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(stream.batch(audits_after=1), None)
    assert shared_store.streams() == []


def test_a_store_that_has_less_of_either_log_than_was_acknowledged_takes_nothing(shared_store: SharedStore) -> None:
    """It was put back from a backup: what is appended to one log would be signed for entries of the other that are gone."""
    stream = Stream().settings(3).audited(2)
    shared_store.append(stream.batch(0, 2)._replace(audits=tuple(stream.audits[:1])), None)
    before = shared_store.streams()
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(stream.batch(3, audits_after=1), None)
    with pytest.raises(SharedStoreConflictError):
        shared_store.append(stream.batch(2, audits_after=2), None)
    assert shared_store.streams() == before


def test_an_entry_that_does_not_follow_from_the_one_before_is_refused(shared_store: SharedStore) -> None:
    stream = Stream().settings(2)
    forged = stream.events[1]._replace(payload='{"value":"forged"}')
    batch = stream.batch()
    assert (
        refusal(lambda: shared_store.append(batch._replace(events=(stream.events[0], forged)), None))
        == "append_refused"
    )
    audits = Stream().audited(2).batch()
    bad = audits.audits[1]._replace(actor="somebody")
    assert (
        refusal(lambda: shared_store.append(audits._replace(audits=(audits.audits[0], bad)), None)) == "append_refused"
    )
    assert shared_store.streams() == []


def test_a_kind_that_is_not_known_is_refused(shared_store: SharedStore) -> None:
    stream = Stream()
    stream.event("WishGranted", "x", {"value": "x"})
    assert refusal(lambda: shared_store.append(stream.batch(), None)) == "append_refused"


def test_a_stream_without_its_campaign_is_refused(shared_store: SharedStore) -> None:
    assert refusal(lambda: shared_store.append(Stream("camp-9").settings(1).batch(), None)) == "append_refused"


def test_each_append_tells_where_the_workspace_s_own_stream_ends(shared_store: SharedStore) -> None:
    shared_store.append(Stream().settings(4).batch(), None)
    assert shared_store.append(Stream(CAMPAIGN).created().batch(), None) == Appended(1, 0, 4)


def test_of_many_who_append_at_one_place_exactly_one_succeeds(world: World) -> None:
    done: list[str] = []
    together = threading.Barrier(4)

    def append(view: SharedStore, seed: str) -> None:
        batch = Stream(seed=seed).settings(3).batch()
        together.wait()
        try:
            view.append(batch, None)
        except SharedStoreConflictError:
            return
        done.append(seed)

    threads = [threading.Thread(target=append, args=(world.view("ada"), f"device {n}")) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = done
    assert list(world.view("ada").pull_events(WORKSPACE, 0, 100)) == Stream(seed=winner).settings(3).events


# --- pulling ---


def test_pages_put_together_are_the_log(shared_store: SharedStore) -> None:
    stream = Stream().settings(25)
    shared_store.append(stream.batch(), None)
    pulled: list[LoggedEvent] = []
    while page := shared_store.pull_events(WORKSPACE, len(pulled), 10):
        assert len(page) <= 10
        pulled += page
    assert pulled == stream.events
    assert list(shared_store.pull_events("unknown", 0, 10)) == []


def test_a_page_of_large_entries_ends_early_and_the_next_goes_on(shared_store: SharedStore) -> None:
    stream = Stream().settings(7, size=120_000)  # about 0.7 MB each, escaped
    for begin in range(7):
        shared_store.append(stream.batch(begin, begin + 1), None)
    first = shared_store.pull_events(WORKSPACE, 0, 100)
    assert 0 < len(first) < 7
    assert [*first, *shared_store.pull_events(WORKSPACE, len(first), 100)] == stream.events


# --- users apart ---


def test_users_know_nothing_of_each_other(world: World) -> None:
    ada, eve = world.view("ada"), world.view("eve")
    stream = Stream().settings(2).audited(1)
    ada.append(stream.batch(), None)
    ada.put_blob(SHA, 0, 1, b"ada's")
    assert ada.acquire_lease("laptop", "Ada's laptop", "laptop 1", 60).fence == 1
    assert eve.streams() == []
    assert list(eve.pull_events(WORKSPACE, 0, 10)) == []
    assert list(eve.pull_audits(WORKSPACE, 0, 10)) == []
    assert eve.get_blob(SHA, 0) is None
    assert eve.acquire_lease("laptop", "Eve's laptop", "laptop 1", 60).fence == 1
    assert eve.append(Stream(seed="eve").settings(1).batch(), None) == Appended(1, 0, 1)
    assert list(ada.pull_events(WORKSPACE, 0, 10)) == stream.events


# --- the lease ---


def test_one_device_holds_the_lease_and_the_others_are_told_which(shared_store: SharedStore) -> None:
    mine = shared_store.acquire_lease("laptop", "Laptop", "laptop 1", 60)
    assert (mine.fence, mine.device_id, mine.wanted_by) == (1, "laptop", "")
    assert 50 < mine.seconds <= 60
    theirs = shared_store.acquire_lease("desktop", "Desktop", "desktop 1", 60)
    assert (theirs.fence, theirs.device_id, theirs.device_name, theirs.wanted_by) == (0, "laptop", "Laptop", "")
    again = shared_store.acquire_lease("laptop", "My laptop", "laptop 1", 90)
    assert (again.fence, again.device_name) == (2, "My laptop")
    assert again.seconds > 80
    shared_store.release_lease("laptop", mine.fence)  # late: it holds the next one by now
    assert shared_store.acquire_lease("desktop", "Desktop", "desktop 1", 60).fence == 0


def test_whose_the_lease_is_can_be_read_without_asking_for_it(world: World) -> None:
    laptop, desk = world.view("ada"), world.view("ada")
    assert desk.read_lease("desk 1").seconds == 0, "nobody ever had it"
    mine = laptop.acquire_lease("laptop", "Laptop", "laptop 1", 60)
    read = desk.read_lease("desk 1")
    assert (read.fence, read.device_id, read.device_name, read.wanted_by) == (0, "laptop", "Laptop", "")
    assert 50 < read.seconds <= 60
    assert laptop.read_lease("laptop 1").fence == mine.fence
    assert world.view("eve").read_lease("eve 1").seconds == 0, "it is another user's"
    world.advance(61)
    assert desk.read_lease("desk 1").seconds == 0
    assert refusal(lambda: laptop.renew_lease("laptop", mine.fence, 60)) == "lease_lost", "reading keeps nothing"
    laptop.release_lease("laptop", laptop.acquire_lease("laptop", "Laptop", "laptop 1", 60).fence)
    assert desk.read_lease("desk 1").seconds == 0


def test_take_over_asks_and_does_not_take(shared_store: SharedStore) -> None:
    mine = shared_store.acquire_lease("laptop", "Laptop", "laptop 1", 60)
    asked = shared_store.acquire_lease("desktop", "Desktop", "desktop 1", 60, take_over=True)
    assert (asked.fence, asked.device_id, asked.wanted_by) == (0, "laptop", "Desktop")
    lease = shared_store.renew_lease("laptop", mine.fence, 60)
    assert (lease.fence, lease.wanted_by) == (1, "Desktop")
    shared_store.release_lease("laptop", mine.fence)
    taken = shared_store.acquire_lease("desktop", "Desktop", "desktop 1", 60)
    assert (taken.fence, taken.device_id, taken.wanted_by) == (2, "desktop", "")


def test_a_lease_that_ran_out_goes_to_whoever_asks_and_its_fence_is_worth_nothing(world: World) -> None:
    shared_store = world.view("ada")
    mine = shared_store.acquire_lease("laptop", "Laptop", "laptop 1", 60)
    world.advance(61)
    assert refusal(lambda: shared_store.renew_lease("laptop", mine.fence, 60)) == "lease_lost"
    assert shared_store.acquire_lease("desktop", "Desktop", "desktop 1", 60).fence == 2
    assert refusal(lambda: shared_store.renew_lease("laptop", mine.fence, 60)) == "lease_lost"
    shared_store.release_lease("laptop", mine.fence)
    assert shared_store.acquire_lease("laptop", "Laptop", "laptop 1", 60).device_id == "desktop"


def test_another_launch_waits_for_the_end_whatever_device_it_says_it_is(world: World) -> None:
    """A data folder that was copied, restored or synchronised has the device's id, and so has a start after a crash."""
    shared_store = world.view("ada")
    mine = shared_store.acquire_lease("laptop", "Laptop", "laptop 1", 60)
    copy = shared_store.acquire_lease("laptop", "Laptop", "laptop 2", 60, take_over=True)
    assert (copy.fence, copy.device_id, copy.wanted_by) == (0, "laptop", "Laptop")
    assert 50 < copy.seconds <= 60
    lease = shared_store.renew_lease("laptop", mine.fence, 60)
    assert (lease.fence, lease.wanted_by) == (mine.fence, "Laptop")
    assert shared_store.acquire_lease("laptop", "Laptop", "laptop 2", 60).fence == 0
    world.advance(61)
    taken = shared_store.acquire_lease("laptop", "Laptop", "laptop 2", 60)
    assert taken.fence == mine.fence + 1
    assert shared_store.acquire_lease("laptop", "Laptop", "laptop 1", 60).fence == 0
    assert refusal(lambda: shared_store.renew_lease("laptop", mine.fence, 60)) == "lease_lost"
    shared_store.release_lease("laptop", mine.fence)
    assert shared_store.renew_lease("laptop", taken.fence, 60).fence == taken.fence


def test_only_under_the_lease_is_recorded_what_only_the_acting_device_may(world: World) -> None:
    shared_store = world.view("ada")
    stream = Stream(CAMPAIGN).created()
    shared_store.append(stream.batch(), None)
    stream.intended()
    assert refusal(lambda: shared_store.append(stream.batch(1), None)) == "lease_lost"
    assert refusal(lambda: shared_store.append(stream.batch(1), 0)) == "lease_lost"
    lease = shared_store.acquire_lease("laptop", "Laptop", "laptop 1", 60)
    assert refusal(lambda: shared_store.append(stream.batch(1), lease.fence + 1)) == "lease_lost"
    assert shared_store.append(stream.batch(1), lease.fence).event_seq == 2
    world.advance(61)
    assert shared_store.append(stream.batch(1), lease.fence).event_seq == 2, "it is there already"
    stream.intended()
    assert refusal(lambda: shared_store.append(stream.batch(2), lease.fence)) == "lease_lost"


def revoke(laptop: SharedStore, desk: SharedStore) -> Stream:
    """The laptop writes, and then the desk takes its access away; the workspace's stream."""
    workspace = Stream()
    workspace.event("DeviceJoined", "laptop", {"name": "Laptop", "created_at": 1})
    laptop.append(workspace.batch(), None)
    workspace.event("DeviceRevoked", "laptop", {"revoked_at": 2})
    desk.append(workspace.batch(1, device="desk"), None)
    return workspace


WRITES: dict[str, Callable[[SharedStore, Stream, str, int], object]] = {
    "append": lambda store, campaign, device, _: store.append(campaign.batch(1, device=device), None),
    "append under the lease": lambda store, campaign, device, fence: store.append(
        campaign.batch(1, device=device), fence
    ),
    "append nothing": lambda store, campaign, device, _: store.append(campaign.batch(2, device=device), None),
    "acquire": lambda store, _, device, __: store.acquire_lease(device, "Laptop", "laptop 1", 60),
    "take over": lambda store, _, device, __: store.acquire_lease(device, "Laptop", "laptop 2", 60, take_over=True),
    "renew": lambda store, _, device, fence: store.renew_lease(device, fence, 60),
    "put": lambda store, _, __, ___: store.put_blob(SHA, 0, 1, b"a part"),
}
"""Everything that changes something in the shared store but giving the lease back."""


@pytest.mark.parametrize("device", ["laptop", "a new name"])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_sign_in_that_wrote_as_a_revoked_device_writes_nothing_more_whatever_it_calls_itself(
    write: Callable[[SharedStore, Stream, str, int], object], device: str, world: World
) -> None:
    laptop, desk, campaign = world.view("ada"), world.view("ada"), Stream(CAMPAIGN).created()
    laptop.append(campaign.batch(), None)
    fence = laptop.acquire_lease("laptop", "Laptop", "laptop 1", 60).fence
    revoke(laptop, desk)
    campaign.settings(1)
    before = [desk.streams(), desk.pull_events(CAMPAIGN, 0, 9), desk.blob_digests(SHA)]
    assert refusal(lambda: write(laptop, campaign, device, fence)) == "device_revoked"
    assert [desk.streams(), desk.pull_events(CAMPAIGN, 0, 9), desk.blob_digests(SHA)] == before
    assert desk.acquire_lease("desk", "Desk", "desk 1", 60).fence == 0, "what it may have begun is left to end"
    world.advance(61)
    assert desk.acquire_lease("desk", "Desk", "desk 1", 60).fence == fence + 1
    assert desk.append(campaign.batch(1, device="desk"), None).event_seq == 2


@pytest.mark.parametrize("wrote_as", [(), ("desk",)], ids=["as itself", "as the other device, too"])
def test_a_revoked_device_ends_nobody_elses_lease(world: World, wrote_as: tuple[str, ...]) -> None:
    """While an act is under way there, the next device would begin another."""
    laptop, desk = world.view("ada"), world.view("ada")
    campaign = Stream(CAMPAIGN).created()
    for device in ("laptop", *wrote_as):
        laptop.append(campaign.batch(device=device), None)
    fence = desk.acquire_lease("desk", "Desk", "desk 1", 60).fence
    revoke(laptop, desk)
    laptop.release_lease("desk", fence)
    assert desk.read_lease("desk 1").seconds > 0
    assert desk.renew_lease("desk", fence, 60).fence == fence
    desk.release_lease("desk", fence)
    assert desk.read_lease("desk 1").seconds == 0


def test_a_revoked_device_gives_back_its_own_lease(world: World) -> None:
    laptop, desk = world.view("ada"), world.view("ada")
    fence = laptop.acquire_lease("laptop", "Laptop", "laptop 1", 60).fence
    revoke(laptop, desk)
    laptop.release_lease("laptop", fence)
    assert desk.acquire_lease("desk", "Desk", "desk 1", 60).fence == fence + 1


def test_a_sign_in_gives_back_no_lease_of_a_device_that_it_never_was(world: World) -> None:
    desk, stranger = world.view("ada"), world.view("ada")
    fence = desk.acquire_lease("desk", "Desk", "desk 1", 60).fence
    stranger.release_lease("desk", fence)
    assert desk.read_lease("desk 1").seconds > 0


def test_a_revoked_device_does_not_come_back_by_signing_in_again(world: World) -> None:
    revoke(world.view("ada"), world.view("ada"))
    again = world.view("ada")
    assert refusal(lambda: again.acquire_lease("laptop", "Laptop", "laptop 1", 60)) == "device_revoked"
    assert refusal(lambda: again.append(Stream(CAMPAIGN).created().batch(), None)) == "device_revoked"


def test_revoking_one_device_takes_nothing_from_the_others_or_from_other_people(world: World) -> None:
    laptop, desk, phone = world.view("ada"), world.view("ada"), world.view("ada")
    phone.put_blob(SHA, 0, 1, b"the phone's")
    workspace = revoke(laptop, desk)
    workspace.settings(1)
    assert phone.append(workspace.batch(2, device="phone"), None).event_seq == 3
    assert world.view("bob").acquire_lease("laptop", "Laptop", "laptop 1", 60).fence == 1


def test_of_many_who_ask_for_the_lease_exactly_one_gets_it(world: World) -> None:
    fences: dict[str, int] = {}
    together = threading.Barrier(6)

    def ask(view: SharedStore, device: str) -> None:
        together.wait()
        fences[device] = view.acquire_lease(device, device, device, 60).fence

    threads = [threading.Thread(target=ask, args=(world.view("ada"), f"device {n}")) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(fences.values()) == [0, 0, 0, 0, 0, 1]


# --- files ---


def test_a_file_comes_back_part_by_part(shared_store: SharedStore) -> None:
    parts = (bytes(range(256)) * 4_096, b"the rest \x00\xff", b"")
    for number, part in enumerate(parts):
        shared_store.put_blob(SHA, number, 3, part)
        shared_store.put_blob(SHA, number, 3, part)
    assert [shared_store.get_blob(SHA, number) for number in range(4)] == [*parts, None]
    assert shared_store.get_blob("f" * 64, 0) is None


def test_the_parts_that_are_there_are_known_by_their_digests(shared_store: SharedStore) -> None:
    parts = {0: b"first", 2: b""}
    for number, part in parts.items():
        shared_store.put_blob(SHA, number, 3, part)
    assert shared_store.blob_digests(SHA) == {
        number: hashlib.sha256(part).hexdigest() for number, part in parts.items()
    }
    assert shared_store.blob_digests("f" * 64) == {}


def test_what_is_no_part_of_a_file_is_refused(shared_store: SharedStore) -> None:
    assert refusal(lambda: shared_store.put_blob("../etc/passwd", 0, 1, b"")) == "append_refused"
    assert refusal(lambda: shared_store.put_blob(SHA, 1, 1, b"")) == "append_refused"
    assert refusal(lambda: shared_store.put_blob(SHA, 0, 1, bytes(MOST_PART + 1))) == "append_refused"
