"""The one place where decide, append and fold happen together, under one lock."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from backend.practice.encounter import Encounter, meet, turn_away
from backend.practice.entry import Entry
from backend.practice.faults import Moment
from backend.practice.ledger import Ledger
from backend.practice.network import Network
from backend.practice.people import People

T = TypeVar("T")

DEFAULT_SEED = "fieldnote"
DEFAULT_PEOPLE = 2_000
CRASH_STATUS = 70


def die() -> None:
    """End as a crash does: no clean-up, no flush, no answer."""
    os._exit(CRASH_STATUS)


class Exchange:
    """A network and its ledger, safe to use from many threads."""

    def __init__(self, ledger: Ledger, network: Network, crash: Callable[[], None] = die) -> None:
        self.ledger = ledger
        self.network = network
        self._crash = crash
        self._lock = threading.RLock()

    @classmethod
    def open(
        cls,
        ledger_path: Path,
        *,
        seed: int | str = DEFAULT_SEED,
        people: int = DEFAULT_PEOPLE,
        now: int | None = None,
        crash: Callable[[], None] = die,
    ) -> "Exchange":
        """Rebuild the state from the ledger; seed, people and now count only at the first start."""
        ledger = Ledger(ledger_path)
        if ledger.entries:
            first = ledger.entries[0].detail
            seed, people = first["seed"], first["people"]
        else:
            start = int(time.time() * 1000) if now is None else now
            detail = {"seed": str(seed), "people": people}
            ledger.append([Entry(1, start, "clock", detail=detail)])
        return cls(ledger, Network(People(seed, people), ledger.entries), crash)

    def read(self, look: Callable[[Network], T]) -> T:
        with self._lock:
            return look(self.network)

    def record(self, decide: Callable[[Network], Entry | None]) -> Entry | None:
        """Decide, write, apply; the entry is on the disk when this returns."""
        with self._lock:
            entry = decide(self.network)
            if entry is not None:
                self._write((entry,))
            return entry

    def meet(self, moment: Moment, *, slug: str = "", text: str = "", session: str = "") -> Encounter:
        """A signed-in request; does not sleep for a slow fault, which is the caller's to do outside the lock."""
        with self._lock:
            encounter = meet(self.network, moment, self.network.now, slug=slug, text=text, session=session)
            self._write(encounter.entries)
            if encounter.crash:
                self._crash()
            return encounter

    def turn_away(self, moment: Moment, slug: str, text: str) -> Encounter:
        with self._lock:
            encounter = turn_away(self.network, moment, self.network.now, slug, text)
            self._write(encounter.entries)
            return encounter

    def entries(self, after: int = 0) -> list[Entry]:
        with self._lock:
            return self.ledger.entries[max(after, 0) :]

    def close(self) -> None:
        with self._lock:
            self.ledger.close()

    def _write(self, entries: tuple[Entry, ...]) -> None:
        self.ledger.append(entries)
        for entry in entries:
            self.network.fold(entry)
