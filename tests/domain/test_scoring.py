"""The same blueprint and the same lead give the same score, on every machine, and its explanation adds up to it."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from backend.domain.model.campaign import Settings, read_settings
from backend.domain.model.criteria import Complete, Criterion, Keywords, Recent, criterion_scorer
from backend.domain.model.scoring import (
    DEFAULT_BLUEPRINT,
    Blueprint,
    CriterionScore,
    NewBlueprint,
    explain,
    in_force,
    problem_with,
    score,
    summary,
    weights,
)
from tests.domain.blueprint_samples import FIELDS, LEADS, RULES, blueprints

GOLDEN = Path(__file__).parent / "scores.json"
FILLED = Complete(fields=("company",))


@given(blueprints(), LEADS)
def test_a_score_lies_between_0_and_100_and_is_what_its_parts_add_up_to(
    blueprint: Blueprint, lead: dict[str, str]
) -> None:
    points, parts = score(blueprint, lead), explain(blueprint, lead)
    assert 0 <= points <= 100
    assert points == sum(part.points for part in parts)
    assert all(0 <= part.points <= part.criterion.weight and part.why for part in parts)
    assert [part.criterion for part in parts] == list(blueprint.criteria)


@given(blueprints(), LEADS)
def test_a_score_is_reproduced_from_the_blueprint_as_it_was_saved(blueprint: Blueprint, lead: dict[str, str]) -> None:
    saved = Blueprint.model_validate_json(blueprint.model_dump_json())
    assert saved == blueprint
    assert explain(saved, dict(reversed(lead.items()))) == explain(blueprint, lead)
    read_back = read_settings(Settings(blueprint=blueprint).model_dump_json())
    assert read_back.blueprint == blueprint


@given(blueprints(), LEADS, st.randoms())
def test_the_order_of_criteria_words_and_fields_does_not_matter(
    blueprint: Blueprint, lead: dict[str, str], chance: random.Random
) -> None:
    criteria = list(blueprint.criteria)
    chance.shuffle(criteria)
    turned = [
        criterion.model_copy(
            update={"rule": criterion.rule.model_copy(update={"words": tuple(reversed(criterion.rule.words))})}
        )
        if isinstance(criterion.rule, Keywords)
        else criterion
        for criterion in criteria
    ]
    assert score(blueprint.model_copy(update={"criteria": tuple(turned)}), lead) == score(blueprint, lead)


@given(RULES, LEADS, st.integers(1, 99))
def test_a_criterion_that_weighs_more_never_earns_less(rule: Keywords, lead: dict[str, str], weight: int) -> None:
    less, more = (
        criterion_scorer(Criterion(name="x", weight=w, rule=rule), "2026-06-01")(lead)[0] for w in (weight, weight + 1)
    )
    assert less <= more


@given(blueprints(), LEADS)
def test_a_field_that_no_criterion_asks_for_changes_nothing(blueprint: Blueprint, lead: dict[str, str]) -> None:
    asked = {name: value for name, value in lead.items() if name in blueprint.fields}
    assert score(blueprint, asked) == score(blueprint, lead)
    assert score(blueprint, dict.fromkeys(FIELDS, "")) == score(blueprint, {})


def golden() -> list[dict[str, object]]:
    """Blueprints and leads with their explanations, as they were when the file was made."""
    cases: list[dict[str, object]] = json.loads(GOLDEN.read_text("utf-8"))
    return cases


@pytest.mark.parametrize("case", golden(), ids=lambda case: str(case["name"]))
def test_scores_of_long_ago_are_reproduced_to_the_letter(case: dict[str, object]) -> None:
    blueprint = Blueprint.model_validate_json(json.dumps(case["blueprint"]))
    lead: dict[str, str] = case["lead"]  # type: ignore[assignment]
    assert score(blueprint, lead) == case["score"]
    assert [[part.points, part.why] for part in explain(blueprint, lead)] == case["parts"]


@pytest.mark.parametrize(
    ("lead", "points"),
    [
        ({"job_title": "Founder & CEO", "company": "Acme", "email": "a@b.c"}, 75),
        ({"job_title": "Head of Data", "company": "Acme"}, 90),
        ({"job_title": "Headhunter"}, 0),
        ({"job_title": "Software engineer", "email": "a@b.c"}, 35),
        ({}, 0),
    ],
)
def test_the_default_blueprint_scores_as_documented(lead: dict[str, str], points: int) -> None:
    assert score(DEFAULT_BLUEPRINT, lead) == points


@pytest.mark.parametrize("given_weights", [(50,), (60, 41), (1, 1)])
def test_weights_that_do_not_come_to_100_are_refused_with_their_sum(given_weights: tuple[int, ...]) -> None:
    blueprint = NewBlueprint(criteria=tuple(Criterion(name="x", weight=w, rule=FILLED) for w in given_weights))
    assert problem_with(blueprint, FIELDS) == ("blueprint_weights", {"sum": sum(given_weights)})
    with pytest.raises(ValidationError, match=f"amount to {sum(given_weights)}"):
        in_force(blueprint, 1, 0)


def test_a_field_that_no_lead_has_is_named_with_those_there_are() -> None:
    blueprint = NewBlueprint(criteria=(Criterion(name="x", weight=100, rule=Complete(fields=("shoe_size",))),))
    assert problem_with(blueprint, ("company", "email")) == (
        "blueprint_field_unknown",
        {"field": "shoe_size", "known": "company, email"},
    )
    assert problem_with(blueprint, None) is None


def test_a_blueprint_larger_than_a_campaigns_record_should_be_is_refused() -> None:
    words = tuple(f"{n:060}" for n in range(40))
    rule = Keywords(fields=("company",), words=words, partly=words)
    blueprint = NewBlueprint(criteria=tuple(Criterion(name="x", weight=20, rule=rule) for _ in range(5)))
    problem = problem_with(blueprint, FIELDS)
    assert problem is not None
    assert problem[0] == "blueprint_too_large"


def test_a_score_is_explained_by_the_reference_date_of_its_own_blueprint() -> None:
    recent = Criterion(name="x", weight=100, rule=Recent(field="d", half_life_days=30))
    blueprint = Blueprint(criteria=(recent,), reference_date="2026-06-01")
    lead = {"d": "2026-05-02"}
    assert explain(blueprint, lead) == (CriterionScore(recent, 50, "d 2026-05-02, 30 days ago"),)
    assert score(blueprint, lead) == 50


def test_the_reference_date_is_the_day_on_which_it_took_effect() -> None:
    assert in_force(DEFAULT_BLUEPRINT, 3, 1_780_315_200_000).reference_date == "2026-06-01"
    assert in_force(DEFAULT_BLUEPRINT, 3, 1_780_315_200_000).version == 3


def test_weights_are_named_even_when_two_criteria_share_a_name() -> None:
    twice = NewBlueprint(criteria=tuple(Criterion(name="x", weight=50, rule=FILLED) for _ in range(2)))
    assert weights(twice) == {"x": 50, "x (2)": 50}
    assert summary(twice)[0] == "50 · x: company filled in (points by share)"


# --- blueprints of before there were rules ---

_OLD = st.fixed_dictionaries(
    {
        "field": st.sampled_from(["job_title", "company", "location", "email", "headline"]),
        "words": st.lists(st.text(max_size=80), max_size=50),
        "weight": st.integers(1, 100),
        "reason": st.text(min_size=1, max_size=200),
    }
)


@pytest.mark.parametrize("text", ['{"criteria": []}', "[]", '{"criteria": [{"name": 1}]}', "{}"])
def test_what_is_no_blueprint_is_not_read_as_one(text: str) -> None:
    with pytest.raises(ValueError, match="Blueprint"):
        Blueprint.model_validate_json(text)


def test_a_count_in_a_reason_is_set_off_from_the_points() -> None:
    criterion = Criterion(name="Profile", weight=18, rule=Complete(fields=("company", "email")))
    reasons = {
        CriterionScore(criterion, *criterion_scorer(criterion, "2026-01-01")(lead)).reason
        for lead in ({}, {"company": "Fern"}, {"company": "Fern", "email": "a@b.example"})
    }
    assert reasons == {
        "+0: 0 of 2 filled in, no company, e-mail",
        "+9: 1 of 2 filled in, no e-mail",
        "+18 all filled in",
    }
