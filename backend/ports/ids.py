"""Identity and salt, as recorded inputs."""

from typing import Protocol


class Ids(Protocol):
    """Where ids and salts come from; tests pass a seeded one and get the same log every time."""

    def new(self) -> str:
        """A new sortable id, unique in the world (26 characters)."""

    def salt(self) -> bytes:
        """16 bytes nobody can guess, for the digest of a payload."""
