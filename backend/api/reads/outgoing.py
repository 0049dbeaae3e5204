"""What leaves this machine, for the page and the terminal."""

import sqlite3

from backend.api.services import Outgoing
from backend.api.wire.outgoing import OutgoingHost, OutgoingView, RefusedCall
from backend.domain.campaign import DAY
from backend.ports.outgoing import PURPOSES, Purpose, Register
from backend.store import outgoing_calls

DAYS = 30
BROWSER = (
    "The controlled browser is a program of its own. It loads the pages of the site that a campaign is on, as your own browser "
    "would, and there it does what you approved. On the practice network it reaches nothing but this machine."
)
NEVER = [
    "Your passphrase and your recovery code.",
    "A key in clear, but to the provider that it is for.",
    "Evidence: the pictures of what was seen and sent stay in the data folder.",
    "The controlled browser's profile, its cookies and passwords.",
    "Statistics, reports of errors, questions for updates: Outrider has nobody whom it could tell.",
]


def outgoing(connection: sqlite3.Connection, calls: Outgoing, now: int) -> OutgoingView:
    """Every host that may be called or was, with its figures of the last thirty days."""
    allowed = {(one.host, one.purpose.code) for one in calls.listed()}
    figures = outgoing_calls.totals(connection, now - DAYS * DAY)
    idle = allowed - {(one.host, one.purpose) for one in figures}
    figures += [Register(0, host, code, 0, 0, 0, 0, 0) for host, code in sorted(idle)]
    proxy = ", ".join(calls.proxies())
    return OutgoingView(
        hosts=[_host(one, allowed=(one.host, one.purpose) in allowed) for one in figures],
        refused=[RefusedCall(host=one.host, at=one.at, times=one.times) for one in calls.refused()],
        proxy=proxy and f"It goes by the proxy that this machine is set to use ({proxy}).",
        browser=BROWSER,
        never=NEVER,
    )


def _host(one: Register, *, allowed: bool) -> OutgoingHost:
    purpose = PURPOSES.get(one.purpose, Purpose(one.purpose, "Unknown to this version.", "Unknown to this version."))
    return OutgoingHost(
        host=one.host,
        why=purpose.why,
        sends=purpose.sends,
        allowed=allowed,
        calls=one.calls,
        failures=one.failures,
        bytes_out=one.bytes_out,
        bytes_in=one.bytes_in,
        last_at=one.last_at or None,
    )
