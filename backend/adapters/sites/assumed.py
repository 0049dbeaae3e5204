"""A site on which people behave as assumed: nobody is reached, and what would have been done is listed."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from backend.domain.model.campaign import DAY
from backend.domain.model.site import (
    Attempt,
    Profile,
    Relation,
    SelectorReport,
    SiteAnswer,
    SitePerson,
    Thread,
    ThreadMessage,
)
from backend.domain.turn.assumption import Assumption
from backend.ports.site import ActCheck

DELAY = DAY
"""After how long (ms) somebody is assumed to accept or to reply, if they do."""
REPLY = "(an assumed reply)"


@dataclass(slots=True)
class KnownPerson:
    """How the account stands to somebody: the relation, and the conversation so far."""

    relation: Relation
    messages: tuple[ThreadMessage, ...] = ()
    invited_at: int | None = None


@dataclass
class AssumedSite:
    """Every act is confirmed at once. `know` says how the account stands to a person by what is on record."""

    name: str
    now: Callable[[], int]
    assumption: Assumption
    know: Callable[[str], KnownPerson]
    settle_seconds: float = 0.0
    address: str = ""
    _people: dict[str, KnownPerson] = field(default_factory=dict)

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close."""

    def check_selectors(self) -> SelectorReport:
        """All as known."""
        return SelectorReport()

    def open_profile(self, person: SitePerson) -> None:
        """Nothing to show."""

    def read_profile(self, person: SitePerson) -> Profile:
        """Their relation by now, and nothing that was not known."""
        return Profile(person.name, "", "", "", "", (), self._person(person).relation)

    def read_thread(self, person: SitePerson) -> Thread:
        """What was written so far."""
        known_person = self._person(person)
        return Thread(known_person.messages, known_person.relation)

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> Attempt:
        """It is there at once."""
        check()
        known_person = self._person(person)
        self._people[person.profile_url] = replace(known_person, relation=Relation.PENDING, invited_at=self.now())
        return Attempt(SiteAnswer.CONFIRMED, "assumed")

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> Attempt:
        """It is there at once."""
        check()
        known_person = self._person(person)
        written = ThreadMessage("you", text, self.now())
        self._people[person.profile_url] = replace(known_person, messages=(*known_person.messages, written))
        return Attempt(SiteAnswer.CONFIRMED, "assumed")

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> Attempt:
        """It is gone at once."""
        check()
        self._people[person.profile_url] = replace(self._person(person), relation=Relation.NONE)
        return Attempt(SiteAnswer.CONFIRMED, "assumed")

    def _person(self, person: SitePerson) -> KnownPerson:
        url, now = person.profile_url, self.now()
        known_person = self._people.get(url) or self.know(url)
        if (
            known_person.relation is Relation.PENDING
            and self.assumption.accepts(url)
            and now >= (known_person.invited_at or 0) + DELAY
        ):
            known_person = replace(known_person, relation=Relation.CONNECTED)
        own_times = [message.at for message in known_person.messages if message.author == "you"]
        has_replied = any(message.author == "them" for message in known_person.messages)
        if own_times and not has_replied and self.assumption.replies(url) and now >= own_times[0] + DELAY:
            known_person = replace(
                known_person, messages=(*known_person.messages, ThreadMessage("them", REPLY, own_times[0] + DELAY))
            )
        self._people[url] = known_person
        return known_person
