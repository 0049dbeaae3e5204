"""One turn: the eight steps in order (spec 001 FR-005a…h), each recorded, driven by dispatching turn events (spec 002).

A turn without an outside effect is one transaction; a turn with one is two: the intent before it, the outcome after it.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from backend.controller import context as loading
from backend.controller import planner
from backend.controller.billing import UNASKED, Bill
from backend.controller.context import Context, Surroundings
from backend.controller.executor import Boundary, Executor, Outcome
from backend.controller.presence import Presence
from backend.controller.telling import tell, tell_failure
from backend.controller.tool_gateway import ToolGateway
from backend.controller.turnstile import Turnstile
from backend.domain.decisions import SCORING_BATCH
from backend.domain.errors import OutriderError
from backend.domain.events import AuditEntry, Event
from backend.domain.judgement import Facts, judge
from backend.domain.progress import unproductive
from backend.domain.proposals import Rejection
from backend.domain.reply import Action, ActionHandler, JsonActionHandler
from backend.domain.snapshot import Snapshot
from backend.domain.task import PLAN_AHEAD, TaskKind, TaskStatus
from backend.domain.turn import TurnEventKind, TurnMachine, TurnState
from backend.ports.clock import Clock
from backend.ports.proposer import Proposer
from backend.ports.standing import LOCAL, Alone, Standing
from backend.store import reading
from backend.store.journal import Journal, StaleStateError

KEPT_REPLY = 1_048_576
"""A longer reply is kept up to here with the length and the SHA-256 of the whole."""


@dataclass(frozen=True, slots=True)
class TurnReport:
    """How one turn went; `steps` are the eight durations in microseconds, `raw` the reply as received."""

    number: int
    proposal: str
    verdict: str
    said: str
    task_id: str | None
    lead_id: str | None
    steps: tuple[int, ...]
    raw: str
    effect: bool
    follows: bool


@dataclass(frozen=True, slots=True)
class Asleep:
    """No turn was begun, because nothing is eligible before `until` (ms UTC; None: before somebody does something)."""

    until: int | None
    held: tuple[str, ...] = ()


class TurnLoop:
    """Runs turns, one at a time; what hears of a turn while it runs must be quick.

    `on_step` hears (campaign id, step number, what), `on_text` (campaign id, turn, text, whole): the reply's pieces as they
    arrive, and at last all of it as received.
    """

    def __init__(
        self,
        journal: Journal,
        proposer: Proposer,
        gateway: ToolGateway,
        clock: Clock,
        presence: Presence,
        *,
        boundary: Boundary = lambda _: None,
        turnstile: Turnstile | None = None,
        handler: ActionHandler | None = None,
        standing: Standing | None = None,
    ) -> None:
        self.standing = standing or Alone()
        self.turnstile = turnstile or Turnstile()
        self.handler = handler or JsonActionHandler()
        self.journal = journal
        self.proposer = proposer
        self.gateway = gateway
        self.clock = clock
        self.presence = presence
        self.boundary = boundary
        self.on_step: Callable[[str, int, str], None] = lambda *_: None
        self.on_text: Callable[[str, int, str, bool], None] = lambda *_: None
        self.stopped: Callable[[], bool] = lambda: False
        self._turn_lock = threading.Lock()

    def run_turn(self, campaign_id: str, reason: str = "loop", request_id: str | None = None) -> TurnReport | Asleep:
        """The whole turn, of the campaign's own or for a request of the user.

        Waits for a turn in flight elsewhere in the workspace. Raises `turn_in_flight` for one of this very loop,
        `campaign_unknown`, `campaign_not_active`, or what made it fail; `StaleStateError` if an outcome has to be found out first.
        """
        if not self._turn_lock.acquire(blocking=False):
            raise OutriderError("turn_in_flight")
        try:
            with self.turnstile.turn(self.stopped):
                return _Turn(self, campaign_id, reason, request_id).run()
        finally:
            self._turn_lock.release()

    def surroundings(self) -> Surroundings:
        """What a turn must know that is not in the database."""
        now = self.clock.now()
        present = self.presence.is_present(now) and not self.stopped()
        return Surroundings(now, self.clock.offset(now), present, self.standing.word())


class _Turn:
    """The one turn in flight."""

    def __init__(self, loop: TurnLoop, campaign_id: str, reason: str, request_id: str | None) -> None:
        self.loop = loop
        self.journal = loop.journal
        self.gateway = loop.gateway
        self.campaign_id = campaign_id
        self.reason = reason
        self.request_id = request_id
        self.executor = Executor(
            loop.journal, loop.gateway, loop.clock, loop.boundary, loop.surroundings, loop.standing
        )

        self.bill = Bill()
        self.overtaken = False
        self.steps: list[int] = []
        self.mark = loop.clock.ticks()

    def run(self) -> TurnReport | Asleep:
        loaded = self.load_and_select()
        if isinstance(loaded, Asleep):
            return loaded
        machine, context, snapshot = loaded
        raw = self.invoke(machine, context, snapshot)
        self.step(raw)
        while True:
            try:
                return self.judge_execute_persist(machine, context, raw)
            except StaleStateError:
                # Somebody decided something meanwhile: the same reply is judged again, by what is true now.
                self.overtaken = True
                del self.steps[3:]
                machine, context = self.begin_again(raw)
                machine.dispatch(TurnEventKind.CONTEXT_LOADED)

    def step(self, what: str) -> None:
        """Close a step: its duration is kept, and the next one begins."""
        now = self.loop.clock.ticks()
        self.steps.append(now - self.mark)
        self.mark = now
        self.loop.on_step(self.campaign_id, len(self.steps), what)
        self.loop.boundary(f"step-{len(self.steps)}")

    def begin(self, connection: sqlite3.Connection) -> tuple[TurnMachine, Context]:
        position = reading.position(connection, self.campaign_id)
        if position is None:
            raise OutriderError("campaign_unknown", campaign=self.campaign_id)
        if self.request_id is not None:
            # It acts on nothing outside, so whatever the campaign does or waits for does not matter, nor is it changed.
            machine = TurnMachine(TurnState.IDLE)
            machine.dispatch(TurnEventKind.WAKE_REQUESTED, self.reason)
            return machine, loading.load_request(connection, position, self.loop.surroundings(), self.request_id)
        if position.campaign.status != "active":
            raise OutriderError("campaign_not_active", status=position.campaign.status, campaign=self.campaign_id)
        if position.state is TurnState.EXECUTING_ACTIONS and self.loop.standing.word() != LOCAL:
            raise StaleStateError(self.campaign_id)  # an outcome was overtaken since this run last looked
        machine = TurnMachine(position.state)
        machine.dispatch(TurnEventKind.WAKE_REQUESTED, self.reason)
        return machine, loading.load(connection, position, self.loop.surroundings())

    def begin_again(self, raw: str) -> tuple[TurnMachine, Context]:
        try:
            with self.journal.database.read() as connection:
                return self.begin(connection)
        except OutriderError:
            # Stopped meanwhile: nothing is carried out, but what was replied and looked at stays on record.
            audits = [_reply_entry(raw), *self.gateway.take_audits()]
            now, paid = self.loop.clock.now(), self.bill.without_a_turn(self.journal.ids.new)
            self.journal.record(self.campaign_id, events=paid, audits=audits, actor="agent", cause="overtaken", at=now)
            raise

    def load_and_select(self) -> tuple[TurnMachine, Context, Snapshot] | Asleep:
        """Steps 1 and 2."""
        with self.journal.database.read() as connection:
            machine, context = self.begin(connection)
            self.step("load state")
            if not context.ready:
                machine.dispatch(TurnEventKind.SLEEP_REQUESTED)
                if self.request_id is not None:
                    return Asleep(None)
                return Asleep(loading.asleep_until(connection, context), loading.held_because(context))
            snapshot = loading.snapshot(connection, context)
        machine.dispatch(TurnEventKind.CONTEXT_LOADED)
        self.step(snapshot.focus.task.description)
        return machine, context, snapshot

    def invoke(self, machine: TurnMachine, context: Context, snapshot: Snapshot) -> str:
        """Step 3. What was said before the model fell silent is no reply, but it is kept."""
        number, said = context.position.last_turn + 1, list[str]()

        def hear(piece: str) -> None:
            said.append(piece)
            self.loop.on_text(self.campaign_id, number, piece, False)

        try:
            raw = self.loop.proposer.propose(snapshot, hear, self.bill.add)
        except OutriderError as error:
            if error.code in UNASKED and not said and not self.bill.columns():
                raise  # nothing was asked, so there was no turn
            self.fail(machine, context, error, "".join(said))
            raise
        self.loop.on_text(self.campaign_id, number, raw, True)
        return raw

    def judge_execute_persist(self, machine: TurnMachine, context: Context, raw: str) -> TurnReport:
        """Steps 4 to 8."""
        # The reply may have taken minutes: what holds now decides, not what held when it was asked for.
        context = replace(context, around=self.loop.surroundings())
        action = self.loop.handler.read(raw)
        proposal = action.proposal
        carry_out: Callable[[], Outcome]
        if isinstance(proposal, Rejection):
            kind, said = "", proposal.code
            carry_out = partial(self.rejected, context, proposal, None)
        else:
            with self.journal.database.read() as connection:
                facts = loading.facts_for(connection, context, proposal, SCORING_BATCH)
            kind, rejection = proposal.type, judge(proposal, facts)
            if rejection is not None:
                said, carry_out = rejection.code, partial(self.rejected, context, rejection, facts)
            else:
                reply = _reply_entry(raw)
                said, carry_out = "valid", partial(self.executor.execute, context, proposal, facts, reply)
        machine.dispatch(TurnEventKind.INFERENCE_COMPLETED)
        self.step(f"{kind or 'reply'}: {said}")
        outcome = carry_out()
        machine.dispatch(TurnEventKind.ACTIONS_COMPLETED)
        self.step(outcome.verdict)
        return self.persist(machine, context, outcome, kind, raw, action)

    def rejected(self, context: Context, rejection: Rejection, facts: Facts | None) -> Outcome:
        """Nothing is executed. The task named bears the strike if it was on offer, else the one that came first."""
        named = facts.task.id if facts is not None and facts.task is not None else None
        if facts is not None and facts.for_request:
            named = self.request_id
        blamed = next((task for task in context.ready if task.id == named), None) or next(iter(context.ready), None)
        if blamed is None:
            return Outcome(rejection.code, rejection.sentence)
        asking = facts or Facts(context.campaign, context.around.now, context.held)
        # No strike for a proposal that was right until the user decided otherwise.
        strike = [] if self.overtaken else unproductive(asking, blamed, rejection.sentence, self.journal.ids.new)
        return Outcome(rejection.code, rejection.sentence, strike, blamed.id, blamed.lead_id)

    def persist(
        self, machine: TurnMachine, context: Context, outcome: Outcome, kind: str, raw: str, action: Action
    ) -> TurnReport:
        """Steps 6, 7 and 8 in one transaction; it is on disk before anybody hears of it."""
        campaign_id, now, number = self.campaign_id, self.loop.clock.now(), context.position.last_turn + 1
        cause = f"t{number}"
        with self.journal.transaction() as transaction:
            if not outcome.effect:  # what happened in the world is recorded whatever was decided meanwhile
                transaction.expect(campaign_id, context.position.seq, context.position.event_hash)
            # With an effect, the reply is on disk since the intent.
            audits = [] if outcome.effect else [_reply_entry(raw)]
            audits += self.gateway.take_audits()
            transaction.audit(campaign_id, audits, actor="agent", cause=cause, at=now)
            self.step("persist logs")
            transaction.record(campaign_id, outcome.events, actor="controller", cause=cause, at=now)
            waiting = context.task_counts.get((TaskKind.REACH_LEAD, TaskStatus.PENDING), 0)
            if self.request_id is not None:
                tell(transaction, context, outcome, action)
            elif waiting <= PLAN_AHEAD // 2:
                planner.plan(transaction, campaign_id, cause=cause, at=now)
            self.step("update state")
            machine.dispatch(TurnEventKind.PERSIST_COMPLETED)
            self.step("repeat")
            columns = _turn(machine, self.steps, kind, outcome, self.request_id) | self.bill.columns()
            turn = Event("TurnCompleted", str(number), columns)
            transaction.record(campaign_id, [turn], actor="controller", cause=cause, at=now)
            self.loop.boundary("before-commit")
        self.loop.boundary("after-commit")
        return TurnReport(
            number=number,
            proposal=kind,
            verdict=outcome.verdict,
            said=outcome.said,
            task_id=outcome.task_id,
            lead_id=outcome.lead_id,
            steps=tuple(self.steps),
            raw=raw,
            effect=outcome.effect,
            follows=action.follows,
        )

    def fail(self, machine: TurnMachine, context: Context, error: OutriderError, heard: str) -> None:
        """No reply at all: the turn faults, nothing was executed, and that is on record."""
        now, number = self.loop.clock.now(), context.position.last_turn + 1
        machine.dispatch(TurnEventKind.TURN_FAILED, error.code)
        task = context.ready[0]
        outcome = Outcome(error.code, error.sentence, task_id=task.id, lead_id=task.lead_id)
        with self.journal.transaction() as transaction:
            failed = {"code": error.code, "said": error.sentence} | ({"heard": heard[:KEPT_REPLY]} if heard else {})
            entry = AuditEntry("turn_failed", failed)
            transaction.audit(self.campaign_id, [entry], actor="controller", cause=f"t{number}", at=now)
            columns = _turn(machine, self.steps, "", outcome, self.request_id) | self.bill.columns()
            turn = Event("TurnFaulted", str(number), columns)
            if self.request_id is not None:
                tell_failure(transaction, context, outcome)
            transaction.record(self.campaign_id, [turn], actor="controller", cause=f"t{number}", at=now)


def _turn(
    machine: TurnMachine, steps: list[int], kind: str, outcome: Outcome, request_id: str | None
) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "history": machine.history,
        "steps": list(steps),
        "proposal": kind,
    }
    # What is usual is the column's default: an ordinary turn's entry stays small.
    if machine.state is TurnState.FAULTED:
        turn["faulted"] = 1
    if outcome.verdict != "accepted":
        turn["verdict"] = outcome.verdict
    if outcome.task_id:
        turn["task_id"] = outcome.task_id
    if outcome.lead_id:
        turn["lead_id"] = outcome.lead_id
    if outcome.said:
        turn["error"] = outcome.said
    if request_id is not None:
        turn["request_id"] = request_id
    return turn


def _reply_entry(raw: str) -> AuditEntry:
    """The reply exactly as received, whatever it was (spec 001 FR-051)."""
    if len(raw) <= KEPT_REPLY:
        return AuditEntry("proposal", {"raw": raw})
    digest = hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest()
    return AuditEntry("proposal", {"raw": raw[:KEPT_REPLY], "length": len(raw), "sha256": digest})
