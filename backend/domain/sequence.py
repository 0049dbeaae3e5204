"""What a lead is owed next: the sequence, and the one rule that reads it (stop on reply included)."""

from enum import StrEnum
from hashlib import sha256
from typing import Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.domain.lead import Lead
from backend.domain.message import Message, MessageStatus
from backend.domain.site import Relation
from backend.domain.task import NEVER, ActionFamily

_HOUR = 3_600_000
_DAY = 24 * _HOUR


LONGEST_SEQUENCE = 12
"""Steps in force; those that were taken out are kept beside them."""
MOST_KEPT = 200


MOST_VARIANTS = 5
"""Of a step's text, its own included."""
OWN = "a"
"""The key of the step's own text among its variants."""


class Variant(BaseModel):
    """Other words for a step, for some of the people. One that was taken out stays, so that its key is never given again."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    key: str = Field(pattern=r"^[b-z]$")
    template: str = Field(max_length=4_000)
    removed: bool = False


StepKind = Literal["visit", "invitation", "message", "wait", "end"]


class Step(BaseModel):
    """One step; `after_days` counts from the acceptance or from the message before it.

    An invitation without a template goes out without a note. A wait only puts off what follows it, an end lets nothing follow.

    `number` is what it keeps when steps are put in or taken out before it; None is its place. A step that was taken out stays,
    `removed`, so that it is known who is past it.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    key: str = Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")
    kind: StepKind
    after_days: int = Field(default=0, ge=0, le=90)
    template: str = Field(default="", max_length=4_000)
    variants: tuple[Variant, ...] = Field(default=(), max_length=25)
    number: int | None = Field(default=None, ge=0)
    removed: bool = False

    @property
    def texts(self) -> dict[str, str]:
        """The template of each variant in force by its key, the step's own first."""
        return {OWN: self.template, **{one.key: one.template for one in self.variants if not one.removed}}

    def variant_of(self, lead_id: str) -> str:
        """Which variant this lead gets; "" for a step that has none.

        The keys compete for each lead by a hash, so that a variant that is added or taken out moves nobody else.
        """
        keys = self.texts
        if len(keys) == 1:
            return ""
        return max(keys, key=lambda key: sha256(f"{lead_id} {self.key} {key}".encode()).digest())

    def with_variant(self, key: str) -> Self:
        """The step as it is for those who get that variant."""
        return self if key in ("", OWN) else self.model_copy(update={"template": self.texts[key]})

    @property
    def writes(self) -> bool:
        """Whether a text goes out with it, be it an empty one."""
        return self.kind in ("invitation", "message")

    @property
    def without_note(self) -> bool:
        """Whether it is an invitation that says nothing."""
        return self.kind == "invitation" and not self.template.strip()


class Way(NamedTuple):
    """Where the step that comes next stands, and how many days the waits before it are."""

    place: int
    days: int


