"""What remains of a log entry that several erasures reduced: of each field, no more than every one of them left.

Two devices may erase the same entry before they hear of each other, and one may know a name that the other does not know any
more. Combining what they leave is commutative, associative and idempotent, so the order in which erasures arrive does not
matter. `outrider.lesser` in PostgreSQL and both verifiers of proofs do the same.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from backend.domain.erasure import ERASED, SUBSTITUTES, UNIQUE_KEYS
from backend.domain.events import Json, canonical

_PIECE = re.compile(
    r'((?:\(erased\)|\\+u[0-9a-f]{4}|[^] "(),;<>[{}|:\\])+)|((?:\\\\)*\\"|\\+[nrtbf]|(?:\\\\)+|[] "(),;<>[{}|:\\])'
)
"""In canonical JSON: a word, or one character or escape between words. No erasure alters what stands between words."""

_EMPTY = {"{": "{}", "[": "[]"}

_WORD = re.compile(r'(?:\(erased\)|\\+u[0-9a-f]{4}|[^] \n\r\t\b\f"(),;<>[{}|:\\])+')
"""The same words in the value of a string."""


def mark_erased(text: str) -> str:
    """The text with each of its words replaced by the mark of an erasure, so that it has as many words as before."""
    return _WORD.sub(ERASED, text)


def least_remains(remains: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By digest: what remains of each entry, of all that is said to remain of it."""
    combined: dict[str, str] = {}
    for digest, payload in remains:
        combined[digest] = lesser(combined[digest], payload) if digest in combined else payload
    return combined


def lesser(one: str, other: str) -> str:
    """What remains of a payload of which two erasures left these, in canonical JSON."""
    return one if one == other else canonical(_lesser_fields(json.loads(one), json.loads(other)))


def leaves_no_more(left: object, before: object) -> bool:
    """Whether what is left of an erased payload, in canonical JSON, has nothing that was not left before."""
    if not isinstance(left, str) or not isinstance(before, str):
        return False
    try:
        return lesser(left, before) == left
    except (ValueError, AttributeError):  # no JSON, or no object
        return False


def _lesser_fields(one: Mapping[str, Json], other: Mapping[str, Json]) -> dict[str, Json]:
    return {name: _lesser_field(name, one[name], other[name]) for name in one.keys() & other.keys()}


def _lesser_field(name: str, one: Json, other: Json) -> Json:
    if one == other and type(one) is type(other):
        return one
    if name in UNIQUE_KEYS:
        return min(one, other, key=_substitutes_first)
    return json.loads(_lesser_value(canonical(one), canonical(other)))


def _substitutes_first(key: Json) -> tuple[bool, int, str]:
    text = str(key)
    return not text.startswith(SUBSTITUTES), len(text), text


class _Piece(NamedTuple):
    """A word, or what stands between two words; `quoted` where it is in a string."""

    word: str
    between: str
    quoted: bool


def _lesser_value(one: str, other: str) -> str:
    """Word by word if they only differ in words; else the simpler of both, which holds no word or fewer.

    Names may be keys of an object, whose order an erasure alters: of an object or a list, nothing is left then.
    """
    mine, theirs = list(_pieces(one)), list(_pieces(other))
    shapes = _shape(mine), _shape(theirs)
    if shapes[0] != shapes[1]:
        simpler = one if (len(shapes[0]), shapes[0]) < (len(shapes[1]), shapes[1]) else other
        return _EMPTY.get(simpler[0], simpler)
    return "".join(_lesser_piece(*both) for both in zip(mine, theirs, strict=True))


def _pieces(value: str) -> Iterator[_Piece]:
    quoted = False
    for word, between in _PIECE.findall(value):
        quoted ^= between == '"'
        yield _Piece(word, between, quoted)


def _shape(pieces: Iterable[_Piece]) -> str:
    """The value with every word replaced by the same letter."""
    return "".join(piece.between or "w" for piece in pieces)


def _lesser_piece(one: _Piece, other: _Piece) -> str:
    if one == other:
        return one.word or one.between
    if one.quoted:
        return ERASED
    return min(one.word, other.word, key=lambda word: (word != "null", len(word), word))
