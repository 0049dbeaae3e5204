"""The effect of another blueprint: ranks as the planner takes them, whoever comes in whatever order."""

import random

from hypothesis import given
from hypothesis import strategies as st

from backend.domain.leads.ranking import Candidate, compare_rankings
from backend.domain.model.criteria import Complete, Criterion
from backend.domain.model.scoring import Blueprint
from tests.domain.blueprint_samples import LEADS, blueprints

_CANDIDATES = st.lists(
    st.builds(
        Candidate,
        id=st.uuids().map(str),
        name=st.just("Ada"),
        override=st.none() | st.integers(0, 100),
        updated_at=st.integers(0, 2),
        position=st.integers(0, 3),
        fields=LEADS,
    ),
    max_size=30,
    unique_by=lambda lead: lead.id,
)


def filled(field: str) -> Blueprint:
    return Blueprint(criteria=(Criterion(name=field, weight=100, rule=Complete(fields=(field,))),))


@given(blueprints(), blueprints(), _CANDIDATES, st.randoms())
def test_the_effect_is_of_the_leads_and_not_of_their_order(
    before: Blueprint, after: Blueprint, leads: list[Candidate], chance: random.Random
) -> None:
    comparison = compare_rankings(before, after, leads)
    assert sum(comparison.spread_before) == sum(comparison.spread_after) == comparison.leads == len(leads)
    assert comparison.rising + comparison.falling <= len(leads)
    assert bool(comparison.rising) == bool(comparison.falling)
    assert [place.rank_after for place in comparison.top_after] == list(range(1, len(comparison.top_after) + 1))
    chance.shuffle(leads)
    assert compare_rankings(before, after, leads) == comparison


@given(blueprints(), _CANDIDATES)
def test_the_same_blueprint_moves_nobody(blueprint: Blueprint, leads: list[Candidate]) -> None:
    comparison = compare_rankings(blueprint, blueprint, leads)
    assert (comparison.rising, comparison.falling, comparison.risers, comparison.fallers) == (0, 0, (), ())


def test_priorities_by_hand_win_and_ties_go_to_the_latest_profile_then_the_order_of_import() -> None:
    leads = [
        Candidate("a", "Ada", None, 0, 1, {"company": "x"}),
        Candidate("b", "Ben", None, 5, 2, {"email": "y"}),
        Candidate("c", "Cara", 101, 0, 3, {}),
        Candidate("d", "Dan", None, 5, 0, {"email": "y"}),
    ]
    comparison = compare_rankings(filled("company"), filled("email"), leads)
    assert [place.name for place in comparison.top_before] == ["Cara", "Ada", "Dan", "Ben"]
    assert [place.name for place in comparison.top_after] == ["Cara", "Dan", "Ben", "Ada"]
    assert [place.name for place in comparison.risers] == ["Ben", "Dan"]
    assert [(place.name, place.rank_before, place.rank_after) for place in comparison.fallers] == [("Ada", 2, 4)]
    assert comparison.spread_after == (2, 0, 0, 0, 0, 0, 0, 0, 0, 2)
