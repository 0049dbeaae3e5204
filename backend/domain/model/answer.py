"""An answer: the user's own words to somebody who wrote. Typing and sending it approves exactly these words.

It has a task of its own, and no place in the sequence. Whatever stops it ends that task, and its text goes back to the user.
"""

from backend.domain.model.campaign import DAY, HOUR
from backend.domain.model.lead import Lead
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.sequence import DueAction, DueStep, Sequence
from backend.domain.model.task import NEVER, ActionFamily, Task, TaskKind

STEP = "answer:"
"""How the step of an answer begins; the key of a step of the sequence holds no colon."""


def is_answer(message: Message | None) -> bool:
    """Whether the message is the user's own answer, and no step of the sequence."""
    return message is not None and message.step.startswith(STEP)


def acting_family(family: ActionFamily, task: Task | None) -> ActionFamily:
    """The gates that guard what a tool of that family does for the task: an answer has its own."""
    answers = task is not None and task.kind is TaskKind.ANSWER and family is ActionFamily.MESSAGE
    return ActionFamily.ANSWER if answers else family


def due_answer(sequence: Sequence, lead: Lead, message: Message | None) -> DueStep:
    """What is due for an answer: to be sent, and then the looks for what comes back, as after a sequence's last message."""
    if message is None or message.status is MessageStatus.CANCELLED:
        return DueStep(DueAction.FINISH, ActionFamily.THINK, reason="taken back")
    if message.status is MessageStatus.APPROVED:
        return DueStep(DueAction.SEND, ActionFamily.ANSWER)
    if message.status is not MessageStatus.SENT:
        return DueStep(DueAction.STUCK, ActionFamily.INPUT, NEVER, reason=message.status.value)
    sent_at, read_at = lead.last_sent_at or 0, lead.thread_read_at or 0
    ends = sent_at + sequence.final_wait_days * DAY
    if (lead.replied_at or 0) > sent_at or read_at >= ends:
        return DueStep(DueAction.FINISH, ActionFamily.THINK, reason="answered")
    next_look = max(sent_at, read_at) + sequence.check_every_hours * HOUR
    return DueStep(DueAction.READ, ActionFamily.LOOK, min(ends, next_look))
