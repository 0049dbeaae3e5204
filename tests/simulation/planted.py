"""Small wrong versions of the product: each breaks one rule, and the simulation must find it. That is how we know it can see.

A fault that is not found means that the simulation is to be mended, not this table.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from backend.agents import supervisor
from backend.commands.client_proposals import ClientProposals
from backend.commands.review import ReviewCommands
from backend.domain.contact import conversation_check, observations, sends, withdrawals
from backend.domain.erasure import erasure
from backend.domain.gates import gates
from backend.domain.model.campaign import Limits
from backend.domain.model.condition import Condition
from backend.domain.model.days import OffsetAt
from backend.domain.values.canonical_json import canonical
from backend.runtime.copies.time_travel import TimeTravel
from backend.runtime.feed.feed import FeedClient
from backend.runtime.jobs import script_runs
from backend.runtime.run import campaign_runner
from backend.runtime.run.campaign_runner import CampaignRunner, RunResult
from backend.runtime.run.run_service import RunService
from backend.runtime.run.send_session import SendSession
from backend.runtime.sync import file_transfer
from backend.runtime.sync.engine import SyncEngine
from backend.runtime.sync.lease import LeaseKeeper
from backend.runtime.sync.stream_ends import StreamEnds
from backend.runtime.sync.sync_report import SyncReport
from backend.store.database import Database
from backend.store.log import heads_file, verification
from backend.store.queries.campaign import campaign_contents, tasks
from backend.store.queries.contact import actions, messages
from backend.store.queries.device import erased_things
from backend.store.queries.people import consents, person_entries
from backend.store.queries.turn import scripts
from backend.turn import gateway, planner, reply_cost, verifier
from backend.turn.execute import act, look, send
from backend.turn.recovery import UnknownOutcomes
from tests.fakes.shared_store import FakeSharedStore
from tests.simulation import machine
from tests.simulation.planted_people import PEOPLE_PLANTED
from tests.simulation.planted_rules import RULES_PLANTED
from tests.simulation.planting import Planted, replaced, without_gates, wrapped

HOUR = 3_600_000
SATURDAY = 5
SLOW = frozenset(
    {
        "everybody gets every step",
        "what is there and not on record is not compared",
        "anybody has the lease at once",
        "a day's limit is another zone's",
        "a rejected text is sent",
        "an intent needs no acknowledgement",
        "a failure ends the worker",
        "a past ends one event too early",
        "nobody looks whether another campaign has a person",
        "only the planner looks whether another campaign has a person",
        "consent that was withdrawn still holds",
        "an earlier answer of a script is told as the newer one's",
        "an agent's tool is run whatever it is asked for",
        "what a program proposes is approved with that",
        "a damaged file stays as it is",
        "where a chain is recorded to end is not compared",
        "the same device id has the lease at once",
        "who was handed over and is not confirmed is free for a copy of the campaign",
        "a no counts in its own campaign alone",
        "a reply counts in its own campaign alone",
        "a campaign keeps nobody after its sequence",
        "a shared store from a backup is not noticed",
        "a commit does not wait for the disk",
        "an erasure leaves what others recorded before they heard of it",
        "whom no waiting helps waits for the user's hand",
        *(planted.name for planted in RULES_PLANTED),
    }
)
"""Those that show in one world of many, or in long ones: they are looked for with the long tests, the others in every run."""


def _shared_lease(is_admitted: Callable[[Any, str], bool]) -> AbstractContextManager[None]:
    """Whoever is admitted has the lease beside its holder, under the same fence."""
    original = FakeSharedStore.acquire_lease

    def acquire(self: FakeSharedStore, device_id: str, name: str, holder: str, seconds: float, **how: Any) -> Any:
        user = self._user
        if user.fence and user.ends > self._project.now() and is_admitted(user, device_id):
            user.ends, user.fence = 0.0, user.fence - 1
        return original(self, device_id, name, holder, seconds, **how)

    return replaced(FakeSharedStore, "acquire_lease", acquire)


def _in_another_zone(usage: Any, connection: Any, account: str, family: Any, now: int, offset: int) -> Any:
    return usage(connection, account, family, now, offset + 12 * HOUR)


def _six_days() -> AbstractContextManager[None]:
    at = gates.working_time

    def on_saturdays_too(limits: Limits, now: int, offset_at: OffsetAt) -> int | None:
        return at(limits.model_copy(update={"work_days": (*limits.work_days, SATURDAY)}), now, offset_at)

    return replaced(gates, "working_time", on_saturdays_too)


def _without_waiting(connect: Any, database: Database, **how: Any) -> Any:
    connection = connect(database, **how)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


def _found_out_at(one_step_on: Any, sending: Any, lead: Any, now: int) -> Any:
    return one_step_on(replace(sending, intended_at=now), lead, now)


def _without_reasons(end: Any, runner: CampaignRunner, campaign_id: str, ended: RunResult) -> RunResult:
    result: RunResult = end(runner, campaign_id, ended)
    return replace(result, reasons=())


@contextmanager
def _put_off() -> Iterator[None]:
    tomorrow = replaced(tasks, "next_ready", lambda _connection, _campaign, now, _families: now + 24 * HOUR)
    with tomorrow, replaced(tasks, "ready_tasks", lambda *_: []):
        yield


def _edits_and_approves(edit: Any, user: ReviewCommands, campaign_id: str, message_id: str, text: str) -> None:
    edit(user, campaign_id, message_id, text)
    _approve(user, campaign_id, message_id)


def _not_as_approved(act: Any, gateway: Any, action_id: str, lead: Any, message: Any, *rest: Any) -> Any:
    return act(gateway, action_id, lead, replace(message, text=f"{message.text} Bye!"), *rest)


def _approve(user: ReviewCommands, campaign_id: str, message_id: str) -> None:
    user.approve(campaign_id, message_id, shown_digest=user.digest(campaign_id, message_id))


def _by_the_counting_clock(lease: LeaseKeeper) -> float:
    term = lease._term
    return max(0.0, term.seconds - (lease._clock.real_time().monotonic - term.asked_at.monotonic) / 1e3)


def _without_acknowledgement(_: Any, engine: Any, campaign_id: str) -> bool:
    engine.lease.confirmed_fence, engine._asking_stream = engine.lease.fence, campaign_id
    return True


def _beside_the_log(sleep: Any, runner: CampaignRunner, campaign_id: str) -> None:
    with runner.loop.journal.database.write() as connection:
        connection.execute("UPDATE campaigns SET name = name || '!'")
    sleep(runner, campaign_id)


def _dies(fail: Any, report: SyncReport, error: Exception) -> Any:
    report.closing.set()
    return fail(report, error)


def _all_but_tasks(without_words: Any, entity: str, entity_id: str, changes: Any) -> str:
    return canonical(changes) if entity == "task" else str(without_words(entity, entity_id, changes))


@contextmanager
def _budget_read_once() -> Iterator[None]:
    original, checks = reply_cost.budget_check, dict[int, Any]()

    def check(database: Any, campaign_id: str) -> Any:
        return checks.setdefault(id(database), original(database, campaign_id))

    with replaced(reply_cost, "budget_check", check):
        yield


@contextmanager
def _last_days_in_another_zone() -> Iterator[None]:
    over, nobody = Limits.are_over, Limits.begin_nobody
    later = replaced(Limits, "are_over", lambda limits, now: over(limits, now - 12 * HOUR))
    with later, replaced(Limits, "begin_nobody", lambda limits, now: nobody(limits, now - 12 * HOUR)):
        yield


def _whatever_is_there(_: Any, ends: StreamEnds, shared_store: Any) -> Any:
    return {head.campaign_id: head for head in shared_store.streams()}


def _one_event_before(at: Any, travel: TimeTravel, campaign_id: str, seq: int, read: Any) -> Any:
    return at(travel, campaign_id, max(1, seq - 1), read)


@contextmanager
def _never_lost() -> Iterator[None]:
    believed = replaced(LeaseKeeper, "seconds", lambda lease: 1e6 if lease._term.fence else 0.0)
    with believed, replaced(LeaseKeeper, "mark_lost", lambda _: None):
        yield


@contextmanager
def _record_is_not_compared() -> Iterator[None]:
    with replaced(look, "differs_from_record", lambda *_: None), replaced(send, "differs_from_record", lambda *_: None):
        yield


@contextmanager
def _answers_as_before() -> Iterator[None]:
    original, before = script_runs.ScriptRunner.run, dict[str, Any]()

    def run(runner: Any, campaign_id: str, key: str, sha256: str, **how: Any) -> Any:
        done = original(runner, campaign_id, key, sha256, **how)
        earlier = before.setdefault(sha256, done.answer)
        if done.answer is None or earlier is None:
            return done
        return replace(done, answer=replace(done.answer, result=earlier.result))

    with replaced(script_runs.ScriptRunner, "run", run):
        yield


def _proposes_and_approves(propose: Any, program: ClientProposals, campaign_id: str, *rest: Any, **how: Any) -> Any:
    receipt = propose(program, campaign_id, *rest, **how)
    user = ReviewCommands(program.journal, program.clock)
    drafts = program.journal.database.query(messages.drafts, campaign_id)
    for draft in drafts:
        _approve(user, campaign_id, draft.id)
    return receipt


@contextmanager
def _young() -> Iterator[None]:
    """Neither who plans a withdrawal nor the gate that guards it counts the days."""
    with replaced(planner, "DAY", 0), replaced(withdrawals, "DAY", 0):
        yield


@contextmanager
def _consent_is_for_ever() -> Iterator[None]:
    with replaced(consents, "may_act", lambda *_: True), replaced(RunService, "_drive_refusal", lambda _: ""):
        yield


def _erases_all_but(entity: str, *names: str) -> Callable[[], AbstractContextManager[None]]:
    """An erasure leaves these columns as they were."""
    right = erasure._WITHOUT_WORDS[entity]

    def wrong(changes: Mapping[str, Any]) -> dict[str, Any]:
        return {**right(dict(changes)), **{name: changes[name] for name in names if name in changes}}

    return lambda: replaced(erasure, "_WITHOUT_WORDS", {**erasure._WITHOUT_WORDS, entity: wrong})


def _does_not_wait(session: RunService) -> None:
    for runner in session._runners:
        runner.worker.stop()


PLANTED: tuple[Planted, ...] = (
    *PEOPLE_PLANTED,
    *RULES_PLANTED,
    Planted(
        "an unanswered send is taken for lost after a second",
        lambda: replaced(machine.SimulatedSite, "settle_seconds", 1.0),
        frozenset({"late sends"}),
    ),
    Planted("working hours are not looked at", without_gates("within_working_hours"), frozenset()),
    Planted("daily limits are not looked at", without_gates("daily_limit", "ramp"), frozenset()),
    Planted("do-not-contact is not asked before an act", without_gates("not_on_do_not_contact"), frozenset()),
    Planted(
        "taking an approval back does nothing",
        lambda: replaced(ReviewCommands, "withdraw", lambda *_: None),
        frozenset(),
    ),
    Planted(
        "everybody gets every step",
        lambda: replaced(Condition, "holds", lambda *_: True),
        frozenset({"sequence"}),
    ),
    Planted("what is there and not on record is not compared", _record_is_not_compared, frozenset({"older"})),
    Planted(
        "the same device id has the lease at once",
        lambda: _shared_lease(lambda user, device: user.device_id == device),
        frozenset({"copy", "stop"}),
        2,
    ),
    Planted(
        "anybody has the lease at once",
        lambda: _shared_lease(lambda *_: True),
        frozenset({"stop"}),
        2,
    ),
    Planted(
        "nobody asks again before the click",
        lambda: replaced(act.ActGuard, "__call__", lambda _: None),
        frozenset({"stop", "sleep untold"}),
        2,
    ),
    Planted(
        "an invitation counts from when it was found out that it arrived",
        wrapped(sends, "_one_step_on", _found_out_at),
        frozenset({"late sends", "withdrawals"}),
    ),
    Planted(
        "what they wrote is taken for an old conversation",
        lambda: replaced(observations, "_answers", lambda *_: False),
        frozenset(),
    ),
    Planted(
        "working hours are another zone's",
        lambda: replaced(machine.DeviceClock, "offset", lambda *_: -3 * HOUR),
        frozenset(),
    ),
    Planted("a week has six days", _six_days, None),
    Planted("a commit does not wait for the disk", wrapped(Database, "_connect", _without_waiting), None),
    Planted("a day's limit is another zone's", wrapped(actions, "usage", _in_another_zone), frozenset()),
    Planted(
        "an unanswered send is forgotten",
        lambda: replaced(UnknownOutcomes, "find", lambda _: []),
        frozenset({"kill", "late sends"}),
    ),
    Planted(
        "the last word is trusted: no answer means not sent",
        wrapped(gateway, "send_outcome", lambda outcome, claim, seen, **_: outcome(claim, seen, settled=True)),
        frozenset({"late sends"}),
    ),
    Planted(
        "a rejected text is sent",
        wrapped(ReviewCommands, "reject", lambda _, user, *arguments: _approve(user, *arguments)),
        frozenset(),
    ),
    Planted("an edited text needs no approval", wrapped(ReviewCommands, "edit", _edits_and_approves), frozenset()),
    Planted(
        "what is sent is not what was approved", wrapped(gateway.ToolGateway, "act", _not_as_approved), frozenset()
    ),
    Planted(
        "a lease is believed to last, and nobody hears that it was lost",
        _never_lost,
        frozenset({"stop"}),
        2,
    ),
    Planted(
        "nobody sees that the machine slept",
        lambda: replaced(LeaseKeeper, "seconds", _by_the_counting_clock),
        frozenset({"sleep", "sleep untold"}),
        2,
    ),
    Planted(
        "an intent needs no acknowledgement",
        wrapped(SyncEngine, "push_and_confirm", _without_acknowledgement),
        frozenset({"offline", "network", "kill", "stop"}),
        2,
    ),
    Planted(
        "a failure ends the worker",
        wrapped(SyncReport, "fail", _dies),
        frozenset({"busy", "full"}),
        2,
    ),
    Planted("a row is changed beside the log", wrapped(CampaignRunner, "_to_sleep", _beside_the_log), frozenset()),
    Planted(
        "whom no waiting helps waits for the user's hand",
        lambda: replaced(SendSession, "_release_held", lambda *_: None),
        frozenset({"assist"}),
    ),
    Planted("an invitation is taken back however young it is", _young, frozenset({"withdrawals"})),
    Planted("nobody is planned for", lambda: replaced(planner, "plan", lambda *_, **__: False), frozenset()),
    Planted(
        "a campaign is completed before its end",
        lambda: replaced(campaign_runner, "_finished", lambda *_: True),
        frozenset(),
    ),
    Planted(
        "erasing forgets the tasks", wrapped(person_entries, "without_words", _all_but_tasks), frozenset({"erase"})
    ),
    Planted(
        "an erasure leaves what others recorded before they heard of it",
        wrapped(person_entries, "words_that_came_after", lambda *_: {}),
        frozenset({"erase"}),
        2,
    ),
    Planted(
        "an erasure leaves the pictures",
        lambda: replaced(erased_things, "note_evidence", lambda *_: None),
        frozenset({"erase"}),
        2,
    ),
    Planted(
        "deleting a campaign leaves its words",
        lambda: replaced(campaign_contents, "what_is_left", lambda *_: {}),
        frozenset({"delete"}),
    ),
    Planted("what a model has cost is read once a launch", _budget_read_once, frozenset({"budget"})),
    Planted("the last days are another zone's", _last_days_in_another_zone, frozenset({"dates"})),
    Planted(
        "a shared store from a backup is not noticed",
        wrapped(StreamEnds, "heads", _whatever_is_there),
        frozenset({"older store"}),
        2,
    ),
    Planted(
        "an agent's tool is run whatever it is asked for",
        lambda: replaced(supervisor, "is_granted", lambda *_: True),
        frozenset({"agents"}),
    ),
    Planted(
        "a proposer is asked about an agent's task that is tried again",
        lambda: replaced(tasks, "metadata", lambda *_: {}),
        frozenset({"agents"}),
    ),
    Planted(
        "a script runs that nobody approved",
        lambda: replaced(scripts, "is_approved", lambda *_: True),
        frozenset({"scripts"}),
        2,
    ),
    Planted("an earlier answer of a script is told as the newer one's", _answers_as_before, frozenset({"scripts"})),
    Planted(
        "every answer is called reproducible",
        wrapped(
            script_runs, "AnalysisResult", lambda result, *arguments, **more: result(*arguments[:-1], True, **more)
        ),
        frozenset({"scripts"}),
    ),
    Planted(
        "what a program proposes is approved with that",
        wrapped(ClientProposals, "propose", _proposes_and_approves),
        frozenset({"program"}),
    ),
    Planted(
        "a servitor is done without what it promised",
        lambda: replaced(verifier, "_CHECKS", verifier._CHECKS | {"artifact_exists": lambda *_: (True, "")}),
        frozenset({"program"}),
    ),
    Planted(
        "a run that is held gives no reason",
        wrapped(CampaignRunner, "_end", _without_reasons),
        frozenset({"incidents"}),
    ),
    Planted("what is due is put off from day to day", _put_off, frozenset()),
    Planted(
        "the page is not told that entries left the log",
        lambda: replaced(FeedClient, "rewind", lambda client, stream, seq: client.advance_to(stream, seq)),
        frozenset({"live page", "offline", "kill", "assistant", "whims"}),
        2,
    ),
    Planted(
        "a file goes to the others without its last part",
        wrapped(file_transfer, "_parts", lambda parts, chunks: [*parts(chunks)][:-1]),
        frozenset({"files"}),
        2,
    ),
    Planted(
        "a damaged file stays as it is",
        lambda: replaced(SyncEngine, "fetch_again", lambda *_: None),
        frozenset({"files"}),
        2,
    ),
    Planted(
        "where a chain is recorded to end is not compared",
        lambda: replaced(verification, "_end_problem", lambda *_: None),
        frozenset({"damage"}),
    ),
    Planted(
        "lost entries are not missed", lambda: replaced(heads_file, "find_loss", lambda *_: ()), frozenset({"damage"})
    ),
    Planted(
        "an invitation that the user sent by hand is taken for ours",
        lambda: replaced(conversation_check, "is_unrecorded_relation", lambda *_, **__: False),
        frozenset({"profiles"}),
    ),
    Planted("consent that was withdrawn still holds", _consent_is_for_ever, frozenset({"app"})),
    Planted(
        "closing does not wait for what is in flight",
        lambda: replaced(RunService, "close", _does_not_wait),
        frozenset({"app"}),
    ),
    Planted("an erasure keeps the messages", _erases_all_but("message", "text"), frozenset({"erase"})),
    *(
        Planted(f"an erasure keeps a person's {name}", _erases_all_but("lead", name), frozenset({"erase"}))
        for name in ("job_title", "company", "headline", "notes", "tags", "extra")
    ),
    Planted(
        "the look before an act holds nothing back",
        lambda: replaced(send, "instead_of_sending", lambda *_: None),
        frozenset({"meanwhile"}),
    ),
    Planted(
        "what the page of an act shows is not compared",
        lambda: replaced(gateway, "is_as_seen", lambda *_: True),
        frozenset({"meanwhile"}),
    ),
    *(
        Planted(name, partial(replaced, gateway, "SUSPICIOUSLY_MANY", many), frozenset({"closed pages"}))
        for name, many in (
            ("somebody without a page stops everybody", 1),
            ("nobody stops where no page is left", 1_000),
        )
    ),
    Planted("a past ends one event too early", wrapped(TimeTravel, "at", _one_event_before), frozenset({"page"})),
)
