"""Where the bytes of a lead file come from: a plain file, one member of a zip, or one sheet of a workbook."""

import csv
import gzip
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import IO, cast

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.csv_records import DELIMITERS, named_delimiter
from backend.adapters.leadfiles.lead_format import guess_columns, recognise
from backend.adapters.leadfiles.quotation_marks import QuotationMarks, quotation_marks, with_usual_marks
from backend.domain.people.lead_sheet import NO_SHEET, LeadSheet
from backend.domain.values.errors import OutriderError

_DAMAGE = (ValueError, LookupError, RuntimeError, ArithmeticError, EOFError, struct.error)


@dataclass(frozen=True, slots=True)
class LeadFileSource:
    """Opened anew for each reading, always from its beginning."""

    path: Path
    member: str | None = None
    sheet: LeadSheet = NO_SHEET
    sheet_text: bytes = field(default=b"", repr=False)
    """The sheet as a table in UTF-8 with commas, one row a line, packed by gzip. A workbook is unpacked but once."""

    @property
    def label(self) -> str:
        """The name a person knows it by."""
        if self.sheet.name:
            return f"{self.path.name} (sheet “{self.sheet.name}”)"
        return self.path.name if self.member is None else f"{self.path.name}/{self.member}"

    @contextmanager
    def open_bytes(self) -> Iterator[IO[bytes]]:
        """The bytes; whatever goes wrong inside the block comes out as an OutriderError."""
        with translating_file_errors(self.label):
            if self.sheet.name:
                with gzip.open(io.BytesIO(self.sheet_text)) as unpacked:
                    yield cast("IO[bytes]", unpacked)
            elif self.member is None:
                with self.path.open("rb") as stream:
                    yield stream
            else:
                with open_archive(self.path) as archive, open_member(archive, self.member) as stream:
                    yield stream

    @contextmanager
    def open_lines(self, encoding: str) -> Iterator[Iterator[str]]:
        """The physical lines, each with its own line ending (CRLF, LF or CR); without the quotes around every whole line.

        Rows between other quotation marks than CSV's come as CSV writes them. The mark of an encoding, which begins a line
        where files were joined, is no part of it.
        """
        with self.open_bytes() as stream, io.TextIOWrapper(stream, encoding, newline="") as lines:
            yield _with_usual_quotes(map(_without_mark, lines))[0]

    def as_read(self, encoding: str) -> "LeadFileSource":
        """The same, knowing which quotation marks it has, if they are unusual ones."""
        with self.open_bytes() as stream, io.TextIOWrapper(stream, encoding, newline="") as lines:
            marks = _with_usual_quotes(map(_without_mark, lines))[1]
        return replace(self, sheet=self.sheet._replace(quotation_marks=marks.pair)) if marks else self

    def delimiters(self, encoding: str) -> tuple[str, ...]:
        """What may split its cells, best first: what the file itself names, then what others use."""
        if self.sheet.name:
            return (",",)
        with self.open_lines(encoding) as lines:
            delimiter = named_delimiter(next(lines, ""))
        return tuple(dict.fromkeys((delimiter, *DELIMITERS))) if delimiter else DELIMITERS


@contextmanager
def translating_file_errors(label: str) -> Iterator[None]:
    """Turns what the operating system, zip and the decoder raise into errors for people."""
    try:
        yield
    except OSError as problem:
        raise OutriderError("lead_file_unreadable", file=label, problem=problem.strerror or str(problem)) from problem
    except UnicodeError as problem:  # the file passed the survey, so it has changed since
        raise OutriderError("lead_file_changed", file=label) from problem
    except (zipfile.BadZipFile, zlib.error, EOFError) as problem:
        raise OutriderError("lead_file_zip_damaged", file=label) from problem


def open_archive(path: Path) -> zipfile.ZipFile:
    """The zip at the path; BadZipFile for everything zipfile raises over a damaged one."""
    try:
        return zipfile.ZipFile(path)
    except _DAMAGE as problem:
        raise zipfile.BadZipFile(str(problem)) from problem


def open_member(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """The member's bytes; BadZipFile for everything zipfile raises over a damaged one."""
    try:
        return archive.open(name)
    except _DAMAGE as problem:
        raise zipfile.BadZipFile(str(problem)) from problem


def plain_file(path: Path) -> LeadFileSource:
    """The file at the path, if it is one and not too large."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError) as problem:
        raise OutriderError("lead_file_missing", file=str(path)) from problem
    except OSError as problem:
        raise OutriderError("lead_file_unreadable", file=path.name, problem=problem.strerror or "") from problem
    if stat.S_ISDIR(status.st_mode):
        raise OutriderError("lead_file_is_a_directory", file=path.name)
    if not stat.S_ISREG(status.st_mode):
        raise OutriderError("lead_file_not_a_file", file=path.name)
    if status.st_size == 0:
        raise OutriderError("lead_file_empty", file=path.name)
    if status.st_size > limits.MAX_FILE_BYTES:
        raise too_large(path.name, status.st_size)
    return LeadFileSource(path)


def too_large(label: str, size: int) -> OutriderError:
    """The refusal of a file above the size limit."""
    return OutriderError(
        "lead_file_too_large", file=label, megabytes=-(-size // 1_000_000), limit=limits.MAX_FILE_BYTES // 1_000_000
    )


_NAMES_OF_A_HEADER = 2


def _without_mark(line: str) -> str:
    return line.lstrip("\ufeff")


def _with_usual_quotes(lines: Iterator[str]) -> tuple[Iterator[str], QuotationMarks | None]:
    """The lines as CSV writes them, and which marks they have in its place."""
    lines = without_line_quotes(lines)
    head = list(islice(lines, limits.HEADER_RECORDS + 1))
    marks = quotation_marks(head, is_header)
    every_line = chain(head, lines)
    return (with_usual_marks(every_line, marks) if marks else every_line), marks


def without_line_quotes(lines: Iterator[str]) -> Iterator[str]:
    """The rows of such a table as lines of their own; the lines of any other file as they are.

    The first lines decide: all of them are in quotes, and have as many cells as the header.
    """
    first = next(lines, "")
    if not first.startswith('"'):
        return chain((first,), lines) if first else lines
    head = [first, *islice(lines, limits.HEADER_RECORDS)]
    every_line = chain(head, lines)
    unquoted_head = [_unquoted(line) for line in head if line.strip()]
    for delimiter in DELIMITERS:
        rows = [_cells(line, delimiter) for line in unquoted_head]
        width = len(rows[0])
        if width > 1 and len(rows) > 1 and all(len(row) == width for row in rows) and is_header(rows[0]):
            return map(_row, every_line)
    return every_line


def _unquoted(line: str) -> str:
    """What stands in the quotes around the whole line; empty if that is not all of it."""
    text = line.rstrip("\r\n")
    inner = text[1:-1]
    whole = len(text) > 1 and text.startswith('"') and text.endswith('"') and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if whole else ""


def _cells(line: str, delimiter: str) -> Sequence[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _row(line: str) -> str:
    inner = _unquoted(line)
    return inner + line[len(line.rstrip("\r\n")) :] if inner else line


def is_header(cells: Sequence[str]) -> bool:
    """Whether the cells name several fields, or the columns of a known kind of file."""
    return recognise(cells) is not None or len(guess_columns(cells)) >= _NAMES_OF_A_HEADER
