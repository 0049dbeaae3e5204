"""`python -m tests.simulation --seed S [--days 60] [--devices 2] [--faults kill,sleep] [--json]`: one world, told as a story."""

import argparse
import json
import sys
import time

from tests.simulation.world import KINDS, Plan, simulate


def main() -> int:
    """0 if no rule was broken, 1 if one was."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--seeds", type=int, default=1, help="so many worlds, from that seed on")
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--faults", help=f"comma-separated, of: {', '.join(KINDS)}; the seed's choice if left out")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    faults = None if given.faults is None else frozenset(filter(None, given.faults.split(",")))
    broken = 0
    for seed in range(given.seed, given.seed + given.seeds):
        began = time.perf_counter()
        outcome = simulate(Plan(seed, given.days, given.devices, faults))
        broken += bool(outcome.violation)
        told = {
            "seed": seed, "days": round(outcome.days, 1), "faults": dict(sorted(outcome.faults.items())),
            "delivered": outcome.delivered, "switches": outcome.switches, "digest": outcome.digest,
            "violation": outcome.violation,
        }  # fmt: skip
        if not given.json and given.seeds == 1:
            print("\n".join(outcome.story))
        print(json.dumps(told) if given.json else f"{told} {time.perf_counter() - began:.2f} s")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
