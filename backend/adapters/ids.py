"""Ids and salts from the operating system's randomness."""

import os

from ulid import ULID


class SystemIds:
    """ULIDs: sortable by time, unique without a registry."""

    def new(self) -> str:
        """A new id of 26 characters."""
        return str(ULID())

    def salt(self) -> bytes:
        """16 random bytes."""
        return os.urandom(16)
