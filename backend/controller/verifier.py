"""Decides whether a task is done, by looking at what is recorded of the world; what the agent says of itself is never read."""

import sqlite3
import time
from collections.abc import Callable
from typing import Any

from backend.controller import planner
from backend.domain.commitments import COMMITMENT, Check, all_pass
from backend.domain.events import AuditEntry, Event
from backend.domain.progress import block
from backend.domain.task import MAX_STRIKES, TaskKind, TaskStatus, move
from backend.ports.clock import Clock
from backend.store import reading, requests
from backend.store.journal import Journal, Transaction

TIMEOUT_SECONDS = 30.0
"""A check that takes longer has failed, with that reason (spec 004, coverage gap "verification timeout")."""

_BATCH = 20


def verify_waiting(journal: Journal, clock: Clock, campaign_id: str) -> list[tuple[str, bool]]:
    """Verify every task that claims to be done, each in a transaction of its own: (task id, done) for each."""
    results: list[tuple[str, bool]] = []
    while True:
        with journal.database.read() as connection:
            waiting = reading.tasks_with_status(connection, campaign_id, TaskStatus.VERIFYING, _BATCH)
        if not waiting:
            return results
        for task in waiting:
            with journal.transaction() as transaction:
                results.append((task.id, _verify(transaction, campaign_id, task.id, clock.now())))


def _verify(transaction: Transaction, campaign_id: str, task_id: str, now: int) -> bool:
    connection, cause = transaction.connection, f"verify {task_id}"
    task = reading.task(connection, campaign_id, task_id)
    if task is None or task.status is not TaskStatus.VERIFYING:
        return False
    promises = connection.execute(
        "SELECT id, params FROM commitments WHERE task_id=? ORDER BY id", (task_id,)
    ).fetchall()
    checks = tuple(_check(connection, campaign_id, commitment_id, params) for commitment_id, params in promises)
    done = all_pass(checks)
    events = [
        Event(
            "CommitmentChecked",
            check.commitment_id,
            {"status": "passed" if check.passed else "failed", "detail": check.detail, "checked_at": now},
        )
        for check in checks
    ]
    failed = (
        "; ".join(check.detail for check in checks if not check.passed) or "it promises nothing that can be verified"
    )
    if done:
        events.append(Event("TaskCompleted", task_id, {"status": move(task.status, TaskStatus.DONE), "reason": ""}))
    elif task.strikes + 1 >= MAX_STRIKES:
        events += block(now, task, f"verification failed: {failed}", transaction.new_id)
    else:
        back = {"status": move(task.status, TaskStatus.IN_PROGRESS), "reason": failed, "strikes": task.strikes + 1}
        events.append(Event("TaskReturned", task_id, back))
    found = [{"commitment": check.commitment_id, "passed": check.passed, "detail": check.detail} for check in checks]
    entry = AuditEntry("verification", {"task_id": task_id, "done": done, "checks": found})
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
    waiting = connection.execute(
        "SELECT id FROM tasks WHERE campaign_id=? AND kind='custom' AND status='pending' AND preconditions<>'[]'"
        " AND ready_at>?",
        (campaign_id, now),
    ).fetchall()
    events = []
    for (task_id,) in waiting:
        task = reading.task(connection, campaign_id, task_id)
        before = [reading.task(connection, campaign_id, id_) for id_ in (task.preconditions if task else ())]
        if all(earlier is not None and earlier.status is TaskStatus.DONE for earlier in before):
            events.append(Event("TaskAdvanced", task_id, {"ready_at": 0}))
    transaction.record(campaign_id, events, actor="controller", cause=cause, at=now)


def _check(connection: sqlite3.Connection, campaign_id: str, commitment_id: str, params: str) -> Check:
    promise = COMMITMENT.validate_json(params)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 100_000)
    try:
        passed, detail = _CHECKS[promise.type](connection, campaign_id, promise)
    except sqlite3.OperationalError as error:
        if "interrupted" not in str(error):
            raise
        passed, detail = False, f"the check took longer than {TIMEOUT_SECONDS:.0f} s"
    finally:
        connection.set_progress_handler(None, 0)
    return Check(commitment_id, passed, detail)


def _sequence_finished(connection: sqlite3.Connection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    lead = reading.lead(connection, campaign_id, promise.lead_id)
    if lead is None or not lead.finished:
        return False, "the sequence has not ended"
    open_messages, unproven = connection.execute(
        "SELECT coalesce(sum(status IN ('draft', 'approved', 'sending', 'outcome_unknown')), 0),"
        " coalesce(sum(status = 'sent' AND NOT EXISTS ("
        "   SELECT 1 FROM actions a WHERE a.message_id = m.id AND a.status = 'sent')), 0)"
        " FROM messages m WHERE lead_id=?",
        (promise.lead_id,),
    ).fetchone()
    if open_messages:
        return False, f"{open_messages} messages are still open"
    if unproven:
        return False, f"{unproven} messages were never seen at their recipient"
    return True, f"the sequence has ended: {lead.finished}"


def _message_sent(connection: sqlite3.Connection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    row = connection.execute(
        "SELECT 1 FROM messages m JOIN actions a ON a.message_id = m.id AND a.status = 'sent'"
        " WHERE m.campaign_id=? AND m.lead_id=? AND m.step=? AND m.status='sent'",
        (campaign_id, promise.lead_id, promise.step),
    ).fetchone()
    return (True, f"“{promise.step}” was seen") if row else (False, f"“{promise.step}” was not seen at its recipient")


def _lead_status(connection: sqlite3.Connection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    lead = reading.lead(connection, campaign_id, promise.lead_id)
    found = "unknown" if lead is None else lead.status.value
    return found == promise.status, f"the lead is {found}"


def _leads_scored(connection: sqlite3.Connection, campaign_id: str, _: Any) -> tuple[bool, str]:
    row = connection.execute("SELECT 1 FROM leads WHERE campaign_id=? AND weight_score IS NULL LIMIT 1", (campaign_id,))
    return (False, "some leads have no score") if row.fetchone() else (True, "every lead has a score")


def _artifact_exists(connection: sqlite3.Connection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    row = connection.execute(
        "SELECT max(version) FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=?",
        (campaign_id, promise.artifact_type, promise.artifact_key),
    ).fetchone()
    name = f"{promise.artifact_type} “{promise.artifact_key}”"
    return (True, f"{name} has version {row[0]}") if row[0] else (False, f"there is no {name}")


def _request_settled(connection: sqlite3.Connection, campaign_id: str, promise: Any) -> tuple[bool, str]:
    why = requests.unsettled(connection, campaign_id, promise.request_id)
    return (False, why) if why else (True, "every turn for it is on record")


_CHECKS: dict[str, Callable[[sqlite3.Connection, str, Any], tuple[bool, str]]] = {
    "sequence_finished": _sequence_finished,
    "message_sent": _message_sent,
    "lead_status": _lead_status,
    "leads_scored": _leads_scored,
    "artifact_exists": _artifact_exists,
    "request_settled": _request_settled,
}
