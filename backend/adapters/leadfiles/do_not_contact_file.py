"""A do-not-contact file: a table of people, companies and domains, or a bare list of them; each row read or refused once."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from backend.adapters.leadfiles import archive, limits
from backend.adapters.leadfiles.csv_records import DELIMITERS, CsvRecord, cell_text, is_blank, named_delimiter, records
from backend.adapters.leadfiles.file_scan import scan_file
from backend.adapters.leadfiles.lead_format import column_key
from backend.adapters.leadfiles.profile_url import normalise_profile_url
from backend.adapters.leadfiles.source import LeadFileSource
from backend.adapters.leadfiles.unknown_table import table_source
from backend.domain.people.do_not_contact_file import (
    DoNotContactRow,
    Role,
    RowReader,
    UnclearRowError,
    is_header,
    is_our_export,
    roles_of,
)
from backend.domain.people.lead_row import REASONS, RejectedRow
from backend.domain.people.lead_sheet import LeadSheet
from backend.domain.values.csv_cell import restored
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal

_NONE = "\x1f"
"""Between the cells of a file with one column: no cell has it, while company names have commas."""
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class DoNotContactFile:
    """The file as it was recognised; iterating it opens it anew and holds one row at a time."""

    source: LeadFileSource
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    """The names of its columns; empty for a bare list."""
    roles: dict[int, Role]
    most_rows: int
    """No fewer than it has records."""
    _first_line: int = field(repr=False)

    @property
    def sheet(self) -> LeadSheet:
        """Which sheet of a workbook it is."""
        return self.source.sheet

    def __iter__(self) -> Iterator[DoNotContactRow | RejectedRow]:
        """Each record exactly once, in the order of the file; blank lines are no records."""
        from_outrider = is_our_export(self.header)
        reader = RowReader(self.roles, self.header, normalise_profile_url, own_export=from_outrider)
        width = len(self.header) or 1
        with self.source.open_lines(self.encoding) as lines:
            below = islice(lines, self._first_line - 1, None)
            for record in records(below, self.delimiter, width=width, line=self._first_line):
                if not is_blank(record):
                    yield _read(reader, record, width, from_outrider=from_outrider)


def read_do_not_contact_file(path: Path | str, encoding: str | None = None, sheet: str = "") -> DoNotContactFile:
    """Recognise the file by its header, or as a bare list; raises `lead_file_…` and `do_not_contact_file_unknown`."""
    source = table_source(path, sheet)
    with source.open_bytes() as stream:
        if stream.read(4) in archive.ZIP_MAGIC:
            archive.members(source.path)  # says of an office document that it is one
            raise OutriderError("lead_file_binary", file=source.label, kind="a zip archive")
    scan = scan_file(source, encoding)
    heads = [_Head(source, scan.encoding, delimiter) for delimiter in _delimiters(source, scan.encoding)]
    widest = max(heads, key=lambda head: len(head.header))
    if len(widest.header) <= 1:
        widest = _Head(source, scan.encoding, _NONE)
        if not widest.header and any(head.is_table for head in heads) and not _is_entry(widest.first_cells):
            shown = ", ".join(reveal(cell_text(cell))[:40] for cell in heads[0].first_cells[:_SHOWN])
            raise OutriderError("do_not_contact_file_unknown", file=source.label, found=shown)
    if len(widest.header) > limits.MAX_COLUMNS:
        raise OutriderError(
            "lead_file_too_many_columns", file=source.label, found=len(widest.header), limit=limits.MAX_COLUMNS
        )
    roles: dict[int, Role] = widest.roles if widest.header else {0: "value"}
    do_not_contact_file = DoNotContactFile(
        source.as_read(scan.encoding),
        scan.encoding,
        widest.delimiter,
        widest.header,
        roles,
        max(0, scan.lines - widest.first_line + 1),
        widest.first_line,
    )
    _check_rows(do_not_contact_file, scan.lines)
    return do_not_contact_file


class _Head:
    """What stands at the beginning of the file, split at that delimiter."""

    def __init__(self, source: LeadFileSource, encoding: str, delimiter: str) -> None:
        self.delimiter = delimiter
        self.header: tuple[str, ...] = ()
        self.roles: dict[int, Role] = {}
        self.first_line = 1
        self.first_cells: Sequence[str] = ()
        widths: list[int] = []
        with source.open_lines(encoding) as lines:
            for record in records(lines, delimiter):
                if is_blank(record) or (record.line == 1 and named_delimiter(record.raw)):
                    self.first_line = record.line + 1 if not widths else self.first_line
                    continue
                self.first_cells = self.first_cells or record.cells
                widths.append(len(record.cells))
                roles = roles_of([column_key(cell) for cell in record.cells])
                if is_header(roles):
                    self.header, self.roles = tuple(record.cells), roles
                    self.first_line = record.line + sum(1 for _ in io.StringIO(record.raw, newline=""))
                    break
                if (
                    len(widths) >= limits.HEADER_RECORDS
                    or record.line >= limits.HEADER_LINES
                    or _is_entry(record.cells)
                ):
                    break
        self.is_table = bool(widths) and min(widths) > 1


def _is_entry(cells: Sequence[str]) -> bool:
    """Whether a record has a value that identifies somebody: then what follows it is no header."""
    reader = RowReader({0: "value"}, (), normalise_profile_url)
    for cell in cells:
        try:
            reader.read(1, [cell_text(cell)])
        except UnclearRowError:
            continue
        return True
    return False


def _delimiters(source: LeadFileSource, encoding: str) -> Sequence[str]:
    """The one that the file names in its first line, else those that are tried."""
    if source.sheet.name:
        return source.delimiters(encoding)
    with source.open_lines(encoding) as lines:
        delimiter = named_delimiter(next(lines, ""))
    return (delimiter,) if delimiter else DELIMITERS


def _check_rows(do_not_contact_file: DoNotContactFile, lines: int) -> None:
    """Refuse a file with no row, or with too many, before the first one is used."""
    most = limits.MAX_ROWS + 1 if lines > limits.MAX_ROWS else 1
    rows = sum(1 for _ in islice(do_not_contact_file, most))
    if rows == 0:
        raise OutriderError("lead_file_no_rows", file=do_not_contact_file.source.label)
    if rows > limits.MAX_ROWS:
        raise OutriderError("lead_file_too_many_rows", file=do_not_contact_file.source.label, limit=limits.MAX_ROWS)


def _read(reader: RowReader, record: CsvRecord, width: int, *, from_outrider: bool) -> DoNotContactRow | RejectedRow:
    problem = record.problem
    if problem is None and len(record.cells) > width and any(record.cells[width:]):
        problem = "too_many_columns"
    if problem is None and record.recovered and len(record.cells) != width:
        problem = "unclosed_quote"
    if problem is None and any(len(cell.encode()) > limits.MAX_CELL_BYTES for cell in record.cells):
        problem = "cell_too_long"
    if problem is not None:
        reason = REASONS[problem].format(found=len(record.cells), expected=width)
        return RejectedRow(record.line, record.raw, problem, reason)
    cells = [cell_text(restored(cell) if from_outrider else cell) for cell in record.cells]
    try:
        return reader.read(record.line, cells)
    except UnclearRowError as error:
        return RejectedRow(record.line, record.raw, error.code, error.reason)
