"""LinkedIn in a visible browser: read and clicked only with the user's written consent and presence.

Everything on a page is found by role and label (`linkedin_labels.py`), and understood by `linkedin_pages.py`. Whatever is not as
they say is an incident: nothing is guessed, tried again or got round, and nothing is done to look like a person.
"""

import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit

from playwright.sync_api import Locator, Page

from backend.adapters.browser.session import BrowserFailure, BrowserSession, SingleAct, origin_of
from backend.adapters.browser.single_post import Post, PostAnswer
from backend.adapters.files.evidence import EvidenceStore
from backend.adapters.sites.linkedin_labels import Labels
from backend.adapters.sites.linkedin_pages import (
    ListedConversation,
    UnreadableError,
    degree_of,
    headline_of,
    incident_of,
    is_post,
    is_to,
    label,
    labels_for,
    names_shown,
    people_in,
    read_messages,
    sends,
)
from backend.adapters.sites.page_evidence import incident_seen, nobody_seen, screenshot
from backend.adapters.sites.practice_pages import DRAFT_THERE, is_draft, slug_of
from backend.adapters.sites.shown_name import is_shown_name, names_without_additions
from backend.domain.contact.conversation_check import is_as_seen
from backend.domain.model.channel import CHANNELS, DRIVE, LINKEDIN_ADDRESS
from backend.domain.model.message import folded, text_mark
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
)
from backend.domain.values.errors import OutriderError
from backend.ports.site import ActCheck, NobodyThere, SiteIncident, SiteUnavailable

OWN_HOST = re.compile(r"(?:[a-z]{2,6}\.)?linkedin\.com")
LOG_IN_SECONDS = 300.0
"""So long the browser stays open for the user to log in."""
POLL_MS = 100
STEADY_MS = 300
"""A conversation that shows nothing new for so long has loaded."""
FEED = "/feed/"
OK, CLIENT_ERROR, NOT_FOUND, TOO_MANY, SERVER_ERROR, DENIED = 200, 400, 404, 429, 500, 999

# From the field of a conversation outwards to the first part that has a heading: its headings, whether it still loads, and
# of each entry, in whichever of its lists, the lines beside the messages and the messages, with their line breaks. Null: no
# such part, or no list. What is not read must never look like nobody having written.
READ_CONVERSATION = r"""box => {
  let part = box;
  while (part && !part.querySelector('h1,h2,h3,[role=heading]')) part = part.parentElement;
  if (!part?.querySelector('ul,ol,[role=list]')) return null;
  const text = node => { for (const br of node.querySelectorAll('br')) br.replaceWith('\n'); return node.textContent; };
  const rows = [...part.querySelectorAll('li,[role=listitem]')].map(item => {
    const copy = item.cloneNode(true);
    copy.querySelectorAll('li,[role=listitem]').forEach(one => one.remove());
    const bodies = [...copy.querySelectorAll('p')];
    const said = bodies.map(text).concat([...copy.querySelectorAll('audio,video,[download]')].map(() => ''));
    bodies.forEach(one => one.remove());
    const walk = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT), lines = [];
    while (walk.nextNode()) if (walk.currentNode.data.trim()) lines.push(walk.currentNode.data);
    return [lines, said];
  });
  return {
    headings: [...part.querySelectorAll('h1,h2,h3,[role=heading]')].map(one => one.textContent),
    busy: part.getAttribute('aria-busy') === 'true' || !!part.querySelector('[aria-busy=true],[role=progressbar]'),
    rows,
  };
}"""

READ_FIELD = "box => box.value ?? box.innerText"

# Which of the controls stands below a main heading, with no other heading between: below any other they are about others.
OWN_CONTROL = """controls => controls.findIndex(control => {
  const before = [...document.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading]')].filter(heading =>
    heading.checkVisibility() && heading.compareDocumentPosition(control) & Node.DOCUMENT_POSITION_FOLLOWING);
  return before.pop()?.matches('h1,[aria-level="1"]');
})"""

T = TypeVar("T")
Conversation = dict[str, Any]
"""What `READ_CONVERSATION` reads."""


class ShownProfile(NamedTuple):
    """A profile that is shown: its address and language, the name as it stands there, and how the account stands to the person.

    `ids` are what a request may call the person by: the address's last part, and what the profile's own links name.
    """

    path: str
    labels: Labels
    name: str
    relation: Relation
    tree: str
    ids: frozenset[str]


