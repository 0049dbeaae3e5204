"""A recognised lead file: iterate it, as often as you like, for its rows."""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from backend.adapters.leadfiles import archive, limits
from backend.adapters.leadfiles.column_layout import ColumnLayout
from backend.adapters.leadfiles.contact_history import contact_history, past_contact_of
from backend.adapters.leadfiles.csv_records import CsvRecord, cell_text, is_blank, records
from backend.adapters.leadfiles.file_scan import FileScan, scan_file
from backend.adapters.leadfiles.lead_format import (
    FORMATS,
    MAPPED,
    LeadFormat,
    column_key,
    format_from_mapping,
    recognise,
)
from backend.adapters.leadfiles.source import LeadFileSource
from backend.adapters.leadfiles.unknown_table import split_table, table_source
from backend.domain.people.lead_row import NAME_FIELDS, LeadRow, ReadAs, RejectedRow
from backend.domain.people.lead_sheet import LeadSheet
from backend.domain.people.past_contact import PastContact, UnreadHistory
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal

_COLUMNS_SHOWN = 8
_LONGEST_PREAMBLE = 64_000


@dataclass(frozen=True, slots=True)
class LeadFile:
    """The file as it was recognised. Iterating opens it anew and yields row after row, holding one at a time."""

    source: LeadFileSource
    format: LeadFormat
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    preamble: str
    """Everything up to and including the header, as in the file."""
    _data_line: int = field(repr=False)
    """The physical line below the header."""
    most_rows: int = 0
    """No fewer than it has records."""
    history: Mapping[str, PastContact] = field(default_factory=dict, repr=False)
    """Address of a profile -> how they and the user were in touch before, where an export tells it."""
    unread_history: UnreadHistory = field(default_factory=UnreadHistory)
    """What an export may tell beside it, and nobody can read."""
    writes_again: bool = False
    """Whether that keeps nobody from being written to."""
    has_headings: bool = True
    """Whether the header stands in the file; if not, its columns are numbered."""

    def __iter__(self) -> Iterator[LeadRow | RejectedRow]:
        """Each record exactly once, in the order of the file. Blank lines are not records."""
        layout = self._layout()
        read = layout.read
        is_behind_blank = is_other_table = is_note = False
        widths: set[int] = set()
        with self.source.open_lines(self.encoding) as lines:
            for record in self._all_records(lines):
                if not any(record.cells) and record.problem is None:
                    is_behind_blank = True
                    if is_blank(record):
                        continue
                elif is_behind_blank or is_other_table or is_note:
                    is_other_table = not layout.is_header(record) and (
                        is_other_table or layout.begins_other_table(record)
                    )
                    is_note = layout.is_note(record, widths)
                    is_behind_blank = False
                else:
                    widths.add(len(record.cells))
                row = layout.as_other_table(record) if is_other_table or is_note else read(record)
                if isinstance(row, LeadRow):
                    past = past_contact_of(self.history, row) if self.history else None
                    if past is not None:
                        row = row.in_touch(past)
                    if self.writes_again:
                        row = row.never_in_touch()
                yield row

    @property
    def sheet(self) -> LeadSheet:
        """Which sheet of a workbook it is."""
        return self.source.sheet

    @property
    def has_past_contact(self) -> bool:
        """Whether it says of anybody how they and the user were in touch before."""
        return bool(self.history) or self._layout().has_past_contact

    def _layout(self) -> ColumnLayout:
        # A day more than the clock says, because elsewhere it is tomorrow already.
        tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
        return ColumnLayout(self.format, self.header, tomorrow)

    def write_again(self) -> "LeadFile":
        """The same people, whoever was in touch with the user before."""
        return replace(self, writes_again=True)

    @property
    def columns(self) -> dict[str, str]:
        """Field -> the column that it is read from."""
        names = {column_key(cell): cell for cell in reversed(self.header)}
        columns = {
            field: next((names[key] for key in keys if key in names), None)
            for field, keys in self.format.columns.items()
        }
        return {field: cell for field, cell in columns.items() if cell is not None}

    @property
    def read_as(self) -> ReadAs:
        """How it is read, to be kept with its import."""
        preamble = self.preamble if self.has_headings else f"{self.delimiter.join(self.header)}\n"
        if len(preamble) > _LONGEST_PREAMBLE:
            preamble = ""
        return ReadAs(self.header, self.columns if self.format.name == MAPPED else {}, preamble)

    def _records(self, lines: Iterator[str]) -> Iterator[CsvRecord]:
        return (record for record in self._all_records(lines) if not is_blank(record))

    def _all_records(self, lines: Iterator[str]) -> Iterator[CsvRecord]:
        below_header = islice(lines, self._data_line - 1, None)
        return records(below_header, self.delimiter, width=len(self.header), line=self._data_line)


def read_leads(
    path: Path | str, mapping: Mapping[str, str] | None = None, encoding: str | None = None, sheet: str = ""
) -> LeadFile:
    """Recognises a lead file, or the one inside an export zip; OutriderError `lead_file_…` when there is none.

    `mapping` (field -> column) reads any table with these columns; raises `lead_file_no_name_column`.
    `encoding` is what the user named, None to guess it; so is `sheet`, of a workbook.
    """
    source = table_source(path, sheet)
    if mapping is not None and mapping.keys().isdisjoint(NAME_FIELDS):
        raise OutriderError("lead_file_no_name_column", file=source.label)
    formats = FORMATS if mapping is None else (format_from_mapping(mapping),)
    with source.open_bytes() as stream:
        is_export = stream.read(4) in archive.ZIP_MAGIC
    if not is_export:
        return _from_source(source, formats, encoding)
    history, unread = contact_history(source.path)
    return replace(_from_zip(source.path, formats, encoding), history=history, unread_history=unread)


