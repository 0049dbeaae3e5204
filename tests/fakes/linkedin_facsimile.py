"""Pages of our own that have the roles and labels of LinkedIn's, served here, with a ledger of all that was sent.

None of it is copied from LinkedIn. The words stand here a second time on purpose: a change of the adapter's table alone fails.
"""

import html
import json
import threading
from base64 import b64encode
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from backend.domain.model.site import SitePerson

OWNER = "Robin Reyes"


class Words(NamedTuple):
    nav: tuple[str, str, str]
    degrees: tuple[str, str, str]
    connect: str
    pending: str
    message: str
    more: str
    add_note: str
    without_note: str
    send_invitation: str
    composer: str
    send: str
    wrote: str
    withdraw: str
    today: str
    limit: str


WORDS = {
    "en-US": Words(
        ("Home", "My Network", "Messaging"),
        ("1st degree connection", "2nd degree connection", "3rd degree connection"),
        "Invite {} to connect",
        "Pending, click to withdraw invitation sent to {}",
        "Message {}",
        "More actions",
        "Add a note",
        "Send without a note",
        "Send invitation",
        "Write a message\u2026",
        "Send",
        "{} sent the following message at {}",
        "Withdraw",
        "Today",
        "You\u2019ve reached the weekly invitation limit",
    ),
    "de": Words(
        ("Start", "Ihr Netzwerk", "Nachrichten"),
        ("Kontakt 1. Grades", "Kontakt 2. Grades", "Kontakt 3. Grades"),
        "{} als Kontakt einladen",
        "Ausstehend \u2013 klicken Sie, um die an {} gesendete Einladung zurückzuziehen",
        "Nachricht an {}",
        "Weitere Aktionen",
        "Nachricht hinzufügen",
        "Ohne Nachricht senden",
        "Einladung senden",
        "Nachricht verfassen \u2026",
        "Senden",
        "{} hat um {} die folgenden Nachrichten gesendet",
        "Zurückziehen",
        "Heute",
        "Sie haben das wöchentliche Limit für Einladungen erreicht",
    ),
    "fr": Words(
        ("Accueil", "Réseau", "Messagerie"),
        ("relation de 1er niveau", "relation de 2e niveau", "relation de 3e niveau"),
        "Inviter {} à rejoindre votre réseau",
        "En attente, cliquez pour retirer l\u2019invitation envoyée à {}",
        "Envoyer un message à {}",
        "Plus d\u2019actions",
        "Ajouter une note",
        "Envoyer sans note",
        "Envoyer l\u2019invitation",
        "Rédigez un message\u2026",
        "Envoyer",
        "{} a envoyé le message suivant à {}",
        "Retirer",
        "Aujourd\u2019hui",
        "Vous avez atteint la limite hebdomadaire d\u2019invitations",
    ),
    "es": Words(
        ("Inicio", "Mi red", "Mensajes"),
        ("contacto de 1.er grado", "contacto de 2.º grado", "contacto de 3.er grado"),
        "Invitar a {} a conectar",
        "Pendiente, haz clic para retirar la invitación enviada a {}",
        "Enviar mensaje a {}",
        "Más acciones",
        "Añadir una nota",
        "Enviar sin nota",
        "Enviar invitación",
        "Escribe un mensaje\u2026",
        "Enviar",
        "{} envió los siguientes mensajes a las {}",
        "Retirar",
        "Hoy",
        "Has alcanzado el límite semanal de invitaciones",
    ),
}

WALLS = {
    "captcha": ("/checkpoint/challenge/1", "<h1>Let\u2019s do a quick security check</h1>"),
    "unknown": ("/surprise", "<h1>Something new</h1>"),
    "login": (
        "/login",
        # Whoever stands for the user's hand takes the wall away; the page then goes on, as after a log-in.
        "<h1>Sign in</h1><script>setInterval(() => fetch('/session').then(r => r.ok && (location = '/feed/')), 50)</script>",
    ),
}
"""What may stand in the way: where one is sent, and what is there."""


