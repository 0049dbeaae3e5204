"""A signed-in user's session, as the gateway of a hosted project opens one: role and claims, nothing else."""

import json
import sqlite3
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from backend.domain.events.events import EVENT_KINDS, TABLES, WORKSPACE, Event
from backend.domain.values.canonical_json import canonical
from backend.store.log.chain import GENESIS, entry_hash, payload_digest
from tests.fakes.clock import START
from tests.postgres import Project
from tests.store.opening import CAMPAIGN, columns_of

Entries = list[dict[str, Any]]
"""Events or audit entries as `append_events` takes them."""

ROWS = sorted({*TABLES.values(), "execution_state", "log_heads"})
"""The tables that a device and the project hold alike, beside the logs."""

_EVENTS = "seq, timestamp, kind, entity_type, entity_id, change_payload, actor, cause, salt, payload_digest, hash"
_AUDITS = "seq, timestamp, action_type, payload, actor, cause, salt, payload_digest, hash"


class Tenant:
    """One connection of one user; `call` is what PostgREST does for a function."""

    def __init__(self, connection: psycopg.Connection[Any], user: UUID | None) -> None:
        self.connection = connection
        self.user = user

    def call(self, function: str, **arguments: Any) -> Any:
        """A function's answer; each call is a transaction of its own. Lists become JSON."""
        names = sql.SQL(", ").join(
            sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in arguments
        )
        values = {name: json.dumps(value) if isinstance(value, list) else value for name, value in arguments.items()}
        query = sql.SQL("select public.{}({})").format(sql.Identifier(function), names)
        row = self.connection.execute(query, values).fetchone()
        assert row is not None
        return row[0]

    def rows(self, table: str, columns: str = "*") -> list[tuple[Any, ...]]:
        """What this user sees of a table, in an order of its own."""
        return sorted(self.connection.execute(f"select {columns} from public.{table}".encode()), key=repr)


@contextmanager
def signed_in(project: Project, user: UUID | None, role: str = "authenticated") -> Iterator[Tenant]:
    """A session of this user; of nobody with role `anon`."""
    session = {"sub": str(user), "session_id": str(uuid4())} if user else {}
    claims = json.dumps({**session, "role": role})
    with psycopg.connect(project.url("authenticator"), autocommit=True) as connection:
        connection.execute("select set_config('request.jwt.claims', %s, false)", (claims,))
        connection.execute(sql.SQL("set role {}").format(sql.Identifier(role)))
        yield Tenant(connection, user)


def _text(value: bytes | None) -> str | None:
    return None if value is None else b64encode(value).decode()


def events_of(local: sqlite3.Connection, stream: str, after: int = 0, most: int = 2**31) -> Entries:
    """A stream's events as they are pushed."""
    rows = local.execute(
        f"SELECT {_EVENTS} FROM event_log WHERE campaign_id=? AND seq>? ORDER BY seq LIMIT ?", (stream, after, most)
    )
    names = (*_EVENTS.replace("change_payload", "payload").replace("payload_digest", "digest").split(", "),)
    return [dict(zip(names, (*row[:8], *map(_text, row[8:])), strict=True)) for row in rows]


def audits_of(local: sqlite3.Connection, stream: str, after: int = 0, most: int = 2**31) -> Entries:
    """A stream's audit entries as they are pushed."""
    rows = local.execute(
        f"SELECT {_AUDITS} FROM audit_log WHERE campaign_id=? AND seq>? ORDER BY seq LIMIT ?", (stream, after, most)
    )
    names = (*_AUDITS.replace("payload_digest", "digest").split(", "),)
    return [dict(zip(names, (*row[:6], *map(_text, row[6:])), strict=True)) for row in rows]


def streams_of(local: sqlite3.Connection) -> list[str]:
    """Every stream that is begun, the workspace's first."""
    names = [name for (name,) in local.execute("SELECT campaign_id FROM log_heads ORDER BY campaign_id")]
    return sorted(names, key=lambda name: name != WORKSPACE)


