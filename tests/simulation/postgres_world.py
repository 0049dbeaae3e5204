"""A world beside whose shared store in memory a real project is kept: our client, the stand-in for a hosted one, PostgreSQL.

Every call goes to both, at the same simulated time, and both must answer the same. In the end the project's tables and logs
must be the device's, row for row.
"""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import Lease, SharedStoreConflictError, SharedStoreRefusedError
from tests.fakes.shared_store import FakeSharedStore
from tests.postgres import ADMIN, Project, Server
from tests.simulation.oracle import Violation
from tests.simulation.world import Plan, World
from tests.supabase.signed_in import hosted
from tests.supabase.tenant import ROWS, local_rows, remote_rows, signed_in

EMAIL = "ada@example.test"
CANNOT_BE_PUT_BACK = frozenset({"older store"})
"""A project that is put back from a backup is another database; here there is one a world."""
SIMULATED_TIME = """
    create table outrider.simulated_time (at timestamptz not null);
    grant select on outrider.simulated_time to public;
    insert into outrider.simulated_time values ('epoch');
    create or replace function outrider.now() returns timestamptz language sql volatile set search_path = ''
        as $$ select at from outrider.simulated_time $$;
"""
SET_TIME = "update outrider.simulated_time set at = 'epoch'::timestamptz + %s * interval '1 microsecond'"


class PostgresWorld(World):
    """As any world; what its devices are answered is what the store in memory says, once the project said the same."""

    def __init__(self, plan: Plan, folder: Path, server: Server) -> None:
        super().__init__(plan, folder)
        self.calls = 0
        with ExitStack() as opened:
            self._postgres = Project(server, opened.enter_context(server.database()))
            server.run(self._postgres.database, SIMULATED_TIME)
            self._admin = opened.enter_context(psycopg.connect(self._postgres.url(ADMIN), autocommit=True))
            self._devices = opened.enter_context(hosted(self._postgres.url("authenticator")))
            self._store = self._devices.of(EMAIL).shared_store
            self._opened = opened.pop_all()

    def choose_kinds(self) -> frozenset[str]:
        return super().choose_kinds() - CANNOT_BE_PUT_BACK

    def shared_store(self) -> Any:
        return _Both(self, super().shared_store())

    def ask_project(self, name: str, *arguments: Any, **keywords: Any) -> Any:
        """One call of the project at the simulated time."""
        self.calls += 1
        self._admin.execute(SET_TIME, (self.hub.now,))
        return getattr(self._store, name)(*arguments, **keywords)

    def check_stores(self) -> None:
        super().check_stores()
        user = UUID(self._devices.gateway.auth.users[EMAIL].id)
        with signed_in(self._postgres, user) as tenant, self.devices[0].launch.database.read() as local:
            for table in (*ROWS, "event_log", "audit_log") if self.shared else ():
                if remote_rows(tenant, table) != local_rows(local, table):
                    raise Violation(f"the project has other {table} than {self.devices[0].name}")

    def close(self) -> None:
        super().close()
        self._opened.close()


class _Both:
    """One user's view of both."""

    def __init__(self, world: PostgresWorld, memory: FakeSharedStore) -> None:
        self._world, self._memory = world, memory

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **keywords: Any) -> Any:
            expected = _answered(partial(getattr(self._memory, name), *arguments, **keywords))
            actual = _answered(partial(self._world.ask_project, name, *arguments, **keywords))
            if not _agree(name, expected, actual):
                self._world.judge_broken(
                    f"{name}: the project answers {actual!r}, and the store in memory {expected!r}"
                )
            if isinstance(expected, Exception):
                raise expected
            return expected

        return call


def _answered(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (OutriderError, SharedStoreConflictError, SharedStoreRefusedError) as refused:
        return refused


def _agree(name: str, expected: Any, actual: Any) -> bool:
    """Whether both said the same; the project keeps fewer signatures, and counts a lease's time in microseconds."""
    if isinstance(expected, Exception) or isinstance(actual, Exception):
        codes = [getattr(error, "code", "") for error in (expected, actual)]
        return type(expected) is type(actual) and codes[0] == codes[1]
    if name == "pull_signatures":
        return set(actual) <= set(expected)
    if isinstance(expected, Lease):
        return bool(
            abs(expected.seconds - actual.seconds) < 1e-4 and expected._replace(seconds=actual.seconds) == actual
        )
    if isinstance(expected, list | tuple) and not hasattr(expected, "_fields"):
        return list(expected) == list(actual)
    return bool(expected == actual)
