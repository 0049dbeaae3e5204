"""What a lead file yields: a row that can become a lead, or a row that cannot and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from backend.domain.people.lead_sheet import NO_SHEET, LeadSheet
from backend.domain.people.past_contact import PAST_CONTACT, PastContact, kind_kept

# The stable codes of a rejected row; {found} and {expected} count columns.
REASONS = {
    "no_name": "The row has neither a first nor a last name.",
    "too_many_columns": "The row has {found} columns, but the header has {expected}.",
    "too_few_columns": "The row ends after {found} of {expected} columns, before the person's name is complete.",
    "repeated_header": "The row repeats the header.",
    "no_person": "The row is a total or a note of the program that wrote the file.",
    "other_table": "The row belongs to a note or another table below a blank line.",
    "cut_off": "The file ends in the middle of this row, after {found} of {expected} columns.",
    "cell_too_long": "The row has a cell of more than 64 KiB.",
    "bad_quotes": "The row has a quotation mark in a place where none can be, so its cells cannot be told apart.",
    "unclosed_quote": "A quotation mark in or before this line is not closed properly, so it is not a whole row.",
}

LeadField = Literal[
    "full_name", "first_name", "last_name", "profile_url", "email", "company", "job_title", "connected_on", "tags"
]
"""What a column of a table can be read as."""

NAME_FIELDS: tuple[LeadField, ...] = ("full_name", "first_name", "last_name")
"""Fields of which a table needs one."""

FURTHER_FIELDS = "further fields"
"""The column of our own export that holds `extra`, in JSON."""


FIRST_NAME = "First name"
"""The further column with what the file says is the first name, where that is no plain word (`Mary Ann`)."""

DEGREE = "Degree"
"""The further column that says how far away a person is on LinkedIn: 1 (a contact), 2 or 3, however the file spells it."""


class LeadRow(NamedTuple):
    """One person. Values are as in the file, each on one line, with what is hidden in them; `raw` is the whole record.

    A frozen dataclass of so many fields takes six times as long to make, for each row of a file.
    """

    line: int
    """Physical line, from 1, on which the record starts."""
    raw: str
    full_name: str
    first_name: str
    last_name: str
    profile_url: str | None
    member_key: str | None
    """Identity for merging: normalised profile URL, else e-mail in lower case, else None (nothing to merge on)."""
    email: str | None
    company: str | None
    job_title: str | None
    connected_on: str | None
    """ISO date, None when it is not known; see `connected`."""
    extra: dict[str, str]
    """Columns without a field of their own, and values their field could not take; never an empty value."""
    tags: tuple[str, ...] = ()
    refused: str = ""
    """By which column and value the file says that they must not be contacted; empty when it does not."""
    connected: bool = False
    """Whether the file says that they are a connection of the user's, whatever it says of the date."""
    unclear: tuple[tuple[str, str], ...] = ()
    """(Column, value) of earlier contact that nobody understands."""
    known_since: int | None = None
    """When (ms UTC) the user first imported them, if they are copied from another campaign."""

    @property
    def is_connected(self) -> bool:
        """Whether they are a connection of the user's, since a known day or not."""
        return self.connected or bool(self.connected_on)

    @property
    def past(self) -> str:
        """How they were in touch with the user before (`past_contact`), empty when they were not."""
        return kind_kept(self.extra.get(PAST_CONTACT, ""))

    def in_touch(self, past: PastContact) -> "LeadRow":
        """The row of somebody who was in touch with the user before."""
        return self._replace(extra=self.extra | {PAST_CONTACT: past.words})

    def never_in_touch(self) -> "LeadRow":
        """The row as of somebody who was not, whatever the file says; who refused has still refused."""
        extra = {name: value for name, value in self.extra.items() if name != PAST_CONTACT}
        return self._replace(extra=extra) if self.past else self


class UnknownTable(NamedTuple):
    """A table of no known kind, before anybody has said what its columns hold."""

    header: tuple[str, ...]
    guessed: Mapping[str, str]
    """Field -> the column that is probably it."""
    rows: tuple[tuple[str, ...], ...]
    """Its first rows."""
    encoding: str
    delimiter: str
    has_headings: bool = True
    """Whether its first row names the columns; if not, it is a person, and the columns are numbered."""
    sheet: LeadSheet = NO_SHEET


@dataclass(frozen=True, slots=True)
class ReadAs:
    """How a lead file was read, so that a like one is read alike, and its rejected rows can be imported again."""

    header: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Field -> column, if the user said which is which; empty where the file's kind is known."""
    preamble: str = ""
    """All up to and including the header, as in the file; empty if that is very long."""


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A record that cannot become a lead, kept whole."""

    line: int
    raw: str
    code: str
    reason: str
