"""Ways out for tests: the real list with nobody on it, and a door that writes down who left."""

from collections.abc import Iterator
from contextlib import contextmanager

from backend.adapters.clocks import SystemClock
from backend.adapters.egress_guard import EgressGuard
from backend.domain.values.errors import OutriderError
from backend.ports.egress import OutgoingCall, Purpose


def nobody_else() -> EgressGuard:
    """Whatever stays on this machine may be called, and what is registered goes nowhere."""
    return EgressGuard(SystemClock(), list, lambda _: None)


class OpenDoor:
    """Lets everybody out who was named, and writes down what they took: (host, purpose, call)."""

    def __init__(self, *hosts: str) -> None:
        self.hosts = set(hosts)
        self.calls: list[tuple[str, str, OutgoingCall]] = []

    def allow(self, host: str, purpose: Purpose) -> None:
        self.hosts.add(host)

    def forbid(self, host: str, code: str) -> None:
        self.hosts.discard(host)

    @contextmanager
    def call(self, host: str, code: str) -> Iterator[OutgoingCall]:
        if host not in self.hosts:
            raise OutriderError("host_not_allowed", host=host)
        made = OutgoingCall()
        self.calls.append((host, code, made))
        yield made

    @contextmanager
    def call_once(self, host: str, code: str, *, local_network_only: bool) -> Iterator[OutgoingCall]:
        made = OutgoingCall()
        self.calls.append((host, code, made))
        yield made
