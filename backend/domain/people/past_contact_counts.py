"""What is told before a lead file is imported of those who were in touch with the user before, and how many they are."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import ANSWERED, INVITED, WRITTEN_TO

MOST_UNCLEAR = 12
"""So many different values that nobody understands are told; the rest is counted."""


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


def count_past_contact(rows: Iterable[LeadRow]) -> PastContactCounts:
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
