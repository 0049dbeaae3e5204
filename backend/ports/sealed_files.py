"""Small files of this device that nobody reads without its key: the data key, and the sign-in."""

from typing import Protocol


class SealedFiles(Protocol):
    """Named, few, small, each whole or not there. Every method raises `vault_locked` while the device's key is not at hand."""

    @property
    def is_open(self) -> bool:
        """Whether the device's key is at hand, so that nobody is asked for it."""
        ...

    def read(self, name: str) -> bytes | None:
        """What was kept, or None. Raises `sealed_file_damaged`."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Keep it, in place of what was kept."""
        ...

    def remove(self, name: str) -> None:
        """Keep it no more; nothing if there is none."""
        ...

    def where(self) -> str:
        """Where the key to them is, for people."""
        ...
