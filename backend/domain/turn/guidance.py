"""Words that people give the agent to follow, and what is found in them that does not belong there.

A guard-rail for careless or planted text, not the protection: whatever such words say, the controller decides what is done.
"""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from backend.domain.values.hidden_characters import hidden_characters

GuidanceProblemKind = Literal["hidden", "secret", "claim"]


class GuidanceProblem(NamedTuple):
    """Something that does not belong in guidance: what it is, in words, and where it stands (characters)."""

    kind: GuidanceProblemKind
    description: str
    start: int
    end: int


SECRETS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    ("an API key", re.compile(r"(?<![\w-])(?:sk|pk|rk)[-_](?=[\w-]*\d)[\w-]{16,}")),
    ("a GitHub token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})")),
    ("an AWS key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("a Google key", re.compile(r"\bAIza[\w-]{30,}")),
    ("a Slack token", re.compile(r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}")),
    ("a signed token", re.compile(r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}")),
    ("a bearer token", re.compile(r"\bbearer\s+(?=\S*\d)[\w.~+/-]{20,}=*", re.IGNORECASE)),
    (
        "an address with a password in it",
        re.compile(r"\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]{1,200}:[^\s/@]{1,200}@", re.IGNORECASE),
    ),
    (
        "a password or key",
        re.compile(
            r"\b(?:pass(?:word|wd|phrase)|pwd|api[ _-]?key|secret(?:[ _-]key)?|(?:access|auth|api|bot)[ _-]?token|token)\b"
            r"[ \t]*(?:=[ \t]*\S{4,}|(?::|\bis\b)[ \t]*[\"'“]?(?=\S*\d)(?!\d{1,4}\b)\S{6,})",
            re.IGNORECASE,
        ),
    ),
    # What is part of an address is where something lies, not what opens it.
    (
        "a long random text such as a key",
        re.compile(
            r"(?<![\w/=?&.#%@-])(?:(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])[A-Za-z0-9_]{32,}|(?=\w*\d)[0-9a-f]{32,})(?![\w.@-])"
        ),
    ),
)
"""What looks like a secret; the first that fits a place names it."""

_RULES = r"(?:rules?|instructions?|guidelines|polic(?:y|ies)|restrictions?|safeguards?|gates?|approvals?|limits?)\b"
_OF_THE_SYSTEM = r"(?!\s+of\s+(?!the\s+(?:system|controller)|outrider))"
_ASKED = r"(?:approval|permission|confirmation|consent|review)\b"
_NOT = r"(?:\b(?:never|not|cannot)\b|n['\u2019]t\b)"
_NEAR = r"[^.!?\n]"

CLAIMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (description, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for description, pattern in (
        (
            "It asks to set the rules aside; the rules stay, whatever it says.",
            rf"\b(?:ignore|disregard|forget|override|overrule|bypass|circumvent|skip|break|disable)\b{_NEAR}{{0,40}}\b{_RULES}{_OF_THE_SYSTEM}",
        ),
        (
            "It speaks of acting without approval; every message still needs yours.",
            rf"\bwithout\b{_NEAR}{{0,24}}\b(?:{_ASKED}|(?:asking|being asked)\b(?=\s*(?:[.,;!]|$|me\b|us\b|first\b|the user\b)))",
        ),
        (
            "It says that approval is not needed; every message still needs yours.",
            rf"(?:{_NOT}|\b(?:no|without)\b){_NEAR}{{0,16}}\b(?:need|require|ask for|wait for|seek)\w*\b"
            rf"{_NEAR}{{0,16}}\b{_ASKED}(?!\s+to\b)"
            rf"|\b{_ASKED}{_NEAR}{{0,12}}(?:{_NOT}|\bno longer\b){_NEAR}{{0,8}}\b(?:need|require|necessary)"
            rf"|\bno\s+{_ASKED}{_NEAR}{{0,8}}\b(?:need|require|necessary)",
        ),
        (
            "It grants a right; rights are given by your decisions only.",
            rf"\byou\s+(?:may|can|must|should|are\s+(?:allowed|permitted|authori[sz]ed|free)\s+to|have\s+(?:the\s+)?(?:right|permission)\s+to)\b"
            rf"{_NEAR}{{0,24}}\b(?:approve|execute|delete|run\s+(?:commands?|scripts?|code)"
            rf"|(?:send|message|contact|invite|write\s+to){_NEAR}{{0,40}}\b(?:anyone|anybody|everyone|everybody|automatically|on\s+your\s+own|unasked))\b",
        ),
        (
            "It names a tool; which tools may be used is not decided by words.",
            r"\b(?:browser|leads|artifacts|files|text|scripts|cli)\.(?:[a-z]+_[a-z_]+|search|query|run|read|export|summarise)\b(?!\.\w)",
        ),
        (
            "It changes a limit; limits are set in Settings.",
            rf"\b(?:raise|lift|remove|exceed|increase|drop|no)\b{_NEAR}{{0,24}}\b(?:daily|weekly|sending|invitation|message)\s+limits?\b",
        ),
        (
            "It passes for somebody else's part of the conversation.",
            r"^[ \t>*#-]*(?:system|developer|assistant|controller)[ \t]*:"
            r"|<\|[^|\n]{1,40}\|>|<</?sys>>|\[/?inst\]|</?(?:system|assistant|developer)>",
        ),
        (
            "It begins a part that only Outrider writes.",
            r"^[ \t]*#+[ \t]*(?:(?:system |immutable )?rules|schema|state|skill:.*|system prompt)[ \t]*$",
        ),
        (
            "It gives the agent another role.",
            rf"\b(?:you\s+are\s+now|from\s+now\s+on,?\s+you\s+are|act\s+as|pretend\s+to\s+be)\b{_NEAR}{{0,20}}"
            r"\b(?:controller|system|administrator|admin|root|developer|the\s+user|unrestricted|jailbroken)\b",
        ),
        (
            "It asks for secrets; the agent is never given any.",
            rf"\b(?:reveal|print|repeat|show|output|disclose|leak|send|tell)\b{_NEAR}{{0,40}}"
            r"\b(?:system\s+prompt|api\s+keys?|passwords?|access\s+tokens?|credentials)\b",
        ),
    )
)
"""What tries to change the rules or to grant rights, and the sentence that says so."""

_CLAUSE = re.compile(r"[.!?,;:\n(]")
_NEGATED = re.compile(rf"{_NOT}|\b(?:nobody|nothing|no\s+one|neither|nor)\b", re.IGNORECASE)


def guidance_problems(text: str) -> list[GuidanceProblem]:
    """Everything that does not belong in guidance, in the order of the text."""
    problems = [*_hidden(text), *_secrets(text), *_claims(text)]
    return sorted(problems, key=lambda problem: (problem.start, problem.end))


def _hidden(text: str) -> Iterable[GuidanceProblem]:
    for run in hidden_characters(text):
        if not run.is_space:  # typography of some languages; the words are seen all the same
            yield GuidanceProblem("hidden", run.code_point, run.start, run.end)


def _secrets(text: str) -> Iterable[GuidanceProblem]:
    taken: list[range] = []
    for description, pattern in SECRETS:
        for match in pattern.finditer(text):
            if not any(match.start() < span.stop and span.start < match.end() for span in taken):
                taken.append(range(*match.span()))
                yield GuidanceProblem("secret", description, *match.span())


def _claims(text: str) -> Iterable[GuidanceProblem]:
    for description, pattern in CLAIMS:
        for match in pattern.finditer(text):
            if not _is_negated(text, match.start()):
                yield GuidanceProblem("claim", description, *match.span())


def _is_negated(text: str, start: int) -> bool:
    """Whether the clause says no before: "never promise anything without approval" takes no right."""
    before = _CLAUSE.split(text[max(0, start - 120) : start])[-1]
    return _NEGATED.search(before) is not None
