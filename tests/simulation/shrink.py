"""From a world in which a rule was broken to the smallest one near it in which some rule still is."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.simulation.world import Outcome, Plan, simulate

MOST_TRIES = 150


def shrink(plan: Plan, live: Callable[[Plan], Outcome] = simulate, most: int = MOST_TRIES) -> tuple[Plan, Outcome]:
    """The smallest plan found with so many tries, and what came of it; the plan itself if nothing smaller is broken."""
    best, outcome = plan, live(plan)
    left = most
    while outcome.violation:
        for smaller in _smaller(best, outcome):
            if left == 0:
                return best, outcome
            left -= 1
            tried = live(smaller)
            if tried.violation:
                best, outcome = smaller, tried
                break
        else:
            break
    return best, outcome


def _smaller(plan: Plan, outcome: Outcome) -> Iterator[Plan]:
    """The boldest cuts first."""
    kinds = frozenset(outcome.kinds)
    for kind in sorted(kinds):
        yield replace(plan, faults=kinds - {kind})
    if plan.days > (days := max(1, math.ceil(outcome.days))):
        yield replace(plan, days=days)
    for fewer in range(1, plan.devices):
        yield replace(plan, devices=fewer)
    for fewer in range(1, plan.people):
        yield replace(plan, people=fewer)
    happened = [number for number in range(1, outcome.happened + 1) if number not in plan.without]
    size = len(happened) // 2
    while size:
        for first in range(0, len(happened), size):
            yield replace(plan, without=plan.without | frozenset(happened[first : first + size]))
        size //= 2
