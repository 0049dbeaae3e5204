"""Physical lines to CSV records, each with its line number and raw text; a stray quote never eats what follows it.

csv.reader does the parsing, strictly, and pulls its lines from a tape that remembers them. When an open quote turns
out not to be closed properly (text after the closing quote, end of file, too many columns, no end in sight), only the
line that opened it is given up: the lines it ran over are read again one by one, and the line where it failed starts
afresh. Each line is thus read at most three times, whatever the file holds.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from backend.adapters.leadfiles import limits

DELIMITERS = (",", ";", "\t", "|")
"""What may stand between two cells."""

_SEPARATOR_LINE = re.compile(r"\ufeff?\"?sep=(.)\"?[\s,;|]*", re.IGNORECASE)
_LONGEST_SEPARATOR_LINE = 64


class CsvRecord(NamedTuple):
    """One record. A blank line has no cells and no problem."""

    line: int
    raw: str
    cells: list[str]
    problem: str | None = None
    """A code of `lead_row.REASONS`; then there are no cells."""
    recovered: bool = False
    """Read after an unclosed quote: it may be a piece of a cell, so only a full row is to be believed."""


def named_delimiter(line: str) -> str:
    """What a file's first line says splits its cells, as spreadsheets write it (`sep=;`); empty if it says nothing."""
    match = _SEPARATOR_LINE.fullmatch(line) if len(line) <= _LONGEST_SEPARATOR_LINE else None
    return match[1] if match else ""


def filled(cells: Sequence[str]) -> int:
    """How many cells there are up to the last that is not blank."""
    return next((at for at in range(len(cells), 0, -1) if cells[at - 1] and not cells[at - 1].isspace()), 0)


def is_blank(record: CsvRecord) -> bool:
    """Whether the record is an empty line."""
    return not record.cells and record.problem is None


class _EndlessQuoteError(Exception):
    """An open quote has run on for longer than any cell may be."""


class _Tape:
    """Gives csv.reader its lines and remembers those of the current record."""

    __slots__ = ("_lines", "_pushed", "_size", "ended", "record_lines")

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._pushed: list[str] = []
        self._size = 0
        self.record_lines: list[str] = []
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = self._pushed.pop() if self._pushed else next(self._lines)
        except StopIteration:
            self.ended = True
            raise
        record_lines = self.record_lines
        if record_lines:
            self._size += len(line)
        else:
            self._size = len(line)
        record_lines.append(line)
        if self._size > limits.MAX_QUOTED_CHARS and len(record_lines) > 1:
            raise _EndlessQuoteError
        return line

    def push_back(self, line: str) -> None:
        self._pushed.append(line)


def records(lines: Iterator[str], delimiter: str, *, width: int | None = None, line: int = 1) -> Iterator[CsvRecord]:
    """Every record of the lines (which keep their line endings). Joined, the raw texts are the lines again.

    `width` is the number of columns in the header, once it is known; `line` is the number of the first line.
    """
    # The limit is the process's own and a refusal in the middle of a cell would hide where the record ends; we only
    # ever raise it, and bound a record ourselves.
    csv.field_size_limit(max(csv.field_size_limit(), limits.MAX_LINE_CHARS + limits.MAX_QUOTED_CHARS))
    tape = _Tape(lines)
    reader = csv.reader(tape, delimiter=delimiter, strict=True)
    recovered = False
    blank_before_quote = f'{delimiter} "'
    while True:
        record_lines: list[str] = []
        tape.record_lines = record_lines
        failure: Exception | None = None
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, _EndlessQuoteError) as problem:
            failure = problem
        if failure is None and (len(record_lines) == 1 or not _swallowed(record_lines, cells, delimiter, width)):
            raw = "".join(record_lines)
            if blank_before_quote in raw:
                cells = _without_blanks_before_quotes(record_lines, cells, delimiter, width)
            yield CsvRecord(line, raw, cells, None, recovered)
            recovered = False
            line += len(record_lines)
            continue
        problem_code = "bad_quotes" if len(record_lines) == 1 and not tape.ended else "unclosed_quote"
        first_cells = _quoted_otherwise(record_lines[0], delimiter, width)
        yield CsvRecord(line, record_lines[0], first_cells, None if first_cells else problem_code, recovered)
        if len(record_lines) == 1:
            recovered = not first_cells
            line += 1
            continue
        # At the end of the file, or after a cell without end, the last line is like those before it.
        if not tape.ended and not isinstance(failure, _EndlessQuoteError):
            tape.push_back(record_lines.pop())
        for number, text in enumerate(record_lines[1:], line + 1):
            yield _single(number, text, delimiter)
        recovered = True
        line += len(record_lines)


def _swallowed(record_lines: list[str], cells: list[str], delimiter: str, width: int | None) -> bool:
    """Whether a record of several lines is one that ate its neighbours.

    One with the right number of columns is always believed: whoever can put text into a cell must not be able to pass
    it off as a row.
    """
    if width is None or len(cells) == width:
        return False
    singles = [_single(0, text, delimiter).cells for text in record_lines[1:]]
    if len(cells) > width >= filled(cells):  # delimiters behind the last cell
        return any(filled(single) <= width <= len(single) and '"' not in "".join(single) for single in singles)
    return len(cells) > width or any(len(single) == width for single in singles)


def _without_blanks_before_quotes(
    record_lines: list[str], cells: list[str], delimiter: str, width: int | None
) -> list[str]:
    """The cells of `"Ann", "Fern, Inc."`, as whoever wrote it meant them; as they are if they fit, and only so."""
    reader = csv.reader(record_lines, delimiter=delimiter, strict=True, skipinitialspace=True)
    try:
        reread_records = list(reader)
    except csv.Error:
        return cells
    is_one_record = len(reread_records) == 1
    return (
        reread_records[0]
        if is_one_record and (width is None or len(reread_records[0]) == width or len(cells) != width)
        else cells
    )


def _quoted_otherwise(text: str, delimiter: str, width: int | None) -> list[str]:
    """The cells of `"Ann \\"A\\" Lee","Fern"` or `"Ann" ,"Fern"`, if they are as many as the header's; else none."""
    doubled = re.sub(rf'" +(?={re.escape(delimiter)}|[\r\n]*\Z)', '"', text.replace('\\"', '""'))
    if doubled == text:
        return []
    try:
        (cells,) = csv.reader([doubled], delimiter=delimiter, strict=True)
    except (csv.Error, ValueError):  # more than one record
        return []
    return cells if len(cells) == (width or len(cells)) else []


def _single(line: int, text: str, delimiter: str) -> CsvRecord:
    """The line read as a record of its own."""
    try:
        return CsvRecord(line, text, next(csv.reader([text], delimiter=delimiter, strict=True)), None, recovered=True)
    except csv.Error:
        return CsvRecord(line, text, [], "unclosed_quote", recovered=True)


# What does not break is seen as a blank, and stands wherever text was copied from a page.
_BREAKS = re.compile(r"[\t\n\r\u00a0\u2007\u202f]+")
_ENDS = " \t\n\r"


def cell_text(cell: str) -> str:
    """The cell on one line, without blanks at its ends, of whatever kind; nothing else is taken from it, however odd.

    Whoever shows it shows what is hidden in it (`backend.domain.values.hidden_characters`). NUL is left out: no database keeps it.
    """
    if cell.isprintable():  # nearly every cell; nothing that is changed below is printable
        return cell.strip(_ENDS)
    return _BREAKS.sub(" ", cell.replace("\0", "")).strip(_ENDS)
