"""A professional network that the controller can look at and act on."""

from typing import Protocol

from backend.domain.model.site import Attempt, IncidentKind, Profile, Relation, SelectorReport, SitePerson, Thread

STEP_SECONDS = 10.0
"""How long each step of a call (a page, a click, an answer) may take."""
MAX_STEPS = 8
"""A call with so many steps is broken off."""
ACT_SECONDS = STEP_SECONDS * MAX_STEPS
"""From the look before an act to its bytes no more time may pass; the lease must have more than this left (`LeaseTimes`)."""


class ActCalledOff(Exception):  # noqa: N818 - a decision, not a defect
    """We refused an act in the last moment, and say why. It is certain that nothing of it left."""


ShownByAct = Thread | Relation
"""What the page that an act opened shows: the conversation, or how the account stands to the person."""


class PageChanged(ActCalledOff):
    """The page of the act shows what the look before it did not."""

    def __init__(self, reason: str, shown: ShownByAct) -> None:
        super().__init__(reason)
        self.shown = shown


class ActCheck(Protocol):
    """Asked three times; raises `ActCalledOff` when the act may not be done."""

    def __call__(self, shown: ShownByAct | None = None, /) -> None:
        """Before anything is typed and again before the click, with what the page shows; and right before the bytes leave.

        Once more between those two if a page that took its time to send shows something else by then.
        """
        ...


def unguarded(shown: ShownByAct | None = None) -> None:
    """The check of what needs none: nothing of it reaches another person."""


class SiteIncident(Exception):  # noqa: N818 - an incident is the domain's word
    """The site shows a restriction, a login wall or a page we do not know. It latches (design: compliance 6)."""

    def __init__(self, kind: IncidentKind, sentence: str, evidence_file: str = "") -> None:
        super().__init__(f"{kind}: {sentence}")
        self.kind = kind
        self.said = sentence
        self.evidence_file = evidence_file


class NobodyThere(SiteIncident):
    """The site has no page of this person: a wrong address, or a profile that was closed. Several in a row are an incident."""

    def __init__(self, sentence: str, evidence_file: str = "") -> None:
        super().__init__(IncidentKind.UNKNOWN_PAGE, sentence, evidence_file)


class SiteUnavailable(Exception):  # noqa: N818 - a state of the world, not a defect
    """The site gave no usable answer (network, time-out, 5xx, browser gone). Says nothing about whether an act happened."""


class Site(Protocol):
    """Reads raise `SiteIncident` or `SiteUnavailable`. Acts raise them only before the click; after it they answer an `Attempt`.

    Acts ask their `check` in the thread that acts, and raise what it raises. From the opening of an act's page to its verdict
    nothing leaves the page but the one request that was checked, to the one person whom the page and the request name.
    Nothing here retries. `name` is "practice" or "linkedin", `address` that of its network. `settle_seconds` is how long
    (in real time) a request may still be under way after its act is over: what is absent before then may still arrive.
    """

    name: str
    address: str
    settle_seconds: float

    def open(self) -> None:
        """Start the browser and sign in where the site is ours to sign in to. Idempotent. Raises `OutriderError`."""

    def close(self) -> None:
        """Release the browser. Idempotent, never raises."""

    def check_selectors(self) -> SelectorReport:
        """Whether the page still has every control we use; looks, never acts."""

    def open_profile(self, person: SitePerson) -> None:
        """Show the profile in the visible browser."""

    def read_profile(self, person: SitePerson) -> Profile:
        """Read the profile; the name shown must be the person's, else incident `wrong_person`."""

    def read_thread(self, person: SitePerson) -> Thread:
        """Read the conversation with the person; empty when there is none."""

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> Attempt:
        """Invite the person with a note (may be empty). One click, no retry."""

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> Attempt:
        """Send the exact text to a connected person. One click, no retry."""

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> Attempt:
        """Take back an invitation that waits. One click, no retry."""
