"""`python -m tests.mutants --seed 1 --sample 100`: which wrong versions of the rule-bearing modules do the tests notice?

Each is tried in a process of its own, forked from one that has imported everything. What is not in a function is not tried,
and programs that a test starts have the right version.
"""

import argparse
import importlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from types import CodeType

import pytest
from coverage.numbits import numbits_to_nums

from tests import posix
from tests.mutants.mutations import Mutant, Mutation, mutant, mutations, put_in_place

ROOT = Path(__file__).parents[2]
WORK = ROOT / ".mutants"
COVERAGE = WORK / "coverage"
RULES = (
    "backend/domain",
    "backend/store/log",
    "backend/store/replication",
    "backend/situation",
    "backend/turn",
    "backend/commands",
    "backend/runtime/sync",
    "backend/adapters/credentials",
    "backend/adapters/egress_guard.py",
    "backend/api/server/auth.py",
    "backend/api/server/launch_token.py",
    "backend/api/server/pairing.py",
)
TESTS = (
    "tests/domain",
    "tests/store",
    "tests/turn",
    "tests/commands",
    *(f"tests/runtime/sync/test_{name}.py" for name in ("engine", "acting", "engine_faults", "file_transfer", "pages")),
    "tests/runtime/sync/test_another_machine.py",
    "tests/runtime/test_campaign_runner.py",
    "tests/runtime/assistant",
    "tests/adapters/credentials",
    "tests/adapters/outgoing/test_calls.py",
    "tests/api/test_artifacts.py",
    "tests/api/test_auth.py",
    "tests/api/test_files.py",
    "tests/api/test_pairing.py",
)
"""The quick tests of these rules."""
OTHER_PROCESSES = ("*/test_kill.py", "*/test_canaries.py")
"""Tests that take long and whose programs coverage does not follow: they are not asked."""
HARMLESS = Path(__file__).with_name("harmless.toml")
MOST_TESTS = 120
UNTRIED = "UNTRIED"
"""Said of a wrong version that is in no function, or with which pytest itself could not go on: it proves nothing."""
PROCESSOR_SECONDS, A_TEST = 300, 600
"""A wrong version that never ends is noticed by the processor's time; a test that waits too long proves nothing."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One wrong version of a file."""

    path: str
    line: int
    mutant: Mutant

    @property
    def place(self) -> str:
        """Where a reader finds it."""
        return f"{self.path}:{self.line}: {self.mutant.change}"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if enough of the sample is noticed, those that are excused by name left out; 1 if not."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which sample is drawn")
    parser.add_argument("--sample", type=int, default=100, help="how many wrong versions are tried")
    parser.add_argument("--only", default="", help="paths that contain this")
    parser.add_argument("--least", type=float, default=90.0, help="per cent that must be noticed")
    parser.add_argument("--beside", type=int, default=os.cpu_count() or 1, help="how many are tried beside each other")
    parser.add_argument("--fresh", action="store_true", help="ask again which tests run which lines")
    parser.add_argument("--json", action="store_true", help="the result as one JSON object")
    options = parser.parse_args(arguments)
    if options.fresh or not COVERAGE.exists():
        measure_coverage(TESTS)
    trials = sample(options.only, options.seed, options.sample)
    excused = tomllib.loads(HARMLESS.read_text("utf-8"))
    import_all(test for trial in trials for test in tests_of(trial))
    results = try_all(trials, options.beside)
    trials = [trial for trial in trials if results[trial] != UNTRIED]
    missed = [trial for trial in trials if not results[trial]]
    harmless = [trial for trial in missed if trial.mutant.change in excused.get(trial.path, {})]
    noticed, counted = len(trials) - len(missed), len(trials) - len(harmless)
    share = 100.0 * noticed / max(1, counted)
    missed_places = [trial.place for trial in missed if trial not in harmless]
    result = {"tried": len(trials), "harmless": len(harmless), "noticed": noticed, "percent": round(share, 1)}
    if options.json:
        print(json.dumps({**result, "missed": missed_places}, ensure_ascii=False))
    else:
        print(*missed_places, f"{noticed} of {counted} noticed ({share:.1f} %)", sep="\n")
    return 0 if share >= options.least else 1


def sample(only: str, seed: int, size: int) -> list[Trial]:
    """So many wrong versions of lines that some test runs, drawn by the seed."""
    all_ = [
        (path, mutation)
        for path in _files()
        if only in path
        for mutation in mutations_in(path)
        if mutation.line in covered_lines(COVERAGE).get(path, {})
    ]
    drawn = random.Random(seed).sample(all_, min(size, len(all_)))
    return [trial_of(path, mutation) for path, mutation in sorted(drawn, key=lambda pair: (pair[0], pair[1].line))]


def trial_of(path: str, mutation: Mutation) -> Trial:
    """The file with that mistake."""
    return Trial(path, mutation.line, mutant(_source(path), str(ROOT / path), mutation))


@cache
def mutations_in(path: str) -> Sequence[Mutation]:
    """Every small mistake that can be made in this file."""
    return list(mutations(_source(path)))


