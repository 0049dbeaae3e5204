"""What the user decides about one lead: its priority, notes and tags, and that it is not to be contacted."""

import json
from dataclasses import dataclass, replace

from backend.controller import context as loading
from backend.controller import planner
from backend.controller.answers import wake
from backend.controller.deciding import Deciding
from backend.domain import handwork
from backend.domain.campaign import Campaign
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event
from backend.domain.lead import Lead
from backend.domain.progress import block, withdraw
from backend.domain.task import TaskStatus
from backend.domain.task import move as move_task
from backend.store import reading
from backend.store.journal import Transaction

BLOCKED = "do_not_contact"
_OPEN = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.VERIFYING)


@dataclass(frozen=True, slots=True)
class LeadCommands(Deciding):
    """Decisions about leads; raises `campaign_unknown` and `lead_unknown`."""

    def prioritise(self, campaign_id: str, lead_id: str, priority: int | None) -> tuple[int | None, int | None]:
        """Set the priority by hand, or give it back to the score (None); (now, before). Raises `priority_out_of_range`."""
        wanted = None if priority is None else handwork.priority(priority)
        with self.journal.transaction() as transaction:
            lead = self._lead(transaction, campaign_id, lead_id)
            before = _override(transaction, lead_id)
            self._rank(transaction, lead, wanted, before)
            return wanted, before

    def place(
        self, campaign_id: str, lead_id: str, above: str | None, below: str | None, *, upwards: bool
    ) -> tuple[int | None, int | None]:
        """Put the lead between two others; the priority that amounts to, and the one before."""
        with self.journal.transaction() as transaction:
            lead = self._lead(transaction, campaign_id, lead_id)
            before = _override(transaction, lead_id)
            own = lead.weight_score or 0 if before is None else before
            neighbours = [self._priority(transaction, campaign_id, other) for other in (above, below)]
            wanted = handwork.between(own, neighbours[0], neighbours[1], upwards=upwards)
            self._rank(transaction, lead, wanted, before)
            return wanted, before

    def note(self, campaign_id: str, lead_id: str, text: str) -> None:
        """Keep the notes as they are now; raises `note_too_long`."""
        text = handwork.note(text)
        with self.journal.transaction() as transaction:
            self._lead(transaction, campaign_id, lead_id)
            (old,) = transaction.connection.execute("SELECT notes FROM leads WHERE id=?", (lead_id,)).fetchone()
            if old != text:
                self._record(transaction, campaign_id, [Event("LeadNoted", lead_id, {"notes": text})], "note")

    def tag(self, campaign_id: str, lead_id: str, tags: list[str]) -> list[str]:
        """Keep exactly these tags, as returned; raises `tags_not_usable`."""
        kept = handwork.tags(tags)
        with self.journal.transaction() as transaction:
            self._lead(transaction, campaign_id, lead_id)
            (old,) = transaction.connection.execute("SELECT tags FROM leads WHERE id=?", (lead_id,)).fetchone()
            if json.loads(old) != kept:
                self._record(transaction, campaign_id, [Event("LeadTagged", lead_id, {"tags": kept})], "tag")
        return kept

    def do_not_contact(self, campaign_id: str, lead_id: str, reason: str) -> tuple[bool, int]:
        """Never contact this person, in any campaign. Here their task ends and their texts are withdrawn at once, elsewhere
        before the next act. (Whether a task was stopped, how many texts were withdrawn.)"""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            lead = self._lead(transaction, campaign_id, lead_id)
            if not reading.is_do_not_contact(transaction.connection, lead.member_key):
                added = {
                    "member_key": lead.member_key,
                    "name": lead.full_name,
                    "reason": reason,
                    "status": "active",
                    "created_at": now,
                }
                added_event = Event("DoNotContactAdded", transaction.new_id(), added)
                self._record(transaction, WORKSPACE, [added_event], "do not contact")
            about = loading.subject(transaction.connection, campaign, lead_id, now)
            texts = withdraw(about.message, about.approval, "on the do-not-contact list") if about else []
            events = list(texts)
            if not lead.blocked:
                events.append(Event("LeadBlocked", lead_id, {"blocked": BLOCKED}))
            task = reading.task_of_lead(transaction.connection, lead_id)
            stopped = task is not None and task.status in _OPEN
            if task is not None and stopped:
                move_task(task.status, TaskStatus.BLOCKED)
                said = {"status": TaskStatus.BLOCKED, "reason": "You said not to contact this person.", "strikes": 0}
                events.append(Event("TaskBlocked", task.id, said))
                for waiting in reading.followers(transaction.connection, campaign_id, task.id):
                    events += block(now, waiting, f"“{task.description}” was stopped", transaction.new_id)
            self._record(transaction, campaign_id, events, "do not contact")
            return stopped, sum(event.kind == "MessageCancelled" for event in texts)

    def contact_again(self, campaign_id: str, lead_id: str) -> None:
        """Take the person off the do-not-contact list; their task goes on, a withdrawn text has to be written again."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            lead = self._lead(transaction, campaign_id, lead_id)
            listed = transaction.connection.execute(
                "SELECT id, campaign_id FROM do_not_contact WHERE member_key=? AND status='active'", (lead.member_key,)
            ).fetchall()
            for entry, stream in listed:
                self._record(
                    transaction, stream, [Event("DoNotContactRemoved", entry, {"status": "removed"})], "contact"
                )
            if lead.blocked == BLOCKED:
                self._record(transaction, campaign_id, contacted_again(transaction, campaign, lead, now), "contact")

    def _lead(self, transaction: Transaction, campaign_id: str, lead_id: str) -> Lead:
        self._campaign(transaction, campaign_id)
        lead = reading.lead(transaction.connection, campaign_id, lead_id)
        if lead is None:
            raise OutriderError("lead_unknown", lead=lead_id)
        return lead

    def _priority(self, transaction: Transaction, campaign_id: str, lead_id: str | None) -> int | None:
        if lead_id is None:
            return None
        lead = self._lead(transaction, campaign_id, lead_id)
        override = _override(transaction, lead_id)
        return lead.weight_score or 0 if override is None else override

    def _rank(self, transaction: Transaction, lead: Lead, wanted: int | None, before: int | None) -> None:
        """Record the priority, and let the agent's order follow it in the same transaction."""
        if wanted == before:
            return
        priority = lead.weight_score or 0 if wanted is None else wanted
        events = [Event("LeadPrioritised", lead.id, {"priority_override": wanted})]
        task = reading.task_of_lead(transaction.connection, lead.id)
        if task is not None and task.status is not TaskStatus.DONE:
            events.append(Event("TaskAdvanced", task.id, {"rank": -priority}))
        self._record(transaction, lead.campaign_id, events, f"priority {lead.id}")
        if task is None:
            planner.plan_sooner(transaction, lead.campaign_id, lead.id, cause="priority", at=self.clock.now())


