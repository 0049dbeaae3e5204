"""Everything goes wrong at once, for real: a line that loses, doubles, cuts and reorders, a project that fails, tokens that end in
mid-push, and SIGKILL of either device and of PostgreSQL, while both devices decide and act.

When it has healed, both devices and the project hold the same, row for row; each decision is there once, in order, or kept.
"""

import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from tests.faulty_proxy import Fault, FaultyProxy
from tests.patience import A_WHOLE_CAMPAIGN, PATIENCE
from tests.postgres import Project
from tests.runtime.sync.decider import DONE, MADE
from tests.runtime.sync.test_two_devices import Race
from tests.supabase_gateway import Gateway
from tests.supabase_gateway.answer import Answer

EVERYTHING = dict.fromkeys(Fault, 0.04)
PUSHES = dict.fromkeys((Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.DUPLICATE, Fault.REORDER), 0.1)
"""How many requests meet each of the line's faults."""
EXPIRING = 0.06
"""How many pushes find that their token is over."""
VICTIMS = ("Desk", "Laptop", "postgres")
APART = 6, 14
"""So many of the line's faults lie between two kills."""


class FailingProject(Gateway):
    """Tokens that were good when a push was begun are over when it arrives."""

    def __init__(self, project: Project, seed: int) -> None:
        super().__init__(project.url("authenticator"))
        self.failing = False
        self.expiries = 0
        self.appending = threading.Event()
        self._chance = Random(seed)

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Answer:
        """One request."""
        if target.endswith("/append_events"):
            self.appending.set()
            if self.failing and self._chance.random() < EXPIRING:
                self.expiries += 1
                self.tokens.expire()
        return super().answer(method, target, headers, body)


