"""`python -m tests.mutants.wrong_versions`: does each row of docs/spec-coverage.md name a test that notices its sentence broken?

`by_row/` holds by row one small version of the code in which its sentence does not hold: never a deletion, never a
raise. It takes the right one's place for as long as the row's own tests run, and one of them has to fail.
"""

import argparse
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.repository.spec_coverage import PROOF, ROOT, TABLE, Row, read_rows

BY_ROW = Path(__file__).with_name("by_row")
FAILED = 1
"""How pytest and vitest end when a test failed; anything else above 0 says that none of them was asked."""


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
    parser.add_argument("--only", default="", help="rows whose id begins with this")
    options = parser.parse_args(arguments)
    rows = [row for row in read_rows(TABLE.read_text("utf-8"))[0] if row.is_proved and row.id.startswith(options.only)]
    wrong_versions = read_wrong_versions()
    verdicts = {row.id: judge(row, wrong_versions[row.id]) for row in rows if row.id in wrong_versions}
    without = [row.id for row in rows if row.id not in wrong_versions]
    unnoticed = [row_id for row_id, noticed in verdicts.items() if not noticed]
    print(f"{len(verdicts)} rows; not noticed: {_listed(unnoticed)}; without a wrong version: {_listed(without)}")
    return 1 if unnoticed else 0


def judge(row: Row, wrong_version: WrongVersion) -> bool:
    """Whether one of the row's tests fails while the wrong version is in place."""
    with wrong_version.in_place():
        noticed = any(_fails(command, folder) for command, folder in _commands(PROOF.findall(row.proof)))
    print(f"{row.id}: {'noticed' if noticed else 'NOT NOTICED'}", flush=True)
    return noticed


def _commands(tests: Sequence[str]) -> Iterator[tuple[list[str], Path]]:
    """What runs these tests, each with the folder it runs in."""
    if ours := [test for test in tests if test.startswith("tests/")]:
        yield [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *ours], ROOT
    for test in tests:
        if test.startswith("frontend/"):
            file, _, name = test.removeprefix("frontend/").partition("::")
            yield ["npx", "vitest", "run", file, "-t", name], ROOT / "frontend"


def _fails(command: list[str], folder: Path) -> bool:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in {0, FAILED}:
        raise SystemExit(f"{' '.join(command)} did not run: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == FAILED


def _listed(row_ids: Iterable[str]) -> str:
    return ", ".join(row_ids) or "none"


if __name__ == "__main__":
    sys.exit(main())
