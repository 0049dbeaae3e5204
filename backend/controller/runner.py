"""Starts and stops a campaign, and keeps it going turn after turn until it is finished or somebody is needed."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from backend.controller import planner, rescoring
from backend.controller.commands import Commands
from backend.controller.loop import Asleep, TurnLoop, TurnReport
from backend.controller.recovery import Recovered, recover
from backend.controller.tool_gateway import Trouble
from backend.controller.verifier import verify_waiting
from backend.domain import gates
from backend.domain.campaign import CampaignStatus, is_finished
from backend.domain.errors import OutriderError
from backend.domain.events import AuditEntry, Event
from backend.domain.looks import incident
from backend.domain.message import Message
from backend.domain.task import TaskStatus
from backend.domain.turn import TurnEventKind, TurnMachine, TurnState
from backend.ports.standing import MAY_ACT
from backend.store import reading
from backend.store.journal import StaleStateError
from backend.store.projections import LostRowError

MAX_SILENCES = 5
"""Looks in a row that the site did not answer, after which the run ends with an error."""


class Halt(StrEnum):
    """Why a run ended."""

    COMPLETED = "completed"
    STOPPED = "stopped"
    NEEDS_APPROVAL = "needs_approval"
    NEEDS_YOU = "needs_you"
    HELD = "held"
    STEPPED = "stepped"
    NOT_YET = "not_yet"
    HANDED_OVER = "handed_over"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, the sentences that say why it is held, if it is, and until when (ms UTC) there is nothing to do."""

    halt: Halt
    because: tuple[str, ...] = ()
    until: int | None = None


OnDrafts = Callable[[str, list[Message]], bool]
"""Shows drafts to the user; True if any was decided."""


