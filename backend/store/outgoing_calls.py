"""Whom the workspace's own records allow to be called, and the register of calls; of this machine only, so no events."""

import sqlite3
from collections.abc import Sequence
from urllib.parse import urlsplit

from backend.ports.outgoing import MODEL, SUPABASE_AUTH, SUPABASE_SYNC, Allowed, Register
from backend.store import reading


def listed(connection: sqlite3.Connection) -> list[Allowed]:
    """The hosts of the attached project and of every saved model."""
    rows = connection.execute("SELECT url FROM project").fetchall()
    addresses = [(url, purpose) for (url,) in rows for purpose in (SUPABASE_SYNC, SUPABASE_AUTH)]
    addresses += [(model.base_url, MODEL) for model in reading.model_connections(connection)]
    split = ((urlsplit(url), purpose) for url, purpose in addresses)
    return [Allowed(url.hostname, purpose, near=url.scheme != "https") for url, purpose in split if url.hostname]


def add(connection: sqlite3.Connection, rows: Sequence[Register]) -> None:
    """Count these, too."""
    connection.executemany(
        "INSERT INTO outgoing_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(day, host, purpose) DO UPDATE SET"
        " calls=calls+excluded.calls, failures=failures+excluded.failures, bytes_out=bytes_out+excluded.bytes_out,"
        " bytes_in=bytes_in+excluded.bytes_in, last_at=max(last_at, excluded.last_at)",
        rows,
    )


def totals(connection: sqlite3.Connection, since: int) -> list[Register]:
    """Of each host and purpose since that day; `day` is the first of them."""
    rows = connection.execute(
        "SELECT min(day), host, purpose, sum(calls), sum(failures), sum(bytes_out), sum(bytes_in), max(last_at)"
        " FROM outgoing_calls WHERE day>=? GROUP BY host, purpose ORDER BY sum(calls) DESC, host, purpose",
        (since,),
    )
    return [Register(*row) for row in rows]
