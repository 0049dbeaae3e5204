"""Reads docs/spec-coverage.md and says what is wrong with it: `python -m tests.repository.spec_coverage`.

A row that names a test which does not exist, or a requirement without a row, fails `make check`. Tests are found by
reading the source, never by importing it.
"""

import ast
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "spec-coverage.md"
NOT_YET = "not yet"
NO_MACHINE = "no machine: "
"""What no test can prove; the reason follows."""
LEAST_REASON = 40

# How many requirements each group of each specification has: a row can be proved, but it cannot go away.
NUMBERED = {
    "000-2.": 4, "000-3.": 5, "000-4.": 8, "000-5.": 5, "000-6.": 5, "000-7.": 2,
    "000-8.": 5, "000-9.": 5, "000-10.": 3, "000-11.": 4, "000-14.": 15, "000-15.": 6,
    "000-16.": 2, "000-17.": 6, "000-18.": 5, "000-20.1.": 5, "000-20.2.": 4, "000-20.3.": 4, "000-20.4.": 11,
    "US1-AS": 5, "US2-AS": 4, "US3-AS": 4, "US4-AS": 4, "US5-AS": 4, "EDGE-": 7,
    "001-LOOP.": 2, "001-ENTITY.": 8, "001-LIMIT.": 7,
    "002-FSM.": 5, "002-STORE.": 4, "002-MUST.": 8, "002-SHOULD.": 2, "002-COULD.": 2, "002-SC.": 6,
    "003-2.": 4, "003-3.": 2, "003-4.": 3, "003-5.": 3, "003-6.": 7, "003-7.": 5, "003-8.": 5, "003-9.": 1,
    "REQ-DET-001.": 2, "REQ-DET-002.": 2, "REQ-DET-003.": 2, "REQ-DET-004.": 3, "REQ-DET-005.": 3, "REQ-DET-006.": 3,
    "REQ-DET-007.": 3, "REQ-DET-008.": 3, "004-VERIFY.": 8, "004-LOOP.": 4, "004-GAP.": 4,
}  # fmt: skip
EXPECTED = (
    frozenset(f"{group}{number}" for group, count in NUMBERED.items() for number in range(1, count + 1))
    | frozenset(f"FR-{number:03d}" for number in range(1, 61))
    | frozenset(f"FR-005{letter}" for letter in ascii_lowercase[:16])
    | frozenset(f"SC-{number:03d}" for number in range(1, 14))
    | frozenset(f"REQ-DET-{number:03d}" for number in range(1, 9))
)

ROW = re.compile(r"^\| (?P<id>[A-Z0-9][\w.-]*) \| (?P<requirement>.+) \| (?P<proof>[^|]*) \|$")
PROOF = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    line: int
    id: str
    proof: str
    requirement: str = ""

    @property
    def is_proved(self) -> bool:
        return self.proof != NOT_YET and not self.is_beyond_tests

    @property
    def is_beyond_tests(self) -> bool:
        return self.proof.startswith(NO_MACHINE) and len(self.proof) >= len(NO_MACHINE) + LEAST_REASON


def read_rows(text: str) -> tuple[list[Row], list[str]]:
    """The rows, and a complaint for each table line that is none."""
    rows: list[Row] = []
    complaints: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.startswith("|") or line.startswith(("| id |", "|---")):
            continue
        if match := ROW.match(line):
            rows.append(Row(number, match["id"], match["proof"].strip(), match["requirement"]))
        else:
            complaints.append(f"line {number}: not a row of `| id | requirement | proof |`")
    return rows, complaints


@cache
def tests_in(path: Path) -> frozenset[str]:
    """`test_x` and `TestClass::test_x` of one Python file."""
    names: set[str] = set()

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                visit(node.body, f"{prefix}{node.name}::")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                names.add(prefix + node.name)

    visit(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return frozenset(names)


def what_is_wrong_with(test_id: str, root: Path) -> str | None:
    """Why this test id proves nothing, or None when the test exists."""
    file, _, name = test_id.partition("::")
    path = root / file
    if not name or not path.is_file():
        return f"`{test_id}` names no test file" if name else f"`{test_id}` is not `file::test`"
    if file.endswith(".test.ts"):
        return None if name in path.read_text(encoding="utf-8") else f"`{file}` has no test that says {name!r}"
    if not (path.name.startswith("test_") and path.suffix == ".py" and file.startswith("tests/")):
        return f"`{test_id}` is not in a file that pytest collects"
    return None if name.partition("[")[0] in tests_in(path) else f"`{file}` has no test {name}"


def complaints_about(rows: list[Row], root: Path, expected: frozenset[str]) -> list[str]:
    """Everything that keeps the table from being true, in the order of its lines."""
    complaints: list[str] = []
    times = Counter(row.id for row in rows)
    for row in rows:
        where = f"line {row.line}: {row.id}"
        if times[row.id] > 1:
            complaints.append(f"{where} stands here more than once")
        if row.id not in expected:
            complaints.append(f"{where} is in no specification")
        if not row.is_proved:
            continue
        named = PROOF.findall(row.proof)
        if not named or PROOF.sub("", row.proof).replace(",", "").strip():
            complaints.append(f"{where}: the proof is neither `{NOT_YET}` nor test ids in backticks")
        complaints += [f"{where}: {wrong}" for test_id in named if (wrong := what_is_wrong_with(test_id, root))]
    complaints += [f"{missing} has no row" for missing in sorted(expected - times.keys())]
    return complaints


def main() -> int:
    rows, malformed = read_rows(TABLE.read_text(encoding="utf-8"))
    complaints = malformed + complaints_about(rows, ROOT, EXPECTED)
    for complaint in complaints:
        sys.stdout.write(f"docs/spec-coverage.md: {complaint}\n")
    proved = sum(row.is_proved for row in rows)
    beyond = sum(row.is_beyond_tests for row in rows)
    sys.stdout.write(
        f"spec coverage: {len(rows)} requirements, {proved} proved, {beyond} that no machine can prove,"
        f" {len(rows) - proved - beyond} not yet\n"
    )
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
