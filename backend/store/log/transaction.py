"""An open write transaction: audit entries, events and the rows they change, appended to the chains of their streams."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from backend.domain.erasure.erasure import without_campaign
from backend.domain.events.events import EVENT_KINDS, AuditEntry, Event, RecordedEvent, RowChange, row_changes
from backend.domain.events.facts import statuses_before
from backend.domain.values.canonical_json import canonical
from backend.ports.ids import Ids
from backend.ports.shared_store import LoggedAudit, LoggedEvent
from backend.store.database import DatabaseConnection
from backend.store.log import erasure, projections, replay
from backend.store.log.chain import GENESIS, entry_hash, link_entries, payload_digest
from backend.store.log.heads_file import LogHeads
from backend.store.log.signatures import forget_signatures_beyond
from backend.store.queries.campaign import campaign_contents
from backend.store.queries.leads import lead_index
from backend.store.queries.people import person_index


class StaleStateError(Exception):
    """Somebody wrote to the stream after the state was loaded; load again and decide again."""


class Committed(NamedTuple):
    """What one transaction added to a stream: `seq` is the last event's, unchanged if there was none.

    `rewound` when entries left the stream's end: numbers known of it may now be another entry's. `adopted` when some of what
    was added stood in another log before.
    """

    campaign_id: str
    seq: int
    events: tuple[RecordedEvent, ...]
    audit_seq: int
    rewound: bool = False
    adopted: bool = False


OUTCOME = "ActionSettled"
"""The event after which the logs are signed."""
_DELETES = "CampaignDeleted"

_EMPTY = LogHeads(0, GENESIS, 0, GENESIS)
_INSERT_EVENT = (
    "INSERT INTO event_log(campaign_id, seq, timestamp, kind, entity_type, entity_id, change_payload, actor, cause, salt,"
    " payload_digest, hash) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
)
_INSERT_AUDIT = (
    "INSERT INTO audit_log(campaign_id, seq, timestamp, action_type, payload, actor, cause, salt, payload_digest, hash)"
    " VALUES (?,?,?,?,?,?,?,?,?,?)"
)
_READ_HEAD = "SELECT event_seq, event_hash, audit_seq, audit_hash FROM log_heads WHERE campaign_id=?"
_IS_DELETED = "SELECT 1 FROM campaigns WHERE id=? AND deleted_at IS NOT NULL"
_MOVE_HEAD = (
    "INSERT INTO log_heads VALUES (?,?,?,?,?) ON CONFLICT(campaign_id) DO UPDATE SET event_seq=excluded.event_seq,"
    " event_hash=excluded.event_hash, audit_seq=excluded.audit_seq, audit_hash=excluded.audit_hash"
)


def _without_words(event: Event) -> Event:
    """What is recorded of an event of a deleted campaign."""
    payload = without_campaign(EVENT_KINDS[event.kind].entity, event.entity_id, event.changes)
    return Event(event.kind, event.entity_id, json.loads(payload))


def _up_to_each_erasure(events: Sequence[LoggedEvent]) -> Iterator[Sequence[LoggedEvent]]:
    """The events in pieces, each with at most one erasure, at its end."""
    start = 0
    for position, event in enumerate(events, 1):
        if event.kind == erasure.ERASES or position == len(events):
            yield events[start:position]
            start = position


class Transaction:
    """An open write transaction; `connection` sees everything, `audit` and `record` add to it."""

    def __init__(self, connection: DatabaseConnection, ids: Ids) -> None:
        self.connection = connection
        self.new_id = ids.new
        self._ids = ids
        self._heads: dict[str, LogHeads] = {}
        self._moved: set[str] = set()
        self._rewound: dict[str, LogHeads] = {}
        self._adopted: set[str] = set()
        self._recorded: dict[str, list[RecordedEvent]] = {}
        self.erased = False
        self.effects: dict[str, int] = {}
        """The streams that got the outcome of an act outside, and when (ms UTC)."""

    def head(self, campaign_id: str) -> LogHeads:
        """Where the stream's chains end now."""
        head = self._heads.get(campaign_id)
        if head is None:
            row = self.connection.execute(_READ_HEAD, (campaign_id,)).fetchone()
            head = self._heads[campaign_id] = LogHeads(*row) if row else _EMPTY
        return head

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added to any stream, or taken from it."""
        return not self._moved

    def expect(self, campaign_id: str, seq: int, event_hash: bytes) -> None:
        """Raises `StaleStateError` if the stream does not end with that event any more.

        Its number alone does not tell: what is rolled back gives its number to another device's event.
        """
        if self.head(campaign_id)[:2] != (seq, event_hash):
            raise StaleStateError(campaign_id)

    def audit(self, campaign_id: str, entries: Sequence[AuditEntry], *, actor: str, cause: str, at: int) -> None:
        """Append to the audit log; without words if the campaign is deleted."""
        if not entries:
            return
        if self._is_deleted(campaign_id):
            entries = [AuditEntry(entry.action_type, {}) for entry in entries]
        event_seq, event_hash, seq, last = self.head(campaign_id)
        rows = []
        for entry in entries:
            seq += 1
            salt, payload = self._ids.salt(), canonical(entry.payload)
            last = entry_hash(
                last, payload_digest(salt, payload), campaign_id, seq, at, entry.action_type, actor, cause
            )
            rows.append((campaign_id, seq, at, entry.action_type, payload, actor, cause, salt, None, last))
        self.connection.executemany(_INSERT_AUDIT, rows)
        self._heads[campaign_id] = LogHeads(event_seq, event_hash, seq, last)
        self._moved.add(campaign_id)

    def record(self, campaign_id: str, events: Sequence[Event], *, actor: str, cause: str, at: int) -> None:
        """Append to the event log and fold into the projections; without words if the campaign is deleted.

        Raises `OutriderError("illegal_status")` for a status that may not follow the one that the row has.
        """
        if not events:
            return
        if self._is_deleted(campaign_id):
            events = [_without_words(event) for event in events]
        seq, last, audit_seq, audit_hash = self.head(campaign_id)
        rows, recorded = [], []
        for event in events:
            seq += 1
            salt, payload = self._ids.salt(), canonical(event.changes)
            meta = (campaign_id, seq, at, event.kind, EVENT_KINDS[event.kind].entity, event.entity_id)
            last = entry_hash(last, payload_digest(salt, payload), *meta, actor, cause)
            rows.append((*meta, payload, actor, cause, salt, None, last))
            recorded.append(RecordedEvent(campaign_id, seq, at, event, actor, cause))
            if event.kind == OUTCOME:
                self.effects[campaign_id] = at
        self.connection.executemany(_INSERT_EVENT, rows)
        self._change_rows(campaign_id, events, at)
        self._recorded.setdefault(campaign_id, []).extend(recorded)
        self._erase(campaign_id, events)
        self._heads[campaign_id] = LogHeads(seq, last, audit_seq, audit_hash)
        self._moved.add(campaign_id)

    def _is_deleted(self, campaign_id: str) -> bool:
        """Then whatever was still at work for it brings no words back."""
        return self.connection.execute(_IS_DELETED, (campaign_id,)).fetchone() is not None

    def _erase(self, campaign_id: str, events: Sequence[Event]) -> None:
        """Carry out the erasures among these events."""
        if any(event.kind == _DELETES for event in events):
            campaign_contents.forget_on_this_device(self.connection, campaign_id)
        remains = [
            entry for event in events if event.kind == erasure.ERASES for entry in event.changes["entries"].items()
        ]
        if remains:
            erasure.erase(self.connection, campaign_id, remains)
            self.erased = True

    def _change_rows(self, campaign_id: str, events: Iterable[Event], at: int) -> None:
        """Most of many events make rows, which one statement writes together; a change of status asks for the row itself."""
        together: list[RowChange] = []
        for event in events:
            changes, statuses = row_changes(campaign_id, at, event), statuses_before(event)
            if statuses is not None:
                projections.apply_many(self.connection, together)
                projections.change_status(self.connection, changes[0], statuses, EVENT_KINDS[event.kind].entity)
                together = changes[1:]
            else:
                together += changes
        projections.apply_many(self.connection, together)

    def adopt(self, campaign_id: str, events: Sequence[LoggedEvent], audits: Sequence[LoggedAudit]) -> None:
        """Append another device's entries exactly as they are, whose hashes follow on the heads, and fold them."""
        self._adopted.add(campaign_id)
        self._append(campaign_id, events, audits)

    def append_local_again(
        self, campaign_id: str, events: Iterable[LoggedEvent], audits: Iterable[LoggedAudit]
    ) -> None:
        """Append own entries that had left the log once more, numbered and hashed anew, and fold them."""
        event_seq, event_hash, audit_seq, audit_hash = self.head(campaign_id)
        self._append(
            campaign_id,
            list(link_entries(campaign_id, event_seq, event_hash, events)),
            list(link_entries(campaign_id, audit_seq, audit_hash, audits)),
        )

    def _append(self, campaign_id: str, events: Sequence[LoggedEvent], audits: Sequence[LoggedAudit]) -> None:
        head = self.head(campaign_id)
        self.connection.executemany(_INSERT_AUDIT, ((campaign_id, *audit) for audit in audits))
        # Who was erased may come again behind it, and both rows cannot be there.
        for piece in _up_to_each_erasure(events):
            self._append_events(campaign_id, piece)
        self._heads[campaign_id] = LogHeads(
            *((events[-1].seq, events[-1].hash) if events else head[:2]),
            *((audits[-1].seq, audits[-1].hash) if audits else head[2:]),
        )
        self._moved.add(campaign_id)

    def _append_events(self, campaign_id: str, events: Sequence[LoggedEvent]) -> None:
        self.connection.executemany(_INSERT_EVENT, ((campaign_id, *event) for event in events))
        folded = [replay.replay_entry((campaign_id, e.timestamp, e.kind, e.entity_id, e.payload)) for e in events]
        projections.apply_many(self.connection, (change for entry in folded for change in replay.changes(entry)))
        self._recorded.setdefault(campaign_id, []).extend(
            RecordedEvent(campaign_id, e.seq, e.timestamp, entry.event, e.actor, e.cause)
            for e, entry in zip(events, folded, strict=True)
        )
        # One that comes without its words was not recorded as it stands: it must not take any other's.
        whole = [entry.event for e, entry in zip(events, folded, strict=True) if e.digest is None]
        self._erase(campaign_id, whole)

    def rewind(self, campaign_id: str, head: LogHeads) -> None:
        """The stream ends here again: whoever calls took the entries out of the logs, and their effects out of the rows."""
        self._heads[campaign_id] = head
        self._moved.add(campaign_id)
        earlier = self._rewound.get(campaign_id, head)
        self._rewound[campaign_id] = min(earlier, head)
        forget_signatures_beyond(self.connection, campaign_id, head.event_seq, head.audit_seq)

    @property
    def rewound(self) -> Mapping[str, LogHeads]:
        """The streams that entries left, each with where it ended before anything followed again."""
        return self._rewound

    def finish(self) -> list[Committed]:
        """Write down where the chains end; what was added, stream by stream."""
        moved = {campaign_id: head for campaign_id, head in self._heads.items() if campaign_id in self._moved}
        person_index.index_people(self.connection)
        lead_index.index_changes(self.connection)
        for campaign_id, head in moved.items():
            self.connection.execute(_MOVE_HEAD, (campaign_id, *head))
        return [
            Committed(
                campaign_id,
                head.event_seq,
                tuple(self._recorded.get(campaign_id, ())),
                head.audit_seq,
                campaign_id in self._rewound,
                campaign_id in self._adopted,
            )
            for campaign_id, head in moved.items()
        ]
