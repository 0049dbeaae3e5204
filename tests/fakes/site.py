"""The `Site` that tests use: the practice network's own core in this process, without HTTP, browser or disk."""

from collections.abc import Callable, Sequence
from typing import Any, cast

from backend.practice.ledger import Entry, Ledger
from backend.practice.network import Network
from backend.practice.network_store import NetworkStore
from backend.practice.people import People, recent_activity
from tests.fakes.direct_site import DirectPracticeSite

__all__ = ["DirectPracticeSite", "MemoryLedger", "direct_site", "practice_exchange"]

NOON = 1_780_000_000_000 // 86_400_000 * 86_400_000 + 12 * 3_600_000


class MemoryLedger:
    """A ledger that is gone with the test."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, entries: Sequence[Entry]) -> None:
        self.entries.extend(entries)

    def close(self) -> None:
        pass


def crash() -> None:
    raise ConnectionResetError("the practice network crashed")


def practice_exchange(
    seed: str = "fieldnote", people: int = 50, now: int = NOON, real_now: Callable[[], int] = lambda: 0
) -> NetworkStore:
    """A practice network in memory; what would end its process raises `ConnectionResetError`.

    What is late waits for `real_now` (ms).
    """
    ledger = MemoryLedger()
    ledger.append([Entry(1, now, "clock", detail={"seed": seed, "people": people})])
    return NetworkStore(cast(Ledger, ledger), Network(People(seed, people), ledger.entries), crash, real_now)


def direct_site(exchange: NetworkStore | None = None, timeout: float = 10.0) -> DirectPracticeSite:
    """A site on the exchange, or on a new one."""
    exchange = exchange or practice_exchange()
    seed = exchange.read(lambda network: network.people.seed)

    def posts(person: Any, now: int) -> tuple[str, ...]:
        return tuple(post.text for post in recent_activity(seed, person, now))

    return DirectPracticeSite(exchange, timeout=timeout, posts=posts)
