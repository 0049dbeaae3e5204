"""Commands about a task: try it again, cancel it, or add a condition that must hold before it is done."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from backend.commands.answers import LEAVE_IT, TRY_AGAIN, AnswerContext, drop_or_mend
from backend.commands.command import SHOWN, column
from backend.commands.handler import CommandHandler, command
from backend.domain.events.events import Event
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import CommitmentWithdrawn, InputAnswered
from backend.domain.model.campaign import CampaignStatus, not_active_error, refuse_archived
from backend.domain.model.task import SETTLED, STATUS_WORDS, Task, TaskKind, TaskStatus
from backend.domain.turn.commitments import COMMITMENT, CommandSucceeds, SqlHolds, UserCommitment, impossibility
from backend.domain.turn.new_tasks import commitment
from backend.domain.values.errors import OutriderError
from backend.situation.situations import TurnInputs
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import questions, tasks
from backend.store.queries.turn import commitments, user_query
from backend.turn.planner import OPEN

CANCELLABLE = (*OPEN, TaskStatus.BLOCKED)


@dataclass(frozen=True, slots=True)
class TaskCommands(CommandHandler):
    """Blocked tasks hold a campaign until the user retries or cancels them (spec 001 FR-057)."""

    @command("tasks.cancel", shows={"TaskCancelled": "status"}, on_conflict="repeat")
    def cancel(
        self,
        campaign_id: str,
        task_id: str,
        shown_blocked: Annotated[bool | None, SHOWN] = True,
    ) -> None:
        """Cancel a blocked task; with None any task that is not over, because another device may have unblocked it since.

        Raises `task_unknown`, `task_not_blocked` and `send_unsettled`.
        """
        self._decide(campaign_id, task_id, LEAVE_IT, CANCELLABLE if shown_blocked is None else (TaskStatus.BLOCKED,))

    @command("tasks.retry", shows={"TaskUnblocked": "status"})
    def retry(self, campaign_id: str, task_id: str) -> None:
        """Try a blocked or cancelled task again. Raises the same errors as `cancel`, and `lead_erased`."""
        self._decide(campaign_id, task_id, TRY_AGAIN, (TaskStatus.BLOCKED, TaskStatus.CANCELLED))

    @command("tasks.add_commitment", shows={"CommitmentMade": "params"}, on_conflict="repeat")
    def add_commitment(
        self,
        campaign_id: str,
        task_id: Annotated[str, column("CommitmentMade", "task_id")],
        promise: Annotated[UserCommitment, column("CommitmentMade", "params")],
        approved_argv: Annotated[Sequence[str] | None, SHOWN] = None,
    ) -> None:
        """Add a condition without which the task is not done. Only exactly the approved command is ever run for it.

        Raises `task_unknown`, `task_settled`, `condition_impossible` for a condition that can never hold, and
        `command_not_approved` for a command that is not the one that was shown; one that was approved on this device before need
        not be shown again.
        """
        why = (
            self._impossibility(campaign_id, promise.select)
            if isinstance(promise, SqlHolds)
            else impossibility(promise)
        )
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            self._refuse_settled(transaction, campaign_id, task_id)
            if why:
                raise OutriderError("condition_impossible", why=why)
            if isinstance(promise, CommandSucceeds):
                was_approved = approved_argv is None and commitments.is_approved(transaction.connection, promise.argv)
                if not was_approved and tuple(approved_argv or ()) != promise.argv:
                    raise OutriderError("command_not_approved")
                commitments.approve_command(transaction.connection, promise.argv, self.clock.now())
            event = commitment(transaction.new_id(), task_id, promise.model_dump(mode="json"), "user")
            self._record(transaction, campaign_id, [event])

    def _impossibility(self, campaign_id: str, select: str) -> str:
        """Why a query can never be answered; checked outside a transaction, which would keep all others waiting."""
        conditions = self.journal.database.conditions
        if conditions is not None:
            return conditions.impossibility(select, campaign_id)
        return self.journal.database.query(user_query.impossibility, select)

    @command("tasks.remove_commitment", shows={"CommitmentWithdrawn": "status"})
    def remove_commitment(self, campaign_id: str, task_id: str, commitment_id: str) -> None:
        """Remove a condition that a user added. Raises `task_unknown`, `task_settled`, `commitment_unknown`."""
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            self._refuse_settled(transaction, campaign_id, task_id)
            rows = commitments.of_task(transaction.connection, task_id)
            if not any(row.id == commitment_id and row.source == "user" for row in rows):
                raise OutriderError("commitment_unknown", commitment=commitment_id)
            self._record(transaction, campaign_id, [CommitmentWithdrawn(commitment_id)])

    def approve_command(self, campaign_id: str, task_id: str, commitment_id: str, approved_argv: Sequence[str]) -> None:
        """Allow a command that was added on another device to run on this one; the approval stays on this device.

        Raises `commitment_unknown`, and `command_not_approved` for a command that is not the one that was shown.
        """
        with self.journal.transaction() as transaction:
            task = tasks.task(transaction.connection, campaign_id, task_id)
            rows = commitments.of_task(transaction.connection, task_id) if task else []
            params = next((row.params for row in rows if row.id == commitment_id), None)
            promise = None if params is None else COMMITMENT.validate_json(params)
            if not isinstance(promise, CommandSucceeds):
                raise OutriderError("commitment_unknown", commitment=commitment_id)
            if tuple(approved_argv) != promise.argv:
                raise OutriderError("command_not_approved")
            commitments.approve_command(transaction.connection, promise.argv, self.clock.now())

    @staticmethod
    def _task(transaction: Transaction, campaign_id: str, task_id: str) -> Task:
        task = tasks.task(transaction.connection, campaign_id, task_id)
        if task is None or task.kind is TaskKind.ASSIST:
            raise OutriderError("task_unknown", task=task_id)
        return task

    def _refuse_settled(self, transaction: Transaction, campaign_id: str, task_id: str) -> None:
        task = self._task(transaction, campaign_id, task_id)
        if task.status in SETTLED:
            raise OutriderError("task_settled", status=STATUS_WORDS[task.status])

    def _decide(self, campaign_id: str, task_id: str, text: str, allowed: tuple[TaskStatus, ...]) -> None:
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            task = self._task(transaction, campaign_id, task_id)
            if task.status not in allowed:
                raise OutriderError("task_not_blocked", status=STATUS_WORDS[task.status])
            if text == TRY_AGAIN and task.lead_id is not None:
                self._refuse_erased(transaction, campaign_id, task.lead_id)
            open_questions = questions.list_open_of_task(transaction.connection, task_id)
            if any(question.kind == "outcome_unknown" for question in open_questions):
                raise OutriderError("send_unsettled")
            refuse_archived(campaign)
            if campaign.status is CampaignStatus.COMPLETED:  # nobody would work on it
                raise not_active_error(campaign_id, campaign.status)
            inputs = TurnInputs.at(self.clock, now, present=True)
            answer = AnswerContext(campaign, task, {}, (), text, inputs)
            events: list[Event] = [
                InputAnswered(question.id, status=QuestionStatus.ANSWERED, answer=text) for question in open_questions
            ]
            self._record(transaction, campaign_id, [*events, *drop_or_mend(transaction, answer, task)])
