"""Which device acts next: what uses the lease on this one, whether the user wants it here, and who else asks for it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.ports.shared_store import SharedStore
from backend.runtime.sync.lease import LeaseKeeper
from backend.store.database import Database
from backend.store.queries.device import devices

HANDOVER_PAUSE_SECONDS = 10.0
"""How long nothing begins here by itself after it was handed over: the other device must have time to ask again."""


@dataclass
class Handover:
    """Safe from any thread. `on_wanted` hears that this device is to stop acting, and the name of the one that acts next."""

    lease: LeaseKeeper
    database: Database
    clock: Clock
    on_wanted: Callable[[str], None]
    requested: bool = False
    """Whether the device that acts is asked to hand over, again and again until it has."""
    acts: int = 0
    """How many act here; `users` are also those that wait for the lease."""
    users: int = 0
    _announced: bool = False
    _next_device: tuple[str, float] = ("", 0.0)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def using(self) -> Iterator[None]:
        """While something acts here, or waits for the lease."""
        with self._lock:
            self.users += 1
        try:
            yield
        finally:
            with self._lock:
                self.users -= 1

    @contextmanager
    def acting(self) -> Iterator[None]:
        """While something acts here under the lease."""
        with self._lock:
            self.acts += 1
            self._announced = False
        try:
            yield
        finally:
            with self._lock:
                self.acts -= 1

    def acquire(self, shared_store: SharedStore) -> bool:
        """False while its holder is asked to hand it over. Raises `lease_held_elsewhere` if nobody asks for that."""
        device, until = self._next_device
        if not self.requested and self.clock.ticks() / 1e6 < until:
            raise OutriderError("lease_held_elsewhere", device=device)
        if self.lease.may_begin_act() and not self._announced:
            return True  # a new fence would stop what acts here already
        if self.ask_for_lease(shared_store, take_over=self.requested):
            self.requested = False
            return True
        if not self.requested:
            raise OutriderError("lease_held_elsewhere", device=self.lease.other_holder)
        return False

    def ask_for_lease(self, shared_store: SharedStore, *, take_over: bool = False) -> bool:
        """By the name that this device has by now: other devices tell their users by it who acts."""
        device = self.database.query(devices.device, self.lease.device.id)
        if device is not None:
            self.lease.device = self.lease.device._replace(name=device.name)
        return self.lease.acquire(shared_store, take_over=take_over)

    def release_if_idle(self, shared_store: SharedStore) -> None:
        """Give the lease back once nothing here uses it."""
        with self._lock:
            free = not self.users and self.lease.held
        if free:
            self.lease.release(shared_store)

    def announce(self, name: str) -> None:
        """Another device acts next, or does already."""
        with self._lock:
            announced, self._announced = self._announced, True
            self._next_device = name, self.clock.ticks() / 1e6 + HANDOVER_PAUSE_SECONDS
        if not announced:
            self.on_wanted(name)
