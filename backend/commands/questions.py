"""What the user answers to what a task waits for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from backend.commands.answers import (
    ERASED_QUESTION,
    LEAVE_IT,
    TRY_AGAIN,
    answer_events,
    contradicting_events,
    load_answer,
    text_to_approve,
)
from backend.commands.command import SHOWN, column
from backend.commands.handler import CommandHandler, command
from backend.commands.people import forbidding_again
from backend.commands.tasks import TaskCommands
from backend.domain.contact.conversation_check import STOP
from backend.domain.contact.reconciliation import WAS_NOT_SENT, WAS_SENT
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered
from backend.domain.values.hidden_characters import refuse_unshown
from backend.situation.situations import TurnInputs
from backend.store.queries.campaign import questions, tasks
from backend.store.queries.campaign.questions import QuestionRow

LEAVING = (LEAVE_IT, STOP)
"""The answers by which a task is not done: they only forbid."""
Answer = Annotated[str, Field(min_length=1, max_length=2_000)]


@dataclass(frozen=True, slots=True)
class QuestionCommands(CommandHandler):
    """Answers; raises `campaign_unknown` and `question_unknown`."""

    @command(
        "questions.answer",
        shows={"InputAnswered": "answer"},
        on_conflict="repeat",
        with_values={"answer": (*LEAVING, WAS_SENT, WAS_NOT_SENT)},
    )
    def answer(
        self,
        campaign_id: str,
        request_id: str,
        answer: Annotated[Answer, column("InputAnswered", "answer")],
        *,
        hidden_shown: Annotated[Sequence[str] | None, SHOWN] = (),
    ) -> None:
        """Answer what a task waits for; the task goes on, an artifact is kept only on yes.

        A yes to a text with hidden characters names those that were shown, as `approve` does. Given again after a conflict
        (None), to a question that another device has answered, it is about the task that the question was about; whether it was
        sent, of which the other one said the opposite, is asked about.
        """
        question = self._answered(campaign_id, request_id) if hidden_shown is None else None
        if question is not None and (task_id := question.task_id):
            if answer in (WAS_SENT, WAS_NOT_SENT) and self._ask_which(campaign_id, question, answer):
                return
            task_commands = TaskCommands(self.journal, self.clock, self.actor)
            if answer == TRY_AGAIN:
                task_commands.retry(campaign_id, task_id)
                return
            if answer in LEAVING:
                task_commands.cancel(campaign_id, task_id, None)
                return
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            inputs = TurnInputs.at(self.clock, now, present=True)  # they are: they answer
            kind, answered = load_answer(transaction, campaign, request_id, answer, inputs)
            if answer == "yes":
                refuse_unshown(text_to_approve(transaction.connection, kind, answered), hidden_shown)
            words = LEAVE_IT if kind == ERASED_QUESTION else answer  # which may be about whoever is erased
            events = [
                InputAnswered(request_id, status=QuestionStatus.ANSWERED, answer=words),
                *answer_events(transaction, kind, answered),
            ]
            self._record(transaction, campaign_id, events)
            self._record(transaction, campaign_id, forbidding_again(transaction, campaign_id, now))

    def _ask_which(self, campaign_id: str, answered: QuestionRow, answer: str) -> bool:
        """Whether the opposite of the answer is on record; then they are asked which of the two words holds."""
        with self.journal.transaction() as transaction:
            now, task = self.clock.now(), tasks.task(transaction.connection, campaign_id, answered.task_id or "")
            lead_id, action_id = (task and task.lead_id) or "", str(answered.payload.get("action_id", ""))
            sent = answer == WAS_SENT
            events = contradicting_events(transaction, campaign_id, lead_id, action_id, now, self.clock, sent=sent)
            self._record(transaction, campaign_id, events or [])
            return events is not None

    def _answered(self, campaign_id: str, request_id: str) -> QuestionRow | None:
        with self.journal.database.read() as connection:
            if questions.find_open(connection, campaign_id, request_id) is not None:
                return None
            return questions.question(connection, request_id)
