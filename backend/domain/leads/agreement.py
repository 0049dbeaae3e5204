"""How far the scoring agrees with the order in which the user puts people (SC-005), and weights that would agree better.

Whole numbers only, no clock and no chance, so that the same rounds give the same answer on every machine.
"""

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, cycle
from typing import Literal, NamedTuple

from backend.domain.model.criteria import Criterion, LeadFields, criterion_scorer
from backend.domain.model.scoring import TOTAL_WEIGHT, Blueprint, scorer
from backend.domain.reports.insight import Interval, wilson_interval

DEALT = 10
"""People in a round."""
FEWEST_DEALT = 3
ROUNDS = 20
"""Rounds that count, the latest."""
GOAL = 0.8
"""The share of pairs on which scoring and user should agree (SC-005)."""
FEWEST_ROUNDS = 2
FEWEST_PAIRS = 40
"""Pairs that the criteria tell apart, below which no weights are suggested."""


class Dealable(NamedTuple):
    """Somebody who may be dealt: what the criteria see of them."""

    id: str
    fields: LeadFields


class Pair(NamedTuple):
    """Two people of one round; the user put `first` before `second`."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Pairs that the scoring puts in the user's order, in the other order, and to which it gives the same score."""

    agree: int = 0
    disagree: int = 0
    same: int = 0

    @property
    def ordered(self) -> int:
        """The pairs of which the scoring says who comes first."""
        return self.agree + self.disagree

    @property
    def share(self) -> float | None:
        """The part of the ordered pairs that agrees; None without any."""
        return self.agree / self.ordered if self.ordered else None

    @property
    def interval(self) -> Interval:
        """Where the true share lies with 95 % confidence, were the pairs independent of each other."""
        return wilson_interval(self.agree, self.ordered)

    @property
    def tau(self) -> float | None:
        """Kendall's tau-b: 1 for the same order, -1 for the opposite one; None when the scoring tells nobody apart."""
        pairs = self.ordered + self.same
        return (self.agree - self.disagree) / math.sqrt(pairs * self.ordered) if self.ordered else None

    @property
    def _merit(self) -> int:
        return 2 * self.agree + self.same  # who has the same score is right half of the time


@dataclass(frozen=True, slots=True)
class WeightSuggestion:
    """Weights that would agree better, in the order of the criteria; none unless `status` is `better`.

    `before` and `after` were counted on pairs that had no part in finding the weights.
    """

    status: Literal["few", "one_criterion", "no_better", "better"]
    pairs: int
    weights: tuple[int, ...] = ()
    before: Agreement = Agreement()
    after: Agreement = Agreement()


