"""A table of no known kind: what splits it best, and what its columns probably hold, by their names and by what stands in them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from statistics import median_low

from backend.adapters.leadfiles import archive, limits
from backend.adapters.leadfiles.csv_records import CsvRecord, cell_text, filled, is_blank, named_delimiter, records
from backend.adapters.leadfiles.file_scan import scan_file
from backend.adapters.leadfiles.lead_format import column_key, guess_columns, recognise
from backend.adapters.leadfiles.profile_url import is_linkedin_address
from backend.adapters.leadfiles.source import LeadFileSource, plain_file
from backend.adapters.leadfiles.written_address import EMAIL, first_email, shown_by_formula
from backend.domain.people.lead_row import NAME_FIELDS, UnknownTable
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import as_it_looks

_ROWS_LOOKED_AT = 200
_MOST_CHARS = 1024 * 1024
_ADDRESS_SHARE = 0.9
_ENOUGH = 2
"""A single address among many rows may be anybody's."""
_NAMES_OF_A_HEADER = 2
"""A title may be called like a column, too, but not like two."""


def unknown_table(path: Path | str, encoding: str | None = None, sheet: str = "") -> UnknownTable:
    """The table at the path; raises `lead_file_…`."""
    source = table_source(path, sheet)
    scan = scan_file(source, encoding)
    return split_table(source, scan.encoding)._replace(sheet=source.as_read(scan.encoding).sheet)


def table_source(path: Path | str, sheet: str = "") -> LeadFileSource:
    """The file at the path; of a workbook, that sheet, or the one with people. Raises `lead_file_…`."""
    source = plain_file(Path(path))
    if not archive.is_workbook(source.path):
        if sheet:
            raise OutriderError("lead_file_without_sheets", file=source.label, sheet=sheet)
        return source
    status = source.path.stat()
    return _sheet_source(source.path, status.st_mtime_ns, status.st_size, sheet)


@lru_cache(maxsize=1)
def _sheet_source(path: Path, changed_ns: int, size: int, sheet: str) -> LeadFileSource:
    """That sheet, or the one with people; kept, because one look at a file reads it several times."""
    from backend.adapters.leadfiles.workbook import sheet_source  # noqa: PLC0415 - its library is loaded for no other file

    return sheet_source(path, _holds_people, sheet)


def _holds_people(source: LeadFileSource) -> bool:
    """Whether names stand in the table, by how its columns are called or by the kind of file it is."""
    encoding = scan_file(source).encoding
    table = split_table(source, encoding)
    return bool(table.rows) and (
        not table.guessed.keys().isdisjoint(NAME_FIELDS) or recognise(table.header) is not None
    )


def split_table(source: LeadFileSource, encoding: str) -> UnknownTable:
    """The table, split at whatever splits it best; without headings, if already its first row is a person."""
    best = UnknownTable((), {}, (), encoding, ",")
    best_rank = (False, 0.0)
    with source.open_lines(encoding) as lines:
        named_by_file = named_delimiter(next(lines, ""))
    for delimiter in source.delimiters(encoding):
        with source.open_lines(encoding) as lines:
            head = [record.cells for record in islice(_beginning(lines, delimiter), 1 + _ROWS_LOOKED_AT)]
        if not any(map(filled, head)):
            continue
        at = _header_at(head)
        is_person = at == 0 and any(_is_address(cell) for cell in head[0])
        table = head[at:]
        width = max(map(filled, table))
        first = tuple(table[0][: min(width, limits.MAX_COLUMNS)])
        # What stands in a few cells only, such as the bars of a headline, does not split the others alike.
        # Some programs write no delimiters behind the last filled cell, which only a header with names tells from a title.
        is_named = len(guess_columns(first)) >= _NAMES_OF_A_HEADER
        least = 2 if is_named else len(first)
        fitting_rows = sum(filled(row) <= len(first) and len(row) >= least for row in table)
        rank = (is_person or is_named, len(first) * fitting_rows / len(table))
        if rank > best_rank:
            header = _numbered(len(first)) if is_person else first
            rows = tuple(tuple(map(cell_text, row)) for row in (table if is_person else table[1:]))
            best_rank = rank
            best = UnknownTable(header, _guessed(header, rows), rows, encoding, delimiter, has_headings=not is_person)
        if delimiter == named_by_file and len(first) > 1:
            break
    return best


