"""What each kind of rule gives and says, and what it makes of values as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from backend.domain.model.criteria import (
    PRESETS,
    Between,
    Complete,
    Criterion,
    Keywords,
    NumberRange,
    OneOf,
    Recent,
    Rule,
    criterion_scorer,
    decayed,
    described,
    field_key,
    parse_day,
    parse_range,
)

TITLES = Keywords(fields=("job_title",), words=("CTO", "chief technology officer"), partly=("engineer",), part=25)
BOTH = Keywords(fields=("job_title", "company"), match="all", words=("cto", "bank"))
SIZE = Between(field="company_size", low=50, high=500)


def found(rule: Rule, **lead: str) -> tuple[int, str]:
    return criterion_scorer(Criterion(name="x", weight=40, rule=rule), "2026-06-01")(lead)


@pytest.mark.parametrize(
    ("rule", "lead", "points", "why"),
    [
        (TITLES, {"job_title": "Co-founder & cto"}, 40, "title contains “cto”"),
        (TITLES, {"job_title": "Chief  Technology-Officer"}, 40, "title contains “chief technology officer”"),
        (TITLES, {"job_title": "Software Engineer"}, 10, "title contains “engineer”"),
        (TITLES, {"job_title": "Doctor"}, 0, "title: none of the words"),
        (TITLES, {"job_title": ""}, 0, "title: no value"),
        (TITLES, {}, 0, "title: no value"),
        (BOTH, {"job_title": "CTO", "company": "First Bank"}, 40, "title or company: all of “cto”, “bank”"),
        (BOTH, {"job_title": "CTO", "company": "Acme"}, 0, "title or company: not all of the words"),
        (Keywords(fields=("job_title",), words=("c++",)), {"job_title": "C developer"}, 0, "title: none of the words"),
        (Keywords(fields=("job_title",), words=("c++",)), {"job_title": "C++ developer"}, 40, "title contains “c++”"),
        (Keywords(fields=("job_title",), words=("straße",)), {"job_title": "STRASSE 1"}, 40, "title contains “strasse”"),
        (SIZE, {"company_size": "51-200"}, 40, "company size 51-200 is within 50 to 500"),
        (SIZE, {"company_size": "201\u20131,000 people"}, 20, "company size 201\u20131,000 people is partly within 50 to 500"),
        (SIZE, {"company_size": "10,001+"}, 0, "company size 10,001+ is not within 50 to 500"),
        (SIZE, {"company_size": "many"}, 0, "company size “many” states no number"),
        (SIZE, {}, 0, "company size: no value"),
        (Between(field="n", low=1_000), {"n": "over 2k"}, 40, "n over 2k is at least 1,000"),
        (Between(field="n", high=10), {"n": "up to 10"}, 40, "n up to 10 is at most 10"),
        (Recent(field="d", half_life_days=30), {"d": "2026-06-01"}, 40, "d 2026-06-01 is not before 2026-06-01"),
        (Recent(field="d", half_life_days=30), {"d": "2026-05-02"}, 20, "d 2026-05-02, 30 days ago"),
        (Recent(field="d", half_life_days=30), {"d": "2 Apr 2026"}, 10, "d 2 Apr 2026, 2 months ago"),
        (Recent(field="d", half_life_days=30), {"d": "lately"}, 0, "d “lately” is not a date"),
        (Recent(field="d", half_life_days=30), {"d": "date unknown"}, 0, "d, date unknown"),
        (Complete(fields=("a", "b", "c")), {"a": "1", "c": "2"}, 27, "2 of 3 filled in, no b"),
        (Complete(fields=("a",)), {"a": "1"}, 40, "a is filled in"),
        (OneOf(field="country", values=("Germany", "Austria")), {"country": " germany "}, 40, "country is “Germany”"),
        (OneOf(field="country", values=("Germany",)), {"country": "East Germany"}, 0, "country is “East Germany”"),
    ],
)  # fmt: skip
def test_a_rule_gives_its_points_and_says_why(rule: Rule, lead: dict[str, str], points: int, why: str) -> None:
    assert found(rule, **lead) == (points, why)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("51-200", NumberRange(51, 200)), ("200-51", NumberRange(51, 200)), ("10,001+", NumberRange(10_001, None)),
        ("1 to 9", NumberRange(1, 9)),
        ("1.500", NumberRange(1_500, 1_500)), ("1.5k", NumberRange(1_500, 1_500)), ("2M", NumberRange(2_000_000, 2_000_000)),
        ("5 members", NumberRange(5, 5)), ("3.5", NumberRange(3, 3)), ("under 10", NumberRange(0, 10)),
        (">500", NumberRange(500, None)),
        ("200employees", NumberRange(200, 200)), ("none", None), ("", None), ("v2", None), ("12'345", NumberRange(12_345, 12_345)),
    ],
)  # fmt: skip
def test_numbers_are_read_as_people_write_them(text: str, means: NumberRange | None) -> None:
    assert parse_range(text) == means


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_of_numbers_and_days(text: str) -> None:
    stated = parse_range(text)
    assert stated is None or stated.high is None or 0 <= stated.low <= stated.high
    number = parse_day(text)
    assert number is None or number > 0


@given(st.integers(1, 100), st.integers(0, 10_000), st.integers(1, 3_650))
def test_what_is_older_never_earns_more(weight: int, age: int, half_life: int) -> None:
    assert 0 <= decayed(weight, age + 1, half_life) <= decayed(weight, age, half_life) <= weight
    assert abs(2 * decayed(weight, half_life, half_life) - weight) <= 1


def test_a_column_is_known_by_one_name_however_it_is_written() -> None:
    assert {field_key(name) for name in ("Company Size", "company_size", " COMPANY  size!")} == {"company_size"}
    assert field_key("???") == ""


@pytest.mark.parametrize(
    "rule",
    [
        {"rule": "keywords", "fields": ["a"], "words": []},
        {"rule": "keywords", "fields": ["a"], "words": ["..."]},
        {"rule": "keywords", "fields": [], "words": ["a"]},
        {"rule": "keywords", "fields": ["a b"], "words": ["a"]},
        {"rule": "range", "field": "a", "low": None, "high": None},
        {"rule": "range", "field": "a", "low": 2, "high": 1},
        {"rule": "recency", "field": "a", "half_life_days": 0},
        {"rule": "script", "code": "1"},
    ],
)
def test_a_rule_that_means_nothing_is_refused(rule: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Criterion.model_validate({"name": "x", "weight": 1, "rule": rule}, strict=False)


def test_the_presets_are_the_four_kinds_of_the_spec_and_say_what_they_ask() -> None:
    assert [preset.name for preset in PRESETS] == [
        "Job title relevance", "Company size", "Recent activity", "Profile completeness",
    ]  # fmt: skip
    assert sum(preset.weight for preset in PRESETS) == 100
    assert described(TITLES) == "title contains any of “CTO”, “chief technology officer”; 25 % for “engineer”"
    assert described(SIZE) == "company size is within 50 to 500"
    assert described(PRESETS[2].rule) == "connected is recent (half the points for every 180 days)"
    assert described(OneOf(field="a", values=("x", "y"))) == "a is “x” or “y”"
