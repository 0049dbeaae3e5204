"""`python -m tests.simulation --seed S [--days 60] [--devices 2] [--faults kill,sleep] [--long] [--postgres] [--json]`:
a world, as a story."""

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.simulation import kept_seeds
from tests.simulation.long_world import LongWorld
from tests.simulation.shrink import shrink
from tests.simulation.world import KINDS, Outcome, Plan, World, simulate

USUAL, LONG = (20, 2, 4), (180, 1, 10_000)
"""Days, devices, people."""
MOST_LINES = 2_000
"""Of a story."""


def main() -> int:
    """0 if no rule was broken, 1 if one was."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1, help="so many worlds, from that seed on")
    parser.add_argument("--minutes", type=float, help="begin no further world after so long")
    parser.add_argument("--days", type=int, help="20 if left out; with --long 180")
    parser.add_argument("--devices", type=int, help="2 if left out; with --long there is one")
    parser.add_argument("--people", type=int, help="at most so many: 4 if left out; with --long all of 10,000")
    parser.add_argument(
        "--long", action="store_true", help="half a year with thousands of people and a user at work daily"
    )
    parser.add_argument(
        "--postgres",
        action="store_true",
        help="beside the shared store in memory a real one, which must answer the same",
    )
    parser.add_argument("--faults", help=f"comma-separated, of: {', '.join(KINDS)}; the seed's choice if left out")
    parser.add_argument("--without", help="comma-separated numbers of what does not go wrong")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--shrink", action="store_true", help="look for a smaller world in which a rule is broken")
    parser.add_argument("--keep", help="write the world down in seeds/ under this name")
    options = parser.parse_args()
    if options.long and options.postgres:
        parser.error("--long has one device and no shared store")
    size = LONG if options.long else USUAL
    days_planned, devices, people = (
        usual if value is None else value
        for value, usual in zip((options.days, options.devices, options.people), size, strict=True)
    )
    faults = None if options.faults is None else frozenset(filter(None, options.faults.split(",")))
    without = frozenset(map(int, filter(None, (options.without or "").split(","))))
    lived, days, broken, faults_of = 0, 0.0, 0, Counter[str]()
    end = math.inf if options.minutes is None else time.monotonic() + options.minutes * 60
    with kind_of_world(long=options.long, postgres=options.postgres) as kind:
        live = partial(simulate, kind=kind)
        for seed in range(options.seed, options.seed + options.seeds):
            if time.monotonic() > end:
                break
            began = time.process_time()
            plan = Plan(seed, days_planned, devices, people, faults, without)
            plan, outcome = shrink(plan, live) if options.shrink else (plan, live(plan))
            lived, days, broken = lived + 1, days + outcome.days, broken + bool(outcome.violation)
            faults_of.update(outcome.faults)
            if options.keep:
                chosen = replace(plan, faults=frozenset(outcome.kinds))  # or a new kind would make another world of it
                kept_seeds.keep(options.keep, chosen, outcome.violation)
            if not options.json and (options.seeds == 1 or outcome.violation):
                print("\n".join(outcome.story[-MOST_LINES:]))
            result = summary(plan, outcome)
            result["command"] = plan.command + " --long" * options.long + " --postgres" * options.postgres
            print(json.dumps(result) if options.json else f"{result} {time.process_time() - began:.2f} s")
    if options.seeds > 1 and not options.json:
        print(
            f"{lived} worlds, {days:.0f} days, {broken} broken, {faults_of.total()} faults: {dict(faults_of.most_common())}"
        )
    return 1 if broken else 0


@contextmanager
def kind_of_world(*, long: bool, postgres: bool) -> Iterator[Callable[[Plan, Path], World]]:
    """What makes such worlds; with a PostgreSQL server that runs as long as the block."""
    if not postgres:
        yield LongWorld if long else World
        return
    from tests.postgres import running  # noqa: PLC0415 - its libraries are loaded where they are asked for
    from tests.simulation.postgres_world import PostgresWorld  # noqa: PLC0415

    with running(17) as server:
        yield partial(PostgresWorld, server=server)


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