class Storm(Race):
    """Two devices, and what stands between them and the project."""

    def __init__(self, folder: Path, project: Project, seed: int, leads: int, rates: Mapping[Fault, float]) -> None:
        self.hosted = FailingProject(project, seed)
        self.line = FaultyProxy(self.hosted.url, seed=seed, rates=rates)
        self.line.healed = True
        super().__init__(folder, project, self.hosted, self.line.url, leads)
        self.chance = Random(seed)
        self.launches: Counter[str] = Counter()
        self.kills: Counter[str] = Counter()
        self.devices: dict[str, subprocess.Popen[str]] = {}
        self.figures: list[str] = []

    def close(self) -> None:
        for device in self.devices.values():
            device.kill()
            device.communicate()
        super().close()
        self.line.close()

    def start(self, name: str, stop_at: str = "") -> "subprocess.Popen[str]":
        self.launches[name] += 1
        command = [
            sys.executable,
            "-m",
            "tests.runtime.sync.decider",
            str(self.folders[name]),
            name,
            self.url,
            self.gateway.key,
        ]
        command += [str(self.witness.port), self.campaign_id, str(self.launches[name])]
        with self.said(name).open("ab") as output:
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output, text=True)

    def said(self, name: str) -> Path:
        return self.folders[name] / "said"

    def faults(self) -> Counter[str]:
        """What came about so far."""
        counts: dict[str, int] = {fault.name: times for fault, times in dict(self.line.counts).items()}
        return Counter({**counts, "EXPIRED": self.hosted.expiries, **self.kills})

    def rage(self, faults: int) -> None:
        """Until so many faults came about, and each kind did; then everything heals and the devices come to their end."""
        self.devices = devices = {name: self.start(name) for name in self.folders}
        self.line.healed, self.hosted.failing = False, True
        kinds, victims = len(Fault) + 1 + len(VICTIMS), list[str]()
        while self.faults().total() < faults or len(+self.faults()) < kinds:
            if not victims:
                victims = self.chance.sample(VICTIMS, len(VICTIMS))
            before, apart = self.line.counts.total(), self.chance.randint(*APART)
            self.until(lambda: self.line.counts.total() >= before + apart)  # noqa: B023 - asked in this round
            self.hosted.appending.clear()
            self.hosted.appending.wait(1.0)
            victim = victims.pop()
            if victim == "postgres":
                self.project.server.sigkill()
                self.project.server.start()
            else:
                devices[victim].kill()
                devices[victim].communicate()
                devices[victim] = self.start(victim)
            self.kills[victim] += 1
        self.line.heal()
        self.hosted.failing = False
        for device in devices.values():  # on a busy machine twenty decisions a second leave neither the time to act
            assert device.stdin is not None
            device.stdin.write("enough\n")
            device.stdin.flush()
        self.until(lambda: all(f"{DONE}\n" in self.said(name).read_text() for name in devices), A_WHOLE_CAMPAIGN)
        for name, device in devices.items():
            device.communicate(timeout=PATIENCE)
            assert device.returncode == 0, (name, self.said(name).read_text()[-3000:])

    def until(self, reached: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait, while both live."""
        end = time.monotonic() + seconds
        while not reached():
            ended = [name for name, device in self.devices.items() if device.poll() is not None]
            outputs = {name: self.said(name).read_text()[-3000:] for name in ended or self.devices}
            assert not ended, outputs
            assert time.monotonic() < end, outputs
            time.sleep(0.02)

    def judge_device(self, name: str, connection: sqlite3.Connection) -> None:
        """What its user decided is once in the log, in order, or kept; and nothing waits."""
        decided = {
            line.removeprefix(MADE) for line in self.said(name).read_text().splitlines() if line.startswith(MADE)
        }
        logged = connection.execute("SELECT campaign_id, cause FROM event_log ORDER BY campaign_id, seq").fetchall()
        queued = [row[0] for row in connection.execute("SELECT cause FROM rebase_queue_entries WHERE log='event'")]
        mine = re.compile(rf"{name}-(\d+)-(\d+)")
        decisions = Counter(cause for cause in [*(cause for _, cause in logged), *queued] if mine.fullmatch(cause))
        self.figures.append(f"{name}: {len(decisions)} decisions, {len(decisions & Counter(queued))} kept")
        assert decided - decisions.keys() == set(), "lost"
        assert [mark for mark, times in decisions.items() if times > 1] == [], "duplicated"
        audited = Counter(
            cause.removeprefix("not reapplied: ") for (cause,) in connection.execute("SELECT cause FROM audit_log")
        )
        assert {audited[mark] for mark in decisions} == {1}
        for salts in ("event", "audit"):
            rows = connection.execute(
                f"SELECT salt FROM {salts}_log UNION ALL SELECT salt FROM rebase_queue_entries WHERE log=?", (salts,)
            ).fetchall()
            assert len(rows) == len(set(rows)), salts
        order = [(stream, *map(int, match.groups())) for stream, cause in logged if (match := mine.fullmatch(cause))]
        assert [pair for pair in pairwise(order) if pair[0] > pair[1]] == [], "out of order"
        assert connection.execute("SELECT count(*) FROM rebase_queue WHERE status='pending'").fetchone() == (0,)


@contextmanager
def storm(
    folder: Path, project: Project, seed: int, leads: int, rates: Mapping[Fault, float] = EVERYTHING
) -> Iterator[Storm]:
    made = Storm(folder, project, seed, leads, rates)
    try:
        yield made
    finally:
        print(f"seed {seed}: {made.faults().total()} faults, {dict(made.faults())}, {made.figures}")
        made.close()


def test_whatever_goes_wrong_nothing_is_lost_doubled_or_out_of_order(tmp_path: Path, project: Project) -> None:
    with storm(tmp_path, project, seed=1, leads=4) as made:
        made.rage(20)
        made.judge()


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(2, 5))
def test_over_five_hundred_faults(tmp_path: Path, project: Project, seed: int) -> None:
    with storm(tmp_path, project, seed, leads=40) as made:
        made.rage(500)
        made.judge()


def pushes(made: Storm, name: str, operations: int) -> None:
    """One decision after the other, each pushed at once, however that goes; every tenth where both devices decide."""
    device, own = made.opened(name), f"camp-{name}"
    campaign = {
        "name": name,
        "goal": "",
        "status": "initializing",
        "site": "practice",
        "account": "me",
        "settings": "{}",
    }
    created = Event("CampaignCreated", own, {**campaign, "created_at": 1})
    device.journal.record(own, events=[created], actor="user", cause="created", at=1)
    with made.said(name).open("w") as output:
        for number in range(operations):
            mark = f"{name}-1-{number}"
            stream, event = own, Event("CampaignEdited", own, {"goal": mark})
            if number % 10 == 0:
                stream, event = WORKSPACE, Event("ConfigSet", mark, {"value": "x"})
            audit = AuditEntry("decided", {"mark": mark})
            device.journal.record(stream, events=[event], audits=[audit], actor="user", cause=mark, at=number)
            output.write(f"{MADE}{mark}\n")
            device.engine.run_round(poll=False)
    device.close()


@pytest.mark.parametrize("operations", [200, pytest.param(10_000, marks=pytest.mark.endurance)])
def test_pushes_lost_doubled_reordered_or_unanswered_arrive_once(
    tmp_path: Path, project: Project, operations: int
) -> None:
    with storm(tmp_path, project, seed=5, leads=1, rates=PUSHES) as made:
        made.line.healed = False
        with ThreadPoolExecutor() as both:
            for done in [both.submit(pushes, made, name, operations // 2) for name in made.folders]:
                done.result()
        made.line.heal()
        assert min(made.line.counts[fault] for fault in PUSHES) > operations // 20
        made.judge_stores()
