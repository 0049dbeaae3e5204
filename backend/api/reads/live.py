"""What the Run screen shows: what is done now, what may be done, what comes next, what was done."""

import sqlite3

from backend.api.reads import gates, tasks, turns
from backend.api.wire.live import Act, RunView
from backend.controller import context as loading
from backend.controller.context import Subject, Surroundings
from backend.domain.errors import OutriderError
from backend.domain.sequence import Due
from backend.domain.task import NEVER, Needs, TaskStatus
from backend.store import reading
from backend.store.reading import Position

RECENT, NEXT = 25, 6

_WORDS = {
    Due.VISIT: "Look at the profile",
    Due.CHECK: "See whether they accepted",
    Due.READ: "Read the conversation",
    Due.DRAFT: "Write “{step}”",
    Due.APPROVE: "Send “{step}”",
    Due.SEND: "Send “{step}”",
    Due.FINISH: "Finish",
    Due.STUCK: "Nothing: {reason}",
}


def view(connection: sqlite3.Connection, campaign_id: str, around: Surroundings) -> RunView:
    """As of one moment; raises `campaign_unknown`."""
    where = reading.position(connection, campaign_id)
    if where is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    recent = turns.page(connection, campaign_id, None, RECENT)
    return RunView(
        seq=where.seq,
        act=_act(connection, where, around),
        families=gates.families(connection, where.campaign, around),
        next=tasks.next_up(connection, campaign_id, around.now, NEXT),
        turns=recent,
        last=turns.detail(connection, campaign_id, recent.rows[0].number) if recent.rows else None,
    )


def _act(connection: sqlite3.Connection, where: Position, around: Surroundings) -> Act | None:
    """What the current task owes its lead next, and every gate that guards it."""
    task = reading.task(connection, where.campaign.id, where.current_task_id) if where.current_task_id else None
    if task is None or task.lead_id is None or task.status not in (TaskStatus.PENDING, TaskStatus.IN_PROGRESS):
        return None
    about = loading.subject(connection, where.campaign, task.lead_id, around.now)
    family = None if about is None else _family(about)
    if about is None or family is None:
        return None
    step = about.need.step.key.replace("_", " ") if about.need.step else ""
    return Act(
        task_id=task.id,
        lead_id=about.lead.id,
        lead_name=about.lead.full_name,
        what=_WORDS[about.need.due].format(step=step, reason=about.need.reason),
        family=family,
        at=None if about.need.at >= NEVER else max(about.need.at, task.ready_at if task.ready_at < NEVER else 0),
        gates=gates.of_act(connection, where.campaign, around, family, about),
    )


def _family(about: Subject) -> Needs | None:
    """The family of the act; of what waits for approval that of the send."""
    if about.message is not None and about.need.due in (Due.APPROVE, Due.SEND):
        return Needs.INVITE if about.message.kind == "invitation" else Needs.MESSAGE
    return about.need.family if about.need.family in loading.ACTING else None