class DriveSite:
    """The `Site` that is LinkedIn. The session's origin is LinkedIn's, or that of the tests' pages."""

    name = DRIVE

    def __init__(
        self,
        session: BrowserSession,
        evidence: EvidenceStore,
        *,
        refusal: Callable[[], str],
        stopped: Callable[[], bool] = lambda: False,
        log_in_seconds: float = LOG_IN_SECONDS,
    ) -> None:
        """`refusal` says why nothing may be looked at or done now, or ""; `stopped` ends the wait for the user to log in."""
        self.settle_seconds = CHANNELS[DRIVE].settle_seconds
        self.address = session.origin
        self._session, self._evidence = session, evidence
        self._refusal, self._stopped = refusal, stopped
        self._log_in_seconds = log_in_seconds
        self._single_act = SingleAct(session)
        self._healthy_since = 0  # which start of the browser the pages were checked in

    # Opening and closing.

    def open(self) -> None:
        """Show LinkedIn, and wait until the user has logged in by hand. Raises `drive_log_in`."""
        self._refuse()
        self._session.start(self)
        deadline = time.monotonic() + self._log_in_seconds
        begin = True
        while not self._run(partial(self._logged_in, begin=begin)):
            begin = False
            if self._stopped():
                raise OutriderError("proposer_stopped")
            if time.monotonic() > deadline:
                raise OutriderError("drive_log_in")

    def close(self) -> None:
        """Unless another campaign is in the same browser. The profile keeps the log-in."""
        self._session.close(self)

    def _logged_in(self, page: Page, *, begin: bool) -> bool:
        """Whether there is anything but a page to log in by. The user's own hand is on such a page: it is only looked at."""
        if begin and not self._asks_to_log_in(page):  # another campaign may wait there already
            page.goto(f"{self._session.origin}{FEED}", wait_until="domcontentloaded")
        elif not begin:
            page.wait_for_timeout(POLL_MS * 5)
        return not self._asks_to_log_in(page)

    def _asks_to_log_in(self, page: Page) -> bool:
        path = urlsplit(page.url).path
        incident = incident_of(path, _tree(page))
        return incident is not None and (incident[0] is IncidentKind.LOGGED_OUT or path.startswith("/checkpoint"))

    # Looking.

    def check_selectors(self) -> SelectorReport:
        """Whether the language is known and the navigation has its labels; a person's own controls are checked at each look."""
        return self._run(self._check)

    def open_profile(self, person: SitePerson) -> None:
        """Show the profile in the window."""

        def show(page: Page) -> None:
            self._profile(page, person)
            page.bring_to_front()

        self._run(show)

    def read_profile(self, person: SitePerson) -> Profile:
        """What the profile says by roles and labels: name, headline, and how the account stands to them."""

        def read(page: Page) -> Profile:
            shown = self._profile(page, person)
            headline = headline_of(shown.tree, shown.labels)
            return Profile(shown.name, headline, "", "", "", (), shown.relation)

        return self._run(read)

    def read_thread(self, person: SitePerson) -> Thread:
        """The conversation with a contact; nobody else has one."""
        return self._run(lambda page: self._thread(page, person)[0])

    def _check(self, page: Page) -> SelectorReport:
        missing: tuple[str, ...] = ()

        def complete(labels: Labels) -> bool:
            nonlocal missing
            nav = page.get_by_role("navigation")
            expected_links = (labels.home, labels.network, labels.messaging)
            missing = tuple(
                f"navigation: {words}" for words in expected_links if not nav.get_by_role("link", name=words).count()
            )
            return not missing

        try:
            self._visit(page, FEED, "navigation", complete)
        except SiteIncident as incident:
            if incident.kind is IncidentKind.UNKNOWN_PAGE and missing:
                return SelectorReport(missing)
            raise
        self._healthy_since = self._session.starts
        return SelectorReport()

    def _profile(self, page: Page, person: SitePerson) -> ShownProfile:
        try:
            slug = quote(slug_of(person.profile_url), safe="")
        except ValueError as wrong:
            raise NobodyThere(str(wrong)) from None
        if not OWN_HOST.fullmatch(urlsplit(person.profile_url.strip()).hostname or ""):
            raise NobodyThere(f"not an address of LinkedIn's: {person.profile_url!r}")
        tree = ""

        def named(labels: Labels) -> bool:
            nonlocal tree
            tree = _tree(page)
            return bool(names_shown(tree)) and degree_of(tree, labels) is not None

        labels = self._visit(page, f"/in/{slug}/", "name and degree of a person", named)
        name = self._name(page, tree, person)
        ids = {unquote(slug), unquote(urlsplit(page.url).path.strip("/").rpartition("/")[2])}
        for words in (labels.message, labels.connect, labels.pending):
            if control := self._control(page, words, name):
                linked = people_in(control.get_attribute("href") or "")
                ids |= linked if len(linked) == 1 else frozenset()  # one that names several does not say who they are
        relation = self._relation(page, labels, name, tree)
        return ShownProfile(urlsplit(page.url).path, labels, name, relation, tree, frozenset(ids))

    def _name(self, page: Page, tree: str, person: SitePerson) -> str:
        """The name as it stands there; an incident if the page is about anybody else, or about several people."""
        names = names_shown(tree)
        if not names or not all(is_shown_name(name, person.name) for name in names):
            sentence = f"The page is about {', '.join(names)}, not about {person.name}."
            raise self._incident(page, IncidentKind.WRONG_PERSON, sentence)
        return names[0]

    def _still(self, page: Page, shown: ShownProfile, person: SitePerson) -> None:
        """The page still is this person's; where a page changes whom it is about, nothing is sent."""
        if origin_of(page.url) != self._session.origin or urlsplit(page.url).path != shown.path:
            self._refuse_incident(page)
            sentence = f"The page went from {shown.path} to {page.url} meanwhile."
            raise self._incident(page, IncidentKind.WRONG_PERSON, sentence)
        self._name(page, self._refuse_incident(page), person)

    def _changed_relation(self, page: Page, shown: ShownProfile, person: SitePerson) -> Relation | None:
        """The relation that the page of the act shows by now, if it is another one; nothing is opened to find out."""
        self._still(page, shown, person)
        relation = shown.relation
        if degree_of(_tree(page), shown.labels) == 0:
            relation = Relation.CONNECTED
        elif self._control(page, shown.labels.pending, shown.name):
            relation = Relation.PENDING
        return None if relation is shown.relation else relation

    def _relation(self, page: Page, labels: Labels, name: str, tree: str) -> Relation:
        if degree_of(tree, labels) == 0:
            return Relation.CONNECTED
        if self._control(page, labels.pending, name):
            return Relation.PENDING
        if not self._control(page, labels.connect, name):
            # Where another button stands first, both are in the menu.
            menu = page.get_by_role("main").get_by_role("button", name=label(labels.more))
            if menu.count():
                menu.first.click()
            if self._control(page, labels.pending, name):
                return Relation.PENDING
        return Relation.NONE

    def _control(self, page: Page, words: str, name: str) -> Locator | None:
        """The button, link or menu item about this person; None if there is none. A namesake's stands below another heading."""
        names = "|".join(map(re.escape, names_without_additions(name)))
        accessible_name, main = label(words, name=f"(?:{names})"), page.get_by_role("main")
        for controls in (main.get_by_role(role, name=accessible_name) for role in ("button", "link", "menuitem")):
            if (place := controls.evaluate_all(OWN_CONTROL)) >= 0:
                return controls.nth(place)
        return None

    def _thread(self, page: Page, person: SitePerson) -> tuple[Thread, ShownProfile]:
        """The conversation, left open on the page if there is one."""
        shown = self._profile(page, person)
        if shown.relation is not Relation.CONNECTED:
            return Thread((), shown.relation), shown
        button = self._control(page, shown.labels.message, shown.name)
        if button is None:
            sentence = f"The profile has no button “{shown.labels.message.format(name=shown.name)}”."
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, sentence)
        button.click()
        box = page.get_by_role("textbox", name=label(shown.labels.composer))
        self._await(page, "one field to write in", lambda _: box.count() == 1)
        thread = self._conversation(page, person, shown, box)
        latest = thread.messages[-1].text if thread.messages else ""
        return replace(thread, evidence=screenshot(self._evidence, page, "thread", latest)), shown

    def _conversation(self, page: Page, person: SitePerson, shown: ShownProfile, box: Locator) -> Thread:
        """What the conversation that is open shows, without a picture; it must be with this person alone."""
        conversation = self._settled(page, box)
        self._with_them(page, person, conversation)
        try:
            return _thread_of(conversation, shown.labels, person)
        except UnreadableError as unreadable:
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, str(unreadable)) from None

    def _with_them(self, page: Page, person: SitePerson, conversation: Conversation) -> None:
        headings = conversation["headings"]
        if not headings or not all(is_shown_name(heading, person.name) for heading in headings):
            sentence = f"The conversation is with {', '.join(headings)}, not with {person.name}."
            raise self._incident(page, IncidentKind.WRONG_PERSON, sentence)

    def _settled(self, page: Page, box: Locator) -> Conversation:
        """What the conversation shows once it has loaded: "not read" must never look like "nobody answered"."""
        deadline, before = time.monotonic() + self._session.timeout, None
        while True:
            conversation: Conversation | None = box.evaluate(READ_CONVERSATION)
            if conversation and not conversation["busy"] and conversation == before:
                return conversation
            if time.monotonic() > deadline:
                raise self._incident(
                    page, IncidentKind.UNKNOWN_PAGE, "The conversation shows no list, or loads without end."
                )
            before = conversation
            page.wait_for_timeout(STEADY_MS)

    # Acting.

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> Attempt:
        """Invite, with a note or without."""
        return self._once(lambda page: self._invite(page, person, note, check), note)

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> Attempt:
        """Write to a contact."""
        if not text:
            raise SiteUnavailable("an empty message cannot be sent")
        return self._once(lambda page: self._write(page, person, text, check), text)

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> Attempt:
        """Under "Pending" on the profile, and once more in the dialog."""
        return self._once(lambda page: self._withdraw(page, person, check))

    def _once(self, act: Callable[[Page], Attempt], words: str = "") -> Attempt:
        """Only where the user allows it and the pages are as expected."""
        self._refuse()

        def checked(page: Page) -> Attempt:
            if self._healthy_since != self._session.starts and (missing := self._check(page).missing):
                sentence = f"LinkedIn does not look as expected: {', '.join(missing)}."
                raise self._incident(page, IncidentKind.UNKNOWN_PAGE, sentence)
            try:
                return act(page)
            except BrowserFailure:  # before the click; what is missing may be missing because of what came in the way
                with contextlib.suppress(BrowserFailure):
                    self._refuse_incident(page)
                raise

        return self._single_act.run(checked, words)

    def _invite(self, page: Page, person: SitePerson, note: str, check: ActCheck) -> Attempt:
        shown = self._profile(page, person)
        connect = self._control(page, shown.labels.connect, shown.name)
        check(shown.relation)
        if shown.relation is not Relation.NONE or connect is None:
            return Attempt(
                SiteAnswer.REFUSED, f"No invitation is offered: {RELATION_WORDS[shown.relation]}.", requested=False
            )
        labels = shown.labels

        def button(words: str) -> Locator:
            return page.get_by_role("dialog").get_by_role("button", name=label(words))

        self._ask(page, "invitation", connect, button(labels.without_note))
        recheck, still = partial(self._changed_relation, page, shown, person), partial(self._still, page, shown, person)
        if not note:
            return self._send(page, "invitation", button(labels.without_note), "", shown, recheck, check, still)
        button(labels.add_note).click()
        box = page.get_by_role("dialog").get_by_role("textbox")
        self._await(page, "one field for a note", lambda _: box.count() == 1)
        self._type(box, note)
        return self._send(page, "invitation", button(labels.send_with_note), note, shown, recheck, check, still)

    def _write(self, page: Page, person: SitePerson, text: str, check: ActCheck) -> Attempt:
        thread, shown = self._thread(page, person)
        if thread.relation is not Relation.CONNECTED:
            return Attempt(
                SiteAnswer.REFUSED, f"No message is possible: {RELATION_WORDS[thread.relation]}.", requested=False
            )
        check(thread)
        box = page.get_by_role("textbox", name=label(shown.labels.composer))
        if is_draft(box.evaluate(READ_FIELD), text):
            raise SiteUnavailable(DRAFT_THERE)
        self._type(box, text)
        send = page.get_by_role("button", name=label(shown.labels.send))

        def recheck() -> Thread:
            self._still(page, shown, person)
            if degree_of(_tree(page), shown.labels) != 0:
                raise SiteUnavailable("they are no contact any more; nothing was sent")
            now = self._conversation(page, person, shown, box)
            self._typed(box, text)
            return now

        def while_sending() -> Thread | None:
            """What others than the page's own hand have added meanwhile; None if that cannot be read then."""
            self._still(page, shown, person)
            conversation = box.evaluate(READ_CONVERSATION) if box.count() == 1 else None
            if conversation:
                self._with_them(page, person, conversation)
            with contextlib.suppress(UnreadableError):
                return _thread_of(conversation, shown.labels, person, but_for=text) if conversation else None
            return None

        return self._send(page, "message", send, text, shown, recheck, check, while_sending)

    def _withdraw(self, page: Page, person: SitePerson, check: ActCheck) -> Attempt:
        shown = self._profile(page, person)
        pending = self._control(page, shown.labels.pending, shown.name)
        check(shown.relation)
        if pending is None:
            return Attempt(SiteAnswer.REFUSED, "No invitation of yours waits there.", requested=False)
        button = page.get_by_role("dialog").get_by_role("button", name=label(shown.labels.withdraw))
        self._ask(page, "withdrawal", pending, button)
        recheck, still = partial(self._changed_relation, page, shown, person), partial(self._still, page, shown, person)
        return self._send(page, "withdrawal", button, "", shown, recheck, check, still)

    def _ask(self, page: Page, kind: str, control: Locator, button: Locator) -> None:
        """Open the dialog with that button. A page that acts without one must not: nothing leaves before the check was asked."""
        control.click()
        self._await(page, f"dialog of an act ({kind})", lambda _: bool(button.count()))
        self._refuse_unasked(page, kind)

    def _refuse_unasked(self, page: Page, kind: str, text: str = "") -> None:
        """A page may tell that one is typing, which is stopped like everything else; it must not send what is typed."""
        if any(sends(kind, _path(post), post.body, text) for post in self._single_act.stopped):
            sentence = f"The page sends the {kind} without asking; it was stopped."
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, sentence)

    def _type(self, box: Locator, text: str) -> None:
        box.fill(text)
        self._typed(box, text)

    def _typed(self, box: Locator, text: str) -> None:
        typed = box.evaluate(READ_FIELD)
        if folded(typed) != folded(text):
            raise SiteUnavailable("the page does not take the text as it is; nothing was sent")

    def _send(
        self,
        page: Page,
        kind: str,
        button: Locator,
        text: str,
        shown: ShownProfile,
        recheck: Callable[[], Thread | Relation | None],
        check: ActCheck,
        while_sending: Callable[[], Thread | None],
    ) -> Attempt:
        """Click once, send once what the page would send, and say what LinkedIn answers.

        `recheck` looks once more whom the page is about, and what it shows; so does `while_sending` after the click, which
        may have waited, of what is there then.
        """
        if button.count() != 1:
            raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f"The page has not one button to send the {kind}.")
        evidence = screenshot(self._evidence, page, kind, text)
        # Whatever would keep the click from happening shows now, while an exception still means that nothing was done.
        button.click(trial=True)
        before = recheck()
        check(before)
        self._refuse_unasked(page, kind, text)
        self._single_act.clicks()

        def matches(post: Post) -> bool:
            is_here = origin_of(post.url) == self._session.origin and is_post(post.method, post.headers)
            return is_here and sends(kind, _path(post), post.body, text)

        def is_theirs(post: Post) -> bool:
            try:
                now = while_sending()
            except SiteIncident:  # by now it is about somebody else, whoever the request names
                return False
            if isinstance(before, Thread) and now is not None and not is_as_seen(before, now):
                check(now)
            return is_to(shown.ids, _path(post), post.body)

        try:
            answer = self._session.submit_scripted(
                page, button.click, self._single_act.stopped, matches, check, is_theirs
            )
        except BrowserFailure:
            requested = self._session.requested
            return Attempt(SiteAnswer.NO_ANSWER, "LinkedIn gave no answer.", evidence=evidence, requested=requested)
        claim, sentence, incident = answer_of(kind, answer)
        return Attempt(claim, sentence, incident, evidence, requested=answer is not None)

    # Pages.

    def _refuse(self) -> None:
        if refusal := self._refusal():
            raise SiteUnavailable(refusal)

    def _run(self, work: Callable[[Page], T]) -> T:
        self._refuse()
        return self._session.run(work)

    def _visit(self, page: Page, path: str, what: str, is_present: Callable[[Labels], bool]) -> Labels:
        response = page.goto(f"{self._session.origin}{path}", wait_until="domcontentloaded")
        status = response.status if response else 0
        if SERVER_ERROR <= status < DENIED or not status:
            raise SiteUnavailable(f"{path} answers {status}")
        if status in (DENIED, TOO_MANY):
            raise self._incident(page, IncidentKind.UNUSUAL_ACTIVITY, f"{path} answers {status}.")
        if status == NOT_FOUND:
            raise self._nobody(page, path)
        return self._await(page, what, is_present)

    def _await(self, page: Page, what: str, is_present: Callable[[Labels], bool]) -> Labels:
        """The page's labels once this is there; an incident if the page shows one, or if it never comes."""
        deadline = time.monotonic() + self._session.timeout
        while True:
            path = urlsplit(page.url).path
            if origin_of(page.url) != self._session.origin:
                raise self._incident(page, IncidentKind.UNKNOWN_PAGE, f"The browser shows {page.url!r}.")
            self._refuse_incident(page)
            if path.rstrip("/") == "/404":  # where a profile's own page leads when there is none
                raise self._nobody(page, path)
            labels = labels_for(page.locator("html").get_attribute("lang") or "")
            if labels and is_present(labels):
                return labels
            if time.monotonic() > deadline:
                sentence = (
                    f"{path} shows no {what}." if labels else f"{path} is in a language that Outrider does not know."
                )
                raise self._incident(page, IncidentKind.UNKNOWN_PAGE, sentence)
            page.wait_for_timeout(POLL_MS)

    def _refuse_incident(self, page: Page) -> str:
        """The page's tree, which shows no incident."""
        tree = _tree(page)
        if incident := incident_of(urlsplit(page.url).path, tree):
            raise self._incident(page, *incident)
        return tree

    def _incident(self, page: Page, kind: IncidentKind, sentence: str) -> SiteIncident:
        return incident_seen(self._evidence, page, kind, sentence)

    def _nobody(self, page: Page, path: str) -> NobodyThere:
        return nobody_seen(self._evidence, page, f"LinkedIn has no page at {path}.")


