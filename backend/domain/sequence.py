"""What a lead is owed next: the sequence, and the one rule that reads it (stop on reply included)."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.domain.lead import Lead
from backend.domain.message import Message, MessageStatus
from backend.domain.site import Relation
from backend.domain.task import NEVER, ActionFamily

_HOUR = 3_600_000
_DAY = 24 * _HOUR


class Step(BaseModel):
    """One step; `after_days` counts from the acceptance or from the message before it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    key: str = Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")
    kind: Literal["visit", "invitation", "message"]
    after_days: int = Field(default=0, ge=0, le=90)
    template: str = Field(default="", max_length=4_000)


class Sequence(BaseModel):
    """Steps in order, and what ends the wait between them."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    steps: tuple[Step, ...] = Field(min_length=1, max_length=12)
    accept_within_days: int = Field(default=21, ge=1, le=90)
    check_every_hours: int = Field(default=72, ge=1, le=168)
    final_wait_days: int = Field(default=5, ge=1, le=60)
    stop_on_reply: bool = True
    user_reads: bool = False
    """Whether the user reads what was written, right before each act: then nothing is read before a text is drafted."""


DEFAULT_SEQUENCE = Sequence(
    steps=(
        Step(key="visit", kind="visit"),
        Step(
            key="invite",
            kind="invitation",
            template="Hi {first_name}, I came across your work{at_company} and would like to stay in touch.",
        ),
        Step(
            key="hello",
            kind="message",
            template=(
                "Hi {first_name}, thank you for connecting.\n\n{goal}\n\n"
                "Would a short conversation next week be of interest to you?"
            ),
        ),
        Step(
            key="follow_up",
            kind="message",
            after_days=3,
            template=(
                "Hi {first_name}, a short note in case my last message went under. "
                "If it is not the right moment, no need to answer."
            ),
        ),
    )
)


class DueAction(StrEnum):
    """What is owed."""

    VISIT = "visit"
    CHECK = "check"
    READ = "read"
    DRAFT = "draft"
    APPROVE = "approve"
    SEND = "send"
    FINISH = "finish"
    STUCK = "stuck"


_BEGUN = frozenset({DueAction.VISIT, DueAction.CHECK, DueAction.READ, DueAction.DRAFT, DueAction.SEND})
"""What is not done about somebody who is left in peace for a time."""


@dataclass(frozen=True, slots=True)
class DueStep:
    """What is owed, for which step, not before `at` (ms UTC), and what family of acts that is."""

    due: DueAction
    family: ActionFamily
    at: int = 0
    step: Step | None = None
    reason: str = ""


def due_step(sequence: Sequence, lead: Lead, message: Message | None, now: int, fresh_ms: int) -> DueStep:
    """What `lead` is owed now; `message` is the one of its current step, if written.

    A thread read more than `fresh_ms` ago is read again before anything is sent.
    """
    owed = _due_step(sequence, lead, message, now, fresh_ms)
    if lead.paused_until is not None and owed.due in _BEGUN and owed.at < lead.paused_until:
        return replace(owed, at=lead.paused_until)
    return owed


def _due_step(sequence: Sequence, lead: Lead, message: Message | None, now: int, fresh_ms: int) -> DueStep:
    if lead.blocked:
        return DueStep(DueAction.STUCK, ActionFamily.INPUT, NEVER, reason=lead.blocked)
    if lead.replied_at is not None and sequence.stop_on_reply:
        return _finish("replied")
    index = lead.sequence_step or 0
    if index >= len(sequence.steps):
        return _after_the_last(sequence, lead)
    step = sequence.steps[index]
    if step.kind == "visit":
        return DueStep(DueAction.VISIT, ActionFamily.LOOK, step=step)
    if step.kind == "invitation":
        return _write_and_send(step, message, ActionFamily.INVITE, at=0)
    if lead.relation is Relation.PENDING:
        return _await_acceptance(sequence, lead, step)
    if lead.relation is Relation.NONE and not sequence.user_reads:  # where the user reads, they say so at the act
        return _finish("not connected")
    return _message(sequence, step, lead, message, now, fresh_ms)


def _message(sequence: Sequence, step: Step, lead: Lead, message: Message | None, now: int, fresh_ms: int) -> DueStep:
    base = lead.last_sent_at if lead.last_sent_at is not None else lead.accepted_at
    at = (base or 0) + step.after_days * _DAY
    read_at = lead.thread_read_at if lead.thread_read_at is not None else -1
    owed = _write_and_send(step, message, ActionFamily.MESSAGE, at)
    # Nothing is drafted for somebody who may have answered since, and nothing is sent on an old reading.
    if owed.due is DueAction.DRAFT and read_at < at and not sequence.user_reads:
        return DueStep(DueAction.READ, ActionFamily.LOOK, at, step)
    if owed.due is DueAction.SEND and now - read_at > fresh_ms:
        return DueStep(DueAction.READ, ActionFamily.MESSAGE, at, step)
    return owed


def _write_and_send(step: Step, message: Message | None, family: ActionFamily, at: int) -> DueStep:
    if message is None or message.status is MessageStatus.CANCELLED:
        return DueStep(DueAction.DRAFT, ActionFamily.THINK, at, step)
    if message.status is MessageStatus.DRAFT:
        return DueStep(DueAction.APPROVE, ActionFamily.APPROVAL, NEVER, step)
    if message.status is MessageStatus.APPROVED:
        return DueStep(DueAction.SEND, family, at, step)
    return DueStep(DueAction.STUCK, ActionFamily.INPUT, NEVER, step, reason=message.status.value)


def _await_acceptance(sequence: Sequence, lead: Lead, step: Step) -> DueStep:
    invited = lead.invited_at or 0
    looked = max(invited, lead.visited_at or 0)
    if looked >= invited + sequence.accept_within_days * _DAY:
        return _finish("not accepted")
    return DueStep(DueAction.CHECK, ActionFamily.LOOK, looked + sequence.check_every_hours * _HOUR, step)


def _after_the_last(sequence: Sequence, lead: Lead) -> DueStep:
    if lead.last_sent_at is None and lead.relation is Relation.PENDING:
        # the sequence ends with the invitation: there is no thread to read
        return _finish("invited")
    if lead.last_sent_at is None and sequence.user_reads:
        return _finish("connected already")
    at = (lead.last_sent_at or 0) + sequence.final_wait_days * _DAY
    if (lead.thread_read_at or 0) >= at:
        return _finish("no reply")
    return DueStep(DueAction.READ, ActionFamily.LOOK, at)


def _finish(reason: str) -> DueStep:
    return DueStep(DueAction.FINISH, ActionFamily.THINK, reason=reason)


def step_after_visit(sequence: Sequence, index: int, relation: Relation) -> int:
    """The step that follows a visit: invitations are skipped for somebody already invited or connected."""
    index += 1
    while index < len(sequence.steps) and relation is not Relation.NONE and sequence.steps[index].kind == "invitation":
        index += 1
    return index
