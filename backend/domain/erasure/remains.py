"""What remains of a log entry that several erasures reduced: of each field, no more than every one of them left.

Two devices may erase the same entry before they hear of each other, and one may know a name that the other does not know any
more. Combining what they leave is commutative, associative and idempotent, so the order in which erasures arrive does not
matter. `outrider.lesser` in PostgreSQL and both verifiers of proofs do the same.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from backend.domain.erasure.erasure import (
    DELETED_KEY,
    ERASED,
    ERASED_KEY,
    ERASED_RESULT,
    KEPT,
    SIZES,
    SUBSTITUTES,
    UNIQUE_KEYS,
    limits_alone,
)
from backend.domain.people.contact_keys import FORGOTTEN_KEY
from backend.domain.values.canonical_json import Json, canonical

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


def mark_erased_in_json(text: str) -> str:
    """Likewise of a part of a JSON text, in which a line break is spelled as an escape."""
    return _PIECE.sub(lambda piece: ERASED if piece[1] else piece[0], text)


def least_remains(remains: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By digest: what remains of each entry, of all that is said to remain of it."""
    combined: dict[str, str] = {}
    for digest, payload in remains:
        combined[digest] = lesser(combined[digest], payload) if digest in combined else payload
    return combined


def lesser(first: str, second: str) -> str:
    """What remains of a payload of which two erasures left these, in canonical JSON."""
    return first if first == second else canonical(_lesser_fields(json.loads(first), json.loads(second)))


def leaves_no_more(left: object, before: object) -> bool:
    """Whether what is left of an erased payload, in canonical JSON, has nothing that was not left before."""
    if not isinstance(left, str) or not isinstance(before, str):
        return False
    try:
        return lesser(left, before) == left
    except (ValueError, AttributeError):  # no JSON, or no object
        return False


def is_reduction(left: str, before: str, ids: Collection[str]) -> bool:
    """Whether an erasure may leave this of an event's payload: every field is there, numbers and states are as they were, and
    every word is one that stood in its place.

    `ids` are those by which a substitute may name the entry: of what it is about, and its digest. PostgreSQL compares the
    numbers, states and fields only (`outrider.keeps_states`); whoever adopts from there compares the words.
    """
    if left == before:
        return True
    fields_left, fields_before = _fields(left), _fields(before)
    if fields_left is None or fields_before is None or fields_left.keys() != fields_before.keys():
        return False
    return all(_is_field_reduced(name, fields_left[name], fields_before[name], ids) for name in fields_before)


def is_audit_reduction(left: str, before: str) -> bool:
    """Likewise of the payload of an audit entry, whose fields have no rules of their own and may go."""
    fields_left, fields_before = _fields(left), _fields(before)
    if fields_left is None or fields_before is None:
        return False
    return _is_reduced({name: value for name, value in fields_left.items() if not _follows(name, value)}, fields_before)


def _follows(name: str, value: Json) -> bool:
    """Whether the value only says that words are gone."""
    return _is_same(value, 0) if name in SIZES else name in UNIQUE_KEYS and str(value).startswith(SUBSTITUTES)


def keeps_states(left: str, other: str) -> bool:
    """Whether two erasures that say what is left of one event agree on everything that no erasure alters."""
    fields, other_fields = _fields(left), _fields(other)
    if fields is None or other_fields is None or fields.keys() != other_fields.keys():
        return False
    return all(
        _is_same(fields[name], other_fields[name])
        for name in fields
        if _is_kept(name, fields[name]) or _is_kept(name, other_fields[name])
    )


def _fields(payload: str) -> dict[str, Json] | None:
    try:
        fields = json.loads(payload)
        return fields if isinstance(fields, dict) and canonical(fields) == payload else None
    except (TypeError, ValueError, RecursionError):
        return None


def _is_same(value: Json, other: Json) -> bool:
    return type(value) is type(other) and bool(value == other)


def _is_kept(name: str, value: Json) -> bool:
    return name in KEPT or (name not in SIZES and isinstance(value, (bool, int, float)))


