"""What leaves this machine: the list of hosts and the register of calls, for the page and the terminal."""

from backend.api.server.endpoint import Routes
from backend.api.server.services import EgressView, Services
from backend.domain.events.events import WORKSPACE
from backend.domain.model.campaign import DAY
from backend.domain.values.shapes import Shape
from backend.ports.egress import PURPOSES, UPDATES, CallTotals, Purpose, RefusedHost
from backend.store.database import DatabaseConnection
from backend.store.queries.device import egress_log

DAYS = 30

BROWSER = (
    "The controlled browser is a program of its own. It loads the pages of the site that a campaign is on, as your own browser "
    "would, and there it does what you approved. On the practice network it reaches nothing but this machine."
)

NEVER = [
    "Your passphrase and your recovery code.",
    "A key in plain text, except to its own provider.",
    "Evidence: the pictures of what was seen and sent stay in the data folder.",
    "The controlled browser's profile, its cookies and passwords.",
    "Statistics or error reports: Outrider sends none.",
]
NO_UPDATES = "Update checks: Outrider sends none."

routes = Routes("egress", "/outgoing")


class OutgoingHost(Shape):
    """A host that may be called for a purpose; the figures are of the last thirty days, `last_at` None: never called."""

    host: str
    why: str
    sends: str
    allowed: bool
    calls: int
    failures: int
    bytes_out: int
    bytes_in: int
    last_at: int | None


class OutgoingView(Shape):
    """The list, busiest first; `browser` says in words what the controlled browser visits, which is no call of ours.

    `refused` are of this launch, the latest first. `proxy` says by which proxy of the user's all of it goes, "" if by none.
    """

    hosts: list[OutgoingHost]
    refused: list[RefusedHost]
    proxy: str
    browser: str
    never: list[str]


@routes.get()
def view(services: Services) -> OutgoingView:
    """Every host that may be called or was."""
    services.outgoing.write()  # what was called a moment ago is looked for first
    clock = services.commands(WORKSPACE).clock
    return services.database.query(outgoing, services.outgoing, clock.now())


def outgoing(connection: DatabaseConnection, calls: EgressView, now: int) -> OutgoingView:
    """Every host that may be called or was, with its figures of the last thirty days."""
    allowed = {(listed.host, listed.purpose.code) for listed in calls.listed()}
    figures = egress_log.totals(connection, now - DAYS * DAY)
    idle = allowed - {(totals.host, totals.purpose) for totals in figures}
    figures += [CallTotals(0, host, code, 0, 0, 0, 0, 0) for host, code in sorted(idle)]
    proxy = ", ".join(calls.proxies())
    return OutgoingView(
        hosts=[_host(totals, allowed=(totals.host, totals.purpose) in allowed) for totals in figures],
        refused=calls.refused(),
        proxy=proxy and f"It goes by the proxy that this machine is set to use ({proxy}).",
        browser=BROWSER,
        never=NEVER if any(purpose == UPDATES.code for _, purpose in allowed) else [*NEVER, NO_UPDATES],
    )


def _host(totals: CallTotals, *, allowed: bool) -> OutgoingHost:
    purpose = PURPOSES.get(
        totals.purpose, Purpose(totals.purpose, "Unknown to this version.", "Unknown to this version.")
    )
    return OutgoingHost.showing(
        totals, why=purpose.why, sends=purpose.sends, allowed=allowed or purpose.once, last_at=totals.last_at or None
    )
