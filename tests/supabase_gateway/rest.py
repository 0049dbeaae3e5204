"""PostgREST's part: a function of `public` called with named arguments, in a transaction that speaks for whom the token names."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, LifoQueue
from typing import Any, NamedTuple

import jwt
import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader

from tests.supabase_gateway.answer import Answer, told
from tests.supabase_gateway.tokens import ExpiredError, Tokens

STATEMENT_TIMEOUTS = {"anon": "3s", "authenticated": "8s"}
"""What hosted projects give each role."""

# PostgreSQL's code, or how it begins -> status; the longest that fits counts (PostgREST's documentation, "Errors").
_STATUSES = {
    "08": 503,
    "09": 500,
    "0L": 403,
    "0P": 403,
    "23503": 409,
    "23505": 409,
    "25": 500,
    "25006": 405,
    "28": 403,
    "2D": 500,
    "38": 500,
    "39": 500,
    "3B": 500,
    "40": 500,
    "42501": 403,
    "42883": 404,
    "42P01": 404,
    "42P17": 500,
    "53": 503,
    "53400": 500,
    "54": 500,
    "55": 500,
    "57": 500,
    "57P01": 503,
    "58": 500,
    "F0": 500,
    "HV": 500,
    "P0": 500,
    "P0001": 400,
    "XX": 500,
}

_SIGNATURE = """
    select p.prorettype = 'void'::regtype, p.proretset or t.typtype in ('c', 'p') and p.prorettype <> 'void'::regtype,
      array(select jsonb_build_array(name, format_type(type, null), place > p.pronargs - p.pronargdefaults)
            from unnest(p.proargnames[1:p.pronargs], p.proargtypes::oid[]) with ordinality as given (name, type, place)
            order by place), p.provolatile <> 'v'
    from pg_proc p join pg_type t on t.oid = p.prorettype
    where p.pronamespace = 'public'::regnamespace and p.proname = %s
"""
_SPEAK_FOR = """
    select set_config('role', %s, true), set_config('request.jwt.claims', %s, true), set_config('search_path', 'public', true),
      set_config('statement_timeout', %s, true)
"""


class _Raw(Loader):
    """Text as its bytes: nobody here reads the answer."""

    def load(self, data: Buffer) -> bytes:
        return bytes(data)


class _Function(NamedTuple):
    void: bool
    arguments: dict[str, str]
    needed: frozenset[str]
    read_only: bool
    """Of STABLE and IMMUTABLE ones: PostgREST calls them in a transaction that cannot write."""


class Rest:
    """One database, through a few connections that are kept and made anew when it was away."""

    def __init__(self, conninfo: str, tokens: Tokens) -> None:
        self._conninfo = conninfo
        self._tokens = tokens
        self.statement_timeouts = dict(STATEMENT_TIMEOUTS)
        self._idle: LifoQueue[psycopg.Connection[Any]] = LifoQueue()
        self._functions: dict[str, _Function] = {}
        self._lock = threading.Lock()

    def call(self, function: str, body: bytes, bearer: str) -> Answer:
        """Call it once."""
        try:
            claims = self._tokens.read(bearer)
        except ExpiredError:
            return _refused(401, "PGRST303", "JWT expired")
        except jwt.InvalidTokenError:
            return _refused(401, "PGRST301", "No suitable key or wrong key type")
        try:
            arguments = json.loads(body) if body else {}
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return _refused(400, "PGRST102", "Empty or invalid json")
        try:
            with self._connection() as connection:
                return self._called(connection, function, arguments.keys(), body.decode() or "{}", claims)
        except psycopg.Error as error:
            return _in_words(error, signed_in=claims.get("role") == "authenticated")

    def forget_schema(self) -> None:
        """Read the functions anew."""
        self._functions.clear()

    def close(self) -> None:
        """Let go of the connections."""
        try:
            while True:
                self._idle.get_nowait().close()
        except Empty:
            return

    def _called(
        self, connection: psycopg.Connection[Any], name: str, argument_names: Any, body: str, claims: dict[str, Any]
    ) -> Answer:
        function = self._functions.get(name) or self._looked_up(connection, name)
        if function is None or not function.needed <= argument_names <= function.arguments.keys():
            asked = f"public.{name}({', '.join(sorted(argument_names))})" if argument_names else f"public.{name}"
            return _refused(404, "PGRST202", f"Could not find the function {asked} in the schema cache")
        columns = ", ".join(f'"{argument}" {function.arguments[argument]}' for argument in argument_names)
        named = ", ".join(f'"{argument}" := given."{argument}"' for argument in argument_names)
        source = f" from json_to_record(%s::json) as given ({columns})" if argument_names else ""
        result = "null" if function.void else "to_json"
        role = claims.get("role", "anon")
        speak_for = (role, json.dumps(claims), self.statement_timeouts[role])
        with connection.transaction():
            if function.read_only:
                connection.execute("set transaction read only")
            connection.execute(_SPEAK_FOR, speak_for)
            call = f'select {result}(public."{name}"({named}))::text{source}'
            if function.void:
                call = f'select public."{name}"({named})::text{source}'
            row = connection.execute(call, (body,) if argument_names else ()).fetchone()
        return Answer(204) if function.void else Answer(200, (row and row[0]) or b"null")

    def _looked_up(self, connection: psycopg.Connection[Any], name: str) -> _Function | None:
        rows = connection.execute(_SIGNATURE, (name,)).fetchall()
        if not rows:
            return None
        ((void, several, arguments, read_only),) = rows
        if several:
            raise NotImplementedError(f"{name} returns rows; only single values are spoken here")
        new_function = _Function(
            void,
            {argument: kind for argument, kind, _ in arguments},
            frozenset(argument for argument, _, optional in arguments if not optional),
            read_only,
        )
        self._functions[name] = new_function
        return new_function

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            connection = self._idle.get_nowait()
            if connection.closed:
                connection = self._connected()
        except Empty:
            connection = self._connected()
        try:
            yield connection
        finally:
            if connection.closed or connection.broken:
                connection.close()
            else:
                self._idle.put(connection)

    def _connected(self) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] = psycopg.connect(self._conninfo, autocommit=True, connect_timeout=5)
        connection.adapters.register_loader("text", _Raw)
        return connection


def _in_words(error: psycopg.Error, *, signed_in: bool) -> Answer:
    code = error.sqlstate
    if code is None:
        return _refused(503, "PGRST000", "Database connection error. Retrying the connection.")
    message = error.diag.message_primary or ""
    if code.startswith("PT") and code[2:].isdecimal():
        answer = _refused(int(code[2:]), code, message, error.diag.message_detail, error.diag.message_hint)
        return answer._replace(reason=message.splitlines()[0] if message else None)
    begins = (code[:length] for length in (5, 2))
    status = next((_STATUSES[begin] for begin in begins if begin in _STATUSES), 400)
    if code == "42501" and not signed_in:
        status = 401
    return _refused(status, code, message, error.diag.message_detail, error.diag.message_hint)


def _refused(status: int, code: str, message: str, details: str | None = None, hint: str | None = None) -> Answer:
    challenge = (("WWW-Authenticate", "Bearer"),) if status == 401 else ()
    return told(status, {"code": code, "details": details, "hint": hint, "message": message}, *challenge)
