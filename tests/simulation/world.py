"""A world made from one seed: the network, the shared store, devices, their users, and everything that may go wrong."""

import gc
import hashlib
import random
import shutil
import sqlite3
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from backend.domain.events.events import Event
from backend.domain.events.signature import SignedHeads
from backend.domain.model.campaign import Campaign, Limits, Settings
from backend.domain.model.channel import ASSIST, DRIVE, find_channel
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import Thread
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import LoggedAudit, LoggedEvent
from backend.ports.site import ShownByAct
from backend.practice.behaviour import PracticeReply
from backend.practice.faults import Fault, FaultKind
from backend.practice.faults import Step as FaultStep
from backend.practice.network_store import NetworkStore
from backend.practice.people import PersonCard
from backend.store import migrations
from backend.store.database import Database
from backend.store.log import replay, verification
from backend.store.queries.campaign import campaigns
from backend.store.replication import rebase_queue
from tests.fakes.campaign import MONDAY_NOON
from tests.fakes.shared_store import FakeProject, FakeSharedStore
from tests.fakes.site import practice_exchange
from tests.simulation import agents, analysis, app, connected, kept_files, live_page
from tests.simulation.agent_oracle import AgentOracle
from tests.simulation.contact_oracle import CLAIM_DAYS, ContactOracle, SeenBefore
from tests.simulation.data_folders import FOLDERS, temporary_folder
from tests.simulation.hub import Hub
from tests.simulation.lead_history import LeadEntry, set_back
from tests.simulation.machine import Device, Launch, Moment
from tests.simulation.oracle import DAY, Act, Click, Oracle, Received, Rules, Sent, Violation, profile_of, step_of
from tests.simulation.person_rows import WhoIsWho, email_of, mark_of, marked, phone_of, traces_of
from tests.simulation.pictures import check_pictures
from tests.simulation.profiles import check_closed_pages, check_withdrawals, looks_on_record
from tests.simulation.several_campaigns import FIRST_FILE, GOAL, MOST_PEOPLE, OVER
from tests.simulation.user import SAYINGS, User, only_forbids
from tests.stored_rows import all_rows, first_row

__all__ = ["Click", "World", "simulate"]

KINDS = (
    "kill", "torn", "sleep", "sleep untold", "stop", "clock", "network", "offline", "late sends",
    "site errors", "incidents", "copy", "older", "busy", "full", "unread", "model", "silent model", "browser", "token",
    "paused store", "whims", "away", "assistant", "lead files", "cut files", "hostile model",
    "assist", "archive", "sequence", "withdrawals",
    "page", "erase", "backup", "dates", "tidy", "budget", "signed", "older store", "log check",
    "scripts", "agents", "program",
    "app", "live page", "files", "damage", "profiles", "delete", "campaigns",
    "weekends", "power cut", "meanwhile", "limits", "words", "history", "closed pages",
)  # fmt: skip
"""What may go wrong or come in between; each world has some of them. With "withdrawals" old invitations are taken back, where
Outrider sends; with "campaigns" the account has several, and people are in more than one of them; with "weekends" the user
comes then, too; a "power cut" loses what the product did not have the disk confirm; "meanwhile", between the looks at a
conversation and the act in it, the person or the user writes in it. With "limits" these grow with the days, and the week has one
that is reached; "words" are the user's on a conversation: no, or later; with "history" lead files tell of earlier contact; with
"closed pages" the network has no page of some people any more."""
RARE = {
    "page": 0.1,
    "scripts": 0.1,
    "agents": 0.15,
    "program": 0.15,
    "app": 0.1,
    "live page": 0.15,
    "files": 0.15,
    "damage": 0.1,
    "delete": 0.15,
    "campaigns": 0.4,
    "closed pages": 0.15,
}
"""How many worlds have these: few of what makes one dearer or ends it early, more of what many rules need; else three in ten."""

PAUSES = (0.3, 1.5, 30.0, 79.0, 81.0, 101.0, 200.0, 600.0)
"""Seconds: around everything that an act and a lease are measured by."""

LIKELY: dict[Moment, float] = {
    "intent": 0.1, "page": 0.05, "click": 0.1, "bytes": 0.2, "look": 0.01, "commit": 0.004, "call": 0.005, "answer": 0.005,
}  # fmt: skip
"""How often a moment of each kind is interrupted."""

DiskFault = Literal["database_locked", "database_full", "database_unread"]
_DISK: dict[str, DiskFault] = {"busy": "database_locked", "full": "database_full", "unread": "database_unread"}
_SILENT: tuple[ErrorCode, ...] = ("proposer_unreachable", "proposer_timeout", "proposer_empty", "proposer_rate_limited")
_SENDING: tuple[FaultStep, ...] = ("invite", "message")
_LATE: tuple[FaultKind, ...] = ("arrives_late", "carried_out_later")
_ERRORS: tuple[FaultKind, ...] = ("error_500", "slow", "accepts_but_says_failed")
_INCIDENTS: tuple[FaultKind, ...] = ("log_out", "unusual_activity", "invitation_limit")
INTERRUPTIONS = ("kill", "torn", "sleep", "sleep untold", "stop", "clock", "copy", "older", "power cut")
ENDS = ("kill", "torn", "power cut")
LOSES_COSTS = (*ENDS, *_DISK)
"""Kinds in which a reply may be paid for and never get on record."""
FIRST_CENTS = 6
LIVENESS_DAYS = 120
SECOND_ROUND_AFTER_DAYS = (1, 8, 14, 18, 25, 60)
"""So long after the faults a further campaign has everybody: what is not to be repeated for weeks may come to pass then."""
CLAIMS = (2, 6, 6, 20, 20, CLAIM_DAYS)
"""Days for which a campaign keeps somebody after its last message: after a short time another one may write to them."""
_LISTED = "SELECT name FROM do_not_contact WHERE status='active'"
"""Whom a file has not be contacted stays on that list when its campaign is deleted."""
_IN_OTHER_CAMPAIGNS = (
    "SELECT member_key FROM leads l JOIN campaigns c ON c.id = l.campaign_id WHERE c.deleted_at IS NULL"
)
_REJECTED_BY_OTHER_CAMPAIGNS = (
    "SELECT raw FROM rejected_rows r JOIN campaigns c ON c.id = r.campaign_id WHERE c.deleted_at IS NULL"
)
_READ_FILES = (
    "SELECT i.file, i.finished_at, i.campaign_id FROM imports i JOIN campaigns c ON c.id = i.campaign_id"
    " WHERE i.finished_at IS NOT NULL AND i.undone_at IS NULL AND c.deleted_at IS NULL AND c.archived_at IS NULL"
)
_OF_LEADS = (
    "SELECT entity_id, timestamp, change_payload FROM event_log"
    " WHERE entity_type='lead' AND actor<>'user' ORDER BY campaign_id, seq"
)
_CLOCKS = frozenset({"clock", "sleep untold", "copy"})
"""Kinds in which clocks differ, so that an entry of another device may be dated earlier although it came later."""
_FIRST_BEGUN = (
    "SELECT iif(family='invite', 'invitation', family), min(intended_at) FROM actions"
    " WHERE family IN ('invite', 'message', 'withdraw') GROUP BY family"
)
DAYS_A_PERSON = 10
"""So many more for each: a user who sends one text a day, by hand, and comes twice a week."""
WITHDRAW_AFTER_DAYS = 5
AT_ONCE = 500
"""So many people are imported by one transaction."""

