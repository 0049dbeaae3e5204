"""CSV for spreadsheets: no cell can be taken for a formula (design: security, "lead files")."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from backend.domain.values.csv_cell import neutralised

BOM = "\ufeff"
"""Without it, spreadsheets take UTF-8 for something else."""


def csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Each row as a line of CSV in UTF-8."""
    for row in rows:
        out = io.StringIO()
        csv.writer(out).writerow([neutralised(cell) for cell in row])
        yield out.getvalue().encode("utf-8", "backslashreplace")
