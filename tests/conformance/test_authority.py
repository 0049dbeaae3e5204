"""One suite over the shared store in memory and the real one: our client, the stand-in for a hosted project, PostgreSQL."""

import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest

from backend.domain.events import WORKSPACE
from backend.ports.authority import (
    Appended,
    Authority,
    AuthorityConflictError,
    AuthorityRefusedError,
    Heads,
    LoggedEvent,
)
from tests.fakes.authority import MOST_PART, FakeAuthority, FakeProject
from tests.fakes.entries import CAMPAIGN, Stream
from tests.postgres import ADMIN
from tests.postgres import Project as Postgres
from tests.supabase.signed_in import hosted

SHA = "0123456789abcdef" * 4


class World:
    """A project as its users see it, and the time that its leases run by."""

    def __init__(self, view: Callable[[str], Authority], advance: Callable[[float], None]) -> None:
        self.view = view
        self.advance = advance


@pytest.fixture(params=["memory", "PostgreSQL"])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    if request.param == "memory":
        fake = FakeProject()
        yield World(lambda user: FakeAuthority(fake, user), fake.advance)
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
        yield World(lambda user: devices.of(f"{user}@example.test").authority, advance)


@pytest.fixture
def authority(world: World) -> Authority:
    return world.view("ada")


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(AuthorityRefusedError) as refused:
        act()
    return refused.value.code


# --- appending ---


def test_what_was_appended_comes_back_byte_for_byte(authority: Authority) -> None:
    stream = Stream().settings(5).audited(4)
    assert authority.append(stream.batch(), None) == Appended(5, 4, 5)
    assert list(authority.pull_events(WORKSPACE, 0, 100)) == stream.events
    assert list(authority.pull_audits(WORKSPACE, 0, 100)) == stream.audits
    assert authority.streams() == [Heads(WORKSPACE, 5, 4)]


def test_an_erased_entry_comes_back_with_its_digest_and_without_payload_and_salt(authority: Authority) -> None:
    stream = Stream().settings(3)
    stream.erased(2)
    authority.append(stream.batch(), None)
    (erased,) = authority.pull_events(WORKSPACE, 1, 1)
    assert (erased.payload, erased.salt) == (None, None)
    assert erased == stream.events[1]


def test_the_same_batch_again_changes_nothing_and_answers_the_same(authority: Authority) -> None:
    batch = Stream().settings(3).audited(2).batch()
    assert authority.append(batch, None) == authority.append(batch, None) == Appended(3, 2, 3)


def test_of_a_batch_that_overlaps_only_what_is_new_is_appended(authority: Authority) -> None:
    stream = Stream().settings(5)
    authority.append(stream.batch(0, 3), None)
    assert authority.append(stream.batch(1), None).event_seq == 5
    assert list(authority.pull_events(WORKSPACE, 0, 100)) == stream.events


def test_an_old_batch_is_passed_over_after_newer_ones(authority: Authority) -> None:
    stream = Stream().settings(5)
    authority.append(stream.batch(), None)
    assert authority.append(stream.batch(1, 3), None).event_seq == 5


def test_another_device_s_entry_at_the_same_place_is_a_conflict_and_nothing_is_appended(authority: Authority) -> None:
    authority.append(Stream().settings(2).batch(), None)
    other = Stream(seed="elsewhere").settings(3).audited(1)
    with pytest.raises(AuthorityConflictError):
        authority.append(other.batch(), None)
    with pytest.raises(AuthorityConflictError):
        authority.append(other.batch(1), None)
    assert authority.streams() == [Heads(WORKSPACE, 2, 0)]


def test_a_gap_is_a_conflict_between_batches_and_within_one(authority: Authority) -> None:
    stream = Stream().settings(5).audited(3)
    with pytest.raises(AuthorityConflictError):
        authority.append(stream.batch(2), None)
    whole = stream.batch()
    with pytest.raises(AuthorityConflictError):
        authority.append(whole._replace(events=(*whole.events[:2], *whole.events[3:])), None)
    with pytest.raises(AuthorityConflictError):
        authority.append(whole._replace(events=whole.events[1:]), None)
    with pytest.raises(AuthorityConflictError):
        authority.append(stream.batch(audits_after=1), None)
    assert authority.streams() == []


