"""How a lead stands: the gates of what is owed to it next, and the first reason for which nothing is done now."""

import sqlite3
from typing import NamedTuple

from backend.controller import context as loading
from backend.controller.context import Subject, Surroundings
from backend.domain import gates
from backend.domain.campaign import Campaign
from backend.domain.gates import Checked, Refusal
from backend.domain.sequence import Due
from backend.domain.task import Needs, Task, TaskStatus
from backend.store import reading

_BLOCKED = {
    "do_not_contact": "This person is on the do-not-contact list.",
    "no_profile_url": "The file gives no profile address, so nobody can be found.",
    "outcome_unknown": "It is not known whether the last text arrived; the question waits in Run.",
}
_FAMILY = {"visit": Needs.LOOK, "invitation": Needs.INVITE}
_ASKED_LATER = ("approved", "thread_fresh")
"""Gates that are only asked of a text that is about to be sent."""


class Waits(NamedTuple):
    """Why nothing is done for this person now, and when that may change (ms UTC; None: only when somebody acts)."""

    code: str
    sentence: str
    until: int | None = None


def checklist(
    connection: sqlite3.Connection, campaign: Campaign, about: Subject, around: Surroundings
) -> tuple[Checked, ...]:
    """The gates of the act that is owed next; none when nothing is."""
    step = about.need.step
    if about.lead.finished or about.need.due is Due.FINISH or step is None:
        return ()
    family = _FAMILY.get(step.kind, Needs.MESSAGE)
    incident = reading.open_incident(connection, campaign.account)
    account = loading.account_facts(connection, campaign, around, family, incident)
    return gates.check(account, loading.lead_facts(connection, campaign, about, around.now))


def waits(about: Subject, task: Task | None, asked: tuple[Checked, ...]) -> Waits | None:
    """The first reason for which nothing is sent now, in the order in which a lead meets them."""
    lead, due, at = about.lead, about.need.due, about.need.at
    if lead.blocked:
        return Waits(lead.blocked, _BLOCKED.get(lead.blocked, f"Blocked: {lead.blocked}."))
    if lead.finished:
        return Waits("finished", f"The sequence is over: {lead.finished}.")
    if task is None:
        if lead.weight_score is None:
            return Waits("not_scored", "Waits to be scored; nobody is contacted before all are.")
        return Waits("not_planned", "Waits for a turn: people with a higher priority come first.")
    if task.status is TaskStatus.BLOCKED:
        return Waits("task_blocked", f"The task is blocked: {task.reason}")
    if due is Due.APPROVE:
        return Waits("approval", "The text waits in Review for your approval.")
    for code, shut in asked:
        if isinstance(shut, Refusal) and code not in _ASKED_LATER:
            return Waits(code, shut.sentence, shut.until)
    if task.status is TaskStatus.PENDING:
        return Waits("planned", "Planned: comes when those before are under way.")
    if due is Due.CHECK:
        return Waits("acceptance", "Waits until the invitation is accepted; looks again then.", at)
    if task.ready_at:
        return Waits("later", "Waits for the next step's time.", task.ready_at)
    return None
