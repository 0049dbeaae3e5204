"""No cell of an export is a formula, however it is spelled or split; and each comes back as it was."""

import csv
import io
import json
import re
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.values import csv_cell
from backend.domain.values.csv_cell import SEPARATORS, SIGNS, neutralised, restored
from backend.domain.values.hidden_characters import as_it_looks

CASES = [
    tuple(row)
    for row in json.loads((Path(__file__).parents[1] / "data" / "csv_cells.json").read_text(encoding="utf-8"))
]
"""(cell, as it is exported); the page's tests read them too."""


@pytest.mark.parametrize(("cell", "exported"), CASES)
def test_a_cell_is_exported_as_the_page_copies_it(cell: str, exported: str) -> None:
    assert neutralised(cell) == exported


def test_no_spelling_of_a_sign_is_missing_in_what_both_are_tested_with() -> None:
    assert {cell[0] for cell, _ in CASES if cell} >= set(SIGNS)


def test_only_one_module_writes_a_table_of_what_others_wrote() -> None:
    backend = Path(csv_cell.__file__).parents[2]
    writing = {
        file.relative_to(backend).as_posix()
        for file in backend.rglob("*.py")
        if "csv.writer" in file.read_text("utf-8")
    }
    # The others write the practice network's own people, and a sheet as Outrider itself reads it.
    assert writing == {"api/exports.py", "runtime/run/rehearsal.py", "adapters/leadfiles/workbook.py"}


def test_every_spelling_of_a_formulas_sign_is_known() -> None:
    folded = {
        chr(point)
        for point in range(sys.maxunicode)
        if unicodedata.normalize("NFKC", chr(point)).startswith((*"=+-@",))
    }
    assert set(SIGNS) == folded


def test_wherever_a_program_ends_a_line_a_cell_may_begin() -> None:
    ends = {chr(point) for point in range(sys.maxunicode) if len(f"a{chr(point)}b".splitlines()) > 1}
    assert ends <= set(SEPARATORS)
    for end in ends:
        assert neutralised(f"a{end}=1") == f"a{end}'=1"


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(
    "before",
    ["", " ", "\t", "\r", "\n", "\r\n", "\ufeff", "\u200b", "\u00a0", "\u3000", "\u00ad", "\x00", '"', ' \t"\ufeff '],
)
def test_a_cell_that_would_begin_a_formula_is_text(sign: str, before: str) -> None:
    assert neutralised(f"{before}{sign}1+1") == f"{before}'{sign}1+1"


@pytest.mark.parametrize("separator", [";", ",", "\t", "|", "\n", "\r\n", ';"', "; ", ",\u200b"])
def test_nor_does_a_part_that_another_program_would_split_off(separator: str) -> None:
    assert neutralised(f"Ada{separator}=1+1") == f"Ada{separator}'=1+1"
    line = io.StringIO()
    csv.writer(line).writerow(["1", neutralised(f"Ada{separator}=1+1"), "2"])
    for part in re.split(r"[;,\t|\r\n]", line.getvalue()):
        assert not as_it_looks(part).lstrip('"; ').startswith(("=", "+", "-", "@"))


@pytest.mark.parametrize("text", ["Ada Lovelace", "a=b", "x - y", "C++", "ada@example.org", "https://x.org/in/a-b"])
def test_an_ordinary_cell_is_left_alone(text: str) -> None:
    assert neutralised(text) == text


@pytest.mark.parametrize("text", ["'=x", "''=x", "a;'=x", "'", "'a", "=", "a;=b,+c\t-d\n@e", "x;''＝y"])  # noqa: RUF001
def test_an_apostrophe_that_was_there_comes_back(text: str) -> None:
    assert neutralised(text) != text or "=" not in text
    assert restored(neutralised(text)) == text


@given(st.text(alphabet="a=+-@＝'\"; ,\t\n\u200b\ufeff|", max_size=40))  # noqa: RUF001
def test_any_cell_comes_back_as_it_was(text: str) -> None:
    assert restored(neutralised(text)) == text


@pytest.mark.parametrize("text", ["\t" * 60_000 + "x=", "'" * 60_000 + "x=", ";'" * 30_000 + "x="])
def test_the_longest_cell_takes_no_time(text: str) -> None:
    began = time.process_time()
    assert restored(neutralised(text)) == text
    assert time.process_time() - began < 1
