"""Every channel keeps what it declares: what it does by its own hand is done once and only if asked; the rest it refuses."""

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest

from backend.adapters.browser.session import BrowserSession
from backend.adapters.files.evidence import EvidenceStore
from backend.adapters.sites.linkedin import DriveSite
from backend.adapters.sites.linkedin_pages import NO_WORDS
from backend.adapters.sites.user_hands import UserHands
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.domain.model.channel import CHANNELS, DRIVE, LINKEDIN_ACCOUNT, PRACTICE, Hand
from backend.domain.model.site import Attempt, IncidentKind, Relation, SiteAnswer, SitePerson, Thread
from backend.domain.values.errors import OutriderError
from backend.ports.site import ActCalledOff, NobodyThere, PageChanged, Site, SiteIncident, SiteUnavailable, unguarded
from backend.turn.gateway import as_seen
from tests.chromium import hidden_browser
from tests.conformance.test_site import DirectWorld
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Stage
from tests.fakes.linkedin_facsimile import OWNER, Facsimile, Member
from tests.patience import PATIENCE


class World(NamedTuple):
    """A channel's site, somebody to enrol on it, and what arrived there: (kind, text) of a person."""

    channel: str
    site: Site
    enrol: Callable[..., SitePerson]
    arrived: Callable[[SitePerson], list[tuple[str, str]]]


class DriveWorld:
    """The facsimile and a hidden browser on it; one for all tests, wiped between them."""

    def __init__(self, folder: Path) -> None:
        self.pages = Facsimile()
        profile, url = folder / "profile", self.pages.url
        self.session = BrowserSession(DRIVE, profile, url, headless=True, timeout=PATIENCE, find=hidden_browser)
        self.refusal = ""
        self.site = DriveSite(self.session, EvidenceStore(folder / "evidence"), refusal=lambda: self.refusal)
        self.site.open()

    def reset(self) -> None:
        self.pages.reset()
        self.refusal, self.session.timeout = "", PATIENCE

    def close(self) -> None:
        self.site.close()
        self.pages.close()


@pytest.fixture(scope="session")
def drive_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DriveWorld]:
    try:
        hidden_browser()
    except OutriderError as missing:
        pytest.skip(missing.sentence)
    world = DriveWorld(tmp_path_factory.mktemp("drive"))
    yield world
    world.close()


@pytest.fixture
def drive(drive_world: DriveWorld) -> DriveWorld:
    drive_world.reset()
    return drive_world


@pytest.fixture(params=list(CHANNELS))
def world(request: pytest.FixtureRequest) -> World:
    channel: str = request.param
    if channel == DRIVE:
        driven: DriveWorld = request.getfixturevalue("drive")
        pages = driven.pages

        def arrived(person: SitePerson) -> list[tuple[str, str]]:
            return [(kind, text) for kind, slug, text in pages.ledger if slug == pages.member(person).slug]

        return World(channel, driven.site, pages.enrol, arrived)
    if CHANNELS[channel].user_reads:
        return World(channel, UserHands(channel), lambda name, **_: SitePerson("https://x/in/a", name), lambda _: [])
    assert channel == PRACTICE
    direct = DirectWorld()

    def received(person: SitePerson) -> list[tuple[str, str]]:
        slug = person.profile_url.split("/in/")[1].split("/")[0]
        entries = [*direct.entries("invitation"), *direct.entries("message")]
        return [(entry["kind"], entry["text"]) for entry in entries if entry["to"] == slug]

    return World(channel, direct.site, direct.enrol, received)


def by_outrider(world: World) -> bool:
    return CHANNELS[world.channel].looks["profile"] is Hand.OUTRIDER


def called_off() -> None:
    raise ActCalledOff("no")


def test_what_is_the_users_to_do_is_refused_and_what_is_outriders_is_done_once(world: World) -> None:
    stranger, contact = world.enrol("Ann Becker"), world.enrol("Bo O'Hara", connected=True)
    text = "Hello Bo,\n\nhow are you?"

    def looks() -> list[Relation]:
        return [world.site.read_profile(stranger).relation, world.site.read_thread(contact).relation]

    def invite() -> Attempt:
        return world.site.send_invitation(stranger, "Hello Ann", unguarded)

    def write() -> Attempt:
        return world.site.send_message(contact, text, unguarded)

    def withdraw() -> Attempt:
        return world.site.withdraw_invitation(stranger, unguarded)

    if not by_outrider(world):
        for forbidden in (looks, invite, write, withdraw):
            with pytest.raises(SiteUnavailable):
                forbidden()
        return
    assert looks() == [Relation.NONE, Relation.CONNECTED]
    assert [invite().claim, write().claim] == [SiteAnswer.CONFIRMED] * 2
    assert world.arrived(stranger) == [("invitation", "Hello Ann")]
    assert world.arrived(contact) == [("message", text)]
    assert world.site.read_profile(stranger).relation is Relation.PENDING
    assert [(m.author, m.text) for m in world.site.read_thread(contact).messages] == [("you", text)]
    assert withdraw().claim is SiteAnswer.CONFIRMED
    assert world.site.read_profile(stranger).relation is Relation.NONE
    assert (withdraw().claim, withdraw().requested) == (SiteAnswer.REFUSED, False)


def test_an_act_that_its_check_calls_off_sends_nothing_at_any_moment(world: World) -> None:
    if not by_outrider(world):
        return
    contact = world.enrol("Bo O'Hara", connected=True)
    for number in (1, 2, 3):  # before it is typed, before the click, and before the bytes
        asked: list[object] = []

        def check(shown: object = None, number: int = number, asked: list[object] = asked) -> None:
            asked.append(shown)
            if len(asked) == number:
                called_off()

        with pytest.raises(ActCalledOff):
            world.site.send_message(contact, "Hello", check)
        assert len(asked) == number
    assert world.arrived(contact) == []
    assert world.site.read_thread(contact).messages == ()


