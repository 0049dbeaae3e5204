"""`python -m tests.mutants.wrong_versions`: does each row of docs/spec-coverage.md name a test that notices its sentence broken?

`by_row/` holds by row one small version of the code in which its sentence does not hold: never a deletion, never a
raise. It takes the right one's place for as long as the row's own tests run, and one of them has to fail; one that hangs,
or tests that cannot be run, prove nothing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from backend.adapters.child_processes import ProcessTree, own_group
from tests.repository.spec_coverage import PROOF, ROOT, TABLE, Row, read_rows

BY_ROW = Path(__file__).with_name("by_row")
NOTICED = "noticed"
VERDICTS = {0: "NOT NOTICED", 1: NOTICED, None: "HANGS"}
"""By how pytest and vitest end, within the time they have; anything else above 0 says that none of the tests was asked."""
A_COMMAND = 600
"""Seconds it has: less than pytest gives one test (pyproject.toml), so that a test that hangs is no test that failed."""
SLOW = re.compile("tests/(turn/test_(hostile|recovery)|simulation|bench|bridge|e2e|crash)")
"""What is asked last of a row's tests."""


class WrongVersion(NamedTuple):
    """One small mistake: `right` stands exactly once in `file`, a path from the checkout's root."""

    file: str
    right: str
    wrong: str

    @property
    def applies(self) -> bool:
        path = ROOT / self.file
        return self.right != self.wrong and path.is_file() and path.read_text("utf-8").count(self.right) == 1

    @contextmanager
    def in_place(self) -> Iterator[None]:
        path = ROOT / self.file
        text = path.read_text("utf-8")
        path.write_text(text.replace(self.right, self.wrong), "utf-8")
        try:
            yield
        finally:
            path.write_text(text, "utf-8")


def read_wrong_versions() -> dict[str, WrongVersion]:
    """By the row's id."""
    tables = [tomllib.loads(path.read_text("utf-8")) for path in sorted(BY_ROW.glob("*.toml"))]
    return {row_id: WrongVersion(**fields) for table in tables for row_id, fields in table.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if each wrong version that was tried made one of its row's tests fail; 1 if not."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.wrong_versions", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose id begins with one of these")
    parser.add_argument("--without", nargs="+", default=[], help="no row with a test whose path has one of these in it")
    options = parser.parse_args(arguments)
    rows = [
        row
        for row in read_rows(TABLE.read_text("utf-8"))[0]
        if row.is_proved
        and row.id.startswith(tuple(options.only))
        and not any(part in row.proof for part in options.without)
    ]
    wrong_versions = read_wrong_versions()
    verdicts = {row.id: judge(row, wrong_versions[row.id]) for row in rows if row.id in wrong_versions}
    without = [row.id for row in rows if row.id not in wrong_versions]
    unnoticed = [row_id for row_id, verdict in verdicts.items() if verdict != NOTICED]
    print(f"{len(verdicts)} rows; not noticed: {_listed(unnoticed)}; without a wrong version: {_listed(without)}")
    return 1 if unnoticed else 0


def judge(row: Row, wrong_version: WrongVersion) -> str:
    """What the row's tests say while the wrong version is in place, up to the first that says something."""
    with wrong_version.in_place():
        verdicts = (_verdict(command, folder) for command, folder in _commands(PROOF.findall(row.proof)))
        verdict = next((verdict for verdict in verdicts if verdict != VERDICTS[0]), VERDICTS[0])
    print(f"{row.id}: {verdict}", flush=True)
    return verdict


def _commands(tests: Sequence[str]) -> Iterator[tuple[list[str], Path]]:
    """What runs these tests, each with the folder it runs in."""
    if ours := sorted((test for test in tests if test.startswith("tests/")), key=lambda test: bool(SLOW.match(test))):
        yield [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *ours], ROOT
    for test in tests:
        if test.startswith("frontend/"):
            file, _, name = test.removeprefix("frontend/").partition("::")
            yield ["npx", "vitest", "run", file, "-t", name], ROOT / "frontend"


def _verdict(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output, **own_group()) as process,
    ):
        tests = ProcessTree(process)
        try:
            ended = process.wait(A_COMMAND)
        except subprocess.TimeoutExpired:
            ended = None
        finally:
            tests.kill()
        output.seek(0)
        return (
            VERDICTS.get(ended) or f"NOT RUN by {' '.join(command)}: {output.read()[-2000:].decode('utf-8', 'replace')}"
        )


def _listed(row_ids: Iterable[str]) -> str:
    return ", ".join(row_ids) or "none"


if __name__ == "__main__":
    sys.exit(main())
