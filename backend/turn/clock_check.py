"""Takes note when a campaign's clock was set back, so that nobody waits for a time that never was."""

from functools import partial
from typing import Any

from backend.domain.events.events import Event
from backend.domain.events.facts.campaign import ClockSetBack
from backend.domain.model.campaign import DAY, MINUTE
from backend.domain.model.lead import Lead
from backend.domain.model.sequence import DueAction
from backend.domain.turn.task_progress import advance, wake_events
from backend.situation import situations
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns, corrected_times, tasks
from backend.store.queries.campaign.corrected_times import ClockCorrection
from backend.turn.last_days import SequenceCheck

TOLERANCE = 5 * MINUTE
"""Clocks of several devices differ by less, and nothing waits for minutes."""


class ClockCheck(SequenceCheck):
    """Looks whether the last entries are later than now, and whether the time has come that the clock had shown before."""

    def end_sequences(self) -> bool:
        """Whether either is new; then tasks wait anew. The latter may mean that the clock was behind meanwhile and is right now,
        so nobody who was written to in between waits less than if it was: nothing says which of the two was wrong.
        """
        now = self._clock.now()
        self._next_check = now + MINUTE
        with self._journal.database.read() as connection:
            last = (corrected_times.clock_corrections(connection, self._campaign_id) or [ClockCorrection(0, 0, 0)])[-1]
            latest = corrected_times.latest_entry_time(connection, self._campaign_id, last.seq)
        is_back = latest > now + TOLERANCE
        if not is_back and not 0 < last.was <= now:
            return False
        with self._journal.transaction() as transaction:
            record = partial(transaction.record, self._campaign_id, actor="controller", cause="clock", at=now)
            record([ClockSetBack(self._campaign_id, clock_was=latest if is_back else 0)])
            record(self._waiting_anew(transaction.connection, None if is_back else last, now))
        return True

    def _waiting_anew(self, connection: DatabaseConnection, over: ClockCorrection | None, now: int) -> list[Event]:
        events = list[Event]()
        campaign = campaigns.existing_campaign(connection, self._campaign_id)
        for task in tasks.waiting(connection, campaign.id, now if over is None else 0):
            situation = situations.task_situation(connection, campaign, task, now)
            if situation is None and over is None:
                events += advance(task, task.needs, now)
            elif situation is not None and situation.due_step.due is not DueAction.STUCK:
                lead = situation.lead if over is None else as_of(situation.lead, over, now)
                if over is None or lead != situation.lead:
                    events += wake_events(campaign, task, lead, situation.message, now)
        return events


def as_of(lead: Lead, between: ClockCorrection, now: int) -> Lead:
    """The lead as if what is recorded for that time was recorded by a clock that was behind: now, or a few hours later."""
    behind, changes = between.was - between.at, dict[str, Any]()
    for name in corrected_times.WAITED_FROM:
        at = getattr(lead, name) or 0
        if between.at <= at < between.was:
            changes[name] = now if behind > DAY else min(now, at + behind)
    return lead._replace(**changes)
