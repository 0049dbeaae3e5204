"""Sealed files in memory, for tests."""

from backend.domain.values.errors import OutriderError


class OpenFiles:
    """Keeps what it is given; `locked` until it is not."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.locked = False

    @property
    def is_open(self) -> bool:
        return not self.locked

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
            raise OutriderError("keychain_locked")
