"""The live feed: every event once and in order, also over a broken connection and under concurrent commits."""

import threading
from pathlib import Path

import pytest

from backend.adapters.ids import SystemIds
from backend.domain.events.events import Event
from backend.runtime.feed import feed as feeding
from backend.runtime.feed.feed import MAX_CHANGE_CHARS, FeedClient, LiveFeed
from backend.runtime.feed.feed_messages import Events, Reset, StepTicker
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.store.replication import replica
from backend.store.replication.replica import AttachedProject
from tests.api.app import App
from tests.patience import PATIENCE


def change(value: int) -> Event:
    return Event("ConfigChanged", "k", {"value": str(value)})


def head(app: App, campaign: str) -> int:
    with app.workspace.database.read() as connection:
        (seq,) = connection.execute("SELECT event_seq FROM log_heads WHERE campaign_id=?", (campaign,)).fetchone()
    return int(seq)


@pytest.fixture
def stream(app: App, campaign: str) -> str:
    app.record(campaign, Event("ConfigSet", "k", {"value": "0"}))
    return campaign


def test_what_was_missed_comes_first_and_what_happens_after_it(app: App, stream: str) -> None:
    start = head(app, stream)
    app.record(stream, change(1), change(2))
    with app.socket(hello={"token": app.token, "after": {stream: start}}) as socket:
        assert socket.next()["heads"][stream] == start + 2
        assert socket.events_up_to(start + 2) == [start + 1, start + 2]
        app.record(stream, change(3))
        assert socket.events_up_to(start + 3) == [start + 3]


def test_a_stream_that_is_not_named_is_heard_from_now_on(app: App, stream: str) -> None:
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        now = socket.until("ready")["heads"][stream]
        app.record(stream, change(1))
        assert socket.events_up_to(now + 1) == [now + 1]


def test_reconnecting_under_concurrent_commits_leaves_no_gap_and_no_duplicate(app: App, stream: str) -> None:
    start, writers, each = head(app, stream), 3, 60

    def write() -> None:
        for n in range(each):
            app.record(stream, change(n))

    threads = [threading.Thread(target=write) for _ in range(writers)]
    goal, seen = start + writers * each, [start]
    for thread in threads:
        thread.start()
    while seen[-1] < goal:
        with app.socket(hello={"token": app.token, "after": {stream: seen[-1]}}) as socket:
            seen += [event["seq"] for event in socket.until("events")["events"]]  # then the connection is lost
    for thread in threads:
        thread.join()
    assert seen == list(range(start, goal + 1))


def test_an_event_carries_its_changes_unless_they_are_large(app: App, stream: str) -> None:
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        app.record(stream, change(4711))
        (event,) = socket.until("events")["events"]
        app.record(stream, Event("ConfigChanged", "k", {"value": "x" * MAX_CHANGE_CHARS}))
        (large,) = socket.until("events")["events"]
    assert (event["kind"], event["entity"], event["entity_id"]) == ("ConfigChanged", "config", "k")
    assert event["changes"] == {"value": "4711"}
    assert (large["entity_id"], large["changes"]) == ("k", None)


def test_a_page_that_missed_too_much_is_told_to_load_again(app: App, stream: str) -> None:
    start, missed = head(app, stream), feeding.MAX_EVENTS_BEHIND + 1
    app.record(stream, *(change(n) for n in range(missed)))
    with app.socket(hello={"token": app.token, "after": {stream: start}}) as socket:
        reset = socket.until("reset")
        assert (reset["campaign_id"], reset["seq"]) == (stream, start + missed)
        app.record(stream, change(9))
        assert socket.events_up_to(start + missed + 1) == [start + missed + 1]


def test_a_place_from_another_database_is_reset(app: App, stream: str) -> None:
    with app.socket(hello={"token": app.token, "after": {stream: 10_000}}) as socket:
        assert socket.until("reset")["seq"] == head(app, stream)


def roll_back(app: App, stream: str, after: int) -> None:
    """Another device was first: what follows on `after` leaves the log, and as many other events take its numbers."""
    journal = app.workspace.journal
    with journal.transaction() as transaction:
        if replica.project(transaction.connection) is None:
            replica.attach(transaction, AttachedProject("https://x.test", "k", "u", "", "d", "d", 1))
        audits = transaction.head(stream).audit_seq
        replica.acknowledge(transaction, stream, after, audits)
        gone = replica.roll_back_unacknowledged(transaction, stream, 1)
        theirs = [change(1_000 + n) for n in range(gone)]
        transaction.record(stream, theirs, actor="user", cause="elsewhere", at=1)


def test_a_page_loads_again_when_events_it_has_were_replaced_by_as_many_others(app: App, stream: str) -> None:
    start = head(app, stream)
    with app.socket(hello={"token": app.token, "after": {stream: start}}) as socket:
        app.record(stream, change(1), change(2))
        assert socket.events_up_to(start + 2) == [start + 1, start + 2]
        roll_back(app, stream, start)
        reset = socket.until("reset")
        assert (reset["campaign_id"], reset["seq"]) == (stream, start + 2)
        app.record(stream, change(3))
        assert socket.events_up_to(start + 3) == [start + 3]