def _source(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


# --- trying them ---


def try_all(trials: Sequence[Trial], beside: int, tests: Sequence[str] | None = None) -> dict[Trial, str]:
    """The test that noticed each; empty if none did. A test that fails in the right version, too, notices nothing.

    Asked are these tests, or those that run the line.
    """
    posix.needed()
    results: dict[Trial, str] = {}
    under_way: dict[int, Trial] = {}
    for trial in [*trials, *[None] * beside]:
        if len(under_way) == beside or trial is None:
            if not under_way:
                break
            pid, status = os.wait()
            ended = under_way.pop(pid)
            results[ended] = "never ends" if os.WTERMSIG(status) == signal.SIGXCPU else _result(pid)
            print(f"{results[ended] or 'MISSED'}  {ended.place}", file=sys.stderr, flush=True)
        if trial is not None:
            under_way[_in_a_child(trial.mutant.code, tests_of(trial) if tests is None else tests)] = trial
    pid = _in_a_child(None, sorted({test for test in results.values() if "::" in test}))
    os.waitpid(pid, 0)
    if unfair := _result(pid):
        raise SystemExit(f"{unfair} fails in the right version, too")
    return results


@cache
def tests_of(trial: Trial) -> list[str]:
    """Those that are asked about it: the file's own first, then one of each other file in turn, which runs the least lines."""
    asked: list[tuple[int, int, str]] = []
    own = f"test_{Path(trial.path).name}"
    tests = sorted(
        covered_lines(COVERAGE)[trial.path][trial.line], key=lambda test: (test.partition("::")[0], lines_run()[test])
    )
    for file, of_a_file in groupby(tests, key=lambda test: test.partition("::")[0]):
        first = Path(file).name == own
        asked += [(-1 if first else turn, lines_run()[test], test) for turn, test in enumerate(of_a_file)]
    return [test for _, _, test in sorted(asked)][:MOST_TESTS]


def _in_a_child(code: CodeType | None, tests: Sequence[str]) -> int:
    """Run these tests in a process that has imported everything already and differs only in that code."""
    posix.needed()
    if pid := os.fork():
        return pid
    import resource  # noqa: PLC0415 - of POSIX

    os.nice(1)
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 1))
    pid, failed = os.getpid(), list[str]()
    with (WORK / f"said-{pid}").open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        in_place = code is None or put_in_place(code)
        options = ["-xq", "-Wignore::pytest.PytestAssertRewriteWarning", "-pno:cacheprovider", "-pno:xdist"]
        options += [f"--timeout={A_TEST}", "--timeout-method=thread", f"--basetemp={WORK}/tests-{pid}"]
        ended = pytest.main([*options, *tests], plugins=[_Failures(failed)]) if tests else 0
        if not in_place or ended not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            failed.insert(0, UNTRIED)
        (WORK / f"result-{pid}").write_text(failed[0] if failed else "", "utf-8")
        shutil.rmtree(WORK / f"tests-{pid}", ignore_errors=True)
        os._exit(0)


def _result(pid: int) -> str:
    result_file = WORK / f"result-{pid}"
    return result_file.read_text("utf-8") if result_file.exists() else UNTRIED


@dataclass(frozen=True, slots=True, eq=False)
class _Failures:
    """Hears which tests fail."""

    heard: list[str]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.heard.append(report.nodeid.partition("[")[0])


def import_all(tests: Iterable[str]) -> None:
    """Every module of the rules, and of these tests; first what gives them no time limit of their own."""
    importlib.import_module("tests.conftest")
    for name in [*_files(), *sorted({test.partition("::")[0] for test in tests})]:
        importlib.import_module(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))


# --- which tests run which lines ---


def measure_coverage(tests: Iterable[str], data_file: Path = COVERAGE) -> None:
    """Run these tests once and keep which of them ran which line."""
    WORK.mkdir(exist_ok=True)
    settings = WORK / "coveragerc"
    settings.write_text(f"[run]\nsource = backend\ndata_file = {data_file}\n", "utf-8")
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", "-q", "-p", "no:xdist"]
    command += [
        "-p",
        "tests.mutants.contexts",
        "-m",
        "not endurance and not worlds and not packaged and not small_model",
        *tests,
    ]
    command += [f"--ignore-glob={left_out}" for left_out in OTHER_PROCESSES]
    subprocess.run(command, cwd=ROOT, check=True)


@cache
def covered_lines(data_file: Path) -> dict[str, dict[int, list[str]]]:
    """Of each file: each line that is run within a test, and the tests that do."""
    tests_by_line: dict[str, dict[int, list[str]]] = {}
    for path, test, lines in _runs(data_file):
        for line in lines:
            tests_by_line.setdefault(path, {}).setdefault(line, []).append(test)
    return tests_by_line


@cache
def lines_run() -> Counter[str]:
    """How many lines each test runs."""
    return Counter(test for _, test, lines in _runs(COVERAGE) for _ in lines)


def _runs(data_file: Path) -> Iterator[tuple[str, str, list[int]]]:
    with sqlite3.connect(data_file) as connection:
        rows = connection.execute(
            "SELECT file.path, context.context, numbits FROM line_bits"
            " JOIN file ON file.id = file_id JOIN context ON context.id = context_id WHERE context <> ''"
        ).fetchall()
    for path, test, bits in rows:
        yield Path(path).relative_to(ROOT).as_posix(), test, numbits_to_nums(bits)


def _files() -> Iterable[str]:
    places = [ROOT / name for name in RULES]
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*.py"))]
    return sorted(file.relative_to(ROOT).as_posix() for file in files)


if __name__ == "__main__":
    sys.exit(main())
