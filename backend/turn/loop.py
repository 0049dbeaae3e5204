"""One turn: the eight steps in order (spec 001 FR-005a…h), each recorded, driven by dispatching turn events (spec 002).

A turn without an outside effect is one transaction; a turn with one is two: the intent before it, the outcome after it.
Before a proposer that may take long is asked, `Inferring` is stored in a transaction of its own, so that a kill meanwhile
leaves a trace. `runtime_snapshot.turn_lock` says whether the stored state is that of a turn under way; within the process
the `TurnQueue` alone lets one turn in at a time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from backend.domain.events.events import AuditEntry, Event
from backend.domain.events.facts.campaign import CampaignFailed, RuntimeChanged
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.turn import TurnCompleted, TurnFaulted
from backend.domain.model.campaign import CampaignStatus, not_active_error
from backend.domain.model.task import PLAN_AHEAD, TaskKind, TaskStatus
from backend.domain.model.tools import RunScript
from backend.domain.model.turn import IN_FLIGHT, TurnEventKind, TurnMachine, TurnState, fault
from backend.domain.turn.proposal_check import ProposalFacts, judge
from backend.domain.turn.proposal_effects import SCORING_BATCH
from backend.domain.turn.proposals import ExecuteTool, Rejection
from backend.domain.turn.reply_parser import JsonReplyParser, ParsedReply, ReplyParser, prose_for
from backend.domain.turn.snapshot import Snapshot
from backend.domain.turn.task_progress import add_strike
from backend.domain.values.errors import OutriderError
from backend.ports.account_locks import ONLY_FOLDER, AccountLocks
from backend.ports.clock import Clock
from backend.ports.outside_checks import OutsideChecks
from backend.ports.proposer import Proposer, asks_model, is_slow, reads_overview
from backend.ports.script_sandbox import ScriptChecks
from backend.ports.sync_status import LOCAL, LocalOnly, SyncStatus
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.log.transaction import StaleStateError, Transaction
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign.campaigns import CampaignPosition
from backend.turn import load as loading
from backend.turn import planner
from backend.turn.conversation import abandon_request, add_failure_line, add_turn_lines
from backend.turn.execute.carry_out import carry_out
from backend.turn.execute.execution import Execution, Failpoint, TurnOutcome
from backend.turn.gateway import ToolGateway
from backend.turn.load import TurnContext
from backend.turn.model_failures import defect_error, is_defect, is_unusable, raised_at
from backend.turn.presence import Presence
from backend.turn.reply_cost import NOT_SENT_CODES, bill_without_turn, cost_columns
from backend.turn.turn_queue import TurnQueue
from backend.turn.turn_record import KEPT_REPLY, TurnRecord, reply_entry


class TurnReport(NamedTuple):
    """How one turn went; `steps` are the eight durations in microseconds, `raw` the reply as received."""

    number: int
    proposal: str
    verdict: str
    detail: str
    task_id: str | None
    lead_id: str | None
    steps: tuple[int, ...]
    raw: str
    effect: bool
    follows: bool


@dataclass(frozen=True, slots=True)
class NothingEligible:
    """No turn was begun, because nothing is eligible before `until` (ms UTC; None: before somebody does something).

    `model_silent_since` (ms UTC): the model has failed since then, and is asked again at `until`. `for_user`: people wait for
    the user's hand, which `held_reasons` say, too. `new_replies`: so many are there to be read before a rehearsal's clock skips on.
    """

    until: int | None
    held_reasons: tuple[str, ...] = ()
    model_silent_since: int | None = None
    for_user: bool = False
    new_replies: int = 0


@dataclass(frozen=True, slots=True)
class TurnCallbacks:
    """Who is told of a turn while it runs, which must be quick, and who says that it is to end.

    `on_step` is told (campaign id, step number, what), `on_text` (campaign id, turn, text, whole): the reply's pieces as they
    arrive, and at last all of it as received. `boundary` is called at the named boundaries, where tests break in.
    """

    on_step: Callable[[str, int, str], None] = lambda *_: None
    on_text: Callable[[str, int, str, bool], None] = lambda *_: None
    stopped: Callable[[], bool] = lambda: False
    boundary: Failpoint = lambda _: None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What step 4 found: the proposal with what is known about it, or why it is rejected."""

    context: TurnContext
    raw: str
    parsed: ParsedReply
    facts: ProposalFacts | None
    rejection: Rejection | None

    @property
    def proposal_type(self) -> str:
        """Empty for a reply that is no proposal."""
        proposal = self.parsed.proposal
        return "" if isinstance(proposal, Rejection) else proposal.type


