"""When a proposer may ask the user: once in each situation of a task, and seldom about the same task."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.domain.model.artifact import Maker, MakerKind, maker
from backend.domain.model.lead import Lead
from backend.domain.model.sequence import DueStep
from backend.domain.model.task import Task, TaskKind
from backend.domain.turn.proposals import Rejection, reject

APPROVE_BLUEPRINT = "approve_blueprint"
"""The kind of question that a proposed blueprint becomes; its payload is {"blueprint": {"criteria": […]}}."""

APPROVE_SCRIPT = "approve_script"
"""The kind of question that a proposed script becomes; its payload is the key, the source and its SHA-256."""

OWN_WORDS = ("confirm", "choice", "text")
"""The kinds of question that a proposer words itself."""

AGENT_QUESTIONS = (*OWN_WORDS, "save_artifact", APPROVE_BLUEPRINT, APPROVE_SCRIPT)
"""The kinds of question that a proposal puts to the user; all others are the controller's own."""


def proposer_of(payload: Mapping[str, Any]) -> Maker:
    """Who proposed what a question of these kinds is about, so who made it once the user says yes."""
    return maker(payload.get("made_by", MakerKind.MODEL))


MOST_QUESTIONS: dict[TaskKind, int] = {
    TaskKind.SCORE_LEADS: 3,
    TaskKind.REACH_LEAD: 1,
    TaskKind.CUSTOM: 3,
    TaskKind.ANSWER: 0,
    TaskKind.WITHDRAW: 0,
    TaskKind.ASSIST: 12,
}
"""How many questions a proposer may put to the user about one task of that kind.

Words that a template lacks may be asked for besides, because nobody else can say them.
"""

MOST_WORD_QUESTIONS = 24


@dataclass(frozen=True, slots=True)
class AskedSoFar:
    """What was asked about a task so far, and its situation now.

    `answered_in` is the situation in which the last answered question was asked; None if there was none.
    `lacking` are the variables of the text due that only the user can fill.
    """

    count: int = 0
    answered_in: str | None = None
    situation: str = ""
    lacking: tuple[str, ...] = ()


NOTHING_ASKED = AskedSoFar()


def situation(task: Task, lead: Lead | None, due_step: DueStep | None, refused_texts: int) -> str:
    """What a question would be about; as long as it is the same, nothing has changed for the task."""
    if lead is None or due_step is None:
        return task.reason
    step = due_step.step.key if due_step.step is not None else ""
    replied = "replied" if lead.replied_at is not None else ""
    return f"{due_step.due} {step} {lead.relation} {replied} {refused_texts}"


def refuse_question(kind: TaskKind, asked: AskedSoFar, question: str) -> Rejection | None:
    """Why this question is not put to the user, None if it is."""
    if any(names_variable(question, name) for name in asked.lacking) and asked.count < MOST_WORD_QUESTIONS:
        return None
    if refused := refuse_yes_or_no(kind, asked):
        return refused
    if kind is not TaskKind.ASSIST and asked.answered_in == asked.situation:
        return reject("question_answered")
    return None


def refuse_yes_or_no(kind: TaskKind, asked: AskedSoFar) -> Rejection | None:
    """The same for what the user is asked to say yes to: an artifact or a blueprint."""
    most = MOST_QUESTIONS[kind]
    return reject("too_many_questions", limit=most) if asked.count >= most else None


def may_ask(kind: TaskKind, asked: AskedSoFar) -> bool:
    """Whether any question would be put to the user now."""
    return bool(asked.lacking) or refuse_question(kind, asked, "") is None


def names_variable(question: str, name: str) -> bool:
    """Whether a question asks for that variable: by its name in braces."""
    return f"{{{name[:60]}}}" in question
