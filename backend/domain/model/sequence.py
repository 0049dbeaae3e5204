"""What is due for a lead next: the sequence, and the one rule that reads it (stop on reply included)."""

from collections.abc import Mapping
from collections.abc import Sequence as Many
from enum import StrEnum
from hashlib import sha256
from typing import Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.domain.model.condition import (
    MOST_CONDITIONS,
    Condition,
    ConditionAnswer,
    Look,
    Recorded,
    ask,
    read_recorded,
    recorded,
)
from backend.domain.model.lead import ANSWERED_ELSEWHERE, LABEL_ENDS, Lead
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.site import Relation
from backend.domain.model.task import NEVER, ActionFamily

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

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    key: str = Field(pattern=r"^[b-z]$")
    template: str = Field(max_length=4_000)
    removed: bool = False


StepKind = Literal["visit", "invitation", "message", "wait", "end"]


class Step(BaseModel):
    """One step; `after_days` counts from the acceptance or from the message before it.

    An invitation without a template goes out without a note. A wait only puts off what follows it, an end lets nothing follow.
    Whoever does not meet all of `only_if` does not get it.

    `number` is what it keeps when steps are put in or taken out before it; None is its place. A step that was taken out stays,
    `removed`, so that it is known who is past it.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    key: str = Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")
    kind: StepKind
    after_days: int = Field(default=0, ge=0, le=90)
    template: str = Field(default="", max_length=4_000)
    variants: tuple[Variant, ...] = Field(default=(), max_length=25)
    only_if: tuple[Condition, ...] = Field(default=(), max_length=MOST_CONDITIONS)
    number: int | None = Field(default=None, ge=0)
    removed: bool = False

    @property
    def texts(self) -> dict[str, str]:
        """The template of each variant in force by its key, the step's own first."""
        return {
            OWN: self.template,
            **{variant.key: variant.template for variant in self.variants if not variant.removed},
        }

    def variant_of(self, lead_id: str) -> str:
        """This lead's variant, or ""; keys compete by a hash, so that adding or removing one moves nobody else."""
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


Answers = tuple[str, ...]
"""What a lead was asked, as it is recorded."""


class Fit(NamedTuple):
    """How a step's conditions stand for somebody: one is open, or it is not for them, and why; or else it is for them."""

    open: Condition | None = None
    skipped: str = ""


FOR_THEM = Fit()


class Way(NamedTuple):
    """Where the next step stands, how many days the waits before it are, and, `open`, its condition that was not put yet."""

    step_index: int
    days: int
    open: Condition | None = None


_TITLES: Mapping[str, str] = {
    "visit": "Profile view",
    "invitation": "Invitation",
    "message": "Message",
    "wait": "Wait",
    "end": "End",
}


