"""A professional network that the controller can look at and act on."""

from typing import Protocol

from backend.domain.site import Attempt, IncidentKind, Person, Profile, SelectorReport, Thread


class SiteIncident(Exception):  # noqa: N818 - an incident is the domain's word
    """The site shows a restriction, a login wall or a page we do not know. It latches (design: compliance 6)."""

    def __init__(self, kind: IncidentKind, said: str, evidence_file: str = "") -> None:
        super().__init__(f"{kind}: {said}")
        self.kind = kind
        self.said = said
        self.evidence_file = evidence_file


class SiteUnavailable(Exception):  # noqa: N818 - a state of the world, not a defect
    """The site gave no usable answer (network, time-out, 5xx, browser gone). Says nothing about whether an act happened."""


class Site(Protocol):
    """Reads raise `SiteIncident` or `SiteUnavailable`. Acts raise them only before the click; after it they answer an `Attempt`.

    Nothing here retries. `name` is "practice" or "linkedin".
    """

    name: str

    def open(self) -> None:
        """Start the browser and sign in where the site is ours to sign in to. Idempotent. Raises `OutriderError`."""

    def close(self) -> None:
        """Release the browser. Idempotent, never raises."""

    def check_selectors(self) -> SelectorReport:
        """Whether the page still has every control we use; looks, never acts."""

    def open_profile(self, person: Person) -> None:
        """Show the profile in the visible browser."""

    def read_profile(self, person: Person) -> Profile:
        """Read the profile; the name shown must be the person's, else incident `wrong_person`."""

    def read_thread(self, person: Person) -> Thread:
        """Read the conversation with the person; empty when there is none."""

    def send_invitation(self, person: Person, note: str) -> Attempt:
        """Invite the person with a note (may be empty). One click, no retry."""

    def send_message(self, person: Person, text: str) -> Attempt:
        """Send the exact text to a connected person. One click, no retry."""
