"""Values that tests start from; each test names only what it is about."""

from dataclasses import replace
from typing import Any

from backend.domain.model.campaign import Campaign, CampaignStatus, Settings
from backend.domain.model.lead import Lead, LeadStatus
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.task import ActionFamily, Task, TaskKind, TaskStatus
from tests.fakes.clock import START

NOON = START + 12 * 3_600_000
"""A Monday noon, UTC."""

_CAMPAIGN = Campaign("camp-1", "Research", "Learn", CampaignStatus.ACTIVE, "practice", "me", 1, Settings(), START)
_LEAD = Lead("lead-1", "camp-1", "Ada King", "https://x.test/in/ada", "x/ada", "Founder", "Engines", LeadStatus.PENDING)
_TASK = Task(
    "task-1",
    "camp-1",
    TaskKind.REACH_LEAD,
    "Reach out to Ada",
    TaskStatus.IN_PROGRESS,
    ActionFamily.THINK,
    0,
    0,
    "lead-1",
)
_MESSAGE = Message("msg-1", "lead-1", "task-1", "invite", "invitation", "Hello", MessageStatus.DRAFT)


def campaign(**changes: Any) -> Campaign:
    return replace(_CAMPAIGN, **changes)


def lead(**changes: Any) -> Lead:
    return _LEAD._replace(**changes)


def task(**changes: Any) -> Task:
    return replace(_TASK, **changes)


def message(**changes: Any) -> Message:
    return replace(_MESSAGE, **changes)
