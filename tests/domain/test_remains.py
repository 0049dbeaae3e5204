"""What remains of an entry that several erasures reduced."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backend.domain.erasure.erasure import ERASED, without_campaign, without_words
from backend.domain.erasure.mentions import Mentions, PersonNames, mention_pattern, payload_without_mentions
from backend.domain.erasure.remains import is_reduction, least_remains, leaves_no_more, lesser
from backend.domain.values.canonical_json import canonical

NAMES = ["Omar Haddad", "Lena von Berg", "Zoë O'Neill", 'Ann "Annie" Lee', "Kim, Min-Ji"]
PEOPLE = [
    PersonNames(name, f"p{n}@example.com", f"https://example.com/in/p{n}-x", f"example.com/in/p{n}-x")
    for n, name in enumerate(NAMES)
]


def texts() -> st.SearchStrategy[str]:
    mentions = [text for person in PEOPLE for text in person[:3]]
    between = [
        " met ",
        "\n",
        "\t",
        "; (",
        "), ",
        '"',
        "\\",
        "/",
        "C:\\new ",
        " é ",
        "{",
        "}",
        ": ",
        "**",
        "\u2028",
        "'s ",
    ]
    return st.lists(st.sampled_from([*mentions, *between]), max_size=9).map("".join)


def tables() -> st.SearchStrategy[str]:
    """A script's answer in JSON: rows of texts, as lists or with names, and what may stand within them."""
    cells = st.one_of(texts(), st.integers(), st.none(), st.dictionaries(texts(), texts(), max_size=1))
    rows = st.one_of(st.lists(cells, max_size=3), st.dictionaries(texts(), cells, max_size=3))
    return st.lists(rows, max_size=3).map(lambda result: json.dumps({"script_sha256": "ab" * 32, "result": result}))


def payloads() -> st.SearchStrategy[str]:
    """What an entry may say: texts, texts in JSON, JSON in a text."""
    artifact = st.fixed_dictionaries(
        {
            "artifact_key": st.one_of(st.just("notes"), texts()),
            "content": st.one_of(texts(), tables(), st.dictionaries(texts(), texts(), max_size=2).map(json.dumps)),
            "sha256": st.just("ab" * 32),
            "bytes": st.integers(0, 9_999),
            "in_file": st.sampled_from([0, 1]),
            "version": st.just(1),
            "payload": st.dictionaries(texts(), st.one_of(texts(), st.integers(), st.none()), max_size=2),
        }
    )
    return artifact.map(canonical)


def erased(payload: str, people: frozenset[int], deleted: bool) -> str:
    """What an erasure of these people leaves, or of the campaign."""
    pattern = mention_pattern([PEOPLE[number] for number in people])
    left = payload_without_mentions(pattern, "art-1", payload) if pattern else None
    left = payload if left is None else left
    return without_campaign("artifact", "art-1", json.loads(left)) if deleted else left


NOTHING, OMAR = (frozenset[int](), False), (frozenset({0}), False)
ERASURES = st.tuples(st.frozensets(st.integers(0, len(PEOPLE) - 1)), st.booleans())


@given(payloads(), st.lists(ERASURES, min_size=3, max_size=3))
def test_the_order_of_erasures_does_not_matter(payload: str, erasures: list[tuple[frozenset[int], bool]]) -> None:
    first, second, third = (erased(payload, *erasure) for erasure in erasures)
    assert lesser(first, second) == lesser(second, first)
    assert lesser(lesser(first, second), third) == lesser(first, lesser(second, third))
    assert lesser(first, first) == first
    assert lesser(lesser(first, second), second) == lesser(first, second)


@given(st.lists(payloads(), min_size=3, max_size=3))
def test_the_order_does_not_matter_even_where_the_remains_are_of_different_entries(remains: list[str]) -> None:
    first, second, third = remains
    assert lesser(first, second) == lesser(second, first)
    assert lesser(lesser(first, second), third) == lesser(first, lesser(second, third))
    assert json.loads(lesser(first, second)).keys() == json.loads(first).keys() & json.loads(second).keys()


@given(payloads(), ERASURES, ERASURES)
@example(canonical({"payload": {"Omar Haddad": None, "p0@example.com": None}}), NOTHING, OMAR)
def test_what_remains_names_nobody_whom_either_erased(
    payload: str, first_erasure: tuple[frozenset[int], bool], second_erasure: tuple[frozenset[int], bool]
) -> None:
    remains = lesser(erased(payload, *first_erasure), erased(payload, *second_erasure))
    pattern = mention_pattern([PEOPLE[number] for number in first_erasure[0] | second_erasure[0]])
    assert pattern is None or payload_without_mentions(pattern, "art-1", remains) is None


