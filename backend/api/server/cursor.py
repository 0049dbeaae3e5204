"""What stands in a cursor, as far as SQLite can hold it: a list says where its next page begins, and anybody may write another."""

import json
from typing import Any

from backend.domain.values.errors import OutriderError

MOST_DIGITS = 18


def values(text: str) -> list[Any] | None:
    """The numbers and words of a JSON list; None for anything else."""
    try:
        parsed = json.loads(text)
        storable = isinstance(parsed, list) and all(_is_storable(value) for value in parsed)
    except (ValueError, RecursionError):
        return None
    return parsed if storable else None


def whole(text: str) -> int | None:
    """A number from 0 on; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS else None


def _is_storable(value: object) -> bool:
    """Raises UnicodeEncodeError, a ValueError, for half a surrogate pair."""
    if isinstance(value, str):
        return value.encode() is not None
    return type(value) is int and abs(value) < 1 << 63


def number_after(text: str) -> int | None:
    """The number, from 1 on, that a list goes on from, None for its beginning; raises `bad_request` for what is none."""
    if text and not whole(text):
        raise OutriderError("bad_request", detail="it is no place in this list")
    return whole(text)
