"""Sealed files in memory, and an open door to the outside: for tests."""

from collections.abc import Iterator
from contextlib import contextmanager

from backend.domain.errors import OutriderError
from backend.ports.outgoing import Call, Purpose


class OpenFiles:
    """Keeps what it is given; `locked` until it is not."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.locked = False

    def read(self, name: str) -> bytes | None:
        self._look()
        return self.kept.get(name)

    def write(self, name: str, content: bytes) -> None:
        self._look()
        self.kept[name] = content

    def remove(self, name: str) -> None:
        self._look()
        self.kept.pop(name, None)

    def where(self) -> str:
        return "the tester's pocket"

    def _look(self) -> None:
        if self.locked:
            raise OutriderError("vault_locked")


class OpenDoor:
    """Lets everybody out who was named, and writes down what they took: (host, purpose, call)."""

    def __init__(self, *hosts: str) -> None:
        self.hosts = set(hosts)
        self.calls: list[tuple[str, str, Call]] = []

    def allow(self, host: str, purpose: Purpose) -> None:
        self.hosts.add(host)

    def forbid(self, host: str, code: str) -> None:
        self.hosts.discard(host)

    @contextmanager
    def call(self, host: str, code: str) -> Iterator[Call]:
        if host not in self.hosts:
            raise OutriderError("host_not_allowed", host=host)
        made = Call()
        self.calls.append((host, code, made))
        yield made
