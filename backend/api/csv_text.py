"""CSV for spreadsheets: no cell can be taken for a formula (design: security, "lead files")."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
BOM = "\ufeff"
"""Without it, spreadsheets take UTF-8 for something else."""


def harmless(cell: str) -> str:
    """The cell as text, whatever a spreadsheet would make of its first character."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Each row as a line of CSV in UTF-8."""
    for row in rows:
        out = io.StringIO()
        csv.writer(out).writerow([harmless(cell) for cell in row])
        yield out.getvalue().encode("utf-8", "backslashreplace")
