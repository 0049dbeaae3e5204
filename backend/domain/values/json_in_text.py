"""Finds the one JSON object in a model's reply: behind its thoughts, in code fences, between words."""

import json
import re
from collections.abc import Iterator
from typing import Any

_THOUGHTS = r"(?:seed:)?(?:think|thinking|thought|reasoning)"
_END_OF_THOUGHTS = re.compile(
    rf"</\s*{_THOUGHTS}\s*>|\u25c1/think\u25b7|\[/THINK\]|<\|end_of_thought\|>|<\|channel\|>\s*final\b[^{{}}]{{0,200}}?<\|message\|>",
    re.IGNORECASE,
)
"""Bounded throughout: in a megabyte of beginnings each would look for its end in all that follows, and nothing interrupts `re`."""
_BEGIN_OF_THOUGHTS = re.compile(
    rf"\s*(?:<\s*{_THOUGHTS}\s*>|\u25c1think\u25b7|\[THINK\]|<\|begin_of_thought\|>|<\|channel\|>\s*analysis\b)",
    re.IGNORECASE,
)
"""Also as Magistral, Kimi, Seed, OpenThinker and gpt-oss have them, where a server leaves them in the reply."""
_OBJECT = re.compile(r'\{\s*["}]')


def _refuse_constant(name: str) -> None:
    """`NaN` and `Infinity` are no JSON."""
    raise ValueError(name)


class KeyRepeatedError(ValueError):
    """An object has a key twice: which of its values is meant, nobody can tell."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def _members_by_key(members: list[tuple[str, Any]]) -> dict[str, Any]:
    by_key = dict(members)
    if len(by_key) < len(members):
        keys = [key for key, _ in members]
        raise KeyRepeatedError(next(key for key in keys if keys.count(key) > 1))
    return by_key


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_LENIENT_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, strict=False, object_pairs_hook=_members_by_key)


def repeated_key(json_text: str) -> str | None:
    """A key that some object of this JSON has twice."""
    try:
        json.loads(json_text, object_pairs_hook=_members_by_key, parse_int=str)  # integers of however many digits
    except KeyRepeatedError as repeated:
        return repeated.key
    return None


def without_thoughts(text: str) -> str:
    """What a model said when it had finished thinking aloud; its server may have dropped where that began."""
    ends = list(_END_OF_THOUGHTS.finditer(text))
    if ends:
        return text[ends[-1].end() :]
    return "" if _BEGIN_OF_THOUGHTS.match(text) else text


def object_text(text: str) -> str | None:
    """The only JSON object in a reply, as JSON; None if there is none, more than one, or one that is not whole."""
    reply = without_thoughts(text).strip("\ufeff \t\r\n")
    if reply.startswith(("[", '"')):  # a list or a text, whatever is in it
        return None
    try:
        objects = list(_objects(reply))
    except (ValueError, RecursionError):
        return None
    return objects[0] if len(objects) == 1 else None


def object_in(text: str) -> dict[str, Any] | None:
    """The same, decoded."""
    json_text = object_text(text)
    return None if json_text is None else json.loads(json_text)


def _objects(text: str) -> Iterator[str]:
    """Raises `ValueError` at an object that is not whole: what it holds inside is not what was said."""
    at = 0
    while (begin := _OBJECT.search(text, at)) is not None:
        try:
            _, at = _DECODER.raw_decode(text, begin.start())
            yield text[begin.start() : at]
        except ValueError:  # a line break within a text, which models leave as it is
            with_breaks, at = _LENIENT_DECODER.raw_decode(text, begin.start())
            yield json.dumps(with_breaks, ensure_ascii=False)