@dataclass
class Member:
    slug: str
    name: str
    headline: str
    degree: int
    pending: bool = False
    in_menu: bool = False
    messages: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Facsimile:
    """The site. `wall` stands in the way of every page; `answer` is what the next sends are answered: a status, or "drop"."""

    language: str = "en-US"
    wall: str = ""
    answer: str = ""
    instant: bool = False
    """Connect invites, and Pending withdraws, at once, without a dialog."""
    limited: bool = False
    """Connect opens the notice of the weekly limit."""
    keeps: bool = False
    """What is sent arrives, whatever is answered."""
    mangles: bool = False
    """The field of a conversation changes line breaks."""
    nav: bool = True
    on_typing: str = ""
    """What the script of a profile does as soon as something is typed into a conversation."""
    on_load: str = ""
    """What the script of a profile does once it stands."""
    also_there: str = ""
    """Who else is in a conversation."""
    members: dict[str, Member] = field(default_factory=dict)
    ledger: list[tuple[str, str, str]] = field(default_factory=list)
    strays: set[str] = field(default_factory=set)
    """What arrived below /stray/, by request or as a socket's words: each by the name in its address."""
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.listen(self) if self.headers["Upgrade"] else site.show(self)

            def do_POST(self) -> None:
                site.take(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        self._closed = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._closed.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def reset(self) -> None:
        self.language, self.wall, self.answer = "en-US", "", ""
        self.instant = self.limited = self.mangles = self.keeps = False
        self.nav = True
        self.on_typing = self.on_load = self.also_there = ""
        for full in (self.members, self.ledger, self.strays):
            full.clear()

    def enrol(
        self, name: str, *, connected: bool = False, headline: str = "Editor", in_menu: bool = False
    ) -> SitePerson:
        slug = f"person-{len(self.members) + 1}"
        self.members[slug] = Member(slug, name, headline, 1 if connected else 2, in_menu=in_menu)
        return SitePerson(f"https://www.linkedin.com/in/{slug}/?trk=x", name)

    def member(self, person: SitePerson) -> Member:
        return self.members[urlsplit(person.profile_url).path.split("/")[2]]

    # HTTP.

    def show(self, to: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(to.path)
        self.asked.append(parts.path)
        if parts.path.startswith("/stray/") and parts.path.endswith("/worker"):
            script = f"onconnect = () => fetch({json.dumps(parts.path.removesuffix('/worker'))}, {{method: 'POST'}})"
            return answer(to, 200, script, "text/javascript")
        self.note_stray(parts.path)
        if parts.path == "/never":
            self._closed.wait()
            return None
        if parts.path == "/session":
            return answer(to, 403 if self.wall else 200, "{}", "application/json")
        if parts.path == "/api/messaging/thread":
            return answer(to, 200, self.thread(parse_qs(parts.query)["of"][0]), "application/json")
        if self.wall:
            path, body = WALLS[self.wall]
            if parts.path != path:
                to.send_response(302)
                to.send_header("Location", path)
                to.send_header("Content-Length", "0")
                return to.end_headers()
            return answer(to, 200, self.page(f"<main>{body}</main>", nav=False))
        if parts.path == "/feed/":
            return answer(to, 200, self.page("<main><h2>Feed</h2></main>"))
        slug = unquote(parts.path.removeprefix("/in/").rstrip("/"))
        if slug == "led-away":  # as an older page of a profile that was closed
            return answer(to, 200, self.page("<script>location.replace('/404/')</script>"))
        if slug not in self.members:
            return answer(
                to, 200 if parts.path == "/404/" else 404, self.page("<main><h1>This page does not exist</h1></main>")
            )
        return answer(to, 200, self.page(self.profile(self.members[slug])))

    def take(self, to: BaseHTTPRequestHandler) -> None:
        sent = to.rfile.read(int(to.headers["Content-Length"]))
        if not to.path.startswith("/api/"):
            self.note_stray(to.path)
            return answer(to, 200, "{}", "application/json")
        body = json.loads(sent)
        member = self.members[body["to"]]
        kind = to.path.rpartition("/")[2]
        self.ledger.append((kind, member.slug, body.get("text", "")))
        if self.answer == "drop":
            to.close_connection = True
            to.connection.close()
            return None
        status = int(self.answer or 201)
        if status < 300 or self.keeps:
            if kind == "message":
                member.messages.append((OWNER, body["text"]))
            else:
                member.pending = kind == "invitation"
        return answer(to, status, "{}", "application/json")

    def note_stray(self, path: str) -> None:
        if path.startswith("/stray/"):
            self.strays.add(unquote(path.split("/")[2]))

    def listen(self, to: BaseHTTPRequestHandler) -> None:
        """Open a socket, and note the first words that come by it."""
        key = to.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        to.send_response(101)
        for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade")):
            to.send_header(name, value)
        to.send_header("Sec-WebSocket-Accept", b64encode(sha1(key.encode(), usedforsecurity=False).digest()).decode())
        to.end_headers()
        frame, to.close_connection = to.rfile.read(1), True
        if frame and frame[0] & 15 in (1, 2):  # anything else only ends it
            self.note_stray(to.path)

    # Pages.

    def page(self, main: str, *, nav: bool = True) -> str:
        words = WORDS.get(self.language, WORDS["en-US"])
        links = "".join(f'<a href="/feed/">{name}</a> ' for name in words.nav) if nav and self.nav else ""
        return (
            f'<!doctype html><html lang="{self.language}"><head><meta charset="utf-8"><title>Facsimile</title></head>'
            f'<body><nav aria-label="Primary">{links}</nav>{main}</body></html>'
        )

    def profile(self, member: Member) -> str:
        words = WORDS.get(self.language, WORDS["en-US"])

        def button(name: str, act: str, role: str = "") -> str:
            label = html.escape(name.format(member.name))
            return f'<button aria-label="{label}" onclick="{act}"{role and f" role={role}"}>{label[:12]}</button>'

        if member.degree == 1:
            first = button(words.message, "talk()")
        elif member.pending:
            first = button(words.pending, "withdraw()")
        else:
            first = button(words.connect, "connect()")
        if member.in_menu:
            item = first.replace("<button", '<button role="menuitem"')
            first = f"<button>Follow</button>{button(words.more, 'menu.hidden = false')}"
            first += f'<div id="menu" role="menu" hidden>{item}</div>'
        field = f'id="box" role="textbox" aria-label="{words.composer}"'
        box = f"<div {field} contenteditable='true'></div>" if self.mangles else f"<textarea {field}></textarea>"
        script_values = {"slug": member.slug, "instant": self.instant, "limited": self.limited}
        return f"""<main><section><h1>{html.escape(member.name)}</h1>
          <span>{words.degrees[member.degree - 1]}</span><p>{html.escape(member.headline)}</p>{first}</section>
          <section><h2>Others</h2><span>{words.degrees[2]}</span>
            <button aria-label="{words.connect.format("Somebody Else")}">Connect</button></section></main>
        <section id="talking" role="dialog" aria-label="Conversation" hidden><h2>{html.escape(member.name)}</h2>
          {self.also_there and f"<h2>{self.also_there}</h2>"}
          <ul id="list"></ul>
          {box}
          {button(words.send, "send('message', box.value ?? box.innerText)")}</section>
        <section id="invitation" role="dialog" aria-label="Invitation" hidden>
          {button(words.add_note, "noting.hidden = false; this.hidden = true")}
          {button(words.without_note, "send('invitation', '')")}
          <div id="noting" hidden><textarea id="note" maxlength="200"></textarea>
          {button(words.send_invitation, "send('invitation', note.value)")}</div></section>
        <section id="withdrawal" role="dialog" aria-label="Withdrawal" hidden>
          {button(words.withdraw, "send('withdrawal', '')")}</section>
        <section id="limit" role="alertdialog" aria-label="{words.limit}" hidden>{words.limit}</section>
        <script>const here = {json.dumps(script_values)}; {SCRIPT}
        box.addEventListener('input', () => {{ {self.on_typing} }});
        {self.on_load}</script>"""

    def thread(self, slug: str) -> str:
        words, member, now = WORDS[self.language], self.members[slug], datetime.now().astimezone()
        clock = f"{now:%I:%M} {'AM' if now.hour < 12 else 'PM'}" if self.language == "en-US" else f"{now:%H:%M}"
        rows = [
            {"day": words.today, "stamp": words.wrote.format(who, clock), "text": text} for who, text in member.messages
        ]
        return json.dumps(rows)


SCRIPT = r"""
const post = (path, body) => fetch(path, {method: 'POST', body: JSON.stringify(body)});
const show = id => { document.getElementById(id).hidden = false; };
// As a page that does not give up: what fails is tried again.
const send = (kind, text, tries = 3) => {
  post('/track', {clicked: kind});
  const path = {message: '/api/messaging/message', invitation: '/api/relationships/invitation',
    withdrawal: '/api/relationships/withdrawal'}[kind];
  post(path, {to: here.slug, text}).catch(() => tries > 1 && setTimeout(() => send(kind, text, tries - 1), 20));
};
const connect = () => here.instant ? send('invitation', '') : show(here.limited ? 'limit' : 'invitation');
const withdraw = () => here.instant ? send('withdrawal', '') : show('withdrawal');
const talk = async () => {
  show('talking');
  list.setAttribute('aria-busy', 'true');
  const rows = await (await fetch('/api/messaging/thread?of=' + here.slug)).json();
  list.replaceChildren(...rows.map(row => {
    const item = document.createElement('li'), day = document.createElement('time'), stamp = document.createElement('span');
    const text = document.createElement('p');
    day.textContent = row.day; stamp.textContent = row.stamp; text.textContent = row.text;
    item.append(day, stamp, text);
    return item;
  }));
  list.setAttribute('aria-busy', 'false');
};
"""


def answer(to: BaseHTTPRequestHandler, status: int, body: str, kind: str = "text/html") -> None:
    data = body.encode()
    to.send_response(status)
    to.send_header("Content-Type", f"{kind}; charset=utf-8")
    to.send_header("Content-Length", str(len(data)))
    to.end_headers()
    to.wfile.write(data)
