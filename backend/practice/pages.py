"""The pages: each reads what is so, or has a deed recorded, and is then drawn from a template."""

import secrets
import time
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Request, Response, abort, g, make_response, redirect, render_template, request, url_for
from markupsafe import escape
from werkzeug.exceptions import Forbidden, NotFound
from werkzeug.wrappers import Response as BaseResponse

from backend.practice.contact_history import PracticeRelation
from backend.practice.deterministic_random import between, roll
from backend.practice.faults import FaultPoint
from backend.practice.launch_secrets import same
from backend.practice.network import MESSAGE_LIMIT, NOTE_LIMIT, REFUSALS, Network
from backend.practice.network_store import NetworkStore
from backend.practice.people import PracticePerson, last_updated, recent_activity
from backend.practice.request_outcome import PageVariant, RequestOutcome
from backend.practice.virtual_time import DAY, format_time

COOKIE = "fieldnote_session"
"""Who is signed in: it holds a secret, the ledger only its hash, so a restart signs nobody out."""
NOTICE = "fieldnote_notice"
PAGE_SIZE = 20
FEED_SIZE = 8

# What a page says once after something was done: the role it has, and the sentence.
NOTICES = {
    "invitation_sent": ("status", "Invitation sent to {name}."),
    "invitation_failed": ("alert", "Your invitation could not be sent."),
    "message_sent": ("status", "Message sent."),
    "message_failed": ("alert", "Your message could not be sent."),
    "withdrawn": ("status", "Invitation to {name} withdrawn."),
    "not_withdrawn": ("alert", "There was no pending invitation to withdraw."),
}
RELATIONSHIPS = {
    PracticeRelation.NONE: "Not connected",
    PracticeRelation.WITHDRAWN: "Not connected",
    PracticeRelation.PENDING: "Invitation pending",
    PracticeRelation.CONNECTED: "Connected",
}
# The real thing answers 200 when it restricts an account, so these do too: only the words tell.
ENDED_STATUS = {"error_500": 500, "unusual_activity": 200, "invitation_limit": 200}
OPEN_ENDPOINTS = frozenset({"pages.login", "pages.sign_in", "pages.picture"})
OWN_MOMENT = frozenset(
    {"pages.profile", "pages.invite_form", "pages.invite", "pages.withdraw", "pages.thread", "pages.send_message"}
)


