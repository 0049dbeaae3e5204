"""The tasks that a campaign makes for itself: scoring first, then one for each lead."""

from collections.abc import Mapping
from typing import Any

from backend.domain.commitments import LeadsScored, SequenceFinished
from backend.domain.events import Event
from backend.domain.facts.lead import LeadAdvanced, LeadPlanned
from backend.domain.facts.task import CommitmentMade, TaskCreated
from backend.domain.sequence import Sequence, step_after_visit
from backend.domain.site import Relation
from backend.domain.task import ActionFamily, TaskKind, TaskStatus
from backend.domain.task_progress import NewId


def commitment(commitment_id: str, task_id: str, params: Mapping[str, Any], source: str) -> Event:
    """A promise attached to a task."""
    return CommitmentMade(commitment_id, task_id=task_id, params=dict(params), source=source)


def plan_lead(
    lead_id: str, name: str, rank: int, now: int, new_id: NewId, *, sequence: Sequence, connected: bool = False
) -> list[Event]:
    """A task for one lead, with the promise that makes it done.

    `connected`: the file they came with says so. It counts where the user reads; elsewhere the first look tells.
    """
    task_id = new_id()
    looks_first = sequence.live[0].kind == "visit"
    known = [LeadAdvanced(lead_id, relation=Relation.CONNECTED)] if connected and sequence.user_reads else []
    first = step_after_visit(sequence, -1, Relation.CONNECTED) if known else 0
    return [
        TaskCreated(
            task_id,
            kind=TaskKind.REACH_LEAD,
            description=f"Reach out to {name}",
            status=TaskStatus.PENDING,
            needs=ActionFamily.LOOK if looks_first else ActionFamily.THINK,
            rank=rank,
            lead_id=lead_id,
            created_at=now,
        ),
        commitment(
            new_id(), task_id, SequenceFinished(type="sequence_finished", lead_id=lead_id).model_dump(), "campaign"
        ),
        LeadPlanned(lead_id, sequence_step=first),
        *known,
    ]


def scoring_task(now: int, new_id: NewId) -> list[Event]:
    """The first task of a campaign."""
    task_id = new_id()
    return [
        TaskCreated(
            task_id,
            kind=TaskKind.SCORE_LEADS,
            description="Score the leads",
            status=TaskStatus.PENDING,
            needs=ActionFamily.THINK,
            created_at=now,
        ),
        commitment(new_id(), task_id, LeadsScored(type="leads_scored").model_dump(), "campaign"),
    ]
