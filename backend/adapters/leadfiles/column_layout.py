"""Where a file keeps each field, and how one of its records becomes a row."""

import json
import re
from collections.abc import Sequence

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.cell_text import cell_text
from backend.adapters.leadfiles.csv_records import CsvRecord
from backend.adapters.leadfiles.lead_format import LeadFormat, column_key
from backend.adapters.leadfiles.profile_url import normalise_profile_url
from backend.domain import lead_edits
from backend.domain.csv_cell import restored
from backend.domain.errors import OutriderError
from backend.domain.hidden_characters import as_it_looks
from backend.domain.lead_row import DEGREE, FURTHER_FIELDS, REASONS, LeadRow, RejectedRow
from backend.domain.past_contact import PastContact

_LINKEDIN_OPENED = "2003-05-05"
"""Nobody was connected there before."""
_NAME_FIELDS = ("full_name", "first_name", "last_name")
_TAGS = re.compile(r"[,;|]")
EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_DEGREE_COLUMNS = ("connection degree", "degree")
_DEGREE = re.compile(r"^\W*(?:distance[ _])?([123])(?:st|nd|rd)?\+?(?:\W*degree)?(?:\W*connection)?\W*$", re.IGNORECASE)
# A character takes four bytes at most, so a shorter record has no cell above the limit.
_MOST_BYTES_A_CHARACTER = 4
# Layout.read puts an empty cell behind the last one: a field without a column reads that.
_ABSENT = -1


class ColumnLayout:
    """The columns of one file."""

    __slots__ = (
        "_addresses", "_at", "_columns", "_contact", "_degree", "_extras", "_further", "_is_our_export", "_least", "_read_date",
        "_tags", "width",
    )  # fmt: skip

    def __init__(self, lead_format: LeadFormat, header: Sequence[str]) -> None:
        keys = [column_key(cell) for cell in header]
        at = {
            field: next((keys.index(name) for name in names if name in keys), _ABSENT)
            for field, names in lead_format.columns.items()
        }
        self.width = len(header)
        columns = _unique_names(header)
        self._is_our_export = lead_format.is_our_export
        self._further = keys.index(FURTHER_FIELDS) if self._is_our_export else _ABSENT
        self._addresses = tuple(keys.index(name) for name in lead_format.columns.get("profile_url", ()) if name in keys)
        self._tags = at.get("tags", _ABSENT)
        taken = {*at.values(), *self._addresses}
        self._extras = () if self._is_our_export else tuple(i for i in range(self.width) if i not in taken)
        # One name in every file, so that a condition on it holds for people of all of them.
        self._degree = next((i for i in self._extras if keys[i] in _DEGREE_COLUMNS), _ABSENT)
        if self._degree != _ABSENT and DEGREE not in columns:
            columns[self._degree] = DEGREE
        self._columns = (*columns, "")
        self._contact = {what: keys.index(name) for what, name in lead_format.contact.items() if name in keys}
        self._least = 1 + max(at.get(field, _ABSENT) for field in _NAME_FIELDS)
        self._read_date = lead_format.read_date
        self._at = tuple(
            at.get(field, _ABSENT) for field in (*_NAME_FIELDS, "email", "company", "job_title", "connected_on")
        )

    def read(self, record: CsvRecord) -> LeadRow | RejectedRow:
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
            if not raw.endswith(
                ("\n", "\r")
            ):  # only the last line has no end; what is left of a cell is not to be believed
                return self._rejected(record, "cut_off")
        if len(raw) * _MOST_BYTES_A_CHARACTER > limits.MAX_CELL_BYTES and any(
            len(cell.encode()) > limits.MAX_CELL_BYTES for cell in cells
        ):
            return self._rejected(record, "cell_too_long")
        if self._is_our_export:
            cells = [restored(cell) for cell in cells]
        texts = [cell_text(cell) if cell else "" for cell in cells]
        texts.extend([""] * (missing + 1))
        texts[self._degree] = _DEGREE.sub(r"\1", texts[self._degree])
        at_full, at_first, at_last, at_email, at_company, at_title, at_date = self._at
        first, last = texts[at_first], texts[at_last]
        full = texts[at_full] or f"{first} {last}".strip()
        if not as_it_looks(full):
            return self._rejected(record, "no_name")
        extra = {self._columns[i]: texts[i] for i in self._extras if texts[i]} | _further_fields(texts[self._further])
        # Two addresses that look the same are one person's.
        mail, day = as_it_looks(texts[at_email]), as_it_looks(texts[at_date])
        url = self._address(texts, extra)
        mail = mail.removeprefix("mailto:")
        email = mail if EMAIL.fullmatch(mail) else None
        date = self._read_date(day) if day else None
        if date is not None and date < _LINKEDIN_OPENED:
            date = None
        for at, value in ((at_email, email), (at_date, date)):
            if value is None and texts[at]:
                extra[self._columns[at]] = texts[at]
        tags = self._tags_of(texts[self._tags], extra)
        row = LeadRow(
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
            tags,
        )
        days = {what: texts[at] for what, at in self._contact.items() if texts[at]}
        return row.in_touch(PastContact(**days)) if days else row

    def _address(self, texts: Sequence[str], extra: dict[str, str]) -> str | None:
        """The first of the row's addresses that is one; the others are kept as they are."""
        url: str | None = None
        for at in self._addresses:
            if not (text := texts[at]):
                continue
            found = normalise_profile_url(as_it_looks(text))
            if url is None and found is not None:
                url = found
            elif found != url or found is None:
                extra[self._columns[at]] = text
        return url

    def _tags_of(self, text: str, extra: dict[str, str]) -> tuple[str, ...]:
        """The tags in the cell; kept as a further column if they cannot be tags here."""
        if not text:
            return ()
        try:
            return tuple(lead_edits.tags([tag for tag in map(str.strip, _TAGS.split(text)) if tag]))
        except OutriderError:
            extra[self._columns[self._tags]] = text
            return ()

    def _rejected(self, record: CsvRecord, code: str) -> RejectedRow:
        reason = REASONS[code].format(found=len(record.cells), expected=self.width)
        return RejectedRow(record.line, record.raw, code, reason)


def _further_fields(text: str) -> dict[str, str]:
    """What our own export tells of columns without a field; nothing if somebody made it something else."""
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {FURTHER_FIELDS: text}
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        return {FURTHER_FIELDS: text}
    return {name: value for name, value in found.items() if value and "\0" not in name + value}


def _unique_names(header: Sequence[str]) -> list[str]:
    """A name for each column, also for one that has none or shares it."""
    names: list[str] = []
    for number, cell in enumerate(header, 1):
        name = as_it_looks(cell) or f"column {number}"
        names.append(name if name not in names else f"{name} (column {number})")
    return names
