"""The sheets of an Excel workbook as tables: what each cell shows a person, one row of the sheet a line of text.

Only this module knows openpyxl, which is loaded for a workbook and no other file. It reads row by row; a sheet's text is
kept packed (`LeadFileSource.sheet_text`), so the file is taken apart but once, and all else reads it like any other table.
"""

import csv
import gzip
import io
import math
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from itertools import chain, islice, product, repeat
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from openpyxl import Workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.packaging.relationship import get_dependents
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.worksheet._read_only import ReadOnlyWorksheet
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.xml.functions import iterparse

from backend.adapters.leadfiles import archive, limits
from backend.adapters.leadfiles.csv_records import DELIMITERS
from backend.adapters.leadfiles.lead_format import guess_columns
from backend.adapters.leadfiles.source import LeadFileSource, is_header
from backend.domain.people.lead_sheet import LeadSheet
from backend.domain.values.errors import OutriderError

_HEAD_ROWS = 250
"""How many first rows show what a sheet holds, and how many columns its text has at least."""
_MOST_BLANK_ROWS = 1_000
"""Between two rows: otherwise a single cell far below would cost as much as all the empty rows above it."""
_LAST_ROW = 1_048_576
"""Of any sheet, as Excel defines it."""
_Cell = Cell | MergedCell
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_HIDDEN = re.compile(rb"""\shidden=["'](?:1|true)""")
_YES = frozenset(("1", "true"))
_STRICT = re.compile(rb"""(\sxmlns(?::\w+)?\s*=\s*["']http://)purl\.oclc\.org/ooxml/(\w+)/""")
_NAMESPACE_BYTES = 1 << 16
"""Bytes: they stand in the first element of a part."""
_PLACE = re.compile(rb"""<(?:\w+:)?(?:row|c)(?=\s)[^<>]*?\sr\s*=\s*["']([A-Za-z]*)(\d+)""")
_EMPTY_ROW = re.compile(rb"""<row(?=\s)[^<>]*?\sr="\d+"[^<>]*?(?:/>|>(?:<c\s[^<>]*/>)*</row>)""")
_ROW_FORMAT = re.compile(rb"""<row(?=\s)[^<>]*?(\sr="\d+")(?:[^<>]*[^<>/])?(?=/?>)""")
_SHEET_CHUNK, _LONGEST_ROW = 1 << 16, 1 << 20
_LINK = re.compile(r'=HYPERLINK\(\s*"', re.IGNORECASE)
_LINK_SCHEMES = re.compile(r"https?://|mailto:", re.IGNORECASE)
_CELL_PARTS = ("}c", "}v", "}t", "}is", "}f")
_MOST_LINKS = 4 * limits.MAX_ROWS
_LINE_BREAKS = re.compile(r"(?:_x00(?:0[Dd9]|0[Aa])_|[\r\n])+")
_MIDNIGHT = time()
_ZEROS = re.compile(r"0{2,}")
# Every error that openpyxl, zipfile and the XML parser raise over a file that is none, or damaged.
_DAMAGE_ERRORS = (
    ValueError, LookupError, TypeError, AttributeError, RuntimeError, ArithmeticError, EOFError, SyntaxError, AssertionError,
    struct.error, zlib.error, zipfile.BadZipFile,
)  # fmt: skip


