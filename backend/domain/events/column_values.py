"""Whether what an entry says of each column is what its kind declares: asked before an entry that came from outside is folded.

The facts' own annotations are the only source: a column of a new kind is looked at without a word here.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import ValidationError

from backend.domain.events.facts import FACTS
from backend.domain.events.facts.fact import ReadBy
from backend.domain.values.canonical_json import Json

_Check = Callable[[Json], bool]

_NEW_WORDS = frozenset({"extra_forbidden", "enum", "literal_error", "union_tag_invalid"})
"""What pydantic says of a field, or of a value out of a list, that is not known here."""


class UnfitColumn(NamedTuple):
    """A column that is not as the kind declares it, and whether a newer Outrider may have written it so."""

    name: str
    is_newer: bool


def unfit_column(kind: str, changes: Mapping[str, Json], *, erased: bool) -> UnfitColumn | None:
    """The first of an event's columns that is not as its kind declares; `erased` ones may have no value left."""
    checks = _checks(kind)
    for name, value in changes.items():
        check = checks.get(name)
        if check is None:
            return UnfitColumn(name, name.isidentifier())
        if not check(value) and not (erased and value is None):
            return UnfitColumn(name, _is_newer(FACTS[kind].column_types(annotated=True)[name], value))
    return None


@cache
def _checks(kind: str) -> Mapping[str, _Check]:
    return {name: _check(hint) for name, hint in FACTS[kind].column_types(annotated=True).items()}


def _check(hint: Any) -> _Check:
    """Whether a value out of JSON is of this type. Raises TypeError for a type that no column has yet."""
    if hint is Any:
        return lambda _: True
    if isinstance(hint, type) and issubclass(hint, Enum):
        words = frozenset(member.value for member in hint)
        return lambda value: type(value) is str and value in words
    if hint in _PLAIN:
        types = _PLAIN[hint]
        return lambda value: type(value) in types
    parts = get_args(hint)
    match get_origin(hint):
        case origin if origin is Annotated:
            return _readable_by(_reader(hint))
        case origin if origin is Literal:
            values = {(type(value), value) for value in map(_value, parts)}
            return lambda value: isinstance(value, str | int | NoneType) and (type(value), value) in values
        case origin if origin in (Union, UnionType):
            checks = [_check(part) for part in parts]
            return lambda value: any(check(value) for check in checks)
        case type() as origin if issubclass(origin, Mapping):
            check = _check(parts[1])
            return lambda value: type(value) is dict and all(map(check, value.values()))
        case type():
            check = _check(parts[0])
            return lambda value: type(value) is list and all(map(check, value))
    return _refuse(hint)


_PLAIN: dict[Any, frozenset[type]] = {
    str: frozenset({str}),
    int: frozenset({int, bool}),
    bool: frozenset({int, bool}),
    NoneType: frozenset({NoneType}),
}
"""As JSON has them; a yes or no is stored as a number."""


def _refuse(hint: Any) -> _Check:
    raise TypeError(f"a column is declared as {hint}, and nothing says what that is in JSON")


def _value(constant: Any) -> Json:
    return constant.value if isinstance(constant, Enum) else constant


def _reader(hint: Any) -> ReadBy:
    return next(part for part in get_args(hint) if isinstance(part, ReadBy))


def _readable_by(reader: ReadBy) -> _Check:
    return lambda value: type(value) is str and _error_of(reader, value) is None


def _error_of(reader: ReadBy, text: str) -> Exception | None:
    try:
        reader.read(text)
    except (ValueError, RecursionError) as error:
        return error
    return None


def _is_newer(hint: Any, value: Json) -> bool:
    """Whether it is a word of a longer list, or text with such words, as a newer Outrider has; anything else it would not write."""
    if type(value) is not str:
        return False
    if get_origin(hint) is Annotated:
        error = _error_of(_reader(hint), value)
        return isinstance(error, ValidationError) and all(part["type"] in _NEW_WORDS for part in error.errors())
    members = get_args(hint) if get_origin(hint) in (Union, UnionType, Literal) else (hint,)
    return value.isidentifier() and any(
        isinstance(member, str) or (isinstance(member, type) and issubclass(member, str)) for member in members
    )
