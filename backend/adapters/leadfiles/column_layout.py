"""Where a file keeps each field, and how one of its records becomes a row."""

import json
import re
from collections.abc import Collection, Mapping, Sequence

from backend.adapters.leadfiles import limits
from backend.adapters.leadfiles.column_names import BEFORE_LAST_NAME, COLUMN_NAMES
from backend.adapters.leadfiles.csv_records import CsvRecord, cell_text, filled
from backend.adapters.leadfiles.lead_format import LeadFormat, column_key
from backend.adapters.leadfiles.profile_url import normalise_profile_url, profile_within
from backend.adapters.leadfiles.written_address import (
    EMAIL,
    NOBODYS_EMAIL,
    email_within,
    first_email,
    holds_several,
    shown,
    shown_by_formula,
)
from backend.domain.leads import lead_edits
from backend.domain.people.lead_row import (
    DEGREE,
    FIRST_NAME,
    FURTHER_FIELDS,
    NAME_FIELDS,
    REASONS,
    LeadRow,
    RejectedRow,
)
from backend.domain.people.past_contact import PastContact
from backend.domain.people.past_contact_columns import NO_PAST, PastColumns, Reads, degree_number, past_columns
from backend.domain.values.csv_cell import restored
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import as_it_looks

_LINKEDIN_OPENED = "2003-05-05"
"""Nobody was connected there before."""
_NEVER = "9999-12-31"
NOTHING = frozenset((
    "n/a", "N/A", "N/a", "n.a.", "N.A.", "(n/a)", "<NA>", "null", "NULL", "(null)", "<null>", "none", "None", "NONE", "(none)",
    "undefined", "Undefined", "UNDEFINED", "(undefined)", "nan", "NaN", "nil", "(blank)", "(empty)", "(leer)", "(vide)",
    "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "\u2026", "?",
    "#N/A", "#NA", "#N/V", "#NV", "#N/D", "#N/D!", "#N/B", "#I/T", "#\u041d/\u0414", "#YOK",
    *(f"Err:{number}" for number in range(501, 541)),
))  # fmt: skip
"""What programs write where there is nothing, exactly so: people are called Null, Nan and Nil."""
_ERROR = re.compile(r"#[¡¿]?[^\W\da-z]+(?:/0)?[!?]")
"""A spreadsheet program's, in any of their languages: `#NAME?`, `#BEZUG!`, `#¡VALOR!`, `#DEEL/0!`."""

_TAGS = re.compile(r"[,;|]")
# A character takes four bytes at most, so a shorter record has no cell above the limit.
_MOST_BYTES_A_CHARACTER = 4
# Layout.read puts an empty cell behind the last one: a field without a column reads that.
_ABSENT = -1