def local_rows(local: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    """A table's rows on a device, without the column that is the project's own."""
    return sorted(local.execute(f"SELECT {_shared(table)} FROM {table}"), key=repr)


def remote_rows(tenant: Tenant, table: str) -> list[tuple[Any, ...]]:
    """The same rows in the project."""
    return tenant.rows(table, _shared(table))


def push(tenant: Tenant, local: sqlite3.Connection, most: int = 500, fence: int = 0) -> None:
    """All of a device's logs, stream by stream, in batches of at most so many entries of each log."""
    for stream in streams_of(local):
        events, audits, seq, audit_seq = events_of(local, stream), audits_of(local, stream), 0, 0
        while seq < len(events) or audit_seq < len(audits):
            more, more_audits = events[seq : seq + most], audits[audit_seq : audit_seq + most]
            append(tenant, stream, seq, more, fence=fence, expected_audit_seq=audit_seq, audits=more_audits)
            seq, audit_seq = seq + len(more), audit_seq + len(more_audits)


def append(
    tenant: Tenant,
    stream: str,
    expected: int,
    events: Entries,
    *,
    fence: int = 0,
    device: str = "device-1",
    **more: Any,
) -> dict[str, int]:
    """One call of `append_events`."""
    arguments = {
        "device_id": device,
        "campaign": stream,
        "expected_seq": expected,
        "fence": fence,
        "events": events,
        **more,
    }
    answer: dict[str, int] = tenant.call("append_events", **arguments)
    return answer


def lease(
    tenant: Tenant, device: str = "device-1", seconds: float = 60.0, *, take_over: bool = False
) -> dict[str, Any]:
    """One call of `acquire_lease`; a device's name is its id in capitals, and it has been launched once."""
    arguments = {
        "device_id": device,
        "device_name": device.upper(),
        "holder": f"launch of {device}",
        "seconds": seconds,
        "take_over": take_over,
    }
    answer: dict[str, Any] = tenant.call("acquire_lease", **arguments)
    return answer


@contextmanager
def refused(code: str, message: str, detail: str = "") -> Iterator[None]:
    """The block ends with this error, whose code is the status that PostgREST answers."""
    with pytest.raises(psycopg.Error) as caught:
        yield
    assert (caught.value.sqlstate, caught.value.diag.message_primary) == (code, message)
    assert detail in (caught.value.diag.message_detail or "")


def chained(last: dict[str, Any] | None, *events: Event, stream: str = CAMPAIGN) -> Entries:
    """Entries that follow `last` by their hashes, whatever they say."""
    previous, seq, made = b64decode(last["hash"]) if last else GENESIS, last["seq"] if last else 0, []
    for event in events:
        seq += 1
        salt, payload = seq.to_bytes(16, "big"), canonical(event.changes)
        entity = EVENT_KINDS[event.kind].entity if event.kind in EVENT_KINDS else "lead"
        meta = (seq, START, event.kind, entity, event.entity_id)
        previous = entry_hash(previous, payload_digest(salt, payload), stream, *meta, "test", "a test")
        names = ("seq", "timestamp", "kind", "entity_type", "entity_id")
        rest = {"payload": payload, "actor": "test", "cause": "a test", "digest": None}
        made.append(
            {
                **dict(zip(names, meta, strict=True)),
                **rest,
                "salt": b64encode(salt).decode(),
                "hash": b64encode(previous).decode(),
            }
        )
    return made


def _shared(table: str) -> str:
    return ", ".join(column.name for column in columns_of(table) if column.name != "user_id")


def rows_read(admin: psycopg.Connection) -> Counter[str]:
    """How many rows of each table this session has looked at and not yet reported."""
    counts = admin.execute(
        "select relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables"
        " where schemaname in ('public', 'outrider')"
    )
    return Counter({table: int(count) for table, count in counts})
