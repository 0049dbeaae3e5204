"""Reads a lead file to its end and proves that every physical line came out exactly once."""

import io
import re
from pathlib import Path

from backend.adapters.leadfiles import LeadFile, LeadRow, RejectedRow, read_leads

HEADER_LINE = "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n"


def read_whole(path: Path) -> tuple[list[LeadRow], list[RejectedRow]]:
    """The accepted and the rejected rows, all lines accounted for."""
    lead_file = read_leads(path)
    rows = list(lead_file)
    assert_accounted(lead_file, rows)
    accepted = [row for row in rows if isinstance(row, LeadRow)]
    return accepted, [row for row in rows if isinstance(row, RejectedRow)]


def assert_accounted(lead_file: LeadFile, rows: list[LeadRow | RejectedRow]) -> None:
    """Preamble, rows and blank lines together are the file's text."""
    with lead_file.source.open_bytes() as stream:
        # Where files were joined, lines begin with the mark of an encoding, which is no part of them.
        text = re.sub(r"(?<=[\r\n])\ufeff+", "", stream.read().decode(lead_file.encoding).lstrip("\ufeff"))
    if lead_file.sheet.quotation_marks:  # its rows come as CSV writes them
        with lead_file.source.open_lines(lead_file.encoding) as as_csv:
            text = "".join(as_csv)
    assert text.startswith(lead_file.preamble)
    lines = physical_lines(text)
    seen = len(physical_lines(lead_file.preamble))
    for row in rows:
        blank = lines[seen : row.line - 1]
        assert all(line in ("\n", "\r", "\r\n") for line in blank), blank
        covered = len(physical_lines(row.raw))
        assert row.raw == "".join(lines[row.line - 1 : row.line - 1 + covered])
        assert covered
        assert row.line > seen
        seen = row.line - 1 + covered
    assert all(line in ("\n", "\r", "\r\n") for line in lines[seen:])


def physical_lines(text: str) -> list[str]:
    return list(io.StringIO(text, newline=""))


def connections(tmp_path: Path, body: str, *, header: str = HEADER_LINE, encoding: str = "utf-8") -> Path:
    """A file with the header and the body."""
    path = tmp_path / "leads.csv"
    path.write_bytes((header + body).encode(encoding))
    return path


def one(tmp_path: Path, body: str, *, header: str = HEADER_LINE) -> LeadRow:
    """The only row of a file, which must be good."""
    accepted, rejected = read_whole(connections(tmp_path, body, header=header))
    assert not rejected
    (row,) = accepted
    return row
