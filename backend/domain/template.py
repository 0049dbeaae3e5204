"""A step's template: the text it becomes for one person, and what is wrong with that text."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from pydantic import ConfigDict, Field

from backend.domain.campaign import Settings
from backend.domain.errors import OutriderError
from backend.domain.proposal_check import clean_text, text_length
from backend.domain.sequence import DEFAULT_SEQUENCE, Sequence, Step
from backend.domain.variables import BRACED, VARIABLES, Recipient, fill, required_variables

MOST_STEPS = 8


@dataclass(frozen=True, slots=True)
class TemplateStep:
    """One thing to be written; `after_days` counts from the acceptance or from the message before it."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")

    kind: Literal["invitation", "message"]
    template: Annotated[str, Field(max_length=4_000)]
    after_days: Annotated[int, Field(ge=0, le=90)] = 0


@dataclass(frozen=True, slots=True)
class RenderedMessage:
    """What a template becomes; lengths as a site's own text field counts.

    `problem` is why it could be sent to nobody; `missing` names what is not known of this person, so that the user is asked.
    """

    text: str
    length: int
    limit: int
    problem: str
    missing: tuple[str, ...] = ()


def render(
    writing: TemplateStep, to: Recipient, goal: str, settings: Settings, columns: Collection[str] = ()
) -> RenderedMessage:
    """The text for this person, and why it could not be sent as it is; `columns` are the lead file's further variables."""
    limit = settings.note_limit if writing.kind == "invitation" else settings.message_limit
    text, missing = fill(writing.template, to, goal)
    length = text_length(text)
    known = {*VARIABLES, *columns, *to.more}
    unknown = next((name for name in required_variables(writing.template) if name not in known), None)
    if unknown is not None:
        there = ", ".join(f"{{{name}}}" for name in (*VARIABLES, *columns))
        return RenderedMessage(text, length, limit, f"There is no variable {{{unknown}}}; there are {there}.", missing)
    # Holes are told by their names; all else about the text is judged as it will be.
    shown = BRACED.sub("…", text) if missing else text
    refused = clean_text(shown, limit, may_be_empty=writing.kind == "invitation")
    return RenderedMessage(text, length, limit, refused.sentence if refused else "", missing)


def sequence_of(writings: Iterable[TemplateStep]) -> Sequence:
    """The steps in order, behind a first look at the profile; raises `sequence_invalid`."""
    given = list(writings)
    if not 0 < len(given) <= MOST_STEPS:
        raise OutriderError("sequence_invalid", why=f"it needs 1 to {MOST_STEPS} steps")
    if any(writing.kind == "invitation" for writing in given[1:]):
        raise OutriderError("sequence_invalid", why="only the first step can be an invitation")
    if given[0].kind == "invitation" and given[0].after_days:
        raise OutriderError("sequence_invalid", why="an invitation cannot wait for anything")
    # The look tells who is connected or invited already: they get no invitation.
    steps = [Step(key="visit", kind="visit")]
    for number, writing in enumerate(given):
        key = "invite" if writing.kind == "invitation" else f"message_{number + (given[0].kind == 'message')}"
        steps.append(Step(key=key, kind=writing.kind, after_days=writing.after_days, template=writing.template))
    return Sequence(steps=tuple(steps))


def template_steps(sequence: Sequence) -> list[TemplateStep]:
    """What the sequence writes, in order."""
    return [
        TemplateStep("invitation" if step.kind == "invitation" else "message", step.template, step.after_days)
        for step in sequence.live
        if step.writes
    ]


def refuse_unsendable(sequence: Sequence, goal: str, settings: Settings, columns: Collection[str] = ()) -> None:
    """Raises `sequence_invalid` when a step's text could be sent to nobody, not even to one with a short name."""
    writings = [
        (number, TemplateStep("invitation" if step.kind == "invitation" else "message", text))
        for number, step in enumerate((step for step in sequence.live if step.writes), 1)
        for text in step.texts.values()
    ]
    for number, writing in writings:
        somebody = Recipient("Al Ox", "-", "-", "-", dict.fromkeys(columns, "-"))
        found = render(writing, somebody, goal, settings, columns)
        problem = found.problem or (f"There is nothing for {{{found.missing[0]}}}." if found.missing else "")
        if problem:
            raise OutriderError("sequence_invalid", why=f"step {number}: {problem}")


class SequencePreset(NamedTuple):
    """A sequence to begin with."""

    id: str
    title: str
    about: str
    steps: tuple[TemplateStep, ...]


_INVITE, _HELLO, _FOLLOW_UP = template_steps(DEFAULT_SEQUENCE)

PRESETS: tuple[SequencePreset, ...] = (
    SequencePreset(
        "invite_and_write",
        "Invite, then write",
        "An invitation, a message once it is accepted, one reminder.",
        (_INVITE, _HELLO, _FOLLOW_UP),
    ),
    SequencePreset("invite", "Invite only", "An invitation with a note; nothing after it.", (_INVITE,)),
    SequencePreset(
        "write",
        "Write to contacts",
        "For people you are connected with already: a message and one reminder.",
        (
            TemplateStep("message", _HELLO.template.replace("thank you for connecting", "I hope you are well")),
            _FOLLOW_UP,
        ),
    ),
)
