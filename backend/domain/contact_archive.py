"""What a network's own export says passed with a person: invitations, messages word by word, and since when they are connected."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ArchivedMessage:
    """A message between the user and one person; `at` in ms UTC."""

    by_them: bool
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class PersonInArchive:
    """What the export has of one person; days are ISO dates, empty when it names none."""

    invited_on: str = ""
    connected_on: str = ""
    messages: tuple[ArchivedMessage, ...] = ()
    """Oldest first; not those of threads with several people."""


@dataclass(frozen=True, slots=True)
class ContactArchive:
    """An export as it was read: address of a profile -> what it has of that person.

    `newest_message` (ms UTC) is the date of its last message, with whomever: it proves nothing about what came later.
    """

    people: Mapping[str, PersonInArchive] = field(default_factory=dict)
    newest_message: int | None = None

    def of(self, profile_url: str) -> PersonInArchive:
        """What it has of that person, perhaps nothing."""
        return self.people.get(profile_url, PersonInArchive())
