"""Two devices at once, for real: two processes, one project on PostgreSQL, one account on one practice network.

The network is the witness, and asks the project at each send who holds the lease: whoever is killed, and whenever, each message
arrives once, and never from a device that may not act.
"""

import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from backend.store.log import replay, verification
from tests import posix
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.site import direct_site
from tests.patience import PATIENCE
from tests.postgres import ADMIN, Project
from tests.runtime.sync.racer import AUTH, Racer
from tests.supabase.signed_in import PASSWORD
from tests.supabase.tenant import ROWS, local_rows, remote_rows, signed_in
from tests.supabase_gateway import Gateway

LEADS = 8

HISTORY = """
create table outrider.history (at timestamptz not null, fence bigint not null, device text not null, expires timestamptz not null);
create function outrider.note() returns trigger language plpgsql security definer set search_path = '' as $$
begin insert into outrider.history values (clock_timestamp(), new.fence, new.device_id, new.expires_at); return new; end $$;
create trigger noted after insert or update on outrider.leases for each row execute function outrider.note();
"""


class Witness:
    """The practice network's process: every device's browser ends up here."""

    def __init__(self, exchange: Any, url: str) -> None:
        self.exchange, self.url = exchange, url
        self.sends: list[tuple[str, str]] = []  # who sent something, and who held the lease then
        self.under_way = 0.02
        self._listener = Listener(("127.0.0.1", 0), authkey=AUTH)
        self.port: int = self._listener.address[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                line = self._listener.accept()
            except EOFError:  # a racer was killed while it said who it is
                continue
            except OSError:
                return
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: Connection) -> None:
        site = direct_site(self.exchange)
        try:
            while True:
                device, tool, arguments = line.recv()
                line.send(self._answer(site, device, tool, arguments))
        except (EOFError, OSError):
            return  # a request that came is carried out, whatever became of whoever made it

    def _answer(self, site: Any, device: str, tool: str, arguments: tuple[Any, ...]) -> Any:
        try:
            if tool.startswith("send_"):
                self.sends.append((device, self._holder()))
                time.sleep(self.under_way)
            return getattr(site, tool)(*arguments)
        except Exception as error:  # noqa: BLE001 - answered
            return error

    def _holder(self) -> str:
        with psycopg.connect(self.url, autocommit=True) as connection:
            row = connection.execute("select device_id from outrider.leases where expires_at > clock_timestamp()")
            return str((row.fetchone() or ("nobody",))[0])


