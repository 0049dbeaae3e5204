"""Whether SQLite had to prepare a statement."""

import sqlite3
from collections.abc import Callable


class Prepared:
    """Counts what SQLite asks when it prepares statements of a connection, and only then."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.asked = 0
        connection.set_authorizer(self._allow)  # which by itself has all of them prepared anew

    def _allow(self, *_: object) -> int:
        self.asked += 1
        return sqlite3.SQLITE_OK

    def during(self, work: Callable[[], object]) -> bool:
        """Whether any was prepared meanwhile."""
        before = self.asked
        work()
        return self.asked != before