class Sequence(BaseModel):
    """Steps in order, and what ends the wait between them. `version` rises with each change."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

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

    @property
    def titles(self) -> dict[str, str]:
        """What each step in force is called on a screen, by its key; messages are told apart by their number."""
        messages = [step.key for step in self.live if step.kind == "message"]
        numbered = {key: f"Message {number}" for number, key in enumerate(messages, 1)} if len(messages) > 1 else {}
        return {step.key: numbered.get(step.key, _TITLES[step.kind]) for step in self.live}

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

    def next_place(self, sequence_step: int | None, relation: Relation, answers: Answers = ()) -> int:
        """The place of the step that comes next; the number of steps if none does."""
        return self.way(sequence_step, relation, answers).step_index

    def fit(self, index: int, answers: Answers) -> Fit:
        """Whether the step there is for whom has these answers, is not, or a condition has to be put first."""
        step = self.steps[index]
        if not step.only_if:
            return FOR_THEM
        recorded_answers = [read_recorded(text) for text in answers]
        for condition in step.only_if:
            answer = self.answer(index, condition, recorded_answers)
            if answer is None:
                return Fit(condition)
            if not condition.holds(answer):
                return Fit(None, condition.told(answer))
        return FOR_THEM

    def answer(self, index: int, condition: Condition, recorded_answers: Many[Recorded]) -> ConditionAnswer | None:
        """What was answered, at this step or at one beside it that asks the same; None if it was not put yet."""
        asking_steps = self.asked_together(index, condition)
        answers = [
            record.answer
            for record in recorded_answers
            if record.question == condition.question and record.step in asking_steps
        ]
        return answers[-1] if answers else None

    def asked_together(self, index: int, condition: Condition) -> dict[str, Step]:
        """The steps beside each other that have this condition or its opposite, by key; those taken out between them, too."""

        def asks(step: Step) -> bool:
            return any(other.question == condition.question for other in step.only_if)

        first = last = index
        while first > 0 and (asks(self.steps[first - 1]) or self.steps[first - 1].removed):
            first -= 1
        while last + 1 < len(self.steps) and (asks(self.steps[last + 1]) or self.steps[last + 1].removed):
            last += 1
        return {step.key: step for step in self.steps[first : last + 1] if asks(step)}

    def put_after_days(self, index: int, condition: Condition) -> int:
        """How many days the condition waits: until the first step that hangs on it, whichever way, may be due."""
        first: dict[bool, int] = {}
        for step in self.asked_together(index, condition).values():
            negated = next(other.negated for other in step.only_if if other.question == condition.question)
            if not step.removed and step.kind != "end":
                first.setdefault(negated, 0 if step.kind == "wait" else step.after_days)
        return min(first.values(), default=0)

    def way(self, sequence_step: int | None, relation: Relation, answers: Answers = ()) -> Way:
        """To the step that comes next, or whose condition is put next.

        Nobody gets a step that was taken out, one that is not for them, nor an invitation who is invited or connected already.
        """
        index, days = self.place_after(sequence_step), 0
        while index < len(self.steps):
            step = self.steps[index]
            fit = FOR_THEM if step.removed else self.fit(index, answers)
            if step.removed or fit.skipped or (step.kind == "invitation" and relation is not Relation.NONE):
                pass
            elif fit.open is not None:
                return Way(index, days, fit.open)
            elif step.kind == "end":
                return Way(len(self.steps), days)
            elif step.kind == "wait":
                days += step.after_days
            else:
                break
            index += 1
        return Way(index, days)


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
                "Hi {first_name}, thank you for connecting.\n\n{topic|I would be glad to hear what you are working on.}\n\n"
                "Would a short conversation next week be of interest to you?"
            ),
        ),
        Step(
            key="follow_up",
            kind="message",
            after_days=3,
            template=(
                "Hi {first_name}, a quick follow-up in case my last message got buried. "
                "If now is not a good time, there is no need to reply."
            ),
        ),
    )
)


class DueAction(StrEnum):
    """What is due."""

    DECIDE = "decide"
    """A condition is put."""
    VISIT = "visit"
    CHECK = "check"
    READ = "read"
    DRAFT = "draft"
    APPROVE = "approve"
    SEND = "send"
    WITHDRAW = "withdraw"
    """An old invitation is taken back; no step of a sequence, but a task of its own."""
    FINISH = "finish"
    STUCK = "stuck"


_BEGUN = frozenset({DueAction.VISIT, DueAction.CHECK, DueAction.READ, DueAction.DRAFT, DueAction.SEND})
"""What is not done about somebody who is left in peace for a time."""


class DueStep(NamedTuple):
    """What is due, for which step in the words of the lead's `variant`, not before `at` (ms UTC), and its family of acts."""

    due: DueAction
    family: ActionFamily
    at: int = 0
    step: Step | None = None
    reason: str = ""
    variant: str = ""
    answer: str = ""
    """What came of the condition that is put, as it is recorded; empty before its time."""


def due_step(sequence: Sequence, lead: Lead, message: Message | None, now: int, fresh_ms: int) -> DueStep:
    """What is due for `lead` now, with its step's `message`; a thread read more than `fresh_ms` ago is read again before a send."""
    next_due = _due_step(sequence, lead, message, now, fresh_ms)
    if next_due.step is not None and next_due.step.variants:
        written = message.variant if message is not None else ""
        variant = written if written in next_due.step.texts else next_due.step.variant_of(lead.id)
        next_due = next_due._replace(step=next_due.step.with_variant(variant), variant=variant)
    if lead.paused_until is not None and next_due.due in _BEGUN and next_due.at < lead.paused_until:
        return next_due._replace(at=lead.paused_until)
    return next_due


def _due_step(sequence: Sequence, lead: Lead, message: Message | None, now: int, fresh_ms: int) -> DueStep:
    if lead.blocked:
        return DueStep(DueAction.STUCK, ActionFamily.INPUT, NEVER, reason=lead.blocked)
    if lead.replied_at is not None and sequence.stop_on_reply:
        return _finish("replied")
    if lead.label in LABEL_ENDS:  # given while the user was asked about something else
        return _finish(LABEL_ENDS[lead.label])
    if lead.answered_elsewhere:
        return _finish(ANSWERED_ELSEWHERE)
    index, days, condition = sequence.way(lead.sequence_step, lead.relation, lead.answers)
    if index >= len(sequence.steps):
        return _after_the_last(sequence, lead)
    step = sequence.steps[index]
    if condition is not None:
        return _put(sequence, lead, index, days, condition, now)
    at = _waited(lead, step.after_days + days, waits=bool(days))
    if step.kind == "visit":
        return DueStep(DueAction.VISIT, ActionFamily.LOOK, at, step)
    if step.kind == "invitation":
        return _write_and_send(step, message, ActionFamily.INVITE, at=at if days else 0)
    if lead.relation is Relation.PENDING:
        return _await_acceptance(sequence, lead, step)
    if lead.relation is Relation.NONE and not sequence.user_reads:  # where the user reads, they say so at the act
        return _finish("not connected")
    return _message(sequence, step, lead, message, now, fresh_ms, at)


