"""The practice network in the browser: elements are found by role and label, and every act is one click."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from playwright.sync_api import Locator, Page, Response

from backend.adapters.browser.session import BrowserFailure, BrowserSession, SingleAct, UnwantedPostError, origin_of
from backend.adapters.browser.single_post import Post
from backend.adapters.files.evidence import EvidenceStore
from backend.adapters.sites.page_evidence import incident_seen, nobody_seen, screenshot
from backend.adapters.sites.practice_pages import (
    DRAFT_THERE,
    EMAIL,
    INCIDENT_HEADINGS,
    INVITATION_FAILED,
    MESSAGE_FAILED,
    MESSAGE_SENT,
    NOT_YET,
    NOTHING_WITHDRAWN,
    PRACTICE_SETTLE_SECONDS,
    RELATIONSHIPS,
    SIGN_IN,
    is_draft,
    posts,
    slug_of,
)
from backend.adapters.sites.shown_name import is_shown_name
from backend.domain.model.message import folded
from backend.domain.model.site import (
    RELATION_WORDS,
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
from backend.domain.values.errors import OutriderError
from backend.ports.site import ActCheck, NobodyThere, SiteIncident, SiteUnavailable, unguarded

COMPOSER = "Write a message"
CLIENT_ERROR, NOT_FOUND, SERVER_ERROR = 400, 404, 500
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# One call to the browser reads a whole thread, however long.
READ_MESSAGES = """articles => articles.map(article => [
    article.getAttribute("aria-label"),
    article.querySelector("p")?.textContent,
    article.querySelector("time")?.getAttribute("datetime"),
])"""


class LoadedPage(NamedTuple):
    """A page as it was loaded: its path, HTTP status and main headings."""

    path: str
    status: int
    headings: tuple[str, ...]


class ProfileAct(NamedTuple):
    """An act that begins with a button on the profile, its form, and the site's answers."""

    kind: str
    control: str
    relation: Relation
    heading: str
    field: str
    button: str
    confirmed: str
    refused: str


INVITE = ProfileAct(
    "invitation",
    "Connect",
    Relation.NONE,
    heading="Invite {} to connect",
    field="Add a note (optional)",
    button="Send invitation",
    confirmed="Invitation sent to {}.",
    refused=INVITATION_FAILED,
)
WITHDRAW = ProfileAct(
    "withdrawal",
    "Pending",
    Relation.PENDING,
    heading="Withdraw your invitation to {}",
    field="",
    button="Withdraw",
    confirmed="Invitation to {} withdrawn.",
    refused=NOTHING_WITHDRAWN,
)


