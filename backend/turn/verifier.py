"""Decides whether a task is done, by looking at what is recorded of the world; what the agent says of itself is never read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backend.domain.events.events import AuditEntry, Event
from backend.domain.events.facts.statuses import CommitmentStatus
from backend.domain.events.facts.task import CommitmentChecked, TaskAdvanced, TaskCompleted, TaskReturned
from backend.domain.model.site import Relation
from backend.domain.model.task import MAX_STRIKES, TaskKind, TaskStatus
from backend.domain.turn.commitments import (
    COMMITMENT,
    CommandSucceeds,
    CommitmentCheck,
    OutsidePromise,
    SqlHolds,
    all_pass,
)
from backend.domain.turn.servitor import verified
from backend.domain.turn.task_progress import block
from backend.ports.clock import Clock
from backend.ports.line_process import AnswerTimeoutError, ProcessEndedError
from backend.ports.outside_checks import OutsideChecks
from backend.store.database import DatabaseConnection, QueryTimeoutError, time_limit
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import tasks
from backend.store.queries.contact import messages
from backend.store.queries.leads import leads
from backend.store.queries.reports import campaign_overview
from backend.store.queries.turn import artifacts, commitments, requests, user_query
from backend.turn import planner

TIMEOUT_SECONDS = 30.0
"""A check that takes longer has failed, with that reason (spec 004, coverage gap "verification timeout")."""

_BATCH = 20


def verify_waiting(
    journal: Journal,
    clock: Clock,
    campaign_id: str,
    outside: OutsideChecks | None = None,
    *,
    seconds: float = TIMEOUT_SECONDS,
    stopped: Callable[[], bool] = lambda: False,
) -> list[tuple[str, bool]]:
    """Verify every task that claims to be done, each in a transaction of its own: (task id, done) for each.

    What takes a query of the user's, a file or a program is looked at before that transaction, which nothing waits for. Once
    `stopped`, a query or a program ends without a verdict, and what is left is verified next time.
    """
    results: list[tuple[str, bool]] = []
    while True:
        with journal.database.read() as connection:
            exists = campaign_overview.exists(connection, campaign_id)  # of a deleted one no promise is readable
            waiting = tasks.tasks_with_status(connection, campaign_id, TaskStatus.VERIFYING, _BATCH) if exists else []
        if not waiting:
            return results
        for task in waiting:
            try:
                outside_checks = _look_outside(journal, clock, campaign_id, task.id, outside, seconds, stopped)
            except ProcessEndedError:
                return results
            with journal.transaction() as transaction:
                results.append(
                    (task.id, _verify(transaction, campaign_id, task.id, clock.now(), outside_checks, seconds))
                )


def _look_outside(
    journal: Journal,
    clock: Clock,
    campaign_id: str,
    task_id: str,
    outside: OutsideChecks | None,
    seconds: float,
    stopped: Callable[[], bool],
) -> dict[str, CommitmentCheck]:
    """The checks that no transaction may wait for, by commitment; each is in the audit log before it begins."""
    with journal.database.read() as connection:
        stored = [
            (commitment.id, COMMITMENT.validate_json(commitment.params))
            for commitment in commitments.of_task(connection, task_id)
        ]
    outside_promises = [(id_, promise) for id_, promise in stored if isinstance(promise, SqlHolds | OutsidePromise)]
    audits = [
        AuditEntry("verification.started", {"task_id": task_id, "commitment": id_, "check": promise.model_dump()})
        for id_, promise in outside_promises
    ]
    if audits:
        cause, now = f"verify {task_id}", clock.now()
        journal.record(campaign_id, events=(), audits=audits, actor="verifier", cause=cause, at=now)
    checks = {}
    for id_, promise in outside_promises:
        if isinstance(promise, SqlHolds):
            passed, detail = _sql(journal, campaign_id, promise, seconds, stopped)
        elif outside is None:
            passed, detail = False, "it cannot be checked here"
        elif isinstance(promise, CommandSucceeds) and not _is_approved(journal, promise.argv):
            passed, detail = False, "you have not approved this exact command on this device"
        else:
            passed, detail = outside.check(campaign_id, promise, stopped)
        checks[id_] = CommitmentCheck(id_, passed, detail)
    return checks


def _is_approved(journal: Journal, argv: Sequence[str]) -> bool:
    return journal.database.query(commitments.is_approved, argv)


def _sql(
    journal: Journal, campaign_id: str, promise: SqlHolds, seconds: float, stopped: Callable[[], bool]
) -> tuple[bool, str]:
    """Raises `ProcessEndedError` once it is `stopped`."""
    conditions = journal.database.conditions
    try:
        if conditions is not None:
            value = conditions.first_value(promise.select, campaign_id, seconds, stopped)
        else:
            with journal.database.read() as connection, time_limit(connection, seconds):
                value = user_query.first_value(connection, promise.select, campaign_id)
    except (QueryTimeoutError, AnswerTimeoutError):
        return False, f"the query took longer than {seconds:g} s"
    except user_query.QueryRefusedError as refused:
        return False, f"the query was refused: {refused}"
    except ProcessEndedError:
        if stopped():
            raise
        return False, "the query ended the process that it was asked in"
    return value == promise.expected, f"the query gives {str(value)[:200]!r}"


def _verify(
    transaction: Transaction,
    campaign_id: str,
    task_id: str,
    now: int,
    outside_checks: Mapping[str, CommitmentCheck],
    seconds: float,
) -> bool:
    connection, cause = transaction.connection, f"verify {task_id}"
    task = tasks.task(connection, campaign_id, task_id)
    if task is None or task.status is not TaskStatus.VERIFYING:
        return False
    promises = commitments.of_task(connection, task_id)
    if any(
        COMMITMENT.validate_json(commitment.params).type not in _CHECKS and commitment.id not in outside_checks
        for commitment in promises
    ):
        return False  # one was added in this very moment: it is looked at, too
    checks = tuple(
        outside_checks.get(commitment.id) or _check(connection, campaign_id, commitment.id, commitment.params, seconds)
        for commitment in promises
    )
    done = all_pass(checks)
    events: list[Event] = [
        CommitmentChecked(
            check.commitment_id,
            status=CommitmentStatus.PASSED if check.passed else CommitmentStatus.FAILED,
            detail=check.detail,
            checked_at=now,
        )
        for check in checks
    ]
    failed = (
        "; ".join(check.detail for check in checks if not check.passed) or "it promises nothing that can be checked"
    )
    if done:
        events.append(TaskCompleted(task_id))
    elif task.strikes + 1 >= MAX_STRIKES:
        events += block(now, task, f"verification failed: {failed}", transaction.new_id)
    else:
        events.append(TaskReturned(task_id, reason=failed, strikes=task.strikes + 1))
    if task.kind is TaskKind.CUSTOM and (name := tasks.metadata(connection, task_id).get("servitor")):
        line = requests.next_line(connection, campaign_id)
        events.append(verified(transaction.new_id(), task_id, line, str(name), "" if done else failed, now))
    check_results = [
        {"commitment": check.commitment_id, "passed": check.passed, "detail": check.detail} for check in checks
    ]
    entry = AuditEntry("verification", {"task_id": task_id, "done": done, "checks": check_results})
    transaction.audit(campaign_id, [entry], actor="verifier", cause=cause, at=now)
    transaction.record(campaign_id, events, actor="verifier", cause=cause, at=now)
    if done:
        _release_followers(transaction, campaign_id, cause, now)
        if task.kind is TaskKind.SCORE_LEADS:
            planner.plan(transaction, campaign_id, cause=cause, at=now)
    return done


def _release_followers(transaction: Transaction, campaign_id: str, cause: str, now: int) -> None:
    """Tasks whose preconditions are now all done become eligible."""
    connection = transaction.connection
    events = []
    for task in tasks.tasks_with_preconditions(connection, campaign_id, now):
        preconditions = [tasks.task(connection, campaign_id, id_) for id_ in task.preconditions]
        if all(precondition is not None and precondition.status is TaskStatus.DONE for precondition in preconditions):
            events.append(TaskAdvanced(task.id, ready_at=0))
    transaction.record(campaign_id, events, actor="controller", cause=cause, at=now)


def _check(
    connection: DatabaseConnection, campaign_id: str, commitment_id: str, params: str, seconds: float
) -> CommitmentCheck:
    promise = COMMITMENT.validate_json(params)
    try:
        with time_limit(connection, seconds):
            passed, detail = _CHECKS[promise.type](connection, campaign_id, promise)
    except QueryTimeoutError:
        passed, detail = False, f"the check took longer than {seconds:g} s"
    return CommitmentCheck(commitment_id, passed, detail)


def _sequence_finished(connection: DatabaseConnection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    lead = leads.lead(connection, campaign_id, promise.lead_id)
    if lead is None or not lead.finished:
        return False, "the sequence has not ended"
    open_messages, unproven = messages.sequence_proof(connection, promise.lead_id)
    if open_messages:
        return False, f"{open_messages} messages are still open"
    if unproven:
        return False, f"{unproven} messages were never seen at their recipient"
    return True, f"the sequence has ended: {lead.finished}"


def _message_sent(connection: DatabaseConnection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    is_proven = messages.is_proven_sent(connection, campaign_id, promise.lead_id, promise.step)
    return (
        (True, f"“{promise.step}” was seen")
        if is_proven
        else (False, f"“{promise.step}” was not seen at its recipient")
    )


def _invitation_gone(connection: DatabaseConnection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    lead = leads.lead(connection, campaign_id, promise.lead_id)
    is_pending = lead is None or lead.relation is Relation.PENDING
    return (False, "the invitation still waits") if is_pending else (True, "no invitation waits any more")


def _lead_status(connection: DatabaseConnection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    lead = leads.lead(connection, campaign_id, promise.lead_id)
    status = "unknown" if lead is None else lead.status.value
    return status == promise.status, f"the lead is {status}"


def _leads_scored(connection: DatabaseConnection, campaign_id: str, _: Any) -> tuple[bool, str]:
    missing = leads.has_unscored(connection, campaign_id)
    return (False, "some leads have no score") if missing else (True, "every lead has a score")


def _artifact_exists(connection: DatabaseConnection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    version = artifacts.latest_version(connection, campaign_id, promise.artifact_type, promise.artifact_key)
    name = f"{promise.artifact_type} “{promise.artifact_key}”"
    return (True, f"{name} has version {version}") if version else (False, f"there is no {name}")


def _request_settled(connection: DatabaseConnection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    why = requests.unsettled_reason(connection, campaign_id, promise.request_id)
    return (False, why) if why else (True, "every step for it is on record")


_CHECKS: dict[str, Callable[[DatabaseConnection, str, Any], tuple[bool, str]]] = {
    "sequence_finished": _sequence_finished,
    "message_sent": _message_sent,
    "invitation_gone": _invitation_gone,
    "lead_status": _lead_status,
    "leads_scored": _leads_scored,
    "artifact_exists": _artifact_exists,
    "request_settled": _request_settled,
}