def _header_at(head: Sequence[Sequence[str]]) -> int:
    """Which record names the columns: titles, and what is written above groups of columns, stand before it.

    The first with the names of several fields; failing that, the first that is filled as most records are.
    """
    candidates = head[: limits.HEADER_RECORDS]
    named_fields = [len(guess_columns(cells)) for cells in candidates]
    if (
        position := next((at for at, count in enumerate(named_fields) if count >= _NAMES_OF_A_HEADER), None)
    ) is not None:
        while position + 1 < len(candidates) and named_fields[position + 1] > named_fields[position]:
            position += 1  # “Contact, , , Company” above “First name, Last name, Email, City”
        return position
    counts = [sum(bool(cell_text(cell)) for cell in cells) for cells in head]
    usual = median_low(counts)
    return next((at for at in range(len(candidates)) if counts[at] >= usual > 0), 0)


def _numbered(columns: int) -> tuple[str, ...]:
    """Names for so many columns that have none."""
    return tuple(f"Column {number}" for number in range(1, columns + 1))


def _beginning(lines: Iterator[str], delimiter: str) -> Iterator[CsvRecord]:
    size = 0
    for record in records(lines, delimiter):
        if is_blank(record):
            continue
        if not (record.line == 1 and named_delimiter(record.raw)):
            yield record
        size += len(record.raw)
        if size > _MOST_CHARS:
            return


def _guessed(header: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, str]:
    """Field -> the column that is probably it: by its name, and of addresses by its values, which tell more."""
    guessed = guess_columns(header)
    keys = [column_key(cell) for cell in header]
    columns = {
        name: [as_it_looks(row[at]) for row in rows if at < len(row) and row[at]]
        for at, name in enumerate(header)
        if keys.index(keys[at]) == at
    }
    for field, is_one in _ADDRESSES.items():
        if field in guessed and any(map(is_one, columns.get(guessed[field], ()))):
            continue
        holds = {name: len(set(values)) for name, values in columns.items() if _hold(values, is_one, len(rows))}
        if holds:
            column = max(holds, key=lambda name: holds[name])
            guessed = {
                other: name
                for other, name in guessed.items()
                if name != column or _is_linked_name(other, columns[column])
            } | {field: column}
    if guessed.keys() >= set(NAME_FIELDS) and not _are_whole_names(
        columns[guessed["full_name"]], columns[guessed["first_name"]]
    ):
        del guessed["full_name"]  # “Name” is the company's
    return guessed


def _is_linked_name(field: str, values: Sequence[str]) -> bool:
    """Whether they are names that lead to addresses when one clicks on them: such a column is both."""
    return field in NAME_FIELDS and all(shown_by_formula(value) != value for value in values)


def _are_whole_names(names: Sequence[str], first_names: Sequence[str]) -> bool:
    beginnings = {first_name.casefold() for first_name in first_names}
    return not beginnings or any(word in beginnings for name in names for word in _beginnings(name.casefold()))


def _beginnings(name: str) -> list[str]:
    words = name.split()
    return [" ".join(words[:count]) for count in range(1, len(words) + 1)] + words


def _hold(values: Sequence[str], is_one: Callable[[str], bool], rows: int) -> bool:
    """Whether they are addresses, each of another person: one that all rows share is not theirs."""
    different = len(set(values))
    enough = values and different >= min(_ENOUGH, rows) and different * 2 >= len(values)
    return bool(enough) and sum(map(is_one, values)) >= _ADDRESS_SHARE * len(values)


def _is_address(cell: str) -> bool:
    text = cell_text(cell)
    return is_linkedin_address(text) or _is_email(text)


def _is_email(text: str) -> bool:
    return EMAIL.fullmatch(first_email(text)) is not None


_ADDRESSES: Mapping[str, Callable[[str], bool]] = {"profile_url": is_linkedin_address, "email": _is_email}
