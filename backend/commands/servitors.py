"""Summoning and dismissing servitors (spec 004 REQ-DET-008); they work by proposals like every task."""

from dataclasses import dataclass

from backend.commands.answers import LEAVE_IT, AnswerContext, drop_or_mend
from backend.commands.handler import CommandHandler
from backend.domain.events.events import Event
from backend.domain.events.facts.task import ServitorDismissed
from backend.domain.model.campaign import CampaignStatus, not_active_error, refuse_archived
from backend.domain.model.task import SETTLED, TaskStatus
from backend.domain.turn import servitor
from backend.domain.turn.servitor import generated_name, is_name, summoned
from backend.domain.values.errors import OutriderError
from backend.situation.situations import TurnInputs
from backend.store.queries.campaign import tasks
from backend.store.queries.campaign.questions import withdrawn_questions
from backend.store.queries.turn import servitors
from backend.store.queries.turn.servitors import ServitorRow


@dataclass(frozen=True, slots=True)
class ServitorCommands(CommandHandler):
    """Given by the user, by the assistant, or by a connected program; `actor` says by whom.

    `most_working`: how many that are not done there may be for another one to be summoned.
    """

    most_working: int = servitor.MOST

    def summon(self, campaign_id: str, assignment: str = "", name: str = "") -> ServitorRow:
        """A servitor that works in this campaign; a name is found if none is given.

        Raises `campaign_unknown`, `campaign_not_active`, `servitor_name_taken`, `setting_invalid` and `servitors_many`.
        """
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            refuse_archived(campaign)
            if campaign.status is CampaignStatus.COMPLETED:  # nobody would work on it
                raise not_active_error(campaign_id, campaign.status)
            existing = servitors.servitors(transaction.connection, campaign_id, servitor.MOST)
            if len(existing) >= servitor.MOST:
                raise OutriderError("servitors_many", limit=servitor.MOST)
            if sum(TaskStatus(row.status) not in SETTLED for row in existing) >= self.most_working:
                raise OutriderError("servitors_many", limit=self.most_working)
            taken = {servitor_row.name for servitor_row in existing}
            if name and (not is_name(name) or name in taken):
                raise OutriderError("servitor_name_taken", name=name)
            servitor_id, called = transaction.new_id(), name or generated_name(taken)
            events = summoned(servitor_id, called, assignment, now, transaction.new_id)
            cause = f"summon servitor {servitor_id}"
            transaction.record(campaign_id, events, actor=self.actor, cause=cause, at=now)
            summoned_row = servitors.servitor_by_id(transaction.connection, servitor_id)
        if summoned_row is None:
            raise OutriderError("servitor_unknown", servitor=servitor_id)
        return summoned_row

    def dismiss(self, servitor_id: str) -> ServitorRow:
        """It works no more, whatever it was at, and what it asked is withdrawn. Raises `servitor_unknown`."""
        with self.journal.transaction() as transaction:
            servitor_row = servitors.servitor_by_id(transaction.connection, servitor_id)
            task = tasks.task(transaction.connection, servitor_row.campaign_id, servitor_id) if servitor_row else None
            if servitor_row is None or task is None:
                raise OutriderError("servitor_unknown", servitor=servitor_id)
            campaign, now = self._campaign(transaction, servitor_row.campaign_id), self.clock.now()
            inputs = TurnInputs.at(self.clock, now, present=True)
            answer = AnswerContext(campaign, task, {}, (), LEAVE_IT, inputs)
            if task.status is TaskStatus.DONE:
                events: list[Event] = [ServitorDismissed(servitor_id)]
            else:
                withdrawn = withdrawn_questions(transaction.connection, servitor_id, "the servitor was dismissed")
                events = [*withdrawn, *drop_or_mend(transaction, answer, task)]
            cause = f"dismiss servitor {servitor_id}"
            transaction.record(servitor_row.campaign_id, events, actor=self.actor, cause=cause, at=now)
        return servitor_row
