"""Whether the name that a page shows is a person's: what sites and people put around a name aside, and nothing else.

Every addition that is looked through is on a closed list. Whatever is on none may be another person: a namesake's `Jr.`, a second
name in brackets, somebody else behind a comma.
"""

import re
from enum import Enum
from typing import NamedTuple

from backend.domain.model.message import folded
from backend.domain.values.hidden_characters import as_it_looks


class _Addition(Enum):
    """What a kind of addition tells apart: two names that have different ones of it are two people's."""

    PRONOUNS = "pronouns"
    CREDENTIALS = "credentials"
    DISTANCE = "distance"
    """How far a site says that somebody is; it tells nobody apart."""


class _ShownName(NamedTuple):
    """A name, and what was added to it."""

    name: str
    pronouns: frozenset[str]
    credentials: frozenset[str]


_PICTURE = re.compile(
    "(?:[\u00a9\u00ae\u2122\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001f0ff"
    "\U0001f1e6-\U0001faff][\ufe0e\ufe0f\u200d]*)+"
)
"""Emoji and signs; no letters in circles, which spell names, and no Braille."""
_PRONOUN = (
    r"(?:she|her|hers|he|him|his|they|them|theirs?|ze|zir|hir|xe|xem|any|all|elle|iel|il|lui|ella|\u00e9l|sie|ihr|er|ihm|"
    r"ela|dela|ele|dele|hij|zij|haar|hem)"
)
_DEGREE = (
    r"(?:Ph\.?D|D\.?Phil|EdD|PsyD|PharmD|M\.?D|DDS|DMD|DVM|J\.?D|LL\.?[MBD]|E?MBA|M\.?Sc|B\.?Sc|M\.?Phil|MPH|MPA|M\.?Eng|B\.?Eng|"
    r"CEng|RN|CPA|CFA|CFP|CISSP|PMP|CSM|SHRM-S?CP|S?PHR|[FM]?CIPD|ACCA|M\.A|B\.A|Esq)\.?"
)
_TITLE = r"(?:Dr|Prof|Dipl|Ing|med|rer|nat|phil|jur)(?:\.-?|(?=\s))"
_ADDITIONS = (
    (_Addition.PRONOUNS, re.compile(rf"\s*[(\[]\s*({_PRONOUN}(?:\s*[/,]\s*{_PRONOUN})*)\s*[)\]]\s*$", re.IGNORECASE)),
    (_Addition.PRONOUNS, re.compile(rf"[\s,\u00b7\u2022|-]+({_PRONOUN}(?:\s*/\s*{_PRONOUN})+)\s*$", re.IGNORECASE)),
    (
        _Addition.DISTANCE,
        re.compile(
            r"(?:\s*[\u00b7\u2022|]\s*|\s+)"
            r"((?:1st|2nd|3rd\+?|1er|2e|3e\+?|[123]\.\s?[oº]|[123]º)(?:\s+degree connection)?)\s*$"
        ),
    ),
    (_Addition.CREDENTIALS, re.compile(rf"(?:\s*,\s*|\s+)({_DEGREE}(?:\s*[,/]?\s+{_DEGREE})*)\s*$")),
    (_Addition.CREDENTIALS, re.compile(rf"^\s*({_TITLE}(?:\s*{_TITLE})*)\s*(?=\S)")),
)


def is_shown_name(shown: str, expected: str) -> bool:
    """Whether two names look the same: but for Unicode composition, hidden characters, blanks, and additions on closed lists.

    Additions that tell people apart must not contradict each other: who goes by `she/her` is not the namesake who goes by `he/him`.
    """
    plain_shown, plain_expected = folded(as_it_looks(shown)), folded(as_it_looks(expected))
    if not plain_expected or plain_shown == plain_expected:
        return bool(plain_expected)
    first, second = _taken_apart(plain_shown), _taken_apart(plain_expected)
    return bool(first.name) and first.name == second.name and all(map(_agree, first[1:], second[1:]))


def names_without_additions(shown: str) -> tuple[str, ...]:
    """How a control may call whom a heading names: as the heading does, or without what was added there."""
    return tuple(dict.fromkeys((shown, _taken_apart(folded(shown)).name or shown)))


def _taken_apart(text: str) -> _ShownName:
    additions: dict[_Addition, set[str]] = {kind: set() for kind in _Addition}
    name, before = " ".join(_PICTURE.sub(" ", text).split()), ""
    while name != before:
        before = name
        for kind, pattern in _ADDITIONS:
            if match := pattern.search(name):
                additions[kind] |= {word.casefold().replace(".", "") for word in re.split(r"[\s,/]+", match[1])}
                name = (name[: match.start()] + name[match.end() :]).strip()
    pronouns, credentials = additions[_Addition.PRONOUNS], additions[_Addition.CREDENTIALS]
    return _ShownName(name.rstrip(" \u00b7\u2022|,"), frozenset(pronouns), frozenset(credentials))


def _agree(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether one of them says at most what the other does."""
    return first <= second or second <= first