def deal(seed: str, blueprint: Blueprint, leads: Sequence[Dealable], seen: Collection[str] = ()) -> tuple[str, ...]:
    """At most ten of the leads for the user to put in order, whose scores and reasons are spread; shuffled.

    The same seed and leads give the same deal, whatever the order of `leads`; who was `seen` comes only when nobody else is left.
    Empty with fewer than three leads.
    """
    if len(leads) < FEWEST_DEALT:
        return ()
    points, ids_by_points = _points(blueprint.criteria, blueprint.reference_date), dict[tuple[int, ...], list[str]]()
    unseen_leads = [lead for lead in leads if lead.id not in seen]
    for lead in unseen_leads if len(unseen_leads) >= min(DEALT, len(leads)) else leads:
        ids_by_points.setdefault(points(lead.fields), []).append(lead.id)
    groups = [
        sorted(ids, key=lambda id_: _chance(seed, id_)) for _, ids in sorted(ids_by_points.items(), key=_by_score)
    ]
    bands = min(DEALT, len(groups))
    dealt = []
    for band in range(bands):
        band_groups = groups[band * len(groups) // bands : (band + 1) * len(groups) // bands]
        dealt.append(min(band_groups, key=lambda ids: _chance(seed, ids[0])).pop(0))
    remaining_groups = cycle(groups)
    while len(dealt) < DEALT and any(groups):
        if ids := next(remaining_groups):
            dealt.append(ids.pop(0))
    return tuple(sorted(dealt, key=lambda id_: _chance(f"{seed}:order", id_)))


def _by_score(group: tuple[tuple[int, ...], list[str]]) -> tuple[int, tuple[int, ...]]:
    return sum(group[0]), group[0]


def _chance(seed: str, id_: str) -> bytes:
    return hashlib.sha256(f"{seed}:{id_}".encode()).digest()


def pairs_of(order: Sequence[str]) -> list[Pair]:
    """Every pair of a round; `order` has the first first."""
    return [Pair(first, second) for first, second in combinations(order, 2)]


def agreement(blueprint: Blueprint, people: Mapping[str, LeadFields], pairs: Iterable[Pair]) -> Agreement:
    """How many of these pairs the blueprint puts in the user's order."""
    score = scorer(blueprint)
    scores = {id_: score(fields) for id_, fields in people.items()}
    agree = disagree = same = 0
    for first, second in pairs:
        gap = scores[first] - scores[second]
        agree, disagree, same = agree + (gap > 0), disagree + (gap < 0), same + (gap == 0)
    return Agreement(agree, disagree, same)


def disagreements(
    blueprint: Blueprint, people: Mapping[str, LeadFields], pairs: Iterable[Pair], most: int
) -> list[Pair]:
    """The pairs that the blueprint puts the other way round, the widest gap in score first; each pair once."""
    score = scorer(blueprint)
    scores = {id_: score(fields) for id_, fields in people.items()}
    wrong = {pair: scores[pair.second] - scores[pair.first] for pair in pairs}
    return sorted((pair for pair, gap in wrong.items() if gap > 0), key=lambda pair: (-wrong[pair], pair))[:most]


def suggest_weights(
    blueprint: Blueprint, people: Mapping[str, LeadFields], rounds: Sequence[Sequence[str]]
) -> WeightSuggestion:
    """Weights for the same criteria that agree better with these rounds, tried on each round without that round's help."""
    points = _points(
        [criterion.model_copy(update={"weight": TOTAL_WEIGHT}) for criterion in blueprint.criteria],
        blueprint.reference_date,
    )
    points_by_lead = {id_: points(fields) for id_, fields in people.items()}
    informative_rounds = [
        [pair for pair in pairs_of(order) if points_by_lead[pair.first] != points_by_lead[pair.second]]
        for order in rounds
    ]
    pairs = sum(map(len, informative_rounds))
    if len(blueprint.criteria) < 2:  # noqa: PLR2004 - one weight is always 100
        return WeightSuggestion("one_criterion", pairs)
    if sum(map(bool, informative_rounds)) < FEWEST_ROUNDS or pairs < FEWEST_PAIRS:
        return WeightSuggestion("few", pairs)
    before, after = Agreement(), Agreement()
    for held_out_index, held_out in enumerate(informative_rounds):
        held_out_pairs = {frozenset(pair) for pair in held_out}
        other_pairs = [
            pair
            for index, group in enumerate(informative_rounds)
            if index != held_out_index
            for pair in group
            if {*pair} not in held_out_pairs
        ]
        fitted = with_weights(blueprint, _fit(blueprint, points_by_lead, other_pairs))
        before = _sum(before, agreement(blueprint, people, held_out))
        after = _sum(after, agreement(fitted, people, held_out))
    everything = [pair for group in informative_rounds for pair in group]
    weights = _fit(blueprint, points_by_lead, everything)
    better = after._merit > before._merit and weights != tuple(criterion.weight for criterion in blueprint.criteria)
    return WeightSuggestion("better" if better else "no_better", pairs, weights if better else (), before, after)


def with_weights(blueprint: Blueprint, weights: Sequence[int]) -> Blueprint:
    """The blueprint with other weights."""
    weighed = zip(blueprint.criteria, weights, strict=True)
    return blueprint.model_copy(
        update={"criteria": tuple(criterion.model_copy(update={"weight": weight}) for criterion, weight in weighed)}
    )


_MARGIN = 3 * TOTAL_WEIGHT
"""How far apart two people should be, in hundredths of a point: three points."""
_STEPS = (16, 8, 4, 2, 1)


def _fit(blueprint: Blueprint, points_by_lead: Mapping[str, tuple[int, ...]], pairs: Sequence[Pair]) -> tuple[int, ...]:
    """Weights near those in force that put the pairs in order, by moving points from one criterion to another.

    A pair that is not clearly in the user's order costs what is missing, and so does each point that is moved: weights
    about which the pairs say nothing stay as they are.
    """
    initial_weights = [criterion.weight for criterion in blueprint.criteria]
    point_gaps = [
        [a - b for a, b in zip(points_by_lead[first], points_by_lead[second], strict=True)] for first, second in pairs
    ]
    weights = list(initial_weights)
    gaps = [sum(map(int.__mul__, weights, point_gap)) for point_gap in point_gaps]
    moves = [(giver, taker) for giver in range(len(weights)) for taker in range(len(weights)) if giver != taker]
    moved = {move: [point_gap[move[1]] - point_gap[move[0]] for point_gap in point_gaps] for move in moves}
    cost = sum(max(0, _MARGIN - gap) for gap in gaps)
    for step in _STEPS:
        improved = True
        while improved:
            improved = False
            for move in moves:
                giver, taker = move
                if weights[giver] - step < 1:
                    continue
                new_gaps = [gap + step * change for gap, change in zip(gaps, moved[move], strict=True)]
                new_weights = list(weights)
                new_weights[giver], new_weights[taker] = new_weights[giver] - step, new_weights[taker] + step
                distance = len(pairs) * _distance(new_weights, initial_weights)
                costs = sum(_MARGIN - gap for gap in new_gaps if gap < _MARGIN) + distance
                if costs < cost:
                    weights, gaps, cost, improved = new_weights, new_gaps, costs, True
    return tuple(weights)


def _distance(weights: Sequence[int], initial_weights: Sequence[int]) -> int:
    return sum(abs(weight - initial_weight) for weight, initial_weight in zip(weights, initial_weights, strict=True))


def _sum(first: Agreement, second: Agreement) -> Agreement:
    return Agreement(first.agree + second.agree, first.disagree + second.disagree, first.same + second.same)


def _points(criteria: Sequence[Criterion], reference_date: str) -> Callable[[LeadFields], tuple[int, ...]]:
    """What each criterion gives a lead."""
    judges = [criterion_scorer(criterion, reference_date) for criterion in criteria]
    return lambda lead: tuple(judged(lead)[0] for judged in judges)
