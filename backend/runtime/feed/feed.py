"""The live feed's clients: each reads on from its own place in the event log, so there is nothing to lose or to repeat.

The log is the queue. A commit only moves the mark up to which a client may read; what a client holds in memory is one mark a
campaign and the latest transient message of each kind, whatever happens. A client that is too far behind is told to load
again (`reset`); one that takes nothing for `STALLED_SECONDS` is cut off and reconnects.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from backend.domain.values.shapes import Shape
from backend.runtime.feed.feed_messages import CloseAsked, Events, FeedEvent, Ready, Reset, TransientMessage
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.store.log.transaction import Committed
from backend.store.queries.device import logs, sync_positions

BATCH = 200
MAX_EVENTS_BEHIND = 500
"""Fewer than a batch of an import: a page loads its rows anew instead of being told each lead one by one."""
STALLED_SECONDS = 10.0
MAX_CHANGE_CHARS = 4_096
"""A larger change is not sent along: the page asks for what it shows of it."""


class FeedClient:
    """One open socket's place in every stream."""

    def __init__(self, after: Mapping[str, int], cut: Callable[[], None]) -> None:
        self.sending_since: float | None = None
        self.disconnect = cut
        self._after = dict(after)
        self._newest_positions: dict[str, int] = {}
        self._sent_positions: dict[str, int] = {}
        self._rewound: set[str] = set()
        self._transient: dict[str, Shape] = {}
        self._changed = threading.Condition()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the feed is over."""
        return self._closed

    def close(self) -> None:
        """Let `wait` return for good."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def advance_to(self, campaign_id: str, seq: int) -> None:
        """Events up to `seq` are on disk."""
        with self._changed:
            if seq > self._newest_positions.get(campaign_id, 0):
                self._newest_positions[campaign_id] = seq
                self._changed.notify_all()

    def rewind(self, campaign_id: str, seq: int) -> None:
        """The stream's last events were others than those that were sent; it ends with `seq` now."""
        with self._changed:
            self._newest_positions[campaign_id] = seq
            self._rewound.add(campaign_id)
            self._changed.notify_all()

    def send_transient(self, key: str, message: TransientMessage) -> None:
        """Something that is in no log; the latest of its key replaces the others."""
        with self._changed:
            self._transient[key] = message
            self._changed.notify_all()

    def open(self, database: Database) -> Ready:
        """Take up the places: after what was seen of the streams it names, at the end of the others."""
        with database.read() as connection:
            heads = logs.last_event_seqs(connection)
            rolled_back = sync_positions.streams_rolled_back(connection)
        with self._changed:
            for campaign_id, head in heads.items():
                if campaign_id not in self._rewound:  # meanwhile; else it has gone back behind what was read here
                    self._newest_positions[campaign_id] = max(head, self._newest_positions.get(campaign_id, 0))
                self._sent_positions[campaign_id] = self._after.get(campaign_id, head)
            # what it saw of these, before it lost the connection, may not be in the log any more
            self._rewound |= self._after.keys() & set(rolled_back)
        return Ready(heads=heads)

    def wait(self, seconds: float) -> bool:
        """Until there is something to send; False when the time is over or the client is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._something(), seconds)
            return not self._closed and self._something()

    def take(self, database: Database) -> list[Shape]:
        """What is to be sent next, oldest first; empty when there is nothing."""
        with self._changed:
            behind, rewound = self._behind(), self._rewound
            self._rewound = set()
            for campaign_id in rewound:
                behind[campaign_id] = (
                    self._sent_positions.get(campaign_id, 0),
                    self._newest_positions.get(campaign_id, 0),
                )
            transient, self._transient = list(self._transient.values()), {}
        messages: list[Shape] = []
        for campaign_id, (position, mark) in behind.items():
            if campaign_id in rewound or mark - position > MAX_EVENTS_BEHIND or position > mark:
                messages.append(Reset(campaign_id=campaign_id, seq=mark))
                self._sent_positions[campaign_id] = mark
                continue
            rows = database.query(logs.events_between, campaign_id, position, mark, BATCH, MAX_CHANGE_CHARS)
            if rows:  # none when the stream has been rewound just now, which is said next
                messages.append(Events(events=[_event(*row) for row in rows]))
                self._sent_positions[campaign_id] = rows[-1].seq
        return messages + transient

    def _something(self) -> bool:
        return bool(self._transient or self._rewound or self._behind())

    def _behind(self) -> dict[str, tuple[int, int]]:
        return {
            campaign_id: (self._sent_positions.get(campaign_id, 0), mark)
            for campaign_id, mark in self._newest_positions.items()
            if self._sent_positions.get(campaign_id, 0) != mark
        }


def _event(
    campaign_id: str,
    seq: int,
    at: int,
    kind: str,
    entity: str,
    entity_id: str,
    actor: str,
    cause: str,
    changes: str | None,
) -> FeedEvent:
    return FeedEvent(
        campaign_id=campaign_id,
        seq=seq,
        at=at,
        kind=kind,
        entity=entity,
        entity_id=entity_id,
        actor=actor,
        cause=cause,
        changes=json.loads(changes) if changes else None,
    )


class LiveFeed:
    """Tells every client of each commit and of what is transient. Quick: it is called by whoever commits."""

    def __init__(self, journal: Journal) -> None:
        self.database = journal.database
        self._clients: tuple[FeedClient, ...] = ()
        self._latest: dict[str, TransientMessage] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._unsubscribe = journal.subscribe(self._committed)

    def subscribe(self, client: FeedClient) -> None:
        """From now on the client hears of everything; join first, then read where the streams stand."""
        with self._lock:
            self._clients = (*self._clients, client)
            for key, message in self._latest.items():
                client.send_transient(key, message)
            if self._closed:
                client.close()

    def unsubscribe(self, client: FeedClient) -> int:
        """The client left; how many remain."""
        with self._lock:
            self._clients = tuple(other for other in self._clients if other is not client)
            return len(self._clients)

    def announce(self, key: str, message: TransientMessage) -> None:
        """Send something transient to all, and to whoever joins before the next of its key."""
        with self._lock:
            self._latest[key] = message
            clients = self._clients
        self._send(clients, key, message)

    def ask_before_closing(self) -> bool:
        """Have the page ask the user, once; False if nobody has it open."""
        clients = self._clients
        self._send(clients, "closing", CloseAsked())
        return bool(clients)

    def close(self) -> None:
        """Let every client go."""
        with self._lock:
            if not self._closed:
                self._unsubscribe()
            self._closed = True
            for client in self._clients:
                client.close()

    def _committed(self, committed: Committed) -> None:
        for client in self._clients:
            (client.rewind if committed.rewound else client.advance_to)(committed.campaign_id, committed.seq)
            self._cut_if_stalled(client)

    def _send(self, clients: Iterable[FeedClient], key: str, message: TransientMessage) -> None:
        for client in clients:
            client.send_transient(key, message)
            self._cut_if_stalled(client)

    @staticmethod
    def _cut_if_stalled(client: FeedClient) -> None:
        since = client.sending_since
        if since is not None and time.monotonic() - since > STALLED_SECONDS:
            client.disconnect()
