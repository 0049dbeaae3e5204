"""Ends sequences and withdrawals by date: whom nothing may be sent to any more does not go on waiting."""

from backend.domain.events.events import Event
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered, TaskCancelled
from backend.domain.model.campaign import MINUTE, Campaign
from backend.domain.model.task import Task
from backend.domain.turn.task_progress import sequence_ended
from backend.ports.clock import Clock
from backend.situation import situations
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.contact import messages

ENDED = "the campaign's last day is over"
NOT_BEGUN = "the last day for a first contact is over"
_BATCH = 50


class SequenceLook:
    """A look at a campaign's sequences, at most once a minute."""

    def __init__(self, journal: Journal, clock: Clock, campaign_id: str) -> None:
        self._journal = journal
        self._clock = clock
        self._campaign_id = campaign_id
        self._next_look = 0

    def are_due(self) -> bool:
        """Whether it is time to look."""
        return self._clock.now() >= self._next_look


class LastDays(SequenceLook):
    """Looks whether a campaign's last days are over, also at once when one of them ends."""

    def end_sequences(self) -> bool:
        """End every sequence and withdrawal that is over by date; whether there was one. What is being sent now is ended later."""
        now = self._clock.now()
        with self._journal.database.read() as connection:
            campaign = campaigns.campaign(connection, self._campaign_id)
        if campaign is None:
            return False
        limits = campaign.settings.limits
        self._next_look = min(now + MINUTE, limits.next_end(now) or now + MINUTE)
        if not limits.begin_nobody(now):
            return False
        ended = False
        while self._end_some(now, not_contacted=not limits.are_over(now)):
            ended = True
        while limits.are_over(now) and self._end_withdrawals(now):
            ended = True
        return ended

    def _end_withdrawals(self, now: int) -> bool:
        with self._journal.database.read() as connection:
            withdrawals = tasks.going_withdrawals(connection, self._campaign_id, _BATCH)
        events = [TaskCancelled(task.id, reason=ENDED) for task in withdrawals]
        if events:
            self._journal.record(self._campaign_id, events=events, actor="controller", cause="last day", at=now)
        return bool(events)

    def _end_some(self, now: int, *, not_contacted: bool) -> bool:
        with self._journal.database.read() as connection:
            if not tasks.going_sequences(connection, self._campaign_id, 1, not_contacted=not_contacted):
                return False  # who only looks holds up nobody who writes
        with self._journal.transaction() as transaction:
            connection, events = transaction.connection, list[Event]()
            campaign = campaigns.campaign(connection, self._campaign_id)
            if campaign is None:
                return False
            for task in tasks.going_sequences(connection, self._campaign_id, _BATCH, not_contacted=not_contacted):
                events += ending_events(connection, campaign, task, NOT_BEGUN if not_contacted else ENDED, now)
            transaction.record(self._campaign_id, events, actor="controller", cause="last day", at=now)
            return bool(events)


def ending_events(connection: DatabaseConnection, campaign: Campaign, task: Task, why: str, now: int) -> list[Event]:
    """The end of a sequence that goes on or is planned: its questions and its text are withdrawn. A reply is the better reason."""
    situation = situations.task_situation(connection, campaign, task, now)
    if situation is None:
        return []
    if situation.lead.replied_at is not None and campaign.settings.sequence.stop_on_reply:
        why = "replied"
    moot = withdrawn_questions(connection, task, why)
    return [*moot, *sequence_ended(task, situation.lead, messages.waiting_texts(connection, situation.lead.id), why)]


def withdrawn_questions(connection: DatabaseConnection, task: Task, why: str) -> list[Event]:
    """What is asked about a task that is over need not be answered any more."""
    open_questions = questions.list_open_of_task(connection, task.id)
    return [InputAnswered(question.id, status=QuestionStatus.WITHDRAWN, answer=why) for question in open_questions]