def test_an_entry_that_does_not_follow_from_the_one_before_is_refused(authority: Authority) -> None:
    stream = Stream().settings(2)
    forged = stream.events[1]._replace(payload='{"value":"forged"}')
    batch = stream.batch()
    assert (
        refusal(lambda: authority.append(batch._replace(events=(stream.events[0], forged)), None)) == "append_refused"
    )
    audits = Stream().audited(2).batch()
    bad = audits.audits[1]._replace(actor="somebody")
    assert refusal(lambda: authority.append(audits._replace(audits=(audits.audits[0], bad)), None)) == "append_refused"
    assert authority.streams() == []


def test_a_kind_that_is_not_known_is_refused(authority: Authority) -> None:
    stream = Stream()
    stream.event("WishGranted", "x", {"value": "x"})
    assert refusal(lambda: authority.append(stream.batch(), None)) == "append_refused"


def test_a_stream_without_its_campaign_is_refused(authority: Authority) -> None:
    assert refusal(lambda: authority.append(Stream("camp-9").settings(1).batch(), None)) == "append_refused"


def test_each_append_tells_where_the_workspace_s_own_stream_ends(authority: Authority) -> None:
    authority.append(Stream().settings(4).batch(), None)
    assert authority.append(Stream(CAMPAIGN).created().batch(), None) == Appended(1, 0, 4)


def test_of_many_who_append_at_one_place_exactly_one_succeeds(world: World) -> None:
    done: list[str] = []
    together = threading.Barrier(4)

    def append(view: Authority, seed: str) -> None:
        batch = Stream(seed=seed).settings(3).batch()
        together.wait()
        try:
            view.append(batch, None)
        except AuthorityConflictError:
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


def test_pages_put_together_are_the_log(authority: Authority) -> None:
    stream = Stream().settings(25)
    authority.append(stream.batch(), None)
    pulled: list[LoggedEvent] = []
    while page := authority.pull_events(WORKSPACE, len(pulled), 10):
        assert len(page) <= 10
        pulled += page
    assert pulled == stream.events
    assert list(authority.pull_events("unknown", 0, 10)) == []


def test_a_page_of_large_entries_ends_early_and_the_next_goes_on(authority: Authority) -> None:
    stream = Stream().settings(7, size=120_000)  # about 0.7 MB each, escaped
    for begin in range(7):
        authority.append(stream.batch(begin, begin + 1), None)
    first = authority.pull_events(WORKSPACE, 0, 100)
    assert 0 < len(first) < 7
    assert [*first, *authority.pull_events(WORKSPACE, len(first), 100)] == stream.events


# --- users apart ---


def test_users_know_nothing_of_each_other(world: World) -> None:
    ada, eve = world.view("ada"), world.view("eve")
    stream = Stream().settings(2).audited(1)
    ada.append(stream.batch(), None)
    ada.put_blob(SHA, 0, 1, b"ada's")
    assert ada.acquire_lease("laptop", "Ada's laptop", 60).fence == 1
    assert eve.streams() == []
    assert list(eve.pull_events(WORKSPACE, 0, 10)) == []
    assert list(eve.pull_audits(WORKSPACE, 0, 10)) == []
    assert eve.get_blob(SHA, 0) is None
    assert eve.acquire_lease("laptop", "Eve's laptop", 60).fence == 1
    assert eve.append(Stream(seed="eve").settings(1).batch(), None) == Appended(1, 0, 1)
    assert list(ada.pull_events(WORKSPACE, 0, 10)) == stream.events


# --- the lease ---


def test_one_device_holds_the_lease_and_the_others_are_told_which(authority: Authority) -> None:
    mine = authority.acquire_lease("laptop", "Laptop", 60)
    assert (mine.fence, mine.device_id, mine.wanted_by) == (1, "laptop", "")
    assert 50 < mine.seconds <= 60
    theirs = authority.acquire_lease("desktop", "Desktop", 60)
    assert (theirs.fence, theirs.device_id, theirs.device_name, theirs.wanted_by) == (0, "laptop", "Laptop", "")
    again = authority.acquire_lease("laptop", "My laptop", 90)
    assert (again.fence, again.device_name) == (2, "My laptop")
    assert again.seconds > 80
    authority.release_lease("laptop", mine.fence)  # late: it holds the next one by now
    assert authority.acquire_lease("desktop", "Desktop", 60).fence == 0


