"""A template over all leads, in one pass: its longest text, how many are too long, and how many lack something."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from backend.domain.model.variables import BRACED, GIVEN, MAY_BE_NOTHING, VARIABLES, Recipient, at_company, called
from backend.domain.people.company_name import company_in_text
from backend.domain.people.person_name import last_name
from backend.domain.turn.proposal_check import text_length
from backend.domain.values.placeholders import placeholders

_AT_ONCE = 10_000
"""People whose lengths are kept in memory at once."""


@dataclass(slots=True)
class TemplateCheck:
    """What a step's template becomes over all leads; lengths as a site counts.

    `unfilled` lack at least one variable that has no other words: each is asked for. `missing` says how many lack which,
    `otherwise` how many get the other words, by the variable; `doubtful` is what may be a placeholder in every message.
    """

    limit: int
    people: int = 0
    longest: int = 0
    too_long: int = 0
    unfilled: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    otherwise: dict[str, int] = field(default_factory=dict)
    doubtful: tuple[str, ...] = ()
    problem: str = ""
    """Why it could be sent to nobody."""


class Part(NamedTuple):
    """A variable of a template: its position among the values of a lead, and the length of its other words if it has some."""

    name: str
    position: int
    otherwise: int | None
    vanishes: bool
    counts: bool
    """Whether a person who lacks it is counted here: a variable that stands there twice counts once."""


class _Parsed(NamedTuple):
    fixed: int
    parts: tuple[Part, ...]


def used_variables(templates: Iterable[str]) -> tuple[str, ...]:
    """The variables of all these templates, each once."""
    return tuple(dict.fromkeys(match[1].strip() for template in templates for match in BRACED.finditer(template)))


def doubtful_words(template: str) -> tuple[str, ...]:
    """What may be a placeholder beside the template's variables: each message with it has to be approved by itself."""
    return placeholders(BRACED.sub("words", template)).doubtful


def needs_columns(names: Iterable[str]) -> bool:
    """Whether one of them is a further column of a lead file, or told by one."""
    return any(name not in VARIABLES or name in ("first_name", "last_name") for name in names)


def check_templates(
    templates: Sequence[tuple[str, int]], recipients: Iterable[Recipient], topic: str
) -> list[TemplateCheck]:
    """What becomes of each (template, limit) for all people, who are counted together where their variables have equal lengths."""
    names = used_variables(template for template, _ in templates)
    parsed = [_parse(template, names) for template, _ in templates]
    topic_length = text_length(topic) if topic.strip() else 0
    people_by_lengths = [Counter[tuple[int, ...]]() for _ in templates]
    people = 0
    for batch in _batches(recipients):
        people += len(batch)
        lengths = [_lengths(name, batch, topic_length) for name in names]
        for counted, (_, parts) in zip(people_by_lengths, parsed, strict=True):
            if parts:
                counted.update(zip(*(lengths[part.position] for part in parts), strict=True))
            else:
                counted[()] += len(batch)
    checks = []
    for (template, limit), counted, (fixed, parts) in zip(templates, people_by_lengths, parsed, strict=True):
        check = TemplateCheck(limit, people, doubtful=doubtful_words(template))
        for part_lengths, count in counted.items():
            _add(check, fixed, zip(parts, part_lengths, strict=True), count)
        checks.append(check)
    return checks


def _batches(recipients: Iterable[Recipient]) -> Iterator[tuple[Recipient, ...]]:
    rest = iter(recipients)
    while batch := tuple(islice(rest, _AT_ONCE)):
        yield batch


def _add(check: TemplateCheck, fixed: int, parts: Iterable[tuple[Part, int]], people: int) -> None:
    length, lacks = fixed, False
    for (name, _, otherwise, vanishes, counts), value_length in parts:
        if value_length:
            length += value_length
        elif vanishes:
            continue
        elif otherwise is not None:
            length += otherwise
            if counts:
                check.otherwise[name] = check.otherwise.get(name, 0) + people
        else:
            lacks = True
            if counts:
                check.missing[name] = check.missing.get(name, 0) + people
    if lacks:
        check.unfilled += people
    check.longest = max(check.longest, length)
    if length > check.limit:
        check.too_long += people


def _parse(template: str, names: Sequence[str]) -> _Parsed:
    parts, seen = list[Part](), set[tuple[str, bool]]()
    for match in BRACED.finditer(template):
        name, otherwise = match[1].strip(), match[2]
        first = (name, otherwise is None) not in seen
        seen.add((name, otherwise is None))
        length = None if otherwise is None else text_length(otherwise)
        parts.append(Part(name, names.index(name), length, name in MAY_BE_NOTHING, first))
    return _Parsed(text_length(BRACED.sub("", template)), tuple(parts))


def _lengths(name: str, recipients: Sequence[Recipient], topic_length: int) -> list[int]:
    """How long the variable is for each of these people; 0 when it is not known."""
    match name:
        case "first_name":
            return [_length(called(recipient.name, recipient.more)) for recipient in recipients]
        case "last_name":
            return [_length(last_name(recipient.name, recipient.more.get(GIVEN, ""))) for recipient in recipients]
        case "full_name":
            return [_length(recipient.name) for recipient in recipients]
        case "company":
            return [_length(company_in_text(recipient.company)) for recipient in recipients]
        case "company_in_full":
            return [_length(recipient.company) for recipient in recipients]
        case "at_company":
            return [_length(at_company(recipient.company)) for recipient in recipients]
        case "topic":
            return [topic_length] * len(recipients)
        case "job_title":
            return [_length(recipient.job_title) for recipient in recipients]
        case "email":
            return [_length(recipient.email) for recipient in recipients]
    return [_length(recipient.more.get(name, "")) for recipient in recipients]


def _length(value: str) -> int:
    if not value or value.isspace():
        return 0
    return len(value) if value.isascii() else text_length(value)