class Sequence(BaseModel):
    """Steps in order, and what ends the wait between them. `version` rises with each change."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    steps: tuple[Step, ...] = Field(min_length=1, max_length=MOST_KEPT)
    accept_within_days: int = Field(default=21, ge=1, le=90)
    check_every_hours: int = Field(default=72, ge=1, le=168)
    final_wait_days: int = Field(default=5, ge=1, le=60)
    stop_on_reply: bool = True
    user_reads: bool = False
    """Whether the user reads what was written, right before each act: then nothing is read before a text is drafted."""
    version: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _few_in_force(self) -> Self:
        if not 0 < len(self.live) <= LONGEST_SEQUENCE:
            raise ValueError(f"1 to {LONGEST_SEQUENCE} steps can be in force")
        return self

    @property
    def live(self) -> tuple[Step, ...]:
        """The steps in force, in order."""
        return tuple(step for step in self.steps if not step.removed)

    def number_of(self, index: int) -> int:
        """The number of the step at that place."""
        number = self.steps[index].number
        return index if number is None else number

    def past(self, index: int) -> int:
        """The `sequence_step` of a lead whose last step is the one at that place; -1 is none."""
        return self.number_of(index) + 1 if index >= 0 else 0

    def place_of(self, key: str) -> int:
        """Where the step of that key stands; raises ValueError if there is none."""
        return [step.key for step in self.steps].index(key)

    def place_after(self, sequence_step: int | None) -> int:
        """The place behind the last step that they had."""
        if not sequence_step:
            return 0
        for at, step in enumerate(self.steps, 1):
            if (at if step.number is None else step.number + 1) == sequence_step:
                return at
        return sequence_step

    def next_place(self, sequence_step: int | None, relation: Relation) -> int:
        """The place of the step that comes next; the number of steps if none does."""
        return self.way(sequence_step, relation).place

    def way(self, sequence_step: int | None, relation: Relation) -> Way:
        """To the step that comes next.

        Nobody gets a step that was taken out, nor an invitation who is invited or connected already.
        """
        place, days = self.place_after(sequence_step), 0
        while place < len(self.steps):
            step = self.steps[place]
            if step.removed or (step.kind == "invitation" and relation is not Relation.NONE):
                pass
            elif step.kind == "end":
                return Way(len(self.steps), days)
            elif step.kind == "wait":
                days += step.after_days
            else:
                break
            place += 1
        return Way(place, days)


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


class DueStep(NamedTuple):
    """What is owed, for which step, not before `at` (ms UTC), and what family of acts that is.

    The step has the words of the lead's `variant`.
    """

    due: DueAction
    family: ActionFamily
    at: int = 0
    step: Step | None = None
    reason: str = ""
    variant: str = ""


def due_step(sequence: Sequence, lead: Lead, message: Message | None, now: int, fresh_ms: int) -> DueStep:
    """What `lead` is owed now; `message` is the one of its current step, if written.

    A thread read more than `fresh_ms` ago is read again before anything is sent.
    """
    owed = _due_step(sequence, lead, message, now, fresh_ms)
    if owed.step is not None and owed.step.variants:
        written = message.variant if message is not None else ""
        variant = written if written in owed.step.texts else owed.step.variant_of(lead.id)
        owed = owed._replace(step=owed.step.with_variant(variant), variant=variant)
    if lead.paused_until is not None and owed.due in _BEGUN and owed.at < lead.paused_until:
        return owed._replace(at=lead.paused_until)
    return owed


def _due_step(sequence: Sequence, lead: Lead, message: Message | None, now: int, fresh_ms: int) -> DueStep:
    if lead.blocked:
        return DueStep(DueAction.STUCK, ActionFamily.INPUT, NEVER, reason=lead.blocked)
    if lead.replied_at is not None and sequence.stop_on_reply:
        return _finish("replied")
    place, days = sequence.way(lead.sequence_step, lead.relation)
    if place >= len(sequence.steps):
        return _after_the_last(sequence, lead)
    step = sequence.steps[place]
    at = _waited(lead, step, days)
    if step.kind == "visit":
        return DueStep(DueAction.VISIT, ActionFamily.LOOK, at, step)
    if step.kind == "invitation":
        return _write_and_send(step, message, ActionFamily.INVITE, at=at if days else 0)
    if lead.relation is Relation.PENDING:
        return _await_acceptance(sequence, lead, step)
    if lead.relation is Relation.NONE and not sequence.user_reads:  # where the user reads, they say so at the act
        return _finish("not connected")
    return _message(sequence, step, lead, message, now, fresh_ms, at)


def next_step(sequence: Sequence, lead: Lead) -> Step | None:
    """The step that comes next for this lead; None when it has been through all."""
    place = sequence.next_place(lead.sequence_step, lead.relation)
    return sequence.steps[place] if place < len(sequence.steps) else None


def one_step_on(sequence: Sequence, lead: Lead) -> int:
    """The lead's `sequence_step` once the step that comes next is done."""
    return sequence.past(min(sequence.next_place(lead.sequence_step, lead.relation), len(sequence.steps) - 1))


def _message(
    sequence: Sequence, step: Step, lead: Lead, message: Message | None, now: int, fresh_ms: int, at: int
) -> DueStep:
    read_at = lead.thread_read_at if lead.thread_read_at is not None else -1
    owed = _write_and_send(step, message, ActionFamily.MESSAGE, at)
    # Nothing is drafted for somebody who may have answered since, and nothing is sent on an old reading.
    if owed.due is DueAction.DRAFT and read_at < at and not sequence.user_reads:
        return DueStep(DueAction.READ, ActionFamily.LOOK, at, step)
    if owed.due is DueAction.SEND and now - read_at > fresh_ms:
        return DueStep(DueAction.READ, ActionFamily.MESSAGE, at, step)
    return owed


def _waited(lead: Lead, step: Step, days: int) -> int:
    """When it may be done; a wait counts from the last text, else from the acceptance, else from the look at the profile."""
    base = lead.last_sent_at if lead.last_sent_at is not None else lead.accepted_at
    if base is None and days:
        base = lead.visited_at
    return (base or 0) + (step.after_days + days) * _DAY


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
    """The `sequence_step` behind the visit at that place; somebody who is invited or connected is past the invitation, too."""
    while (
        index + 1 < len(sequence.steps)
        and relation is not Relation.NONE
        and sequence.steps[index + 1].kind == "invitation"
    ):
        index += 1
    return sequence.past(index)