def test_take_over_asks_and_does_not_take(authority: Authority) -> None:
    mine = authority.acquire_lease("laptop", "Laptop", 60)
    asked = authority.acquire_lease("desktop", "Desktop", 60, take_over=True)
    assert (asked.fence, asked.device_id, asked.wanted_by) == (0, "laptop", "Desktop")
    kept = authority.renew_lease("laptop", mine.fence, 60)
    assert (kept.fence, kept.wanted_by) == (1, "Desktop")
    authority.release_lease("laptop", mine.fence)
    taken = authority.acquire_lease("desktop", "Desktop", 60)
    assert (taken.fence, taken.device_id, taken.wanted_by) == (2, "desktop", "")


def test_a_lease_that_ran_out_goes_to_whoever_asks_and_its_fence_is_worth_nothing(world: World) -> None:
    authority = world.view("ada")
    mine = authority.acquire_lease("laptop", "Laptop", 60)
    world.advance(61)
    assert refusal(lambda: authority.renew_lease("laptop", mine.fence, 60)) == "lease_lost"
    assert authority.acquire_lease("desktop", "Desktop", 60).fence == 2
    assert refusal(lambda: authority.renew_lease("laptop", mine.fence, 60)) == "lease_lost"
    authority.release_lease("laptop", mine.fence)
    assert authority.acquire_lease("laptop", "Laptop", 60).device_id == "desktop"


def test_only_under_the_lease_is_recorded_what_only_the_acting_device_may(world: World) -> None:
    authority = world.view("ada")
    stream = Stream(CAMPAIGN).created()
    authority.append(stream.batch(), None)
    stream.intended()
    assert refusal(lambda: authority.append(stream.batch(1), None)) == "lease_lost"
    assert refusal(lambda: authority.append(stream.batch(1), 0)) == "lease_lost"
    lease = authority.acquire_lease("laptop", "Laptop", 60)
    assert refusal(lambda: authority.append(stream.batch(1), lease.fence + 1)) == "lease_lost"
    assert authority.append(stream.batch(1), lease.fence).event_seq == 2
    world.advance(61)
    assert authority.append(stream.batch(1), lease.fence).event_seq == 2, "it is there already"
    stream.intended()
    assert refusal(lambda: authority.append(stream.batch(2), lease.fence)) == "lease_lost"


def test_a_revoked_device_gets_no_lease_and_keeps_none(authority: Authority) -> None:
    workspace, campaign = Stream(), Stream(CAMPAIGN).created()
    workspace.event("DeviceJoined", "laptop", {"name": "Laptop", "created_at": 1})
    authority.append(workspace.batch(), None)
    authority.append(campaign.batch(), None)
    lease = authority.acquire_lease("laptop", "Laptop", 60)
    workspace.event("DeviceRevoked", "laptop", {"revoked_at": 2})
    authority.append(workspace.batch(1), None)
    campaign.intended()
    assert refusal(lambda: authority.append(campaign.batch(1), lease.fence)) == "lease_lost"
    assert refusal(lambda: authority.renew_lease("laptop", lease.fence, 60)) == "lease_lost"
    assert refusal(lambda: authority.acquire_lease("laptop", "Laptop", 60)) == "lease_lost"


def test_of_many_who_ask_for_the_lease_exactly_one_gets_it(world: World) -> None:
    fences: dict[str, int] = {}
    together = threading.Barrier(6)

    def ask(view: Authority, device: str) -> None:
        together.wait()
        fences[device] = view.acquire_lease(device, device, 60).fence

    threads = [threading.Thread(target=ask, args=(world.view("ada"), f"device {n}")) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(fences.values()) == [0, 0, 0, 0, 0, 1]


# --- files ---


def test_a_file_comes_back_part_by_part(authority: Authority) -> None:
    parts = (bytes(range(256)) * 4_096, b"the rest \x00\xff", b"")
    for number, part in enumerate(parts):
        authority.put_blob(SHA, number, 3, part)
        authority.put_blob(SHA, number, 3, part)
    assert [authority.get_blob(SHA, number) for number in range(4)] == [*parts, None]
    assert authority.get_blob("f" * 64, 0) is None


def test_what_is_no_part_of_a_file_is_refused(authority: Authority) -> None:
    assert refusal(lambda: authority.put_blob("../etc/passwd", 0, 1, b"")) == "append_refused"
    assert refusal(lambda: authority.put_blob(SHA, 1, 1, b"")) == "append_refused"
    assert refusal(lambda: authority.put_blob(SHA, 0, 1, bytes(MOST_PART + 1))) == "append_refused"
