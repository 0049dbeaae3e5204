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
    has_undated_messages: bool = False
    """Whether there are more, of which it does not say when: then what it does not show may still be there."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many rows of an export prove nothing: what was never sent, and what could not be read."""

    drafts: int = 0
    undated: int = 0
    unidentified: int = 0
    damaged: int = 0

    @property
    def sentence(self) -> str:
        """All of it, for a person; empty without any."""
        kinds = (
            (self.drafts, "draft, which was never sent", "drafts, which were never sent"),
            (self.undated, "row without a date that can be read for certain", "rows without a date that can be read for certain"),
            (self.unidentified, "row that gives no profile address", "rows that give no profile address"),
            (self.damaged, "damaged row", "damaged rows"),
        )  # fmt: skip
        return ", ".join(
            f"{count:,} {singular if count == 1 else plural}" for count, singular, plural in kinds if count
        )


@dataclass(frozen=True, slots=True)
class ContactArchive:
    """An export as it was read: address of a profile -> what it has of that person.

    `newest_message` (ms UTC) is the date of its last message, with whomever: it proves nothing about what came later.
    """

    people: Mapping[str, PersonInArchive] = field(default_factory=dict)
    newest_message: int | None = None
    left_out: LeftOut = field(default_factory=LeftOut)

    def of(self, profile_url: str) -> PersonInArchive:
        """What it has of that person, perhaps nothing."""
        return self.people.get(profile_url, PersonInArchive())
