"""The lead file that is imported: LinkedIn's list of connections, with people who differ as real ones do."""

from collections.abc import Iterator
from pathlib import Path

_HEADER = "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n"
_FIRST_NAMES = ("Ada", "Ben", "Cara", "Dan", "Zoë")
_TITLES = ("Head of Research", "CTO", "Recruiter", "")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EMAIL_EVERY = 4
"""Most connections hide their e-mail address."""


def write_connections(path: Path, rows: int) -> None:
    """So many people, the same ones every time."""
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEADER)
        file.writelines(_lines(rows))


def _lines(rows: int) -> Iterator[str]:
    for n in range(rows):
        first, last = _FIRST_NAMES[n % len(_FIRST_NAMES)], f"Person{n * 7919 % 50_000}"
        url = f"https://www.linkedin.com/in/person-{n}"
        email = f"person.{n}@company{n * 31 % 4_000}.example" if n % _EMAIL_EVERY == 0 else ""
        company, title = f"Company {n * 31 % 4_000} GmbH", _TITLES[n % len(_TITLES)]
        day = f"{1 + n % 28:02} {_MONTHS[n % len(_MONTHS)]} {2010 + n % 14}"
        yield f"{first},{last},{url},{email},{company},{title},{day}\n"
