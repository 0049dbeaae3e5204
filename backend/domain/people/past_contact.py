"""What a lead file says of how the user and a person were in touch before, and who is left out for it."""

from dataclasses import dataclass
from typing import NamedTuple

ANSWERED, WRITTEN_TO, INVITED = "answered_before", "written_to_before", "invited_before"
BEFORE = {
    ANSWERED: "The file they came with shows that they have messaged you before.",
    WRITTEN_TO: "The file they came with shows that you have messaged them before.",
    INVITED: "The file they came with shows that you invited them before, or they you.",
}
"""What a lead is blocked by that was in touch before, and what is said of it."""

CONNECTED_DATE_UNKNOWN = "date unknown"
"""What `connected_on` of a lead holds that is known to be a connection, but not since when: no ISO date, and not empty."""

PAST_CONTACT = "Past contact"
"""The further column of a lead that keeps what its files say of earlier contact (`PastContact.words`), whatever blocks the lead."""

_KINDS = {"they wrote": ANSWERED, "you wrote": WRITTEN_TO, "invited": INVITED}
"""What is said of each, the closest first."""


def kind_kept(words: str) -> str:
    """The closest that they came, by the words that a lead keeps of it; empty if nothing is said."""
    parts = words.split("; ") if words else ()
    return next((kind for phrase, kind in _KINDS.items() if any(part.startswith(phrase) for part in parts)), "")


def kept_with(words: str, file_words: str, *, is_contacted: bool) -> str:
    """What a lead keeps once one more file says this of it. What we did to whom we contacted stands in their own history; that
    they wrote is kept in any case.
    """
    added = (part for part in file_words.split("; ") if part.startswith("they wrote") or not is_contacted)
    return "; ".join(filter(None, dict.fromkeys([*words.split("; "), *added])))


class PastContact(NamedTuple):
    """When each last happened, as an ISO date; empty when nobody says when, None when it did not happen."""

    answered: str | None = None
    written_to: str | None = None
    invited: str | None = None

    @property
    def kind(self) -> str:
        """The closest that they came."""
        return kind_kept(self.words)

    @property
    def words(self) -> str:
        """All of it, for a person."""
        return "; ".join(f"{phrase} {day}".strip() for phrase, day in zip(_KINDS, self, strict=True) if day is not None)

    def and_also(self, other: "PastContact") -> "PastContact":
        """Both together; of two days the later one."""
        return PastContact(*(max(day or "", other_day or "") if day is not None or other_day is not None else None
                             for day, other_day in zip(self, other, strict=True)))  # fmt: skip


@dataclass(frozen=True, slots=True)
class UnreadHistory:
    """What an export has of earlier contact and nobody can read: so many damaged rows, and whole tables by their names."""

    rows: int = 0
    tables: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """The same in words; nothing if all was read."""
        rows = (
            "row of its messages and invitations is" if self.rows == 1 else "rows of its messages and invitations are"
        )
        damaged = f"{self.rows:,} {rows} damaged: whoever is named only there counts as new."
        tables = [f"{table} cannot be read: whoever is named only there counts as new." for table in self.tables]
        return [damaged, *tables] if self.rows else tables
