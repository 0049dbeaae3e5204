"""The analysis scripts that come with Outrider: what each is called and tells, and by which words it is meant.

Their texts are files (`adapters/sandbox/builtin/`). They are shown, approved and run like any other script.
"""

import re
from typing import NamedTuple


class BuiltinScript(NamedTuple):
    """One of them; `words` is a pattern of what people call it."""

    key: str
    title: str
    tells: str
    words: str


BUILTIN_SCRIPTS = (
    BuiltinScript(
        "response_rate_by_industry",
        "Response rate by industry",
        "Of the people contacted in each industry, how many answered.",
        r"(?:response|reply|answer)[ -]rates?\b.*\b(?:industr\w*|sectors?)",
    ),
    BuiltinScript(
        "response_rate_by_title",
        "Response rate by title keyword",
        "Which words in a job title go with more answers.",
        r"(?:response|reply|answer)[ -]rates?\b.*\b(?:(?:job )?titles?|keywords?|roles?)",
    ),
    BuiltinScript(
        "time_to_reply",
        "Time to reply",
        "How long people take to answer, in days.",
        r"(?:time|days|hours|how (?:long|fast|quick\w*))\b.*\b(?:repl\w+|answer\w*|respon\w+)",
    ),
    BuiltinScript(
        "funnel_by_week",
        "Funnel by week",
        "People visited, invited, connected, written to and answering in each week.",
        r"funnel",
    ),
    BuiltinScript(
        "best_variant",
        "Best variant of each message",
        "Which message of a step is answered most, with the range in which its true rate probably lies.",
        r"\b(?:variants?|versions?|a/?b)\b|best (?:text|message|wording)",
    ),
)


def builtin_meant(words: str) -> BuiltinScript | None:
    """The first whose words these are, None if they fit none."""
    return next((script for script in BUILTIN_SCRIPTS if re.search(script.words, words, re.IGNORECASE)), None)


def builtin_named(key: str) -> BuiltinScript | None:
    """The one with this key."""
    return next((script for script in BUILTIN_SCRIPTS if script.key == key), None)
