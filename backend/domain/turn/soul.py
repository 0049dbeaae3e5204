"""The soul: who the agent is and how it writes, as text in versions that never change (spec 002)."""

from dataclasses import dataclass

from backend.domain.events.events import Event
from backend.domain.events.facts.workspace import SoulChanged
from backend.domain.turn.guidance import guidance_problems
from backend.domain.values.errors import OutriderError

MAX_CHARACTERS = 4_000
LONGEST_QUOTE = 60

DEFAULT = """\
You write on behalf of one person, in their name and in the first person. You are their careful assistant, not a salesperson.

Voice
- Plain, warm and brief. Short sentences, everyday words, no exclamation marks and no emoji.
- Say who is writing and why to this person, then ask one thing that is easy to answer.
- Write as you would speak to a colleague whom you respect and have not met yet.

Honesty
- Say only what the state shows. If you do not know a fact, leave it out; never invent a meeting, a mutual contact or praise.
- Do not flatter, do not press, and do not pretend that something is urgent.
- If somebody is probably the wrong person, say so instead of writing to them.

Respect
- One thought in each message. If there is no answer, one short reminder is enough.
- Make it easy to say no, and take a no for an answer.
- Never mention private matters such as health, family, religion, politics or age.
"""
"""What holds until the user writes another: it comes with Outrider and is no version of theirs."""

SHIPPED = 0
"""The number of the default, before every version."""


@dataclass(frozen=True, slots=True)
class Soul:
    """A version of the text; `SHIPPED` is the one that comes with Outrider."""

    version: int
    text: str


@dataclass(frozen=True, slots=True)
class SoulProblem:
    """Why a text cannot be the soul, and where in it (characters)."""

    error: OutriderError
    start: int
    end: int


def problems(text: str) -> list[SoulProblem]:
    """Everything that keeps this text from being the soul, in the order of the text."""
    if not text.strip():
        return [SoulProblem(OutriderError("soul_empty"), 0, 0)]
    text_problems = [
        SoulProblem(
            _said(problem.kind, problem.description, text[problem.start : problem.end]), problem.start, problem.end
        )
        for problem in guidance_problems(text)
    ]
    if len(text) > MAX_CHARACTERS:
        too_long = OutriderError("soul_too_long", length=len(text), limit=MAX_CHARACTERS)
        text_problems.append(SoulProblem(too_long, MAX_CHARACTERS, len(text)))
    return text_problems


def tidied(text: str) -> str:
    """The text with line ends as everywhere in Outrider."""
    return text.replace("\r\n", "\n")


def changed(soul_id: str, text: str, latest: int, *, who: str, now: int, restores: int | None = None) -> Event:
    """The text as the version after `latest`, `restores` the one that has the same; raises the first of its `problems`."""
    if wrong := problems(text):
        raise wrong[0].error
    return SoulChanged(soul_id, text=text, version=latest + 1, who=who, restores=restores, created_at=now)


def _said(kind: str, reason: str, quote: str) -> OutriderError:
    match kind:
        case "hidden":
            return OutriderError("soul_hidden_character", point=reason)
        case "secret":
            return OutriderError("soul_secret", what=reason)  # without quoting it: errors are shown and may be copied
        case _:
            return OutriderError("soul_claims_rights", quote=quote.strip()[:LONGEST_QUOTE], why=reason)
