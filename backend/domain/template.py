"""A step's template: its variables, the text it becomes for one person, and what is wrong with that text."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from backend.domain.campaign import Settings
from backend.domain.errors import OutriderError
from backend.domain.judgement import clean_text, text_length
from backend.domain.sequence import DEFAULT_SEQUENCE, Sequence, Step

LONGEST_COMPANY = 60
MOST_STEPS = 8


class Recipient(NamedTuple):
    """Whom a text is for, as far as templates may say it."""

    name: str
    company: str = ""


VARIABLES: dict[str, Callable[[Recipient, str], str]] = {
    "first_name": lambda to, _: next(iter(to.name.split()), ""),
    "at_company": lambda to, _: f" at {to.company[:LONGEST_COMPANY]}" if to.company else "",
    "goal": lambda _, goal: goal,
}
"""What may stand in braces, from the recipient and the campaign's goal."""

_BRACED = re.compile(r"\{([^{}]*)\}")


def fill(template: str, to: Recipient, goal: str) -> str:
    """The text for one person, in one pass; a variable that is not known stays as it is, and is refused by name."""
    return _BRACED.sub(lambda found: VARIABLES[found[1]](to, goal) if found[1] in VARIABLES else found[0], template)


@dataclass(frozen=True, slots=True)
class Writing:
    """One thing to be written; `after_days` counts from the acceptance or from the message before it."""

    kind: Literal["invitation", "message"]
    template: str
    after_days: int = 0


@dataclass(frozen=True, slots=True)
class Written:
    """What a template becomes; lengths as a site's own text field counts, `problem` is empty when it could be sent."""

    text: str
    length: int
    limit: int
    problem: str


def written(writing: Writing, to: Recipient, goal: str, settings: Settings) -> Written:
    """The text for this person, and why it could not be sent as it is."""
    limit = settings.note_limit if writing.kind == "invitation" else settings.message_limit
    text = fill(writing.template, to, goal)
    unknown = next((name for name in _BRACED.findall(writing.template) if name not in VARIABLES), None)
    if unknown is not None:
        known = ", ".join(f"{{{name}}}" for name in VARIABLES)
        return Written(text, text_length(text), limit, f"There is no variable {{{unknown}}}; there are {known}.")
    refused = clean_text(text, limit)
    return Written(text, text_length(text), limit, refused.sentence if refused else "")


def sequence_of(writings: Iterable[Writing]) -> Sequence:
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


def refuse_unsendable(sequence: Sequence, goal: str, settings: Settings) -> None:
    """Raises `sequence_invalid` when a step's text could be sent to nobody, not even to one with a short name."""
    for number, step in enumerate((step for step in sequence.steps if step.kind != "visit"), 1):
        kind: Literal["invitation", "message"] = "invitation" if step.kind == "invitation" else "message"
        found = written(Writing(kind, step.template), Recipient("Al"), goal, settings)
        if found.problem:
            raise OutriderError("sequence_invalid", why=f"step {number}: {found.problem}")


class Preset(NamedTuple):
    """A sequence to begin with."""

    id: str
    title: str
    about: str
    steps: tuple[Writing, ...]


def _usual() -> tuple[Writing, ...]:
    return tuple(
        Writing("invitation" if step.kind == "invitation" else "message", step.template, step.after_days)
        for step in DEFAULT_SEQUENCE.steps
        if step.kind != "visit"
    )


_INVITE, _HELLO, _FOLLOW_UP = _usual()

PRESETS: tuple[Preset, ...] = (
    Preset(
        "invite_and_write",
        "Invite, then write",
        "An invitation, a message once it is accepted, one reminder.",
        _usual(),
    ),
    Preset("invite", "Invite only", "An invitation with a note; nothing after it.", (_INVITE,)),
    Preset(
        "write",
        "Write to contacts",
        "For people you are connected with already: a message and one reminder.",
        (Writing("message", _HELLO.template.replace("thank you for connecting", "I hope you are well")), _FOLLOW_UP),
    ),
)
