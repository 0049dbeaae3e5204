"""The project that is measured against: one that runs already, or a stand-in on this machine, started from a checkout."""

import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import typer

from backend.adapters.supabase.auth_session import AuthSession
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.shared_store import SupabaseSharedStore
from backend.app.wiring import Workspace

CHECKOUT = Path(__file__).parents[2]


class ProjectServer(NamedTuple):
    """Where the project is, and its PostgreSQL ("" if that cannot be reached; then nothing is compared with it)."""

    url: str
    key: str
    postgres: str


class Member(NamedTuple):
    """A new account of the project, signed in."""

    user_id: str
    project: SupabaseProject
    sign_in: AuthSession
    shared_store: SupabaseSharedStore


class MemoryFiles:
    """The session, in memory."""

    is_open = True

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}

    def read(self, name: str) -> bytes | None:
        """What was kept."""
        return self._files.get(name)

    def write(self, name: str, content: bytes) -> None:
        """Keep it."""
        self._files[name] = content

    def remove(self, name: str) -> None:
        """Keep it no more."""
        self._files.pop(name, None)

    def where(self) -> str:
        """For people."""
        return "in memory"


def signed_in(stand: ProjectServer, workspace: Workspace) -> Member:
    """A new account, so that nothing is there yet; the project must not ask for an answer to a mail."""
    project = SupabaseProject(stand.url, stand.key, workspace.outgoing)
    project.allow()
    sign_in = AuthSession(project, MemoryFiles())
    person = sign_in.sign_up(f"bench-{secrets.token_hex(6)}@bench.example", secrets.token_urlsafe())
    if person is None:
        raise typer.BadParameter(
            "the project wants new accounts to answer a mail first; switch that off", param_hint="--url"
        )
    return Member(person.user_id, project, sign_in, SupabaseSharedStore(project, sign_in))


@contextmanager
def running_project(project: ProjectServer) -> Iterator[ProjectServer]:
    """The project that was named, or one of this checkout's own until left."""
    if project.url:
        yield project
        return
    if not (CHECKOUT / "tests" / "supabase_gateway").is_dir():
        raise typer.BadParameter("outside of a checkout, name a project that may be written to", param_hint="--url")
    command = [sys.executable, "-m", "tests.supabase_gateway"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=CHECKOUT)
    try:
        yield ProjectServer(*(_said(process, name) for name in ("Project URL", "Public key", "PostgreSQL")))
    finally:
        process.terminate()
        process.communicate()


def _said(process: "subprocess.Popen[str]", name: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if match := re.match(rf"{name}\s+(\S+)", line):
            return match[1]
    raise RuntimeError("the stand-in did not start")
