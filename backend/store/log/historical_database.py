"""A campaign as it was: its log folded into a scratch database that moves to any event and back.

The fold is replay's. What lies behind is undone by SQLite's own savepoints ("marks"): on the way to an event one is set
1, 2, 4, 8, … events before it, so that going back costs about as many events as one goes back, and never begins anew.
"""

import sqlite3
from collections.abc import Iterator

from backend.domain.values.errors import OutriderError
from backend.store import migrations
from backend.store.database import Database
from backend.store.log import replay
from backend.store.queries.leads import lead_index
from backend.store.queries.people import person_index

CHUNK = 500
"""Events that are read from the log at a time: each read is short, so nothing else waits for it."""

MAX_SAVEPOINTS = 64

_ENTRIES = f"SELECT {replay.REPLAY_COLUMNS} FROM event_log WHERE campaign_id=? AND seq>? AND seq<=? ORDER BY seq"
# What people page through; the scratch has one campaign in it, so these are only for the order of a list.
_ORDERS = "CREATE INDEX past_leads ON leads(position, id); CREATE INDEX past_leads_of ON leads(status, position, id)"
_HEAD = "INSERT OR REPLACE INTO log_heads(campaign_id, event_seq, event_hash, audit_hash) VALUES (?, ?, x'', x'')"


class HistoricalDatabase:
    """One campaign's scratch database; `seq` is the event after which it stands. Used by one thread at a time."""

    def __init__(self, database: Database, campaign_id: str) -> None:
        self._database = database
        self._campaign_id = campaign_id
        self.seq = 0
        self._marks: list[int] = []
        # No name: a temporary file of SQLite's own, on disk when it grows, gone when it is closed, however we end.
        self.scratch = sqlite3.connect("", isolation_level=None, check_same_thread=False, cached_statements=512)
        try:
            migrations.copy_schema(self.scratch)
            self.scratch.executescript(_ORDERS)
            self._mark()
        except BaseException:
            self.scratch.close()
            raise

    def distance(self, to: int) -> int:
        """How many events are to be folded to get there."""
        return to - (self.seq if to >= self.seq else self._mark_before(to))

    def seek_some(self, to: int) -> bool:
        """Go nearer to event `to`, by at most `CHUNK` events; whether it is reached. Raises `past_not_foldable`."""
        if to < self.seq:
            self._back(self._mark_before(to))
        for entry in self._entries(self.seq, min(to, self.seq + CHUNK)):
            remaining = to - self.seq
            if remaining & (remaining - 1) == 0:
                self._mark()
            try:
                replay.apply(self.scratch, entry)
            except replay.NOT_FOLDABLE as error:
                self._back(self._marks[-1])  # an event is folded whole or not at all
                raise OutriderError("past_not_foldable", seq=self.seq + 1, detail=error) from error
            self.seq += 1
        person_index.index_people(self.scratch)
        lead_index.list_new_leads(self.scratch)
        if self.seq == to:
            self.scratch.execute(_HEAD, (self._campaign_id, to))
        return self.seq == to

    def close(self) -> None:
        """Give its disk back."""
        self.scratch.close()

    def _entries(self, after: int, upto: int) -> Iterator[replay.ReplayEntry]:
        with self._database.read() as connection:
            rows = connection.execute(_ENTRIES, (self._campaign_id, after, upto)).fetchall()
        if len(rows) != upto - after:
            raise OutriderError("past_not_foldable", seq=after + len(rows) + 1, detail="an entry is missing")
        return map(replay.replay_entry, rows)

    def _mark_before(self, to: int) -> int:
        return next(mark for mark in reversed(self._marks) if mark <= to)

    def _mark(self) -> None:
        if self._marks and self._marks[-1] == self.seq:
            return
        if len(self._marks) == MAX_SAVEPOINTS:  # the older half stays: SQLite forgets marks only from the newest on
            self.scratch.execute(f"RELEASE m{self._marks[MAX_SAVEPOINTS // 2]}")
            del self._marks[MAX_SAVEPOINTS // 2 :]
        self.scratch.execute(f"SAVEPOINT m{self.seq}")
        self._marks.append(self.seq)

    def _back(self, mark: int) -> None:
        self.scratch.execute(f"ROLLBACK TO m{mark}")
        del self._marks[self._marks.index(mark) + 1 :]
        self.seq = mark