def sheet_source(path: Path, holds_people: Callable[[LeadFileSource], bool], sheet_name: str = "") -> LeadFileSource:
    """The sheet of that name; by default the first visible one that holds people, or else anything. Raises `lead_file_…`."""
    with _coded_errors(path.name), _open_workbook(path) as book:
        if not book.worksheets:
            raise OutriderError("lead_file_workbook_damaged", file=path.name)
        filled = [sheet for sheet in _sheets(book) if any(_Rows(sheet))]
        visible = [sheet for sheet in filled if sheet.sheet_state == "visible"]
        if not (filled if sheet_name else visible):
            raise OutriderError("lead_file_empty", file=path.name)
        chosen = (
            _sheet_of_name(path, filled, sheet_name)
            if sheet_name
            else next((sheet for sheet in visible if holds_people(_source(path, _Rows(sheet, _HEAD_ROWS)))), visible[0])
        )
        flags = _sheet_flags(path)
        with _formulas(path, has_formulas=flags.has_formulas) as details:
            formulas = None if details is None else _sheets(details)[_sheets(book).index(chosen)]
            rows = _Rows(chosen, formulas=formulas, details=_sheet_details(path, chosen, flags))
            source = _source(path, rows)
        others = tuple(sheet.title for sheet in visible if sheet is not chosen)
        hidden = tuple(sheet.title for sheet in filled if sheet not in visible and sheet is not chosen)
    return replace(
        source,
        sheet=LeadSheet(
            chosen.title,
            others,
            hidden,
            chosen not in visible,
            rows.without_result,
            rows.hidden_rows,
            rows.hidden_columns,
        ),
    )


def visible_sheets(path: Path) -> list[LeadFileSource]:
    """Every visible sheet with anything in it, as a table. Raises `lead_file_…`."""
    with _coded_errors(path.name), _open_workbook(path) as book:
        sheets = [sheet for sheet in _sheets(book) if sheet.sheet_state == "visible" and any(_Rows(sheet))]
        flags = _sheet_flags(path)
        return [_source(path, _Rows(sheet, details=_sheet_details(path, sheet, flags))) for sheet in sheets]


def _sheet_of_name(path: Path, filled: list[Worksheet], sheet_name: str) -> Worksheet:
    """The sheet of that name, whatever its case, as no spreadsheet program has two that differ in it alone."""
    matching_sheets = (sheet for sheet in filled if sheet.title.strip().casefold() == sheet_name.strip().casefold())
    if (named_sheet := next(matching_sheets, None)) is None:
        sheet_titles = ", ".join(f"“{sheet.title}”" for sheet in filled)
        raise OutriderError("lead_file_sheet_unknown", file=path.name, sheet=sheet_name, there=sheet_titles)
    return named_sheet