@dataclass(frozen=True, slots=True)
class Commit:
    """The open transaction of a turn, what it adds to the audit log, and the turn's number and time (ms UTC)."""

    transaction: Transaction
    audits: tuple[AuditEntry, ...]
    number: int
    at: int

    @property
    def cause(self) -> str:
        """By which the log's entries name the turn."""
        return f"t{self.number}"


class TurnLoop:
    """Runs turns, one at a time in a workspace."""

    def __init__(
        self,
        journal: Journal,
        proposer: Proposer,
        gateway: ToolGateway,
        clock: Clock,
        presence: Presence,
        *,
        callbacks: TurnCallbacks | None = None,
        turn_queue: TurnQueue | None = None,
        reply_parser: ReplyParser | None = None,
        sync_status: SyncStatus | None = None,
        accounts: AccountLocks | None = None,
        outside: OutsideChecks | None = None,
        scripts: ScriptChecks | None = None,
    ) -> None:
        self.journal = journal
        self.proposer = proposer
        self.gateway = gateway
        self.clock = clock
        self.presence = presence
        self.callbacks = callbacks or TurnCallbacks()
        self.turn_queue = turn_queue or TurnQueue()
        self.reply_parser = reply_parser or JsonReplyParser()
        self.sync_status = sync_status or LocalOnly()
        self.accounts = accounts or ONLY_FOLDER
        self.outside = outside
        self.scripts = scripts

    def run_turn(
        self, campaign_id: str, reason: str = "loop", request_id: str | None = None
    ) -> TurnReport | NothingEligible:
        """The whole turn, of the campaign's own or for a request of the user.

        Waits for the turn in flight elsewhere in the workspace. Raises `turn_in_flight` if called from within that turn,
        `campaign_unknown`, `campaign_not_active`, or what made it fail; `StaleStateError` if an outcome has to be found out first.
        """
        with self.turn_queue.turn(self.callbacks.stopped):
            return _Turn(self, campaign_id, reason, request_id).run()

    def read_inputs(self) -> TurnInputs:
        """What a turn must know that is not in the database."""
        now = self.clock.now()
        present = self.presence.is_present(now) and not self.callbacks.stopped()
        return TurnInputs.at(self.clock, now, present, self.sync_status.describe())


