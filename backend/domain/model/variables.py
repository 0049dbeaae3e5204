"""The variables of templates: what may stand in braces, and the text that becomes of it for one person.

`{company}` is that person's company; `{company|your company}` says what stands there when it is not known. A variable that is
neither known nor has such words stays as it is, and its name is told: a text with a hole is never proposed.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from backend.domain.people.company_name import company_in_text
from backend.domain.people.person_name import greeted_as, last_name

LONGEST_COMPANY = 60
MOST_FIELDS = 60
GIVEN = "first_name"
"""Among further columns: what the file says is the first name, kept where the name alone does not tell it."""
GREETING = "greeting_name"
"""Among further columns: what they are called in a greeting by the user's word, or by a column of that name."""
LONGEST_FIELD = 500

BRACED = re.compile(r"\{([^{}|]*)(?:\|([^{}]*))?\}")


class Recipient(NamedTuple):
    """Whom a text is for, as far as templates may say it; `more` are further columns of their lead file."""

    name: str
    company: str = ""
    job_title: str = ""
    email: str = ""
    more: Mapping[str, str] = MappingProxyType({})


def at_company(company: str) -> str:
    """` at Acme`; nothing without a company."""
    name = company_in_text(company)[:LONGEST_COMPANY].rstrip()
    return f" at {name}" if name else ""


def called(name: str, more: Mapping[str, str]) -> str:
    """What a greeting calls them: by the user's word, else by their name if that is sure, else nothing."""
    return more.get(GREETING, "") or greeted_as(name, more.get(GIVEN, ""))


VARIABLES: dict[str, Callable[[Recipient, str], str]] = {
    "first_name": lambda to, _: called(to.name, to.more),
    "last_name": lambda to, _: last_name(to.name, to.more.get(GIVEN, "")),
    "full_name": lambda to, _: to.name,
    "company": lambda to, _: company_in_text(to.company),
    "company_in_full": lambda to, _: to.company,
    "at_company": lambda to, _: at_company(to.company),
    "job_title": lambda to, _: to.job_title,
    "email": lambda to, _: to.email,
    "topic": lambda _, topic: topic,
}
"""What may stand in braces, from the recipient and the campaign's topic."""

MAY_BE_NOTHING = frozenset({"at_company"})
"""Made to disappear where there is nothing to say."""


class FilledTemplate(NamedTuple):
    """A text for one person, and the variables that nothing is known for, each once, in their order."""

    text: str
    missing: tuple[str, ...]


def fill(template: str, to: Recipient, topic: str, user_values: Mapping[str, str] | None = None) -> FilledTemplate:
    """The text for one person, in one pass: what a value holds is never a variable; `user_values`: what the user said for it."""
    missing: dict[str, None] = {}

    def put(match: re.Match[str]) -> str:
        name, otherwise = match[1].strip(), match[2]
        value = value_of(name, to, topic)
        if not value.strip() and user_values:
            value = user_values.get(name, "")
        if value.strip() or name in MAY_BE_NOTHING:
            return value
        if otherwise is not None:
            return otherwise
        missing[name] = None
        return match[0]

    text = BRACED.sub(put, template)
    return FilledTemplate(text, tuple(missing))


def value_of(name: str, to: Recipient, topic: str) -> str:
    """What the variable stands for; nothing when it is not known."""
    value_for = VARIABLES.get(name)
    return value_for(to, topic) if value_for else to.more.get(name, "")


def required_variables(template: str) -> tuple[str, ...]:
    """The variables that a text cannot do without, each once."""
    names = (match[1].strip() for match in BRACED.finditer(template) if match[2] is None)
    return tuple(dict.fromkeys(name for name in names if name not in MAY_BE_NOTHING))


def more_of(extra: str, greeting_name: str) -> dict[str, str]:
    """What templates may say of a lead beside its own columns, as it is stored: in JSON, and what the user set."""
    more = {} if extra == "{}" else columns_as_variables(json.loads(extra))
    return {**more, GREETING: greeting_name} if greeting_name else more


def is_greeting_unsure(name: str, extra: str, greeting_name: str) -> bool:
    """Whether the user would be asked what to call this lead, as it is stored."""
    if greeting_name:
        return False
    # Nearly every name is sure by itself, and what its file says further costs more to read.
    telling = extra != "{}" and any(word in extra.lower() for word in ("first", "greeting"))
    return not called(name, more_of(extra, "") if telling else {})


def columns_as_variables(columns: Mapping[str, str]) -> dict[str, str]:
    """Further columns of a lead file by the names they have in braces: “Favourite colour” is `{favourite_colour}`."""
    named: dict[str, str] = {}
    for column, value in columns.items():
        name = variable_name(column)
        if name and (name == GIVEN or name not in VARIABLES) and len(named) < MOST_FIELDS:
            named.setdefault(name, value[:LONGEST_FIELD])  # of two columns with one name, the first
    return named


def variable_name(column: str) -> str:
    """What a column is called in braces; empty when nothing of its name can be."""
    return re.sub(r"\W+", "_", column.lower()).strip("_")[:40]


def sample_readers(people: Sequence[Recipient], names: Sequence[str]) -> list[int]:
    """The places of three people who differ: of whom the most of these variables are known, the fewest, and the longest words.

    Among equals the first; nobody is in it twice, so of fewer than three it is all.
    """
    values_by_person = [[value_of(name, to, "").strip() for name in names] for to in people]
    filled = [sum(map(bool, values)) for values in values_by_person]
    lengths = [sum(map(len, values)) for values in values_by_person]
    chosen: list[int] = []
    for worth in (filled, [-count for count in filled], lengths):
        left = [index for index in range(len(people)) if index not in chosen]
        chosen += [max(left, key=worth.__getitem__)] if left else []
    return chosen


_NAMED = re.compile(r"(?P<aside> ?\()?\{(?P<name>[^{}|]{1,60})\}(?(aside)\))")
_PLAIN = re.compile(r"[a-z0-9_ ]+")


def in_words(question: str) -> str:
    """The question as people read it: the variable by whose name its answer is found is said in words, or left out beside them."""

    def words(named: re.Match[str]) -> str:
        aside, name = named["aside"] or "", named["name"]
        if aside and _PLAIN.fullmatch(name):  # what is hidden in another name stays to be shown
            return ""
        return f"{aside}“{name.replace('_', ' ')}”{')' if aside else ''}"

    return _NAMED.sub(words, question, count=1)
