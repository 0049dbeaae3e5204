"""Nobody is written to unasked by two campaigns of one account within a claim's time, or by any after they declined.

Who is who is the world's knowledge: whatever address, e-mail or spelling a campaign's row has, a person is the one whom the
network calls so. The steps of one campaign's sequence are one contact.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

DAY = 86_400_000
CLAIM_DAYS = 60
MARGIN_MS = 180_000
"""What was decided for so long before a request left must have been known: longer than an act may take."""

Delivered = tuple[str, str, str]
"""(kind, person, text)."""


class Contact(NamedTuple):
    """An invitation or a message of a campaign's sequence that left for a person, at a moment (ms of true time)."""

    person: str
    campaign: str
    kind: str
    text: str
    at: int
    launch: str
    by_hand: bool = False
    """The user sent it with their own hand, as it was handed to them."""


class Declined(NamedTuple):
    """The user said of a person that they want nothing, at a moment, in a launch."""

    at: int
    launch: str


@dataclass
class ContactOracle:
    """Hears of every contact, and of what the user allowed and said; answers with a sentence for what must not be."""

    claim_days: int = CLAIM_DAYS
    judges: bool = True
    """Whether the product knows what is asked of it here."""
    one_log: bool = False
    """What the user decided is on record for every later launch: there is one device, and no database is put back."""
    of_person: dict[str, list[Contact]] = field(default_factory=lambda: defaultdict(list))
    allowed: dict[tuple[str, str], int] = field(default_factory=dict)
    """Since when a campaign may contact a person although another one does: "contact anyway"."""
    declined: dict[str, Declined] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)
    """Campaigns on the practice network that were deleted: of its people, who are made up, nothing is remembered."""

    def allows(self, person: str, campaign: str, at: int) -> None:
        """The user clicks "contact anyway"; before that is carried out."""
        self.allowed.setdefault((person, campaign), at)

    def declines(self, person: str, at: int, launch: str) -> None:
        """The user says that this person declined; once that was acknowledged."""
        self.declined.setdefault(person, Declined(at, launch))

    def leaves(self, contact: Contact, delivered: Collection[Delivered]) -> str:
        """What is wrong with a contact that leaves now; "" for nothing."""
        before = self.of_person[contact.person]
        wrong = self._after_they_declined(contact) or self._second(contact, before, delivered)
        before.append(contact)
        return wrong if self.judges else ""

    def judge_delivered(self, delivered: Collection[Delivered]) -> str:
        """What is wrong with all that arrived, early or late; "" for nothing."""
        if not self.judges:
            return ""
        delivered = set(delivered)
        for contacts in self.of_person.values():
            if len({contact.campaign for contact in contacts}) > 1:
                for index, contact in enumerate(contacts):
                    arrived = contact.by_hand or _triple(contact) in delivered
                    if arrived and (wrong := self._second(contact, contacts[:index], delivered)):
                        return wrong
        return ""

    def _after_they_declined(self, contact: Contact) -> str:
        declined = self.declined.get(contact.person)
        if declined is None or contact.at - declined.at < MARGIN_MS:
            return ""
        heard = self.one_log or declined.launch == contact.launch
        return f"{contact.kind} to {contact.person}, who had declined, as the user said" if heard else ""

    def _is_allowed(self, contact: Contact) -> bool:
        """Whether the user let this campaign contact the person anyway."""
        return self.allowed.get((contact.person, contact.campaign), contact.at + 1) <= contact.at

    def _second(self, contact: Contact, before: Collection[Contact], delivered: Collection[Delivered]) -> str:
        if self._is_allowed(contact):
            return ""
        for other in before:
            if (
                other.campaign in (contact.campaign, *self.forgotten)
                or contact.at - other.at >= self.claim_days * DAY - MARGIN_MS
            ):
                continue
            if self._is_allowed(other):
                continue  # the user wanted both
            if _triple(other) in delivered:
                days = (contact.at - other.at) / DAY
                return f"{contact.person} got a {contact.kind} of a second campaign {days:.1f} days after the first's"
        return ""


def _triple(contact: Contact) -> Delivered:
    return contact.kind, contact.person, contact.text