class _Turn:
    """The one turn in flight: each step takes what the one before found, and what it found is handed to the next."""

    def __init__(self, loop: TurnLoop, campaign_id: str, reason: str, request_id: str | None) -> None:
        self.loop = loop
        self.journal = loop.journal
        self.gateway = loop.gateway
        self.callbacks = loop.callbacks
        self.campaign_id = campaign_id
        self.reason = reason
        self.request_id = request_id
        self.record = TurnRecord(loop.clock.ticks, request_id)
        self.execution = Execution(
            loop.journal,
            loop.gateway,
            loop.clock,
            loop.callbacks.boundary,
            loop.read_inputs,
            loop.sync_status,
            loop.presence,
            loop.accounts,
        )

    def run(self) -> TurnReport | NothingEligible:
        """The eight steps; a defect in any of them is recorded."""
        try:
            # Not within the read: who is asked may write, and would see the moment before.
            inputs = self.loop.read_inputs()
            with self.journal.database.read() as connection:
                context = self.load_state(connection, inputs)
                if not context.ready:
                    return self.nothing_eligible(connection, context)
                snapshot = self.select_task(connection, context)
            context, raw = self.invoke_agent(context, snapshot)
            while True:
                try:
                    judgement = self.validate_proposal(context, raw)
                    outcome = self.execute_action(judgement)
                    with self.committing(judgement.context, outcome) as commit:
                        self.persist_logs(commit)
                        self.update_state(commit, judgement, outcome)
                        return self.repeat(commit, judgement, outcome)
                except StaleStateError:
                    context = self.load_again()
        except Exception as error:
            if isinstance(error, StaleStateError) or not is_defect(error):
                raise
            raise self.record_defect(error) from error

    def close_step(self, what: str) -> None:
        """Close a step: its duration is kept, and the next one begins."""
        number = self.record.close_step()
        self.callbacks.on_step(self.campaign_id, number, what)
        self.callbacks.boundary(f"step-{number}")

    # --- the steps ---

    def load_state(self, connection: DatabaseConnection, inputs: TurnInputs) -> TurnContext:
        """Step 1: everything the turn decides from, read afresh."""
        context = self.begin(connection, inputs)
        self.close_step("load state")
        return context

    def nothing_eligible(self, connection: DatabaseConnection, context: TurnContext) -> NothingEligible:
        """The turn ends before anybody is asked, and counts as none."""
        self.record.machine.dispatch(TurnEventKind.SLEEP_REQUESTED)
        if self.request_id is not None:
            return NothingEligible(None)
        until, held_reasons = loading.next_wake_time(connection, context), loading.held_reasons(context)
        return NothingEligible(until, held_reasons, for_user=loading.FOR_USER in held_reasons)

    def select_task(self, connection: DatabaseConnection, context: TurnContext) -> Snapshot:
        """Step 2: the first ready task, and what the agent is shown of it."""
        self.record.focus = context.ready[0]
        self.record.sequence_version = context.campaign.settings.sequence.version
        snapshot = loading.snapshot(connection, context, partial(reads_overview, self.loop.proposer))
        self.record.machine.dispatch(TurnEventKind.CONTEXT_LOADED)
        self.close_step(snapshot.focus.task.description)
        return snapshot

    def invoke_agent(self, context: TurnContext, snapshot: Snapshot) -> tuple[TurnContext, str]:
        """Step 3: the reply as received. What was said before the model fell silent is no reply, but it is kept."""
        number, pieces = context.position.last_turn + 1, list[str]()

        def on_text(piece: str) -> None:
            pieces.append(piece)
            self.callbacks.on_text(self.campaign_id, number, piece, False)

        if self.request_id is None and is_slow(self.loop.proposer, snapshot):
            context = self.store_inference(context)
        try:
            raw = self.loop.proposer.propose(snapshot, on_text, self.record.add_cost)
        except OutriderError as error:
            if error.code in NOT_SENT_CODES and not pieces and not self.record.cost.model:
                self.withdraw_inference(error.code)  # nothing was asked, so there was no turn
            else:
                self.record_failure(context, error, "".join(pieces))
            raise
        if (
            self.request_id is not None and self.callbacks.stopped()
        ):  # while it replied: nothing of that is done, nor asked
            stopped = OutriderError("proposer_stopped")
            self.record_failure(context, stopped, raw)
            raise stopped
        self.gateway.add_reply(reply_entry(raw))
        self.callbacks.on_text(self.campaign_id, number, raw, True)
        self.close_step(raw)
        return context, raw

    def validate_proposal(self, context: TurnContext, raw: str) -> Judgement:
        """Step 4: shape, then meaning. The reply may have taken minutes: what holds now decides."""
        context = context._replace(inputs=self.loop.read_inputs())
        parsed = self.loop.reply_parser.read(raw)
        if self.request_id is not None:
            parsed = prose_for(self.request_id, parsed, raw)
        proposal = parsed.proposal
        if isinstance(proposal, Rejection):
            judgement = Judgement(context, raw, parsed, None, proposal)
        else:
            with self.journal.database.read() as connection:
                facts = loading.facts_for(connection, context, proposal, SCORING_BATCH, self.record.sequence_version)
            rejection = judge(proposal, facts)
            if rejection is None and isinstance(proposal, ExecuteTool) and isinstance(proposal.params, RunScript):
                facts = facts._replace(script=loading.proposed_script(self.loop.scripts, proposal.params))
                rejection = judge(proposal, facts)
            judgement = Judgement(context, raw, parsed, facts, rejection)
        self.record.machine.dispatch(TurnEventKind.INFERENCE_COMPLETED)
        outcome = "valid" if judgement.rejection is None else judgement.rejection.code
        self.close_step(f"{judgement.proposal_type or 'reply'}: {outcome}")
        return judgement

    def execute_action(self, judgement: Judgement) -> TurnOutcome:
        """Step 5: what was accepted is carried out, what was rejected costs a strike."""
        proposal, facts = judgement.parsed.proposal, judgement.facts
        if judgement.rejection is not None or isinstance(proposal, Rejection) or facts is None:
            outcome = self.rejected(judgement)
        else:
            outcome = carry_out(self.execution, judgement.context, proposal, facts)
        self.record.machine.dispatch(TurnEventKind.ACTIONS_COMPLETED)
        self.close_step(outcome.verdict)
        return outcome

    @contextmanager
    def committing(self, context: TurnContext, outcome: TurnOutcome) -> Iterator[Commit]:
        """The one transaction of steps 6 to 8; it is on disk before anybody hears of it."""
        with self.gateway.unrecorded_audits() as audits, self.journal.transaction() as transaction:
            if not outcome.effect:  # what happened in the world is recorded whatever was decided meanwhile
                transaction.expect(self.campaign_id, context.position.seq, context.position.event_hash)
            yield Commit(transaction, audits, context.position.last_turn + 1, self.loop.clock.now())
            self.callbacks.boundary("before-commit")
        self.record.committed = True
        self.callbacks.boundary("after-commit")

    def persist_logs(self, commit: Commit) -> None:
        """Step 6: the reply and every call, as far as they are not on disk with an intent."""
        commit.transaction.audit(self.campaign_id, commit.audits, actor="agent", cause=commit.cause, at=commit.at)
        self.close_step("persist logs")

    def update_state(self, commit: Commit, judgement: Judgement, outcome: TurnOutcome) -> None:
        """Step 7: the outcome's events, and what is planned next."""
        transaction, context = commit.transaction, judgement.context
        transaction.record(self.campaign_id, outcome.events, actor="controller", cause=commit.cause, at=commit.at)
        waiting = context.task_counts.get((TaskKind.REACH_LEAD, TaskStatus.PENDING), 0)
        if self.request_id is not None:
            by_model = asks_model(self.loop.proposer, context.campaign)
            add_turn_lines(transaction, context, outcome, judgement.parsed, by_model=by_model)
        elif waiting <= PLAN_AHEAD // 2:
            planner.plan(transaction, self.campaign_id, cause=commit.cause, at=commit.at)
        self.close_step("update state")

    def repeat(self, commit: Commit, judgement: Judgement, outcome: TurnOutcome) -> TurnReport:
        """Step 8: the turn itself is recorded, and the machine is at rest again."""
        self.close_step("repeat")
        self.record.machine.dispatch(TurnEventKind.PERSIST_COMPLETED)
        self.record_turn(commit.transaction, TurnCompleted, commit.number, judgement.proposal_type, outcome)
        return TurnReport(
            number=commit.number,
            proposal=judgement.proposal_type,
            verdict=outcome.verdict,
            detail=outcome.detail,
            task_id=outcome.task_id,
            lead_id=outcome.lead_id,
            steps=tuple(self.record.steps),
            raw=judgement.raw,
            effect=outcome.effect,
            follows=judgement.parsed.wants_another_turn,
        )

    # --- beginning, and beginning again ---

    def begin(self, connection: DatabaseConnection, inputs: TurnInputs) -> TurnContext:
        """The state as it is now, and the machine as it stands."""
        position = campaigns.existing_position(connection, self.campaign_id)
        if self.request_id is not None:
            # It acts on nothing outside, so whatever the campaign does or waits for does not matter, nor is it changed.
            self.wake(TurnState.IDLE)
            return loading.load_request(connection, position, inputs, self.request_id)
        if position.campaign.status != "active":
            raise not_active_error(self.campaign_id, position.campaign.status)
        self.wake(self.state_before(position))
        return loading.load(connection, position, inputs)

    def state_before(self, position: CampaignPosition) -> TurnState:
        """The stored state, as it was before this turn; raises `StaleStateError` for a turn that was rolled back."""
        if self.record.inference_stored and position.state is TurnState.INFERRING:
            return self.record.began_in
        if position.state in IN_FLIGHT and self.loop.sync_status.describe() != LOCAL:
            raise StaleStateError(self.campaign_id)  # its outcome was rolled back since this run last looked
        return position.state

    def wake(self, state: TurnState) -> None:
        """A machine for this turn, begun in that state."""
        self.record.began_in = state
        self.record.machine = TurnMachine(state)
        self.record.machine.dispatch(TurnEventKind.WAKE_REQUESTED, self.reason)

    def load_again(self) -> TurnContext:
        """Somebody decided something meanwhile: the same reply is judged again, by what is true now."""
        self.record.judged_again = True
        del self.record.steps[3:]
        inputs = self.loop.read_inputs()
        try:
            context = self.journal.database.query(self.begin, inputs)
        except OutriderError:
            # Stopped meanwhile: nothing is carried out, but what was replied and looked at stays on record.
            events = bill_without_turn(self.record.cost, self.journal.ids.new)
            self.record_without_turn(events, "superseded")
            raise
        self.record.machine.dispatch(TurnEventKind.CONTEXT_LOADED)
        return context

    # --- while the agent is asked ---

    def store_inference(self, context: TurnContext) -> TurnContext:
        """What the turn waits for is on disk before a slow proposer is asked; the position moves along with the log."""
        position, number = context.position, context.position.last_turn + 1
        with self.journal.transaction() as transaction:
            loaded = (position.seq, position.event_hash)
            unchanged = transaction.head(self.campaign_id)[:2] == loaded
            stored = RuntimeChanged(self.campaign_id, state=self.record.machine.state, turn_lock=1)
            now = self.loop.clock.now()
            transaction.record(self.campaign_id, [stored], actor="controller", cause=f"t{number}", at=now)
            seq, event_hash = transaction.head(self.campaign_id)[:2]
        self.record.inference_stored = True
        self.callbacks.boundary("inferring")
        if not unchanged:  # somebody wrote since the state was loaded: the old position makes it be judged again
            return context
        return context._replace(position=position._replace(seq=seq, event_hash=event_hash))

    def withdraw_inference(self, reason: str) -> None:
        """There was no turn after all: what was stored of it is taken back."""
        self.record_without_turn([], reason)

    def record_without_turn(self, events: list[Event], cause: str) -> None:
        """What is left of a turn that came to nothing: its calls, its cost, and a state that is at rest."""
        if self.record.inference_stored:
            machine = self.record.machine
            fault(machine, cause)
            machine.dispatch(TurnEventKind.RESET_FAULT, cause)
            events = [*events, RuntimeChanged(self.campaign_id, state=machine.state, turn_lock=0)]
        with self.gateway.unrecorded_audits() as audits:
            if not events and not audits:
                return
            now = self.loop.clock.now()
            with self.journal.transaction() as transaction:
                transaction.audit(self.campaign_id, audits, actor="agent", cause=cause, at=now)
                transaction.record(self.campaign_id, events, actor="controller", cause=cause, at=now)

    # --- what goes wrong ---

    def rejected(self, judgement: Judgement) -> TurnOutcome:
        """Nothing is executed. The task named bears the strike if it was on offer, else the one that came first."""
        context, facts, rejection = judgement.context, judgement.facts, judgement.rejection
        if rejection is None:
            raise TypeError("an accepted proposal cannot be rejected")
        named_id = facts.task.id if facts is not None and facts.task is not None else None
        if facts is not None and facts.for_request:
            named_id = self.request_id
        # A task that nobody has begun cannot be worked on in vain: who names one instead of the focus wastes the focus's turn.
        begun_tasks = (task for task in context.ready if task.status is not TaskStatus.PENDING)
        blamed = next((task for task in begun_tasks if task.id == named_id), None) or next(iter(context.ready), None)
        if blamed is None:
            return TurnOutcome(rejection.code, rejection.sentence)
        asking = facts or ProposalFacts(context.campaign, context.inputs.now, context.blocked_families)
        # No strike for a proposal that was right until the user decided otherwise.
        judged_again = self.record.judged_again
        strike_events = (
            [] if judged_again else add_strike(asking, blamed, rejection.sentence, self.journal.ids.new, rejection.code)
        )
        return TurnOutcome(rejection.code, rejection.sentence, strike_events, blamed.id, blamed.lead_id)

    def record_failure(self, context: TurnContext, error: OutriderError, reply: str) -> None:
        """No reply at all: the turn faults, nothing was executed, and that is on record."""
        now, number = self.loop.clock.now(), context.position.last_turn + 1
        self.record.machine.dispatch(TurnEventKind.TURN_FAILED, error.code)
        outcome = self.failed(error)
        details = {"code": error.code, "said": error.sentence} | ({"reply": reply[:KEPT_REPLY]} if reply else {})
        with self.journal.transaction() as transaction:
            entry = AuditEntry("turn_failed", details)
            transaction.audit(self.campaign_id, [entry], actor="controller", cause=f"t{number}", at=now)
            if self.request_id is not None:
                add_failure_line(transaction, context, outcome)
            elif is_unusable(error) and self.record.focus is not None:
                asking = ProposalFacts(context.campaign, context.inputs.now, context.blocked_families)
                strike_events = add_strike(asking, self.record.focus, error.sentence, self.journal.ids.new)
                transaction.record(self.campaign_id, strike_events, actor="controller", cause=f"t{number}", at=now)
            self.record_turn(transaction, TurnFaulted, number, "", outcome)

    def record_defect(self, error: Exception) -> OutriderError:
        """An exception nobody expected: the turn faults and the campaign goes to `error`, in one transaction.

        A request of the user only fails itself. Raises whatever keeps it from being recorded.
        """
        defect, now = defect_error(error), self.loop.clock.now()
        with self.gateway.unrecorded_audits() as audits, self.journal.transaction() as transaction:
            position = campaigns.position(transaction.connection, self.campaign_id)
            if position is None:
                raise error
            number = position.last_turn + (0 if self.record.committed else 1)
            details = {"code": defect.code, "said": defect.sentence, "raised_at": raised_at(error)}
            entries = [*audits, AuditEntry("turn_failed", details)]
            transaction.audit(self.campaign_id, entries, actor="controller", cause=f"t{number}", at=now)
            if not self.record.committed:
                fault(self.record.machine, defect.code)
                if self.request_id is not None and self.record.focus is not None:
                    abandon_request(transaction, self.record.focus, defect.sentence, defect.code, now)
                self.record_turn(transaction, TurnFaulted, number, "", self.failed(defect))
            if self.request_id is None and position.campaign.status is not CampaignStatus.ERROR:
                event = CampaignFailed(self.campaign_id, status_reason=str(defect.facts["what"]))
                transaction.record(self.campaign_id, [event], actor="controller", cause=f"t{number}", at=now)
        return defect

    def failed(self, error: OutriderError) -> TurnOutcome:
        """The outcome of a turn that ended with an error, as far as it had come."""
        task = self.record.focus
        if task is None:
            return TurnOutcome(error.code, error.sentence)
        return TurnOutcome(error.code, error.sentence, task_id=task.id, lead_id=task.lead_id)

    def record_turn(
        self,
        transaction: Transaction,
        fact: type[TurnCompleted] | type[TurnFaulted],
        number: int,
        proposal: str,
        outcome: TurnOutcome,
    ) -> None:
        """The turn's own event; what is usual is omitted, so an ordinary turn's entry stays small."""
        machine = self.record.machine
        event = fact(
            str(number),
            history=machine.history,
            steps=list(self.record.steps),
            proposal=proposal,
            faulted=1 if machine.state is TurnState.FAULTED else OMITTED,
            verdict=OMITTED if outcome.verdict == "accepted" else outcome.verdict,
            task_id=outcome.task_id or OMITTED,
            lead_id=outcome.lead_id or OMITTED,
            error=outcome.detail or OMITTED,
            request_id=OMITTED if self.request_id is None else self.request_id,
            **cost_columns(self.record.cost),
        )
        transaction.record(self.campaign_id, [event], actor="controller", cause=f"t{number}", at=self.loop.clock.now())
