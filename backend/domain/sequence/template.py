"""A step's template: the text it becomes for one person, which of its words are the template's, and what is wrong with it."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.model.campaign import Campaign, Settings
from backend.domain.model.sequence import DEFAULT_SEQUENCE, LONGEST_SEQUENCE, Sequence, Step
from backend.domain.model.variables import BRACED, VARIABLES, Recipient, fill, required_variables
from backend.domain.sequence.sequence_change import RequestedSequence, RequestedStep, as_request, new_sequence
from backend.domain.turn.agent_questions import names_variable
from backend.domain.turn.proposal_check import clean_text, text_length, text_limit
from backend.domain.turn.proposals import Rejection
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape

MOST_STEPS = LONGEST_SEQUENCE - 1
"""That a user writes: the profile view comes before them."""


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
    writing: Step | RequestedStep, to: Recipient, settings: Settings, columns: Collection[str] = ()
) -> RenderedMessage:
    """The text for this person, and why it could not be sent as it is; `columns` are the lead file's further variables."""
    limit = settings.note_limit if writing.kind == "invitation" else settings.message_limit
    text, missing = fill(writing.template, to, settings.topic)
    length = text_length(text)
    variable_names = {*VARIABLES, *columns, *to.more}
    unknown = next((name for name in required_variables(writing.template) if name not in variable_names), None)
    if unknown is not None:
        available = ", ".join(f"{{{name}}}" for name in (*VARIABLES, *columns))
        return RenderedMessage(
            text, length, limit, f"There is no variable {{{unknown}}}; there are {available}.", missing
        )
    # Holes are told by their names; all else about the text is judged as it will be.
    shown = BRACED.sub("…", text) if missing else text
    refused = clean_text(shown, limit, may_be_empty=writing.kind != "message")
    return RenderedMessage(text, length, limit, refused.sentence if refused else "", missing)


def sequence_of(requested_steps: Iterable[RequestedStep]) -> Sequence:
    """The steps in order, behind a first look at the profile; raises `sequence_invalid`."""
    steps = tuple(requested_steps)
    if not 0 < len(steps) <= MOST_STEPS:
        raise OutriderError("sequence_invalid", why=f"it needs 1 to {MOST_STEPS} steps")
    return new_sequence(RequestedSequence(steps=steps))


def refuse_unsendable(sequence: Sequence, settings: Settings, columns: Collection[str] = ()) -> None:
    """Raises `sequence_invalid` when a step's text could be sent to nobody, not even to one with a short name."""
    somebody = Recipient("Al Ox", "-", "-", "-", dict.fromkeys(columns, "-"))
    writing = (step for step in sequence.live if step.writes)
    for number, step in enumerate(writing, 1):
        for variant in step.texts:
            rendered = render(step.with_variant(variant), somebody, settings, columns)
            problem = rendered.problem or (
                f"There is nothing for {{{rendered.missing[0]}}}." if rendered.missing else ""
            )
            if problem:
                raise OutriderError(
                    "sequence_invalid", why=f"in step {number}, {problem[0].lower()}{problem[1:].rstrip('.')}"
                )


class SequencePreset(NamedTuple):
    """A sequence to begin with."""

    id: str
    title: str
    description: str
    steps: tuple[RequestedStep, ...]


_, _INVITE, _HELLO, _FOLLOW_UP = as_request(DEFAULT_SEQUENCE).steps
_TO_CONTACTS = _HELLO.model_copy(
    update={"template": _HELLO.template.replace("thank you for connecting", "I hope you are well")}
)

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
        (_TO_CONTACTS, _FOLLOW_UP),
    ),
    SequencePreset(
        "mixed",
        "Contacts and others",
        "Everyone who is not a contact yet is invited first; then a message that suits both, and one reminder.",
        (_INVITE, _TO_CONTACTS, _FOLLOW_UP),
    ),
)


def preset_for(contacts: int, people: int) -> SequencePreset:
    """What to begin with for so many people, of whom so many are contacts already: nobody is thanked for connecting years later."""
    suited = "invite_and_write" if contacts == 0 else "write" if contacts == people else "mixed"
    return next(preset for preset in PRESETS if preset.id == suited)


Answers = tuple[tuple[str, str], ...]
"""(question, answer) of what the user was asked about a task, oldest first."""


class TemplateDraft(NamedTuple):
    """`lacking` are the variables to ask the user for; `refused` says why what they said for one will not do."""

    text: str
    lacking: tuple[str, ...] = ()
    refused: Rejection | None = None


def template_draft(step: Step, to: Recipient, campaign: Campaign, answers: Answers) -> TemplateDraft:
    """The template filled with what is known of the person and what the user said."""
    user_values = {name: _said(answers, name) for name in required_variables(step.template)}
    text, missing = fill(step.template, to, campaign.settings.topic, user_values)
    if missing:
        return TemplateDraft(text, missing)
    refused = clean_text(text, text_limit(campaign, step.kind), may_be_empty=step.without_note)
    answered_names = tuple(name for name, words in user_values.items() if words)
    return TemplateDraft(text, answered_names if refused else (), refused)


def _said(answers: Answers, name: str) -> str:
    """The user's last word on it, whoever asked."""
    return next((answer for asked, answer in reversed(answers) if names_variable(asked, name)), "")


class TextPart(Shape):
    """A piece of a text; `variable` names what it stands for, "" for the template's own words.

    `fallback`: nothing was known of this person, so the template's words for that case stand here.
    """

    text: str
    variable: str = ""
    fallback: bool = False


class _Variable(NamedTuple):
    name: str
    otherwise: str | None


def template_parts(template: str, text: str) -> list[TextPart]:
    """The pieces of a text that follows its template, in order; none when it is worded in another way.

    The template's own words are looked for from left to right, so a value may hold them, too: then the pieces may be divided
    otherwise than they were put together, never in another order and never with anything left out.
    """
    words, variables = _split(template)
    first, last = words[0], words[-1]
    if not variables:
        return [TextPart(text=text)] if text == template else []
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return []
    end = len(text) - len(last)
    parts = [TextPart(text=first)]
    at = len(first)
    for variable, following in zip(variables, [*words[1:-1], None], strict=True):
        value_end = end if following is None else text.find(following, at, end)
        if value_end < 0:
            return []
        value = text[at:value_end]
        parts.append(TextPart(text=value, variable=variable.name, fallback=value != "" and value == variable.otherwise))
        parts.append(TextPart(text=last if following is None else following))
        at = value_end + len(following or "")
    return [part for part in parts if part.text]


def _split(template: str) -> tuple[list[str], list[_Variable]]:
    """The template's own words before, between and after its variables, and the variables."""
    words, variables, at = [], [], 0
    for match in BRACED.finditer(template):
        words.append(template[at : match.start()])
        variables.append(_Variable(match[1].strip(), match[2]))
        at = match.end()
    return [*words, template[at:]], variables
