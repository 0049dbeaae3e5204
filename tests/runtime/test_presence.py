"""Presence by the open pages: it ends by itself, and where something ran, only the user's word brings it back."""

import pytest

from backend.runtime.run.presence import GRACE_MS, MOST_PAGES, PagePresence
from tests.fakes.clock import FakeClock

MINUTE = 60_000


class Room:
    """A clock, pages, and a campaign that runs or not."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.running = True
        self.told: list[int | None] = []
        self.presence = PagePresence(self.clock, minutes=10, runs=lambda: self.running, on_change=self.told.append)

    @property
    def here(self) -> bool:
        return self.presence.is_present(0)

    def pass_by(self, milliseconds: int) -> None:
        """Time in which the loop looks every second or so."""
        for _ in range(10):
            self.clock.advance(milliseconds // 10)
            _ = self.here


@pytest.fixture
def room() -> Room:
    room = Room()
    room.presence.resume()
    room.presence.report_active("a", 0)
    assert room.here
    room.told.clear()
    return room


def test_nobody_is_here_before_a_page_says_so() -> None:
    room = Room()
    assert not room.here
    room.presence.report_active("a", 10 * MINUTE + 1)
    assert not room.here, "it was not used for too long"
    room.presence.report_active("a", 10 * MINUTE)
    assert room.here


def test_without_input_presence_ends_after_the_minutes_that_were_set(room: Room) -> None:
    for minute in range(1, 11):
        room.clock.advance(MINUTE)
        room.presence.report_active(
            "a", minute * MINUTE
        )  # the page is still seen, and says truthfully since when nobody uses it
        assert room.here
    room.clock.advance(1)
    assert not room.here


@pytest.mark.parametrize("end", ["hidden", "leave", "silence"])
def test_when_it_ended_while_a_campaign_runs_only_the_user_s_word_brings_it_back(room: Room, end: str) -> None:
    if end == "hidden":
        room.presence.hidden("a")
    elif end == "leave":
        room.presence.leave()
    room.pass_by(GRACE_MS + 10 if end != "silence" else 10 * MINUTE + 10)
    assert not room.here
    (since,) = room.told
    assert since is not None
    assert room.clock.time - since <= 2 * MINUTE

    room.presence.report_active("a", 0)
    assert not room.here, "a movement of the mouse is no decision"
    room.presence.resume()
    assert room.here
    assert room.told == [since, None]


def test_a_glance_elsewhere_is_no_absence(room: Room) -> None:
    room.presence.hidden("a")
    room.pass_by(GRACE_MS)
    assert room.here
    room.presence.report_active("a", 0)
    room.pass_by(MINUTE)
    assert room.here
    assert room.told == []


def test_a_hidden_page_does_not_end_the_presence_at_another(room: Room) -> None:
    room.presence.report_active("b", 0)
    room.presence.hidden("a")
    room.pass_by(MINUTE)
    assert room.here
    room.presence.hidden("b")
    room.pass_by(MINUTE)
    assert not room.here


def test_a_command_counts_only_as_long_as_its_page_is_seen() -> None:
    room = Room()
    room.presence.resume()
    assert room.here
    room.presence.hidden("a")
    room.pass_by(GRACE_MS + 10)
    assert not room.here


def test_where_nothing_ran_nothing_is_asked(room: Room) -> None:
    room.running = False
    room.presence.hidden("a")
    room.pass_by(MINUTE)
    assert not room.here
    room.presence.report_active("a", 0)
    assert room.here
    assert room.told == []


def test_a_run_that_ended_meanwhile_takes_the_question_with_it(room: Room) -> None:
    room.presence.leave()
    room.pass_by(MINUTE)
    room.running = False
    room.presence.report_active("a", 0)
    assert room.here


def test_a_machine_that_slept_asks_even_if_the_mouse_is_quicker_than_the_loop(room: Room) -> None:
    room.clock.sleep(5 * MINUTE)
    room.presence.report_active("a", 0)
    assert not room.here
    assert len(room.told) == 1


@pytest.mark.parametrize("days", [-1, 1])
def test_a_clock_that_was_set_asks(room: Room, days: int) -> None:
    room.clock.set_forward(days * 24 * 60 * MINUTE)
    assert not room.here
    room.presence.resume()
    assert room.here


def test_a_small_correction_of_the_clock_is_none(room: Room) -> None:
    room.clock.set_forward(-2_000)
    assert room.here


def test_pages_without_number_are_not_kept(room: Room) -> None:
    for number in range(1_000):
        room.presence.report_active(f"page {number}", 0)
    assert len(room.presence._signs) <= MOST_PAGES


def test_a_page_in_the_window_is_seen_only_once_the_window_says_so() -> None:
    room = Room()
    room.presence.report_active("a", 0, in_window=True)
    assert not room.here, "it is not known whether anybody can see it"
    room.presence.window_seen(True)
    room.presence.report_active("a", 0, in_window=True)
    assert room.here


def test_in_a_minimised_window_nobody_is_here_though_its_page_believes_to_be_seen() -> None:
    room = Room()
    room.presence.window_seen(True)
    room.presence.report_active("a", 0, in_window=True)
    assert room.here
    room.presence.window_seen(False)
    room.pass_by(GRACE_MS)
    assert room.here, "a glance elsewhere"
    room.presence.report_active("a", 0, in_window=True)
    room.pass_by(10)
    assert not room.here
    assert len(room.told) == 1
    room.presence.window_seen(True)
    room.presence.report_active("a", 0, in_window=True)
    assert not room.here, "being back is no decision"
    room.presence.resume()
    assert room.here


def test_what_ended_while_nobody_looked_does_not_come_back_with_the_window() -> None:
    room = Room()
    room.presence.window_seen(True)
    room.presence.report_active("a", 0, in_window=True)
    room.presence.window_seen(False)
    room.presence.window_seen(False)
    room.clock.advance(GRACE_MS + 10)
    room.presence.window_seen(True)
    assert not room.here
    assert len(room.told) == 1


def test_a_command_from_the_window_counts_no_longer_than_the_window_is_seen() -> None:
    room = Room()
    room.presence.window_seen(True)
    room.presence.report_active("a", 0, in_window=True)
    room.presence.resume()
    room.presence.window_seen(False)
    room.pass_by(GRACE_MS + 10)
    assert not room.here


def test_a_minimised_window_does_not_end_the_presence_in_a_browser() -> None:
    room = Room()
    room.presence.window_seen(True)
    room.presence.report_active("a", 0, in_window=True)
    room.presence.report_active("b", 0)
    room.presence.window_seen(False)
    room.pass_by(MINUTE)
    assert room.here
