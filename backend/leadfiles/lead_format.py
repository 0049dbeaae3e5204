"""The formats we can read, each one entry: how its header is recognised and what its columns mean."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backend.leadfiles.linkedin_date import linkedin_date


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
)


def column_key(cell: str) -> str:
    """A header cell as signatures spell it."""
    return cell.strip().lower()


def recognise(header: Sequence[str]) -> LeadFormat | None:
    """The first format whose signature the header holds."""
    keys = {column_key(cell) for cell in header}
    return next((known for known in FORMATS if known.signature <= keys), None)
