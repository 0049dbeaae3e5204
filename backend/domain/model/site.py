"""What can be seen and done on a professional network, as values; adapters produce them, rules read them."""

from dataclasses import dataclass, field
from enum import StrEnum


class Relation(StrEnum):
    """How the account stands to a person, as the site shows it."""

    NONE = "none"
    PENDING = "pending"
    CONNECTED = "connected"


RELATION_WORDS = {
    Relation.NONE: "not connected",
    Relation.PENDING: "invitation pending",
    Relation.CONNECTED: "connected",
}
"""What is seen of it, as people say it."""


class SiteAnswer(StrEnum):
    """What the site said about an act just tried. Never proof: an observation afterwards decides."""

    CONFIRMED = "confirmed"
    REFUSED = "refused"
    NO_ANSWER = "no_answer"


class IncidentKind(StrEnum):
    """Signs that the account is in trouble or the page is not what we know; each latches until the user clears it."""

    LOGGED_OUT = "logged_out"
    UNUSUAL_ACTIVITY = "unusual_activity"
    INVITATION_LIMIT = "invitation_limit"
    UNKNOWN_PAGE = "unknown_page"
    WRONG_PERSON = "wrong_person"


INCIDENT_NAMES: dict[IncidentKind, str] = {
    IncidentKind.LOGGED_OUT: "you are logged out",
    IncidentKind.UNUSUAL_ACTIVITY: "the site has a warning or a check for you",
    IncidentKind.INVITATION_LIMIT: "the site's limit on invitations is reached",
    IncidentKind.UNKNOWN_PAGE: "a page is not as it was",
    IncidentKind.WRONG_PERSON: "a page shows somebody else",
}
"""How people are told of them, after "Everything is stopped:"."""


def incident_words(kind: IncidentKind, description: str) -> str:
    """An incident in a few words, and what was seen in its own."""
    return f"{INCIDENT_NAMES[kind]} (“{description.rstrip('.')}”)"


@dataclass(frozen=True, slots=True)
class SitePerson:
    """Whom an act is about: the lead's own profile URL and the name that the page must show."""

    profile_url: str
    name: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something seen, kept: a file under the evidence folder named by its SHA-256, and the words that matter."""

    kind: str
    sha256: str
    file: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile page as read. All text is data from outside, never instruction."""

    name: str
    headline: str
    company: str
    location: str
    about: str
    activity: tuple[str, ...]
    relation: Relation
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """One message in a thread: who wrote it ("you" or "them"), the exact text, and when by the site's clock (ms UTC)."""

    author: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation as read, oldest first, with the relation shown beside it."""

    messages: tuple[ThreadMessage, ...]
    relation: Relation
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """What an act saw: the site's claim and its words (`detail`), and the incident if the answer was one.

    `requested` is False if nothing was asked of the site, so that nothing can arrive late.
    """

    claim: SiteAnswer
    detail: str
    incident: IncidentKind | None = None
    evidence: tuple[Evidence, ...] = ()
    requested: bool = True


@dataclass(frozen=True, slots=True)
class SelectorReport:
    """Whether every control that a run needs is there; `missing` names those that are not."""

    missing: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """True when nothing is missing."""
        return not self.missing
