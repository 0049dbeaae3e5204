"""Lets a campaign's sequences go on, or end, by what other campaigns and devices have learnt of its people.

For somebody who answered elsewhere nothing more is due, so that nothing goes on waiting in Review. Somebody who was invited or
accepted through another campaign gets no invitation here, and goes on with the step that comes after it. A message that one
device approved, while another one put it off until it would be approved, is sent. And whoever waits here to know what became of
a send waits no more once the device that sent has brought its record of it.
"""

from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadUnblocked
from backend.domain.events.facts.task import TaskCancelled, TaskUnblocked
from backend.domain.leads.lead_merge import GONE
from backend.domain.model.campaign import MINUTE, Campaign
from backend.domain.model.lead import ANSWERED_ELSEWHERE, NOT_ON_RECORD
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import ActionFamily, Task, TaskStatus
from backend.domain.turn.task_progress import WaitingText, next_step_events, withdraw_all
from backend.situation import situations
from backend.situation.situations import LeadSituation
from backend.store.database import DatabaseConnection
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.campaign.corrected_times import with_corrected_times
from backend.store.queries.campaign.questions import withdrawn_questions
from backend.store.queries.contact import messages, threads
from backend.store.queries.leads import leads
from backend.turn.last_days import SequenceCheck, ending_events

CAUSE = "known through another campaign"
_NOT_DUE = "invited or connected already"
_GONE = "this person is not in the campaign any more"
_DECIDED = "the user decides about this person by another task"
_SETTLED = "it is known by now what became of it"


class KnownElsewhere(SequenceCheck):
    """Looks what other campaigns know. No act depends on it: each asks the person anyway."""

    def end_sequences(self) -> bool:
        """Whether any sequence ended or went on by it. Where something is being sent, that is settled first."""
        self._next_check = self._clock.now() + MINUTE
        with self._journal.database.read() as connection:
            campaign = campaigns.campaign(connection, self._campaign_id)
            if campaign is None or not (self._settled(connection) or self._changed(connection, campaign)):
                return False  # who only looks holds up nobody who writes
        with self._journal.transaction() as transaction:
            connection = transaction.connection
            campaign = campaigns.campaign(connection, self._campaign_id) or campaign
            events = [
                event
                for task in self._changed(connection, campaign)
                for event in self._events(transaction, campaign, task)
            ]
            for lead_id in self._settled(connection):
                events += self._go_on(transaction, campaign, lead_id)
            transaction.record(self._campaign_id, events, actor="controller", cause=CAUSE, at=self._clock.now())
        return bool(events)

    def _settled(self, connection: DatabaseConnection) -> list[str]:
        """The leads that wait although what they wait for is on record."""
        waiting = threads.of_settled_sends(connection, self._campaign_id)
        return waiting + tasks.left_blocked(connection, self._campaign_id)

    def _changed(self, connection: DatabaseConnection, campaign: Campaign) -> list[Task]:
        """The tasks of people about whom something follows from what is known elsewhere."""
        candidates = tasks.known_elsewhere(connection, campaign.id)
        changed = [task for task in candidates if self._is_changed(connection, campaign, task)]
        return changed + tasks.of_gone_leads(connection, campaign.id)

    def _is_changed(self, connection: DatabaseConnection, campaign: Campaign, task: Task) -> bool:
        now = self._clock.now()
        situation = situations.task_situation(connection, campaign, task, now)
        if situation is None:
            return False
        lead, recorded = situation.lead, leads.existing_lead(connection, campaign.id, situation.lead.id)
        if task.needs is not ActionFamily.APPROVAL and lead == with_corrected_times(connection, recorded, now):
            return False
        if lead.answered_elsewhere:
            return True
        if task.status is not TaskStatus.IN_PROGRESS or task.needs is ActionFamily.INPUT:
            return False
        if situation.due_step.due is DueAction.STUCK:
            return False
        return task.needs is not situation.due_step.family or bool(_texts_not_due(connection, situation))

    def _events(self, transaction: Transaction, campaign: Campaign, task: Task) -> list[Event]:
        connection, now = transaction.connection, self._clock.now()
        situation = situations.task_situation(connection, campaign, task, now)
        if situation is None:
            return []
        if situation.lead.blocked in GONE:
            return [
                *withdrawn_questions(connection, task.id, _GONE),
                *withdraw_all(messages.waiting_texts(connection, situation.lead.id), _GONE),
                TaskCancelled(task.id, reason=_GONE),
            ]
        if situation.lead.blocked == NOT_ON_RECORD:
            return [*withdrawn_questions(connection, task.id, _DECIDED), TaskCancelled(task.id, reason=_DECIDED)]
        if situation.lead.answered_elsewhere:
            return ending_events(connection, campaign, task, ANSWERED_ELSEWHERE, now)
        withdrawn = withdraw_all(_texts_not_due(connection, situation), _NOT_DUE)
        return [
            *withdrawn,
            *next_step_events(campaign, task, situation.lead, situation.message, now, transaction.new_id),
        ]

    def _go_on(self, transaction: Transaction, campaign: Campaign, lead_id: str) -> list[Event]:
        """Nobody asks any more what became of a send, and the tasks that waited for it do what is due by its outcome."""
        connection, now = transaction.connection, self._clock.now()
        waiting = leads.lead(connection, campaign.id, lead_id)
        events: list[Event] = [LeadUnblocked(lead_id)] if waiting is not None and waiting.blocked else []
        outreach = tasks.task_of_lead(connection, lead_id)
        for task in [*([outreach] if outreach else []), *tasks.open_answers(connection, lead_id)]:
            asked = withdrawn_questions(connection, task.id, _SETTLED, "outcome_unknown")
            situation = situations.task_situation(connection, campaign, task, now)
            blocked = task.status is TaskStatus.BLOCKED and (
                asked or not questions.list_open_of_task(connection, task.id)
            )
            if situation is None or not (blocked or task.status is TaskStatus.IN_PROGRESS):
                continue
            lead = situation.lead._replace(blocked="")
            resumed = [TaskUnblocked(task.id)] if blocked else []
            going_on = next_step_events(campaign, task, lead, situation.message, now, transaction.new_id)
            events += [*asked, *resumed, *going_on]
        return events


def _texts_not_due(connection: DatabaseConnection, situation: LeadSituation) -> list[WaitingText]:
    """The texts that wait for this lead and are of another step than the one that is due."""
    due = situation.message.id if situation.message is not None else ""
    return [text for text in messages.waiting_texts(connection, situation.lead.id) if text.message.id != due]
