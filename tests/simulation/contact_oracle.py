"""Nobody is written to unasked by two campaigns of one account within a claim's time, or by any after they declined.

Who is who is the world's knowledge: whatever address, e-mail or spelling a campaign's row has, a person is the one whom the
network calls so. The steps of one campaign's sequence are one contact.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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
    """The user said of a person that they want nothing, at a moment, in a launch, by their lead in a campaign."""

    at: int
    launch: str
    campaign: str = ""


class PutOff(NamedTuple):
    """The user said, in a campaign, that a person is to be left in peace until a moment (ms of true time)."""

    at: int
    until: int
    launch: str
    campaign: str = ""


class SeenBefore(NamedTuple):
    """A file that is on record on a device says that the user and a person were in touch before."""

    at: int
    device: str


def device_of(launch: str) -> str:
    """The device of which this is a launch."""
    return launch.rpartition(" ")[0]


@dataclass
class ContactOracle:
    """Hears of every contact, and of what the user allowed and said; answers with a sentence for what must not be."""

    claim_days: int = CLAIM_DAYS
    judges: bool = True
    """Whether the product knows what is asked of it here."""
    one_log: bool = False
    """What the user decided is on record for every later launch: there is one device, and no database is put back."""
    remembers: bool = False
    """What the user decided is on record for every later launch of the same device: no store is put back."""
    of_person: dict[str, list[Contact]] = field(default_factory=lambda: defaultdict(list))
    allowed: dict[tuple[str, str], int] = field(default_factory=dict)
    """Since when a campaign may contact a person although another one does: "contact anyway"."""
    declined: dict[str, Declined] = field(default_factory=dict)
    put_off: dict[tuple[str, str], PutOff] = field(default_factory=dict)
    """By person, and by the campaign where it was said: all campaigns leave them in peace."""
    seen_before: Mapping[str, SeenBefore] = field(default_factory=dict)
    """By person."""
    wanted_all_the_same: set[str] = field(default_factory=set)
    """Whom the user moved from one campaign to another, or lets one contact anyway: what files say of them holds no more."""
    forgotten: set[str] = field(default_factory=set)
    """Campaigns on the practice network that were deleted: of its people, who are made up, nothing is remembered."""

    def allows(self, person: str, campaign: str, at: int) -> None:
        """The user clicks "contact anyway"; before that is carried out."""
        self.allowed.setdefault((person, campaign), at)
        self.wanted_all_the_same.add(person)

    def declines(self, person: str, at: int, launch: str, campaign: str = "") -> None:
        """The user says that this person declined; once that was acknowledged."""
        if self._has_declined(person) is None:
            self.declined[person] = Declined(at, launch, campaign)

    def puts_off(self, person: str, put_off: PutOff) -> None:
        """The user says that they are to be left in peace; once that was acknowledged. It is no "no" any more."""
        self.declined.pop(person, None)
        self.put_off[person, put_off.campaign] = put_off

    def lets_go(self, launch: str) -> None:
        """The user prefers what another device says to what they decided on this one."""
        device = device_of(launch)
        records: tuple[dict[Any, Any], ...] = (self.declined, self.put_off)
        for decided in records:
            for key, value in list(decided.items()):
                if device_of(value.launch) == device:
                    del decided[key]

    def leaves(self, contact: Contact, delivered: Collection[Delivered]) -> str:
        """What is wrong with a contact that leaves now; "" for nothing."""
        before = self.of_person[contact.person]
        wrong = (
            self._after_they_declined(contact)
            or self._too_early(contact)
            or self._seen_before(contact, before)
            or self._second(contact, before, delivered)
        )
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

    def _has_declined(self, person: str) -> Declined | None:
        """What they said, unless it is forgotten with the campaign to which they said it."""
        declined = self.declined.get(person)
        return None if declined is None or declined.campaign in self.forgotten else declined

    def _after_they_declined(self, contact: Contact) -> str:
        declined = self._has_declined(contact.person)
        if declined is None or contact.at - declined.at < MARGIN_MS:
            return ""
        heard = self._heard(declined.launch, contact)
        return f"{contact.kind} to {contact.person}, who had declined, as the user said" if heard else ""

    def _heard(self, launch: str, contact: Contact) -> bool:
        """Whether what was decided in one launch must be on record in the launch that writes."""
        same_device = self.remembers and device_of(launch) == device_of(contact.launch)
        return self.one_log or same_device or launch == contact.launch

    def _too_early(self, contact: Contact) -> str:
        for (person, campaign), put_off in self.put_off.items():
            is_early = put_off.at + MARGIN_MS < contact.at < put_off.until - MARGIN_MS
            if person != contact.person or campaign in self.forgotten or not is_early:
                continue
            if self._heard(put_off.launch, contact):
                return f"{contact.kind} to {person}, who was put off until {put_off.until}"
        return ""

    def _seen_before(self, contact: Contact, before: Collection[Contact]) -> str:
        """A first contact of a campaign with somebody whom the user knew before, by a file that was imported on this device."""
        seen = self.seen_before.get(contact.person)
        if (
            seen is None
            or not self.remembers
            or contact.at - seen.at < MARGIN_MS
            or seen.device != device_of(contact.launch)
            or contact.person in self.wanted_all_the_same
            or any(other.campaign == contact.campaign for other in before)
        ):
            return ""
        return f"a first {contact.kind} to {contact.person}, whom the user knew before, as a file says"

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
