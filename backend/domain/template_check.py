"""A template over all leads, in one pass: its longest text, how many are too long, and how many lack something."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from backend.domain.person_name import clean_name
from backend.domain.proposal_check import text_length
from backend.domain.variables import BRACED, LONGEST_COMPANY, MAY_BE_NOTHING, VARIABLES


class Reader(NamedTuple):
    """What templates may say of one lead; `more` are the further columns of its file by their names in braces."""

    name: str
    company: str
    job_title: str
    email: str
    more: dict[str, str]


@dataclass(slots=True)
class TemplateCheck:
    """What a step's template becomes over all leads; lengths as a site counts.

    `unfilled` lack at least one variable that has no other words: each is asked for. `missing` says how many lack which,
    `otherwise` how many get the other words, by the variable.
    """

    limit: int
    people: int = 0
    longest: int = 0
    too_long: int = 0
    unfilled: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    otherwise: dict[str, int] = field(default_factory=dict)
    problem: str = ""
    """Why it could be sent to nobody."""


class Part(NamedTuple):
    """A variable of a template: its place among the values of a lead, and the length of its other words if it has some."""

    name: str
    place: int
    otherwise: int | None
    vanishes: bool
    counts: bool
    """Whether a person who lacks it is counted here: a variable that stands there twice counts once."""


class _Parsed(NamedTuple):
    fixed: int
    parts: tuple[Part, ...]


def used_variables(templates: Iterable[str]) -> tuple[str, ...]:
    """The variables of all these templates, each once."""
    return tuple(dict.fromkeys(found[1].strip() for template in templates for found in BRACED.finditer(template)))


def needs_columns(names: Iterable[str]) -> bool:
    """Whether one of them is a further column of a lead file."""
    return any(name not in VARIABLES for name in names)


def check_templates(templates: Sequence[tuple[str, int]], readers: Iterable[Reader], goal: str) -> list[TemplateCheck]:
    """What becomes of each (template, limit) for all these people; each is read once."""
    names = used_variables(template for template, _ in templates)
    parsed = [_parse(template, names) for template, _ in templates]
    checks = [TemplateCheck(limit) for _, limit in templates]
    goal_length = text_length(goal) if goal.strip() else 0
    people = 0
    for reader in readers:
        people += 1
        lengths = _lengths(names, reader, goal_length)
        for check, (fixed, parts) in zip(checks, parsed, strict=True):
            length, lacks = fixed, False
            for name, place, otherwise, vanishes, counts in parts:
                known = lengths[place]
                if known:
                    length += known
                elif vanishes:
                    continue
                elif otherwise is not None:
                    length += otherwise
                    if counts:
                        check.otherwise[name] = check.otherwise.get(name, 0) + 1
                else:
                    lacks = True
                    if counts:
                        check.missing[name] = check.missing.get(name, 0) + 1
            if lacks:
                check.unfilled += 1
            check.longest = max(check.longest, length)
            if length > check.limit:
                check.too_long += 1
    for check in checks:
        check.people = people
    return checks


def _parse(template: str, names: Sequence[str]) -> _Parsed:
    parts, seen = list[Part](), set[tuple[str, bool]]()
    for found in BRACED.finditer(template):
        name, otherwise = found[1].strip(), found[2]
        first = (name, otherwise is None) not in seen
        seen.add((name, otherwise is None))
        length = None if otherwise is None else text_length(otherwise)
        parts.append(Part(name, names.index(name), length, name in MAY_BE_NOTHING, first))
    return _Parsed(text_length(BRACED.sub("", template)), tuple(parts))


def _lengths(names: Iterable[str], reader: Reader, goal_length: int) -> list[int]:
    """How long each variable is for this person; 0 when it is not known. Names are taken apart once."""
    found, words = [], None
    for name in names:
        match name:
            case "first_name" | "last_name":
                if words is None:
                    words = _words(reader.name)
                value = " ".join(words[:1] if name == "first_name" else words[1:])
            case "full_name":
                value = reader.name
            case "company":
                value = reader.company
            case "at_company":
                value = f" at {reader.company[:LONGEST_COMPANY]}" if reader.company else ""
            case "goal":
                found.append(goal_length)
                continue
            case "job_title":
                value = reader.job_title
            case "email":
                value = reader.email
            case _:
                value = reader.more.get(name, "")
        if value.isascii():
            found.append(len(value) if value.strip() else 0)
        else:
            found.append(text_length(value) if value.strip() else 0)
    return found


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
_SHORTEST_PLAIN = 5
"""A first word longer than every title is none: such a plain name is taken apart without further looks."""


def _words(name: str) -> list[str]:
    if _PLAIN.issuperset(name) and len(name.split(" ", 1)[0]) >= _SHORTEST_PLAIN:
        return name.split()
    return clean_name(name).split()
