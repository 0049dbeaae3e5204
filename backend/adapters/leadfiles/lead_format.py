"""The formats we can read, each one entry: how its header is recognised and what its columns mean."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from backend.adapters.leadfiles.linkedin_date import linkedin_date
from backend.domain.hidden_characters import as_it_looks
from backend.domain.lead_row import FURTHER_FIELDS

_PUNCTUATION = re.compile(r"[\W_]+")
_SPLIT_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class LeadFormat:
    """A kind of lead file. Its columns are spelt as `column_key` spells them."""

    name: str
    """Stable."""
    signature: frozenset[str]
    """Columns that must all be present."""
    columns: Mapping[str, Sequence[str]]
    """Field of LeadRow -> the columns that may hold it, best first. Of addresses, the first that is one counts in each row."""
    read_date: Callable[[str], str | None]
    zip_member: str
    """The name under which a zip usually holds it: tried first there, never trusted."""
    contact: Mapping[str, str] = field(default_factory=dict)
    """What happened between the person and the user (`PastContact`) -> the column with its day; empty: it did not."""
    is_our_export: bool = False
    """Cells are as `domain.csv_cell` wrote them, `further fields` holds the rest in JSON, and no other column is read."""


def column_key(cell: str) -> str:
    """A header cell as signatures spell it: words in lower case, so that `jobTitle`, `job_title` and `Job Title` are one."""
    shown = as_it_looks(cell)
    words = _PUNCTUATION.sub(" ", _SPLIT_WORDS.sub(" ", shown)).strip().lower()
    return words.replace("linked in", "linkedin") or shown.lower()


def _iso_date(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _any_date(text: str) -> str | None:
    return _iso_date(text) or linkedin_date(text)


FORMATS: tuple[LeadFormat, ...] = (
    LeadFormat(  # before LinkedIn's own, whose columns it has, too
        name="outrider_exchange",
        signature=frozenset({"full name", "linkedin url", "lead id", "last sent on", "exchange", FURTHER_FIELDS}),
        columns={
            "full_name": ("full name",),
            "profile_url": ("linkedin url",),
            "email": ("email",),
            "company": ("company",),
            "job_title": ("title",),
            "connected_on": ("connected on",),
            "tags": ("tags",),
        },
        read_date=_iso_date,
        zip_member="leads with messages.csv",
        contact={"answered": "replied on", "written_to": "last sent on", "invited": "invited on"},
        is_our_export=True,
    ),
    LeadFormat(
        name="linkedin_connections",
        signature=frozenset({"first name", "last name", "connected on"}),
        columns={
            "first_name": ("first name",),
            "last_name": ("last name",),
            "profile_url": ("url",),
            "email": ("email address",),
            "company": ("company",),
            "job_title": ("position",),
            "connected_on": ("connected on",),
        },
        read_date=linkedin_date,
        zip_member="connections.csv",
    ),
    LeadFormat(
        name="outrider_export",
        signature=frozenset({"full name", "profile url", "weight score", "priority override", FURTHER_FIELDS}),
        columns={
            name: (name.replace("_", " "),)
            for name in ("full_name", "profile_url", "email", "company", "job_title", "connected_on", "tags")
        },
        read_date=_iso_date,
        zip_member="leads.csv",
        is_our_export=True,
    ),
    LeadFormat(
        name="phantombuster_sales_navigator",
        signature=frozenset({"profile url", "full name", "vmid", "default profile url"}),
        columns={
            "full_name": ("full name", "name"),
            "first_name": ("first name",),
            "last_name": ("last name",),
            # Its own `profileUrl` leads to Sales Navigator, and is read for the member's number in it.
            "profile_url": ("default profile url", "linkedin profile url", "vmid", "profile url"),
            "company": ("company name",),
            "job_title": ("title",),
        },
        read_date=_any_date,
        zip_member="",
    ),
    LeadFormat(
        name="apollo",
        signature=frozenset({"first name", "last name", "email status", "person linkedin url"}),
        columns={
            "first_name": ("first name",),
            "last_name": ("last name",),
            "profile_url": ("person linkedin url",),
            "email": ("email",),
            "company": ("company", "company name", "company name for emails"),
            "job_title": ("title",),
        },
        read_date=_any_date,
        zip_member="",
    ),
    LeadFormat(
        name="evaboot",
        signature=frozenset({"first name", "last name", "linkedin url public", "sales navigator url"}),
        columns={
            "full_name": ("full name",),
            "first_name": ("first name",),
            "last_name": ("last name",),
            "profile_url": ("linkedin url public", "linkedin url unique id", "sales navigator url"),
            "email": ("email",),
            "company": ("company name",),
            "job_title": ("current job",),
        },
        read_date=_any_date,
        zip_member="",
    ),
    LeadFormat(
        name="dux_soup",
        signature=frozenset({"visit time", "profile", "first name", "last name", "my tags"}),
        columns={
            "first_name": ("first name",),
            "last_name": ("last name",),
            "profile_url": ("profile", "sales profile"),
            "email": ("email",),
            "company": ("company",),
            "job_title": ("title",),
            "tags": ("my tags",),
        },
        read_date=_any_date,
        zip_member="",
    ),
)
"""The first whose signature fits counts."""

MAPPED = "mapped"
"""The name of a format of the user's making."""

LINKEDIN = FORMATS[1]
"""LinkedIn's own Connections.csv."""


def recognise(header: Sequence[str], formats: Sequence[LeadFormat] = FORMATS) -> LeadFormat | None:
    """The first format whose signature the header holds."""
    keys = {column_key(cell) for cell in header}
    return next((known for known in formats if known.signature <= keys), None)


NAMES = frozenset({"full_name", "first_name", "last_name"})

USUAL_COLUMN_NAMES: Mapping[str, Sequence[str]] = {
    "full_name": ("full name", "fullname", "name", "contact name", "contact", "person"),
    "first_name": ("first name", "firstname", "given name"),
    "last_name": ("last name", "lastname", "surname", "family name"),
    "profile_url": (
        "profile url", "linkedin url", "linkedin profile url", "person linkedin url", "linkedin profile", "linkedin",
        "profile link", "profile", "url",
    ),
    "email": ("email", "e mail", "email address", "e mail address", "work email", "mail"),
    "company": ("company", "company name", "current company", "organisation", "organization", "employer", "account"),
    "job_title": ("position", "job title", "jobtitle", "current job", "title", "role", "job"),
    "connected_on": ("connected on", "date connected", "connected"),
    "tags": ("tags", "my tags", "labels"),
}  # fmt: skip
"""Field -> names that its column often has, best first."""


def guess_columns(header: Sequence[str]) -> dict[str, str]:
    """Field -> the column that is probably it."""
    names = {column_key(cell): cell for cell in reversed(header)}
    found = {
        field: next((names[name] for name in usual if name in names), None)
        for field, usual in USUAL_COLUMN_NAMES.items()
    }
    return {field: cell for field, cell in found.items() if cell is not None}


def format_from_mapping(mapping: Mapping[str, str]) -> LeadFormat:
    """A format of the user's making: field -> the column it is read from."""
    columns = {field: (column_key(cell),) for field, cell in mapping.items() if field in USUAL_COLUMN_NAMES}
    return LeadFormat(
        name=MAPPED,
        signature=frozenset(name for names in columns.values() for name in names),
        columns=columns,
        read_date=_any_date,
        zip_member="",
    )