def test_an_act_shows_its_check_what_stands_on_its_own_page(world: World) -> None:
    if not by_outrider(world):
        return
    contact, stranger, invited = world.enrol("Bo", connected=True), world.enrol("Ann"), world.enrol("Cy")
    world.site.send_message(contact, "Hello", unguarded)
    world.site.send_invitation(invited, "", unguarded)
    shown: list[object] = []

    def check(now: Thread | Relation | None = None) -> None:
        shown.append([(each.author, each.text) for each in now.messages] if isinstance(now, Thread) else now)

    world.site.send_message(contact, "Again", check)
    world.site.send_invitation(stranger, "", check)
    world.site.withdraw_invitation(invited, check)
    hello = [("you", "Hello")]
    assert shown == [hello, hello, None, Relation.NONE, None, None, Relation.PENDING, None, None]


@pytest.mark.parametrize("turns", ["to somebody else", "to a group", "whom the request names"])
def test_a_page_that_turns_to_others_in_mid_act_sends_nothing(drive: DriveWorld, turns: str) -> None:
    ann, bo = drive.pages.enrol("Ann", connected=True), drive.pages.enrol("Bo", connected=True)
    script = {
        "to somebody else": "document.querySelector('#talking h2').textContent = 'Bo'",
        "to a group": "document.querySelector('#talking h2').insertAdjacentHTML('afterend', '<h2>Bo</h2>')",
        "whom the request names": f"here.slug = '{drive.pages.member(bo).slug}'",
    }[turns]
    drive.pages.on_typing = script
    if turns == "whom the request names":
        attempt = drive.site.send_message(ann, "Hello", unguarded)
        assert (attempt.incident, attempt.requested) == (IncidentKind.UNKNOWN_PAGE, False)
    else:
        with pytest.raises(SiteIncident) as met:
            drive.site.send_message(ann, "Hello", unguarded)
        assert met.value.kind is IncidentKind.WRONG_PERSON
    assert drive.pages.ledger == []


TURNED_AWAY = {
    "the conversation": "document.querySelector('#talking h2').textContent = 'Bo'",
    "the profile": "document.querySelector('h1').textContent = 'Bo'",
    "the address": "history.pushState({}, '', '/in/person-2/')",
}


@pytest.mark.parametrize(
    ("act", "turns"), [*(("message", turns) for turns in TURNED_AWAY), ("invitation", "the profile")]
)
def test_a_page_that_is_about_others_by_the_time_it_sends_sends_nothing_whomever_the_request_names(
    drive: DriveWorld, act: str, turns: str
) -> None:
    ann, _ = drive.pages.enrol("Ann", connected=act == "message"), drive.pages.enrol("Bo")
    late = f"if (!request) return sent(path); {LATE}"
    drive.pages.on_load = CLICKED.format(late.format(f"{TURNED_AWAY[turns]};"))
    attempt = (drive.site.send_message if act == "message" else drive.site.send_invitation)(ann, "Hello", unguarded)
    assert (attempt.claim, attempt.requested) == (SiteAnswer.NO_ANSWER, False)
    assert drive.pages.ledger == []


@pytest.mark.parametrize(
    ("heading", "control"),
    [("Ann Becker (She/Her)", "without it"), ("Ann Becker, PhD \u00b7 1st", "as the heading")],
)  # whose name else it is: tests/adapters/sites/test_shown_name.py
def test_what_a_site_adds_to_a_name_hides_nobody_and_takes_nobody_in(
    drive: DriveWorld, heading: str, control: str
) -> None:
    ann = drive.pages.enrol(heading, connected=True)
    drive.pages.member(ann).messages.append((heading, "Hi there"))
    if control == "without it":
        drive.pages.on_load = "document.querySelector('h1 ~ button').setAttribute('aria-label', 'Message Ann Becker')"
    person = SitePerson(ann.profile_url, "Ann Becker")
    assert drive.site.send_message(person, "Hello", unguarded).claim is SiteAnswer.CONFIRMED
    assert [message.author for message in drive.site.read_thread(person).messages] == ["them", "you"]
    with pytest.raises(SiteIncident) as met:
        drive.site.read_thread(SitePerson(ann.profile_url, "Ann Becker Jr."))
    assert met.value.kind is IncidentKind.WRONG_PERSON