def answer_of(kind: str, answer: PostAnswer | None) -> tuple[SiteAnswer, str, IncidentKind | None]:
    """What an answer to a send says; what became of it is seen by looking afterwards."""
    if answer is None:
        sentence = "The page did not send this to this person in a way that Outrider knows; it was stopped."
        return SiteAnswer.NO_ANSWER, sentence, IncidentKind.UNKNOWN_PAGE
    sentence = f"LinkedIn answered {answer.status}."
    if answer.status < OK + 100:
        return SiteAnswer.CONFIRMED, sentence, None
    if answer.status < CLIENT_ERROR:
        incident = incident_of(urlsplit(urljoin(LINKEDIN_ADDRESS, answer.location)).path, "")
        return SiteAnswer.NO_ANSWER, sentence, incident[0] if incident else IncidentKind.UNKNOWN_PAGE
    if answer.status == TOO_MANY and kind == "invitation":
        return SiteAnswer.REFUSED, sentence, IncidentKind.INVITATION_LIMIT
    if answer.status in (401, 403):
        return SiteAnswer.REFUSED, sentence, IncidentKind.LOGGED_OUT
    if answer.status in (TOO_MANY, DENIED):
        return SiteAnswer.REFUSED, sentence, IncidentKind.UNUSUAL_ACTIVITY
    return (SiteAnswer.REFUSED if answer.status < SERVER_ERROR else SiteAnswer.NO_ANSWER), sentence, None


def _thread_of(conversation: Conversation, labels: Labels, person: SitePerson, but_for: str = "") -> Thread:
    """The messages of a conversation, without one copy of a text that the page may show before it is sent."""
    rows = [ListedConversation(*row) for row in conversation["rows"]]
    messages = list(read_messages(rows, labels, person.name, datetime.now().astimezone()))
    copies = [each for each in messages if each.author == "you" and text_mark(each.text) == text_mark(but_for)]
    if but_for and copies:
        messages.remove(copies[-1])
    return Thread(tuple(messages), Relation.CONNECTED)


def _path(post: Post) -> str:
    parts = urlsplit(post.url)
    return f"{parts.path}?{parts.query}"


def _tree(page: Page) -> str:
    return page.locator("body").aria_snapshot()
