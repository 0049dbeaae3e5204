"""What another blueprint would do to the ranking: who rises, who falls, and how the scores are spread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.domain.model.criteria import LeadFields
from backend.domain.model.scoring import Blueprint, scorer

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
    """The difference that `after` makes. A spread is the number of leads in each band of scores."""

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
    ranked_before, ranked_after = _ranked(before, leads), _ranked(after, leads)
    ranked_leads = [
        RankedLead(lead.id, lead.name, lead.override is not None, *_scores(ranked_before, ranked_after, lead.id))
        for lead in leads
    ]
    moved = [lead for lead in ranked_leads if lead.rank_before != lead.rank_after]
    by_rise = sorted(moved, key=lambda lead: (lead.rank_after - lead.rank_before, lead.id))
    return RankingChange(
        leads=len(leads),
        rising=sum(lead.rank_after < lead.rank_before for lead in moved),
        falling=sum(lead.rank_after > lead.rank_before for lead in moved),
        spread_before=_spread([lead.score_before for lead in ranked_leads]),
        spread_after=_spread([lead.score_after for lead in ranked_leads]),
        top_before=tuple(sorted(ranked_leads, key=lambda lead: lead.rank_before)[:TOP]),
        top_after=tuple(sorted(ranked_leads, key=lambda lead: lead.rank_after)[:TOP]),
        risers=tuple(lead for lead in by_rise[:5] if lead.rank_after < lead.rank_before),
        fallers=tuple(lead for lead in reversed(by_rise[-5:]) if lead.rank_after > lead.rank_before),
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
    ranked_before: dict[str, tuple[int, int]], ranked_after: dict[str, tuple[int, int]], lead_id: str
) -> tuple[int, int, int, int]:
    (score_before, rank_before), (score_after, rank_after) = ranked_before[lead_id], ranked_after[lead_id]
    return score_before, score_after, rank_before, rank_after


def _spread(scores: list[int]) -> tuple[int, ...]:
    bands = [0] * BANDS
    for score in scores:
        bands[min(score * BANDS // 100, BANDS - 1)] += 1
    return tuple(bands)