def _is_field_reduced(name: str, left: Json, before: Json, ids: Collection[str]) -> bool:
    if _is_same(left, before):
        return True
    if before is None or _is_kept(name, before):
        return False
    if name in SIZES:
        return _is_same(left, 0)
    if name in UNIQUE_KEYS and isinstance(left, str) and left.startswith(SUBSTITUTES):
        return _is_substitute(left, ids)
    if name == "settings":
        return isinstance(before, str) and _is_same(left, limits_alone(before))
    return (name == "payload" and left == ERASED_RESULT) or _is_reduced(left, before)


def _is_substitute(key: str, ids: Collection[str]) -> bool:
    if key.startswith(FORGOTTEN_KEY):
        return True
    return any(key == f"{begins}{id_}" for begins in (ERASED_KEY, DELETED_KEY) for id_ in ids)


def _is_reduced(left: Json, before: Json) -> bool:
    """Whether a value of words has no other words than it had: they are gone, or each is there or marked as erased."""
    if is_gone(left) or _is_same(left, before):
        return True
    match left, before:
        case str(), str():
            return _is_marked(left, before)
        case list(), list():
            return len(left) == len(before) and all(map(_is_reduced, left, before))
        case dict(), dict():
            return all(any(_is_entry(entry, entry_before) for entry_before in before.items()) for entry in left.items())
    return False


def is_gone(value: Json) -> bool:
    """Whether no word is left of a value."""
    return value is None or (isinstance(value, (str, list, dict)) and (not value or value in (ERASED, "{}", "[]")))


def _is_entry(left: tuple[str, Json], before: tuple[str, Json]) -> bool:
    return _is_marked(left[0], before[0]) and _is_reduced(left[1], before[1])


def _is_marked(left: str, before: str) -> bool:
    """Whether these are the same words, some of them marked as erased."""
    if left == before:
        return True
    if ERASED not in left or _WORD.sub("w", left) != _WORD.sub("w", before):
        return False
    return all(map(_is_word_marked, _WORD.findall(left), _WORD.findall(before)))


def _is_word_marked(left: str, before: str) -> bool:
    """A mention may end within a word: a full stop belongs to the word before it."""
    return left == before or (ERASED in left and bool(_as_pattern(left).fullmatch(before)))


@lru_cache(maxsize=1_000)
def _as_pattern(marked: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, marked.split(ERASED))))


def _lesser_fields(first: Mapping[str, Json], second: Mapping[str, Json]) -> dict[str, Json]:
    return {name: _lesser_field(name, first[name], second[name]) for name in first.keys() & second.keys()}


def _lesser_field(name: str, first: Json, second: Json) -> Json:
    if first == second and type(first) is type(second):
        return first
    if name in UNIQUE_KEYS:
        return min(first, second, key=_substitutes_first)
    return json.loads(_lesser_value(canonical(first), canonical(second)))


def _substitutes_first(key: Json) -> tuple[bool, int, str]:
    text = str(key)
    return not text.startswith(SUBSTITUTES), len(text), text


class _Piece(NamedTuple):
    """A word, or what stands between two words; `quoted` where it is in a string."""

    word: str
    between: str
    quoted: bool


def _lesser_value(first: str, second: str) -> str:
    """Word by word if they only differ in words; else the simpler of both, which holds no word or fewer.

    Names may be keys of an object, whose order an erasure alters: of an object or a list, nothing is left then.
    """
    first_pieces, second_pieces = list(_pieces(first)), list(_pieces(second))
    shapes = _shape(first_pieces), _shape(second_pieces)
    if shapes[0] != shapes[1]:
        simpler = first if (len(shapes[0]), shapes[0]) < (len(shapes[1]), shapes[1]) else second
        return _EMPTY.get(simpler[0], simpler)
    return "".join(_lesser_piece(*both) for both in zip(first_pieces, second_pieces, strict=True))


def _pieces(value: str) -> Iterator[_Piece]:
    quoted = False
    for word, between in _PIECE.findall(value):
        quoted ^= between == '"'
        yield _Piece(word, between, quoted)


def _shape(pieces: Iterable[_Piece]) -> str:
    """The value with every word replaced by the same letter."""
    return "".join(piece.between or "w" for piece in pieces)


def _lesser_piece(first: _Piece, second: _Piece) -> str:
    if first == second:
        return first.word or first.between
    if first.quoted:
        return ERASED
    return min(first.word, second.word, key=lambda word: (word != "null", len(word), word))
