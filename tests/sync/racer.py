"""One of two devices of a user: it acts whenever it may, until the campaign is completed, or it is killed.

`python -m tests.sync.racer FOLDER NAME URL KEY SITE_PORT CAMPAIGN [eager]`: eager, it takes over whenever it may not act.
Its lease is short, so that a race is.
"""

import sys
import time
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

from backend.clocks import RehearsalClock, SystemClock
from backend.controller.commands import AUTO_APPROVE, Commands
from backend.controller.loop import TurnLoop
from backend.controller.presence import Presence
from backend.controller.runner import Runner
from backend.controller.tool_gateway import ToolGateway
from backend.controller.turnstile import Turnstile
from backend.domain.errors import OutriderError
from backend.domain.message import Message
from backend.identity import SystemIds
from backend.llm.scripted import ScriptedProposer
from backend.ports.site import SiteUnavailable
from backend.store import replica
from backend.store.database import Database
from backend.store.journal import Journal
from backend.supabase.account import Account
from backend.sync import engine as engines
from backend.sync import tenure
from backend.sync.engine import Engine
from backend.sync.tenure import Device
from backend.tools.blobs import BlobStore
from tests.fakes.campaign import MONDAY_NOON
from tests.fakes.outgoing import nobody_else

TERM, ACT = 3.0, 1.0
AUTH = b"the race"


class FolderFiles:
    """A device's sealed files, open: what is sealed is tested elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> bytes | None:
        file = self._folder / name
        return file.read_bytes() if file.exists() else None

    def write(self, name: str, content: bytes) -> None:
        unfinished = self._folder / f"{name}.new"
        unfinished.write_bytes(content)
        unfinished.replace(self._folder / name)

    def remove(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def where(self) -> str:
        return "a folder"


class DistantSite:
    """The one practice account, in the process that judges the race; each call says which device makes it."""

    name = "practice"

    def __init__(self, port: int, device: str) -> None:
        self._line = Client(("127.0.0.1", port), authkey=AUTH)
        self._device = device

    def __getattr__(self, tool: str) -> Any:
        def call(*given: Any) -> Any:
            self._line.send((self._device, tool, given))
            answer = self._line.recv()
            if isinstance(answer, Exception):
                raise answer if isinstance(answer, SiteUnavailable) else SiteUnavailable(str(answer))
            return answer

        return call


class Racer:
    """A data folder with a project attached."""

    def __init__(self, folder: Path, name: str, url: str, key: str) -> None:
        self.folder, self.name = folder, name
        self.database = Database(folder / "outrider.db")
        self.journal = Journal(self.database, SystemIds())
        self.account = Account(url, key, nobody_else(), FolderFiles(folder))
        self.account.project.allow()
        self.turnstile = Turnstile()
        self.device = Device(f"dev-{name}", name)
        self.wanted: list[str] = []
        self.runner: Runner | None = None
        self.engine = Engine(
            self.journal,
            BlobStore(folder / "artifacts"),
            self.device,
            SystemClock(),
            connect=lambda: self.account.authority,
            turn=self.turnstile.turn,
            chance=lambda: 0.1,
            on_change=lambda _: self._wake(),
            on_wanted=self._hand_over,
        )

    def attach(self) -> None:
        who = self.account.sign_in.who()
        assert who is not None
        project = replica.Project(who.url, "key", who.user_id, who.email, *self.device, 1)
        with self.journal.transaction() as transaction:
            replica.attach(transaction, project)

    def close(self) -> None:
        self.engine.close(10.0)
        self.account.project.close()
        self.database.close()

    def _wake(self) -> None:
        if self.runner is not None:
            self.runner.wake.set()

    def _hand_over(self, device: str) -> None:
        self.wanted.append(device)
        if self.runner is not None:
            self.runner.handed_to = lambda: device
            self.runner.stop.set()
            self.runner.wake.set()

    def run(self, campaign_id: str, port: int) -> str:
        """One run, while it lasts."""
        began = time.time_ns() // 1_000_000
        clock = RehearsalClock(MONDAY_NOON - began, lambda *_: None)
        gateway = ToolGateway(DistantSite(port, self.device.id), 0.05, time.sleep, clock.ticks)
        auto = Commands(self.journal, clock, AUTO_APPROVE)

        def approve(_: str, drafts: list[Message]) -> bool:
            for draft in drafts:
                auto.approve(campaign_id, draft.id, shown_digest=auto.digest(campaign_id, draft.id))
            return True

        loop = TurnLoop(
            self.journal,
            ScriptedProposer(),
            gateway,
            clock,
            Presence(attended=True),
            turnstile=self.turnstile,
            standing=self.engine,
        )
        self.runner = Runner(loop, on_drafts=approve)
        return self.runner.run(campaign_id).halt


def hurry() -> None:
    """Short terms, in this process."""
    quick = {
        "ACT_SECONDS": ACT,
        "RENEW_SECONDS": 0.4,
        "ASK_AGAIN_SECONDS": 0.4,
        "USED_SECONDS": 0.5,
        "YIELD_SECONDS": 0.5,
    }
    for setting, seconds in quick.items():
        setattr(engines, setting, seconds)
    tenure.TERM_SECONDS = TERM


def compete(racer: Racer, campaign_id: str, port: int, *, eager: bool = False) -> None:
    """Act whenever it may, until the campaign is completed; `eager` asks for it."""
    ended = ""
    while ended != "completed":
        try:
            with racer.engine.acting():
                print("acting", flush=True)
                ended = racer.run(campaign_id, port)
        except OutriderError as error:
            if error.code == "campaign_not_active" and "completed" in error.sentence:
                break
            print(error.code, flush=True)
            time.sleep(1.0 if eager else 0.1)
            if eager:
                racer.engine.take_over()


def main(folder: str, name: str, url: str, key: str, port: str, campaign_id: str, eager: str = "") -> None:
    hurry()
    racer = Racer(Path(folder), name, url, key)
    racer.engine.open()
    print("ready", flush=True)
    compete(racer, campaign_id, int(port), eager=bool(eager))
    racer.close()
    print("completed", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
