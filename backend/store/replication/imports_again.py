"""What files said here of people whose leads another device changed, or imported, first: recorded once more of those leads as they
stand, while entries are reapplied.

What only adds knowledge, or forbids, is not lost because another device came first: whoever a lead file knows from before is not
written to, and the report of its import says what came of its rows.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

from backend.domain.device.rebase import EventWithChanges
from backend.domain.erasure.erasure import is_erased
from backend.domain.events.events import Event, Row, RowChange, Verb
from backend.domain.events.facts.lead import ImportFinished, LeadBlocked, LeadImported, LeadMerged, RowMerged
from backend.domain.leads.lead_merge import (
    ADDRESS,
    GUESS,
    RETURNED,
    TAKEN_BACK,
    changed_fields,
    fields_of,
    merged_again,
    said_by,
)
from backend.domain.model.lead import LeadStatus
from backend.domain.people.identity import may_be_one_name, named_key
from backend.domain.people.past_contact import BEFORE
from backend.store.log import projections
from backend.store.log.transaction import Transaction

_FORBIDDING = frozenset({*BEFORE, "do_not_contact"})
"""What a file leaves a lead out by."""


def _returns(row_merged: Event, event: Event) -> bool:
    """Whether the event is a part of a row that found somebody whose earlier import was undone."""
    row = row_merged.changes
    is_theirs = row["matched"] == RETURNED and row["lead_id"] == event.entity_id
    return is_theirs and event.kind in ("LeadMerged", "LeadBlocked", "LeadUnblocked")


class Restatement(NamedTuple):
    """What is recorded instead of events that cannot be reapplied as they were; these are their numbers."""

    seqs: tuple[int, ...]
    events: Callable[[], list[Event]]
    """By the rows as they are when it is asked for."""


class ImportsAgain:
    """What imports said in one stream, for as long as its entries are reapplied."""

    def __init__(self, transaction: Transaction, campaign_id: str) -> None:
        self._transaction, self._campaign_id = transaction, campaign_id
        self._standing: dict[str, str] = {}
        self._begun = set[str]()
        self._shifts: dict[str, Counter[str]] = {}

    def of(self, group: Sequence[EventWithChanges], reapplied: Collection[int]) -> list[Restatement]:
        """What to record instead of those of a group's events that cannot be `reapplied`, or rest on one of them."""
        restatements: list[Restatement] = []
        row_merged: EventWithChanges | None = None
        for entry in group:
            kind, changes = entry.event.kind, entry.event.changes
            lead_id = self._standing.get(entry.event.entity_id, entry.event.entity_id)
            if kind == "RowMerged":
                row_merged = entry
            elif kind == "ImportFinished" and entry.seq in reapplied and (restatements or self._shifts):
                restatements.append(Restatement((entry.seq,), partial(self._finished, entry.event)))
            elif entry.seq in reapplied:
                continue
            elif kind == "LeadImported":
                namesake, is_there = self._namesake(entry.event), self._is_there("leads", lead_id)
                if namesake is not None and namesake["id"] != lead_id:
                    self._standing[lead_id] = str(namesake["id"])
                    restatements.append(Restatement((), partial(self._imported, entry.event, str(namesake["id"]))))
                elif not is_there:  # else a copy of this folder pushed it
                    self._begun.add(lead_id)
                    restatements.append(Restatement((entry.seq,), partial(self._begins, entry.event)))
            elif row_merged is not None and _returns(row_merged.event, entry.event):
                restatements.append(Restatement((entry.seq,), partial(self._returned, row_merged.event, entry.event)))
            elif kind == "LeadMerged" and row_merged is not None and self._is_known(lead_id):
                if self._is_there("merged_rows", row_merged.event.entity_id):
                    continue
                seqs = row_merged.seq, entry.seq
                restatements.append(Restatement(seqs, partial(self._merged, row_merged.event, entry.event, lead_id)))
            elif kind == "LeadBlocked" and changes["blocked"] in _FORBIDDING and self._is_known(lead_id):
                blocked = partial(self._blocked, lead_id, str(changes["blocked"]))
                restatements.append(Restatement((entry.seq,), blocked))
        return restatements

    def _finished(self, event: Event) -> list[Event]:
        counts: Any = event.changes
        shifts = self._shifts.pop(event.entity_id, Counter())
        return [ImportFinished(event.entity_id, **counts | {name: counts[name] + n for name, n in shifts.items()})]

    def _merged(self, row_merged: Event, merged: Event, lead_id: str) -> list[Event]:
        row: Any = row_merged.changes
        at: Any = merged.changes["profile_updated_at"]
        return self._said(lead_id, row_merged.entity_id, {**row, "lead_id": lead_id}, at, "merged")

    def _returned(self, row_merged: Event, event: Event) -> list[Event]:
        """What has somebody there again who was taken back with an earlier import; another device may have done it meanwhile."""
        row: Any = row_merged.changes
        lead = self._lead(event.entity_id)
        if lead is None:
            return []
        if event.kind == "LeadMerged":
            better, at = merged_again(lead, row["earlier"], row["later"]), int(event.changes["profile_updated_at"])
            return [LeadMerged(event.entity_id, profile_updated_at=at, **better)] if better else []
        if lead["blocked"] == TAKEN_BACK:
            return [event]
        blocked = str(event.changes["blocked"])
        return self._blocked(event.entity_id, blocked) if blocked in _FORBIDDING else []

    def _begins(self, imported: Event) -> list[Event]:
        """The lead itself: a person other than whoever has the address by now is known by it together with the name."""
        changes: Any = imported.changes
        key = changes["member_key"]
        if self._found("member_key", key) is not None:
            key = named_key(key, changes["full_name"])
        return [LeadImported(imported.entity_id, **changes | {"member_key": key})]

    def _imported(self, imported: Event, lead_id: str) -> list[Event]:
        changes: Any = imported.changes
        earlier, later = said_by(changes)
        row = {
            "import_id": changes["import_id"],
            "line": changes["position"],
            "lead_id": lead_id,
            "matched": ADDRESS if changes["profile_url"] else GUESS,
            "earlier": earlier,
            "later": later,
        }
        at = int((self._lead(lead_id) or {})["profile_updated_at"] or 0)
        events = self._said(lead_id, self._transaction.new_id(), row, at, "accepted")
        blocked = str(changes.get("blocked", ""))
        return [*events, *(self._blocked(lead_id, blocked) if blocked in _FORBIDDING else [])]

    def _said(self, lead_id: str, row_id: str, row: dict[str, Any], at: int, counted: str) -> list[Event]:
        """The events of one row of a file that is about this lead; it was counted like that."""
        lead = self._lead(lead_id)
        better = merged_again(lead, row["earlier"], row["later"]) if lead else {}
        shifts = self._shifts.setdefault(row["import_id"], Counter())
        shifts.subtract([counted])
        shifts.update(["merged" if better else "unchanged"])
        if lead is None or not better:
            return []
        earlier, later = changed_fields(fields_of(lead), better)
        row_merged = RowMerged(row_id, **{**row, "earlier": earlier, "later": later})
        return [row_merged, LeadMerged(lead_id, profile_updated_at=at, **better)]

    def _blocked(self, lead_id: str, blocked: str) -> list[Event]:
        """Whoever is planned already is left to the controller: it hears of the same at its next step, and ends the plan."""
        lead = self._lead(lead_id)
        if lead is None or lead["blocked"] or lead["sequence_step"] is not None:
            return []
        if blocked in BEFORE and lead["status"] != LeadStatus.PENDING:
            return []
        return [LeadBlocked(lead_id, blocked=blocked)]

    def _lead(self, lead_id: str) -> Row | None:
        """The lead as it stands, unless it is erased."""
        return self._found("id", lead_id)

    def _is_known(self, lead_id: str) -> bool:
        return lead_id in self._begun or self._lead(lead_id) is not None

    def _namesake(self, imported: Event) -> Row | None:
        """The lead of the same person that another device imported first."""
        key, full_name = str(imported.changes["member_key"]), str(imported.changes["full_name"])
        rows = (self._found("member_key", each) for each in (key, named_key(key, full_name)))
        return next((row for row in rows if row and may_be_one_name(full_name, str(row["full_name"]))), None)

    def _is_there(self, table: str, id_: str) -> bool:
        """Whether another device, a copy of this one's folder, has recorded that very row."""
        row = RowChange(Verb.CHANGES, table, {"campaign_id": self._campaign_id, "id": id_}, {})
        return projections.find(self._transaction.connection, row) is not None

    def _found(self, name: str, value: str) -> Row | None:
        lead = RowChange(Verb.CREATES, "leads", {"campaign_id": self._campaign_id}, {name: value})
        row = projections.find_named(self._transaction.connection, lead, (name,))
        return None if row is None or is_erased(row["full_name"]) else row
