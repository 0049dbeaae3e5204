"""Every `Site` does what the port says: the direct one and the browser, on the same network with the same faults."""

import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest

from backend.adapters.browser.chromium import holders
from backend.adapters.browser.session import BrowserFailure, BrowserSession
from backend.adapters.files.evidence import EvidenceStore
from backend.adapters.sites.practice import PracticeSite
from backend.domain.model.site import IncidentKind, Relation, SiteAnswer, SitePerson
from backend.domain.values.errors import OutriderError
from backend.ports.site import ActCalledOff, NobodyThere, Site, SiteIncident, SiteUnavailable, unguarded
from backend.practice.faults import Fault
from backend.practice.launch_secrets import TOKEN_HEADER, LaunchSecrets
from backend.practice.people import PersonCard
from tests.chromium import hidden_browser
from tests.cli.outrider import until
from tests.fakes.site import direct_site, practice_exchange
from tests.kills import KILL
from tests.patience import PATIENCE

HURRY = 2.0
"""Seconds that a hurried caller waits; nobody else gives up, or a busy machine would look like a fault."""
TOO_LATE = int(HURRY * 1000) + 800
ROUGH = " \n  Hello 👩🏽‍🚀 <b>&amp;</b> “é”\tand\n\n\nnon\u00a0breaking \u200b zero\n العربية \n "
NUMBER = count(1)
Awaited = Literal["page", "answer"]


class World(Protocol):
    """A network, a site on it, and the levers a test needs."""

    site: Site

    def enrol(self, name: str, *, connected: bool = False, headline: str = "", company: str = "") -> SitePerson: ...
    def arm(self, kind: str, on: str = "any", **more: Any) -> None: ...
    def entries(self, kind: str) -> list[dict[str, Any]]: ...
    def revive(self) -> None: ...
    def in_a_hurry(self, what: Awaited) -> AbstractContextManager[None]: ...
    def let_pass(self, milliseconds: int) -> None: ...
    def reset(self) -> None: ...


def address(slug: str) -> str:
    return f"https://www.linkedin.com/in/{slug}/?trk=x"


class DirectWorld:
    def __init__(self) -> None:
        self.real_time = 0
        self.exchange = practice_exchange(real_now=lambda: self.real_time)
        self.site: Site = direct_site(self.exchange, timeout=HURRY)

    def enrol(self, name: str, *, connected: bool = False, headline: str = "", company: str = "") -> SitePerson:
        slug = f"person-{next(NUMBER)}"
        card = PersonCard(slug, name, headline, company, connected)
        self.exchange.record(lambda network: network.enrol([card], network.now))
        return SitePerson(address(slug), name)

    def arm(self, kind: str, on: str = "any", **more: Any) -> None:
        fault = Fault.model_validate({"kind": kind, "on": on, **more})
        self.exchange.record(lambda network: network.arm(fault, network.now))

    def entries(self, kind: str) -> list[dict[str, Any]]:
        return [entry.as_dict() for entry in self.exchange.entries() if entry.kind == kind]

    def revive(self) -> None:
        pass

    def in_a_hurry(self, what: Awaited) -> AbstractContextManager[None]:
        return nullcontext()

    def let_pass(self, milliseconds: int) -> None:
        self.real_time += milliseconds

    def reset(self) -> None:
        pass