def _from_zip(path: Path, formats: Sequence[LeadFormat], encoding: str | None) -> LeadFile:
    """The one member that is a lead file; failing that, why the member that should be one is not.

    A member with a usual name counts before any other. Raises `lead_file_zip_several` rather than choose among those that
    hold different people.
    """
    sources, refusal, member_names = archive.members(path)
    for usual in (True, False):
        readable: list[LeadFile] = []
        for source in (source for source in sources if archive.usual_name(source.member or "") is usual):
            try:
                readable.append(_from_source(source, formats, encoding))
            except OutriderError as problem:
                if refusal is None and usual:
                    refusal = problem
        if len(archive.different_contents(path, [lead_file.source for lead_file in readable])) > 1:
            names = ", ".join(cell_text(lead_file.source.member or "") for lead_file in readable[:_COLUMNS_SHOWN])
            raise OutriderError("lead_file_zip_several", file=path.name, members=names)
        if readable:
            return readable[0]
    raise refusal or OutriderError("lead_file_zip_without_leads", file=path.name, found=member_names)


def _from_source(source: LeadFileSource, formats: Sequence[LeadFormat], encoding: str | None) -> LeadFile:
    scan = scan_file(source, encoding)
    source = source.as_read(scan.encoding)
    first: CsvRecord | None = None
    for delimiter in source.delimiters(scan.encoding):
        head = _read_head(source, scan.encoding, delimiter, formats)
        lead_format = recognise(head[-1].cells, formats) if head else None
        if lead_format is None:
            first = first or next((record for record in head if not is_blank(record)), None)
            continue
        header = head[-1]
        _check_width(source, header)
        lead_file = LeadFile(
            source=source,
            format=lead_format,
            encoding=scan.encoding,
            delimiter=delimiter,
            header=tuple(header.cells),
            preamble="".join(record.raw for record in head),
            _data_line=header.line + _line_count(header.raw),
            most_rows=max(0, scan.lines - header.line),
        )
        _check_rows(lead_file, scan.lines)
        return lead_file
    bare = _without_headings(source, scan, formats)
    if bare is None:
        raise _unrecognised(source, scan, first)
    _check_rows(bare, scan.lines)
    return bare


def _without_headings(source: LeadFileSource, scan: FileScan, formats: Sequence[LeadFormat]) -> LeadFile | None:
    """The file, if its first row is a person already and its columns are asked for by their numbers."""
    table = split_table(source, scan.encoding)
    lead_format = None if table.has_headings else recognise(table.header, formats)
    if lead_format is None:
        return None
    return LeadFile(
        source=source,
        format=lead_format,
        encoding=table.encoding,
        delimiter=table.delimiter,
        header=table.header,
        preamble="",
        _data_line=1,
        most_rows=scan.lines,
        has_headings=False,
    )


def _read_head(source: LeadFileSource, encoding: str, delimiter: str, formats: Sequence[LeadFormat]) -> list[CsvRecord]:
    """The records up to the header, or up to where we stop looking for one."""
    head: list[CsvRecord] = []
    looked_at = 0
    with source.open_lines(encoding) as lines:
        for record in records(lines, delimiter):
            head.append(record)
            looked_at += not is_blank(record)
            if (
                recognise(record.cells, formats)
                or looked_at == limits.HEADER_RECORDS
                or record.line >= limits.HEADER_LINES
            ):
                break
    return head


def _line_count(raw: str) -> int:
    """How many physical lines a record takes."""
    return sum(1 for _ in io.StringIO(raw, newline=""))


def _check_width(source: LeadFileSource, header: CsvRecord) -> None:
    if len(header.cells) > limits.MAX_COLUMNS:
        raise OutriderError(
            "lead_file_too_many_columns", file=source.label, found=len(header.cells), limit=limits.MAX_COLUMNS
        )


def _check_rows(lead_file: LeadFile, lines: int) -> None:
    """Refuses a file with no row, or with too many, before the first one is used."""
    # A file with fewer lines cannot have too many rows, so that only a huge one is read an extra time.
    enough = limits.MAX_ROWS + 1 if lines > limits.MAX_ROWS else 1
    with lead_file.source.open_lines(lead_file.encoding) as text:
        rows = sum(1 for _ in islice(lead_file._records(text), enough))
    if rows == 0:
        raise OutriderError("lead_file_no_rows", file=lead_file.source.label)
    if rows > limits.MAX_ROWS:
        raise OutriderError("lead_file_too_many_rows", file=lead_file.source.label, limit=limits.MAX_ROWS)


def _unrecognised(source: LeadFileSource, scan: FileScan, first: CsvRecord | None) -> OutriderError:
    """Says what stands where a header was expected."""
    cells = [reveal(cell_text(cell))[:40] for cell in first.cells] if first else []
    if cells and cells[0].rstrip(":").lower() == "notes" and not split_table(source, scan.encoding).guessed:
        return OutriderError("lead_file_only_notes", file=source.label)
    shown = ", ".join(cells[:_COLUMNS_SHOWN]) + (" …" if len(cells) > _COLUMNS_SHOWN else "")
    return OutriderError("lead_file_unknown_format", file=source.label, found=shown or "something unreadable")
