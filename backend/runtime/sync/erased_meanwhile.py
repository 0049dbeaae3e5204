"""Erasures and imports of people that crossed between devices: nothing that comes behind an erasure tells of whom it erased.

What the rows do not tell of that is remembered for as long as this process runs.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from backend.commands.contact_memory import events_of_deleted
from backend.commands.people import (
    erase_mentions,
    forbidding_again,
    forget_keys,
    keys_to_forget,
    list_same_as_forgotten,
)
from backend.domain.erasure.erasure import leads_erased
from backend.domain.erasure.mentions import PersonNames
from backend.domain.events.events import WORKSPACE
from backend.ports.clock import Clock
from backend.ports.ids import Ids
from backend.ports.shared_store import Batch, LoggedEvent, StreamHeads
from backend.runtime.sync.stream_ends import StreamEnds
from backend.store.database import DatabaseConnection
from backend.store.log.erasing_events import erasing_events
from backend.store.log.erasure import ERASES
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaign_contents, campaigns
from backend.store.queries.device import erased_things, sync_positions
from backend.store.queries.people import do_not_contact, person_entries
from backend.store.replication import replica

Span = tuple[int, int]
"""Behind one number of a stream's events, up to another."""


@dataclass
class ErasedMeanwhile:
    """By stream: whose data others erased, and what this device had imported and sent before it heard of an erasure."""

    ids: Ids
    clock: Clock
    ends: StreamEnds
    _people: dict[str, list[PersonNames]] = field(default_factory=dict)
    _sent: dict[str, list[Span]] = field(default_factory=dict)
    _unheard: dict[str, list[Span]] = field(default_factory=dict)
    """Where, in the workspace's stream, others' erasures stand that came after this stream's imports were sent."""
    _own: set[int] = field(default_factory=set)
    """The numbers, there, of what is adopted although it is this device's own: its answer was lost."""

    def sent(self, batch: Batch) -> None:
        """The shared store has what is in it."""
        if any(event.kind == "LeadImported" for event in batch.events):
            span = batch.event_seq, batch.event_seq + len(batch.events)
            self._sent.setdefault(batch.campaign_id, []).append(span)

    def keep_of_deleted(self, transaction: Transaction, campaign_id: str, events: Sequence[LoggedEvent]) -> None:
        """Record what stays of the campaign that these events delete: who deleted it may not have heard of all that it was."""
        campaign = campaigns.campaign(transaction.connection, campaign_id)
        if campaign is not None and any(event.kind == "CampaignDeleted" for event in events):
            now = self.clock.now()
            left = events_of_deleted(transaction, self.ids, campaign, now)
            transaction.record(WORKSPACE, left, actor="controller", cause="erased", at=now)

    def adopting(self, transaction: Transaction, campaign_id: str, events: Sequence[LoggedEvent]) -> None:
        """These are about to be adopted: afterwards the rows do not tell any more whom they erase."""
        self.keep_of_deleted(transaction, campaign_id, events)
        connection = transaction.connection
        erasing = [event for event in events if event.kind == ERASES and event.digest is None]
        if erased_leads := leads_erased(json.loads(event.payload) for event in erasing):
            self._people.setdefault(campaign_id, []).extend(person_entries.named(connection, erased_leads))
        if campaign_id == WORKSPACE:
            erasures = (event for event in events if event.kind in do_not_contact.ERASES)
            self._own |= {event.seq for event in erasures if replica.is_own(connection, WORKSPACE, event)}

    def in_step(self, campaign_id: str) -> None:
        """All of this stream is here, and what named those people is erased, too."""
        self._people.pop(campaign_id, None)

    def erase(
        self, transaction: Transaction, campaign_id: str, position: StreamHeads, head: StreamHeads | None
    ) -> None:
        """Nothing of the stream behind `position`, up to `head` if others' entries came, tells of whose data was erased meanwhile,
        and nothing at all of a campaign that is deleted.

        Nor does what artifacts and conversations say, wherever it stands: who erased it may not have had it.
        """
        connection, now = transaction.connection, self.clock.now()
        imported = person_entries.imported_before_erasure(connection, campaign_id, position.event_seq, now)
        if head is not None:  # what others sent before it was told there
            adopted, erased = (position.event_seq, head.event_seq), (self.ends.last_head(WORKSPACE).event_seq, None)
            imported += person_entries.imported_unheard(connection, campaign_id, adopted, erased)
            sent_unheard, sent_after = self._imported_unheard(connection, campaign_id)
            if sent_unheard:
                imported += sent_unheard
                position = position._replace(event_seq=min(position.event_seq, sent_after))
        if head is not None and campaign_id == WORKSPACE:
            self._erase_own_imports(transaction, (position.event_seq, head.event_seq))
        self._erase_late(transaction, campaign_id, position, imported)

    def _erase_own_imports(self, transaction: Transaction, erased: Span) -> None:
        """Whom this device imported without having heard of the erasure that came just now, whatever its clock said.

        What it imported before it shared this store's erasures is no copy of what was erased there: the clocks tell whether
        the user imported them again since.
        """
        connection, now = transaction.connection, self.clock.now()
        others, attached = self._erasures_of_others(connection, erased), replica.project(connection)
        if not others or attached is None:
            return
        for stream in campaigns.not_deleted(connection):
            at = sync_positions.position(connection, stream)
            late = person_entries.imported_before_erasure(connection, stream, at.event_seq, now)
            for between in others:
                waiting = at.event_seq, person_entries.LAST_SEQ
                late += person_entries.imported_unheard(connection, stream, waiting, between, attached.attached_at)
            if late:
                self._erase_late(transaction, stream, at, late)
            if stream in self._sent:
                self._unheard.setdefault(stream, []).extend(others)
                if at.event_seq >= self.ends.last_head(stream).event_seq:  # or what erased them may follow
                    lead_ids, sent_after = self._imported_unheard(connection, stream)
                    if lead_ids:
                        self._erase_late(transaction, stream, at._replace(event_seq=sent_after), lead_ids)

    def _erase_late(
        self, transaction: Transaction, campaign_id: str, position: StreamHeads, imported: Sequence[str]
    ) -> None:
        connection, now, imported = transaction.connection, self.clock.now(), list(dict.fromkeys(imported))
        record = partial(transaction.record, actor="controller", cause="erased", at=now)
        record_there = partial(record, WORKSPACE)
        if campaign_id == WORKSPACE:
            list_same_as_forgotten(transaction, record_there, now)
        answers = person_entries.answers_left_without(connection, imported)
        record_there(erasing_events(transaction, WORKSPACE, answers, now))
        gone = person_entries.leads_to_forget(connection, campaign_id, imported)
        keys = keys_to_forget(transaction, self.ids, {campaign_id: gone}, record_there, position.event_seq)
        named = person_entries.named(connection, gone if keys.by_key else [])
        people, seqs = [*self._people.get(campaign_id, ()), *named], (position.event_seq, position.audit_seq)
        left = person_entries.words_that_came_after(connection, campaign_id, *seqs, gone)
        record(campaign_id, erasing_events(transaction, campaign_id, left, now))
        forget_keys(transaction, keys, record_there, now)
        for stream, events in erase_mentions(transaction, people, now).items():
            record(stream, events)
        if campaign_id in erased_things.deleted_campaigns(connection):
            left = campaign_contents.what_is_left(connection, campaign_id)
            record(campaign_id, erasing_events(transaction, campaign_id, left, now))
        if campaign_id != WORKSPACE:
            record(campaign_id, forbidding_again(transaction, campaign_id, now))

    def _erasures_of_others(self, connection: DatabaseConnection, span: Span) -> list[Span]:
        """Where, between these numbers of the workspace's stream, erasures of others stand."""
        starts = [span[0], *sorted(self._own)]
        ends = [*(seq - 1 for seq in starts[1:]), span[1]]
        self._own.clear()
        spans = zip(starts, ends, strict=True)
        return [each for each in spans if each[0] < each[1] and do_not_contact.has_erasures(connection, *each)]

    def _imported_unheard(self, connection: DatabaseConnection, campaign_id: str) -> tuple[list[str], int]:
        """Whom this device imported and sent before it heard of their erasure, and behind which number; asked once."""
        erasures, sent = self._unheard.pop(campaign_id, []), self._sent.get(campaign_id, [])
        lead_ids = [
            lead_id
            for imported in sent
            for erased in erasures
            for lead_id in person_entries.imported_unheard(connection, campaign_id, imported, erased)
        ]
        return lead_ids, sent[0][0] if sent else 0
