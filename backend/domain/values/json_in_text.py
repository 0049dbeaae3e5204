"""Finds the one JSON object in a model's reply: behind its thoughts, in code fences, between words."""

import json
import re
from collections.abc import Iterator
from typing import Any

_END_OF_THOUGHTS = re.compile(r"</\s*(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_BEGIN_OF_THOUGHTS = re.compile(r"\s*<\s*(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_OBJECT = re.compile(r'\{\s*["}]')
_DECODER = json.JSONDecoder()


def without_thoughts(text: str) -> str:
    """What a model said when it had finished thinking aloud; its server may have dropped where that began."""
    ends = list(_END_OF_THOUGHTS.finditer(text))
    if ends:
        return text[ends[-1].end() :]
    return "" if _BEGIN_OF_THOUGHTS.match(text) else text


def object_text(text: str) -> str | None:
    """The text of the only JSON object in a reply; None if there is none, more than one, or one that is not whole."""
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
        _, at = _DECODER.raw_decode(text, begin.start())
        yield text[begin.start() : at]
