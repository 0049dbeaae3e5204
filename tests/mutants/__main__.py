"""`python -m tests.mutants --seed 1 --sample 100`: which wrong versions of the rule-bearing modules do the tests notice?"""

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutations import Mutant, mutants

ROOT = Path(__file__).parents[2]
WORK = ROOT / ".mutants"
RULES = (
    "backend/domain",
    "backend/store/log",
    "backend/store/replication",
    "backend/turn",
    "backend/commands",
    "backend/runtime/sync",
    "backend/adapters/credentials",
)
TESTS = (
    "tests/domain",
    "tests/store",
    "tests/turn",
    "tests/commands",
    "tests/runtime",
    "tests/adapters",
    "tests/replay",
)
HARMLESS = Path(__file__).with_name("harmless.toml")
MOST_TESTS = 30
PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Trial:
    """One wrong version of a file."""

    path: str
    mutant: Mutant

    @property
    def place(self) -> str:
        """Where a reader finds it."""
        return f"{self.path}:{self.mutant.line}: {self.mutant.change}"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if enough of the sample is noticed, or excused by name; 1 if not."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which sample is drawn")
    parser.add_argument("--sample", type=int, default=100, help="how many wrong versions are tried")
    parser.add_argument("--only", default="", help="paths that contain this")
    parser.add_argument("--least", type=float, default=90.0, help="per cent that must be noticed")
    parser.add_argument("--fresh", action="store_true", help="ask again which tests run which lines")
    parser.add_argument("--json", action="store_true", help="the result as one JSON object")
    given = parser.parse_args(arguments)
    if given.fresh or not _coverage().exists():
        measure_coverage()
    trials = sample(given.only, given.seed, given.sample)
    excused = tomllib.loads(HARMLESS.read_text("utf-8"))
    with ThreadPoolExecutor(os.cpu_count()) as beside:
        noticed = list(beside.map(is_noticed, trials))
    missed = [trial for trial, seen in zip(trials, noticed, strict=True) if not seen]
    open_ = [trial.place for trial in missed if trial.mutant.change not in excused.get(trial.path, {})]
    share = 100.0 * sum(noticed) / max(1, len(trials))
    result = {"tried": len(trials), "noticed": sum(noticed), "percent": round(share, 1), "unexplained": open_}
    print(
        json.dumps(result)
        if given.json
        else "\n".join([*open_, f"{sum(noticed)} of {len(trials)} noticed ({share:.0f} %)"])
    )
    return 0 if share >= given.least and not open_ else 1


def sample(only: str, seed: int, size: int) -> list[Trial]:
    """So many wrong versions of lines that some test runs, drawn by the seed."""
    lines = covered_lines()
    all_ = [
        Trial(path, mutant)
        for path in _files()
        if only in path
        for mutant in mutants((ROOT / path).read_text("utf-8"))
        if mutant.line in lines.get(path, {})
    ]
    return sorted(
        random.Random(seed).sample(all_, min(size, len(all_))), key=lambda trial: (trial.path, trial.mutant.line)
    )


def is_noticed(trial: Trial) -> bool:
    """Whether a test that runs this line fails, or never ends."""
    tests = covered_lines()[trial.path][trial.mutant.line][:MOST_TESTS]
    module = trial.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    with tempfile.TemporaryDirectory() as folder:
        wrong = Path(folder, "wrong.py")
        wrong.write_text(trial.mutant.source, "utf-8")
        pytest = [sys.executable, "-m", "pytest", "-p", "tests.mutants.plugin", "-x", "-q", "--no-header"]
        command = [*pytest, "-p", "no:cacheprovider", "-p", "no:xdist", f"--basetemp={folder}/tests", *tests]
        environment = {**os.environ, "OUTRIDER_MUTANT": f"{module}={wrong}"}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            return True
    return done.returncode != 0


# --- which tests run which lines ---


def measure_coverage() -> None:
    """Run the quick tests once and keep which of them ran which line."""
    WORK.mkdir(exist_ok=True)
    settings = WORK / "coveragerc"
    settings.write_text(
        f"[run]\ndynamic_context = test_function\nsource = backend\ndata_file = {_coverage()}\n", "utf-8"
    )
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", "-q", "-p", "no:xdist"]
    command += ["-m", "not endurance and not packaged and not small_model", *TESTS]
    subprocess.run(command, cwd=ROOT, check=True)


def _coverage() -> Path:
    return WORK / "coverage"


_LINES: dict[str, dict[int, list[str]]] = {}


def covered_lines() -> dict[str, dict[int, list[str]]]:
    """Of each file: each line that is run within a test, and the tests that do, those that run the least first."""
    if not _LINES:
        rows = list(_runs())
        weight: dict[str, int] = {}
        for _, test, lines in rows:
            weight[test] = weight.get(test, 0) + len(lines)
        for path, test, lines in sorted(rows, key=lambda row: weight[row[1]]):
            for line in lines:
                _LINES.setdefault(path, {}).setdefault(line, []).append(test)
    return _LINES


def _runs() -> Iterator[tuple[str, str, list[int]]]:
    from coverage.numbits import numbits_to_nums  # noqa: PLC0415 - only here, and not of every contributor's machine

    with sqlite3.connect(_coverage()) as connection:
        rows = connection.execute(
            "SELECT file.path, context.context, numbits FROM line_bits"
            " JOIN file ON file.id = file_id JOIN context ON context.id = context_id"
        ).fetchall()
    for path, context, bits in rows:
        if test := _test_id(context):
            yield Path(path).relative_to(ROOT).as_posix(), test, numbits_to_nums(bits)


def _test_id(context: str) -> str:
    """`tests.domain.test_gates.test_hours` as pytest names it; "" for what is no test function."""
    parts = context.split(".")
    for end in range(len(parts) - 1, 0, -1):
        file = Path(*parts[:end]).with_suffix(".py")
        if (ROOT / file).is_file():
            return "::".join([file.as_posix(), *parts[end:]])
    return ""


def _files() -> Iterable[str]:
    return sorted(path.relative_to(ROOT).as_posix() for folder in RULES for path in (ROOT / folder).rglob("*.py"))


if __name__ == "__main__":
    sys.exit(main())
