"""One turn in flight, in order of arrival: nobody is passed over, nobody is let in beside another, nobody is left standing."""

import threading
import time
from contextlib import suppress

from backend.controller.turnstile import Turnstile

PATIENCE = 20.0


def arrived(turnstile: Turnstile, count: int) -> None:
    """Wait until so many are in it or before it."""
    deadline = time.monotonic() + PATIENCE
    while turnstile.waiting < count:
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_whoever_came_first_goes_first() -> None:
    turnstile, order, threads = Turnstile(), list[int](), list[threading.Thread]()

    def go(number: int) -> None:
        with turnstile.turn():
            order.append(number)

    with turnstile.turn():
        for number in range(20):
            threads.append(threading.Thread(target=go, args=(number,)))
            threads[-1].start()
            arrived(turnstile, number + 2)
    for thread in threads:
        thread.join(PATIENCE)
    assert order == list(range(20))
    assert turnstile.waiting == 0


def test_who_comes_again_at_once_waits_behind_those_who_are_waiting() -> None:
    """A runner that wants turn after turn does not keep the assistant out."""
    turnstile, order = Turnstile(), list[str]()

    def assistant() -> None:
        with turnstile.turn():
            order.append("assistant")

    other = threading.Thread(target=assistant)
    with turnstile.turn():
        other.start()
        arrived(turnstile, 2)
        order.append("runner")
    with turnstile.turn():
        order.append("runner")
    other.join(PATIENCE)
    assert order == ["runner", "assistant", "runner"]


def test_there_is_never_more_than_one_inside() -> None:
    turnstile, inside, most = Turnstile(), 0, 0

    def go() -> None:
        nonlocal inside, most
        for _ in range(300):
            with suppress(ZeroDivisionError), turnstile.turn():
                inside += 1
                most = max(most, inside)
                inside -= 1
                raise ZeroDivisionError  # a turn that fails lets the next one through

    threads = [threading.Thread(target=go) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert (most, turnstile.waiting) == (1, 0)