class Race:
    """Two devices and all that is between them; they reach the project at `url`."""

    def __init__(self, folder: Path, project: Project, gateway: Gateway, url: str, leads: int = LEADS) -> None:
        self.eager = False
        with psycopg.connect(project.url(ADMIN), autocommit=True) as connection:
            connection.execute(HISTORY)
        self.project, self.gateway, self.url, self.leads = project, gateway, url, leads
        stage = Stage(folder)
        self.exchange, cards = stage.exchange, stage
        self.witness = Witness(self.exchange, project.url(ADMIN))
        self.campaign_id = cards.campaign(leads, settings=ONE_STEP)
        stage.close()
        self.folders: dict[str, Path] = {"Desk": folder, "Laptop": folder / "laptop"}
        self.folders["Laptop"].mkdir()
        for name in self.folders:
            racer = self.opened(name)
            enter = racer.account.sign_in.with_password if name == "Laptop" else racer.account.sign_in.sign_up
            enter("ada@example.test", PASSWORD)
            racer.attach()
            racer.engine.run_round()
            racer.close()

    def opened(self, name: str) -> Racer:
        """That device, in this process, at rest."""
        return Racer(self.folders[name], name, self.url, self.gateway.key)

    def start(self, name: str, stop_at: str = "") -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "tests.runtime.sync.racer", str(self.folders[name]), name, self.url]
        command += [self.gateway.key, str(self.witness.port), self.campaign_id]
        command += ["eager" if self.eager else "", stop_at]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, chance: random.Random, kills: int) -> None:
        """Both at once; either is killed at random and comes back, until both have seen the campaign completed."""
        devices = {name: self.start(name) for name in self.folders}
        for _ in range(kills):
            time.sleep(chance.uniform(0.2, 2.5))  # the moment of the kill is the experiment here, not a way of waiting
            name = chance.choice(list(devices))
            devices[name].kill()
            devices[name].communicate()
            devices[name] = self.start(name)
        for name, device in devices.items():
            out, err = device.communicate(timeout=PATIENCE)
            assert device.returncode == 0, f"{name}: {out[-500:]} {err[-3000:]}"

    def judge(self) -> None:
        """Of what was sent, and of what both devices and the project hold."""
        self.judge_sends()
        self.judge_stores()

    def judge_sends(self) -> None:
        """Each message once; only who held the lease sent anything; nobody had it before the one before was out."""
        delivered = [
            entry
            for entry in self.exchange.entries()
            if entry.kind == "invitation" and entry.disposition == "delivered"
        ]
        assert len(delivered) == self.leads
        assert max(Counter(entry.to for entry in delivered).values()) == 1
        assert [(device, holder) for device, holder in self.witness.sends if device != holder] == []
        with psycopg.connect(self.project.url(ADMIN), autocommit=True) as connection:
            history = connection.execute(
                "select at, fence, device, expires from outrider.history order by at"
            ).fetchall()
        for (_, fence, device, expires), (at, next_fence, next_device, _) in pairwise(history):
            assert next_fence >= fence
            if next_device != device:
                assert next_fence > fence
                assert expires <= at, f"{next_device} got it while {device} had it"

    def judge_stores(self) -> None:
        """Both logs and every row are the same here, there and in the project, and sound."""
        devices = [self.opened(name) for name in self.folders]
        for device in (*devices, *devices):  # the first brings what the other one still had
            device.engine.run_round()
            assert device.engine.report.state().phase == "in_sync"
            assert device.engine.report.state().waiting == 0
        who = devices[0].account.sign_in.saved_session()
        assert who is not None
        with signed_in(self.project, UUID(who.user_id)) as tenant:
            there = {table: remote_rows(tenant, table) for table in ("event_log", "audit_log", *ROWS)}
        for device in devices:
            assert replay.find_differences(device.database) == []
            with device.database.read() as connection:
                assert [report for report in verification.verify(connection) if report.broken] == []
                for table, rows in there.items():
                    assert local_rows(connection, table) == rows, (device.name, table)
                self.judge_device(device.name, connection)
            device.close()

    def judge_device(self, name: str, connection: sqlite3.Connection) -> None:
        """Of what one device holds alone."""

    def close(self) -> None:
        self.witness.close()
        self.gateway.close()


@pytest.fixture
def race(tmp_path: Path, project: Project) -> Iterator[Race]:
    gateway = Gateway(project.url("authenticator"))
    made = Race(tmp_path, project, gateway, gateway.url)
    yield made
    made.close()


def test_two_devices_told_to_run_at_once_send_nothing_twice(race: Race) -> None:
    race.run(random.Random(3), kills=4)
    race.judge()


def test_whoever_takes_over_goes_on_where_the_other_device_stopped(race: Race) -> None:
    race.eager, race.witness.under_way = True, 0.3
    race.run(random.Random(4), 0)
    race.judge()
    assert {device for device, _ in race.witness.sends} == {"dev-Desk", "dev-Laptop"}


@pytest.mark.posix
@pytest.mark.skipif(sys.platform != "linux", reason="sees in /proc that a process is stopped")
@pytest.mark.parametrize("moment", ["intent", "click", "bytes"])
def test_a_device_stopped_in_mid_send_past_the_end_of_its_lease_sends_nothing_when_it_goes_on(
    race: Race, moment: str
) -> None:
    desk = race.start("Desk", stop_at=moment)
    wait_until(lambda: Path(f"/proc/{desk.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    began = len(race.witness.sends)
    laptop = race.start("Laptop")
    wait_until(lambda: any(device == "dev-Laptop" for device, _ in race.witness.sends))
    posix.go_on(desk.pid)
    for name, device in (("Desk", desk), ("Laptop", laptop)):
        out, err = device.communicate(timeout=PATIENCE)
        assert device.returncode == 0, f"{name}: {out[-500:]} {err[-3000:]}"
    race.judge()
    assert began == 0, "it was its first act"


def wait_until(so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(100))
def test_a_hundred_races(race: Race, seed: int) -> None:
    chance = random.Random(1_000 + seed)
    race.eager = chance.random() < 0.5
    race.run(chance, chance.randrange(6))
    race.judge()
