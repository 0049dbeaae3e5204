"""Scripts that were proposed: the user's yes to exactly one text, and what becomes of the task that waits for its answer."""

from backend.domain.device.script import script_sha256
from backend.domain.events.events import AuditEntry, Event
from backend.domain.model.artifact import ArtifactType, Maker, text_content
from backend.domain.model.task import ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.turn import request
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.assistant_results import ScriptAnswered
from backend.domain.turn.task_progress import advance, block
from backend.domain.values.errors import OutriderError
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import tasks
from backend.store.queries.turn import artifacts, requests, scripts
from backend.turn.conversation import abandon_request


def approval_events(
    transaction: Transaction, campaign_id: str, key: str, source: str, sha256: str, by: Maker, now: int
) -> list[Event]:
    """Record that the user approved this text, and keep it. Raises `approval_text_changed` if it is another."""
    if script_sha256(source) != sha256:
        raise OutriderError("approval_text_changed")
    scripts.approve(transaction.connection, campaign_id, sha256, now)
    parameters = {"script_sha256": sha256, "key": key, "approval": "a proposal"}
    entry = AuditEntry("script.approved", {"parameters": parameters, "outcome": "ok"})
    transaction.audit(campaign_id, [entry], actor="user", cause="script", at=now)
    if scripts.source(transaction.connection, campaign_id, sha256) is not None:
        return []
    latest = artifacts.latest_version(transaction.connection, campaign_id, ArtifactType.PYTHON_SCRIPT, key)
    content = text_content(ArtifactType.PYTHON_SCRIPT, key, source)
    return [artifact_persisted(content, transaction.new_id(), by, latest, now)]


def give_answer(transaction: Transaction, campaign_id: str, task_id: str, answer: ScriptAnswered, now: int) -> None:
    """The script that the task waited for has answered: it goes on. Nothing if it does not wait any more."""
    task = _waiting(transaction, campaign_id, task_id)
    if task is None:
        return
    events: list[Event] = []
    if task.kind is TaskKind.ASSIST:
        line = requests.next_line(transaction.connection, campaign_id)
        events.append(request.result(transaction.new_id(), task.id, line, None, answer, now))
    needs = ActionFamily.ASSIST if task.kind is TaskKind.ASSIST else ActionFamily.THINK
    events += advance(task, needs, 0)
    transaction.record(campaign_id, events, actor="controller", cause="script", at=now)


def give_up(transaction: Transaction, campaign_id: str, task_id: str, why: str, code: str, now: int) -> None:
    """The script came to nothing: its task ends or is blocked, and says why. Nothing if it does not wait any more."""
    task = _waiting(transaction, campaign_id, task_id)
    if task is None:
        return
    if task.kind is TaskKind.ASSIST:
        abandon_request(transaction, task, why, code, now)
        return
    events = block(now, task, why, transaction.new_id)
    transaction.record(campaign_id, events, actor="controller", cause="script", at=now)


def _waiting(transaction: Transaction, campaign_id: str, task_id: str) -> Task | None:
    task = tasks.task(transaction.connection, campaign_id, task_id)
    waits = task is not None and task.status is TaskStatus.IN_PROGRESS and task.needs is ActionFamily.INPUT
    return task if waits else None
