"""One of two devices of a user: it acts whenever it may, until the campaign is completed, or it is killed.

`python -m tests.runtime.sync.racer FOLDER NAME URL KEY SITE_PORT CAMPAIGN [eager [MOMENT]]`: eager, it takes over whenever it
may not act; at that moment of its first act it stops itself, as a machine that sleeps does, until it is told to go on.
Its lease is short, so that a race is.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

from backend.adapters.clocks import RehearsalClock, SystemClock
from backend.adapters.files.content_files import BlobStore
from backend.adapters.ids import SystemIds
from backend.adapters.llm.scripted import ScriptedProposer
from backend.adapters.supabase.account import SupabaseAccount
from backend.commands.review import AUTO_APPROVE
from backend.commands.user_commands import Commands
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.message import Message
from backend.domain.values.errors import OutriderError
from backend.ports.site import SiteUnavailable
from backend.runtime.run.campaign_runner import CampaignRunner
from backend.runtime.sync import engine, handover
from backend.runtime.sync.engine import PollTimes, SyncEngine
from backend.runtime.sync.lease import LeaseTimes, ThisDevice
from backend.runtime.worker import Workers
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaigns
from backend.store.replication import replica
from backend.turn.gateway import ToolGateway
from backend.turn.loop import TurnCallbacks, TurnLoop
from backend.turn.presence import Presence
from backend.turn.turn_queue import TurnQueue
from tests import posix
from tests.fakes.campaign import MONDAY_NOON
from tests.fakes.outgoing import nobody_else

TIMES = LeaseTimes(act=0.8, arrive=0.2, renew=0.4)
AUTH = b"the race"


class FolderFiles:
    """A device's sealed files, open: what is sealed is tested elsewhere."""

    is_open = True

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
    address = "https://practice.test"
    settle_seconds = 0.05

    def __init__(self, port: int, device: str, at: Callable[[str], None]) -> None:
        self._at = at
        self._line = Client(("127.0.0.1", port), authkey=AUTH)
        self._device = device

    def __getattr__(self, tool: str) -> Any:
        def call(*arguments: Any) -> Any:
            *values, check = arguments if tool.startswith("send_") else (*arguments, None)
            if check is not None:
                for moment in ("click", "bytes"):
                    self._at(moment)
                    check()
            self._line.send((self._device, tool, tuple(values)))
            answer = self._line.recv()
            if isinstance(answer, Exception):
                raise answer if isinstance(answer, SiteUnavailable) else SiteUnavailable(str(answer))
            return answer

        return call


class Racer:
    """A data folder with a project attached."""

    def __init__(self, folder: Path, name: str, url: str, key: str, workers: Workers | None = None) -> None:
        self.folder, self.name = folder, name
        self.database = Database(folder / "outrider.db")
        self.journal = Journal(self.database, SystemIds())
        self.account = SupabaseAccount(url, key, nobody_else(), FolderFiles(folder))
        self.account.project.allow()
        self.turn_queue = TurnQueue()
        self.device = ThisDevice(f"dev-{name}", name, SystemIds().new())
        self.wanted: list[str] = []
        self.runner: CampaignRunner | None = None
        self.asked_by = ""
        self.stop_at = ""
        self.engine = SyncEngine(
            self.journal,
            BlobStore(folder / "artifacts"),
            self.device,
            SystemClock(),
            shared_store=self.account.shared_store,
            turn=self.turn_queue.turn,
            chance=lambda: 0.1,
            on_change=lambda _: self._wake(),
            on_wanted=self._hand_over,
            workers=workers,
            times=TIMES,
            polls=PollTimes(used=0.5),
        )

    def attach(self) -> None:
        who = self.account.sign_in.saved_session()
        assert who is not None
        project = replica.AttachedProject(who.url, "key", who.user_id, who.email, *self.device[:2], 1)
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
            self.asked_by = device
            self.runner.stop.set()
            self.runner.wake.set()

    def at(self, moment: str) -> None:
        """Here the whole process is stopped, once, until somebody lets it go on."""
        if moment == self.stop_at:
            self.stop_at = ""
            posix.stop(os.getpid())

    def has_completed(self, campaign_id: str) -> bool:
        """Whether the campaign is done, by whichever device."""
        campaign = self.database.query(campaigns.campaign, campaign_id)
        return campaign is not None and campaign.status is CampaignStatus.COMPLETED

    def run(self, campaign_id: str, port: int) -> str:
        """One run, while it lasts."""
        began = time.time_ns() // 1_000_000
        clock = RehearsalClock(MONDAY_NOON - began, lambda *_: None)
        gateway = ToolGateway(DistantSite(port, self.device.id, self.at), clock.ticks)
        auto = Commands(self.journal, clock, AUTO_APPROVE)

        def approve(_: str, drafts: list[Message]) -> bool:
            for draft in drafts:
                auto.review.approve(campaign_id, draft.id, shown_digest=auto.review.digest(campaign_id, draft.id))
            return True

        stop = threading.Event()
        loop = TurnLoop(
            self.journal,
            ScriptedProposer(),
            gateway,
            clock,
            Presence(attended=True),
            callbacks=TurnCallbacks(stopped=stop.is_set, boundary=self.at),
            turn_queue=self.turn_queue,
            sync_status=self.engine,
        )
        self.asked_by = ""
        self.runner = CampaignRunner(loop, stop=stop, on_drafts=approve, handed_over_to=lambda: self.asked_by)
        return self.runner.run(campaign_id).halt


def say(line: object) -> None:
    """A whole line at once: `print` writes its end by itself, and another thread's line may come between."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def hurry() -> None:
    """Short terms, in this process."""
    engine.LEASE_RETRY_SECONDS = 0.4
    handover.HANDOVER_PAUSE_SECONDS = 0.5


def compete(racer: Racer, campaign_id: str, port: int, *, eager: bool = False) -> None:
    """Act whenever it may, until the campaign is completed; `eager` asks for it."""
    ended = ""
    while ended != "completed":
        try:
            with racer.engine.hold_lease():
                say("acting")
                ended = racer.run(campaign_id, port)
        except OutriderError as error:
            if error.code == "campaign_not_active" and racer.has_completed(campaign_id):
                break
            say(error.code)
            time.sleep(1.0 if eager else 0.1)
            if eager:
                racer.engine.take_over()


def main(
    folder: str, name: str, url: str, key: str, port: str, campaign_id: str, eager: str = "", stop_at: str = ""
) -> None:
    hurry()
    racer = Racer(Path(folder), name, url, key)
    racer.stop_at = stop_at
    racer.engine.open()
    say("ready")
    compete(racer, campaign_id, int(port), eager=bool(eager))
    racer.close()
    say("completed")


if __name__ == "__main__":
    main(*sys.argv[1:])
