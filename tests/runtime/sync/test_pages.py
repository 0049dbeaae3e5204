"""Pages come in order, whole, and several are under way at a time."""

import threading
import time
from collections.abc import Sequence

import pytest

from backend.ports.shared_store import LoggedEvent, SharedStoreUnreachableError
from backend.runtime.sync.pages import PageLimits, pages
from backend.runtime.worker import THREADS
from tests.fakes.clock import FakeClock
from tests.fakes.entries import Stream
from tests.patience import PATIENCE
from tests.runtime.sync.conftest import Machine

LOG = Stream().settings(100).events


def told(after: int, most: int) -> Sequence[LoggedEvent]:
    return LOG[after : after + most]


def seqs(pages: Sequence[Sequence[LoggedEvent]]) -> list[int]:
    return [entry.seq for page in pages for entry in page]


@pytest.mark.parametrize("in_flight", [1, 3, 50])
@pytest.mark.parametrize(("after", "end"), [(0, 100), (7, 93), (40, 41), (50, 50)])
def test_every_entry_comes_once_and_in_order(in_flight: int, after: int, end: int) -> None:
    fetched = list(pages(told, after, end, PageLimits(10, in_flight), THREADS))
    assert seqs(fetched) == list(range(after + 1, end + 1))


def test_so_many_pages_are_under_way_at_once_and_no_more() -> None:
    together, under_way, most_under_way = threading.Barrier(4), 0, 0
    counting = threading.Lock()

    def ask(after: int, most: int) -> Sequence[LoggedEvent]:
        nonlocal under_way, most_under_way
        with counting:
            under_way += 1
            most_under_way = max(under_way, most_under_way)
        together.wait(PATIENCE)  # four are here, or nobody goes on
        with counting:
            under_way -= 1
        return told(after, most)

    fetched = list(pages(ask, 0, 80, PageLimits(10, 4), THREADS))
    assert seqs(fetched) == list(range(1, 81))
    assert most_under_way == 4


def test_over_fifty_milliseconds_of_delay_they_come_three_times_as_fast() -> None:
    def far_away(after: int, most: int) -> Sequence[LoggedEvent]:
        time.sleep(0.05)
        return told(after, most)

    def seconds(in_flight: int) -> float:
        began = time.perf_counter()
        assert seqs(list(pages(far_away, 0, 100, PageLimits(4, in_flight), THREADS))) == list(range(1, 101))
        return time.perf_counter() - began

    one_at_a_time = seconds(1)
    # Once is enough, and a busy machine needs more tries.
    assert any(seconds(PageLimits().in_flight) < one_at_a_time / 3 for _ in range(30))


def test_a_page_too_large_for_one_answer_is_completed_before_the_next_one() -> None:
    fetched = list(pages(lambda after, most: told(after, min(most, 3)), 0, 100, PageLimits(10, 3), THREADS))
    assert seqs(fetched) == list(range(1, 101))


def test_what_is_not_there_ends_it_and_an_error_is_raised_in_its_place() -> None:
    assert seqs(list(pages(told, 90, 120, PageLimits(5, 2), THREADS))) == list(range(91, 101))

    def breaks(after: int, most: int) -> Sequence[LoggedEvent]:
        if after == 20:
            raise SharedStoreUnreachableError("the line broke")
        return told(after, most)

    fetched = pages(breaks, 0, 100, PageLimits(10, 8), THREADS)
    assert seqs([next(fetched), next(fetched)]) == list(range(1, 21))
    with pytest.raises(SharedStoreUnreachableError):
        next(fetched)


def test_a_first_download_tells_how_far_it_is_and_how_long_it_still_takes(
    desk: Machine, laptop: Machine, clock: FakeClock
) -> None:
    for number in range(40):
        desk.configure(f"n{number}", "1")
    desk.engine.run_round()
    laptop.restart(PageLimits(entries=10, in_flight=1))
    pull = laptop.shared_store.pull_events

    def slowly(campaign_id: str, after: int, most: int) -> Sequence[LoggedEvent]:
        clock.advance(3_000)
        return pull(campaign_id, after, most)

    laptop.shared_store.pull_events = slowly  # type: ignore[method-assign]
    laptop.engine.run_round()
    heard = [(state.pulled, state.to_pull, state.pull_seconds_left) for state in laptop.heard if state.to_pull]
    assert heard == [(10, 40, 9), (20, 40, 6), (30, 40, 3), (40, 40, 0)]
    assert laptop.engine.report.state().to_pull == 0
