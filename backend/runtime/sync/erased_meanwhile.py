"""Erasures and imports of people that crossed between devices: what the rows do not tell, for as long as this process runs."""

import json
from collections.abc import Sequence

from backend.domain.erasure.erasure import leads_erased
from backend.domain.erasure.mentions import PersonNames
from backend.domain.events.events import WORKSPACE
from backend.ports.shared_store import Batch, LoggedEvent
from backend.store.database import DatabaseConnection
from backend.store.log import erasure
from backend.store.queries.people import do_not_contact, person_entries
from backend.store.replication import replica

Span = tuple[int, int]
"""Behind one number of a stream's events, up to another."""


class ErasedMeanwhile:
    """By stream: whose data others erased, and what this device had imported and sent before it heard of an erasure."""

    def __init__(self) -> None:
        self._people: dict[str, list[PersonNames]] = {}
        self._sent: dict[str, list[Span]] = {}
        self._unheard: dict[str, list[Span]] = {}
        """Where, in the workspace's stream, others' erasures stand that came after this stream's imports were sent."""
        self._own: set[int] = set()
        """The numbers, there, of what is adopted although it is this device's own: its answer was lost."""

    def sent(self, batch: Batch) -> None:
        """The shared store has what is in it."""
        if any(event.kind == "LeadImported" for event in batch.events):
            span = batch.event_seq, batch.event_seq + len(batch.events)
            self._sent.setdefault(batch.campaign_id, []).append(span)

    def adopting(self, connection: DatabaseConnection, campaign_id: str, events: Sequence[LoggedEvent]) -> None:
        """These are about to be adopted: afterwards the rows do not tell any more whom they erase."""
        erasing = [event for event in events if event.kind == erasure.ERASES and event.digest is None]
        if erased_leads := leads_erased(json.loads(event.payload) for event in erasing):
            self._people.setdefault(campaign_id, []).extend(person_entries.named(connection, erased_leads))
        if campaign_id == WORKSPACE:
            erasures = (event for event in events if event.kind in do_not_contact.ERASES)
            self._own |= {event.seq for event in erasures if replica.is_own(connection, WORKSPACE, event)}

    def people(self, campaign_id: str) -> Sequence[PersonNames]:
        """Whose data was erased in this stream since it was in step."""
        return self._people.get(campaign_id, ())

    def in_step(self, campaign_id: str) -> None:
        """All of this stream is here, and what named those people is erased, too."""
        self._people.pop(campaign_id, None)

    def of_others(self, connection: DatabaseConnection, span: Span) -> list[Span]:
        """Where, between these numbers of the workspace's stream, erasures of others stand."""
        starts = [span[0], *sorted(self._own)]
        ends = [*(seq - 1 for seq in starts[1:]), span[1]]
        self._own.clear()
        spans = zip(starts, ends, strict=True)
        return [each for each in spans if each[0] < each[1] and do_not_contact.has_erasures(connection, *each)]

    def heard(self, campaign_id: str, erasures: Sequence[Span]) -> bool:
        """Whether imports of this stream were sent before these erasures came; `imported_unheard` tells whose."""
        if campaign_id in self._sent:
            self._unheard.setdefault(campaign_id, []).extend(erasures)
        return campaign_id in self._sent

    def imported_unheard(self, connection: DatabaseConnection, campaign_id: str) -> tuple[list[str], int]:
        """Whom this device imported and sent before it heard of their erasure, and behind which number; asked once."""
        erasures, sent = self._unheard.pop(campaign_id, []), self._sent.get(campaign_id, [])
        lead_ids = [
            lead_id
            for imported in sent
            for erased in erasures
            for lead_id in person_entries.imported_unheard(connection, campaign_id, imported, erased)
        ]
        return lead_ids, sent[0][0] if sent else 0
