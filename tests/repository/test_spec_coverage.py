"""The coverage table cannot claim a proof that does not exist, and cannot lose a requirement."""

from pathlib import Path

import pytest

from tests.mutants.wrong_versions import read_wrong_versions
from tests.repository import spec_coverage
from tests.repository.spec_coverage import EXPECTED, Row, complaints_about, read_rows

SOURCE = """
import does_not_exist

def test_plain(): ...
async def test_async(): ...
def helper(): ...

class TestGroup:
    def test_method(self): ...

class Helper:
    def test_not_collected(self): ...
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_sample.py").write_text(SOURCE)
    (tmp_path / "tests" / "sample.py").write_text("def test_plain(): ...")
    (tmp_path / "steps.test.ts").write_text('it("counts the steps", () => {});')
    return tmp_path


def test_the_project_s_own_table_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    status = spec_coverage.main()
    assert status == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    "proof",
    [
        "not yet",
        "no machine: it is a share of real people, counted by watching them",
        "`tests/test_sample.py::test_plain`",
        "`tests/test_sample.py::test_async`",
        "`tests/test_sample.py::TestGroup::test_method`",
        "`tests/test_sample.py::test_plain[a case::of parameters]`",
        "`tests/test_sample.py::test_plain`, `steps.test.ts::counts the steps`",
    ],
)
def test_a_proof_that_exists_is_accepted(tree: Path, proof: str) -> None:
    assert complaints_about([Row(1, "FR-001", proof)], tree, frozenset({"FR-001"})) == []


@pytest.mark.parametrize(
    "proof",
    [
        "",
        "no machine: too hard",
        "proved",
        "tests/test_sample.py::test_plain",
        "`tests/test_sample.py`",
        "`tests/test_sample.py::`",
        "`tests/test_sample.py::test_gone`",
        "`tests/test_sample.py::helper`",
        "`tests/test_sample.py::test_method`",
        "`tests/test_sample.py::TestGroup::test_plain`",
        "`tests/test_sample.py::Helper::test_not_collected`",
        "`tests/test_gone.py::test_plain`",
        "`tests/sample.py::test_plain`",
        "`steps.test.ts::counts the hours`",
        "not yet, `tests/test_sample.py::test_plain`",
    ],
)
def test_a_proof_that_does_not_exist_is_named(tree: Path, proof: str) -> None:
    (complaint,) = complaints_about([Row(7, "FR-001", proof)], tree, frozenset({"FR-001"}))
    assert complaint.startswith("line 7: FR-001")


def test_rows_may_not_go_away_repeat_or_be_invented(tree: Path) -> None:
    rows = [Row(1, "FR-001", "not yet"), Row(2, "FR-001", "not yet"), Row(3, "FR-999", "not yet")]
    assert complaints_about(rows, tree, frozenset({"FR-001", "FR-002"})) == [
        "line 1: FR-001 stands here more than once",
        "line 2: FR-001 stands here more than once",
        "line 3: FR-999 is in no specification",
        "FR-002 has no row",
    ]


def test_a_line_that_is_no_row_is_not_overlooked() -> None:
    text = "| id | requirement | proof |\n|---|---|---|\n| FR-001 | a | not yet |\n| FR-002 | two columns |\n"
    rows, complaints = read_rows(text)
    assert [row.id for row in rows] == ["FR-001"]
    assert complaints == ["line 4: not a row of `| id | requirement | proof |`"]


def test_every_functional_requirement_and_success_criterion_is_expected() -> None:
    assert len([name for name in EXPECTED if name.startswith("FR-")]) == 60 + 16
    assert len([name for name in EXPECTED if name.startswith("SC-")]) == 13


def test_each_wrong_version_belongs_to_a_row_and_to_the_code_as_it_is() -> None:
    proved = {row.id for row in read_rows(spec_coverage.TABLE.read_text("utf-8"))[0] if row.is_proved}
    wrong_versions = read_wrong_versions()
    assert not wrong_versions.keys() - proved
    assert [row_id for row_id, version in wrong_versions.items() if not version.applies] == []
