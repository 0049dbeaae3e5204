"""`python -m tests.simulation --seed S [--days 60] [--devices 2] [--faults kill,sleep] [--json]`: one world, told as a story."""

import argparse
import json
import math
import sys
import time
from collections import Counter

from tests.simulation import kept_seeds
from tests.simulation.shrink import shrink
from tests.simulation.world import KINDS, Outcome, Plan, simulate


def main() -> int:
    """0 if no rule was broken, 1 if one was."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seeds", type=int, default=1, help="so many worlds, from that seed on")
    parser.add_argument("--minutes", type=float, help="begin no further world after so long")
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--people", type=int, default=4, help="at most so many")
    parser.add_argument("--faults", help=f"comma-separated, of: {', '.join(KINDS)}; the seed's choice if left out")
    parser.add_argument("--without", help="comma-separated numbers of what does not go wrong")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--shrink", action="store_true", help="look for a smaller world in which a rule is broken")
    parser.add_argument("--keep", help="write the world down in seeds/ under this name")
    given = parser.parse_args()
    faults = None if given.faults is None else frozenset(filter(None, given.faults.split(",")))
    without = frozenset(map(int, filter(None, (given.without or "").split(","))))
    lived, days, broken, faults_of = 0, 0.0, 0, Counter[str]()
    end = math.inf if given.minutes is None else time.monotonic() + given.minutes * 60
    for seed in range(given.seed, given.seed + given.seeds):
        if time.monotonic() > end:
            break
        began = time.process_time()
        plan = Plan(seed, given.days, given.devices, given.people, faults, without)
        plan, outcome = shrink(plan) if given.shrink else (plan, simulate(plan))
        lived, days, broken = lived + 1, days + outcome.days, broken + bool(outcome.violation)
        faults_of.update(outcome.faults)
        if given.keep:
            kept_seeds.keep(given.keep, plan, outcome.violation)
        if not given.json and (given.seeds == 1 or outcome.violation):
            print("\n".join(outcome.story))
        told = summary(plan, outcome)
        print(json.dumps(told) if given.json else f"{told} {time.process_time() - began:.2f} s")
    if given.seeds > 1 and not given.json:
        print(
            f"{lived} worlds, {days:.0f} days, {broken} broken, {faults_of.total()} faults: {dict(faults_of.most_common())}"
        )
    return 1 if broken else 0


def summary(plan: Plan, outcome: Outcome) -> dict[str, object]:
    """A world in one line; nothing in it depends on the machine."""
    return {
        "seed": plan.seed,
        "days": round(outcome.days, 1),
        "faults": {kind: times for kind, times in sorted(outcome.faults.items()) if times},
        "delivered": outcome.delivered,
        "switches": outcome.switches,
        "digest": outcome.digest,
        "violation": outcome.violation,
        "command": plan.command,
    }


if __name__ == "__main__":
    sys.exit(main())
