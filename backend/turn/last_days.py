"""Ends sequences and withdrawals once the campaign's last days are over, so that nobody waits for what is never sent."""

from backend.domain.contact.withdrawals import LAST_DAY_OVER
from backend.domain.events.events import Event
from backend.domain.events.facts.task import TaskCancelled
from backend.domain.model.campaign import MINUTE, Campaign
from backend.domain.model.task import Task
from backend.domain.turn.task_progress import sequence_ended
from backend.ports.clock import Clock
from backend.situation import situations
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.campaign.questions import withdrawn_questions
from backend.store.queries.contact import messages

NOT_BEGUN = "the last day for a first contact is over"
_BATCH = 50


class SequenceCheck:
    """A check of a campaign's sequences, at most once a minute."""

    def __init__(self, journal: Journal, clock: Clock, campaign_id: str) -> None:
        self._journal = journal
        self._clock = clock
        self._campaign_id = campaign_id
        self._next_check = 0

    def is_due(self) -> bool:
        """Whether it is time to check; at once if the clock was set back."""
        return not self._next_check - MINUTE <= self._clock.now() < self._next_check


class LastDays(SequenceCheck):
    """Checks every minute, and as soon as one of them ends, whether a campaign's last days are over."""

    def end_sequences(self) -> bool:
        """End every sequence and withdrawal whose last day is over, except what is being sent; whether there was one."""
        now = self._clock.now()
        campaign = self._journal.database.query(campaigns.campaign, self._campaign_id)
        if campaign is None:
            return False
        limits = campaign.settings.limits
        self._next_check = min(now + MINUTE, limits.next_end(now) or now + MINUTE)
        if not limits.begin_nobody(now):
            return False
        ended = False
        while self._end_some(now, not_contacted=not limits.are_over(now)):
            ended = True
        while limits.are_over(now) and self._end_withdrawals(now):
            ended = True
        return ended

    def _end_withdrawals(self, now: int) -> bool:
        withdrawals = self._journal.database.query(tasks.going_withdrawals, self._campaign_id, _BATCH)
        events = [TaskCancelled(task.id, reason=LAST_DAY_OVER) for task in withdrawals]
        if events:
            self._journal.record(self._campaign_id, events=events, actor="controller", cause="last day", at=now)
        return bool(events)

    def _end_some(self, now: int, *, not_contacted: bool) -> bool:
        with self._journal.database.read() as connection:
            if not tasks.going_sequences(connection, self._campaign_id, 1, not_contacted=not_contacted):
                return False  # without the write lock, which a check alone should not take
        with self._journal.transaction() as transaction:
            connection, events = transaction.connection, list[Event]()
            campaign = campaigns.campaign(connection, self._campaign_id)
            if campaign is None:
                return False
            for task in tasks.going_sequences(connection, self._campaign_id, _BATCH, not_contacted=not_contacted):
                events += ending_events(connection, campaign, task, NOT_BEGUN if not_contacted else LAST_DAY_OVER, now)
            transaction.record(self._campaign_id, events, actor="controller", cause="last day", at=now)
            return bool(events)


def ending_events(connection: DatabaseConnection, campaign: Campaign, task: Task, why: str, now: int) -> list[Event]:
    """End a running or planned sequence: its questions and texts are withdrawn. If they replied, that is the reason."""
    situation = situations.task_situation(connection, campaign, task, now)
    if situation is None:
        return []
    if situation.lead.replied_at is not None and campaign.settings.sequence.stop_on_reply:
        why = "replied"
    withdrawn = withdrawn_questions(connection, task.id, why)
    return [
        *withdrawn,
        *sequence_ended(task, situation.lead, messages.waiting_texts(connection, situation.lead.id), why),
    ]
