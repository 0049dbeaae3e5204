"""How lead files spell one person: rows that differ, and the world's own knowledge of whom each of them means."""

import hashlib
import random
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from backend.practice.people import PersonCard
from tests.simulation.oracle import profile_of, slug_of

MAPPING = {"full_name": "Name", "profile_url": "Profile", "company": "Company", "job_title": "Job", "email": "E-mail"}
SHARED_MAILBOX = "info@talks.example"


FURTHER = {"phone": "Phone", "replied": "Replied", "invited": "Invited", "forbidden": "Do not contact"}
"""Columns that nobody says what they hold: one is kept as it is, the others tell of earlier contact."""


class PersonRow(NamedTuple):
    """What a lead file says of somebody; `slug` is who it is, as the network calls them."""

    slug: str
    name: str
    address: str
    email: str
    company: str
    job: str
    phone: str = ""
    replied: str = ""
    invited: str = ""
    forbidden: str = ""

    @property
    def tells_of_contact(self) -> bool:
        """Whether the user and they were in touch before, as the file says."""
        return bool(self.replied or self.invited)


def mark_of(slug: str) -> str:
    """A word that stands in everything about this person and nowhere else, and that no name or address gives away."""
    return f"q{hashlib.sha256(slug.encode()).hexdigest()[:10]}"


def phone_of(slug: str) -> str:
    """Everybody has a telephone of their own."""
    return f"+44 {10**9 + int(hashlib.sha256(slug.encode()).hexdigest()[:8], 16)}"


def traces_of(slug: str) -> tuple[str, ...]:
    """What is found wherever anything about this person stands, but for their name."""
    return (slug, mark_of(slug), phone_of(slug).split()[-1])


def marked(card: PersonCard) -> PersonCard:
    """What the network shows of them has their mark."""
    mark = mark_of(card.slug)
    return replace(card, headline=f"{card.headline} {mark}", company=f"{card.company} {mark}")


def email_of(slug: str) -> str:
    """Everybody has an e-mail address of their own."""
    return f"{slug}@mail.example"


def usual(card: PersonCard) -> PersonRow:
    """As most files have it."""
    address, email = profile_of(card.slug), email_of(card.slug)
    return PersonRow(card.slug, card.name, address, email, card.company, card.headline, phone_of(card.slug))


def without_address(card: PersonCard) -> PersonRow:
    """From a file that has e-mail addresses only."""
    return usual(card)._replace(address="")


def spelled_otherwise(card: PersonCard) -> PersonRow:
    """With a title and without accents, and the e-mail in capitals."""
    plain = "".join(sign for sign in unicodedata.normalize("NFD", card.name) if not unicodedata.combining(sign))
    row = usual(card)
    return row._replace(name=f"Dr. {plain}", email=row.email.upper())


def renamed(card: PersonCard) -> PersonRow:
    """They gave their profile another address since the last file was made."""
    return usual(card)._replace(address=profile_of(renamed_slug(card.slug)))


def mobile_link(card: PersonCard) -> PersonRow:
    """Copied from the app on somebody's telephone."""
    return usual(card)._replace(address=f"https://www.linkedin.com/mwlite/in/{card.slug}?trk=share")


def with_shared_mailbox(card: PersonCard) -> PersonRow:
    """With an e-mail address that everybody reads: whoever has it, too, is somebody else."""
    return usual(card)._replace(email=SHARED_MAILBOX)


ROWS: Mapping[str, tuple[Callable[[PersonCard], PersonRow], int]] = {
    "usual": (usual, 6),
    "without address": (without_address, 2),
    "spelled otherwise": (spelled_otherwise, 2),
    "renamed": (renamed, 2),
    "mobile link": (mobile_link, 2),
    "with shared mailbox": (with_shared_mailbox, 1),
}
"""Each kind of row, and how often it is chosen."""


def renamed_slug(slug: str) -> str:
    """The later part of somebody's address."""
    return f"{slug}-phd"


class WhoIsWho:
    """Whom an address or an e-mail address means, as the world knows."""

    def __init__(self) -> None:
        self._slugs: dict[str, str] = {}

    def learn(self, cards: Iterable[PersonCard]) -> None:
        """These people may be called by whatever rows there are of them."""
        for card in cards:
            self._slugs[renamed_slug(card.slug)] = self._slugs[email_of(card.slug)] = card.slug

    def slug(self, key: str) -> str:
        """Whom this address, e-mail address or identity means, as the network calls them."""
        end = slug_of(key.partition("?")[0]).lower()
        return self._slugs.get(end, end)


def any_row(card: PersonCard, chance: random.Random, kinds: Iterable[str]) -> PersonRow:
    """One of the rows of these kinds."""
    chosen = tuple(kinds)
    (kind,) = chance.choices(chosen, [ROWS[kind][1] for kind in chosen])
    return ROWS[kind][0](card)


def known_before(row: PersonRow, chance: random.Random) -> PersonRow:
    """The same from an old tool's export, which tells what passed with them; now and then that they want nothing."""
    how = chance.random()
    if how < 0.15:
        return row._replace(forbidden="yes")
    return row._replace(replied="2024-01-03") if how < 0.6 else row._replace(invited="2024-01-03")


def as_table(rows: Iterable[PersonRow]) -> str:
    """A lead file of these rows."""
    order = ("name", "address", "company", "job", "email", *FURTHER)
    lines = [",".join((*MAPPING.values(), *FURTHER.values()))]
    lines += [",".join(f'"{getattr(row, name)}"' for name in order) for row in rows]
    return "\r\n".join(lines) + "\r\n"
