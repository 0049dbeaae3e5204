"""The practice network without a browser: the same requests in the same order, put straight to its pure core."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NoReturn, Protocol, TypeVar

from backend.adapters.sites.practice_pages import (
    EMAIL,
    INCIDENT_HEADINGS,
    INVITATION_FAILED,
    MESSAGE_FAILED,
    MESSAGE_SENT,
    NOT_YET,
    NOTHING_WITHDRAWN,
    SIGN_IN,
    slug_of,
)
from backend.adapters.sites.shown_name import is_shown_name
from backend.domain.model.message import folded
from backend.domain.model.site import (
    Attempt,
    IncidentKind,
    Profile,
    Relation,
    SelectorReport,
    SiteAnswer,
    SitePerson,
    Thread,
    ThreadMessage,
)
from backend.ports.site import ActCheck, NobodyThere, SiteIncident, SiteUnavailable, unguarded

T = TypeVar("T")

Moment = Literal[
    "profile_page", "invite_page", "invite_send", "thread_page", "message_send", "withdraw_send", "other_page"
]
SESSION = "direct"
# What the form fields of the pages hold, in UTF-16 units, which is how a browser counts.
NOTE_FIELD, MESSAGE_FIELD = 200, 8_000
HEADING_OF = {incident: heading for heading, incident in INCIDENT_HEADINGS.items()}
INCIDENT_OF_ANSWER = {
    "log_out": IncidentKind.LOGGED_OUT,
    "unusual_activity": IncidentKind.UNUSUAL_ACTIVITY,
    "invitation_limit": IncidentKind.INVITATION_LIMIT,
}


class SimulatedOutcome(Protocol):
    """How the network answers one request."""

    @property
    def answer(self) -> str: ...
    @property
    def look(self) -> str: ...
    @property
    def slow_ms(self) -> int: ...


class PracticeCore(Protocol):
    """The network's core with its ledger; a fault that crashes it raises `ConnectionError` from `meet`.

    Structural, because tools and the practice network do not import each other: `backend.practice.network_store.NetworkStore`
    has this shape.
    """

    def handle_request(
        self, moment: Moment, *, slug: str = "", text: str = "", session: str = ""
    ) -> SimulatedOutcome: ...

    def hold(self, moment: Moment, *, slug: str = "") -> int: ...

    def receive_later(self, ms: int, moment: Moment, *, slug: str, text: str) -> None: ...

    def read(self, look: Callable[[Any], T]) -> T: ...

    def record(self, decide: Callable[[Any], Any]) -> Any: ...


class DirectPracticeSite:
    """`PracticeSite` for those who need no browser: answers, refuses and fails as it does, in microseconds.

    Never waits: an answer slower than `timeout` (s) counts as none. `posts` gives a person's recent posts at a moment.
    """

    name = "practice"
    address = "https://practice.test"

    def __init__(
        self,
        network: PracticeCore,
        *,
        timeout: float = 10.0,
        settle_seconds: float = 60.0,
        posts: Callable[[Any, int], tuple[str, ...]] = lambda _person, _now: (),
    ) -> None:
        self.settle_seconds = settle_seconds
        self._network = network
        self._timeout_ms = timeout * 1000
        self._posts = posts
        self._fresh = True

    def open(self) -> None:
        self._fresh = False
        if not self._signed_in():
            self._network.record(lambda network: network.login(EMAIL, SESSION, network.now))

    def close(self) -> None:
        self._fresh = True

    def check_selectors(self) -> SelectorReport:
        """Nothing can be missing where nothing is looked at; but what the site refuses, it refuses here too."""
        self._meet("other_page", "")
        return SelectorReport()

    def open_profile(self, person: SitePerson) -> None:
        self._page("profile_page", person)

    def read_profile(self, person: SitePerson) -> Profile:
        shown = self._page("profile_page", person)
        now = self._network.read(lambda network: network.now)
        return Profile(
            name=folded(shown.name),
            headline=folded(shown.headline),
            company=folded(shown.company),
            location=folded(shown.location),
            about=folded(shown.about),
            activity=self._posts(shown, now),
            relation=self._relation(shown.slug),
        )

    def read_thread(self, person: SitePerson) -> Thread:
        shown = self._page("thread_page", person)
        if person.name.strip() == "You":
            raise SiteIncident(IncidentKind.UNKNOWN_PAGE, "Nobody can say who wrote a message: 'You'.")
        thread = self._thread(shown.slug)
        if thread.relation is not Relation.CONNECTED:
            self._page("profile_page", person)
        return thread

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck = unguarded) -> Attempt:
        shown = self._page("profile_page", person, labelled=lambda: self._relation(self._slug(person)) is Relation.NONE)
        relation = self._relation(shown.slug)
        if relation is not Relation.NONE:
            check(relation)
            return Attempt(SiteAnswer.REFUSED, f"No invitation is possible: {relation}.", requested=False)
        self._page("invite_page", person, labelled=lambda: True)
        check(relation)
        self._type(note, NOTE_FIELD)
        sent = f"Invitation sent to {folded(shown.name)}."
        return self._act("invite_send", "profile_page", person, note, (sent, INVITATION_FAILED), check, lambda: None)

    def send_message(self, person: SitePerson, text: str, check: ActCheck = unguarded) -> Attempt:
        if not text:
            raise SiteUnavailable("an empty message cannot be sent")
        connected = self._relation(self._slug(person)) is Relation.CONNECTED
        self._page("thread_page", person, labelled=lambda: connected)
        if not connected:
            return Attempt(SiteAnswer.REFUSED, f"You can write to {person.name} {NOT_YET}.", requested=False)
        shown = partial(self._thread, self._slug(person))
        check(shown())
        self._type(text, MESSAGE_FIELD)
        answers = (MESSAGE_SENT, MESSAGE_FAILED)
        return self._act("message_send", "thread_page", person, text, answers, check, shown)

    def withdraw_invitation(self, person: SitePerson, check: ActCheck = unguarded) -> Attempt:
        shown = self._page(
            "profile_page", person, labelled=lambda: self._relation(self._slug(person)) is Relation.PENDING
        )
        relation = self._relation(shown.slug)
        if relation is not Relation.PENDING:
            check(relation)
            return Attempt(SiteAnswer.REFUSED, f"No withdrawal is possible: {relation}.", requested=False)
        check(relation)
        self._meet("other_page", shown.slug)
        answers = (f"Invitation to {folded(shown.name)} withdrawn.", NOTHING_WITHDRAWN)
        return self._act("withdraw_send", "profile_page", person, "", answers, check, lambda: None)

    def _act(
        self,
        moment: Moment,
        after: Moment,
        person: SitePerson,
        text: str,
        answers: tuple[str, str],
        check: ActCheck,
        look: Callable[[], Thread | None],
    ) -> Attempt:
        slug = self._slug(person)
        check(look())  # before what would be the click
        check()  # before what would be the bytes
        held_ms = self._network.hold(moment, slug=slug)
        if held_ms >= self._timeout_ms:
            self._network.receive_later(held_ms, moment, slug=slug, text=text)
            return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.")
        try:
            sending = self._network.handle_request(moment, slug=slug, text=text, session=SESSION)
            if sending.answer not in ("sent", "failed"):
                return self._no_page(sending)
            shown = self._network.handle_request(after, slug=slug, session=SESSION)
        except ConnectionError:
            return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.")
        if held_ms + sending.slow_ms + shown.slow_ms >= self._timeout_ms:
            return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.")
        if shown.answer != "page":
            return self._no_page(shown)
        if shown.look == "changed_layout":
            return Attempt(SiteAnswer.NO_ANSWER, "", IncidentKind.UNKNOWN_PAGE)
        sent, failed = answers
        return Attempt(SiteAnswer.CONFIRMED, sent) if sending.answer == "sent" else Attempt(SiteAnswer.REFUSED, failed)

    def _no_page(self, encounter: SimulatedOutcome) -> Attempt:
        """What an act says when a fault decided the answer."""
        incident = INCIDENT_OF_ANSWER.get(encounter.answer)
        if encounter.slow_ms >= self._timeout_ms:
            return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.")
        if incident is None:
            return Attempt(SiteAnswer.NO_ANSWER, "The site answered with an error (500).")
        claim = SiteAnswer.REFUSED if incident is IncidentKind.INVITATION_LIMIT else SiteAnswer.NO_ANSWER
        return Attempt(claim, HEADING_OF[incident], incident)

    def _page(self, moment: Moment, person: SitePerson, labelled: Callable[[], bool] = lambda: False) -> Any:
        """Whom the page is about; `labelled` says whether a control is looked for there by its label."""
        slug = self._slug(person)
        self._sign_in_once()
        shown = self._network.read(lambda network: network.person(slug))
        if not self._signed_in():
            raise SiteIncident(IncidentKind.LOGGED_OUT, SIGN_IN)
        if shown is None:
            raise NobodyThere("This page could not be found")
        changed = labelled()
        encounter = self._meet(moment, slug)
        if encounter.look == "changed_layout":
            raise SiteIncident(IncidentKind.UNKNOWN_PAGE, "The page does not say whom it is about.")
        if not is_shown_name(shown.name, person.name):
            message = f"The page is about {shown.name}, not about {person.name}."
            raise SiteIncident(IncidentKind.WRONG_PERSON, message)
        if changed and encounter.look == "changed_labels":
            raise SiteIncident(IncidentKind.UNKNOWN_PAGE, "The page lacks a control.")
        return shown

    def _meet(self, moment: Moment, slug: str) -> SimulatedOutcome:
        """A request for a page, which nothing but a page answers well."""
        self._sign_in_once()
        if not self._signed_in():
            raise SiteIncident(IncidentKind.LOGGED_OUT, SIGN_IN)
        try:
            encounter = self._network.handle_request(moment, slug=slug, session=SESSION)
        except ConnectionError as failure:
            raise SiteUnavailable(str(failure)) from failure
        if encounter.slow_ms >= self._timeout_ms:
            raise SiteUnavailable("no answer in time")
        if encounter.answer != "page":
            self._refuse(encounter)
        return encounter

    def _refuse(self, encounter: SimulatedOutcome) -> NoReturn:
        incident = INCIDENT_OF_ANSWER.get(encounter.answer)
        if incident is None:
            raise SiteUnavailable("the network answers 500")
        raise SiteIncident(incident, HEADING_OF[incident])

    def _type(self, text: str, field: int) -> None:
        """A form field takes neither more than it holds nor a bare carriage return."""
        if "\r" in text or len(text.encode("utf-16-le", "surrogatepass")) // 2 > field:
            raise SiteUnavailable("the page does not take the text as it is; nothing was sent")

    def _sign_in_once(self) -> None:
        if self._fresh:
            self.open()

    def _signed_in(self) -> bool:
        return self._network.read(lambda network: SESSION in network.sessions)

    def _thread(self, slug: str) -> Thread:
        messages = self._network.read(lambda network: network.thread(slug, network.now))
        return Thread(tuple(ThreadMessage(each.author, each.text, each.at) for each in messages), self._relation(slug))

    def _relation(self, slug: str) -> Relation:
        relation = str(self._network.read(lambda network: network.relation(slug, network.now)))
        # Who withdrew an invitation is shown as a stranger again.
        return Relation.NONE if relation == "withdrawn" else Relation(relation)

    def _slug(self, person: SitePerson) -> str:
        try:
            return slug_of(person.profile_url)
        except ValueError as wrong:
            raise NobodyThere(str(wrong)) from None
