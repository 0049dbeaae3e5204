"""The same blueprint and the same lead give the same score, and its reasons add up to it."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.scoring import DEFAULT_BLUEPRINT, Blueprint, Criterion, score

FIELDS = ("job_title", "company", "location", "email", "headline")
_WORDS = st.sampled_from(["founder", "head", "data", "x", "ß", "İ"])


@st.composite
def blueprints(draw: Callable[..., Any]) -> Blueprint:
    criteria = [
        Criterion(
            field=draw(st.sampled_from(FIELDS)),
            words=tuple(draw(st.lists(_WORDS, max_size=4))),
            weight=draw(st.integers(1, 100)),
            reason=draw(st.text(min_size=1, max_size=20)),
        )
        for _ in range(draw(st.integers(1, 8)))
    ]
    return Blueprint(criteria=tuple(criteria))


_LEADS = st.dictionaries(st.sampled_from(FIELDS), _WORDS | st.text(max_size=20))


@given(blueprints(), _LEADS)
def test_a_score_lies_between_0_and_100_and_is_the_share_of_the_weights_in_its_reasons(
    blueprint: Blueprint, lead: dict[str, str]
) -> None:
    points, reasons = score(blueprint, lead)
    earned = sum(int(reason.split(" ", 1)[0]) for reason in reasons)
    total = sum(criterion.weight for criterion in blueprint.criteria)
    assert 0 <= points <= 100
    assert abs(points - 100 * earned / total) <= 0.5
    assert all(reason.startswith("+") for reason in reasons)


@given(blueprints(), _LEADS)
def test_a_score_is_reproduced_from_the_blueprint_as_it_was_saved(blueprint: Blueprint, lead: dict[str, str]) -> None:
    saved = Blueprint.model_validate_json(blueprint.model_dump_json())
    assert saved == blueprint
    assert score(saved, dict(reversed(lead.items()))) == score(blueprint, lead)


@given(blueprints(), _LEADS)
def test_each_reason_is_a_criterion_that_the_lead_meets(blueprint: Blueprint, lead: dict[str, str]) -> None:
    _, reasons = score(blueprint, lead)
    met = [
        f"+{c.weight} {c.reason}"
        for c in blueprint.criteria
        if lead.get(c.field) and (not c.words or [w for w in c.words if lead[c.field].casefold().count(w.casefold())])
    ]
    assert list(reasons) == met


@given(blueprints(), _LEADS, st.sampled_from(FIELDS))
def test_a_lead_never_loses_points_by_filling_an_empty_field(
    blueprint: Blueprint, lead: dict[str, str], field: str
) -> None:
    empty = {name: value for name, value in lead.items() if name != field}
    assert score(blueprint, {**empty, field: "head of data"})[0] >= score(blueprint, empty)[0]


@pytest.mark.parametrize(
    ("lead", "points", "reasons"),
    [
        ({}, 0, ()),
        (
            {"job_title": "Founder & Product Lead", "company": "Engines", "email": "a@b.test"},
            100,
            ("+50 decides", "+25 works close to the subject", "+15 company known", "+10 profile complete"),
        ),
        ({"job_title": "CTO"}, 50, ("+50 decides",)),
        (
            {"job_title": "Software Engineer", "company": "Engines"},
            40,
            ("+25 works close to the subject", "+15 company known"),
        ),
        ({"job_title": "Baker", "email": "a@b.test"}, 10, ("+10 profile complete",)),
    ],
)
def test_the_default_blueprint_scores_as_documented(
    lead: dict[str, str], points: int, reasons: tuple[str, ...]
) -> None:
    assert score(DEFAULT_BLUEPRINT, lead) == (points, reasons)


def test_a_word_meets_whatever_its_case_in_the_lead_and_in_the_blueprint() -> None:
    blueprint = Blueprint(criteria=(Criterion(field="job_title", words=("CEO",), weight=1, reason="decides"),))
    assert score(blueprint, {"job_title": "ceo"}) == (100, ("+1 decides",))
    assert score(blueprint, {"job_title": "CEO"}) == (100, ("+1 decides",))


def test_a_blueprint_has_at_least_one_criterion_and_only_positive_weights() -> None:
    with pytest.raises(ValueError, match="criteria"):
        Blueprint(criteria=())
    for weight in (0, -1, 101, "1", 1.0, True):
        with pytest.raises(ValueError, match="weight"):
            Criterion(field="company", weight=weight, reason="r")  # type: ignore[arg-type]
