"""A proposer for models that are not to be trusted with routine: the script takes mechanical steps, the model judges.

What is opened, read, selected or sent follows from the state, so no token is spent on it. The model is asked for what needs
judgement: the texts, the scoring's rules, tasks of its own, and what the user asks.
"""

from collections.abc import Callable
from dataclasses import dataclass

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import OnText, OnUsage, Proposer, ignore_text, ignore_usage

MOST_UNUSABLE_TEXTS = 2
"""Turns in vain after which the template gives a person's text; one more would block the task."""

_BEFORE_JUDGING_THE_SCORING = frozenset({"", "select_next_task", "request_user_input"})


@dataclass(frozen=True)
class CompositeProposer:
    """`model` gives the model, and is called only when it is asked."""

    model: Callable[[], Proposer]
    name: str = "composite"

    def is_slow(self, snapshot: Snapshot) -> bool:
        """The script answers at once, a model may not."""
        return needs_judgement(snapshot)

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, meter: OnUsage = ignore_usage) -> str:
        """By the model if it takes judgement, else by the script."""
        proposer = self.model() if needs_judgement(snapshot) else ScriptedProposer()
        return proposer.propose(snapshot, on_text, meter)


def needs_judgement(snapshot: Snapshot) -> bool:
    """Whether the step does not simply follow from the state."""
    focus = snapshot.focus
    if snapshot.request is not None:
        return True
    if focus.task.status is TaskStatus.PENDING:
        return False
    match focus.task.kind:
        case TaskKind.REACH_LEAD:
            drafting = focus.need is not None and focus.need.due is DueAction.DRAFT
            without_note = focus.need is not None and focus.need.step is not None and focus.need.step.without_note
            return drafting and not without_note and focus.task.strikes < MOST_UNUSABLE_TEXTS
        case TaskKind.ANSWER | TaskKind.WITHDRAW:
            return False  # an answer's words are the user's own, a withdrawal has none
        case TaskKind.SCORE_LEADS:
            # Once, before the first lead is scored; whatever comes of it, the scoring itself is arithmetic.
            before = snapshot.last.proposal if snapshot.last is not None else ""
            return before in _BEFORE_JUDGING_THE_SCORING and focus.task.strikes == 0
        case _:
            return True
