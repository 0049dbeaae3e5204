"""Which pieces of a text are its template's own words, and which were put in for this person."""

from typing import NamedTuple

from backend.domain.model.variables import BRACED
from backend.domain.values.shapes import Shape


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
