"""One turn in flight, in order of arrival: nobody is passed over, nobody is let in beside another, nobody is left standing."""

import gc
import threading
import time
from contextlib import suppress

import pytest

from backend.domain.values.errors import OutriderError
from backend.turn.turn_queue import STOP_POLL_SECONDS, TurnQueue
from tests.fakes.campaign import in_a_thread
from tests.patience import PATIENCE


def arrived(queue: TurnQueue, count: int) -> None:
    """Wait until so many are in it or before it."""
    deadline = time.monotonic() + PATIENCE
    while queue.waiting < count:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_whoever_came_first_goes_first() -> None:
    queue, order, threads = TurnQueue(), list[int](), list[threading.Thread]()

    def go(number: int) -> None:
        with queue.turn():
            order.append(number)

    with queue.turn():
        for number in range(20):
            threads.append(threading.Thread(target=go, args=(number,)))
            threads[-1].start()
            arrived(queue, number + 2)
    for thread in threads:
        thread.join(PATIENCE)
    assert order == list(range(20))
    assert queue.waiting == 0


def test_who_comes_again_at_once_waits_behind_those_who_are_waiting() -> None:
    """A runner that wants turn after turn does not keep the assistant out."""
    queue, order = TurnQueue(), list[str]()

    def assistant() -> None:
        with queue.turn():
            order.append("assistant")

    other = threading.Thread(target=assistant)
    with queue.turn():
        other.start()
        arrived(queue, 2)
        order.append("runner")
    with queue.turn():
        order.append("runner")
    other.join(PATIENCE)
    assert order == ["runner", "assistant", "runner"]


def test_there_is_never_more_than_one_inside() -> None:
    queue, inside, most = TurnQueue(), 0, 0

    def go() -> None:
        nonlocal inside, most
        for _ in range(300):
            with suppress(ZeroDivisionError), queue.turn():
                inside += 1
                most = max(most, inside)
                inside -= 1
                raise ZeroDivisionError  # a turn that fails lets the next one through

    threads = [threading.Thread(target=go) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert (most, queue.waiting) == (1, 0)


def test_waiting_for_a_turn_is_left_to_the_scheduler() -> None:
    """A simulation lets others go on meanwhile, and no thread stands still."""
    waits: list[float] = []

    def wait(_: threading.Event, seconds: float) -> bool:
        waits.append(seconds)
        return False

    queue = TurnQueue(wait)
    with queue.turn():
        assert waits == []
        broken_off = in_a_thread(lambda: queue.turn(lambda: len(waits) == 3).__enter__())
    assert isinstance(broken_off, OutriderError)
    assert (broken_off.code, waits, queue.waiting) == ("proposer_stopped", [STOP_POLL_SECONDS] * 3, 0)


def test_who_stops_waiting_lets_nobody_in_before_their_turn() -> None:
    waiting_for: list[threading.Event] = []
    second_waits = threading.Event()

    def wait(own: threading.Event, _: float) -> bool:
        waiting_for.append(own)
        second_waits.set()
        return own is waiting_for[0] and own.wait(PATIENCE)

    queue = TurnQueue(wait)

    def second() -> None:
        with queue.turn():
            pass

    thread = threading.Thread(target=second)
    with queue.turn():
        thread.start()
        assert second_waits.wait(PATIENCE)
        assert isinstance(in_a_thread(lambda: queue.turn(lambda: True).__enter__()), OutriderError)
        assert not waiting_for[0].is_set(), "the first has not left"
    thread.join(PATIENCE)
    assert (waiting_for[0].is_set(), queue.waiting) == (True, 0)


def test_leaving_another_queue_says_nothing_about_this_one() -> None:
    queue, other = TurnQueue(), TurnQueue()
    left_open = other.turn()
    left_open.__enter__()
    with queue.turn():
        del left_open  # whoever held it is gone: it is left whenever Python collects it
        gc.collect()
        with pytest.raises(OutriderError) as refused, queue.turn(stopped=lambda: True):
            raise AssertionError("it waited for itself")
        assert refused.value.code == "turn_in_flight"
    assert queue.waiting == 0