def contacted_again(transaction: Transaction, campaign: Campaign, lead: Lead, now: int) -> list[Event]:
    """A lead may be planned again, and its task goes on, unless it has asked the user and waits for that answer."""
    events = [Event("LeadUnblocked", lead.id, {"blocked": ""})]
    task = reading.task_of_lead(transaction.connection, lead.id)
    if task is not None and task.status is TaskStatus.BLOCKED and not _asked(transaction, task.id):
        resumed = move_task(task.status, TaskStatus.IN_PROGRESS)
        events.append(Event("TaskUnblocked", task.id, {"status": resumed, "reason": "", "strikes": 0}))
        about = loading.subject(transaction.connection, campaign, lead.id, now)
        message = about.message if about else None
        events += wake(campaign, replace(task, strikes=0), replace(lead, blocked=""), message, now)
    return events


def _override(transaction: Transaction, lead_id: str) -> int | None:
    row = transaction.connection.execute("SELECT priority_override FROM leads WHERE id=?", (lead_id,)).fetchone()
    found: int | None = row[0]
    return found


def _asked(transaction: Transaction, task_id: str) -> bool:
    """Whether the task waits for another answer of the user's."""
    row = transaction.connection.execute(
        "SELECT 1 FROM input_requests WHERE task_id=? AND status='open' LIMIT 1", (task_id,)
    ).fetchone()
    return row is not None