class ColumnLayout:
    """The columns of one file."""

    def __init__(self, lead_format: LeadFormat, header: Sequence[str], tomorrow: str = _NEVER) -> None:
        """`tomorrow` (ISO): what a file dates later has not happened."""
        self._keys = keys = [column_key(cell) for cell in header]
        at = {
            field: next((keys.index(name) for name in names if name in keys), _ABSENT)
            for field, names in lead_format.columns.items()
        }
        self.width = len(header)
        self._header = list(header)
        self._named_width = filled(header)
        columns = _unique_names(header)
        self._is_our_export = lead_format.is_our_export
        self._further = keys.index(FURTHER_FIELDS) if self._is_our_export else _ABSENT
        self._addresses = _places(lead_format, "profile_url", keys)
        # A column for any website is an address of theirs only where it leads to a profile.
        self._websites = frozenset(position for position in self._addresses if "web" in keys[position])
        self._emails = _places(lead_format, "email", keys)
        self._tags = at.get("tags", _ABSENT)
        taken = {*at.values(), *self._addresses, *self._emails}
        self._before_last = _ABSENT
        if at.get("last_name", _ABSENT) != _ABSENT and at.get("full_name", _ABSENT) == _ABSENT:
            self._before_last = next(
                (i for i, key in enumerate(keys) if key in BEFORE_LAST_NAME and i not in taken), _ABSENT
            )
            taken.add(self._before_last)
        self._extras = () if self._is_our_export else tuple(i for i in range(self.width) if i not in taken)
        self._connections = lead_format.lists_connections
        self._past = self._past_columns(header, at, taken, tomorrow)
        # One name in every file, so that a condition on it holds for people of all of them.
        self._degree = next((column.at for column in self._past if column.rule.reads is Reads.DEGREE), _ABSENT)
        if self._degree != _ABSENT and DEGREE not in columns:
            columns[self._degree] = DEGREE
        self._columns = (*columns, "")
        self._contact = {what: keys.index(name) for what, name in lead_format.contact.items() if name in keys}
        self._least = 1 + max(at.get(field, _ABSENT) for field in NAME_FIELDS)
        self._read_date = lead_format.read_date
        self._at = tuple(at.get(field, _ABSENT) for field in (*NAME_FIELDS, "company", "job_title", "connected_on"))

    def _past_columns(
        self, header: Sequence[str], at: Mapping[str, int], taken: Collection[int], tomorrow: str
    ) -> PastColumns:
        """The columns of past contact that are no field; and that of the day of connection, which can hold a yes, too."""
        if self._is_our_export:
            return PastColumns(())
        free = set(range(self.width)) - set(taken) | {at.get("connected_on", _ABSENT)}
        return PastColumns(column for column in past_columns(header, tomorrow) if column.at in free)

    @property
    def has_past_contact(self) -> bool:
        """Whether any column tells of past contact."""
        return bool(self._past or self._contact)

    def read(self, record: CsvRecord) -> LeadRow | RejectedRow:
        """The record as a lead, or the reason why it is none."""
        line, raw, cells, _, _ = record
        if len(cells) > self.width:  # delimiters behind the last cell
            cells = cells[: max(self.width, filled(cells))]
        if problem := self._problem(record, cells):
            return self._rejected(record, problem)
        texts = self._texts(cells, raw)
        texts.extend([""] * (self.width - len(cells) + 1))
        if self._degree != _ABSENT:
            texts[self._degree] = degree_number(texts[self._degree]) or texts[self._degree]
        at_full, at_first, at_last, at_company, at_title, at_date = self._at
        first, last = texts[at_first], texts[at_last]
        if self._before_last != _ABSENT and texts[self._before_last]:
            last = f"{texts[self._before_last]} {last}".strip()
        full, first, last = _names(texts[at_full], first, last)
        if not as_it_looks(full):
            return self._rejected(record, "no_name")
        extra = {self._columns[i]: texts[i] for i in self._extras if texts[i]} | _further_fields(texts[self._further])
        if first and not (first.istitle() and first.replace("-", "").isalpha()):
            extra[FIRST_NAME] = first
        # Two addresses that look the same are one person's.
        day = as_it_looks(texts[at_date])
        url = self._address(texts, extra)
        email = self._email(texts, extra)
        if url is None and email is None and (nobody := self._nobody(full, cells)):
            return self._rejected(record, nobody)
        date = _possible_day(self._read_date(day) if day else None)
        if date is None and texts[at_date]:
            extra[self._columns[at_date]] = texts[at_date]
        tags = self._tags_of(texts[self._tags], extra)
        past = self._past.row_past(texts) if self._past else NO_PAST
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
            date or _possible_day(past.connected_on),
            extra,
            tags,
            refused=past.refused,
            connected=past.connected or (self._connections and not past.not_connected),
            unclear=past.unclear,
        )
        if past.contact is not None:
            return row.in_touch(past.contact)
        days = {what: texts[at] for what, at in self._contact.items() if texts[at]}
        return row.in_touch(PastContact(**days)) if days else row

    def begins_other_table(self, record: CsvRecord) -> bool:
        """Whether a record behind a blank line names columns, but not those of this table."""
        if record.problem is not None or self._is_our_export:
            return False
        named_cells = [cell for at in self._at[:3] if at != _ABSENT for cell in record.cells[at : at + 1] if cell]
        return any(column_key(cell) in COLUMN_NAMES for cell in named_cells) and not any(
            "@" in cell for cell in record.cells
        )

    def is_header(self, record: CsvRecord) -> bool:
        """Whether the record is the header, once more, however it is spelt: parts of several files may have been joined."""
        return self._names_columns(record.cells)

    def is_note(self, record: CsvRecord, widths: Collection[int]) -> bool:
        """Whether a record behind a blank line is narrower than the table, of whose rows (`widths`) none is."""
        is_narrower = bool(widths) and 0 < len(record.cells) < self.width <= min(widths)
        return is_narrower and not any("@" in cell or "linkedin." in cell for cell in record.cells)

    def _nobody(self, full_name: str, cells: Sequence[str]) -> str:
        """Why a row without an address is nobody's; empty if it may be somebody's."""
        if self._is_our_export:
            return ""
        return "no_person" if is_no_person(full_name) else "repeated_header" if self._names_columns(cells) else ""

    def _names_columns(self, cells: Sequence[str]) -> bool:
        return len(cells) == self.width and all(
            column_key(cell) == key for cell, key in zip(cells, self._keys, strict=True)
        )

    def as_other_table(self, record: CsvRecord) -> RejectedRow:
        """The record of a table whose columns are others."""
        return self._rejected(record, "other_table")

    def _problem(self, record: CsvRecord, cells: Sequence[str]) -> str:
        """Why these cells of the record cannot be a row; empty if they can."""
        if record.problem is not None:
            return record.problem
        if cells == self._header:
            return "repeated_header"
        if len(cells) != self.width:
            if record.recovered:
                return "unclosed_quote"
            if len(cells) > self.width:
                return "too_many_columns"
            if len(cells) < self._least:
                return "too_few_columns"
            # Only the last line has no end; what is left of a cell is not to be believed.
            if len(cells) < self._named_width and not record.raw.endswith(("\n", "\r")):
                return "cut_off"
        if len(record.raw) * _MOST_BYTES_A_CHARACTER > limits.MAX_CELL_BYTES and any(
            len(cell.encode()) > limits.MAX_CELL_BYTES for cell in cells
        ):
            return "cell_too_long"
        return ""

    def _texts(self, cells: Sequence[str], raw: str) -> list[str]:
        """What each cell says: of a formula and of a web page's signs what they show, nothing where a word stands for that."""
        if self._is_our_export:
            return [cell_text(restored(cell)) for cell in cells]
        texts = [cell_text(cell) if cell else "" for cell in cells]
        if "=" in raw or "&" in raw or "'" in raw or "%20" in raw or "notion.so/" in raw:
            links = {*self._addresses, *self._emails}
            texts = [text if at in links else shown(text) for at, text in enumerate(texts)]
        if "#" in raw:
            texts = ["" if text.startswith("#") and _ERROR.fullmatch(text) else text for text in texts]
        if not NOTHING.isdisjoint(texts):
            texts = ["" if text in NOTHING else text for text in texts]
        return texts

    def _address(self, texts: Sequence[str], extra: dict[str, str]) -> str | None:
        """The first of the row's addresses that is one; the others are kept as they are."""
        url: str | None = None
        for at in self._addresses:
            if not (text := texts[at]):
                continue
            visible_text = as_it_looks(text)
            address = normalise_profile_url(visible_text)
            if address is not None and at in self._websites and "linkedin.com/in/" not in address:
                address = None
            url = url or address or profile_within(visible_text)
            if address is None or address != url:
                extra[self._columns[at]] = text
        return url

    def _email(self, texts: Sequence[str], extra: dict[str, str]) -> str | None:
        """The first of the row's e-mail addresses that is one; the others are kept as they are."""
        email: str | None = None
        for at in self._emails:
            if not (text := texts[at]):
                continue
            address = first_email(as_it_looks(text))
            if ":" in address or " " in address:
                address = email_within(address)
            if email is None and EMAIL.fullmatch(address) and not NOBODYS_EMAIL.fullmatch(address):
                email = address
            if address != email or holds_several(text):
                extra[self._columns[at]] = text
        return email

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


