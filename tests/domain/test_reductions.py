"""An erasure takes words out of an entry and changes nothing else: of every kind of event, field by field."""

import json
from typing import Any

import pytest
from hypothesis import given

from backend.domain.erasure.erasure import ERASABLE, without_campaign, without_words
from backend.domain.erasure.remains import is_audit_reduction, is_reduction, keeps_states, lesser
from backend.domain.erasure.remains_by_kind import (
    DESPITE,
    GONE,
    KEPT_TEXT,
    KEY,
    LIMITS,
    NUMBER,
    WORDS,
    is_ever_erased,
    may_remain,
    rules_of,
)
from backend.domain.events.facts import FACTS
from backend.domain.values.canonical_json import canonical
from tests.domain.test_remains import ERASURES, erased, payloads

ID = "entity-1"
VALUES = {
    NUMBER: 20, KEPT_TEXT: "some-state", WORDS: "Ada met Omar", GONE: "Ada met Omar", KEY: "example.com/in/ada",
    LIMITS: '{"limits":{"messages_a_day":3},"topic":"Ada"}', DESPITE: {"despite": ["daily_limit"], "name": "Ada"},
}  # fmt: skip
OTHERS = {NUMBER: 7, KEPT_TEXT: "other-state", LIMITS: '{"limits":{"messages_a_day":30}}', KEY: "erased-entity-2"}
FIELDS = [(kind, name) for kind in sorted(FACTS) for name in rules_of(kind)]
ERASED_KINDS = [kind for kind in sorted(FACTS) if is_ever_erased(kind)]


def written(kind: str) -> dict[str, Any]:
    """An event of this kind, with all of its fields."""
    return {name: value_of(kind, name) for name in rules_of(kind)}


def value_of(kind: str, name: str) -> Any:
    rule, hint = rules_of(kind)[name].rule, str(FACTS[kind].column_types()[name])
    if isinstance(rule, tuple):
        return rule[0]
    words = rule in (WORDS, GONE)
    return {"who": VALUES[rule]} if words and "Mapping" in hint else VALUES[rule]


def left_of(kind: str) -> dict[str, Any]:
    """What a deletion of the campaign leaves of it, or of the person."""
    entity = FACTS[kind].entity
    erase = without_words if entity in ERASABLE else without_campaign
    left: dict[str, Any] = json.loads(erase(entity, ID, written(kind)))
    return left


def accepted(kind: str, left: dict[str, Any]) -> tuple[bool, bool]:
    """Whether this may be left: compared with the words, and without them."""
    payload = canonical(left)
    return is_reduction(payload, canonical(written(kind)), (ID, "d1")), may_remain(kind, payload)


@pytest.mark.parametrize("kind", ERASED_KINDS)
def test_what_erasures_leave_is_accepted(kind: str) -> None:
    entity = FACTS[kind].entity
    for erase in (without_campaign, *([without_words] if entity in ERASABLE else [])):
        left = json.loads(erase(entity, ID, written(kind)))
        if left != written(kind) and entity not in ("do_not_contact", "erasure"):
            assert accepted(kind, left) == (True, True), left


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_no_erasure_changes_a_state_an_id_a_number_or_a_time(kind: str, name: str) -> None:
    rule = rules_of(kind)[name].rule
    if rule in (WORDS, GONE, DESPITE):
        return
    other = OTHERS.get(rule, "other-state") if isinstance(rule, str) else "other-state"
    for changed in (other, "", [], {}):
        left = left_of(kind) | {name: changed}
        if changed != left_of(kind)[name] and not (rule in (KEY, LIMITS) and not changed):
            assert not accepted(kind, left)[0]
    if isinstance(rule, tuple):
        assert accepted(kind, left_of(kind) | {name: "other-state"}) == (False, False)


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_no_erasure_adds_a_word_a_field_or_takes_a_field(kind: str, name: str) -> None:
    rule, left = rules_of(kind)[name].rule, left_of(kind)
    if rule in (WORDS, GONE):
        for words in ("Eve met Omar", "Eve", ["Eve"], {"Eve": "met"}, 7, True):
            assert not accepted(kind, left | {name: words})[0], words
            assert rule == WORDS or not accepted(kind, left | {name: words})[1], words
    if rule == DESPITE:
        assert accepted(kind, left | {name: {"despite": ["weekly_limit"]}})[0] is False
        assert accepted(kind, left | {name: {"profile_url": "Eve"}}) == (False, False)
    assert accepted(kind, left | {"another": ""}) == (False, False)
    without = {key: value for key, value in left.items() if key != name}
    assert not accepted(kind, without)[0]
    assert not (rules_of(kind)[name].required and accepted(kind, without)[1])


@pytest.mark.parametrize("kind", sorted(FACTS.keys() - set(ERASED_KINDS)))
def test_of_what_has_no_words_nothing_is_erased(kind: str) -> None:
    assert not may_remain(kind, canonical(written(kind)))


@given(payloads(), ERASURES, ERASURES)
def test_whatever_two_erasures_leave_together_is_a_reduction(
    payload: str, first_erasure: tuple[frozenset[int], bool], second_erasure: tuple[frozenset[int], bool]
) -> None:
    ids = ("art-1",)
    first, second = erased(payload, *first_erasure), erased(payload, *second_erasure)
    both = lesser(first, second)
    for left in (first, second, both):
        assert is_reduction(left, payload, ids)
        assert is_audit_reduction(left, payload)
    assert is_reduction(both, first, ids)
    assert keeps_states(first, second)


def test_two_erasures_of_one_entry_agree_on_its_state() -> None:
    first, other = canonical({"status": "sent", "said": ""}), canonical({"status": "not_sent", "said": ""})
    assert keeps_states(first, first)
    assert not keeps_states(first, other)
    assert not keeps_states(first, canonical({"said": ""}))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a":NaN}'])
def test_what_is_no_payload_is_no_reduction(text: str) -> None:
    assert not is_reduction(text, '{"a":1}', ())
    assert not is_audit_reduction(text, '{"a":1}')