def test_a_page_that_was_away_meanwhile_loads_again_too(app: App, stream: str) -> None:
    start = head(app, stream)
    app.record(stream, change(1), change(2))
    roll_back(app, stream, start)
    app.record(stream, change(3))
    with app.socket(hello={"token": app.token, "after": {stream: start + 2}}) as socket:
        assert socket.until("reset")["seq"] == start + 3
    with app.socket(hello={"token": app.token, "after": {}}) as socket:  # one that has loaded nothing yet need not
        socket.until("ready")
        app.record(stream, change(4))
        assert socket.next()["type"] != "reset"


def test_a_stream_that_is_rewound_while_a_page_takes_its_place_is_not_waited_for_in_vain(tmp_path: Path) -> None:
    database = Database(tmp_path / "o.db")
    journal = Journal(database, SystemIds())
    journal.record("workspace", events=[Event("ConfigSet", "k", {"value": "0"})], actor="a", cause="c", at=1)
    client = FeedClient({}, lambda: None)
    client.rewind("workspace", 0)  # after the place was read, in effect
    client.open(database)
    (message,) = client.take(database)
    assert isinstance(message, Reset)
    client.advance_to("workspace", 1)
    (events,) = client.take(database)
    assert isinstance(events, Events)
    assert [event.seq for event in events.events] == [1]
    database.close()


def test_a_past_that_was_rolled_back_is_folded_anew(app: App, stream: str) -> None:
    start = head(app, stream)
    app.record(stream, change(1))
    looking = app.launch.services.time_travel
    value = "SELECT value FROM config_kv WHERE id='k'"
    assert looking.at(stream, start + 1, lambda scratch: scratch.execute(value).fetchone()) == ("1",)
    roll_back(app, stream, start)
    assert looking.at(stream, start + 1, lambda scratch: scratch.execute(value).fetchone()) == ("1000",)


def test_what_is_transient_has_no_number_and_only_the_latest_is_kept(tmp_path: Path) -> None:
    database = Database(tmp_path / "o.db")
    live = LiveFeed(Journal(database, SystemIds()))
    client = FeedClient({}, lambda: None)
    live.subscribe(client)
    client.open(database)
    for step in range(1, 9):
        live.announce("step", StepTicker(campaign_id="c", step=step, what=""))
    assert client.wait(PATIENCE)
    (message,) = client.take(database)
    assert isinstance(message, StepTicker)
    assert message.step == 8
    assert not client.wait(0)
    live.close()
    database.close()


def test_who_comes_after_the_question_before_closing_is_not_asked(tmp_path: Path) -> None:
    database = Database(tmp_path / "o.db")
    live = LiveFeed(Journal(database, SystemIds()))
    clients = [FeedClient({}, lambda: None) for _ in range(2)]
    for client in clients:
        live.subscribe(client)
        client.open(database)
        live.ask_before_closing()
    assert [client.wait(0) for client in clients] == [True, True]
    late = FeedClient({}, lambda: None)
    live.subscribe(late)
    late.open(database)
    assert not late.wait(0)
    live.close()
    database.close()


def test_a_client_that_takes_nothing_is_cut_off(tmp_path: Path) -> None:
    database = Database(tmp_path / "o.db")
    live, cut = LiveFeed(Journal(database, SystemIds())), threading.Event()
    client = FeedClient({}, cut.set)
    live.subscribe(client)
    client.sending_since = -feeding.STALLED_SECONDS - 1  # monotonic time is never negative
    live.announce("step", StepTicker(campaign_id="c", step=1, what=""))
    assert cut.is_set()
    live.close()
    database.close()


def test_presence_ends_with_the_last_page(app: App, campaign: str) -> None:
    app.services.presence.grace_ms = -1
    left, leave = threading.Event(), app.services.presence.leave

    def leave_and_tell() -> None:
        leave()
        left.set()

    app.services.presence.leave = leave_and_tell  # type: ignore[method-assign]
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        assert app.ask("/api/presence", {"page": "p", "visible": True, "idle_ms": 0}).status == 204
        assert app.ask(f"/api/campaigns/{campaign}").json["present"] is True
    assert left.wait(PATIENCE)
    assert app.ask(f"/api/campaigns/{campaign}").json["present"] is False


def test_presence_ends_with_the_page_that_is_seen(app: App, campaign: str) -> None:
    app.services.presence.grace_ms = -1
    for visible in (True, False, True):
        assert app.ask("/api/presence", {"page": "p", "visible": visible, "idle_ms": 0}).status == 204
        assert app.ask(f"/api/campaigns/{campaign}").json["present"] is visible


def test_a_page_in_the_window_is_seen_as_long_as_the_window_is(app: App, campaign: str) -> None:
    app.services.presence.grace_ms = -1
    heartbeat = {"page": "p", "in_window": True, "visible": True, "idle_ms": 0}
    for seen in (False, True, False, True):
        app.services.presence.window_seen(seen)
        assert app.ask("/api/presence", heartbeat).status == 204
        assert app.ask(f"/api/campaigns/{campaign}").json["present"] is seen


def test_a_heartbeat_without_input_for_long_is_no_presence(app: App, campaign: str) -> None:
    app.ask("/api/presence", {"page": "p", "visible": True, "idle_ms": 601_000})
    assert app.ask(f"/api/campaigns/{campaign}").json["present"] is False


def test_closing_the_app_ends_the_sockets(app: App) -> None:
    with app.socket(hello={"token": app.token, "after": {}}) as socket:
        socket.until("ready")
        app.launch.services.feed.close()
        assert socket.closed() == (1001, "closing")
