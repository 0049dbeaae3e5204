"""The tasks that a campaign makes for itself: scoring first, then one for each lead; and one for each answer of the user."""

from collections.abc import Mapping
from typing import Any

from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadPlanned
from backend.domain.events.facts.message import ApprovalGiven, MessageApproved, MessageDrafted
from backend.domain.events.facts.task import CommitmentMade, TaskCreated
from backend.domain.gates.approval import approval_digest
from backend.domain.model.answer import STEP
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.sequence import Sequence, step_after_visit
from backend.domain.model.site import Relation
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.commitments import InvitationGone, LeadsScored, SequenceFinished, StepMessageSent
from backend.domain.turn.task_progress import NewId


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
    relation_events = [LeadAdvanced(lead_id, relation=Relation.CONNECTED)] if connected and sequence.user_reads else []
    first = step_after_visit(sequence, -1, Relation.CONNECTED) if relation_events else 0
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
        *relation_events,
    ]


def answer_events(
    campaign: Campaign, lead: Lead, text: str, number: int, by: str, now: int, ends: int, new_id: NewId
) -> list[Event]:
    """The user's words, their yes, which holds until `ends`, and the task that sends them as this person's answer `number`."""
    task_id, message_id, step = new_id(), new_id(), f"{STEP}{number}"
    digest = approval_digest(
        campaign_id=campaign.id,
        channel=campaign.site,
        step=step,
        kind="message",
        profile_url=lead.profile_url,
        text=text,
    )
    promise = StepMessageSent(type="message_sent", lead_id=lead.id, step=step)
    return [
        TaskCreated(
            task_id,
            kind=TaskKind.ANSWER,
            description=f"Answer {lead.full_name}",
            status=TaskStatus.IN_PROGRESS,
            needs=ActionFamily.ANSWER,
            lead_id=lead.id,
            source="user",
            created_at=now,
        ),
        commitment(new_id(), task_id, promise.model_dump(), "user"),
        MessageDrafted(
            message_id, lead_id=lead.id, task_id=task_id, step=step, kind="message", text=text, created_at=now
        ),
        ApprovalGiven(new_id(), message_id=message_id, digest=digest, given_by=by, expires_at=ends, created_at=now),
        MessageApproved(message_id),
    ]


def withdrawal_task(lead_id: str, name: str, now: int, new_id: NewId) -> list[Event]:
    """The task that takes back an invitation that nobody accepted for long."""
    task_id = new_id()
    return [
        TaskCreated(
            task_id,
            kind=TaskKind.WITHDRAW,
            description=f"Withdraw the invitation to {name}",
            status=TaskStatus.IN_PROGRESS,
            needs=ActionFamily.WITHDRAW,
            lead_id=lead_id,
            created_at=now,
        ),
        commitment(new_id(), task_id, InvitationGone(type="invitation_gone", lead_id=lead_id).model_dump(), "campaign"),
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