def _put(sequence: Sequence, lead: Lead, index: int, days: int, condition: Condition, now: int) -> DueStep:
    """The condition is put when the first step that hangs on it is due; a message is not due before the acceptance."""
    step = sequence.steps[index]
    if step.kind == "message" and lead.relation is Relation.PENDING and condition.what in ("tag", "field"):
        return _await_acceptance(sequence, lead, step)
    at = _waited(lead, sequence.put_after_days(index, condition) + days, waits=bool(days))
    if at > now:
        return DueStep(DueAction.DECIDE, ActionFamily.THINK, at, step)
    answer = ask(condition, lead, sequence.check_every_hours)
    if isinstance(answer, Look):
        return DueStep(DueAction.CHECK, ActionFamily.LOOK, answer.at, step)
    return DueStep(DueAction.DECIDE, ActionFamily.THINK, at, step, answer=recorded(step.key, condition, answer))


def answered(
    sequence: Sequence, lead: Lead, message: Message | None, now: int, fresh_ms: int
) -> tuple[list[Lead], DueStep]:
    """The lead as it stands after each condition that is put now, and what is due then."""
    leads = list[Lead]()
    next_due = due_step(sequence, lead, message, now, fresh_ms)
    while next_due.answer:
        lead = lead._replace(answers=(*lead.answers, next_due.answer))
        leads.append(lead)
        next_due = due_step(sequence, lead, None, now, fresh_ms)
        if message is not None and next_due.step is not None and next_due.step.key == message.step:
            next_due = due_step(sequence, lead, message, now, fresh_ms)
    return leads, next_due


def next_step(sequence: Sequence, lead: Lead) -> Step | None:
    """The step that comes next for this lead; None when it has been through all."""
    index = sequence.next_place(lead.sequence_step, lead.relation, lead.answers)
    return sequence.steps[index] if index < len(sequence.steps) else None


def one_step_on(sequence: Sequence, lead: Lead) -> int:
    """The lead's `sequence_step` once the step that comes next is done."""
    return sequence.past(
        min(sequence.next_place(lead.sequence_step, lead.relation, lead.answers), len(sequence.steps) - 1)
    )


def _message(
    sequence: Sequence, step: Step, lead: Lead, message: Message | None, now: int, fresh_ms: int, at: int
) -> DueStep:
    read_at = lead.thread_read_at if lead.thread_read_at is not None else -1
    next_due = _write_and_send(step, message, ActionFamily.MESSAGE, at)
    # Nothing is drafted for somebody who may have answered since, and nothing is sent on an old reading.
    if next_due.due is DueAction.DRAFT and read_at < at and not sequence.user_reads:
        return DueStep(DueAction.READ, ActionFamily.LOOK, at, step)
    if next_due.due is DueAction.SEND and now - read_at > fresh_ms:
        return DueStep(DueAction.READ, ActionFamily.MESSAGE, at, step)
    return next_due


def _waited(lead: Lead, days: int, *, waits: bool) -> int:
    """When it may be done; a wait counts from the last text, else from the acceptance, else from the profile view."""
    base = lead.last_sent_at if lead.last_sent_at is not None else lead.accepted_at
    if base is None and waits:
        base = lead.visited_at
    return (base or 0) + days * _DAY


def _write_and_send(step: Step, message: Message | None, family: ActionFamily, at: int) -> DueStep:
    if message is None or message.status is MessageStatus.CANCELLED:
        return DueStep(DueAction.DRAFT, ActionFamily.THINK, at, step)
    if message.status is MessageStatus.DRAFT:
        return DueStep(DueAction.APPROVE, ActionFamily.APPROVAL, NEVER, step)
    if message.status is MessageStatus.APPROVED:
        return DueStep(DueAction.SEND, family, at, step)
    return DueStep(DueAction.STUCK, ActionFamily.INPUT, NEVER, step, reason=message.status.value)


def _await_acceptance(sequence: Sequence, lead: Lead, step: Step) -> DueStep:
    invited_at = lead.invited_at or 0
    looked_at = max(invited_at, lead.visited_at or 0)
    if looked_at >= invited_at + sequence.accept_within_days * _DAY:
        return _finish("not accepted")
    return DueStep(DueAction.CHECK, ActionFamily.LOOK, looked_at + sequence.check_every_hours * _HOUR, step)


def _after_the_last(sequence: Sequence, lead: Lead) -> DueStep:
    if lead.last_sent_at is None and lead.answers:
        return _finish("not accepted" if lead.relation is Relation.PENDING else "nothing more was for them")
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