@contextmanager
def _coded_errors(label: str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        if problem.errno is None:  # openpyxl's own
            raise OutriderError("lead_file_workbook_damaged", file=label) from problem
        raise OutriderError("lead_file_unreadable", file=label, problem=problem.strerror or str(problem)) from problem
    except OutriderError:
        raise
    except _DAMAGE_ERRORS as problem:
        raise OutriderError("lead_file_workbook_damaged", file=label) from problem


@contextmanager
def _open_workbook(path: Path, *, data_only: bool = True) -> Iterator[Workbook]:
    """The workbook with its results, or else its formulas."""
    with path.open("rb") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what we do not read: styles, validations, extensions
        reader = ExcelReader(stream, read_only=True, data_only=data_only, keep_links=False)
        reader.archive = _WorkbookArchive(stream, is_strict=_is_strict(reader.archive))
        try:
            reader.read()
            yield reader.wb
        finally:
            reader.archive.close()


def _is_strict(file: zipfile.ZipFile) -> bool:
    """Whether its sheets are written as Strict Open XML, which openpyxl does not know."""
    with file.open(next(filter(_is_sheet, file.namelist()))) as part:
        return _STRICT.search(part.read(_NAMESPACE_BYTES)) is not None


def _is_sheet(part: str) -> bool:
    return part.startswith("xl/worksheets/") and part.endswith(".xml")


class _WorkbookArchive(zipfile.ZipFile):
    """A workbook whose parts are as openpyxl knows them, and whose sheets are as short as they can be."""

    def __init__(self, stream: IO[bytes], *, is_strict: bool) -> None:
        super().__init__(stream)
        self._is_strict_workbook = is_strict

    def open(self, name: str | zipfile.ZipInfo, *of: Any, **options: Any) -> IO[bytes]:
        """The part; of Strict Open XML, with the usual namespaces."""
        part = super().open(name, *of, **options)
        if self._is_strict_workbook:
            usual = rb"\1schemas.openxmlformats.org/\2/2006/"
            part = io.BufferedReader(_PrefixedStream(_STRICT.sub(usual, part.read(_NAMESPACE_BYTES)), part))
        return io.BufferedReader(_CompactSheet(part), _SHEET_CHUNK) if _is_sheet(str(name)) else part


class _CompactSheet(io.RawIOBase):
    """A sheet without rows that are only formatted (there may be a million), and without the format of the others."""

    def __init__(self, part: IO[bytes]) -> None:
        self._part = part
        self._rest = self._short = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        has_more = True
        while not self._short and has_more:
            chunk = self._part.read(_SHEET_CHUNK)
            has_more = bool(chunk)
            text = self._rest + chunk
            end = text.rfind(b"<row") if has_more else len(text)
            if end <= 0 and len(text) > _LONGEST_ROW:
                end = _end_of_tags(text)
            end = max(end, 0)
            self._short = _ROW_FORMAT.sub(rb"<row\1", _EMPTY_ROW.sub(b"", text[:end]))
            self._rest = text[end:]
        size = min(len(buffer), len(self._short))
        buffer[:size], self._short = self._short[:size], self._short[size:]
        return size

    def close(self) -> None:
        self._part.close()
        super().close()


class _PrefixedStream(io.RawIOBase):
    """A stream, preceded by the bytes that were already read from it."""

    def __init__(self, beginning: bytes, rest: IO[bytes]) -> None:
        self._beginning = beginning
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        piece, self._beginning = self._beginning[:size] or self._rest.read(size), self._beginning[size:]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._rest.close()
        super().close()


@contextmanager
def _formulas(path: Path, *, has_formulas: bool) -> Iterator[Workbook | None]:
    """The workbook with its formulas if there are any, because then it is read twice."""
    if has_formulas:
        with _open_workbook(path, data_only=False) as book:
            yield book
    else:
        yield None


def _sheets(book: Workbook) -> list[Worksheet]:
    for sheet in book.worksheets:
        if isinstance(sheet, ReadOnlyWorksheet):
            sheet.reset_dimensions()  # what the file says of its size is not to be believed
    return cast("list[Worksheet]", book.worksheets)


class _SheetFlags(NamedTuple):
    """Whether any sheet has what openpyxl does not read: few do, so only then is the file taken apart again."""

    has_formulas: bool
    hiding: frozenset[str]
    """Parts of sheets that hide rows or columns."""


def _sheet_flags(path: Path) -> _SheetFlags:
    """Raises ValueError if a sheet has its rows or cells twice or out of order: openpyxl leaves some out without a word."""
    has_formulas, hiding = False, set[str]()
    with zipfile.ZipFile(path) as file:
        for name in filter(_is_sheet, file.namelist()):
            last_place = (0, 0, b"")
            with file.open(name) as part:
                for text in _whole_tags(part):
                    has_formulas = has_formulas or _FORMULA.search(text) is not None
                    if name not in hiding and _HIDDEN.search(text):
                        hiding.add(name)
                    for column, row in _PLACE.findall(text):
                        place = int(row), len(column), column
                        if place <= last_place:
                            raise ValueError(name)
                        last_place = place
    return _SheetFlags(has_formulas, frozenset(hiding))


def _whole_tags(part: IO[bytes]) -> Iterator[bytes]:
    """The text of a sheet in pieces that tear no tag apart."""
    rest = b""
    while chunk := part.read(_SHEET_CHUNK):
        text = rest + chunk
        end = _end_of_tags(text)
        rest = text[end:]
        yield text[:end]
    yield rest


def _end_of_tags(text: bytes) -> int:
    """Before the last tag, which may go on in the next chunk; the whole of an endless cell's text, which would be copied anew with
    every chunk if it was held back."""
    last_tag = text.rfind(b"<")
    return last_tag if last_tag > 0 else len(text)


class _SheetDetails(NamedTuple):
    """What a sheet says of its cells in other places; openpyxl leaves it out where it reads row by row."""

    links: Mapping[tuple[int, int], str] = {}
    """Row and column, from 1 -> the address to which the cell leads."""
    hidden_rows: bytes | bytearray = b""
    """By the number of a row, 1 if it is hidden; empty if none is."""
    hidden_columns: Sequence[range] = ()


_NO_DETAILS = _SheetDetails()


def _sheet_details(path: Path, sheet: Worksheet, flags: _SheetFlags) -> _SheetDetails:
    part = PurePosixPath(vars(sheet)["_worksheet_path"])
    links: dict[tuple[int, int], str] = {}
    hidden_rows, hidden_columns, number = bytearray(), list[range](), 0
    with zipfile.ZipFile(path) as file:
        details = str(part.parent / "_rels" / f"{part.name}.rels")
        related_parts = get_dependents(file, details) if details in file.namelist() else ()
        addresses = {
            related.Id: related.Target
            for related in related_parts
            if related.Type.endswith("/hyperlink") and _LINK_SCHEMES.match(related.Target or "")
        }
        if not addresses and str(part) not in flags.hiding:
            return _NO_DETAILS
        with file.open(str(part)) as stream:
            for _, element in iterparse(stream):
                if element.tag.endswith("}hyperlink"):
                    address = next(
                        (addresses[id_] for name, id_ in element.items() if name.endswith("}id") and id_ in addresses),
                        "",
                    )
                    bounds = range_boundaries(element.get("ref", "")) if address else ()
                    if None not in bounds and bounds:
                        left, top, right, bottom = cast("tuple[int, int, int, int]", bounds)
                        cells = product(range(top, bottom + 1), range(left, right + 1))
                        links.update((cell, address) for cell in islice(cells, _MOST_LINKS - len(links)))
                elif not element.tag.endswith(_CELL_PARTS):
                    if element.tag.endswith("}row"):
                        number = int(float(element.get("r") or number + 1))  # some write 3.0
                        if element.get("hidden") in _YES and number <= _LAST_ROW:
                            hidden_rows = hidden_rows or bytearray(_LAST_ROW + 1)
                            hidden_rows[number] = 1
                    elif element.tag.endswith("}col") and element.get("hidden") in _YES:
                        hidden_columns.append(range(int(element.get("min", 0)), int(element.get("max", 0)) + 1))
                    element.clear()
    return _SheetDetails(links, hidden_rows, hidden_columns)


def _source(path: Path, rows: "_Rows") -> LeadFileSource:
    return LeadFileSource(path, sheet=LeadSheet(rows.title), sheet_text=_packed(path.name, rows))


class _Rows:
    """Each row's cells in words, without the empty ones behind the last; of a link its formula, which has the address."""

    def __init__(
        self,
        sheet: Worksheet,
        most_rows: int | None = None,
        formulas: Worksheet | None = None,
        details: _SheetDetails = _NO_DETAILS,
    ) -> None:
        self.title = sheet.title
        self._sheet_details = details
        self.hidden_rows = 0
        """How many rows with anything in them a spreadsheet program does not show."""
        self._filled_columns = 0
        self.without_result = 0
        """How many formulas were found for which the file has none."""
        self._rows = sheet.iter_rows(max_row=most_rows)
        self._formulas = repeat(()) if formulas is None else formulas.iter_rows()

    def __iter__(self) -> Iterator[list[str]]:
        is_below_header = False
        links, hidden_rows, hidden_columns = self._sheet_details
        for number, (row, formulas) in enumerate(zip(self._rows, self._formulas, strict=False), 1):
            if number > _LAST_ROW:
                raise OutriderError("lead_file_too_many_rows", file=f"“{self.title}”", limit=limits.MAX_ROWS)
            cells = [_cell_text(cell) for cell in row]
            for at, formula in enumerate(formulas[: len(cells)]):
                if formula.data_type != "f":
                    continue
                if isinstance(formula.value, str) and _LINK.match(formula.value):
                    cells[at] = formula.value
                elif row[at].value is None and row[at].data_type == "n":  # an empty text is a result
                    self.without_result += 1
            if links and is_below_header:
                cells = [
                    _linked(text, address) if (address := links.get((number, column))) else text
                    for column, text in enumerate(cells, 1)
                ]
            while cells and not cells[-1]:
                cells.pop()
            if hidden_rows and cells:
                self.hidden_rows += hidden_rows[number]
            if hidden_columns:
                self._filled_columns = max(self._filled_columns, len(cells))
            is_below_header = is_below_header or len(cells) > 1
            yield cells

    @property
    def hidden_columns(self) -> tuple[str, ...]:
        """The letters of those columns, of the rows so far."""
        ends = (
            (columns.start, min(columns.stop, self._filled_columns + 1))
            for columns in self._sheet_details.hidden_columns
        )
        return tuple(get_column_letter(column) for start, stop in ends for column in range(start, stop))


def _linked(text: str, address: str) -> str:
    """What a formula would say that shows the text and leads to the address; the text, if it is an address by itself."""
    if "@" in text or "://" in text or "linkedin.com/" in text or '"' in address:
        return text
    doubled = text.replace('"', '""')
    return f'=HYPERLINK("{address}","{doubled}")'


def _packed(file: str, rows: _Rows) -> bytes:
    """The rows as text, packed; the first ones as wide as the widest of all, so that the header is."""
    head: list[list[str]] = []
    widest = least = size = blanks = 0
    body = io.BytesIO()
    with _writing(body) as text:
        writer = csv.writer(text, lineterminator="\n")
        for row in _split_into_columns(rows):
            size += 1 + sum(map(len, row))
            if size > limits.MAX_FILE_BYTES:
                raise archive.workbook_too_large(file, f"“{rows.title}”", size, limits.MAX_FILE_BYTES)
            widest = max(widest, len(row))
            if len(head) < _HEAD_ROWS:
                head.append(row)
                least = widest
            elif row:
                text.write("\n" * min(blanks, _MOST_BLANK_ROWS))
                writer.writerow(row + [""] * (least - len(row)))
                blanks = 0
            else:  # rows that were only formatted are none at the end
                blanks += 1
    beginning = io.BytesIO()
    with _writing(beginning) as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows(row and row + [""] * (widest - len(row)) for row in head)
    return beginning.getvalue() + body.getvalue()


def _split_into_columns(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    """The rows as their header splits them, where a spreadsheet program left a text file's lines whole, or split some at commas."""
    every_row = iter(rows)
    head = list(islice(every_row, limits.HEADER_RECORDS))
    lines = [row[0] for row in head if len(row) == 1]
    delimiter = next((mark for mark in DELIMITERS if _splits(lines, mark)), "")
    every_row = chain(head, every_row)
    return (_cells(row, delimiter) for row in every_row) if delimiter else every_row


def _splits(lines: list[str], delimiter: str) -> bool:
    """Whether one of the lines is then a header; one that names a single field is, if all are split alike."""
    rows = [_cells([line], delimiter) for line in lines]
    widths = {len(row) for row in rows}
    return any(map(is_header, rows)) or (
        len(rows) > 1 and len(widths) == 1 and widths != {1} and bool(guess_columns(rows[0]))
    )


def _cells(row: list[str], delimiter: str) -> list[str]:
    try:
        return next(csv.reader([",".join(row)], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:  # a cell beyond every limit
        return row


@contextmanager
def _writing(packed: IO[bytes]) -> Iterator[IO[str]]:
    with gzip.open(packed, "wt", compresslevel=1, encoding="utf-8", errors="replace", newline="") as text:
        yield text


def _cell_text(cell: _Cell) -> str:
    """What a cell says, on one line, as a spreadsheet program would write it into a CSV file; nothing for an error."""
    value = cell.value
    if isinstance(value, str):
        return "" if cell.data_type == "e" else _LINE_BREAKS.sub(" ", value[: limits.MAX_CELL_BYTES + 1])
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        text = _number(value)
        zeros = _ZEROS.fullmatch(cell.number_format or "")
        return text.zfill(len(zeros[0])) if zeros else text
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == _MIDNIGHT else value.isoformat(" ", "seconds")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _number(value: float) -> str:
    """All digits of a number as far as Excel keeps them, 15, and no others: a telephone number has no `.0` and no `E+12`."""
    if not math.isfinite(value):
        return ""
    if isinstance(value, int):
        return str(value)
    return format(Decimal(f"{value:.15g}"), "f")
