"""`python -m tests.mutants.rows`: does each row of docs/spec-coverage.md name a test that notices wrong versions of its rule?

Of the lines that a row's own tests run, those that share most words with its sentence stand nearest to it, and of these those
that the fewest other rows run. Small mistakes are made in them, one at a time, and only the row's tests are asked. A row none
of whose tests notices any is named: its tests are weak, or what it says stands in no line of its own.
"""

import argparse
import ast
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.mutants.__main__ import (
    UNTRIED,
    WORK,
    Trial,
    covered_lines,
    import_all,
    measure_coverage,
    mutations_in,
    trial_of,
    try_all,
)
from tests.repository.spec_coverage import PROOF, TABLE, Row, read_rows

COVERAGE = WORK / "coverage-of-rows"
ELSEWHERE = (
    "tests/e2e",
    "tests/bridge",
    "tests/simulation",
    "tests/bench",
    "tests/crash",
    "tests/supabase",
    "tests/cli",
)
"""What these prove happens in other processes, or in a browser: a wrong version in this one would prove nothing."""
ENOUGH = 2
"""So many mistakes that were noticed make a row sound."""


class Verdict(NamedTuple):
    """What came of one row: how many mistakes were tried, and how many its tests noticed."""

    row: Row
    tried: int
    noticed: int


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if the tests of every row that was tried noticed something; 1 if not."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.rows", description=__doc__)
    parser.add_argument("--only", default="", help="rows whose id begins with this")
    parser.add_argument("--seed", type=int, default=1, help="which mistakes are made")
    parser.add_argument("--tries", type=int, default=8, help="how many a row at most")
    parser.add_argument("--beside", type=int, default=os.cpu_count() or 1, help="how many are tried beside each other")
    parser.add_argument("--fresh", action="store_true", help="ask again which tests run which lines")
    options = parser.parse_args(arguments)
    rows = [row for row in read_rows(TABLE.read_text("utf-8"))[0] if tests_of(row)]
    if options.fresh or not COVERAGE.exists():
        measure_coverage(sorted({test for row in rows for test in tests_of(row)}), COVERAGE)
    chosen = [row for row in rows if row.id.startswith(options.only)]
    import_all(test for row in chosen for test in tests_of(row))
    verdicts = []
    for row in chosen:
        verdicts.append(verdict := judge(row, options.seed, options.tries, options.beside))
        print(f"{row.id}: {verdict.noticed} of {verdict.tried} noticed", flush=True)
    silent = [verdict.row.id for verdict in verdicts if verdict.tried and not verdict.noticed]
    untried = [verdict.row.id for verdict in verdicts if not verdict.tried]
    print(
        f"{len(verdicts)} rows; none noticed: {', '.join(silent) or 'none'}; nothing to try: {', '.join(untried) or 'none'}"
    )
    return 1 if silent else 0


def tests_of(row: Row) -> list[str]:
    """The tests that the row names, those left out that this process cannot make wrong."""
    named = PROOF.findall(row.proof) if row.is_proved else []
    return [test for test in named if test.startswith("tests/") and not test.startswith(ELSEWHERE)]


def judge(row: Row, seed: int, tries: int, beside: int) -> Verdict:
    """Try mistakes until enough of them are noticed."""
    tried = noticed = 0
    trials = _nearest(row, seed, tries)
    while trials and noticed < ENOUGH:
        now, trials = trials[:beside], trials[beside:]
        results = [test for test in try_all(now, beside, tests_of(row)).values() if test != UNTRIED]
        tried += len(results)
        noticed += sum(map(bool, results))
    return Verdict(row, tried, noticed)


def _nearest(row: Row, seed: int, tries: int) -> list[Trial]:
    """Mistakes in lines that its tests run, at most one a line: first those that speak most of what the row says."""
    chance, requirement_words = random.Random(f"{seed} {row.id}"), _words(row.requirement)
    own = {test.partition("[")[0] for test in tests_of(row)}
    places = [
        (-len(requirement_words & _words_at(path)[line]), len(set(tests) - own), chance.random(), path, line)
        for path, lines in covered_lines(COVERAGE).items()
        for line, tests in lines.items()
        if not own.isdisjoint(tests) and line in _lines_to_change(path)
    ]
    return [
        trial_of(path, chance.choice([mutation for mutation in mutations_in(path) if mutation.line == line]))
        for *_, path, line in sorted(places)[:tries]
    ]


def _words(text: str) -> set[str]:
    """Of four letters or more, without the plural's end."""
    return {word.removesuffix("s") for word in re.findall("[a-z]{4,}", text.lower())}


@cache
def _words_at(path: str) -> defaultdict[int, set[str]]:
    """By line: its words, those of the functions and classes that it is in, and those of the file's name."""
    source = Path(path).read_text("utf-8")
    of_the_file = _words(Path(path).stem)
    words = defaultdict(set, {n: _words(line) | of_the_file for n, line in enumerate(source.splitlines(), 1)})
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            function_words = _words(f"{node.name} {ast.get_docstring(node) or ''}")
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                words[line] |= function_words
    return words


@cache
def _lines_to_change(path: str) -> frozenset[int]:
    return frozenset(mutation.line for mutation in mutations_in(path))


if __name__ == "__main__":
    sys.exit(main())
