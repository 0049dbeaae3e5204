"""A whole campaign in one process: real SQLite, the practice network's own core, a clock that jumps, no mocks.

A `Stage` outlives its processes: `reopen` is a restart, `Killed` the end that no code can catch by mistake.
"""

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.commands.review import AUTO_APPROVE
from backend.commands.user_commands import Commands
from backend.domain.events.events import AuditEntry, Event
from backend.domain.model.campaign import CampaignStatus, Limits, Settings
from backend.domain.model.message import Message
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import Attempt, Profile, SelectorReport, SitePerson, Thread
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.canonical_json import canonical
from backend.domain.values.hidden_characters import hidden_code_points
from backend.ports.ids import Ids
from backend.ports.proposer import OnText, OnUsage, Proposer, ignore_text, ignore_usage
from backend.ports.site import ActCheck, ShownByAct, unguarded
from backend.ports.sync_status import LocalOnly, SyncStatus
from backend.practice.behaviour import AnswerBehaviour, behaviour_of
from backend.practice.faults import Fault, FaultKind
from backend.practice.faults import Step as FaultStep
from backend.practice.ledger import Entry
from backend.practice.network_store import NetworkStore
from backend.practice.people import PersonCard
from backend.runtime.run.campaign_runner import CampaignRunner, RunResult
from backend.store.database import Database
from backend.store.log.journal import Journal
from backend.turn.execute.execution import Failpoint
from backend.turn.gateway import ToolGateway
from backend.turn.loop import TurnCallbacks, TurnLoop, TurnReport
from backend.turn.presence import Presence
from backend.turn.turn_queue import TurnQueue
from tests.fakes.clock import FakeClock
from tests.fakes.ids import SeededIds
from tests.fakes.site import direct_site, practice_exchange
from tests.patience import PATIENCE

MONDAY_NOON = 1_780_315_200_000
"""1 June 2026, 12:00 UTC."""

QUICK = Settings(limits=Limits(ramp_days=0, spacing_seconds=0))
"""A campaign that need not grow into its limits."""

ONE_STEP = Settings(
    sequence=Sequence(steps=(Step(key="invite", kind="invitation", template="Hi {first_name}, shall we talk?"),)),
    limits=Limits(ramp_days=0, spacing_seconds=0),
)
"""One invitation with a note, nothing else."""

MESSAGE_ONLY = Settings(
    sequence=Sequence(
        steps=(
            Step(key="visit", kind="visit"),
            Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?"),
        )
    ),
    limits=Limits(ramp_days=0, spacing_seconds=0),
)
"""One message to people who are connected already."""

LOGS = frozenset({"event_log", "audit_log", "log_heads"})


class Killed(BaseException):
    """The process ends here; nothing of ours may catch it."""


