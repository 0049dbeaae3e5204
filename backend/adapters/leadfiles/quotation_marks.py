"""Cells between other signs than CSV's own quotation marks, where a whole file has them: its rows as CSV writes them."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.csv_records import DELIMITERS

_PAIRS = ("'…'", "‘…’", "“…”", "„…“", "„…”", "”…”", "«…»", "\"'…'\"")  # noqa: RUF001 - they are meant
_MOST_LINES = 20
"""Of a row, because of line breaks in its cells."""


class QuotationMarks(NamedTuple):
    """The signs around the cells of a file, and what stands between these."""

    opening: str
    closing: str
    delimiter: str

    @property
    def pair(self) -> str:
        """As people are shown them; of those within CSV's own only the inner ones."""
        return f"{self.opening[-1]}…{self.closing[0]}"

    def row(self, text: str) -> str:
        """A row as CSV writes it; empty if it is none of which every cell with a letter stands between the signs."""
        body = text.rstrip("\r\n")
        whole, cell = _patterns(*self)
        if self.opening not in body or not whole.fullmatch(body):
            return ""
        return cell.sub(self._cell, body) + text[len(body) :]

    def _cell(self, match: re.Match[str]) -> str:
        inside = match[2].replace(f"\\{self.closing}", self.closing)
        if self.opening == self.closing:
            inside = inside.replace(self.closing * 2, self.closing)
        if '"' not in self.opening:
            inside = inside.replace('"', '""')
        return f'{match[1]}"{inside}"'


@cache
def _patterns(opening: str, closing: str, delimiter: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A row, and a cell of it between the signs: one ends where a delimiter follows, so that O'Brien needs no escape."""
    first, last, between = map(re.escape, (opening, closing, delimiter))
    quoted = rf" *{first}(.*?){last} *(?={between}|\Z)"
    cell = rf"(?>{quoted}|(?:(?!{between}|{first})[\W\d_])*)"  # atomic: no line takes longer than it is long
    return re.compile(rf"{cell}(?:{between}{cell})*", re.DOTALL), re.compile(rf"(\A|{between}){quoted}", re.DOTALL)


def quotation_marks(head: Sequence[str], is_header: Callable[[Sequence[str]], bool]) -> QuotationMarks | None:
    """Those of a file that begins with these lines; None if it has the usual ones, or none.

    Most rows below the header have to be written so: somebody's name may begin and end with a quotation mark.
    """
    lines = [line for line in head if line.strip()]
    for pair in _PAIRS:
        opening, closing = pair.split("…")
        if not any(opening in line for line in lines):
            continue
        for delimiter in DELIMITERS:
            marks = QuotationMarks(opening, closing, delimiter)
            rows = [marks.row(line) for line in lines]
            for at, line in enumerate(lines[:-1]):
                below = rows[at + 1 :]
                if sum(map(bool, below)) * 2 > len(below) and is_header(_cells(rows[at] or line, delimiter)):
                    return marks
    return None


def _cells(line: str, delimiter: str) -> Sequence[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def with_usual_marks(lines: Iterator[str], marks: QuotationMarks) -> Iterator[str]:
    """The lines, with each row as CSV writes it; what is no such row stays as it is."""
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        text = "".join(pending)
        if row := marks.row(text):
            pending.clear()
            yield from io.StringIO(row, newline="")
        elif (row := marks.row(line)) or len(pending) == _MOST_LINES or len(text) > limits.MAX_QUOTED_CHARS:
            yield from pending[: -1 if row else None]
            pending.clear()
            yield from (row,) if row else ()
    yield from pending