def create_pages(exchange: NetworkStore, password: str) -> Blueprint:  # noqa: PLR0915 - a list of routes
    pages = Blueprint("pages", __name__)

    @pages.before_request
    def guard() -> BaseResponse | str | None:
        origin = request.headers.get("Origin")
        if request.method == "POST" and origin not in (None, f"http://{request.host}"):
            raise Forbidden("This form belongs to another site.")
        g.session = _session_of(request)
        g.signed_in = exchange.read(lambda network: g.session in network.sessions)
        if request.endpoint in OPEN_ENDPOINTS:
            return None
        if not g.signed_in:
            return away()
        if request.endpoint not in OWN_MOMENT:
            return ended(exchange.handle_request("other_page", session=g.session))
        return None

    @pages.context_processor
    def frame() -> dict[str, Any]:
        now = exchange.read(lambda network: network.now)
        return {"now": now, "virtual_time": format_time(now), "signed_in": g.get("signed_in", False)}

    def away() -> BaseResponse:
        """To the log-in page; what was being sent is recorded as refused."""
        sends: dict[str, tuple[FaultPoint, str]] = {
            "pages.invite": ("invite_send", "note"),
            "pages.send_message": ("message_send", "text"),
            "pages.withdraw": ("withdraw_send", ""),
        }
        if request.endpoint in sends:
            moment, name = sends[request.endpoint]
            exchange.refuse_signed_out(moment, (request.view_args or {})["slug"], typed(name))
        target = request.full_path.rstrip("?") if request.method == "GET" else "/"
        return redirect(url_for("pages.login", next=target), 303)

    def ended(encounter: RequestOutcome) -> BaseResponse | str | None:
        """The answer when a fault decides it, after the wait that one may ask for."""
        if encounter.slow_ms:
            time.sleep(encounter.slow_ms / 1000)
        if encounter.answer == "log_out":
            return redirect(url_for("pages.login"), 303)
        if encounter.answer in ENDED_STATUS:
            return make_response(render_template(f"{encounter.answer}.html"), ENDED_STATUS[encounter.answer])
        return None

    def receive(moment: FaultPoint, slug: str, text: str) -> RequestOutcome:
        """A sending, once it arrives: a fault may hold it back until its sender is long gone."""
        time.sleep(exchange.hold(moment, slug=slug) / 1000)
        return exchange.handle_request(moment, slug=slug, text=text, session=g.session)

    def person_or_404(slug: str) -> PracticePerson:
        return exchange.read(lambda network: network.person(slug)) or abort(404)

    def draw(template: str, encounter: RequestOutcome, person: PracticePerson, **values: Any) -> Response:
        """A page about a person, in the look of the moment, with the notice that waits for it."""
        kind, _, reason = request.cookies.get(NOTICE, "").partition(".")
        role, sentence = NOTICES.get(kind, ("", ""))
        notice = {"role": role, "text": sentence.format(name=person.name), "reason": REFUSALS.get(reason, "")}
        response = make_response(
            render_template(
                f"{LAYOUTS[encounter.look]}/{template}",
                person=person,
                label=LABELS[encounter.look],
                notice=notice if sentence else None,
                **values,
            )
        )
        if kind:
            response.delete_cookie(NOTICE, path=url_for(request.endpoint or "", **(request.view_args or {})))
        return response

    def done(notice: str, reason: str, target: str) -> BaseResponse:
        """Redirect, so that a reload does not send again; a cookie for that one page carries the notice."""
        response = redirect(target, 303)
        response.set_cookie(NOTICE, f"{notice}.{reason}", max_age=60, path=target, httponly=True, samesite="Lax")
        return response

    @pages.get("/login")
    def login() -> str:
        return render_template("login.html", target=_own_page(request.args.get("next", "/")), refused=False)

    @pages.post("/login")
    def sign_in() -> BaseResponse | tuple[str, int]:
        email, target = request.form.get("email", "").strip(), _own_page(request.form.get("next", "/"))
        if not email or not same(request.form.get("password", ""), password):
            return render_template("login.html", target=target, refused=True), 422
        secret = secrets.token_urlsafe(24)
        exchange.record(lambda network: network.login(email, _name_of(secret), network.now))
        response = redirect(target, 303)
        response.set_cookie(COOKIE, secret, httponly=True, samesite="Lax")
        return response

    @pages.post("/logout")
    def sign_out() -> BaseResponse:
        exchange.record(lambda network: network.logout(g.session, network.now))
        response = redirect(url_for("pages.login"), 303)
        response.delete_cookie(COOKIE)
        return response

    @pages.get("/")
    def home() -> str:
        return render_template("home.html", **exchange.read(feed))

    @pages.get("/search")
    def search() -> str:
        query = request.args.get("q", "")[:200]
        matching_cards = exchange.read(lambda network: network.people.search(query))
        last = max(1, -(-len(matching_cards) // PAGE_SIZE))
        page = min(max(request.args.get("page", 1, type=int), 1), last)
        cards = matching_cards[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        rows = exchange.read(
            lambda network: [(card, RELATIONSHIPS[network.relation(card.slug, network.now)]) for card in cards]
        )
        return render_template("search.html", query=query, rows=rows, total=len(matching_cards), page=page, last=last)

    @pages.get("/in/<slug>")
    def profile(slug: str) -> BaseResponse | str:
        person = person_or_404(slug)
        encounter = exchange.handle_request("profile_page", slug=slug, session=g.session)
        return ended(encounter) or draw(
            "profile.html",
            encounter,
            person,
            **exchange.read(
                lambda network: {
                    "relation": network.relation(slug, network.now),
                    "relationship": RELATIONSHIPS[network.relation(slug, network.now)],
                    "since": network.history(slug).connected_since(network.now),
                    "activity": recent_activity(network.people.seed, person, network.now),
                    "updated": last_updated(network.people.seed, person, network.now),
                }
            ),
        )

    @pages.get("/in/<slug>/invite")
    def invite_form(slug: str) -> BaseResponse | str:
        person = person_or_404(slug)
        encounter = exchange.handle_request("invite_page", slug=slug, session=g.session)
        return ended(encounter) or draw("invite.html", encounter, person, limit=NOTE_LIMIT)

    @pages.post("/in/<slug>/invite")
    def invite(slug: str) -> BaseResponse | str:
        encounter = receive("invite_send", slug, typed("note"))
        person_or_404(slug)
        return ended(encounter) or done(
            f"invitation_{encounter.answer}", encounter.reason, url_for("pages.profile", slug=slug)
        )

    @pages.get("/in/<slug>/withdraw")
    def withdraw_form(slug: str) -> str:
        return render_template("withdraw.html", person=person_or_404(slug))

    @pages.post("/in/<slug>/withdraw")
    def withdraw(slug: str) -> BaseResponse | str:
        encounter = receive("withdraw_send", slug, "")
        person_or_404(slug)
        notice = "withdrawn" if encounter.answer == "sent" else "not_withdrawn"
        return ended(encounter) or done(notice, "", url_for("pages.profile", slug=slug))

    @pages.get("/messaging")
    def inbox() -> str:
        rows = exchange.read(
            lambda network: [(network.person(slug), message) for slug, message in network.inbox(network.now)]
        )
        return render_template("inbox.html", rows=rows)

    @pages.get("/messaging/<slug>")
    def thread(slug: str) -> BaseResponse | str:
        person = person_or_404(slug)
        encounter = exchange.handle_request("thread_page", slug=slug, session=g.session)
        return ended(encounter) or draw(
            "thread.html",
            encounter,
            person,
            limit=MESSAGE_LIMIT,
            **exchange.read(
                lambda network: {
                    "messages": network.thread(slug, network.now),
                    "connected": network.relation(slug, network.now) is PracticeRelation.CONNECTED,
                }
            ),
        )

    @pages.post("/messaging/<slug>")
    def send_message(slug: str) -> BaseResponse | str:
        encounter = receive("message_send", slug, typed("text"))
        person_or_404(slug)
        return ended(encounter) or done(
            f"message_{encounter.answer}", encounter.reason, url_for("pages.thread", slug=slug)
        )

    @pages.get("/network/invitations")
    def invitations() -> str:
        return render_template(
            "invitations.html",
            **exchange.read(
                lambda network: {
                    "pending": [(network.person(slug), sent) for slug, sent in network.pending(network.now)],
                    "accepted": [(network.person(slug), at) for slug, at in network.accepted(network.now)],
                }
            ),
        )

    @pages.get("/notifications")
    def notifications() -> str:
        rows = exchange.read(
            lambda network: [(network.person(row.slug), row) for row in network.notifications(network.now)[:100]]
        )
        return render_template("notifications.html", rows=rows)

    @pages.get("/avatar/<slug>.svg")
    def picture(slug: str) -> Response:
        response = Response(avatar(person_or_404(slug)), mimetype="image/svg+xml")
        response.cache_control.max_age = 3600
        return response

    @pages.app_errorhandler(NotFound)
    def not_found(_: NotFound) -> tuple[str, int]:
        return render_template("not_found.html"), 404

    return pages


def typed(name: str) -> str:
    """What was typed into a field, byte for byte; browsers post line ends as CRLF whatever was typed."""
    return request.form.get(name, "").replace("\r\n", "\n").replace("\r", "\n")


def feed(network: Network) -> dict[str, Any]:
    """The home page: recent posts of a few people, others each day, and how the account stands."""
    now, people = network.now, network.people
    day = now // DAY
    size = people.crowd.size
    chosen = {roll(people.seed, "feed", day, number) % size for number in range(3 * FEED_SIZE)} if size else set()
    cards = [*list(people.roster.values())[-FEED_SIZE:], *map(people.crowd.card, sorted(chosen))]
    posts = [(card, post) for card in cards for post in recent_activity(people.seed, card, now)[:1]]
    posts.sort(key=lambda pair: (-pair[1].at, pair[0].slug))
    return {
        "posts": posts[:FEED_SIZE],
        "pending": len(network.pending(now)),
        "accepted": len(network.accepted(now)),
        "latest": [(network.person(row.slug), row) for row in network.notifications(now)[:4]],
    }


PLAIN = {
    "connect": "Connect",
    "pending": "Pending",
    "message": "Message",
    "note": "Add a note (optional)",
    "invite": "Send invitation",
    "cancel": "Cancel",
    "write": "Write a message",
    "send": "Send",
}
CHANGED = {
    "connect": "Link up",
    "pending": "Waiting",
    "message": "Write",
    "note": "A few words of your own",
    "invite": "Off it goes",
    "cancel": "Back",
    "write": "Your words",
    "send": "Post it",
}
LABELS: dict[PageVariant, dict[str, str]] = {"plain": PLAIN, "changed_labels": CHANGED, "changed_layout": PLAIN}

# The folder whose templates draw the page: after a change of layout they have other elements and no labels.
LAYOUTS: dict[PageVariant, str] = {"plain": "plain", "changed_labels": "plain", "changed_layout": "rearranged"}


# Background, shape and letter colours that go together on a light and on a dark page.
TINTS = (
    ("#dfe7dc", "#c6d4c1", "#2f4a38"),
    ("#e9e0d2", "#d8c8b0", "#5a4427"),
    ("#dbe4ea", "#bfd0db", "#27465a"),
    ("#ece0e0", "#dcc5c6", "#6a3238"),
    ("#e3dfeb", "#cfc7de", "#463a6b"),
    ("#e8e6d0", "#d5d1a8", "#4d4a1e"),
    ("#d9e8e6", "#bad5d1", "#1f504b"),
)


def avatar(person: PracticePerson) -> str:
    ground, shape, letters = TINTS[roll("tint", person.slug) % len(TINTS)]
    x = between(8, 88, "x", person.slug)
    y = between(60, 100, "y", person.slug)
    radius = between(30, 54, "radius", person.slug)
    style = 'font-family="ui-sans-serif, system-ui, sans-serif" font-size="34" font-weight="600" letter-spacing="1"'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96">'
        f'<rect width="96" height="96" fill="{ground}"/><circle cx="{x}" cy="{y}" r="{radius}" fill="{shape}"/>'
        f'<text x="48" y="49" text-anchor="middle" dominant-baseline="central" {style} fill="{letters}">'
        f"{escape(person.initials)}</text>"
        "</svg>"
    )


def _name_of(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _session_of(request: Request) -> str:
    secret = request.cookies.get(COOKIE, "")
    return _name_of(secret) if secret else ""


def _own_page(target: str) -> str:
    """The target when it is a path of this site, else the home page: a log-in must not lead elsewhere."""
    parts = urlsplit(target)
    inside = target.startswith("/") and not target.startswith(("//", "/\\")) and not parts.scheme and not parts.netloc
    return target if inside and target.isprintable() else "/"