@given(payloads(), ERASURES)
def test_what_an_erasure_leaves_of_json_is_json_and_no_more_than_was_there(
    payload: str, erasure: tuple[frozenset[int], bool]
) -> None:
    left = erased(payload, *erasure)
    if not erasure[1]:
        assert is_reduction(left, payload, {"art-1"})
    before, after = (json.loads(text)["content"] for text in (payload, left))
    if not erasure[1] and before[:1] == "{" and _is_json(before):
        assert _is_json(after)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ([["Omar Haddad", "Plumber", 7], ["Lena von Berg", "Baker", 9]], [["", "", 7], ["Lena von Berg", "Baker", 9]]),
        ([{"who": "Omar Haddad", "title": "Plumber", "extra": {"Met at": "a fair"}, "score": 7}, {"who": "x"}],
         [{"who": "", "title": "", "extra": {"Met at": ""}, "score": 7}, {"who": "x"}]),
        ({"best": {"who": "p0@example.com", "title": "Plumber"}, "of": "all"}, {"best": {"who": "", "title": ""}, "of": "all"}),
        ("Omar Haddad is a plumber", " is a plumber"),
        ({"Rome": [{"id": 1, "note": "saw Omar Haddad\nthere"}], "Ulm": ["x"]}, {"Rome": [{"id": 1, "note": ""}], "Ulm": ["x"]}),
    ],
)  # fmt: skip
def test_of_a_table_a_row_that_names_somebody_loses_all_its_words(answer: Any, left: Any) -> None:
    def spread(value: Any) -> Any:
        """Without the marks: how many there are follows from the words."""
        match value:
            case str():
                return value.replace("(erased) (erased)", "").replace("(erased)", "").strip(" \n@.") or ""
            case list():
                return [spread(element) for element in value]
            case dict():
                return {name: spread(element) for name, element in value.items()}
        return value

    content = json.dumps({"script_sha256": "ab" * 32, "result": answer})
    remains = erased(canonical({"content": content}), *OMAR)
    after = json.loads(json.loads(remains)["content"])
    assert after["script_sha256"] == "ab" * 32, "where the answer is from stays"
    assert spread(after["result"]) == (left.strip() if isinstance(left, str) else left)


def test_of_a_text_only_the_words_stay_that_both_left() -> None:
    first, second = (
        canonical({"content": text})
        for text in ("Omar met (erased) Berg in Rome", "(erased) met Lena (erased) in Rome")
    )
    assert json.loads(lesser(first, second))["content"] == "(erased) met (erased) (erased) in Rome"


@pytest.mark.parametrize(
    ("left", "before"),
    [
        ("", "some words"), ("(erased)", "some words"), ([], ["a", "b"]), ({}, {"a": "b"}), (None, 20240101), (0, 1),
        ({"who": "(erased) likes tea"}, {"who": "Omar likes tea"}), ("[]", '["a"]'), ("{}", '{"a":1}'),
    ],
)  # fmt: skip
def test_nothing_that_was_taken_comes_back(left: Any, before: Any) -> None:
    less, more = canonical({"value": left, "id": 1}), canonical({"value": before, "id": 1})
    assert lesser(less, more) == lesser(more, less) == less
    assert leaves_no_more(less, more)
    assert not leaves_no_more(more, less)


def test_a_person_who_is_erased_stays_known_as_erased_in_a_campaign_that_is_deleted() -> None:
    lead = {"full_name": "Omar Haddad", "member_key": "example.com/in/omar", "email": ""}
    person, campaign = without_words("lead", "lead-1", lead), without_campaign("lead", "lead-1", lead)
    assert json.loads(least_remains([("d", campaign), ("d", person)])["d"])["member_key"] == "erased-lead-1"


@pytest.mark.parametrize("text", [None, 1, "no json", "[]", "1"])
def test_what_is_no_payload_leaves_no_less_than_anything(text: object) -> None:
    assert not leaves_no_more(text, "{}")


def test_only_a_group_called_by_a_value_of_the_person_loses_its_name_whatever_else_stands_there() -> None:
    rows = [{"value": "Elm"}, {"value": "ELM", "contacted": 1}, {"value": "Elms"}, {"value": 1}, {}, "Elm", None]
    payload = canonical({"payload": {"kind": "rates", "field": "Company", "rows": rows}})
    nobody = Mentions([])
    left = payload_without_mentions(nobody, "", payload, values={"elm"})
    assert left is not None
    gone = [{"value": ERASED}, {"value": ERASED, "contacted": 1}, *rows[2:]]
    assert json.loads(left)["payload"] == {"kind": "rates", "field": "Company", "rows": gone}
    assert payload_without_mentions(nobody, "", payload, values={"oak"}) is None