def _names(whole: str, first: str, last: str) -> tuple[str, str, str]:
    """The full, first and last name, wherever in the three cells they stand."""
    if " " in first and last and f" {first}".casefold().endswith(f" {last}".casefold()):
        first = " ".join(first.split()[: -len(last.split())])  # the whole name stands where the first should
    full = whole or f"{first} {last}".strip()
    if whole and last:
        if not first and last.casefold() not in full.casefold():
            full = f"{full} {last}"  # what was called the name is the first
        elif first and full.casefold() == f"{last}, {first}".casefold():
            full = f"{first} {last}"
    if full.startswith("="):  # a name that leads to an address
        return shown_by_formula(full), shown_by_formula(first), shown_by_formula(last)
    return full, first, last


def _places(lead_format: LeadFormat, field: str, keys: Sequence[str]) -> tuple[int, ...]:
    """The columns that may hold the field, best first."""
    return tuple(at for name in lead_format.columns.get(field, ()) for at, key in enumerate(keys) if key == name)


def _possible_day(day: str | None) -> str | None:
    """The day, if anybody can have been connected then."""
    return day if day and day >= _LINKEDIN_OPENED else None


def _further_fields(text: str) -> dict[str, str]:
    """What our own export tells of columns without a field; nothing if somebody made it something else."""
    if not text:
        return {}
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return {FURTHER_FIELDS: text}
    if not isinstance(fields, dict) or not all(isinstance(value, str) for value in fields.values()):
        return {FURTHER_FIELDS: text}
    return {name: value for name, value in fields.items() if value and "\0" not in name + value}


def _unique_names(header: Sequence[str]) -> list[str]:
    """A name for each column, also for one that has none or shares it."""
    names: list[str] = []
    for number, cell in enumerate(header, 1):
        name = as_it_looks(cell) or f"column {number}"
        names.append(name if name not in names else f"{name} (column {number})")
    return names


_TOTALS = frozenset((
    "total", "totals", "grand total", "subtotal", "sub total", "count", "sum", "average", "total general", "total général",
    "total geral", "summe", "gesamt", "gesamtsumme", "zwischensumme", "insgesamt", "anzahl", "durchschnitt", "somme",
    "nombre total", "suma", "soma", "totale", "totaal", "razem", "yhteensä", "summa", "toplam", "celkem", "итого", "всего",
    "σύνολο", "合計", "合计", "总计", "합계",
))  # fmt: skip
_BEHIND_TOTALS = " \t:.,=0123456789()"
_FOOTER = re.compile(
    r"(?:total[:\s]*)?\d[\d.,]* (?:records?|rows?|contacts?|leads?|results?|datensätze|einträge|kontakte|enregistrements"
    r"|registros|righe)\b.*|(?:copyright|©|\(c\)) .*|(?:generated|exported|exportiert|erstellt) (?:by|on|at|from|von|am|aus)\b.*"
    r"|confidential information\b.*|end of (?:report|file|export)",
    re.IGNORECASE,
)


def is_no_person(name: str) -> bool:
    """Whether such words stand where the name should; beside an address they may be somebody's all the same."""
    return name.rstrip(_BEHIND_TOTALS).casefold() in _TOTALS or _FOOTER.fullmatch(name) is not None