def test_a_page_that_sends_while_it_is_typed_into_is_stopped(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.on_typing = "send('message', box.value)"
    with pytest.raises(SiteIncident, match="without asking"):
        drive.site.send_message(ann, "Hello", unguarded)
    assert drive.pages.ledger == []


def test_a_page_that_tells_of_typing_tells_nobody_and_the_message_goes(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.on_typing = "post('/api/messaging/typing', {to: here.slug})"
    assert drive.site.send_message(ann, "Hello", unguarded).claim is SiteAnswer.CONFIRMED
    assert [(kind, text) for kind, _, text in drive.pages.ledger] == [("message", "Hello")]


STRAYS = {
    "of the page itself": {
        "at its end, by a beacon": "addEventListener('pagehide', () => navigator.sendBeacon(here, box.value))",
        "at its end, by a request that outlives it": (
            "addEventListener('pagehide', () => fetch(here, {method: 'POST', keepalive: true}))"
        ),
        "after its end": "window.fetchLater?.(here, {method: 'POST'})",
        "by a worker that windows share": "window.SharedWorker && new SharedWorker(here + '/worker').port.start()",
        "by a socket": (
            "const socket = new WebSocket(words); socket.onopen = () => socket.send('Hello Ann');"
            " box.addEventListener('input', () => socket.send('Hello Ann'))"
        ),
        "by a socket of its worker": (
            "const source = `const it = new WebSocket('${words}'); it.onopen = () => it.send('Hello Ann')`;"
            " new Worker(URL.createObjectURL(new Blob([source])))"
        ),
        "by a socket of a frame's": (
            "const frame = document.createElement('iframe'); document.body.append(frame);"
            " const it = new frame.contentWindow.WebSocket(words); it.onopen = () => it.send('Hello Ann')"
        ),
        "by a socket that is a stream": (
            "window.WebSocketStream && new WebSocketStream(words).opened"
            ".then(it => it.writable.getWriter().write('Hello Ann'))"
        ),
        "by a way that is no request": "if (window.WebTransport || window.RTCPeerConnection) fetch(here)",
        "by reading": "box.addEventListener('input', () => fetch(here + '?' + new URLSearchParams({text: box.value})))",
        "by reading an address with it": (
            "box.addEventListener('input', () => fetch(here + '/' + encodeURIComponent(box.value)))"
        ),
        "by reading an address that is made of it": (
            "box.addEventListener('input', () =>"
            " fetch(here + '/' + (box.value + ', so to say').toLowerCase().replaceAll(/\\W+/g, '-')))"
        ),
        "by what is encoded twice": (
            "box.addEventListener('input', () => fetch(here + '?text=' + encodeURIComponent(encodeURIComponent(box.value))))"
        ),
        "beside the address": (
            "box.addEventListener('input', () => fetch(here, {headers: {'X-Text': encodeURIComponent(box.value)}}))"
        ),
        "by reading among other words": (
            "box.addEventListener('input', () =>"
            " new Image().src = here + '?of=' + encodeURIComponent('To her: ' + box.value))"
        ),
    },
    "of its windows": {
        "by a form for another window": (
            "box.addEventListener('input', () => document.body.insertAdjacentHTML('beforeend',"
            ' `<form id=f method=post action="${here}" target=_blank></form>`) ?? f.submit())'
        ),
        "by a window that it opens": (
            "const it = window.open('/feed/'); if (it) it.onload = () => it.fetch(location.origin + here, {method: 'POST'})"
        ),
        "by a beacon of a window that it opens": (
            "window.open('about:blank')?.navigator.sendBeacon(location.origin + here, 'Hello Ann')"
        ),
        "by a window of a link": (
            "const source = `<script>navigator.sendBeacon('${location.origin}${here}', 'Hello Ann');"
            " const it = new WebSocket('${words}'); it.onopen = () => it.send('Hello Ann'); window.close()<${''}/script>`;"
            " const link = Object.assign(document.createElement('a'), {target: '_blank', rel: 'noopener'});"
            " link.href = URL.createObjectURL(new Blob([source], {type: 'text/html'})); document.body.append(link); link.click()"
        ),
    },
    "by where it comes from": {  # which would tell of every other request, too
        "by where it comes from": (
            "box.addEventListener('input', () => {"
            " history.replaceState({}, '', '?' + encodeURIComponent(box.value)); fetch(here) })"
        ),
    },
}


def stray(way: str, script: str) -> str:
    """That part of a page's script: what it tells `here`, or by a socket in `words`, arrives under this name."""
    place = f"const here = '/stray/' + encodeURIComponent({json.dumps(way)})"
    return f"try {{ {place}, words = location.origin.replace('http', 'ws') + here; {script} }} catch {{}}"


@pytest.mark.parametrize("ways", STRAYS)
@pytest.mark.parametrize("is_called_off", [True, False], ids=["called off", "sent"])
def test_nothing_but_what_was_checked_leaves_the_page_of_an_act(
    drive: DriveWorld, ways: str, is_called_off: bool
) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.on_load = "\n".join(stray(way, script) for way, script in STRAYS[ways].items())

    def check(shown: Thread | Relation | None = None) -> None:
        # The conversation shows nothing new here: only the second question, before the click, comes after the typing.
        asked.append(shown)
        if is_called_off and len(asked) == 2:
            called_off()

    asked: list[object] = []
    with pytest.raises(ActCalledOff) if is_called_off else nullcontext():
        drive.site.send_message(ann, "Hello Ann", check)
    drive.pages.on_load = ""
    drive.site.read_thread(ann)  # the page of the act is closed first
    assert drive.pages.strays == set()
    assert [text for _, _, text in drive.pages.ledger] == ([] if is_called_off else ["Hello Ann"])


ADDS = (
    "const add = (who, said) => { const item = document.createElement('li');"
    " item.innerHTML = `<time>Today</time>${who && `<span>${who} sent the following message at 1:00 AM</span>`}${said}`;"
    " list.append(item); };"
)
TYPED, CLICKED = (
    "box.addEventListener('input', () => {{ {} }})",
    "const sent = fetch; fetch = (path, request) => {{ {} }}",
)
LATE = (
    "if (path === '/track') return sent(path, request);"
    " {} return new Promise(done => setTimeout(done, 50)).then(() => sent(path, request))"
)
CHANGES = {
    "she writes while it is typed": TYPED.format("add('Ann', '<p>No thanks</p>')"),
    "she sends a recording below what she wrote": TYPED.format("add('', '<audio></audio>')"),
    "she takes back what she wrote": TYPED.format("list.querySelector('p').textContent = 'This message was deleted'"),
    "the list is emptied": TYPED.format("list.replaceChildren()"),
    "the user sends the same by phone": TYPED.format(f"add('{OWNER}', '<p>Hello </p>')"),
    "the user sends half of it by phone": TYPED.format(f"add('{OWNER}', '<p>Hel</p>')"),
    "she writes before the page sends": CLICKED.format(LATE.format("add('Ann', '<p>Stop</p>');")),
    "the user sends the same while the page waits": CLICKED.format(
        LATE.format(f"for (const one of [1, 2]) add('{OWNER}', '<p>Hello</p>');")
    ),
}


SENT_WITHOUT_IT = ("she writes while it is typed", "the user sends the same while the page waits")
"""What calls the act off is the change, before the click and after it: the same check lets the message go without it."""


def test_a_conversation_that_is_another_one_by_the_time_it_is_sent_calls_the_act_off(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    her = drive.pages.member(ann)
    her.messages.append(("Ann", "Hi there"))
    before = drive.site.read_thread(ann)
    not_called_off = {}
    for change, script in CHANGES.items():
        drive.pages.on_load = ADDS + script
        try:
            not_called_off[change] = str(drive.site.send_message(ann, "Hello", as_seen(before, lambda: None)))
        except PageChanged:
            pass
        except (SiteIncident, SiteUnavailable) as failure:
            not_called_off[change] = str(failure)
        assert drive.pages.ledger == [], change
        if change in SENT_WITHOUT_IT:
            drive.pages.on_load = ""
            sent = drive.site.send_message(ann, "Hello", as_seen(before, lambda: None))
            assert sent.claim is SiteAnswer.CONFIRMED, change
            her.messages.pop()
            drive.pages.ledger.clear()
    assert not_called_off == {}


def test_a_page_that_shows_the_text_before_it_has_sent_it_sends_it(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.on_load = ADDS + CLICKED.format(
        LATE.format(f"if (!window.shown) add('{OWNER}', '<p>Hello</p>'); window.shown = 1;")
    )
    check = as_seen(drive.site.read_thread(ann), lambda: None)
    assert drive.site.send_message(ann, "Hello", check).claim is SiteAnswer.CONFIRMED


@pytest.mark.parametrize("act", ["invitation", "message"])
def test_a_namesake_below_another_heading_is_not_the_person(drive: DriveWorld, act: str) -> None:
    ann, namesake = (drive.pages.enrol("Ann", connected=act == "message") for _ in range(2))
    slug, label = drive.pages.member(namesake).slug, "Message Ann" if act == "message" else "Invite Ann to connect"
    begin = "talk()" if act == "message" else "connect()"
    link = f'<a href="/x?recipient={slug}" aria-label="{label}" onclick="here.slug = `{slug}`; {begin}; return false">…</a>'
    drive.pages.on_load = (
        f"document.querySelector('h1 ~ button').remove(); document.querySelector('h2 ~ button').outerHTML = '{link}'"
    )
    if act == "message":
        with pytest.raises(SiteIncident, match="no button"):
            drive.site.send_message(ann, "Hello", unguarded)
    else:
        assert drive.site.send_invitation(ann, "", unguarded).requested is False
    assert drive.pages.ledger == []


WALLS_IN_MID_ACT = {
    "a log-in": ("location = '/login'", IncidentKind.LOGGED_OUT),
    "a captcha": ("location = '/checkpoint/challenge/1'", IncidentKind.UNUSUAL_ACTIVITY),
    "a restriction beside the page": (
        "document.body.insertAdjacentHTML('beforeend', '<p role=alert>Your account is restricted</p>')",
        IncidentKind.UNUSUAL_ACTIVITY,
    ),
    "a limit beside the page": ("show('limit')", IncidentKind.INVITATION_LIMIT),
}


@pytest.mark.parametrize("wall", WALLS_IN_MID_ACT)
@pytest.mark.parametrize("act", ["invitation", "message"])
def test_what_comes_in_the_way_in_mid_act_is_told_by_its_name(drive: DriveWorld, act: str, wall: str) -> None:
    ann = drive.pages.enrol("Ann", connected=act == "message")
    comes, kind = WALLS_IN_MID_ACT[wall]
    drive.pages.on_load = f"for (const field of [box, note]) field.addEventListener('input', () => {{ {comes} }})"
    drive.session.timeout = 3.0
    drive.session.run(lambda page: page.set_default_timeout(1_000))
    with pytest.raises(SiteIncident) as met:
        (drive.site.send_message if act == "message" else drive.site.send_invitation)(ann, "Hello", unguarded)
    assert met.value.kind is kind
    assert drive.pages.ledger == []


def test_a_click_that_did_not_come_to_pass_is_certain_to_have_sent_nothing(drive: DriveWorld) -> None:
    ann, asked = drive.pages.enrol("Ann", connected=True), list[object]()

    def check(shown: Thread | Relation | None = None) -> None:
        asked.append(shown)
        if len(asked) == 2:
            page = drive.session._page
            assert page
            page.close()  # by the user

    attempt = drive.site.send_message(ann, "Hello", check)
    assert (attempt.claim, attempt.requested) == (SiteAnswer.NO_ANSWER, False)
    assert drive.pages.ledger == []


INPUT = "box.addEventListener('input', () => {{ {} }})"
SURPRISES = {
    "it loads itself anew after typing": INPUT.format(
        "if (!sessionStorage.anew) { sessionStorage.anew = 1; location.reload() }"
    ),
    "it goes to another profile": INPUT.format("location = '/in/person-2/'"),
    "it goes to a company": INPUT.format("history.pushState({}, '', '/company/a/')"),
    "it becomes another profile at the same address": INPUT.format("document.querySelector('h1').textContent = 'Bo'"),
    "they are no contact any more": INPUT.format(
        "document.querySelector('h1 + span').textContent = '2nd degree connection'"
    ),
    "the conversation grows without end": "setInterval(() => add('Ann', '<p>more</p>'), 50)",
    "a modal lies over the button": INPUT.format(
        "document.body.insertAdjacentHTML('beforeend',"
        " '<div style=\"position:fixed;inset:0;z-index:9\">Rate this app</div>')"
    ),
    "the button is for something else by the time it can be pressed": (
        "const it = document.querySelector('#talking button'); it.disabled = true; it.onclick = () =>"
        " post('/api/relationships/invitation', {to: here.slug, text: box.value}); setTimeout(() => it.disabled = false, 400)"
    ),
    "the button asks for a file": (
        "document.querySelector('#talking button').onclick = () =>"
        " Object.assign(document.createElement('input'), {type: 'file'}).click()"
    ),
    "the button asks a question": "document.querySelector('#talking button').onclick = () => confirm('Attach your CV?') && 0",
    "there are two buttons": INPUT.format(
        "document.querySelector('#talking').insertAdjacentHTML('beforeend', '<button aria-label=Send>x</button>')"
    ),
    "a second conversation opens": INPUT.format(
        "document.body.insertAdjacentHTML('beforeend', '<div role=textbox aria-label=\"Write a message…\"></div>')"
    ),
    "it is an InMail": "const sent = fetch; fetch = (path, request) => sent(path.replace('message', 'inmail'), request)",
    "it loads itself anew when clicked": "document.querySelector('#talking button').onclick = () => location.reload()",
    "it empties the field": "box.addEventListener('input', () => setTimeout(() => box.value = '', 0))",
    "it adds a signature": "box.addEventListener('input', () => setTimeout(() => box.value += ' Sent from X', 0))",
}


SENT_AFTERWARDS = ("it goes to another profile", "the button asks for a file", "the button asks a question")
"""What could be in the way still: another page, or what waits for an answer. Each ends with a new page."""


@pytest.mark.parametrize("surprise", SURPRISES)
def test_nothing_leaves_a_page_that_is_not_as_expected_by_the_click(drive: DriveWorld, surprise: str) -> None:
    ann, _ = drive.pages.enrol("Ann", connected=True), drive.pages.enrol("Bo", connected=True)
    drive.pages.on_load, drive.session.timeout = ADDS + SURPRISES[surprise], 2.0
    drive.session.run(lambda page: page.set_default_timeout(1_000))
    try:
        attempt = drive.site.send_message(ann, "Hello", unguarded)
    except (SiteIncident, SiteUnavailable):  # by the port's promise nothing was clicked
        pass
    else:
        assert (attempt.claim, attempt.requested) == (SiteAnswer.NO_ANSWER, False)
    assert drive.pages.ledger == []
    if surprise in SENT_AFTERWARDS:
        drive.pages.on_load, drive.session.timeout = "", PATIENCE
        assert drive.site.send_message(ann, "Hello", unguarded).claim is SiteAnswer.CONFIRMED


SENT_ALL_THE_SAME = {
    "a zoomed page": "document.body.style.zoom = 3",
    "a page far down": "document.querySelector('#talking').style.marginTop = '9000px'",
    "a font that does not come": "document.fonts.add(new FontFace('slow', 'url(/never)')); document.body.style.fontFamily = 'slow';"
    " document.fonts.load('12px slow')",
    "a button that can be pressed later": (
        "const it = document.querySelector('#talking button'); it.disabled = true; setTimeout(() => it.disabled = false, 400)"
    ),
    "a notice that goes away": INPUT.format(
        "if (!window.noticed) { window.noticed = 1; document.body.insertAdjacentHTML('beforeend', '<div id=notice"
        ' style="position:fixed;inset:0;z-index:9">New!</div>\'); setTimeout(() => notice.remove(), 400) }'
    ),
    "a page that says it in another language meanwhile": INPUT.format("document.documentElement.lang = 'de'"),
    "a page that asks before it is left": "addEventListener('beforeunload', event => event.preventDefault())",
}


def test_what_is_only_slow_or_odd_is_done_once(drive: DriveWorld) -> None:
    """All of it at once; where that is not done, each by itself tells what it was."""

    def is_done_once(*oddities: str) -> bool:
        drive.pages.reset()
        ann = drive.pages.enrol("Ann", connected=True)
        drive.pages.on_load = ADDS + ";".join(f"{{ {oddity} }}" for oddity in oddities)
        try:
            claim = drive.site.send_message(ann, "Hello", unguarded).claim
        except (SiteIncident, SiteUnavailable):
            return False
        return claim is SiteAnswer.CONFIRMED and [text for _, _, text in drive.pages.ledger] == ["Hello"]

    if not is_done_once(*SENT_ALL_THE_SAME.values()):
        refused = [page for page, oddity in SENT_ALL_THE_SAME.items() if not is_done_once(oddity)]
        pytest.fail(f"not done: {refused or 'all at once'}")


def test_a_draft_that_the_page_keeps_is_not_the_message(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    keeps = "post('/api/messaging/drafts', {to: here.slug, text: box.value})"
    drive.pages.on_load = f"for (const at of ['input', 'blur']) box.addEventListener(at, () => {keeps})"
    assert drive.site.send_message(ann, "Hello", unguarded).claim is SiteAnswer.CONFIRMED
    assert [(kind, text) for kind, _, text in drive.pages.ledger] == [("message", "Hello")]


REWRITES = "const sent = fetch; fetch = (path, request) => path.startsWith('/api/') && request ? sent({}) : sent(path, request);"
ELSEWHERE = {
    "a note beside the text": "path, {...request, body: JSON.stringify({...JSON.parse(request.body), subject: 'Buy now'})}",
    "the text twice": "path, {...request, body: JSON.stringify({...JSON.parse(request.body), body: 'Hello'})}",
    "another method": "path, {...request, headers: {'X-HTTP-Method-Override': 'DELETE'}}",
    "somebody else beside them": "path, {...request, body: JSON.stringify({...JSON.parse(request.body), cc: ['bo']})}",
    "another deed": "path.replace('/invitation', '/withdrawal'), request",
}


@pytest.mark.parametrize(
    ("act", "changed"),
    [*(("message", changed) for changed in ELSEWHERE if changed != "another deed"), ("invitation", "another deed")],
)  # what else a request could be: tests/adapters/sites/test_linkedin_pages.py
def test_a_click_that_would_say_or_do_something_else_is_stopped(drive: DriveWorld, act: str, changed: str) -> None:
    person = drive.pages.enrol("Ann", connected=act == "message")
    drive.pages.on_load, drive.session.timeout = REWRITES.format(ELSEWHERE[changed]), 1.0
    if act == "message":
        attempt = drive.site.send_message(person, "Hello", unguarded)
    else:
        attempt = drive.site.send_invitation(person, "", unguarded)
    assert (attempt.claim, attempt.incident, attempt.requested) == (
        SiteAnswer.NO_ANSWER,
        IncidentKind.UNKNOWN_PAGE,
        False,
    )
    assert drive.pages.ledger == []


def test_what_the_user_has_begun_to_write_is_neither_sent_nor_written_over(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.on_load = "box.value = 'Dear Ann, about Fri'"
    with pytest.raises(SiteUnavailable, match="words of yours"):
        drive.site.send_message(ann, "Hello", unguarded)
    assert drive.pages.ledger == []
    drive.pages.on_load = "box.value = 'Hello'"  # what an earlier try left there
    assert drive.site.send_message(ann, "Hello", unguarded).claim is SiteAnswer.CONFIRMED


SHOWN_BESIDE = {
    "a picture": ("<li><time>Today</time><span>Ann sent the following message at 1:00 AM</span><img></li>", [NO_WORDS]),
    "a message in a list of its own": (
        "<li><time>Today</time><span>Ann sent the following message at 1:00 AM</span><p>No, stop</p></li>",
        ["No, stop"],
    ),
    "somebody who types": ("<li><span>Ann is typing</span></li>", []),
    "a line of the page's own": ("<li><time>Today</time><span>You are now connected</span></li>", []),
    "a reaction": ("<li><span>Ann reacted</span><ul><li>1</li></ul></li>", []),
}


@pytest.mark.parametrize("shown", SHOWN_BESIDE)
def test_all_that_they_sent_is_read_wherever_it_stands_and_nothing_else_is(drive: DriveWorld, shown: str) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.member(ann).messages.append((OWNER, "Hi Ann"))
    entry, texts = SHOWN_BESIDE[shown]
    drive.pages.on_load = f"list.insertAdjacentHTML('afterend', '<ul>{entry}</ul>')"
    thread = drive.site.read_thread(ann)
    assert [(m.author, m.text) for m in thread.messages] == [("you", "Hi Ann"), *(("them", text) for text in texts)]


def test_a_list_before_the_conversation_does_not_take_its_place(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.member(ann).messages.append(("Ann", "No, stop"))
    drive.pages.on_load = "list.insertAdjacentHTML('beforebegin', '<ul><li>Thanks!</li></ul>')"
    assert [m.text for m in drive.site.read_thread(ann).messages] == ["No, stop"]


def test_nobody_is_a_contact_because_somebody_else_on_the_page_is(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.on_load = (
        "document.querySelector('h1 + span').remove();"
        "document.querySelector('h2 + span').textContent = '1st degree connection'"
    )
    drive.session.timeout = 1.0
    with pytest.raises(SiteIncident) as met:
        drive.site.send_message(ann, "Hello", unguarded)
    assert met.value.kind is IncidentKind.UNKNOWN_PAGE
    assert drive.pages.ledger == []


def test_the_check_before_the_click_is_shown_how_they_stand_by_then(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann")
    accepted = "document.querySelector('h1 + span').textContent = '1st degree connection'"
    drive.pages.on_load = f"note.addEventListener('input', () => {{ {accepted} }})"
    shown: list[object] = []

    def check(now: Thread | Relation | None = None) -> None:
        shown.append(now)
        if now is Relation.CONNECTED:
            called_off()

    with pytest.raises(ActCalledOff):
        drive.site.send_invitation(ann, "Hello", check)
    assert shown == [Relation.NONE, Relation.CONNECTED]
    assert drive.pages.ledger == []


def test_a_conversation_with_more_people_than_one_is_not_theirs(drive: DriveWorld) -> None:
    ann = drive.pages.enrol("Ann", connected=True)
    drive.pages.also_there = "Bo"
    for look in (drive.site.read_thread, lambda person: drive.site.send_message(person, "Hello", unguarded)):
        with pytest.raises(SiteIncident) as met:
            look(ann)
        assert met.value.kind is IncidentKind.WRONG_PERSON
    assert drive.pages.ledger == []


def test_the_wrong_person_is_never_read_nor_written_to(world: World) -> None:
    if not by_outrider(world):
        return
    contact = world.enrol("Ann Becker", connected=True)
    other = SitePerson(contact.profile_url, "Ann Beckers")
    for act in (
        lambda: world.site.open_profile(other),
        lambda: world.site.read_profile(other),
        lambda: world.site.read_thread(other),
        lambda: world.site.send_message(other, "Hello", unguarded),
    ):
        with pytest.raises(SiteIncident) as met:
            act()
        assert met.value.kind is IncidentKind.WRONG_PERSON
    assert world.arrived(contact) == []


def test_nobody_is_at_an_address_that_is_no_profile_or_gone(world: World) -> None:
    if not by_outrider(world):
        return
    addresses = [f"https://www.linkedin.com/{path}" for path in ("company/a", "in/a%2Fb", "in/gone", "in/led-away")]
    for url in ("", "/in/", "https://elsewhere.example/in/gone", *addresses):
        with pytest.raises(NobodyThere):
            world.site.read_profile(SitePerson(url, "Ann"))


def test_its_pages_are_as_expected(world: World) -> None:
    world.enrol("Ann Becker")
    assert world.site.check_selectors().ok
    assert world.site.settle_seconds == CHANNELS[world.channel].settle_seconds


# What only a real site's pages can do.


@pytest.mark.parametrize("language", ["de", "fr"])
def test_pages_in_another_language_are_read_and_acted_on(drive: DriveWorld, language: str) -> None:
    drive.pages.language = language
    stranger, contact = drive.pages.enrol("Zoë Müller", in_menu=True), drive.pages.enrol("José Díaz", connected=True)
    drive.pages.member(contact).messages.append(("José Díaz", "Hola / Hallo / Salut"))
    assert drive.site.check_selectors().ok
    assert drive.site.read_profile(stranger).headline == "Editor"
    assert [(m.author, m.text) for m in drive.site.read_thread(contact).messages] == [("them", "Hola / Hallo / Salut")]
    assert drive.site.send_invitation(stranger, "Bonjour ✓", unguarded).claim is SiteAnswer.CONFIRMED
    assert drive.site.send_message(contact, "¿Qué tal?", unguarded).claim is SiteAnswer.CONFIRMED
    assert drive.site.withdraw_invitation(stranger, unguarded).claim is SiteAnswer.CONFIRMED
    assert [(kind, text) for kind, _, text in drive.pages.ledger] == [
        ("invitation", "Bonjour ✓"),
        ("message", "¿Qué tal?"),
        ("withdrawal", ""),
    ]
    assert drive.site.read_profile(stranger).relation is Relation.NONE


def test_an_invitation_may_be_without_a_note_and_none_goes_where_none_is_offered(drive: DriveWorld) -> None:
    stranger, contact = drive.pages.enrol("Ann"), drive.pages.enrol("Bo", connected=True)
    assert drive.site.send_invitation(stranger, "", unguarded).claim is SiteAnswer.CONFIRMED
    for person in (stranger, contact):
        again = drive.site.send_invitation(person, "", unguarded)
        assert (again.claim, again.requested) == (SiteAnswer.REFUSED, False)
    refused = drive.site.send_message(stranger, "Hello", unguarded)
    assert (refused.claim, refused.requested) == (SiteAnswer.REFUSED, False)
    assert drive.pages.ledger == [("invitation", drive.pages.member(stranger).slug, "")]
    with pytest.raises(SiteUnavailable):
        drive.site.send_invitation(drive.pages.enrol("Cy"), "n" * 201, unguarded)


def test_a_send_whose_answer_is_lost_is_never_repeated_and_says_nothing(drive: DriveWorld) -> None:
    contact = drive.pages.enrol("Bo", connected=True)
    drive.pages.answer = "drop"
    attempt = drive.site.send_message(contact, "Hello", unguarded)
    assert (attempt.claim, attempt.requested, attempt.incident) == (SiteAnswer.NO_ANSWER, True, None)
    drive.pages.answer = ""
    assert drive.site.read_thread(contact).messages == ()
    assert [entry[0] for entry in drive.pages.ledger] == ["message"]


def test_a_text_that_the_page_would_change_does_not_leave(drive: DriveWorld) -> None:
    contact = drive.pages.enrol("Bo", connected=True)
    drive.pages.mangles, drive.session.timeout = True, 1.0
    attempt = drive.site.send_message(contact, "One\n\ntwo", unguarded)
    assert (attempt.claim, attempt.incident) == (SiteAnswer.NO_ANSWER, IncidentKind.UNKNOWN_PAGE)
    assert drive.pages.ledger == []


def test_a_refusal_of_the_site_is_told_with_its_incident(drive: DriveWorld) -> None:
    stranger = drive.pages.enrol("Ann")
    drive.pages.answer = "429"
    attempt = drive.site.send_invitation(stranger, "", unguarded)
    assert (attempt.claim, attempt.incident) == (SiteAnswer.REFUSED, IncidentKind.INVITATION_LIMIT)
    assert len(drive.pages.ledger) == 1


@pytest.mark.parametrize(
    ("wall", "kind"),
    [
        ("captcha", IncidentKind.UNUSUAL_ACTIVITY),
        ("unknown", IncidentKind.UNKNOWN_PAGE),
    ],
)
def test_whatever_stands_in_the_way_is_an_incident_and_nothing_is_done(
    drive: DriveWorld, wall: str, kind: IncidentKind
) -> None:
    person = drive.pages.enrol("Ann", connected=True)
    drive.pages.wall = wall
    drive.session.timeout = 0.5
    for act in (lambda: drive.site.read_profile(person), lambda: drive.site.send_message(person, "Hello", unguarded)):
        with pytest.raises(SiteIncident) as met:
            act()
        assert (met.value.kind, bool(met.value.evidence_file)) == (kind, True)
    assert drive.pages.ledger == []


def test_a_limit_a_page_that_invites_at_once_and_a_language_nobody_knows_are_incidents(drive: DriveWorld) -> None:
    person = drive.pages.enrol("Ann")
    kinds = []
    for change in ({"limited": True}, {"limited": False, "instant": True}, {"instant": False, "language": "tlh"}):
        for name, value in change.items():
            setattr(drive.pages, name, value)
        drive.session.timeout = 1.0
        with pytest.raises(SiteIncident) as met:
            drive.site.send_invitation(person, "", unguarded)
        kinds.append(met.value.kind)
    assert kinds == [IncidentKind.INVITATION_LIMIT, IncidentKind.UNKNOWN_PAGE, IncidentKind.UNKNOWN_PAGE]
    assert drive.pages.ledger == []


def test_a_page_that_withdraws_without_asking_is_stopped(drive: DriveWorld) -> None:
    person = drive.pages.enrol("Ann")
    drive.pages.member(person).pending = drive.pages.instant = True
    drive.session.timeout = 1.0
    with pytest.raises(SiteIncident) as met:
        drive.site.withdraw_invitation(person, unguarded)
    assert met.value.kind is IncidentKind.UNKNOWN_PAGE
    assert drive.pages.ledger == []


def test_a_navigation_without_its_labels_fails_the_check_and_every_act(drive: DriveWorld, tmp_path: Path) -> None:
    person = drive.pages.enrol("Ann")
    drive.pages.nav = False
    drive.session.timeout = 0.5
    assert "navigation: Home" in drive.site.check_selectors().missing
    fresh = DriveSite(drive.session, EvidenceStore(tmp_path), refusal=lambda: "")
    with pytest.raises(SiteIncident) as met:
        fresh.send_invitation(person, "", unguarded)
    assert met.value.kind is IncidentKind.UNKNOWN_PAGE
    assert drive.pages.ledger == []


def test_without_consent_or_presence_no_page_is_even_asked_for(drive: DriveWorld) -> None:
    person = drive.pages.enrol("Ann", connected=True)
    drive.refusal = "there is no consent"
    drive.pages.asked.clear()
    for act in (
        drive.site.open,
        drive.site.check_selectors,
        lambda: drive.site.open_profile(person),
        lambda: drive.site.read_profile(person),
        lambda: drive.site.read_thread(person),
        lambda: drive.site.send_invitation(person, "", unguarded),
        lambda: drive.site.send_message(person, "Hello", unguarded),
        lambda: drive.site.withdraw_invitation(person, unguarded),
    ):
        with pytest.raises(SiteUnavailable, match="no consent"):
            act()
    assert drive.pages.asked == []


def test_the_user_logs_in_by_hand_and_is_waited_for(drive: DriveWorld, tmp_path: Path) -> None:
    drive.pages.wall = "login"
    impatient = DriveSite(drive.session, EvidenceStore(tmp_path), refusal=lambda: "", log_in_seconds=0)
    with pytest.raises(OutriderError) as late:
        impatient.open()
    assert late.value.code == "drive_log_in"
    stopping = DriveSite(drive.session, EvidenceStore(tmp_path), refusal=lambda: "", stopped=lambda: True)
    with pytest.raises(OutriderError) as ended:
        stopping.open()
    assert ended.value.code == "proposer_stopped"
    looks = []

    def in_time() -> str:
        looks.append(1)
        if len(looks) > 4:
            drive.pages.wall = ""
        return ""

    DriveSite(drive.session, EvidenceStore(tmp_path), refusal=in_time).open()
    assert drive.session.run(lambda page: page.url).endswith("/feed/")


def test_whoever_comes_to_a_page_where_the_user_logs_in_leaves_it_as_it_is(drive: DriveWorld, tmp_path: Path) -> None:
    drive.pages.wall = "login"
    sites = [DriveSite(drive.session, EvidenceStore(tmp_path), refusal=lambda: "", log_in_seconds=0) for _ in range(2)]
    for site in sites:  # another campaign begins while the first one waits
        with pytest.raises(OutriderError):
            site.open()
        drive.session.run(lambda page: page.evaluate("document.title += 'typed'"))
    assert drive.session.run(lambda page: page.title()).endswith("typedtyped")
    drive.session.run(lambda page: page.goto("about:blank"))  # it would go on by itself once the wall is away


def test_what_two_people_write_is_told_apart(drive: DriveWorld) -> None:
    contact = drive.pages.enrol("Bo", connected=True)
    drive.pages.member(contact).messages += [(OWNER, "Hi Bo"), ("Bo", "Sign in? Captcha!"), (OWNER, "No")]
    thread = drive.site.read_thread(contact)
    assert [(m.author, m.text) for m in thread.messages] == [
        ("you", "Hi Bo"),
        ("them", "Sign in? Captcha!"),
        ("you", "No"),
    ]
    drive.pages.member(contact).messages.append(("Third Person", "Me too"))
    with pytest.raises(SiteIncident) as met:
        drive.site.read_thread(contact)
    assert met.value.kind is IncidentKind.UNKNOWN_PAGE


def test_campaigns_on_linkedin_send_each_text_once_with_intent_outcome_and_evidence(
    drive: DriveWorld, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real controller on the facsimile: consent, look, intent, the send, the look after it."""
    stranger, contact = stage.cards(2)
    for card, degree in ((stranger, 2), (contact, 1)):
        drive.pages.members[card.slug] = Member(card.slug, card.name, card.headline, degree)
    inviting = stage.campaign(1, settings=ONE_STEP, site=DRIVE, account=LINKEDIN_ACCOUNT)
    writing = stage.campaign(1, skip=1, settings=MESSAGE_ONLY, site=DRIVE, account=LINKEDIN_ACCOUNT)
    stage.commands().consents.give(CONSENT_SENTENCE)
    monkeypatch.setattr(stage, "site", drive.site)
    monkeypatch.setattr(drive.site, "close", lambda: None)  # the browser is for all tests
    # The page answers 500 and has it nevertheless: only the look afterwards says so.
    drive.pages.answer, drive.pages.keeps = "500", True
    for campaign in (writing, inviting):
        stage.run(campaign)
    sent = [(kind, slug) for kind, slug, _ in drive.pages.ledger]
    assert sent == [("message", contact.slug), ("invitation", stranger.slug)]
    assert {row[0] for row in stage.query("SELECT status FROM actions")} == {"sent"}
    assert stage.one("SELECT evidence FROM messages WHERE kind='message'") != "[]"
