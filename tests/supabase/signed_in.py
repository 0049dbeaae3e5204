"""Devices of people who are signed in to a project."""

import http.client
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from backend.adapters.supabase.auth_session import AuthSession
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.shared_store import SupabaseSharedStore
from tests.fakes.outgoing import OpenDoor
from tests.fakes.sealed import OpenFiles
from tests.patience import PATIENCE
from tests.supabase_gateway import Gateway

PASSWORD = "correct horse battery"


@dataclass
class Here:
    """A device's parts of the shared store."""

    project: SupabaseProject
    files: OpenFiles
    door: OpenDoor
    sign_in: AuthSession
    shared_store: SupabaseSharedStore


class Devices:
    """Made for one project, and closed together."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self._made: list[Here] = []

    def fresh(self, url: str = "", *, patience: float = 20.0, files: OpenFiles | None = None) -> Here:
        """Nobody is signed in, unless the device's files say so. `url`: what stands before the project."""
        files, door = files or OpenFiles(), OpenDoor()
        project = SupabaseProject(url or self.gateway.url, self.gateway.key, door, timeout=patience)
        project.allow()
        sign_in = AuthSession(project, files)
        here = Here(project, files, door, sign_in, SupabaseSharedStore(project, sign_in))
        self._made.append(here)
        return here

    def of(self, email: str = "ada@example.test", url: str = "", *, patience: float = 20.0) -> Here:
        """A further device of this user, who gets an account with the first."""
        here = self.fresh(url, patience=patience)
        if email in self.gateway.auth.users:
            here.sign_in.with_password(email, PASSWORD)
        else:
            here.sign_in.sign_up(email, PASSWORD)
        return here

    def close(self) -> None:
        """Hang up."""
        for here in self._made:
            here.project.close()


@contextmanager
def hosted(conninfo: str) -> Iterator[Devices]:
    """A stand-in for a hosted project over this database."""
    gateway = Gateway(conninfo)
    devices = Devices(gateway)
    try:
        yield devices
    finally:
        devices.close()
        gateway.close()


def opened(link: str) -> str:
    """Where a browser is led that opens the link of a mail."""
    address = urlsplit(link)
    with closing(http.client.HTTPConnection(address.netloc, timeout=PATIENCE)) as browser:
        browser.request("GET", f"{address.path}?{address.query}")
        answer = browser.getresponse()
        answer.read()
        assert answer.status == http.client.SEE_OTHER
        return answer.headers["Location"]
