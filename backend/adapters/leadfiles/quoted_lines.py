"""A table of which every line is wholly in quotes, the quotes in it doubled: each line is one cell, and this a row of the table.

A spreadsheet or a script that writes finished lines as cells makes such files. Only a header tells them from a list of one column
whose values have commas.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.csv_records import DELIMITERS
from backend.adapters.leadfiles.lead_format import guess_columns, recognise

_NAMES_OF_A_HEADER = 2


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
        if width > 1 and len(rows) > 1 and all(len(row) == width for row in rows) and _is_header(rows[0]):
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


def _is_header(cells: Sequence[str]) -> bool:
    return recognise(cells) is not None or len(guess_columns(cells)) >= _NAMES_OF_A_HEADER
