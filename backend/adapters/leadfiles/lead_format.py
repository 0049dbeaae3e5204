"""The formats we can read, each one entry: how its header is recognised and what its columns mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from backend.adapters.leadfiles.linkedin_date import linkedin_date
from backend.domain.hidden_characters import as_it_looks
from backend.domain.lead_row import FURTHER_FIELDS


@dataclass(frozen=True, slots=True)
class LeadFormat:
    """A kind of lead file. Column names are compared without case and surrounding blanks."""

    name: str
    """Stable."""
    signature: frozenset[str]
    """Columns that must all be present; written in lower case."""
    columns: Mapping[str, Sequence[str]]
    """Field of LeadRow -> the columns that may hold it, best first; written in lower case."""
    read_date: Callable[[str], str | None]
    zip_member: str
    """The name under which a zip usually holds it: tried first there, never trusted."""
    is_our_export: bool = False
    """Cells are as `domain.csv_cell` wrote them, `further fields` holds the rest in JSON, and no other column is read."""


def _iso_date(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


FORMATS: tuple[LeadFormat, ...] = (
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
        signature=frozenset({"full_name", "profile_url", "weight_score", "priority_override", FURTHER_FIELDS}),
        columns={
            name: (name,) for name in ("full_name", "profile_url", "email", "company", "job_title", "connected_on")
        },
        read_date=_iso_date,
        zip_member="leads.csv",
        is_our_export=True,
    ),
)


def column_key(cell: str) -> str:
    """A header cell as signatures spell it."""
    return as_it_looks(cell).lower()


def recognise(header: Sequence[str], formats: Sequence[LeadFormat] = FORMATS) -> LeadFormat | None:
    """The first format whose signature the header holds."""
    keys = {column_key(cell) for cell in header}
    return next((known for known in formats if known.signature <= keys), None)


NAMES = frozenset({"full_name", "first_name", "last_name"})

USUAL_COLUMN_NAMES: Mapping[str, Sequence[str]] = {
    "full_name": ("name", "full name", "fullname", "contact", "contact name", "person"),
    "first_name": ("first name", "firstname", "given name"),
    "last_name": ("last name", "lastname", "surname", "family name"),
    "profile_url": ("url", "profile url", "profile", "linkedin", "linkedin url", "linkedin profile", "profile link"),
    "email": ("email", "e-mail", "email address", "e-mail address", "mail"),
    "company": ("company", "organisation", "organization", "employer", "company name", "account"),
    "job_title": ("position", "title", "job title", "role", "job"),
    "connected_on": ("connected on", "connected", "date connected"),
}
"""Field -> names that its column often has."""


def guess_columns(header: Sequence[str]) -> dict[str, str]:
    """Field -> the column that is probably it."""
    names = {column_key(cell): cell for cell in header}
    found = {
        field: next((names[name] for name in usual if name in names), None)
        for field, usual in USUAL_COLUMN_NAMES.items()
    }
    return {field: cell for field, cell in found.items() if cell is not None}


def format_from_mapping(mapping: Mapping[str, str]) -> LeadFormat:
    """A format of the user's making: field -> the column it is read from."""
    columns = {field: (column_key(cell),) for field, cell in mapping.items() if field in USUAL_COLUMN_NAMES}
    return LeadFormat(
        name="mapped",
        signature=frozenset(name for names in columns.values() for name in names),
        columns=columns,
        read_date=_any_date,
        zip_member="",
    )


def _any_date(text: str) -> str | None:
    return _iso_date(text) or linkedin_date(text)
