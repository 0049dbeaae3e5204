"""What an erasure may leave of an event of each kind, where its words are not at hand to compare with: one table of its fields.

It follows from what each kind of event declares and from what the erasures of `domain/erasure/erasure.py` take out of that.
The verifiers of portable proofs check the same by the rules of the kinds that they read (`docs/verify_proof.py`, which a test
compares, and `verify.js`, into which they are put).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from backend.domain.erasure.erasure import (
    ERASABLE,
    KEPT,
    SIZES,
    SUBSTITUTES,
    UNIQUE_KEYS,
    without_campaign,
    without_words,
)
from backend.domain.erasure.mentions import MAY_TELL, TELLING_KINDS
from backend.domain.erasure.remains import is_gone
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.fact import Fact
from backend.domain.values.canonical_json import Json

NUMBER, KEPT_TEXT, WORDS, GONE, KEY, LIMITS, DESPITE = "number", "kept", "words", "gone", "key", "limits", "despite"
"""Rules: a number or nothing; a state, id or list that is kept; words, of which some may be left; words that every erasure takes;
a key with a substitute; settings of which the limits are left; parameters of which the limits are left that the user went beyond.
Any other rule is the values that a field may have, as canonical JSON, in a list."""

Rule = str | tuple[Json, ...]

_IN_PART = MAY_TELL | {"do_not_contact", "identity_answer", "erasure"}
"""Of what an erasure may take some words and leave others."""

_CODE = re.compile(r"[a-z_]+")


class FieldRule(NamedTuple):
    """What may be left of a field, and whether each event of the kind has it."""

    required: bool
    rule: Rule


KindRules = Mapping[str, FieldRule]


@cache
def rules_of(kind: str) -> KindRules:
    """The rules of the fields of an event of this kind."""
    fact = FACTS[kind]
    types = fact.column_types()
    taken = _taken(fact, types)
    return {name: FieldRule(required, _rule(fact, name, types[name], taken)) for name, required in fact.columns.items()}


def rules_for_page(kinds: Iterable[str]) -> dict[str, dict[str, tuple[bool, Rule]]]:
    """The same for whoever checks a portable proof: of each of these kinds that is ever erased."""
    return {kind: dict(rules_of(kind)) for kind in sorted(kinds) if is_ever_erased(kind)}


def is_ever_erased(kind: str) -> bool:
    """Whether the kind has any words; of any other event nothing is ever erased."""
    return any(field.rule in (WORDS, GONE, KEY, LIMITS, DESPITE) for field in rules_of(kind).values())


def may_remain(kind: str, payload: str) -> bool:
    """Whether this may be what is left of an event of this kind."""
    try:
        left = json.loads(payload)
    except (TypeError, ValueError, RecursionError):
        return False
    rules = rules_of(kind)
    if not isinstance(left, dict) or not is_ever_erased(kind) or left.keys() - rules.keys():
        return False
    missing = (name for name, field in rules.items() if field.required and name not in left)
    return not any(missing) and all(_fits(rules[name].rule, value) for name, value in left.items())


def _fits(rule: Rule, value: Json) -> bool:
    if isinstance(rule, tuple):
        return any(value == allowed and type(value) is type(allowed) for allowed in rule)
    match rule:
        case "number":
            return value is None or isinstance(value, (bool, int, float))
        case "kept":
            return value is None or isinstance(value, (str, list))
        case "gone":
            return is_gone(value)
        case "key":
            return value == "" or (isinstance(value, str) and value.startswith(SUBSTITUTES))
        case "limits":
            return is_gone(value) or (isinstance(value, str) and _says_limits_alone(value))
        case "despite":
            return isinstance(value, dict) and not value.keys() - {"despite"} and _are_codes(value.get("despite", []))
    return True


def _says_limits_alone(settings: str) -> bool:
    try:
        parsed = json.loads(settings)
    except (ValueError, RecursionError):
        return False
    limits = parsed.get("limits") if isinstance(parsed, dict) and parsed.keys() == {"limits"} else None
    return isinstance(limits, dict) and not any(isinstance(limit, (str, dict)) for limit in limits.values())


def _are_codes(codes: Json) -> bool:
    return isinstance(codes, list) and all(isinstance(code, str) and _CODE.fullmatch(code) for code in codes)


def _rule(fact: type[Fact], name: str, hint: Any, taken: frozenset[str]) -> Rule:
    values = tuple(_values(hint))
    if name in SIZES or _is_number(hint):
        return values or NUMBER
    if name in UNIQUE_KEYS:
        return WORDS if fact.entity in _IN_PART and fact.entity != "do_not_contact" else KEY
    if name == "settings":
        return LIMITS
    if values and name in KEPT:
        return values
    if name in KEPT:
        return KEPT_TEXT
    if name == "params" and fact.entity == "action":
        return DESPITE
    return GONE if name in taken else WORDS


def _taken(fact: type[Fact], types: Mapping[str, Any]) -> frozenset[str]:
    """The columns of which every erasure that concerns such an event takes the value."""
    if fact.entity in _IN_PART or fact.__name__ in TELLING_KINDS:
        return frozenset()
    sample = {name: _sample(hint) for name, hint in types.items()}
    left = [json.loads(without_campaign(fact.entity, "an-id", sample))]
    if fact.entity in ERASABLE:
        left.append(json.loads(without_words(fact.entity, "an-id", sample)))
    return frozenset(name for name, value in sample.items() if all(payload[name] != value for payload in left))


def _sample(hint: Any) -> Json:
    origin = get_origin(hint) or hint
    if _is_number(hint):
        return 7
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"some": "words"}
    return ["some words"] if isinstance(origin, type) and not issubclass(origin, str) else "some words"


def _is_number(hint: Any) -> bool:
    return any(member in (int, bool) for member in _members(hint)) or all(
        member is type(None)
        or (get_origin(member) is Literal and not any(isinstance(value, str) for value in get_args(member)))
        for member in _members(hint)
    )


def _members(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _values(hint: Any) -> Iterator[Json]:
    """The values of a column that may have only some."""
    for member in _members(hint):
        if get_origin(member) is Literal:
            yield from (value.value if isinstance(value, Enum) else value for value in get_args(member))
        elif isinstance(member, type) and issubclass(member, Enum):
            yield from (value.value for value in member)