SEQUENCE = Sequence(
    steps=(
        Step(key="visit", kind="visit"),
        Step(key="invite", kind="invitation", template="step 1: Hi {first_name}, shall we talk?"),
        Step(key="hello", kind="message", template="step 2: Hi {first_name}, thank you. {topic}"),
        Step(key="again", kind="message", after_days=2, template="step 3: Hi {first_name}, may I ask again?"),
    ),
    accept_within_days=4,
    check_every_hours=24,
    final_wait_days=2,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a world is made of."""

    seed: int
    days: int = 20
    devices: int = 2
    people: int = 4
    """At most."""
    faults: frozenset[str] | None = None
    """None: the seed chooses."""
    without: frozenset[int] = frozenset()
    """What goes wrong is counted; these do not happen."""

    @property
    def command(self) -> str:
        """That tells it again."""
        faults = "" if self.faults is None else f" --faults {','.join(sorted(self.faults))!r}"
        without = f" --without {','.join(map(str, sorted(self.without)))}" if self.without else ""
        size = f"--seed {self.seed} --days {self.days} --devices {self.devices} --people {self.people}"
        return f"python -m tests.simulation {size}{faults}{without}"


@dataclass
class Outcome:
    """What came of a world."""

    seed: int
    days: float
    faults: Counter[str]
    kinds: tuple[str, ...]
    delivered: int
    switches: int
    digest: str
    story: list[str]
    happened: int
    """How much went wrong, whatever it was."""
    violation: str = ""


@dataclass
class World:
    """Everything that the devices share, and the chance that decides what happens to them."""

    plan: Plan
    folder: Path
    start: int = MONDAY_NOON
    story: list[str] = field(default_factory=list)
    struck: Counter[str] = field(default_factory=Counter)
    left: list[Launch] = field(default_factory=list)
    calm: bool = False
    """The faults have ended."""
    violation: str = ""

    def __post_init__(self) -> None:
        self.chance = random.Random(self.plan.seed)
        self.hub = Hub(self.chance)
        self.kinds = self.choose_kinds()
        self.assist, self.is_paid = "assist" in self.kinds, "budget" in self.kinds
        self.suffered: set[str] = set()
        """Of the kinds that take away what rules are judged by, those that came to pass."""
        self.campaigns: dict[str, str] = {}
        """The account's campaigns, in the order in which they were made, each with the letter that its steps bear."""
        self.history: dict[str, dict[str, bool]] = {}
        """By the name of a lead file: whom the user knew before, as it says, and whether they had written."""
        self.first_campaign: Campaign | None = None
        """As it began: what a further one is like."""
        self.who = WhoIsWho()
        self.kept_store: dict[str, tuple[list[LoggedEvent], list[LoggedAudit]]] = {}
        self.shared = self.plan.devices > 1 or "copy" in self.kinds
        self.exchange: NetworkStore = practice_exchange(
            seed=f"simulation {self.plan.seed}",
            people=max(30, self.plan.people),
            now=self.start,
            real_now=lambda: self.hub.now // 1_000,
        )
        self.mark_people()
        self.project = FakeProject(lambda: self.hub.now / 1e6)
        self.settings = self.choose_settings()
        limits = self.settings.limits
        self.oracle = Oracle([self.rules_of(limits)])
        self.oracle.last_days(limits.first_contact_until, limits.ends_at)
        self.oracle.contacts = self.contact_oracle(limits)
        if self.is_paid:
            self.oracle.may_spend(FIRST_CENTS)
        self.scripts, self.agents, self.files = analysis.new_oracle(), AgentOracle(), kept_files.FileOracle()
        self.people: list[PersonCard] = []
        self.devices: list[Device] = []
        self.users: list[User] = []
        self.busy_with: dict[str, int] = {}
        """Until when the user, who is one person, has somebody's text in their hands."""
        self.halted: set[str] = set()
        """Launches that met an incident which nobody has cleared yet."""
        self.quiet_until: dict[str, int] = {}
        """By campaign: before then nothing is to be done, as the user was told by its last run."""
        self.happened = 0
        self.second_round_from: int | None = None
        """From when on (ms of true time) the user writes to everybody again, once the faults are over; None for never."""
        self._received: list[Received] = []
        self._arrived: set[Received] = set()
        self._looked_at = 0
        """So many entries of the ledger."""
        self._not_over: list[tuple[str, int]] = []
        """What had been written where when it was last seen that the campaign is not over."""
        self.consent_withdrawn = ""
        """The device on which it was taken back, while nobody gave it anew."""
        self._kept_signatures: list[SignedHeads] = []
        self._offline_until: dict[str, int] = {}
        self._signed_out_until: dict[str, int] = {}

    # --- what a world of another size chooses otherwise ---

    def mark_people(self) -> None:
        """Whatever is ever told of somebody has their mark, by which the oracle finds what is left of them."""
        self.exchange.record(lambda network: network.enrol(list(map(marked, network.people.cards())), self.start))

    def mark_replies(self, slug: str) -> None:
        """Theirs to come, and those that nobody has read yet, too."""
        replies = self.exchange.read(lambda network: network.history(slug).replies)
        mark = mark_of(slug)
        replies[:] = [reply if mark in reply.text else replace(reply, text=f"{reply.text} {mark}") for reply in replies]

    def choose_kinds(self) -> frozenset[str]:
        """What may go wrong, by a chance of its own: a world with the same kinds by name is the same world."""
        chance = random.Random(f"kinds of {self.plan.seed}")
        chosen = frozenset(kind for kind in KINDS if chance.random() < RARE.get(kind, 0.3))
        kinds = chosen if self.plan.faults is None else self.plan.faults
        # What no store remembers nobody can know: on Assist Outrider sees no conversation, and an invitation that was taken back
        # leaves no trace.
        return kinds if kinds.isdisjoint(("assist", "withdrawals")) else kinds - {"older store"}

    def _last_days(self) -> dict[str, int]:
        """Midnight of some days; the last one for a first contact comes before that for anything."""
        if "dates" not in self.kinds:
            return {}
        chance, midnight = random.Random(f"last days of {self.plan.seed}"), self.start // DAY * DAY
        ends = chance.randint(2, self.plan.days + 6)
        return {
            "first_contact_until": midnight + chance.randint(1, ends) * DAY,
            "ends_at": midnight + ends * DAY,
        }

    def choose_settings(self) -> Settings:
        """What the campaign begins with."""
        limits = Limits(
            invitations_a_day=1, messages_a_day=1, ramp_days=0, spacing_seconds=self.chance.choice((0, 30)),
            day_starts=9 * 60, day_ends=18 * 60,
            withdraw_after_days=WITHDRAW_AFTER_DAYS, withdrawals_a_day=int("withdrawals" in self.kinds),
        )  # fmt: skip
        limits = limits.model_copy(update=self._last_days() | ({"model_cents": FIRST_CENTS} if self.is_paid else {}))
        if "limits" in self.kinds:
            limits = limits.model_copy(update=self._growing_limits())
        if self.has_several:
            days = random.Random(f"claims of {self.plan.seed}").choice(CLAIMS)
            limits = limits.model_copy(update={"claim_days": days})
        return Settings(topic=GOAL, sequence=SEQUENCE, limits=limits)

    def _growing_limits(self) -> dict[str, int]:
        """More than one a day, fewer at first, and a week's limit that may be reached."""
        chance = random.Random(f"limits of {self.plan.seed}")
        return {
            "invitations_a_day": chance.choice((2, 3)),
            "messages_a_day": chance.choice((1, 2, 3)),
            "ramp_days": chance.choice((0, 3, 4, 5)),
            "invitations_a_week": chance.choice((1, 2, 3, 400)),
            "notes_a_month": chance.choice((1_000, 1_000, 2)),
            "spacing_seconds": chance.choice((0, 90)),
        }

    def contact_oracle(self, limits: Limits) -> ContactOracle:
        """What it is told."""
        return ContactOracle(limits.claim_days, **self._contacts_known())

    def _contacts_known(self) -> dict[str, Any]:
        """On LinkedIn by hand only the records tell of a contact, and they must be whole."""
        whole = self.suffered.isdisjoint(("older", "backup"))
        remembers = self.suffered.isdisjoint(("older", "backup", "older store", "clock"))
        blind = self.assist and not whole and not self.shared
        return {"judges": not blind, "one_log": whole and not self.shared, "remembers": remembers}

    def suffers(self, kind: str) -> None:
        """That came to pass: until now all rules held, from now on not those that rest on what it takes away."""
        self.suffered.add(kind)
        self.oracle.in_force[:] = [replace(rules, **self._rules_known()) for rules in self.oracle.in_force]
        self.oracle.contacts = replace(self.oracle.contacts, **self._contacts_known())

    def choose_people(self) -> int:
        """How many are in the campaign."""
        fewest = self.plan.people if "limits" in self.kinds else 1  # some are waiting wherever a limit is reached
        return self.chance.randint(fewest, self.plan.people + 2 * (fewest > 1))

    def shared_store(self) -> FakeSharedStore:
        """The user's view of what all devices share, without the network before it."""
        return FakeSharedStore(self.project)

    def new_user(self, device: Device) -> User:
        """Who is at that device."""
        return User(self, device)

    def new_launch(self, device: Device) -> Launch:
        """Outrider is started there."""
        return app.AppLaunch(device) if "app" in self.kinds else Launch(device)

    def rules_of(self, limits: Limits) -> Rules:
        """What the oracle is told of these limits."""
        return Rules(
            invitations_a_day=limits.invitations_a_day,
            invitations_a_week=limits.invitations_a_week,
            notes_a_month=limits.notes_a_month,
            messages_a_day=limits.messages_a_day,
            withdrawals_a_day=limits.withdrawals_a_day,
            withdraw_after_days=limits.withdraw_after_days,
            ramp_days=limits.ramp_days,
            day_starts=limits.day_starts // 60,
            day_ends=limits.day_ends // 60,
            spacing_seconds=limits.spacing_seconds,
            thread_fresh_minutes=limits.thread_fresh_minutes,
            days_before_step={} if "sequence" in self.kinds else self._days_before_step(),
            **self._rules_known(),
        )

    def _rules_known(self) -> dict[str, Any]:
        whole = self.suffered.isdisjoint(("older", "backup"))
        return {
            "clocks_are_right": "clock" not in self.suffered,
            "logs_are_whole": whole,
            "looks_are_whole": whole and "older store" not in self.suffered,
            "costs_are_whole": whole and not self.shared and self.kinds.isdisjoint(LOSES_COSTS),
        }

    def _days_before_step(self) -> dict[str, int]:
        steps = self.settings.sequence.steps
        return {step_of(step.template): step.after_days for step in steps if step.kind == "message" and step.after_days}

    def happens(self, kind: str, likely: float = 1.0) -> bool:
        """Whether it goes wrong here and now."""
        if self.calm or kind not in self.kinds or self.chance.random() >= likely:
            return False
        self.happened += 1
        if self.happened in self.plan.without:
            return False
        self.struck[kind] += 1
        return True

    # --- time ---

    def now(self) -> int:
        """True time, ms UTC."""
        return self.start + self.hub.now // 1_000

    def tell(self, what: str) -> None:
        """A line of the story."""
        day, rest = divmod(self.now() - self.start // DAY * DAY, DAY)
        hours, rest = divmod(rest, 3_600_000)
        self.story.append(f"day {day:3} {hours:02}:{rest // 60_000:02}:{rest % 60_000 / 1e3:06.3f}  {what}")

    def latency(self) -> float:
        """Seconds of a call."""
        return 0.05 + self.chance.random() * 0.5

    def network_time(self) -> None:
        """The network's clock is always right."""
        now = self.now()
        self.exchange.record(lambda network: network.advance(now))

    # --- what goes wrong ---

    def moment(self, launch: Launch, kind: Moment) -> None:
        """The launch is at a boundary, where it may be interrupted."""
        if self.calm or self.chance.random() >= LIKELY[kind]:
            return
        kinds = [interruption for interruption in INTERRUPTIONS if interruption in self.kinds]
        if kinds:
            self.interrupt(launch.device, self.chance.choice(kinds), f"at {kind}")

    def interrupt(self, device: Device, kind: str, where: str) -> None:
        """It happens here and now."""
        pause = self.chance.choice(PAUSES)
        if not self.happens(kind):
            return
        self.tell(f"{device.launch.name}: {kind} {where}" + (f", {pause} s" if kind[0] == "s" else ""))
        if kind in ENDS:
            device.kill(torn=kind == "torn", power_cut=kind == "power cut")
            if self.chance.random() < 0.7 and self.campaign_id and device.is_set_up():
                device.launch.run(device.campaign_id)
        elif kind in ("sleep", "sleep untold", "stop"):
            self.freeze(device, pause, kind)
        elif kind == "clock":
            self.suffers(kind)
            device.clock.set_by += self.chance.choice((-3_600_000, -1_200, 1_200, 3_600_000))
        elif kind == "copy" and len(self.devices) < 4:
            self.add(Device(self, f"{device.name} copy {len(self.devices)}", copy_of=device))
        elif kind == "older":
            if device.kept is None or self.chance.random() < 0.5:
                device.keep_copy()
            else:
                self.suffers(kind)
                device.put_back(device.kept)
                self.oracle.put_back(device.name)
                self._forget_lost_erasures(device)

    def freeze(self, device: Device, seconds: float, kind: str) -> None:
        """The machine sleeps or its process is stopped: nothing of it goes on for so long."""
        device.fall_asleep()

        def go_on() -> None:
            self.hub.pause(seconds)
            device.wake_up(announced={"sleep": True, "sleep untold": False}.get(kind))

        self.hub.start(f"{device.name}: {kind}", go_on)

    def network_fault(self, device: Device) -> Literal["", "before", "after", "late", "twice", "signed out"]:
        """What becomes of a call of the shared store."""
        if self.calm:
            return ""
        now, name = self.hub.now, device.name
        if now < max(self._offline_until.get(name, 0), self._offline_until.get("", 0)):
            return "before"
        if now < self._signed_out_until.get(name, 0):
            return "signed out"
        for kind, whose, seconds in (("offline", name, (10, 120, 400, 3_600)), ("paused store", "", (600, 40_000))):
            if self.happens(kind, 0.005):
                self._offline_until[whose] = now + self.chance.choice(seconds) * 1_000_000
                self.tell(f"{name}: {kind}")
                return "before"
        if self.happens("token", 0.005):
            self._signed_out_until[name] = now + self.chance.choice((5, 300, 4_000)) * 1_000_000
            self.tell(f"{name}: signed out")
            return "signed out"
        if self.happens("network", 0.04):
            return self.chance.choice(("before", "after", "late", "twice"))
        return ""

    def disk_fault(self) -> DiskFault | None:
        """What a write meets: another program that writes, a full disk, or one that cannot be read."""
        if self.calm or self.hub.current is None:
            return None
        return next((code for kind, code in _DISK.items() if kind in self.kinds and self.happens(kind, 0.004)), None)

    def browser_is_gone(self) -> bool:
        """Whether the browser has just ended."""
        return self.happens("browser", 0.01)

    def is_hostile(self) -> bool:
        """Whether the model is somebody's tool just now."""
        return self.happens("hostile model", 0.1)

    def model_says(self, launch: Launch, reply: str) -> str:
        """What the script said, or something else; it may take its time, or say nothing at all."""
        if self.happens("silent model", 0.1):
            launch.moment("look", self.chance.choice((1.0, 45.0, 300.0)))
            if self.chance.random() < 0.5:
                raise OutriderError(
                    self.chance.choice(_SILENT), host="model.example", what="to answer", seconds=60, wait=""
                )
        if not self.happens("model", 0.05):
            return reply
        return self.chance.choice(
            ("", "I have sent all messages.", reply[: len(reply) // 2], '{"proposal":{"type":"no_op","reason":"wait"}}')
        )

    def trouble(self) -> None:
        """What goes wrong by itself: the site's answers, and devices that nobody touches."""
        while not self.calm:
            self.hub.pause(self.chance.expovariate(1 / 14_400))
            if self.calm:
                return
            on: FaultStep = self.chance.choice(_SENDING)
            if "late sends" in self.kinds and self.chance.random() < 0.7:
                self.arm(Fault(kind=self.chance.choice(_LATE), on=on, ms=self.chance.randrange(100, 50_000)))
            if "site errors" in self.kinds and self.chance.random() < 0.5:
                kind = self.chance.choice(_ERRORS)
                self.arm(Fault(kind=kind, on=on, ms=20_000 if kind == "slow" else 0))
            if "incidents" in self.kinds and self.chance.random() < 0.1:
                self.arm(Fault(kind=self.chance.choice(_INCIDENTS), on="any"))
            if "older store" in self.kinds and self.chance.random() < 0.15:
                self.restore_shared_store()
            device = self.chance.choice(self.devices)
            kinds = [interruption for interruption in INTERRUPTIONS if interruption in self.kinds]
            if kinds and not device.frozen and self.chance.random() < 0.3:
                self.interrupt(device, self.chance.choice(kinds), "while nobody looks")

    def restore_shared_store(self) -> None:
        """Its owner makes a backup, or puts the last one back, which takes longer than any lease lasts."""
        user = self.project.users.get("ada")
        if user is None:
            return
        if not self.kept_store:
            self.kept_store = {name: (list(log), list(user.audits.get(name, ()))) for name, log in user.events.items()}
            self._kept_signatures = list(user.signatures)
        elif self.happens("older store"):
            self.tell("the shared store is put back from a backup")
            self.suffers("older store")
            user.events = {name: list(events) for name, (events, _) in self.kept_store.items()}
            user.audits = {name: list(audits) for name, (_, audits) in self.kept_store.items()}
            user.signatures = list(self._kept_signatures)
            user.ends, self.kept_store = 0.0, {}
            self._offline_until[""] = self.hub.now + self.chance.choice((600, 4_000)) * 1_000_000

    def arm(self, fault: Fault) -> None:
        """The network behaves so once."""
        self.happened += 1
        if self.happened in self.plan.without:
            return
        self.struck[fault.kind] += 1
        self.tell(f"the network: {fault.kind} on the next {fault.on}")
        self.exchange.record(lambda network: network.arm(fault, network.now))

    # --- what is told from outside ---

    def sent(
        self,
        launch: Launch,
        kind: str,
        slug: str,
        text: str,
        *,
        by_hand_for: str = "",
        acquaintances: Mapping[str, SeenBefore] | None = None,
        shown: ShownByAct | None = None,
    ) -> None:
        """A request leaves, from a page that showed this.

        By hand, the user pastes what was handed over for the campaign `by_hand_for`, and then knew these `acquaintances`.
        """
        by_hand, campaign = by_hand_for != "", by_hand_for or launch.acts_for
        thread = self.exchange.read(lambda network: network.thread(slug, network.now))
        read = self.oracle.replies_read.get((slug, campaign), 0)
        replied = [message.at for message in thread if message.author == "them" and message.at > read]
        self.tell(f"{launch.name}: {kind} to {slug} leaves: {text[:30]!r}")
        card = self.exchange.read(lambda network: network.people.card(slug))
        name, company = (card.name, card.company) if card is not None else ("", "")
        asks = (
            slug in self.oracle.invited_by_hand and campaign == self.campaign_id
        )  # others may meet them for the first time
        looks = looks_on_record(launch, slug) if asks else frozenset()
        sent = Sent(slug, kind, text, self.now(), launch.name, name, company, looks, campaign, by_hand)
        self.oracle.contacts.seen_before = self.acquaintances(launch) if acquaintances is None else acquaintances
        for begun_kind, at in launch.database.query(all_rows, _FIRST_BEGUN):
            begun = self.oracle.first_begun
            begun[begun_kind] = min(
                at, begun.get(begun_kind, at)
            )  # a kill at the intent's commit left nobody to hear of it
        self.received()
        if (wrong := _stands_against(kind, shown, read)) and not by_hand:
            self.judge_broken(f"{kind} to {slug}, and the page of the act showed {wrong}")
        self.judge(lambda: self.oracle.leaves(sent, replied_at=min(replied, default=None), received=self._arrived))
        if not by_hand and launch.device.status(campaign) == "deleted":
            self.judge_broken(f"{kind} to {slug} from a campaign that was deleted")
        if not by_hand and not self.has_lease(launch):
            self.judge_broken(f"{launch.name} sends, and {self.project.users['ada'].holder} has the lease")

    def acquaintances(self, launch: Launch) -> Mapping[str, SeenBefore]:
        """Whom the user knew before, as this launch knows now."""
        return seen_before(launch) if self.history else {}

    def has_lease(self, launch: Launch) -> bool:
        """Whether the shared store lets it act now; with none, always."""
        user = self.project.users.get("ada")
        holds = user is not None and user.holder == launch.name and user.ends > self.project.now()
        return holds or not self.shared

    def begins_run(self, campaign_id: str) -> None:
        """A user presses Start: what they were told when the last one ended, or paused, counts no more."""
        self.quiet_until.pop(campaign_id, None)
        self.oracle.paused.pop(campaign_id, None)

    def judge(self, rule: Callable[[], None]) -> None:
        """A rule that is broken ends the world, whatever the product makes of an exception here."""
        try:
            rule()
        except Violation as violation:
            self.tell(f"BROKEN: {violation}")
            self.violation = self.violation or str(violation)

    def judge_broken(self, what: str) -> None:
        """A rule is broken, as the user saw."""
        self.judge(lambda: _raise(what))

    def received(self) -> list[Received]:
        """(kind, person, text) of what reached somebody."""
        self.exchange.carry_out_due()
        entries = self.exchange.ledger.entries
        for entry in entries[self._looked_at :]:
            if entry.kind in ("invitation", "message", "withdraw") and entry.disposition == "delivered":
                self._received.append((entry.kind, entry.to, entry.text))
                self._arrived.add(self._received[-1])
        self._looked_at = len(entries)
        return self._received

    # --- the account's campaigns ---

    @property
    def campaign_id(self) -> str:
        """The first of them; "" before there is one."""
        return next(iter(self.campaigns), "")

    @property
    def has_several(self) -> bool:
        """Whether the account may have several campaigns; then lead files have e-mail addresses, by which people are known."""
        return "campaigns" in self.kinds

    def add_campaign(self, campaign_id: str, letter: str) -> None:
        """One more, whose steps bear that letter."""
        self.campaigns[campaign_id] = letter

    # --- what users do outside of Outrider ---

    def import_another(self, launch: Launch) -> None:
        """Somebody more for the campaign, if there is anybody, and if it is known on this device."""
        if not launch.device.is_set_up():
            return
        cards = self.exchange.read(lambda network: list(network.people.cards()))
        here = {self.who.slug(key) for (key,) in launch.database.query(all_rows, "SELECT member_key FROM leads")}
        taken = {*here, *self.oracle.erased_people, *(card.slug for card in self.people)}
        others = [card for card in cards if card.slug not in taken]
        if others and len(self.people) < MOST_PEOPLE:
            card = self.chance.choice(others)
            self.people.append(card)
            events = list(_imported(launch, [(len(self.people), card)], self.has_several))
            launch.journal.record(self.campaign_id, events=events, actor="user", cause="import", at=self.now())

    def lead_file(self, device: Device) -> tuple[Path, list[PersonCard]]:
        """Some people as a table, on this device's disk; whoever made the copy may have been cut off."""
        cards = self.exchange.read(lambda network: list(network.people.cards()))
        cards_by_slug = {card.slug: card for card in self.people}
        people = [
            cards_by_slug.get(card.slug, card)  # by their own name, whatever their page shows just now
            for card in self.chance.sample(cards[: MOST_PEOPLE * 2], 2)
            if card.slug not in self.oracle.erased_people
        ]
        lines = ["Name,Profile,Company,Job,Phone"]
        lines += [
            f'"{card.name}",{profile_of(card.slug)},"{card.company}","{card.headline}","{phone_of(card.slug)}"'
            for card in people
        ]
        whole = "\r\n".join(lines) + "\r\n"
        if self.happens("cut files", 0.5):
            whole = whole[: self.chance.randrange(len(lines[0]), len(whole))]
        file = device.path.parent / f"people {self.chance.randrange(3)}.csv"
        file.write_text(whole, "utf-8")
        self.people += [card for card in people if card.slug not in cards_by_slug]
        return file, people

    def write_by_hand(self, slug: str, text: str) -> None:
        """The user writes to somebody on the network itself, who is connected already."""
        self.network_time()
        if str(self.exchange.read(lambda network: network.relation(slug, network.now))) != "connected":
            return
        self.struck["by hand"] += 1
        self.tell(f"the user writes to {slug} by hand")
        self.exchange.record(lambda network: network.message(slug, text, network.now))

    def write_meanwhile(self, launch: Launch, slug: str, text: str = "") -> None:
        """Outrider opens this conversation; right before, they write, or the user sends what Outrider is about to send.

        `text` is that, once the act has begun.
        """
        if not self.happens("meanwhile", 0.25):
            return
        if self.chance.random() < 0.5:
            self._replies_now(slug)
        elif (text := text or approved_text(launch, slug)) and ("message", slug, text) not in self.received():
            self.write_by_hand(slug, text)  # who sees that it is there does not send it again

    def _replies_now(self, slug: str) -> None:
        """Who is connected and has not replied yet does so, whatever they would have done later."""
        self.network_time()
        replies = self.exchange.read(lambda network: network.history(slug).replies)
        connected = self.exchange.read(lambda network: str(network.relation(slug, network.now)) == "connected")
        if connected and not any(reply.at <= self.now() for reply in replies):
            self.tell(f"{slug} replies right now")
            replies[:] = [PracticeReply(self.now(), f"Now is not the time. {mark_of(slug)}", "declining")]

    def person_of(self, launch: Launch, task_id: str | None) -> str:
        """Whom a task is about."""
        row = launch.database.query(
            first_row, "SELECT l.member_key FROM tasks t JOIN leads l ON l.id=t.lead_id WHERE t.id=?", task_id
        )
        return self.who.slug(row[0]) if row else ""

    # --- its course ---

    def add(self, device: Device) -> None:
        """Another device, with its user."""
        self.devices.append(device)
        user = self.new_user(device)
        user.eager = self.calm
        self.users.append(user)
        self.hub.start(f"{device.name}: user", user.live)

    def begin(self) -> None:
        """The first device has a campaign; the others get it from the shared store."""
        first = Device(self, "desk")
        cards = self.exchange.read(lambda network: list(network.people.cards()))
        self.people = self.chance.sample(cards, self.choose_people())
        if self.has_several:
            self.who.learn(cards)
        launch = first.launch
        if isinstance(launch, app.AppLaunch):
            launch.consent()
        if self.assist or "app" in self.kinds:
            channel = find_channel(ASSIST if self.assist else DRIVE)
            settings = channel.settings(SEQUENCE, limits=self.settings.limits, topic=GOAL)
            self.add_campaign(launch.commands().campaigns.create_on(channel, "Talk", GOAL, settings), "")
        else:
            made = launch.commands().campaigns.create(
                "Talk", GOAL, site="practice", account="practice", settings=self.settings
            )
            self.add_campaign(made, "")
        self.first_campaign = launch.database.query(campaigns.campaign, self.campaign_id)
        for begin in range(0, len(self.people), AT_ONCE):
            some = enumerate(self.people[begin : begin + AT_ONCE], begin)
            events = list(_imported(launch, some, self.has_several))
            launch.journal.record(self.campaign_id, events=events, actor="user", cause="import", at=self.now())
        self.add(first)
        for number in range(1, self.plan.devices):
            self.add(Device(self, f"laptop {number}"))
        self.hub.start("trouble", self.trouble)

    def live(self) -> None:
        """The days with faults, then the days without, in which everything must come to its end."""
        self.begin()
        self.hub.run(lambda: bool(self.violation), self.plan.days * DAY * 1_000)
        self.judge(lambda: self.oracle.judge_received(self.received()))
        if self.violation:
            return
        self.calm = True
        self.tell("the faults end")
        self.exchange.record(lambda network: network.clear_faults(network.now))
        for user in self.users:
            user.eager = True
        if self.has_several:
            later = random.Random(f"second round of {self.plan.seed}").choice(SECOND_ROUND_AFTER_DAYS)
            self.second_round_from = self.now() + later * DAY
        rounds = len(self.campaigns) + (self.second_round_from is not None)
        days = (LIVENESS_DAYS + DAYS_A_PERSON * len(self.people)) * rounds
        until = self.hub.now + days * DAY * 1_000
        ended = self.hub.run(lambda: bool(self.violation) or self.is_over(), until)
        self.judge(lambda: self.oracle.judge_received(self.received()))
        if not ended:
            self.judge(lambda: _raise(f"the campaign stands still: {self.where_it_stands()}"))
        if not self.violation:
            self.judge(lambda: self.oracle.judge_end([card.slug for card in self.people], self.received(), self.kinds))
        if not self.violation:
            self.judge(self.check_stores)

    def is_over(self) -> bool:
        """Every campaign is completed, deleted or without people on every device, and nothing left to bring into step."""
        # Asked whenever time goes on: nothing is read where nothing was written since.
        written = [(device.launch.name, device.launch.journal.commits) for device in self.devices]
        if (
            self.second_round_from is not None
            or written == self._not_over
            or any(device.launch.running for device in self.devices)
        ):
            return False
        self._not_over = written
        return all(self._are_over(device) for device in self.devices) and all(
            self._in_step(device) for device in self.devices
        )

    def _are_over(self, device: Device) -> bool:
        if len(self.campaigns) == 1:
            return device.status(self.campaign_id) in OVER
        statuses = {self.campaign_id: "lost"} | device.statuses()
        # A further campaign may be lost with an older database, before it left the device.
        return all(statuses.get(campaign, "empty") in (*OVER, "empty") for campaign in self.campaigns)

    def _in_step(self, device: Device) -> bool:
        if not self.shared:
            return True
        engine = device.launch.engine
        heads = {
            (stream_heads.campaign_id, stream_heads.event_hash, stream_heads.audit_hash)
            for stream_heads in FakeSharedStore(self.project).streams()
        }
        # Whoever has a conflict before them is about to decide: what they say would be on one device alone.
        state = engine.report.state() if engine is not None else None
        return state is not None and state.waiting == state.conflicts == 0 and device.heads() == heads

    def where_it_stands(self) -> str:
        """For people."""
        return "; ".join(f"{device.name}: {device.describe()}" for device in self.devices)

    def check_stores(self) -> None:
        """State is the fold of the log, the chains are whole, and all devices have the same rows."""
        first = self.devices[0]
        for device in self.devices if not self.shared else [first]:
            differences = _find_differences(device.launch.database)
            if differences:
                raise Violation(f"{device.name}: {len(differences)} rows differ from the log, first {differences[0]}")
        if not self.shared and self.suffered.isdisjoint(("older", "backup")):
            self._check_decisions(first)
        if self.shared or "older" not in self.suffered:
            self._check_erased()
        deleted = [campaign for campaign in self.campaigns if first.status(campaign) == "deleted"]
        if deleted:
            self._check_deleted(first)
        if self.campaign_id not in deleted:
            for kind, check in _CHECKS.items():
                if kind in self.kinds:
                    check(self)
        if self.assist and "copy" not in self.kinds and self.suffered.isdisjoint(("older", "backup")):
            self._check_words(first)
        for device in self.devices:
            self._check_logs(device)
        self._check_devices_agree()

    def _check_logs(self, device: Device) -> None:
        with device.launch.database.read() as connection:
            broken = [report for report in verification.verify(connection) if report.broken]
            asked = next(filter(only_forbids, rebase_queue.open_conflicts(connection)), None)
            taken_back = set_back(map(LeadEntry._make, connection.execute(_OF_LEADS)))
        if broken:
            raise Violation(f"{device.name}: {broken[0]}")
        if taken_back and _CLOCKS.isdisjoint(self.kinds):
            raise Violation(f"{device.name}: {taken_back}")
        if asked is not None:
            raise Violation(f"{device.name} asks whether the user really forbids something: {asked.cause}")

    def _check_devices_agree(self) -> None:
        """In the end every device has the same rows."""
        first, *others = self.devices
        rows = first.rows()
        for device in others:
            for table, there in device.rows().items():
                if there != rows[table] and sorted(there, key=repr) != sorted(rows[table], key=repr):
                    raise Violation(f"{device.name} has other {table} than {first.name}")

    def _check_deleted(self, device: Device) -> None:
        """Nobody finds a word of a deleted campaign or of its people, on any device or in the shared store."""
        asked = (click for clicks in self.oracle.clicks.values() for click in clicks)
        forbidden = {click.person for click in asked if click.what == "do not contact"}
        stays = {card.name for card in self.people if card.slug in forbidden}  # on that list
        with device.launch.database.read() as connection:
            elsewhere = {self.who.slug(key) for (key,) in connection.execute(_IN_OTHER_CAMPAIGNS)}
            listed = {name for (name,) in connection.execute(_LISTED)}
            rejected = "".join(raw for (raw,) in connection.execute(_REJECTED_BY_OTHER_CAMPAIGNS))
        elsewhere |= {card.slug for card in self.people if card.slug in rejected or card.name in rejected}
        elsewhere |= {card.slug for card in self.people if card.name in listed}
        stays |= {card.name for card in self.people if card.slug in elsewhere}
        gone = [card for card in self.people if card.slug not in forbidden | elsewhere]
        words = {word for card in gone for word in (card.name, *traces_of(card.slug))} - stays
        if "tidy" not in self.kinds and len(self.campaigns) == 1:  # then there are others like it
            words |= {GOAL, *(saying for saying in SAYINGS if "note" in saying or "leads" in saying)}
        for where, texts in self._kept_words().items():
            for table, text in texts:
                if left_word := next((word for word in sorted(words) if word in text), ""):
                    raise Violation(
                        f"{where} still tells {left_word!r} of a deleted campaign, in {table}: {text[:200]!r}"
                    )

    def _kept_words(self) -> dict[str, list[tuple[str, str]]]:
        """Every text on every device and in the shared store, with its table."""
        texts = {device.name: device.words() for device in self.devices}
        return texts | {"the shared store": [("entries", payload) for payload in self._shared_payloads()]}

    def _check_erased(self) -> None:
        """Nobody finds a word about those whose data was erased, on any device or in the shared store."""
        if not self.oracle.erased_people:
            return
        texts = self._kept_words()
        others = {card.name for card in self.people if card.slug not in self.oracle.erased_people}
        for slug, (name, *_) in self.oracle.erased_people.items():
            unique = name not in others
            if any(device.finds(word) for word in (mark_of(slug), *[name] * unique) for device in self.devices):
                raise Violation(f"a search still finds {slug}, who was erased")
            for where, words in texts.items():
                traces = (*traces_of(slug), *[name] * unique)
                for table, text in words:
                    if any(trace in text for trace in traces):
                        raise Violation(f"{where} still tells of {slug}, who was erased, in {table}: {text[:200]!r}")
        if {"older", "backup"}.isdisjoint(self.suffered):  # what a database has lost, it cannot name
            check_pictures(self)

    def _shared_payloads(self) -> list[str]:
        """Every entry in the shared store."""
        if not self.shared:
            return []
        logs = self.project.users["ada"]
        payloads = [entry.payload for log in logs.events.values() for entry in log]
        return payloads + [entry.payload for entries in logs.audits.values() for entry in entries]

    def _forget_lost_erasures(self, device: Device) -> None:
        """An erasure of which a part had not left the device went with its database; then nobody can expect it."""
        logs = self.project.users["ada"].events.values() if self.shared else ()
        entry_ids = {entry.entity_id for log in logs for entry in log if entry.kind == "EntriesErased"}
        for slug, (_, where, entries) in list(self.oracle.erased_people.items()):
            if where == device.name and not entries <= entry_ids | device.erasures():
                self.tell(f"{device.name}: that {slug} was erased is lost with the database that knew it")
                del self.oracle.erased_people[slug]

    def _check_decisions(self, device: Device) -> None:
        """What the user was told is on record is there, once."""
        with device.launch.database.read() as connection:
            recorded_keys = Counter(
                key for (key,) in connection.execute("SELECT given_key FROM conversations WHERE role='user'")
            )
            recorded_approvals = Counter(text for (text,) in connection.execute("SELECT message_id FROM approvals"))
        for asked in self.oracle.asked:
            if recorded_keys[asked.key] != 1 and not self.oracle.erased:
                raise Violation(f"what was said as {asked.key} is on record {recorded_keys[asked.key]} times")
        for message, times in self.oracle.approved.items():
            if recorded_approvals[message] < times:
                raise Violation(
                    f"text {message} was approved {times} times, {recorded_approvals[message]} are on record"
                )

    def _check_words(self, device: Device) -> None:
        settled = (
            "SELECT id, message_id, status,"
            " (SELECT count(*) FROM event_log WHERE kind='ActionSettled' AND entity_id=a.id),"
            " (SELECT deleted_at FROM campaigns c WHERE c.id=a.campaign_id) FROM actions a"
        )
        acts, of_deleted = dict[Act, tuple[str, int]](), set[Act]()
        for id_, message, status, times, deleted_at in device.launch.database.query(all_rows, settled):
            acts[Act(id_, message)] = status, times
            if deleted_at is not None and self.shared:
                of_deleted.add(Act(id_, message))
        self.oracle.judge_words(acts, of_deleted)

    def digest(self) -> str:
        """Of everything that happened: the same seed gives the same."""
        whole = hashlib.sha256()
        for entry in self.exchange.entries():
            whole.update(entry.to_line().encode())
        for device in self.devices:
            whole.update(repr(device.chain()).encode())
        return whole.hexdigest()[:16]

    def close(self) -> None:
        """Throw everything away."""
        for device in self.devices:
            self.left.append(device.launch)
        for launch in self.left:
            launch.dead = True
        self.hub.close()
        for launch in self.left:
            launch.database.give_back()
        shutil.rmtree(self.folder, ignore_errors=True)


@cache
def _scratch() -> sqlite3.Connection:
    """An empty database in memory for all comparisons, whose statements stay prepared."""
    connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
    migrations.copy_schema(connection)
    return connection


def _find_differences(database: Database) -> list[replay.Difference]:
    """As `replay.find_differences`, with the scratch database of before."""
    scratch = _scratch()
    scratch.execute("BEGIN")
    try:
        with database.read() as stored:
            replay._intact(database, stored)
            replay._apply_all(stored, scratch)
            return [
                difference for table in replay.PROJECTIONS for difference in replay._compare(stored, scratch, table)
            ]
    finally:
        scratch.execute("ROLLBACK")


_CHECKS: dict[str, Callable[[World], None]] = {
    "scripts": analysis.check_scripts,
    "agents": agents.check_agents,
    "program": connected.check_servitors,
    "app": app.check_ledgers,
    "live page": live_page.check_pages,
    "files": kept_files.check_files,
    "closed pages": check_closed_pages,
    "withdrawals": check_withdrawals,
}
"""What is looked at in the end, by the kind of world."""


def _raise(what: str) -> None:
    raise Violation(what)


def _stands_against(kind: str, shown: ShownByAct | None, read: int) -> str:
    """What on the page that an act has opened forbids it, in words; "" for nothing. Replies up to `read` the user knows."""
    if isinstance(shown, Thread):
        return (
            "their reply" if any(message.author == "them" and message.at > read for message in shown.messages) else ""
        )
    fits = "pending" if kind == "withdraw" else "none"
    return "" if shown is None or str(shown) == fits else f"that the relation is {shown}"


def seen_before(launch: Launch) -> dict[str, SeenBefore]:
    """Whom the user knew before, by the lead files that are on record there; the latest is when that began to count.

    That somebody was invited, of whom the file's campaign had contacted, tells of that contact.
    """
    world = launch.device.world
    contacts = world.oracle.contacts.of_person
    read = launch.database.query(all_rows, _READ_FILES)
    name = launch.device.name
    return {
        slug: SeenBefore(at, name)
        for file, at, campaign in sorted(read, key=lambda of: -of[1])
        for slug, wrote in world.history.get(file, {}).items()
        if wrote or not any(contact.campaign == campaign and contact.at < at for contact in contacts.get(slug, ()))
    }


def approved_text(launch: Launch, slug: str) -> str:
    """The message to them that waits to be sent, as it was approved; "" for none."""
    with launch.database.read() as connection:
        rows = connection.execute(
            "SELECT l.member_key, m.text FROM messages m JOIN leads l ON l.id = m.lead_id"
            " WHERE m.status='approved' AND m.kind='message' AND m.campaign_id=? ORDER BY m.id",
            (launch.acts_for,),
        ).fetchall()
    who = launch.device.world.who
    return next((text for key, text in rows if who.slug(key) == slug), "")


def _imported(launch: Launch, people: Iterable[tuple[int, PersonCard]], with_emails: bool) -> Iterator[Event]:
    file, new_id = launch.journal.ids.new(), launch.journal.ids.new
    yield Event(
        "ImportStarted", file, {"file": FIRST_FILE, "format": "mapped", "created_at": launch.device.clock.now()}
    )
    for position, card in people:
        fields = {
            "full_name": card.name,
            "profile_url": profile_of(card.slug),
            "member_key": profile_of(card.slug),
            "job_title": card.headline,
            "company": card.company,
            "position": position,
            "import_id": file,
            "extra": {"Met at": f"a fair {mark_of(card.slug)}", "Phone": phone_of(card.slug)},
        } | ({"email": email_of(card.slug)} if with_emails else {})
        yield Event("LeadImported", new_id(), fields)


def simulate(plan: Plan, kind: Callable[[Plan, Path], World] = World) -> Outcome:
    """Live through a whole world; raises only what no world may raise."""
    folder = temporary_folder("outrider-")
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 100)  # a world makes little garbage that refers to itself
    gc.freeze()  # and what was there before need not be looked through
    world, hook = kind(plan, folder), threading.excepthook
    # A defect in the background is no reason to end, for the product; here it is one.
    threading.excepthook = lambda failed: world.judge_broken(
        f"something in the background failed: {failed.exc_value!r}"
    )
    try:
        try:
            world.live()
        except Exception as error:
            if not (folder.is_dir() and FOLDERS.are_there()):  # who tidied up was not this world
                raise
            # Nothing may fall over; what does is told as any other broken rule.
            world.tell("".join(traceback.format_exception(error)[-6:]))
            world.violation = world.violation or f"it fell over: {error!r}"
        return Outcome(
            plan.seed, world.hub.now / 1e6 / 86_400, world.struck, tuple(sorted(world.kinds)), len(world.received()),
            world.hub.switches, world.digest(), world.story, world.happened, world.violation,
        )  # fmt: skip
    finally:
        world.close()
        threading.excepthook = hook
        gc.unfreeze()
        gc.set_threshold(*before)