@dataclass
class Runner:
    """One campaign at a time. `stop` may be set from any thread: the run ends after the current atomic action."""

    loop: TurnLoop
    stop: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    on_turn: Callable[[TurnReport], None] = lambda _: None
    on_drafts: OnDrafts | None = None
    on_recovered: Callable[[list[Recovered]], None] = lambda _: None
    on_sleep: Callable[[Asleep], None] = lambda _: None
    stay: bool = False  # wait for the user's decisions instead of ending the run (the window's way)
    once: bool = False  # one turn, however it goes, and then the campaign is paused
    handed_to: Callable[[], str] = lambda: ""  # the device that acts from now on, when that is why `stop` is set

    def run(self, campaign_id: str) -> Ended:
        """Recover, check the environment, then turn after turn. Raises `OutriderError` when it cannot go on."""
        journal = self.loop.journal
        self.loop.stopped = self.stop.is_set
        status = self._intact(campaign_id)
        runs = threading.get_ident()
        # Only what others decide ends a sleep: woken by its own commits, the runner would never sleep at all.
        unsubscribe = journal.subscribe(lambda _: None if threading.get_ident() == runs else self.wake.set())
        try:
            if held := self._held(campaign_id):
                return Ended(Halt.HELD, held)
            self.loop.gateway.site.open()  # recovery looks, too, and must be signed in for it
            self._recover(campaign_id)
            self._activate(campaign_id, status)
            return self._turns_recorded(campaign_id)
        except (LostRowError, sqlite3.IntegrityError) as error:
            raise self._broken(campaign_id, f"{type(error).__name__}: {error}") from error
        except OutriderError as error:
            if error.code in ("illegal_transition", "illegal_status"):
                raise self._broken(campaign_id, error.sentence) from error
            raise
        finally:
            unsubscribe()

    # --- before the first turn ---

    def _intact(self, campaign_id: str) -> CampaignStatus:
        with self.loop.journal.database.read() as connection:
            position = reading.position(connection, campaign_id)
            counts = reading.lead_counts(connection, campaign_id)
        if position is None:
            raise OutriderError("campaign_unknown", campaign=campaign_id)
        if position.campaign.status in (CampaignStatus.ERROR, CampaignStatus.COMPLETED):
            status = position.campaign.status
            raise OutriderError("campaign_not_active", status=status, campaign=campaign_id)
        if not counts:
            raise OutriderError("campaign_empty", campaign=campaign_id)
        return position.campaign.status

    def _held(self, campaign_id: str) -> tuple[str, ...]:
        """Not even a look at the site while an incident is open or nobody is here."""
        around = self.loop.surroundings()
        with self.loop.journal.database.read() as connection:
            campaign = reading.campaign(connection, campaign_id)
            said = reading.open_incident(connection, campaign.account) if campaign else ""
        reasons = (gates.incident_open(said) if said else "", "" if around.present else gates.AWAY)
        return tuple(reason for reason in reasons if reason)

    def _activate(self, campaign_id: str, status: CampaignStatus) -> None:
        """The environment is checked before every run; a page that changed means that nothing is done (fails closed)."""
        gateway, journal, clock = self.loop.gateway, self.loop.journal, self.loop.clock
        report = gateway.check_selectors()
        now = clock.now()
        ok = not isinstance(report, Trouble) and report.ok
        events = []
        if isinstance(report, Trouble) and report.kind is not None:
            with journal.database.read() as connection:
                position = reading.position(connection, campaign_id)
            if position is not None:
                events.append(
                    incident(
                        position.campaign, report.kind, report.said, now, journal.ids.new, evidence=report.evidence
                    )
                )
        audits = gateway.take_audits()
        journal.record(campaign_id, events=events, audits=audits, actor="controller", cause="start", at=now)
        if isinstance(report, Trouble):
            raise OutriderError("site_unreachable", site=gateway.site.name, detail=report.said)
        if not ok:
            raise OutriderError("selectors_changed", site=gateway.site.name, missing=", ".join(report.missing))
        if status is not CampaignStatus.ACTIVE:  # one that was active and is not any more was stopped during the start
            self._commands("user").change_status(campaign_id, CampaignStatus.ACTIVE)
        self._runtime(campaign_id, loop_enabled=1)

    # --- turns ---

    def _turns_recorded(self, campaign_id: str) -> Ended:
        try:
            return self._turns(campaign_id)
        except OutriderError:
            with suppress(OutriderError):  # what went wrong is told by the first error, not by a second one
                self._runtime(campaign_id, loop_enabled=0)
            raise

    def _turns(self, campaign_id: str) -> Ended:
        silences = 0
        while True:
            if self.stop.is_set():
                return self._stopped(campaign_id)
            self.wake.clear()
            if self._out_of_step():
                continue
            turn = self._turn(campaign_id)
            if isinstance(turn, Asleep):
                turn = self._rest(campaign_id, turn)
            if turn is None:
                continue
            if isinstance(turn, Ended):
                return turn
            self.on_turn(turn)
            verify_waiting(self.loop.journal, self.loop.clock, campaign_id)
            if turn.proposal == "generate_message" and turn.verdict == "accepted":
                self._review(campaign_id)
            if self.once:
                return self._pause(campaign_id, "after one step", Ended(Halt.STEPPED))
            silences = silences + 1 if turn.verdict == "unavailable" else 0
            if silences >= MAX_SILENCES:
                raise OutriderError("site_unreachable", site=self.loop.gateway.site.name, detail=turn.said)

    def _turn(self, campaign_id: str) -> TurnReport | Asleep | Ended | None:
        """The next turn, or how the run ends; None if an outcome had to be found out first.

        That is an intent whose outcome is not in the log: another device's entries came before ours, or it was cut off there.
        """
        try:
            return self.loop.run_turn(campaign_id)
        except StaleStateError:
            self._recover(campaign_id)
            return None
        except OutriderError as error:
            if error.code == "campaign_not_active":  # paused from somewhere else
                return self._end(campaign_id, Ended(Halt.STOPPED))
            if error.code == "proposer_stopped":
                return self._stopped(campaign_id)
            if error.code == "model_budget_spent":
                return self._pause(campaign_id, error.sentence, Ended(Halt.HELD, (error.sentence,)))
            raise

    def _stopped(self, campaign_id: str) -> Ended:
        if name := self.handed_to():  # whatever was recorded now could overtake what that device records
            return Ended(Halt.HANDED_OVER, (f"Handed over to “{name}”.",))
        return self._pause(campaign_id, "stopped by the user", Ended(Halt.STOPPED))

    def _out_of_step(self) -> bool:
        """Whether nothing may be begun now: it rests, records nothing, and goes on by itself."""
        word = self.loop.standing.word()
        if word in MAY_ACT:
            return False
        self.on_sleep(Asleep(None, (gates.out_of_step(word),)))
        self.wake.wait(1.0)
        return True

    def _recover(self, campaign_id: str) -> None:
        journal, clock = self.loop.journal, self.loop.clock
        self.on_recovered(recover(journal, self.loop.gateway, clock, campaign_id))
        verify_waiting(journal, clock, campaign_id)

    def _rest(self, campaign_id: str, asleep: Asleep) -> Ended | None:
        """Nothing is eligible now: plan, review, finish, sleep, or end the run because somebody is needed."""
        journal, clock = self.loop.journal, self.loop.clock
        if rescoring.finish(journal, clock, campaign_id, self.stop.is_set):
            return None
        with journal.transaction() as transaction:
            if planner.plan(transaction, campaign_id, cause="plan", at=clock.now()):
                return None
        if self._review(campaign_id):
            return None
        with journal.database.read() as connection:
            finished = _finished(connection, campaign_id)
            drafts = reading.open_drafts(connection, campaign_id, 1)
        if finished:
            return self._complete(campaign_id)
        # Only the user can bring it on now: a rehearsal's clock must not jump past what waits in Review. It does jump for
        # what was approved and is held back.
        needs_user = asleep.until is None or (drafts > 0 and not asleep.held)
        halt = Halt.HELD if asleep.held else Halt.NEEDS_APPROVAL if drafts else Halt.NEEDS_YOU
        if self.once and (needs_user or not clock.jumps):
            halt = halt if needs_user or asleep.held else Halt.NOT_YET
            return self._pause(campaign_id, "nothing to do now", Ended(halt, asleep.held, asleep.until))
        self.on_sleep(asleep)
        if self.stay and needs_user:  # awaited in real time
            self._to_sleep(campaign_id)
            self.wake.wait(1.0)
            return None
        if asleep.until is not None:
            self._to_sleep(campaign_id)
            clock.sleep_until(asleep.until, self.wake)
            return None
        return self._end(campaign_id, Ended(halt, asleep.held))

    def _complete(self, campaign_id: str) -> Ended | None:
        """Completed if that is still so in the very transaction that says it: leads may be imported at any moment."""
        with self.loop.journal.transaction() as transaction:
            campaign = reading.campaign(transaction.connection, campaign_id)
            active = campaign is not None and campaign.status is CampaignStatus.ACTIVE
            if not active or not _finished(transaction.connection, campaign_id):
                return None
            completed = Event("CampaignCompleted", campaign_id, {"status": CampaignStatus.COMPLETED})
            transaction.record(campaign_id, [completed], actor="controller", cause="finished", at=self.loop.clock.now())
        return self._end(campaign_id, Ended(Halt.COMPLETED))

    def _review(self, campaign_id: str) -> bool:
        if self.on_drafts is None:
            return False
        with self.loop.journal.database.read() as connection:
            drafts = reading.drafts(connection, campaign_id)
        return bool(drafts) and self.on_drafts(campaign_id, drafts)

    # --- the runtime snapshot ---

    def _to_sleep(self, campaign_id: str) -> None:
        with self.loop.journal.database.read() as connection:
            position = reading.position(connection, campaign_id)
        if position is not None and position.state is TurnState.IDLE:
            machine = TurnMachine(position.state)
            machine.dispatch(TurnEventKind.SLEEP_REQUESTED)
            self._runtime(campaign_id, state=machine.state)

    def _pause(self, campaign_id: str, why: str, ended: Ended) -> Ended:
        self._commands("user").change_status(campaign_id, CampaignStatus.PAUSED, why)
        return self._end(campaign_id, ended)

    def _end(self, campaign_id: str, ended: Ended) -> Ended:
        self._runtime(campaign_id, loop_enabled=0)
        return ended

    def _runtime(self, campaign_id: str, **changes: object) -> None:
        event = Event("RuntimeChanged", campaign_id, changes)
        now = self.loop.clock.now()
        self.loop.journal.record(campaign_id, events=[event], actor="controller", cause="runtime", at=now)

    def _commands(self, actor: str) -> Commands:
        return Commands(self.loop.journal, self.loop.clock, actor)

    def _broken(self, campaign_id: str, what: str) -> OutriderError:
        """An invariant does not hold: the campaign goes to `error` and says why, in both logs."""
        now = self.loop.clock.now()
        failed = {"status": CampaignStatus.ERROR, "status_reason": what[:500]}
        self.loop.journal.record(
            campaign_id,
            events=[Event("CampaignFailed", campaign_id, failed)],
            audits=[AuditEntry("invariant_broken", {"what": what[:2_000]})],
            actor="controller",
            cause="invariant",
            at=now,
        )
        return OutriderError("invariant_broken", what=what[:500])


def _finished(connection: sqlite3.Connection, campaign_id: str) -> bool:
    counts = reading.task_counts(connection, campaign_id)
    over = (TaskStatus.DONE, TaskStatus.BLOCKED)
    return is_finished(
        open_tasks=sum(n for (_, status), n in counts.items() if status not in over),
        open_questions=reading.open_questions(connection, campaign_id),
        unplanned_leads=len(reading.unplanned_leads(connection, campaign_id, 1)),
    )
