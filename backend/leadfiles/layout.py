"""Where a file keeps each field, and how one of its records becomes a row."""

import re
from collections.abc import Sequence

from backend.domain.lead_row import REASONS, LeadRow, RejectedRow
from backend.leadfiles import limits
from backend.leadfiles.display_text import display_text
from backend.leadfiles.lead_format import LeadFormat, column_key
from backend.leadfiles.profile_url import normalise_profile_url
from backend.leadfiles.records import Record

_NAME_FIELDS = ("full_name", "first_name", "last_name")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
# A character takes four bytes at most, so a shorter record has no cell above the limit.
_MOST_BYTES_A_CHARACTER = 4
# Layout.read puts an empty cell behind the last one: a field without a column reads that.
_ABSENT = -1


class Layout:
    """The columns of one file."""

    __slots__ = ("_at", "_columns", "_extras", "_least", "_read_date", "width")

    def __init__(self, lead_format: LeadFormat, header: Sequence[str]) -> None:
        keys = [column_key(cell) for cell in header]
        at = {
            field: next((keys.index(name) for name in names if name in keys), _ABSENT)
            for field, names in lead_format.columns.items()
        }
        self.width = len(header)
        self._columns = (*_unique_names(header), "")
        self._extras = tuple(i for i in range(self.width) if i not in at.values())
        self._least = 1 + max(at.get(field, _ABSENT) for field in _NAME_FIELDS)
        self._read_date = lead_format.read_date
        self._at = tuple(
            at.get(field, _ABSENT)
            for field in (*_NAME_FIELDS, "profile_url", "email", "company", "job_title", "connected_on")
        )

    def read(self, record: Record) -> LeadRow | RejectedRow:
        """The record as a lead, or the reason why it is none."""
        line, raw, cells, problem, recovered = record
        if problem is not None:
            return self._rejected(record, problem)
        missing = self.width - len(cells)
        if missing:
            if recovered:
                return self._rejected(record, "unclosed_quote")
            if missing < 0:
                return self._rejected(record, "too_many_columns")
            if len(cells) < self._least:
                return self._rejected(record, "too_few_columns")
        if len(raw) * _MOST_BYTES_A_CHARACTER > limits.MAX_CELL_BYTES and any(
            len(cell.encode()) > limits.MAX_CELL_BYTES for cell in cells
        ):
            return self._rejected(record, "cell_too_long")
        texts = [display_text(cell) if cell else "" for cell in cells]
        texts.extend([""] * (missing + 1))
        at_full, at_first, at_last, at_url, at_email, at_company, at_title, at_date = self._at
        first, last = texts[at_first], texts[at_last]
        full = texts[at_full] or f"{first} {last}".strip()
        if not full:
            return self._rejected(record, "no_name")
        extra = {self._columns[i]: texts[i] for i in self._extras if texts[i]}
        url = normalise_profile_url(texts[at_url]) if texts[at_url] else None
        email = texts[at_email] if EMAIL.fullmatch(texts[at_email]) else None
        date = self._read_date(texts[at_date]) if texts[at_date] else None
        for at, value in ((at_url, url), (at_email, email), (at_date, date)):
            if value is None and texts[at]:
                extra[self._columns[at]] = texts[at]
        return LeadRow(
            line,
            raw,
            full,
            first,
            last,
            url,
            url or (email.lower() if email else None),
            email,
            texts[at_company] or None,
            texts[at_title] or None,
            date,
            extra,
        )

    def _rejected(self, record: Record, code: str) -> RejectedRow:
        reason = REASONS[code].format(found=len(record.cells), expected=self.width)
        return RejectedRow(record.line, record.raw, code, reason)


def _unique_names(header: Sequence[str]) -> list[str]:
    """A name for each column, also for one that has none or shares it."""
    names: list[str] = []
    for number, cell in enumerate(header, 1):
        name = display_text(cell) or f"column {number}"
        names.append(name if name not in names else f"{name} (column {number})")
    return names
