"""mypy knows the error codes from the table's own rows: a code without a row does not type-check, one with a row does."""

from pathlib import Path

from mypy import api

from backend.domain.values.error_table import ERRORS
from tests.repository.error_code_types import TABLE, codes_of

ROOT = Path(__file__).parents[2]

RAISED = """
from backend.domain.values.errors import OutriderError

OutriderError("campaign_unknown", campaign="c1")
OutriderError("campaign_unknwon", campaign="c1")
"""


def test_the_codes_are_those_of_the_rows() -> None:
    assert codes_of(TABLE.read_text("utf-8")) == list(ERRORS)


def test_a_code_without_a_row_does_not_type_check(tmp_path: Path) -> None:
    source = tmp_path / "raised.py"
    source.write_text(RAISED)
    settings = [
        "--config-file",
        str(ROOT / "pyproject.toml"),
        "--follow-imports",
        "silent",
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    answer, _, _ = api.run([*settings, str(source)])
    assert [line.split(": ", 1)[0].rsplit(":", 1)[-1] for line in answer.splitlines() if "error:" in line] == ["5"]
