"""Whom the workspace's own records allow to be called, and the register of calls; of this machine only, so no events."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from backend.domain.model.channel import LINKEDIN_ACCOUNT, LINKEDIN_ADDRESS
from backend.ports.egress import LINKEDIN_DRIVE, MODEL, SUPABASE_AUTH, SUPABASE_SYNC, AllowedHost, CallTotals
from backend.store.database import DatabaseConnection
from backend.store.queries.device import models
from backend.store.queries.people import consents


def allowed_hosts(connection: DatabaseConnection) -> list[AllowedHost]:
    """The hosts of the attached project and of every saved model, and LinkedIn while there is consent to act there."""
    rows = connection.execute("SELECT url FROM project").fetchall()
    addresses = [(url, purpose) for (url,) in rows for purpose in (SUPABASE_SYNC, SUPABASE_AUTH)]
    addresses += [(model.base_url, MODEL) for model in models.model_connections(connection)]
    if consents.consent(connection, LINKEDIN_ACCOUNT) is not None:
        addresses.append((LINKEDIN_ADDRESS, LINKEDIN_DRIVE))
    split = ((urlsplit(url), purpose) for url, purpose in addresses)
    return [
        AllowedHost(url.hostname, purpose, local_network_only=url.scheme != "https")
        for url, purpose in split
        if url.hostname
    ]


def add(connection: DatabaseConnection, rows: Sequence[CallTotals]) -> None:
    """Count these, too."""
    connection.executemany(
        "INSERT INTO outgoing_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(day, host, purpose) DO UPDATE SET"
        " calls=calls+excluded.calls, failures=failures+excluded.failures, bytes_out=bytes_out+excluded.bytes_out,"
        " bytes_in=bytes_in+excluded.bytes_in, last_at=max(last_at, excluded.last_at)",
        rows,
    )


def totals(connection: DatabaseConnection, since: int) -> list[CallTotals]:
    """Of each host and purpose since that day; `day` is the first of them."""
    rows = connection.execute(
        "SELECT min(day), host, purpose, sum(calls), sum(failures), sum(bytes_out), sum(bytes_in), max(last_at)"
        " FROM outgoing_calls WHERE day>=? GROUP BY host, purpose ORDER BY sum(calls) DESC, host, purpose",
        (since,),
    )
    return [CallTotals(*row) for row in rows]
