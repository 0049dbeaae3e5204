"""What a user decides about a task that does not go on."""

from dataclasses import dataclass

from backend.commands.answers import LEAVE_IT, TRY_AGAIN, AnswerContext, drop_or_mend
from backend.commands.handler import CommandHandler, command
from backend.domain.campaign import CampaignStatus
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.domain.facts.statuses import QuestionStatus
from backend.domain.facts.task import InputAnswered
from backend.domain.task import TaskKind, TaskStatus
from backend.store.queries import questions, tasks
from backend.turn.load import TurnInputs


@dataclass(frozen=True, slots=True)
class TaskCommands(CommandHandler):
    """Blocked tasks hold a campaign until the user mends or drops them (spec 001 FR-057)."""

    @command("tasks.drop", shows={"TaskDropped": "status"})
    def drop(self, campaign_id: str, task_id: str) -> None:
        """A blocked task is not to be done. Raises `task_unknown`, `task_not_blocked` and `send_unsettled`."""
        self._decide(campaign_id, task_id, LEAVE_IT, (TaskStatus.BLOCKED,))

    @command("tasks.mend", shows={"TaskUnblocked": "status"})
    def mend(self, campaign_id: str, task_id: str) -> None:
        """A blocked or dropped task is tried again. Raises the same."""
        self._decide(campaign_id, task_id, TRY_AGAIN, (TaskStatus.BLOCKED, TaskStatus.DROPPED))

    def _decide(self, campaign_id: str, task_id: str, text: str, allowed: tuple[TaskStatus, ...]) -> None:
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            task = tasks.task(transaction.connection, campaign_id, task_id)
            if task is None or task.kind is TaskKind.ASSIST:
                raise OutriderError("task_unknown", task=task_id)
            if task.status not in allowed:
                raise OutriderError("task_not_blocked", status=task.status)
            asked = questions.list_open_of_task(transaction.connection, task_id)
            if any(question.kind == "outcome_unknown" for question in asked):
                raise OutriderError("send_unsettled")
            if campaign.status is CampaignStatus.COMPLETED:  # nobody would work on it
                raise OutriderError("campaign_not_active", status=campaign.status, campaign=campaign_id)
            around = TurnInputs(now, self.clock.offset(now), present=True)
            decided = AnswerContext(campaign, task, {}, (), text, around)
            events: list[Event] = [
                InputAnswered(question.id, status=QuestionStatus.ANSWERED, answer=text) for question in asked
            ]
            self._record(transaction, campaign_id, [*events, *drop_or_mend(transaction, decided, task)])
