"""Blueprints and leads of every shape, for properties."""

from typing import Any

from hypothesis import strategies as st

from backend.domain.model.criteria import Between, Complete, Criterion, Keywords, OneOf, Recent, Rule
from backend.domain.model.scoring import Blueprint

FIELDS = ("job_title", "company", "headline", "email", "connected_on", "company_size", "länge")
WORDS = st.sampled_from(["CTO", "head of data", "fintech", "c++", "ß", "İ", "x", "51", "Payments & more"])
VALUES = (
    WORDS
    | st.text(max_size=30)
    | st.sampled_from(["51-200", "10,001+", "1.5k", "over 500 people", "2024-02-29", "15 Mar 2024", "2026-13-45", "-5", "up to 10"])
)  # fmt: skip
LEADS = st.dictionaries(st.sampled_from(FIELDS), VALUES)
_FIELD = st.sampled_from(FIELDS)
_FIELDS = st.lists(_FIELD, min_size=1, max_size=4).map(tuple)
_WORDS = st.lists(WORDS, min_size=1, max_size=5).map(tuple)


def _between(bounds: tuple[int | None, int | None], field: str) -> Between:
    low, high = bounds
    if low is not None and high is not None and low > high:
        low, high = high, low
    return Between(field=field, low=low, high=high)


_BOUND = st.integers(0, 20_000)
RULES: st.SearchStrategy[Rule] = st.one_of(
    st.builds(
        Keywords,
        fields=_FIELDS,
        match=st.sampled_from(["any", "all"]),
        words=_WORDS,
        partly=st.lists(WORDS, max_size=3).map(tuple),
        part=st.integers(1, 99),
    ),
    st.builds(_between, st.tuples(_BOUND, _BOUND | st.none()) | st.tuples(st.none(), _BOUND), _FIELD),
    st.builds(Recent, field=_FIELD, half_life_days=st.integers(1, 3_650)),
    st.builds(Complete, fields=_FIELDS),
    st.builds(OneOf, field=_FIELD, values=_WORDS),
)


@st.composite
def blueprints(draw: Any) -> Blueprint:
    """Any blueprint: its weights come to 100."""
    rules = draw(st.lists(RULES, min_size=1, max_size=8))
    cuts = sorted(draw(st.sets(st.integers(1, 99), min_size=len(rules) - 1, max_size=len(rules) - 1)))
    weights = [high - low for low, high in zip([0, *cuts], [*cuts, 100], strict=True)]
    name = st.text(st.characters(min_codepoint=65, max_codepoint=90), min_size=1, max_size=10)
    criteria = [
        Criterion(name=draw(name), weight=weight, rule=rule) for weight, rule in zip(weights, rules, strict=True)
    ]
    return Blueprint(criteria=tuple(criteria), version=draw(st.integers(1, 9)), reference_date="2026-06-01")
