"""The one place where decide, append and fold happen together, under one lock."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from backend.practice.faults import FaultPoint
from backend.practice.ledger import Entry, Ledger
from backend.practice.network import Network
from backend.practice.people import People
from backend.practice.request_outcome import RequestOutcome, handle_request, refuse_signed_out

T = TypeVar("T")

DEFAULT_SEED = "fieldnote"
DEFAULT_PEOPLE = 2_000
CRASH_STATUS = 70


def crash_process() -> None:
    """End as a crash does: no clean-up, no flush, no answer."""
    os._exit(CRASH_STATUS)


def real_now() -> int:
    """Milliseconds UTC, whatever the network's own clock says."""
    return time.time_ns() // 1_000_000


class HeldRequest(NamedTuple):
    """A request that has not arrived yet; gone with the process, as what is on its way is."""

    due: int
    moment: FaultPoint
    slug: str
    text: str


class NetworkStore:
    """A network and its ledger, safe to use from many threads.

    What is late is carried out when its time has come by `real_now` (ms): before whatever else is asked, and by whoever
    calls `carry_out_due`.
    """

    def __init__(
        self,
        ledger: Ledger,
        network: Network,
        crash: Callable[[], None] = crash_process,
        real_now: Callable[[], int] = real_now,
    ) -> None:
        self.ledger = ledger
        self.network = network
        self._crash = crash
        self._real_now = real_now
        self._lock = threading.RLock()
        self._held: list[HeldRequest] = []
        # A clock that was set back must not make anything later than it was to be.
        started = real_now()
        self._due = {
            n: min(entry.detail["due"], started + entry.detail["ms"]) for n, entry in network.postponed.items()
        }

    @classmethod
    def open(
        cls,
        ledger_path: Path,
        *,
        seed: int | str = DEFAULT_SEED,
        people: int = DEFAULT_PEOPLE,
        now: int | None = None,
        crash: Callable[[], None] = crash_process,
        real_now: Callable[[], int] = real_now,
    ) -> "NetworkStore":
        """Rebuild the state from the ledger; seed, people and now count only at the first start."""
        ledger = Ledger(ledger_path)
        if ledger.entries:
            first = ledger.entries[0].detail
            seed, people = first["seed"], first["people"]
        else:
            start = int(time.time() * 1000) if now is None else now
            detail = {"seed": str(seed), "people": people}
            ledger.append([Entry(1, start, "clock", detail=detail)])
        return cls(ledger, Network(People(seed, people), ledger.entries), crash, real_now)

    def read(self, look: Callable[[Network], T]) -> T:
        with self._lock:
            self.carry_out_due()
            return look(self.network)

    def record(self, decide: Callable[[Network], Entry | None]) -> Entry | None:
        """Decide, write, apply; the entry is on the disk when this returns."""
        with self._lock:
            self.carry_out_due()
            entry = decide(self.network)
            if entry is not None:
                self._write((entry,))
            return entry

    def handle_request(
        self, moment: FaultPoint, *, slug: str = "", text: str = "", session: str = ""
    ) -> RequestOutcome:
        """A signed-in request; does not sleep for a slow fault, which is the caller's to do outside the lock."""
        with self._lock:
            self.carry_out_due()
            encounter = handle_request(
                self.network, moment, self.network.now, slug=slug, text=text, session=session, real_now=self._real_now()
            )
            self._write(encounter.entries)
            if encounter.crash:
                self._crash()
            return encounter

    def hold(self, moment: FaultPoint, *, slug: str = "") -> int:
        """How many ms this request is held back before it arrives; the caller does that, outside the lock."""
        with self._lock:
            numbered_fault = self.network.faults.holding(moment, slug)
            if numbered_fault is None:
                return 0
            number, fault = numbered_fault
            self._write((self.network.fired(number, fault.kind, moment, slug, self.network.now),))
            return fault.ms

    def receive_later(self, ms: int, moment: FaultPoint, *, slug: str, text: str) -> None:
        """For a caller that cannot wait: the request arrives by itself in so many ms."""
        with self._lock:
            self._held.append(HeldRequest(self._real_now() + ms, moment, slug, text))

    def carry_out_due(self) -> None:
        """Everything late whose time has come."""
        with self._lock:
            if not self._held and not self._due:
                return
            now = self._real_now()
            for number in sorted(n for n, due in self._due.items() if due <= now):
                self._write((self.network.carry_out(self.network.postponed[number], self.network.now),))
            arrived = [request for request in self._held if request.due <= now]
            self._held = [request for request in self._held if request.due > now]
            for request in arrived:
                self._write((self.network.receive(request.moment, request.slug, request.text, self.network.now),))

    def refuse_signed_out(self, moment: FaultPoint, slug: str, text: str) -> RequestOutcome:
        with self._lock:
            encounter = refuse_signed_out(self.network, moment, self.network.now, slug, text)
            self._write(encounter.entries)
            return encounter

    def entries(self, after: int = 0) -> list[Entry]:
        with self._lock:
            self.carry_out_due()
            return self.ledger.entries[max(after, 0) :]

    def close(self) -> None:
        with self._lock:
            self.ledger.close()

    def _write(self, entries: tuple[Entry, ...]) -> None:
        self.ledger.append(entries)
        for entry in entries:
            self.network.fold(entry)
            self._due.pop(entry.detail.get("postponed", 0), None)
            if entry.kind == "postponed":
                self._due[entry.n] = entry.detail["due"]
