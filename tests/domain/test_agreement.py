"""Agreement of scoring and user: who is dealt, what is counted, and when other weights are suggested."""

import random
from itertools import combinations

import pytest

from backend.domain.leads.agreement import (
    Agreement,
    Dealable,
    agreement,
    deal,
    disagreements,
    pairs_of,
    suggest_weights,
    with_weights,
)
from backend.domain.model.criteria import Complete, Criterion, Keywords, LeadFields, OneOf
from backend.domain.model.scoring import Blueprint, score

BLUEPRINT = Blueprint(
    criteria=(
        Criterion(
            name="Founder", weight=10, rule=Keywords(fields=("job_title",), words=("founder",), partly=("head",))
        ),
        Criterion(name="Fintech", weight=20, rule=OneOf(field="industry", values=("fintech",))),
        Criterion(name="E-mail", weight=70, rule=Complete(fields=("email",))),
    )
)
WANTED = with_weights(BLUEPRINT, (65, 30, 5))
"""What the user goes by in truth."""


def lead(n: int) -> LeadFields:
    drawn = random.Random(n)
    return {
        "job_title": drawn.choice(("founder", "head of data", "analyst")),
        "industry": drawn.choice(("fintech", "food")),
        "email": drawn.choice(("a@example.org", "")),
    }


PEOPLE = {f"l{n:03}": lead(n) for n in range(200)}
LEADS = [Dealable(id_, fields) for id_, fields in PEOPLE.items()]


def ranked(ids: tuple[str, ...]) -> tuple[str, ...]:
    """As that user would."""
    return tuple(sorted(ids, key=lambda id_: (-score(WANTED, PEOPLE[id_]), id_)))


def rounds(count: int) -> list[tuple[str, ...]]:
    seen: set[str] = set()
    ranked_rounds = []
    for number in range(count):
        ids = deal(f"c:{number}", BLUEPRINT, LEADS, seen)
        seen |= set(ids)
        ranked_rounds.append(ranked(ids))
    return ranked_rounds


def test_a_deal_is_ten_people_whose_scores_are_spread_and_the_same_each_time() -> None:
    dealt = deal("c:1", BLUEPRINT, LEADS)
    assert len(set(dealt)) == 10
    assert dealt == deal("c:1", BLUEPRINT, LEADS[::-1])
    assert dealt != deal("c:2", BLUEPRINT, LEADS)
    scores = {score(BLUEPRINT, PEOPLE[id_]) for id_ in dealt}
    assert scores == {score(BLUEPRINT, fields) for fields in PEOPLE.values()} or len(scores) == 10
    assert [score(BLUEPRINT, PEOPLE[id_]) for id_ in dealt] != sorted(
        (score(BLUEPRINT, PEOPLE[id_]) for id_ in dealt), reverse=True
    ), "the order would tell the scores"


def test_who_was_seen_is_dealt_again_only_when_too_few_others_are_left() -> None:
    first = set(deal("c:1", BLUEPRINT, LEADS))
    assert not first & set(deal("c:2", BLUEPRINT, LEADS, first))
    few = LEADS[:12]
    again = deal("c:2", BLUEPRINT, few, deal("c:1", BLUEPRINT, few))
    assert len(set(again)) == 10
    assert len(deal("c:1", BLUEPRINT, LEADS[:4])) == 4
    assert deal("c:1", BLUEPRINT, LEADS[:2]) == ()


def test_pairs_are_counted_by_who_comes_first_and_by_who_has_the_same_score() -> None:
    people: dict[str, LeadFields] = {
        "best": {"email": "a", "industry": "fintech"},
        "same": {"email": "b"},
        "twin": {"email": "c"},
        "last": {},
    }
    counts = agreement(BLUEPRINT, people, pairs_of(("same", "best", "twin", "last")))
    assert counts == Agreement(agree=4, disagree=1, same=1)
    assert counts.share == 0.8
    assert counts.tau == pytest.approx((4 - 1) / (6 * 5) ** 0.5)
    assert counts.interval.low < 0.8 < counts.interval.high
    assert disagreements(BLUEPRINT, people, pairs_of(("same", "best", "twin", "last")), 5) == [("same", "best")]
    nobody = agreement(BLUEPRINT, people, pairs_of(("same", "twin")))
    assert (nobody.share, nobody.tau) == (None, None)


def test_taus_ends_are_the_same_order_and_the_opposite_one() -> None:
    ids = ("l000", "l001")
    apart = {"l000": {"email": "a"}, "l001": {}}
    assert agreement(BLUEPRINT, apart, pairs_of(ids)).tau == 1
    assert agreement(BLUEPRINT, apart, pairs_of(ids[::-1])).tau == -1


def test_suggested_weights_agree_with_rounds_that_had_no_part_in_finding_them() -> None:
    """SC-005: over 80 % of the pairs of a user who goes by something that the criteria can see."""
    suggestion = suggest_weights(BLUEPRINT, PEOPLE, rounds(4))
    assert suggestion.status == "better"
    assert sum(suggestion.weights) == 100
    assert min(suggestion.weights) >= 1
    assert suggestion.before.share is not None
    assert suggestion.after.share is not None
    assert suggestion.before.share < 0.8 < suggestion.after.share
    after = with_weights(BLUEPRINT, suggestion.weights)
    later = [pair for order in rounds(8)[4:] for pair in pairs_of(order)]
    share = agreement(after, PEOPLE, later).share
    assert share is not None
    assert share > 0.8
    assert suggestion == suggest_weights(BLUEPRINT, PEOPLE, rounds(4))


def test_nothing_is_suggested_from_too_little_or_when_nothing_agrees_better() -> None:
    assert suggest_weights(BLUEPRINT, PEOPLE, rounds(1)).status == "few"
    assert suggest_weights(BLUEPRINT, PEOPLE, [order[:4] for order in rounds(4)]).status == "few"
    assert suggest_weights(WANTED, PEOPLE, rounds(4)).status == "no_better"
    blueprint = Blueprint(criteria=(BLUEPRINT.criteria[2].model_copy(update={"weight": 100}),))
    assert suggest_weights(blueprint, PEOPLE, rounds(4)).status == "one_criterion"


def test_an_order_by_chance_is_followed_by_no_weights() -> None:
    """What fits the rounds that were seen and not the others is no suggestion."""
    by_chance = []
    for n, order in enumerate(rounds(4)):
        drawn = list(order)
        random.Random(n).shuffle(drawn)
        by_chance.append(tuple(drawn))
    suggestion = suggest_weights(BLUEPRINT, PEOPLE, by_chance)
    assert suggestion.after.share is not None
    assert suggestion.after.share < 0.65
    assert all(len(set(pair)) == 2 for order in by_chance for pair in combinations(order, 2))
