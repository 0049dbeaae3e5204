"""JSON in one spelling, so that the same value always has the same hash."""

import json
from collections.abc import Callable, Iterable
from typing import Any

Json = Any
"""A JSON value."""

_SPELLING = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def _encoder() -> Callable[[Json], str]:
    """`JSONEncoder.encode` makes this for each value anew; a turn spells dozens of small ones."""
    make: Callable[..., Callable[[Json, int], Iterable[str]]] | None = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # a Python without it
        return _SPELLING.encode
    ascii_text = json.encoder.encode_basestring_ascii
    spell = make(None, _SPELLING.default, ascii_text, None, ":", ",", True, False, False)
    return lambda value: "".join(spell(value, 0))


_encode = _encoder()


def canonical(value: Json) -> str:
    """The one JSON spelling used for hashing and storing: sorted keys, no blanks, ASCII, no NaN."""
    return _encode(value)


def read_object(text: str) -> dict[str, Json]:
    """The fields of an object in JSON; raises ValueError for any other text."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - as for every other text that is none
    return value