class PracticeSite:
    """The `Site` that Outrider serves itself."""

    name = "practice"

    def __init__(
        self,
        session: BrowserSession,
        base_url: str,
        evidence: EvidenceStore,
        *,
        password: str,
        settle_seconds: float = PRACTICE_SETTLE_SECONDS,
    ) -> None:
        """`password` is the network's, for this launch of it."""
        self.settle_seconds = settle_seconds
        self._session = session
        self.address = self._base = origin_of(base_url)
        self._evidence = evidence
        self._password = password
        self._single_act = SingleAct(session)
        self._signed_in_since = 0  # which start of the browser we have signed in for

    # Opening and closing.

    def open(self) -> None:
        self._session.start()
        try:
            self._session.run(self._enter)
        except SiteUnavailable as failure:
            raise OutriderError("site_unreachable", site="The practice network", detail=failure) from failure

    def close(self) -> None:
        self._session.close()

    def _enter(self, page: Page) -> None:
        page.goto(f"{self._base}/", wait_until="domcontentloaded")
        if SIGN_IN in self._headings(page):
            self._sign_in(page)
        self._signed_in_since = self._session.starts

    def _sign_in(self, page: Page) -> int:
        self._signed_in_since = self._session.starts
        page.get_by_label("Email", exact=True).fill(EMAIL)
        page.get_by_label("Password", exact=True).fill(self._password)
        return self._session.submit(page, page.get_by_role("button", name=SIGN_IN, exact=True).click, unguarded)

    # Looking.

    def check_selectors(self) -> SelectorReport:
        return self._session.run(self._check)

    def open_profile(self, person: SitePerson) -> None:
        def show(page: Page) -> None:
            self._visit_profile(page, person)
            page.bring_to_front()

        self._session.run(show)

    def read_profile(self, person: SitePerson) -> Profile:
        return self._session.run(lambda page: self._read_profile(page, person))

    def read_thread(self, person: SitePerson) -> Thread:
        return self._session.run(lambda page: self._read_thread(page, person))

    def _read_profile(self, page: Page, person: SitePerson) -> Profile:
        name = self._visit_profile(page, person)
        about_section = page.get_by_role("region", name="About", exact=True)
        activity_section = page.get_by_role("region", name="Activity", exact=True)
        return Profile(
            name=name,
            headline=text_of(page.locator("main .headline")),
            company=text_of(page.locator("main .company")),
            location=text_of(page.locator("main .location")),
            about=text_of(about_section.locator("p")),
            activity=tuple(map(folded, activity_section.get_by_role("article").locator("p").all_inner_texts())),
            relation=self._relation(page),
        )

    def _read_thread(self, page: Page, person: SitePerson) -> Thread:
        self._visit_thread(page, person)
        messages = self._messages(page, person)
        latest = page.get_by_role("article").last if messages else None
        evidence = screenshot(self._evidence, page, "thread", messages[-1].text if messages else "", latest)
        if page.get_by_role("textbox", name=COMPOSER, exact=True).count():
            return Thread(messages, Relation.CONNECTED, evidence)
        # The thread's page does not tell pending from nothing.
        self._visit_profile(page, person)
        return Thread(messages, self._relation(page), evidence)

    def _messages(self, page: Page, person: SitePerson) -> tuple[ThreadMessage, ...]:
        # An empty list takes no room on the page, which Playwright calls hidden.
        listing = page.get_by_role("list", name="Messages", exact=True, include_hidden=True)
        if listing.count() != 1:
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, "The conversation has no list of messages.")
        messages = []
        for label, text, at in listing.get_by_role("article").evaluate_all(READ_MESSAGES):
            by_them = is_shown_name(label or "", person.name)
            if by_them == (label == "You") or not isinstance(text, str):
                raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f"Nobody can say who wrote a message: {label!r}.")
            try:
                written = (datetime.fromisoformat(at) - EPOCH) // timedelta(milliseconds=1)
            except (TypeError, ValueError):
                raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f"A message has no date: {at!r}.") from None
            messages.append(ThreadMessage("them" if by_them else "you", text, written))
        return tuple(messages)

    def _relation(self, page: Page) -> Relation:
        shown = page.get_by_role("status", name="Relationship", exact=True).all_inner_texts()
        relation = RELATIONSHIPS.get(folded(shown[0])) if len(shown) == 1 else None
        if relation is None:
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f"The profile shows no known relationship: {shown}.")
        return relation

    # Acting.

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> Attempt:
        return self._single_act.run(lambda page: self._act_on_profile(page, person, INVITE, note, check), note)

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> Attempt:
        if not text:
            raise SiteUnavailable("an empty message cannot be sent")
        return self._single_act.run(lambda page: self._write(page, person, text, check), text)

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> Attempt:
        return self._single_act.run(lambda page: self._act_on_profile(page, person, WITHDRAW, "", check))

    def _act_on_profile(self, page: Page, person: SitePerson, act: ProfileAct, text: str, check: ActCheck) -> Attempt:
        name = self._visit_profile(page, person)
        actions = page.get_by_role("region", name="Profile actions", exact=True)
        control = actions.get_by_role("button", name=act.control, exact=True)
        relation = self._relation(page)
        check(relation)
        if control.count() != 1:
            if relation is act.relation:
                raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f'The profile has no button "{act.control}".')
            return Attempt(
                SiteAnswer.REFUSED, f"No {act.kind} is possible: {RELATION_WORDS[relation]}.", requested=False
            )
        self._to_form(page, control, act.heading, person)
        return self._act(
            page,
            recheck=lambda: self._refuse_other_page(page, act.heading, person),
            field=act.field,
            text=text,
            button=act.button,
            kind=act.kind,
            person=person,
            check=check,
            answers={act.confirmed.format(name): SiteAnswer.CONFIRMED, act.refused: SiteAnswer.REFUSED},
        )

    def _to_form(self, page: Page, control: Locator, heading: str, person: SitePerson) -> None:
        """Click what leads to a form; its heading must name the person."""
        with page.expect_navigation(wait_until="domcontentloaded") as form:
            control.click()
        self._arrive(page, form.value)
        self._refuse_other_page(page, heading, person)

    def _refuse_other_page(self, page: Page, heading: str, person: SitePerson) -> None:
        """Raises an incident unless the page's address and its one heading are those of the person."""
        path = urlsplit(page.url).path
        loaded_page = LoadedPage(path, 0, self._headings(page))
        self._refuse_incident(page, loaded_page)
        if self._slug(person) not in path.split("/") or origin_of(page.url) != self._base:
            raise self._incident(page, IncidentKind.WRONG_PERSON, f"The page went to {page.url} meanwhile.")
        if not loaded_page.headings or not all(
            is_shown_name(shown, heading.format(person.name)) for shown in loaded_page.headings
        ):
            self._refuse_wrong_person(page, loaded_page, heading.format("(.+)"), person)

    def _write(self, page: Page, person: SitePerson, text: str, check: ActCheck) -> Attempt:
        self._visit_thread(page, person)
        not_yet = f"You can write to {person.name} {NOT_YET}."
        composer = page.get_by_role("textbox", name=COMPOSER, exact=True)
        # Asked in this order because a message may quote the sentence.
        if not composer.count() and page.get_by_text(not_yet, exact=True).count():
            return Attempt(SiteAnswer.REFUSED, not_yet, requested=False)

        def recheck() -> Thread:
            self._refuse_other_page(page, "{}", person)
            return Thread(self._messages(page, person), Relation.CONNECTED)

        check(recheck())
        return self._act(
            page,
            recheck=recheck,
            field=COMPOSER,
            text=text,
            button="Send",
            kind="message",
            person=person,
            check=check,
            answers={MESSAGE_SENT: SiteAnswer.CONFIRMED, MESSAGE_FAILED: SiteAnswer.REFUSED},
        )

    def _act(
        self,
        page: Page,
        *,
        field: str,
        text: str,
        button: str,
        kind: str,
        person: SitePerson,
        recheck: Callable[[], Thread | None],
        check: ActCheck,
        answers: dict[str, SiteAnswer],
    ) -> Attempt:
        """Fill the field if there is one, check its content, click once, and read the page's answer.

        `recheck` checks once more whom the page is about, and reads its thread.
        """
        box = page.get_by_role("textbox", name=field, exact=True)
        send = page.get_by_role("button", name=button, exact=True)
        missing = [label for label, control in ((field, box), (button, send)) if label and control.count() != 1]
        if missing:
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f"The page lacks {' and '.join(missing)}.")
        if field:
            if is_draft(box.input_value(), text):
                raise SiteUnavailable(DRAFT_THERE)
            box.fill(text)
            if box.input_value() != text:
                raise SiteUnavailable("the page does not take the text as it is; nothing was sent")
        # What would prevent the click raises here, while an exception still means that nothing was done.
        send.click(trial=True)
        check(recheck())
        if self._single_act.stopped:
            sentence = f"The page sends the {kind} without asking; it was stopped."
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, sentence)
        self._single_act.clicks()
        slug, caught = self._slug(person), list[Post]()

        def allowed(post: Post) -> bool:
            caught.append(post)
            return origin_of(post.url) == self._base and posts(kind, slug, urlsplit(post.url).path, post.body, text)

        try:
            status = self._session.submit(page, send.click, check, allowed)
        except UnwantedPostError:
            if slug in urlsplit(caught[-1].url).path.split("/"):
                sentence, incident = (
                    f"The page would have sent something else than this {kind}",
                    IncidentKind.UNKNOWN_PAGE,
                )
            else:
                sentence, incident = "The page would have sent this to somebody else", IncidentKind.WRONG_PERSON
            return Attempt(SiteAnswer.NO_ANSWER, f"{sentence}; it was stopped.", incident, requested=False)
        except BrowserFailure:
            return Attempt(SiteAnswer.NO_ANSWER, "The site gave no answer.", requested=self._session.requested)
        try:
            return self._answer(page, status, kind, person, answers)
        except BrowserFailure:
            return Attempt(SiteAnswer.NO_ANSWER, "The answer could not be read.")

    def _answer(
        self, page: Page, status: int, kind: str, person: SitePerson, answers: dict[str, SiteAnswer]
    ) -> Attempt:
        headings = self._headings(page)
        incident = next((INCIDENT_HEADINGS[heading] for heading in headings if heading in INCIDENT_HEADINGS), None)
        sentence = next(iter(headings), "")
        answer, shown = SiteAnswer.NO_ANSWER, None
        if incident:
            answer = SiteAnswer.REFUSED if incident is IncidentKind.INVITATION_LIMIT else SiteAnswer.NO_ANSWER
        elif status >= SERVER_ERROR or not status:
            sentence = f"The site answered with an error ({status})."
        else:
            notices = page.get_by_role("status").or_(page.get_by_role("alert"))
            answers_by_text = {folded(text): site_answer for text, site_answer in answers.items()}
            texts = list(map(folded, notices.all_inner_texts()))
            positions = [position for position, text in enumerate(texts) if text in answers_by_text]
            if not any(is_shown_name(heading, person.name) for heading in headings):
                incident = IncidentKind.UNKNOWN_PAGE
            elif len({texts[position] for position in positions}) == 1:
                # By its place: a search for its text would miss a name that is composed in another way, and wait.
                sentence, shown = texts[positions[-1]], notices.nth(positions[-1])
                answer = answers_by_text[sentence]
            else:
                sentence = "The site did not say whether it was sent."
        return Attempt(answer, sentence, incident, screenshot(self._evidence, page, kind, sentence, shown))

    # Pages.

    def _visit_profile(self, page: Page, person: SitePerson) -> str:
        """Show the person's profile; the name as it stands there."""
        return self._expect_person(page, self._visit(page, f"/in/{self._slug(person)}"), person)

    def _visit_thread(self, page: Page, person: SitePerson) -> None:
        self._expect_person(page, self._visit(page, f"/messaging/{self._slug(person)}"), person)

    def _slug(self, person: SitePerson) -> str:
        try:
            return quote(slug_of(person.profile_url), safe="")
        except ValueError as wrong:
            raise NobodyThere(str(wrong)) from None

    def _visit(self, page: Page, path: str) -> LoadedPage:
        return self._arrive(page, page.goto(f"{self._base}{path}", wait_until="domcontentloaded"))

    def _arrive(self, page: Page, response: Response | None) -> LoadedPage:
        """The page, when it is neither an error nor an incident; signed in first when the browser is new."""
        loaded_page = self._loaded(page, response.status if response else 0)
        if SIGN_IN in loaded_page.headings and self._signed_in_since != self._session.starts:
            loaded_page = self._loaded(page, self._sign_in(page))
        self._refuse_incident(page, loaded_page)
        if loaded_page.status >= CLIENT_ERROR:
            if loaded_page.status == NOT_FOUND and loaded_page.path.startswith(("/in/", "/messaging/")):
                raise nobody_seen(self._evidence, page, f"There is no page at {loaded_page.path}.")
            sentence = f"{loaded_page.path} answers {loaded_page.status}: {' '.join(loaded_page.headings)}"
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, sentence)
        return loaded_page

    def _refuse_incident(self, page: Page, loaded_page: LoadedPage) -> None:
        for heading in loaded_page.headings:
            if heading in INCIDENT_HEADINGS:
                raise self._incident(page, INCIDENT_HEADINGS[heading], heading)

    def _loaded(self, page: Page, status: int) -> LoadedPage:
        path = urlsplit(page.url).path
        if not status or origin_of(page.url) != self._base:
            raise SiteUnavailable(f"the browser shows {page.url!r} instead of the practice network")
        if status >= SERVER_ERROR:
            raise SiteUnavailable(f"{path} answers {status}")
        return LoadedPage(path, status, self._headings(page))

    def _headings(self, page: Page) -> tuple[str, ...]:
        return tuple(map(folded, page.get_by_role("heading", level=1).all_inner_texts()))

    def _expect_person(self, page: Page, loaded_page: LoadedPage, person: SitePerson) -> str:
        if not any(is_shown_name(heading, person.name) for heading in loaded_page.headings):
            self._refuse_wrong_person(page, loaded_page, "(.+)", person)
        return loaded_page.headings[0]

    def _refuse_wrong_person(self, page: Page, loaded_page: LoadedPage, pattern: str, person: SitePerson) -> None:
        shown = next((match[1] for heading in loaded_page.headings if (match := re.fullmatch(pattern, heading))), "")
        if shown:
            sentence = f"The page is about {shown}, not about {person.name}."
            raise self._incident(page, IncidentKind.WRONG_PERSON, sentence)
        raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f"{loaded_page.path} does not say whom it is about.")

    def _incident(self, page: Page, kind: IncidentKind, sentence: str) -> SiteIncident:
        return incident_seen(self._evidence, page, kind, sentence)

    # Checking.

    def _check(self, page: Page) -> SelectorReport:
        missing: list[str] = []

        def require(where: str, what: str, there: bool) -> None:
            if not there:
                missing.append(f"{where}: {what}")

        self._visit(page, "/search")
        rows = page.get_by_role("list", name="People", exact=True).get_by_role("listitem")
        connected = rows.filter(has=page.get_by_text("Connected", exact=True))
        pending = rows.filter(has=page.get_by_text("Invitation pending", exact=True))
        everyone, contacts, waiting = links(rows), links(connected), links(pending)
        require("search", "people", bool(everyone))
        strangers = [path for path in everyone if path not in contacts + waiting] or everyone
        if not contacts:
            self._visit(page, "/messaging")
            contacts = links(page.get_by_role("list", name="Conversations", exact=True), "/messaging/")
        for profile in strangers[:1]:
            self._check_profile(page, profile, require)
            self._check_form(page, f"{profile}/invite", "Add a note (optional)", "Send invitation", require)
        for path in contacts[:1]:
            self._check_form(page, path.replace("/in/", "/messaging/", 1), COMPOSER, "Send", require)
        return SelectorReport(tuple(missing))

    def _check_profile(self, page: Page, path: str, require: Callable[[str, str, bool], None]) -> None:
        loaded_page = self._visit(page, path)
        actions = page.get_by_role("region", name="Profile actions", exact=True)
        controls = (
            actions.get_by_role("button", name="Connect", exact=True)
            .or_(actions.get_by_role("button", name="Pending", exact=True))
            .or_(actions.get_by_role("link", name="Message", exact=True))
        )
        shown = page.get_by_role("status", name="Relationship", exact=True).all_inner_texts()
        require("profile", "name", len(loaded_page.headings) == 1 and bool(loaded_page.headings[0]))
        require("profile", "Relationship", len(shown) == 1 and folded(shown[0]) in RELATIONSHIPS)
        require("profile", "Profile actions", actions.count() == 1)
        require("profile", "Connect, Pending or Message", controls.count() == 1)
        for region in ("About", "Activity"):
            require("profile", region, page.get_by_role("region", name=region, exact=True).count() == 1)

    def _check_form(
        self, page: Page, path: str, field: str, button: str, require: Callable[[str, str, bool], None]
    ) -> None:
        loaded_page = self._visit(page, path)
        where = "invitation" if path.endswith("/invite") else "conversation"
        require(where, "name", len(loaded_page.headings) == 1 and bool(loaded_page.headings[0]))
        require(where, field, page.get_by_role("textbox", name=field, exact=True).count() == 1)
        require(where, button, page.get_by_role("button", name=button, exact=True).count() == 1)
        if where == "conversation":
            listing = page.get_by_role("list", name="Messages", exact=True, include_hidden=True)
            require(where, "Messages", listing.count() == 1)


def text_of(locator: Locator) -> str:
    """The first element's text, or nothing when there is none: not every profile says everything."""
    return folded(next(iter(locator.all_inner_texts()), ""))


def links(part: Locator, folder: str = "/in/") -> list[str]:
    """Where the part's links lead, of those that lead to something in the folder."""
    paths = part.get_by_role("link").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    return [path for path in paths if isinstance(path, str) and re.fullmatch(f"{folder}[^/?#]+", path)]
