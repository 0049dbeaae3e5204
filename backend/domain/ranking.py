"""What another blueprint would do to the ranking: who rises, who falls, and how the scores are spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.criteria import LeadFields
from backend.domain.scoring import Blueprint, scorer

TOP = 10
BANDS = 10
"""Scores 0 to 9, 10 to 19, … 90 to 100."""


class Candidate(NamedTuple):
    """A lead as it is ranked: a priority set by hand wins, ties go to the most recently updated profile, then the order of
    import, then the id."""

    id: str
    name: str
    override: int | None
    updated_at: int
    position: int
    fields: LeadFields


class RankedLead(NamedTuple):
    """A lead's score and rank (from 1), by the one blueprint and by the other."""

    id: str
    name: str
    manual: bool
    score_before: int
    score_after: int
    rank_before: int
    rank_after: int


@dataclass(frozen=True, slots=True)
class RankingChange:
    """The difference that `after` makes. `spread` are the numbers of leads in each band of scores."""

    leads: int
    rising: int
    falling: int
    spread_before: tuple[int, ...]
    spread_after: tuple[int, ...]
    top_before: tuple[RankedLead, ...]
    top_after: tuple[RankedLead, ...]
    risers: tuple[RankedLead, ...]
    fallers: tuple[RankedLead, ...]


def compare_rankings(before: Blueprint, after: Blueprint, leads: Sequence[Candidate]) -> RankingChange:
    """Both blueprints on the same leads; the order of `leads` does not matter."""
    first, then = _ranked(before, leads), _ranked(after, leads)
    places = [
        RankedLead(lead.id, lead.name, lead.override is not None, *_scores(first, then, lead.id)) for lead in leads
    ]
    moved = [place for place in places if place.rank_before != place.rank_after]
    by_rise = sorted(moved, key=lambda place: (place.rank_after - place.rank_before, place.id))
    return RankingChange(
        leads=len(leads),
        rising=sum(place.rank_after < place.rank_before for place in moved),
        falling=sum(place.rank_after > place.rank_before for place in moved),
        spread_before=_spread([place.score_before for place in places]),
        spread_after=_spread([place.score_after for place in places]),
        top_before=tuple(sorted(places, key=lambda place: place.rank_before)[:TOP]),
        top_after=tuple(sorted(places, key=lambda place: place.rank_after)[:TOP]),
        risers=tuple(place for place in by_rise[:5] if place.rank_after < place.rank_before),
        fallers=tuple(place for place in reversed(by_rise[-5:]) if place.rank_after > place.rank_before),
    )


def _ranked(blueprint: Blueprint, leads: Sequence[Candidate]) -> dict[str, tuple[int, int]]:
    """Lead -> (score, rank)."""
    score = scorer(blueprint)
    scores = {lead.id: score(lead.fields) for lead in leads}
    order = sorted(
        leads,
        key=lambda lead: (
            -(scores[lead.id] if lead.override is None else lead.override),
            -lead.updated_at,
            lead.position,
            lead.id,
        ),
    )
    return {lead.id: (scores[lead.id], rank) for rank, lead in enumerate(order, 1)}


def _scores(
    first: dict[str, tuple[int, int]], then: dict[str, tuple[int, int]], lead_id: str
) -> tuple[int, int, int, int]:
    (score_before, rank_before), (score_after, rank_after) = first[lead_id], then[lead_id]
    return score_before, score_after, rank_before, rank_after


def _spread(scores: list[int]) -> tuple[int, ...]:
    bands = [0] * BANDS
    for score in scores:
        bands[min(score * BANDS // 100, BANDS - 1)] += 1
    return tuple(bands)
