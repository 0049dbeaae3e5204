"""`python -m tests.simulation.coverage [--seeds 300]`: what of turn, runtime and store the worlds reach, by folder and module."""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

import coverage

ROOT = Path(__file__).parents[2]
FOLDERS = ("backend/turn", "backend/runtime", "backend/store")
DAYS, PEOPLE = 6, 2
CANNOT_RUN = {
    "backend/runtime/machine_info.py": "asks the machine, its browsers and its keychain",
    "backend/runtime/run/rehearsal.py": "most of it starts the practice network as a process, by a clock that jumps",
}
"""Modules that no world can run, each with why; they count in the first figure alone."""


def main() -> int:
    """Live through the worlds of `make test` and tell how much of each module they reach; 1 if a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.coverage", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--lines", action="store_true", help="and which lines they do not")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = coverage.Coverage(
            data_file=str(Path(folder) / "data"),
            branch=True,
            concurrency="greenlet",
            source=[str(ROOT / name) for name in FOLDERS],
        )
        measured.start()
        broken = live(options.seed, options.seeds)
        measured.stop()
        tell(measured, lines=options.lines)
    return 1 if broken else 0


def live(first: int, seeds: int) -> int:
    """How many of these worlds broke a rule."""
    from tests.simulation.world import Plan, simulate  # noqa: PLC0415 - what is imported before is not measured

    broken = 0
    for seed in range(first, first + seeds):
        outcome = simulate(Plan(seed, DAYS, 1 + seed % 2, people=PEOPLE))
        if outcome.violation:
            print(f"seed {seed}: {outcome.violation}")
            broken += 1
    return broken


def tell(measured: coverage.Coverage, *, lines: bool) -> None:
    """A line for each module, and the sums."""
    of, reached = Counter[str](), Counter[str]()
    left_out, reached_there = 0, 0
    for file in sorted(measured.get_data().measured_files()):
        numbers = measured._analyze(file).numbers
        name = str(Path(file).relative_to(ROOT))
        whole = numbers.n_statements + numbers.n_branches
        got = numbers.n_executed + numbers.n_executed_branches
        if not whole:
            continue
        folder = next(prefix for prefix in FOLDERS if name.startswith(prefix))
        of[folder] += whole
        reached[folder] += got
        if name in CANNOT_RUN:
            left_out, reached_there = left_out + whole, reached_there + got
        missing = f"  {measured.analysis2(file)[4]}" if lines else ""
        print(f"{100 * got / whole:5.1f} %  {whole - got:4} missing  {name}{missing}")
    for folder in FOLDERS:
        print(f"{100 * reached[folder] / of[folder]:5.1f} %  {folder}")
    print(f"{100 * reached.total() / of.total():5.1f} %  in all")
    within = 100 * (reached.total() - reached_there) / (of.total() - left_out)
    print(f"{within:5.1f} %  without {len(CANNOT_RUN)} modules that no world can run:")
    for name, why in CANNOT_RUN.items():
        print(f"         {name}: {why}")


if __name__ == "__main__":
    sys.exit(main())
