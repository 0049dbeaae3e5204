"""What a lead file says of how the user and a person were in touch before: who is left out, and what is told before import."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a row holds one of these
    from backend.domain.people.lead_row import LeadRow

ANSWERED, WRITTEN_TO, INVITED = "answered_before", "written_to_before", "invited_before"
BEFORE = {
    ANSWERED: "The file they came with shows that they have messaged you before.",
    WRITTEN_TO: "The file they came with shows that you have messaged them before.",
    INVITED: "The file they came with shows that you invited them before, or they you.",
}
"""What a lead is blocked by that was in touch before, and what is said of it."""

CONNECTED_DATE_UNKNOWN = "date unknown"
"""What `connected_on` of a lead holds that is known to be a connection, but not since when: no ISO date, and not empty."""

MOST_UNCLEAR = 12
"""So many different values that nobody understands are told; the rest is counted."""


PAST_CONTACT = "Past contact"
"""The further column of a lead that keeps what its files say of earlier contact (`PastContact.words`), whatever blocks the lead."""

_KINDS = {"they wrote": ANSWERED, "you wrote": WRITTEN_TO, "invited": INVITED}
"""What is said of each, the closest first."""


def kind_kept(words: str) -> str:
    """The closest that they came, by the words that a lead keeps of it; empty if nothing is said."""
    parts = words.split("; ") if words else ()
    return next((kind for phrase, kind in _KINDS.items() if any(part.startswith(phrase) for part in parts)), "")


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
class UnclearValue:
    """A value in a column of past contact that nobody understands, and how many people have it."""

    column: str
    value: str
    people: int


@dataclass(frozen=True, slots=True)
class PastContactCounts:
    """How many people of a lead file were in touch before, each person once and by the weightiest.

    `connected` are those of the others who are connections already; `more_unclear` values are not listed in `unclear`.
    """

    refused: int = 0
    answered: int = 0
    written_to: int = 0
    invited: int = 0
    connected: int = 0
    unclear: tuple[UnclearValue, ...] = ()
    more_unclear: int = 0

    @property
    def left_out(self) -> int:
        """How many get nothing unless the user wants it."""
        return self.answered + self.written_to + self.invited


_FIELD_OF = {ANSWERED: "answered", WRITTEN_TO: "written_to", INVITED: "invited"}


def count_past_contact(rows: "Iterable[LeadRow]") -> PastContactCounts:
    """What the rows say of earlier contact; of several rows of one person the first counts."""
    counts: Counter[str] = Counter()
    unclear: Counter[tuple[str, str]] = Counter()
    seen: set[str] = set()
    for row in rows:
        person = row.member_key or f"{row.full_name}|{row.company}"
        if person in seen:
            continue
        seen.add(person)
        unclear.update(row.unclear)
        if row.refused:
            counts["refused"] += 1
        elif row.past:
            counts[_FIELD_OF[row.past]] += 1
        elif row.is_connected:
            counts["connected"] += 1
    listed = tuple(UnclearValue(*cell, people) for cell, people in unclear.most_common(MOST_UNCLEAR))
    return PastContactCounts(**counts, unclear=listed, more_unclear=max(0, len(unclear) - MOST_UNCLEAR))


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


def past_contact_sentences(counts: PastContactCounts) -> list[str]:
    """What is told before an import: what becomes of those who were in touch before. Nothing if nobody was."""
    templates = (
        (counts.refused, "said no in your old tool: {they} on the do-not-contact list."),
        (counts.answered, "{have} already replied: left out."),
        (counts.written_to, "{were} already written to: left out."),
        (counts.invited, "{were} already invited, or invited you: left out."),
        (counts.connected, "{are} already your {connections}."),
    )
    sentences = [f"{n:,} {_agreeing(words, n)}" for n, words in templates if n]
    sentences += [_not_understood(value) for value in counts.unclear]
    if counts.more_unclear:
        sentences.append(f"{counts.more_unclear:,} more such values are not understood.")
    return sentences


def _agreeing(words: str, n: int) -> str:
    singular = {"they": "they go", "have": "has", "were": "was", "are": "is", "connections": "connection"}
    plural = {"they": "they go", "have": "have", "were": "were", "are": "are", "connections": "connections"}
    return words.format_map(singular if n == 1 else plural)


def _not_understood(value: UnclearValue) -> str:
    people = f"{value.people:,} {'person' if value.people == 1 else 'people'}"
    return f"“{value.column}” says “{value.value}” for {people}: not understood, so it changes nothing."