@contextmanager
def killed_after(commits: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every transaction after so many is one too many: the process is killed before it."""
    transaction, left = Journal.transaction, [commits]

    @contextmanager
    def cut_off(journal: Journal) -> Iterator[Any]:
        if not left[0]:
            raise Killed
        left[0] -= 1
        with transaction(journal) as changes:
            yield changes

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "transaction", cut_off)
        yield


When = Literal["before", "page", "click", "bytes", "after"]
"""Around a call of the site, and within an act: right before its check is asked on its page, at the click and at the bytes."""


class WatchedSite:
    """The direct site; the network's clock follows the campaign's, calls are listed, and tests break in with `during`."""

    name = "practice"
    address = "https://practice.test"
    settle_seconds = 60.0

    def __init__(self, exchange: NetworkStore, clock: FakeClock, timeout: float = 10.0) -> None:
        self._exchange = exchange
        self._clock = clock
        self._site = direct_site(exchange, timeout=timeout)
        self.calls: list[str] = []
        self.during: Callable[[str, When], None] = lambda _tool, _when: None
        self.as_shown: Callable[[Thread], Thread] = lambda thread: thread
        """What becomes of each conversation that is shown, to a look or on the page of an act."""

    @contextmanager
    def _call(self, tool: str) -> Iterator[None]:
        self.calls.append(tool)
        now = self._clock.now()
        self._exchange.record(lambda network: network.advance(now))
        self.during(tool, "before")
        yield
        self.during(tool, "after")

    def open(self) -> None:
        self._site.open()

    def close(self) -> None:
        self._site.close()

    def check_selectors(self) -> SelectorReport:
        with self._call("check_selectors"):
            return self._site.check_selectors()

    def open_profile(self, person: SitePerson) -> None:
        with self._call("open_profile"):
            self._site.open_profile(person)

    def read_profile(self, person: SitePerson) -> Profile:
        with self._call("read_profile"):
            return self._site.read_profile(person)

    def read_thread(self, person: SitePerson) -> Thread:
        with self._call("read_thread"):
            return self.as_shown(self._site.read_thread(person))

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck = unguarded) -> Attempt:
        with self._call("send_invitation"):
            return self._site.send_invitation(person, note, self._told("send_invitation", check))

    def send_message(self, person: SitePerson, text: str, check: ActCheck = unguarded) -> Attempt:
        with self._call("send_message"):
            return self._site.send_message(person, text, self._told("send_message", check))

    def withdraw_invitation(self, person: SitePerson, check: ActCheck = unguarded) -> Attempt:
        with self._call("withdraw_invitation"):
            return self._site.withdraw_invitation(person, self._told("withdraw_invitation", check))

    def _told(self, tool: str, check: ActCheck) -> ActCheck:
        moments: Iterator[When] = iter(("page", "click", "bytes"))

        def told(shown: ShownByAct | None = None) -> None:
            self.during(tool, next(moments))
            check(self.as_shown(shown) if isinstance(shown, Thread) else shown)

        return told


class Noted:
    """Any proposer; `before` is called with each snapshot, `after` with each reply."""

    def __init__(self, proposer: Proposer, before: Callable[[Snapshot], None] = lambda _: None) -> None:
        self.name = proposer.name
        self._proposer = proposer
        self.before = before
        self.shown: list[str] = []

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        self.shown.append(snapshot.to_json())
        self.before(snapshot)
        return self._proposer.propose(snapshot, on_text, on_usage)


class Stage:
    """A data folder, a practice network and a clock, and whatever process happens to run on them."""

    def __init__(
        self, folder: Path, *, people: int = 60, now: int = MONDAY_NOON, seed: str = "outrider", timeout: float = 10.0
    ) -> None:
        self.path = folder / "outrider.db"
        self.clock = FakeClock(now=now)
        self.ids: Ids = SeededIds(seed)
        self.exchange = practice_exchange(people=people, now=now, real_now=lambda: self.clock.real_time().monotonic)
        self.site = WatchedSite(self.exchange, self.clock, timeout)
        self.presence = Presence(attended=True)
        self.turn_queue = TurnQueue()
        self.sync_status: SyncStatus = LocalOnly()
        self.turns: list[TurnReport] = []
        self.database = Database(self.path)
        self.journal = Journal(self.database, self.ids)
        self.outside = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)

    def reopen(self) -> None:
        """A new process on the same folder: nothing of the old one's memory is left."""
        self.database.close()
        self.database = Database(self.path)
        self.journal = Journal(self.database, self.ids)
        self.turns = []

    def close(self) -> None:
        self.outside.close()
        self.database.close()

    def behaviour(self, slug: str) -> AnswerBehaviour:
        """How this person will behave."""
        return behaviour_of(self.exchange.read(lambda network: network.people.seed), slug)

    # --- campaigns ---

    def commands(self, actor: str = "user") -> Commands:
        return Commands(self.journal, self.clock, actor)

    def cards(self, count: int, *, skip: int = 0) -> list[PersonCard]:
        return self.exchange.read(lambda network: list(network.people.cards()))[skip : skip + count]

    def connect(self, cards: list[PersonCard]) -> None:
        """They are contacts of the account from now on."""
        contacts = [PersonCard(card.slug, card.name, card.headline, card.company, True) for card in cards]
        self.exchange.record(lambda network: network.enrol(contacts, network.now))

    def campaign(
        self,
        leads: int = 3,
        *,
        settings: Settings = QUICK,
        skip: int = 0,
        account: str = "practice",
        connected: bool = False,
        name: str = "Talk",
        site: str = "practice",
    ) -> str:
        """A campaign with that many of the network's people; `connected` makes them contacts first."""
        cards = self.cards(leads, skip=skip)
        if connected:
            self.connect(cards)
        campaign_id = self.commands().campaigns.create(
            name, "I would like to invite you to a talk.", site=site, account=account, settings=settings
        )
        import_id, at = self.ids.new(), self.clock.now()
        file = Event("ImportStarted", import_id, {"file": "people.csv", "format": "mapped", "created_at": at})
        events = [
            Event(
                "LeadImported",
                self.ids.new(),
                {
                    "import_id": import_id,
                    "full_name": card.name,
                    "profile_url": f"https://www.linkedin.com/in/{card.slug}",
                    "member_key": card.slug,
                    "job_title": card.headline,
                    "company": card.company,
                    "position": position,
                },
            )
            for position, card in enumerate(cards)
        ]
        self.journal.record(campaign_id, events=[file, *events] if events else [], actor="user", cause="import", at=at)
        return campaign_id

    def contact_anyway(self, campaign_id: str) -> None:
        """The user lets the campaign write to its people although another one is in touch with them."""
        for (lead_id,) in self.query("SELECT id FROM leads WHERE campaign_id=?", campaign_id):
            self.commands().people.contact_anyway(campaign_id, lead_id, "another matter")

    def loop(
        self,
        proposer: Proposer | None = None,
        *,
        boundary: Failpoint = lambda _: None,
        on_step: Callable[[str, int, str], None] = lambda *_: None,
        on_text: Callable[[str, int, str, bool], None] = lambda *_: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> TurnLoop:
        gateway = ToolGateway(self.site, self.clock.ticks)
        return TurnLoop(
            self.journal,
            proposer or ScriptedProposer(),
            gateway,
            self.clock,
            self.presence,
            callbacks=TurnCallbacks(on_step, on_text, stopped, boundary),
            turn_queue=self.turn_queue,
            sync_status=self.sync_status,
        )

    def runner(
        self,
        proposer: Proposer | None = None,
        *,
        approve: bool = True,
        boundary: Failpoint = lambda _: None,
        stop_after: int | None = None,
        on_turn: Callable[[TurnReport], None] = lambda _: None,
        on_step: Callable[[str, int, str], None] = lambda *_: None,
        on_text: Callable[[str, int, str, bool], None] = lambda *_: None,
        **run: Any,
    ) -> CampaignRunner:
        """A runner that approves each draft as shown, unless told otherwise; `stop_after` turns it is asked to stop.

        `run` is whatever else a `CampaignRunner` takes.
        """
        stop = threading.Event()
        loop = self.loop(proposer, boundary=boundary, on_step=on_step, on_text=on_text, stopped=stop.is_set)

        def noted(turn: TurnReport) -> None:
            self.turns.append(turn)
            on_turn(turn)
            if stop_after is not None and len(self.turns) >= stop_after:
                stop.set()

        how = {"on_drafts": self.approve if approve else None} | run
        return CampaignRunner(loop, stop=stop, on_turn=noted, **how)

    def run(self, campaign_id: str, **how: Any) -> RunResult:
        """One process's life: run until it ends by itself or is killed."""
        return self.runner(**how).run(campaign_id)

    def activate(self, campaign_id: str) -> None:
        """As a runner would before its first turn, without running any."""
        self.site.open()
        event = Event("RuntimeChanged", campaign_id, {"state": "Idle"})
        self.journal.record(campaign_id, events=[event], actor="test", cause="start", at=self.clock.now())
        self.commands().campaigns.change_status(campaign_id, CampaignStatus.ACTIVE)

    def approve(self, campaign_id: str, drafts: list[Message]) -> bool:
        """As somebody who was shown each text by itself."""
        practice = self.one("SELECT site FROM campaigns WHERE id=?", campaign_id) == "practice"
        user = self.commands(AUTO_APPROVE if practice else "user")
        for draft in drafts:
            digest = user.review.digest(campaign_id, draft.id)
            user.review.approve(campaign_id, draft.id, shown_digest=digest, hidden_shown=hidden_code_points(draft.text))
        return bool(drafts)

    def arm(
        self,
        kind: FaultKind,
        on: FaultStep = "any",
        *,
        times: int | None = 1,
        ms: int = 0,
        before: bool = False,
        slug: str | None = None,
    ) -> None:
        fault = Fault(kind=kind, on=on, times=times, ms=ms, before=before, slug=slug)
        self.exchange.record(lambda network: network.arm(fault, network.now))

    def disarm(self) -> None:
        self.exchange.record(lambda network: network.clear_faults(network.now))

    # --- what is so, seen from outside ---

    def query(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask the file through a connection of one's own, as another process would."""
        return self.outside.execute(sql, values).fetchall()

    def one(self, sql: str, *values: object) -> Any:
        """The first value of the first row."""
        return self.query(sql, *values)[0][0]

    def dump(self, skip: Iterable[str] = LOGS) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table but those skipped, and but what triggers keep for searching."""
        names = [name for (name,) in self.query("SELECT name FROM sqlite_master WHERE type='table'")]
        return {
            name: sorted(self.query(f"SELECT * FROM {name}"), key=repr)
            for name in sorted(names)
            if name not in set(skip)
            and not name.startswith(("sqlite_", "leads_text", "leads_new", "leads_unsearched", "artifacts_text"))
        }

    def events(self, campaign_id: str, kind: str = "%") -> list[tuple[str, str, str]]:
        """(kind, entity id, payload) of the events of that kind, in order."""
        return self.query(
            "SELECT kind, entity_id, change_payload FROM event_log WHERE campaign_id=? AND kind LIKE ? ORDER BY seq",
            campaign_id,
            kind,
        )

    def kinds(self, campaign_id: str) -> Counter[str]:
        """How many events of each kind there are."""
        return Counter(kind for kind, _, _ in self.events(campaign_id))

    def audits(self, campaign_id: str, action_type: str = "%") -> list[tuple[str, str]]:
        """(action type, payload) of the audit entries of that type, in order."""
        return self.query(
            "SELECT action_type, payload FROM audit_log WHERE campaign_id=? AND action_type LIKE ? ORDER BY seq",
            campaign_id,
            action_type,
        )

    def head(self, campaign_id: str) -> tuple[Any, ...]:
        """Where both chains end: equal heads mean equal logs."""
        return self.query(
            "SELECT event_seq, event_hash, audit_seq, audit_hash FROM log_heads WHERE campaign_id=?", campaign_id
        )[0]

    def status(self, campaign_id: str) -> str:
        return str(self.one("SELECT status FROM campaigns WHERE id=?", campaign_id))

    # --- the independent witness ---

    def received(self) -> list[Entry]:
        """Every invitation and message that the network received, whatever became of it."""
        return [entry for entry in self.exchange.entries() if entry.kind in ("invitation", "message")]

    def delivered(self) -> list[Entry]:
        """Those that reached their person."""
        return [entry for entry in self.received() if entry.disposition == "delivered"]

    def duplicates(self) -> int:
        """How many deliveries repeat an earlier one."""
        return sum(n - 1 for n in Counter((entry.kind, entry.to, entry.text) for entry in self.delivered()).values())

    def missing(self) -> list[tuple[Any, ...]]:
        """What our tables call sent and nobody received."""
        there = {(entry.kind, entry.to, entry.text) for entry in self.delivered()}
        sent = self.query(
            "SELECT m.kind, l.member_key, m.text FROM messages m JOIN leads l ON l.id = m.lead_id WHERE m.status='sent'"
        )
        return [row for row in sent if row not in there]

    def unapproved(self) -> list[Entry]:
        """Deliveries whose exact text for that person was never approved."""
        approved = {
            tuple(row)
            for row in self.query(
                "SELECT m.kind, l.member_key, m.text FROM messages m JOIN leads l ON l.id = m.lead_id"
                " WHERE EXISTS (SELECT 1 FROM approvals a WHERE a.message_id = m.id)"
            )
        }
        return [entry for entry in self.delivered() if (entry.kind, entry.to, entry.text) not in approved]

    # --- other processes ---

    def elsewhere(self, do: Callable[[Commands], object]) -> None:
        """The user decides something in another process."""
        database = Database(self.path)
        try:
            do(
                Commands(
                    Journal(database, SeededIds("elsewhere" + str(len(self.query("SELECT seq FROM event_log"))))),
                    self.clock,
                )
            )
        finally:
            database.close()

    def note_elsewhere(self, campaign_id: str, *events: Event, audits: Iterable[AuditEntry] = ()) -> None:
        """Another process records something."""
        database = Database(self.path)
        try:
            journal = Journal(database, SeededIds(f"note{canonical([list(event) for event in events])}"))
            journal.record(
                campaign_id, events=events, audits=tuple(audits), actor="test", cause="elsewhere", at=self.clock.now()
            )
        finally:
            database.close()


def in_a_thread(work: Callable[[], object]) -> BaseException | None:
    """Do it in another thread; what it raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(PATIENCE)
    return raised[0] if raised else None