class BrowserWorld:
    """A practice network in a process of its own, and a hidden browser."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = 0
        self._secrets = LaunchSecrets.new()
        self.url = ""
        self._process: subprocess.Popen[bytes]
        self._signed_out = False
        self.revive()
        profile = folder / "profile"
        self.session = BrowserSession(
            "practice", profile, self.url, headless=True, timeout=PATIENCE, find=hidden_browser
        )
        self.evidence = EvidenceStore(folder / "evidence")
        self.site: Site = PracticeSite(self.session, self.url, self.evidence, password=self._secrets.password)
        self.site.open()

    def revive(self) -> None:
        """Start the network, again on the same port and ledger after it crashed."""
        if self._port:
            self._process.wait(PATIENCE)
            self._hang_up()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "backend.practice", "--port", str(self._port), "--people", "50"),
                *("--ledger", str(self._folder / "ledger.jsonl"), "--exit-with-parent"),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(self._secrets.to_line().encode())
        self._process.stdin.flush()
        self.url = json.loads(self._process.stdout.readline())["url"]
        self._port = int(self.url.rpartition(":")[2])

    def control(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(
            f"{self.url}/_practice/{path}",
            data,
            {"Content-Type": "application/json", TOKEN_HEADER: self._secrets.control_token},
            method=method,
        )
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return json.load(answer)

    def enrol(self, name: str, *, connected: bool = False, headline: str = "", company: str = "") -> SitePerson:
        slug = f"person-{next(NUMBER)}"
        row = {"slug": slug, "name": name, "headline": headline, "company": company, "connected": connected}
        self.control("POST", "people", [row])
        return SitePerson(address(slug), name)

    def arm(self, kind: str, on: str = "any", **more: Any) -> None:
        self._signed_out = self._signed_out or kind == "log_out"
        self.control("POST", "faults", {"kind": kind, "on": on, **more})

    def entries(self, kind: str) -> list[dict[str, Any]]:
        return [entry for entry in self.control("GET", "ledger")["entries"] if entry["kind"] == kind]

    @contextmanager
    def in_a_hurry(self, what: Awaited) -> Iterator[None]:
        """Only what is named has to come soon; the steps before it need not."""

        def give_up_after(seconds: float) -> None:
            if what == "answer":
                self.session.answer_timeout = seconds
            else:
                self.session.run(lambda page: page.context.set_default_navigation_timeout(seconds * 1_000))

        give_up_after(HURRY)
        try:
            yield
        finally:
            give_up_after(PATIENCE)

    def let_pass(self, milliseconds: int) -> None:
        """It passes by itself."""

    def reset(self) -> None:
        self.control("DELETE", "faults")
        if self._signed_out:
            self.site.open()
            self._signed_out = False

    def close(self) -> None:
        self.site.close()
        self._hang_up()

    def _hang_up(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._process.wait(PATIENCE)


@pytest.fixture(scope="session")
def browser_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserWorld]:
    try:
        hidden_browser()
    except OutriderError as missing:
        pytest.skip(missing.sentence)
    world = BrowserWorld(tmp_path_factory.mktemp("browser"))
    yield world
    world.close()


@pytest.fixture
def browsing(browser_world: BrowserWorld) -> Iterator[BrowserWorld]:
    yield browser_world
    browser_world.reset()


@pytest.fixture(params=["direct", "browser"])
def world(request: pytest.FixtureRequest) -> World:
    chosen: World = DirectWorld() if request.param == "direct" else request.getfixturevalue("browsing")
    return chosen


def sent_to(world: World, kind: str, person: SitePerson) -> list[dict[str, Any]]:
    slug = person.profile_url.split("/in/")[1].split("/")[0]
    return [entry for entry in world.entries(kind) if entry["to"] == slug]


# Reading.


def test_a_profile_is_read_as_it_stands(world: World) -> None:
    person = world.enrol("Zoë O\u2019Hara", headline="Founder & CEO", company="Papertrail <Software>")
    profile = world.site.read_profile(person)
    assert (profile.name, profile.headline, profile.company) == (person.name, "Founder & CEO", "Papertrail <Software>")
    assert profile.location
    assert profile.about
    assert all(profile.activity)
    assert profile.relation is Relation.NONE


def test_both_sites_read_the_same_profile(browsing: BrowserWorld) -> None:
    direct = DirectWorld()
    crowd = [direct.exchange.network.people.crowd.card(k) for k in range(8)]
    now = browsing.control("GET", "health")["now"]
    direct.exchange.record(lambda network: network.advance(now))
    for card in crowd:
        person = SitePerson(address(card.slug), card.name)
        assert browsing.site.read_profile(person) == direct.site.read_profile(person)


def test_a_thread_of_nothing_is_empty(world: World) -> None:
    stranger, contact = world.enrol("Stranger"), world.enrol("Contact", connected=True)
    assert world.site.read_thread(stranger).messages == ()
    assert world.site.read_thread(stranger).relation is Relation.NONE
    assert world.site.read_thread(contact).messages == ()
    assert world.site.read_thread(contact).relation is Relation.CONNECTED


def test_names_are_compared_without_regard_to_composition_and_blanks(world: World) -> None:
    person = world.enrol("Jose\u0301  Marti\u0301")
    assert world.site.read_profile(SitePerson(person.profile_url, " José Martí")).name == "José Martí"
    assert world.site.send_invitation(person, "", unguarded).detail == "Invitation sent to José Martí."


def test_the_wrong_person_is_never_read_nor_written_to(world: World) -> None:
    someone = world.enrol("Ann Becker", connected=True)
    stranger = world.enrol("Bo Stranger")
    for act in (
        lambda: world.site.open_profile(SitePerson(someone.profile_url, "Ann Beckers")),
        lambda: world.site.read_profile(SitePerson(someone.profile_url, "ann becker")),
        lambda: world.site.read_thread(SitePerson(someone.profile_url, "Ann")),
        lambda: world.site.send_message(SitePerson(someone.profile_url, ""), "hello", unguarded),
        lambda: world.site.send_invitation(SitePerson(stranger.profile_url, "Bo Strangers"), "", unguarded),
    ):
        with pytest.raises(SiteIncident) as met:
            act()
        assert met.value.kind is IncidentKind.WRONG_PERSON
    assert sent_to(world, "message", someone) == []
    assert sent_to(world, "invitation", stranger) == []


@pytest.mark.parametrize("url", ["https://x.example/company/a", "", "/in/", "/in/../login", "/in/a%2Fb", "/in/a/b"])
def test_at_an_address_that_is_no_profile_is_nobody(world: World, url: str) -> None:
    with pytest.raises(NobodyThere):
        world.site.read_profile(SitePerson(url, "Ann"))


def test_a_person_who_is_gone_is_not_there(world: World) -> None:
    gone = SitePerson(address("nobody-at-all"), "Nobody")
    with pytest.raises(NobodyThere):
        world.site.send_invitation(gone, "", unguarded)
    with pytest.raises(NobodyThere):
        world.site.read_thread(gone)


def test_the_profile_can_be_shown(world: World) -> None:
    world.site.open_profile(world.enrol("Ann"))


# Acting.


def test_one_click_is_one_invitation(world: World) -> None:
    person = world.enrol("Ann Becker")
    attempt = world.site.send_invitation(person, "Hello Ann 🙂", unguarded)
    assert attempt.claim is SiteAnswer.CONFIRMED
    assert attempt.detail == "Invitation sent to Ann Becker."
    assert attempt.incident is None
    assert [(e["text"], e["disposition"]) for e in sent_to(world, "invitation", person)] == [
        ("Hello Ann 🙂", "delivered")
    ]
    assert world.site.read_profile(person).relation is Relation.PENDING
    assert world.site.read_thread(person).relation is Relation.PENDING


def test_a_note_may_be_empty_or_of_200_characters_and_no_longer(world: World) -> None:
    nobody, full, over = (world.enrol(name) for name in ("Empty", "Full", "Over"))
    assert world.site.send_invitation(nobody, "", unguarded).claim is SiteAnswer.CONFIRMED
    assert world.site.send_invitation(full, "n" * 200, unguarded).claim is SiteAnswer.CONFIRMED
    with pytest.raises(SiteUnavailable):
        world.site.send_invitation(over, "n" * 201, unguarded)
    assert [e["text"] for e in sent_to(world, "invitation", full)] == ["n" * 200]
    assert sent_to(world, "invitation", over) == []


def test_a_text_arrives_and_is_read_back_character_for_character(world: World) -> None:
    person = world.enrol("Ann", connected=True)
    before = world.site.read_thread(person)
    assert world.site.send_message(person, ROUGH, unguarded).claim is SiteAnswer.CONFIRMED
    assert world.site.send_message(person, "\nsecond\n", unguarded).claim is SiteAnswer.CONFIRMED
    assert [e["text"] for e in sent_to(world, "message", person)] == [ROUGH, "\nsecond\n"]
    thread = world.site.read_thread(person)
    assert before.messages == ()
    assert [(message.author, message.text) for message in thread.messages] == [("you", ROUGH), ("you", "\nsecond\n")]
    assert [message.at for message in thread.messages] == [e["at"] for e in sent_to(world, "message", person)]


def test_a_text_that_the_page_would_change_is_not_sent(world: World) -> None:
    person = world.enrol("Ann", connected=True)
    for text in ("one\r\ntwo", "x" * 8_001, ""):
        with pytest.raises(SiteUnavailable):
            world.site.send_message(person, text, unguarded)
    assert sent_to(world, "message", person) == []


def test_what_the_site_does_not_offer_is_refused_without_a_click(world: World) -> None:
    stranger, contact = world.enrol("Stranger"), world.enrol("Contact", connected=True)
    assert world.site.send_message(stranger, "hello", unguarded).claim is SiteAnswer.REFUSED
    assert world.site.send_invitation(contact, "hello", unguarded).claim is SiteAnswer.REFUSED
    assert world.site.send_invitation(stranger, "hello", unguarded).claim is SiteAnswer.CONFIRMED
    assert world.site.send_invitation(stranger, "hello", unguarded).claim is SiteAnswer.REFUSED
    assert len(sent_to(world, "invitation", stranger)) == 1
    assert sent_to(world, "message", stranger) == []


def test_a_message_may_say_what_the_page_says(world: World) -> None:
    person = world.enrol("Ann", connected=True)
    for text in ("You can write to Ann once you are connected.", "Your message could not be sent.", "Message sent."):
        assert world.site.send_message(person, text, unguarded).claim is SiteAnswer.CONFIRMED
    world.arm("says_sent_but_dropped", "message")
    assert world.site.send_message(person, "gone", unguarded).claim is SiteAnswer.CONFIRMED
    assert len(world.site.read_thread(person).messages) == 3


def test_what_the_site_refuses_is_said_to_be_refused(world: World) -> None:
    person = world.enrol("Ann", connected=True)
    attempt = world.site.send_message(person, " \n ", unguarded)
    assert (attempt.claim, attempt.detail) == (SiteAnswer.REFUSED, "Your message could not be sent.")


# Faults.


ACTS = ("invite", "message", "withdraw")


def acting(*in_browser: str) -> pytest.MarkDecorator:
    """All acts on the direct site; these in the browser, where from the filled form on all acts are carried out alike."""
    rows = [*(("direct", step) for step in ACTS), *(("browser", step) for step in in_browser)]
    return pytest.mark.parametrize(("world", "step"), rows, indirect=["world"])


def act(world: World, step: str, name: str = "Ann Becker") -> tuple[SitePerson, Any]:
    person = world.enrol(name, connected=step == "message")
    if step == "withdraw":
        assert world.site.send_invitation(person, "", unguarded).claim is SiteAnswer.CONFIRMED
        return person, lambda text="hello", check=unguarded: world.site.withdraw_invitation(person, check)
    deed = world.site.send_message if step == "message" else world.site.send_invitation
    return person, lambda text="hello", check=unguarded: deed(person, text, check)


def received(world: World, step: str, person: SitePerson) -> list[str]:
    kind = {"invite": "invitation", "message": "message", "withdraw": "withdraw"}[step]
    return [e["disposition"] for e in sent_to(world, kind, person)]


SendingFault = tuple[str, SiteAnswer, IncidentKind | None, list[str]]

SAYS_FAILED: SendingFault = ("accepts_but_says_failed", SiteAnswer.REFUSED, None, ["delivered"])
FAULTS_ON_SENDING: list[SendingFault] = [
    ("says_sent_but_dropped", SiteAnswer.CONFIRMED, None, ["dropped"]),
    ("error_500", SiteAnswer.NO_ANSWER, None, ["dropped"]),
    ("unusual_activity", SiteAnswer.NO_ANSWER, IncidentKind.UNUSUAL_ACTIVITY, ["refused"]),
    ("log_out", SiteAnswer.NO_ANSWER, IncidentKind.LOGGED_OUT, ["refused"]),
]


@acting(*ACTS)
def test_an_untrue_answer_is_told_as_it_was_seen(world: World, step: str) -> None:
    assert_told_as_seen(world, step, SAYS_FAILED)


@acting("message")
@pytest.mark.parametrize("row", FAULTS_ON_SENDING, ids=lambda row: row[0])
def test_a_fault_on_sending_is_told_as_it_was_seen(world: World, step: str, row: SendingFault) -> None:
    assert_told_as_seen(world, step, row)


def assert_told_as_seen(world: World, step: str, row: SendingFault) -> None:
    fault, claim, incident, dispositions = row
    person, deed = act(world, step)
    world.arm(fault, step)
    attempt = deed()
    assert (attempt.claim, attempt.incident) == (claim, incident)
    assert attempt.detail
    assert received(world, step, person) == dispositions


ON_ITS_PAGE, AT_THE_CLICK, AT_THE_BYTES = 1, 2, 3


@pytest.mark.parametrize(
    ("world", "step", "question"),
    [
        *(("direct", step, question) for step in ACTS for question in (ON_ITS_PAGE, AT_THE_CLICK, AT_THE_BYTES)),
        *(("browser", "message", question) for question in (ON_ITS_PAGE, AT_THE_CLICK, AT_THE_BYTES)),
        ("browser", "invite", ON_ITS_PAGE),  # asked before its form
    ],
    indirect=["world"],
)
def test_an_act_that_is_called_off_leaves_nothing_and_the_next_one_is_done(
    world: World, step: str, question: int
) -> None:
    person, do = act(world, step)
    asked: list[list[str]] = []

    def check(_: object = None) -> None:
        asked.append(received(world, step, person))
        if len(asked) == question:
            raise ActCalledOff("the machine slept")

    with pytest.raises(ActCalledOff, match="slept"):
        do(check=check)
    assert asked == [[]] * question
    assert received(world, step, person) == []
    asked = [[]] * question
    assert do(check=check).claim is SiteAnswer.CONFIRMED
    assert asked == [[]] * (question + 3), "asked three times, and each time nothing had left"
    assert received(world, step, person) == ["delivered"]


def test_the_invitation_limit_is_a_refusal_and_an_incident(world: World) -> None:
    person, deed = act(world, "invite")
    world.arm("invitation_limit", "invite")
    attempt = deed()
    assert (attempt.claim, attempt.incident) == (SiteAnswer.REFUSED, IncidentKind.INVITATION_LIMIT)
    assert attempt.detail == "You've reached the weekly invitation limit"
    assert received(world, "invite", person) == ["refused"]


@acting("invite")
def test_an_answer_that_comes_too_late_is_none(world: World, step: str) -> None:
    person, deed = act(world, step)
    world.arm("slow", step, ms=TOO_LATE)
    with world.in_a_hurry("answer"):
        assert deed().claim is SiteAnswer.NO_ANSWER
    assert received(world, step, person) == ["delivered"]
    # The late answer must not disturb what comes next.
    assert world.site.read_profile(person).name == person.name


@pytest.mark.parametrize(
    ("world", "step", "fault"),
    [
        *(("direct", step, fault) for step in ACTS for fault in ("arrives_late", "carried_out_later")),
        ("browser", "message", "arrives_late"),  # what is carried out later is to a browser an error 500
    ],
    indirect=["world"],
)
def test_a_send_that_is_carried_out_late_is_no_answer_and_is_there_once_in_the_end(
    world: World, step: str, fault: str
) -> None:
    person, deed = act(world, step)
    world.arm(fault, step, ms=TOO_LATE)
    with world.in_a_hurry("answer"):
        assert deed().claim is SiteAnswer.NO_ANSWER
    world.let_pass(TOO_LATE)
    until("it is carried out", lambda: received(world, step, person))
    assert received(world, step, person) == ["delivered"]
    assert world.site.read_profile(person).name == person.name


@acting("withdraw")
def test_a_slow_answer_in_time_is_an_answer(world: World, step: str) -> None:
    _, deed = act(world, step)
    world.arm("slow", step, ms=300)
    assert deed().claim is SiteAnswer.CONFIRMED


@pytest.mark.parametrize("before", [True, False])
@acting("message")
def test_a_crash_in_mid_send_is_no_answer_and_never_a_second_send(world: World, step: str, before: bool) -> None:
    person, deed = act(world, step)
    world.arm("crash", step, before=before)
    attempt = deed()
    assert (attempt.claim, attempt.incident) == (SiteAnswer.NO_ANSWER, None)
    world.revive()
    assert received(world, step, person) == ([] if before else ["delivered"])
    if step == "message":
        assert [m.text for m in world.site.read_thread(person).messages] == ([] if before else ["hello"])
    else:
        waits = before if step == "withdraw" else not before
        assert world.site.read_profile(person).relation is (Relation.PENDING if waits else Relation.NONE)
    assert received(world, step, person) == ([] if before else ["delivered"])


FAULTS_ON_READING = [
    ("error_500", None),
    ("log_out", IncidentKind.LOGGED_OUT),
    ("unusual_activity", IncidentKind.UNUSUAL_ACTIVITY),
    ("changed_layout", IncidentKind.UNKNOWN_PAGE),
]


@pytest.mark.parametrize(
    ("world", "page", "fault", "incident"),
    [
        *(("direct", page, *row) for page in ("profile", "thread") for row in FAULTS_ON_READING),
        *(("browser", "profile", *row) for row in FAULTS_ON_READING),
        ("browser", "thread", "changed_layout", IncidentKind.UNKNOWN_PAGE),  # the others are met on the way to any page
    ],
    indirect=["world"],
)
def test_a_fault_on_reading_is_an_exception(world: World, page: str, fault: str, incident: IncidentKind | None) -> None:
    person = world.enrol("Ann", connected=True)
    world.arm(fault, page)
    read = world.site.read_profile if page == "profile" else world.site.read_thread
    if incident is None:
        with pytest.raises(SiteUnavailable):
            read(person)
    else:
        with pytest.raises(SiteIncident) as met:
            read(person)
        assert met.value.kind is incident
    world.site.open()
    assert read(person).relation is Relation.CONNECTED


def test_a_slow_page_is_unavailable_and_then_forgotten(world: World) -> None:
    person = world.enrol("Ann")
    world.arm("slow", "profile", ms=TOO_LATE)
    with world.in_a_hurry("page"), pytest.raises(SiteUnavailable):
        world.site.read_profile(person)
    assert world.site.read_profile(person).name == "Ann"


def test_whoever_is_logged_out_stays_so_until_the_site_is_opened_again(world: World) -> None:
    person, deed = act(world, "invite")
    world.arm("log_out", "profile")
    for _ in range(2):
        with pytest.raises(SiteIncident) as met:
            deed()
        assert met.value.kind is IncidentKind.LOGGED_OUT
    world.site.open()
    assert deed().claim is SiteAnswer.CONFIRMED
    assert received(world, "invite", person) == ["delivered"]


@pytest.mark.parametrize("look", ["changed_labels", "changed_layout"])
@pytest.mark.parametrize(("step", "page"), [("invite", "profile"), ("invite", "invite"), ("message", "message")])
def test_nothing_is_clicked_on_a_page_that_changed(world: World, look: str, step: str, page: str) -> None:
    person, deed = act(world, step)
    world.arm(look, page)
    with pytest.raises(SiteIncident) as met:
        deed()
    assert met.value.kind is IncidentKind.UNKNOWN_PAGE
    assert received(world, step, person) == []
    if page == "message":
        assert deed().claim is SiteAnswer.CONFIRMED


def test_controls_are_all_there(world: World) -> None:
    world.enrol("Contact", connected=True)
    assert world.site.check_selectors().ok
    assert world.site.name == "practice"


# Only in the browser.


MISSING_CONTROLS = {
    "changed_labels": {
        "profile": "profile: Connect, Pending or Message",
        "invite": "invitation: Send invitation",
        "message": "conversation: Write a message",
    },
    "changed_layout": {
        "profile": "profile: Profile actions",
        "invite": "invitation: name",
        "thread": "conversation: Messages",
    },
}


@pytest.mark.parametrize("fault", MISSING_CONTROLS)
def test_a_missing_control_is_named_and_nothing_is_done(browsing: BrowserWorld, fault: str) -> None:
    browsing.enrol("Contact", connected=True)
    deeds = len(browsing.entries("invitation")) + len(browsing.entries("message"))
    for page in MISSING_CONTROLS[fault]:  # each is looked at in its turn
        browsing.arm(fault, page)
    assert set(MISSING_CONTROLS[fault].values()) <= set(browsing.site.check_selectors().missing)
    assert len(browsing.entries("invitation")) + len(browsing.entries("message")) == deeds


def test_acts_and_threads_leave_evidence_that_can_be_verified(browsing: BrowserWorld) -> None:
    person = browsing.enrol("Ann", connected=True)
    attempt = browsing.site.send_message(person, "hello", unguarded)
    thread = browsing.site.read_thread(person)
    for (evidence,), quote in ((attempt.evidence, "Message sent."), (thread.evidence, "hello")):
        assert browsing.evidence.read(evidence.file).startswith(b"\x89PNG")
        assert evidence.quote == quote
    with pytest.raises(SiteIncident) as met:
        browsing.site.read_profile(SitePerson(person.profile_url, "Bo"))
    assert (browsing.evidence.folder / met.value.evidence_file).is_file()


def test_evidence_is_kept_of_a_name_that_is_composed_in_another_way(browsing: BrowserWorld) -> None:
    (evidence,) = browsing.site.send_invitation(browsing.enrol("Jose\u0301  Marti\u0301"), "", unguarded).evidence
    assert evidence.quote == "Invitation sent to José Martí."


def test_a_browser_that_was_killed_is_started_again_at_the_next_call(browsing: BrowserWorld) -> None:
    person = browsing.enrol("Ann", connected=True)
    starts = browsing.session.starts
    (holder,) = holders(browsing.session.profile)
    os.kill(holder.pid, KILL)
    with pytest.raises(SiteUnavailable):
        browsing.site.read_profile(person)
    # A new browser has no session; it signs in by itself.
    assert browsing.site.send_message(person, "after", unguarded).claim is SiteAnswer.CONFIRMED
    assert browsing.session.starts == starts + 1
    assert received(browsing, "message", person) == ["delivered"]


def test_a_browser_killed_in_mid_send_is_no_answer(browsing: BrowserWorld) -> None:
    person = browsing.enrol("Ann", connected=True)
    browsing.arm("slow", "message", ms=60_000)
    (holder,) = holders(browsing.session.profile)

    def kill_once_it_arrived() -> None:
        while not received(browsing, "message", person):
            time.sleep(0.02)
        os.kill(holder.pid, KILL)

    killer = threading.Thread(target=kill_once_it_arrived)
    killer.start()
    with browsing.in_a_hurry("answer"):
        attempt = browsing.site.send_message(person, "hello", unguarded)
    killer.join()
    assert attempt.claim is SiteAnswer.NO_ANSWER
    assert received(browsing, "message", person) == ["delivered"]
    assert [m.text for m in browsing.site.read_thread(person).messages] == ["hello"]


def test_a_network_that_is_not_there_is_unavailable(browsing: BrowserWorld, tmp_path: Path) -> None:
    person = browsing.enrol("Ann")
    browsing.arm("crash", "profile")
    for _ in range(2):
        with pytest.raises(SiteUnavailable):
            browsing.site.read_profile(person)
        with pytest.raises(SiteUnavailable):
            browsing.site.send_invitation(person, "hello", unguarded)
    with pytest.raises(OutriderError) as refused:
        browsing.site.open()
    assert refused.value.code == "site_unreachable"
    browsing.revive()
    assert browsing.site.read_profile(person).relation is Relation.NONE


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """Another site on another port, and what was asked of it."""
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


MEANWHILE = {
    "other words": "addEventListener('submit', () => { document.querySelector('textarea').value = 'Other' }, true)",
    "more words": (
        "addEventListener('formdata', event => { if (document.querySelector('textarea')?.value === 'hello')"
        " event.formData.append('text', 'More') }, true)"
    ),
    "another deed": (
        "addEventListener('click', event => { const button = event.target.closest('button'); if (button?.form?.elements.length > 1)"
        " button.formAction = location.pathname.replace('/messaging/', '/in/').replace('/invite', '') + '/withdraw' }, true)"
    ),
}


@pytest.mark.parametrize(
    ("step", "meanwhile"), [("message", "other words"), ("invite", "more words"), ("invite", "another deed")]
)  # what else a form could send: tests/adapters/sites/test_practice_pages.py
def test_a_form_that_would_say_or_do_something_else_by_the_click_is_stopped(
    browsing: BrowserWorld, step: str, meanwhile: str
) -> None:
    person, do = act(browsing, step)
    browsing.session.run(lambda page: page.add_init_script(MEANWHILE[meanwhile]))
    attempt = do()
    assert (attempt.claim, attempt.incident, attempt.requested) == (
        SiteAnswer.NO_ANSWER,
        IncidentKind.UNKNOWN_PAGE,
        False,
    )
    assert [sent_to(browsing, kind, person) for kind in ("invitation", "message", "withdraw")] == [[], [], []]
    if step == "message":
        assert do().claim is SiteAnswer.CONFIRMED, "the next page is a new one"


IN_THE_WAY = {
    "We noticed unusual activity": IncidentKind.UNUSUAL_ACTIVITY,
    "Sign in": IncidentKind.LOGGED_OUT,
    (OTHERS := "Bo Stranger"): IncidentKind.WRONG_PERSON,
}


@pytest.mark.parametrize(("step", "heading"), [*(("message", heading) for heading in IN_THE_WAY), ("invite", OTHERS)])
def test_what_comes_in_the_way_while_it_is_typed_is_told_by_its_name(
    browsing: BrowserWorld, step: str, heading: str
) -> None:
    person, do = act(browsing, step)
    words = heading if step == "message" or heading != OTHERS else f"Invite {heading} to connect"
    shown = f"document.querySelector('h1').textContent = {json.dumps(words)}"
    browsing.session.run(lambda page: page.add_init_script(f"addEventListener('input', () => {{ {shown} }}, true)"))
    with pytest.raises(SiteIncident) as met:
        do()
    assert met.value.kind is IN_THE_WAY[heading]
    assert received(browsing, step, person) == []


def test_a_page_that_sends_by_another_window_while_it_is_typed_into_is_stopped(browsing: BrowserWorld) -> None:
    person, do = act(browsing, "message")
    form = "<form id=other method=post target=_blank><input name=text><input name=note></form>"
    script = f"document.body.insertAdjacentHTML('beforeend', `{form}`); other.submit()"
    browsing.session.run(lambda page: page.add_init_script(f"addEventListener('input', () => {{ {script} }}, true)"))
    with pytest.raises(SiteIncident, match="without asking"):
        do()
    assert browsing.site.read_profile(person).name == person.name
    assert received(browsing, "message", person) == []


def test_what_stands_in_the_field_already_is_neither_sent_nor_written_over(browsing: BrowserWorld) -> None:
    person, do = act(browsing, "message")
    begun = "const box = document.querySelector('textarea'); if (box) box.value = 'Dear'"
    script = f"addEventListener('DOMContentLoaded', () => {{ {begun} }})"
    browsing.session.run(lambda page: page.add_init_script(script))
    with pytest.raises(SiteUnavailable, match="words of yours"):
        do()
    assert sent_to(browsing, "message", person) == []


def test_a_link_to_another_site_does_not_load(browsing: BrowserWorld, elsewhere: tuple[str, list[str]]) -> None:
    url, asked = elsewhere

    def follow(page: Any) -> str:
        for target in ("_blank", "_self"):
            page.goto(f"{browsing.url}/login")
            with suppress(BrowserFailure):  # the page may be gone before it answers
                page.evaluate(
                    "([url, target]) => { fetch(url, {mode: 'no-cors'}).catch(() => 0); new Image().src = url;"
                    " const a = document.createElement('a'); a.href = url; a.target = target; a.click(); }",
                    [f"{url}/{target}", target],
                )
            page.wait_for_timeout(300)
        assert len(page.context.pages) == 1
        return str(page.url)

    assert browsing.session.run(follow).startswith((browsing.url, "chrome-error:"))
    assert asked == []
    assert browsing.site.read_profile(browsing.enrol("Ann")).name == "Ann"
