"""Turns the next leads into tasks, a few ahead of need."""

from backend.domain.events import Event
from backend.domain.planning import plan_lead
from backend.domain.task import TaskKind, TaskStatus, shortfall
from backend.store import reading
from backend.store.journal import Transaction

OPEN = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.VERIFYING)


def plan(transaction: Transaction, campaign_id: str, *, cause: str, at: int) -> int:
    """Plan the next leads if few are waiting and the scoring is done; how many leads were dealt with."""
    connection, new_id = transaction.connection, transaction.new_id
    counts = reading.task_counts(connection, campaign_id)
    if any(counts.get((TaskKind.SCORE_LEADS, status)) for status in OPEN):
        return 0
    # Left unscored by the user: the leads are planned as they are. While the question is open, nothing is decided.
    if counts.get((TaskKind.SCORE_LEADS, TaskStatus.BLOCKED)) and reading.open_questions(connection, campaign_id):
        return 0
    wanted = shortfall(counts.get((TaskKind.REACH_LEAD, TaskStatus.PENDING), 0))
    leads = reading.unplanned_leads(connection, campaign_id, wanted) if wanted else []
    events: list[Event] = []
    for lead in leads:
        why = "do_not_contact" if reading.is_do_not_contact(connection, lead.member_key) else ""
        if not (why or lead.profile_url):
            why = "no_profile_url"
        if why:
            events.append(Event("LeadBlocked", lead.id, {"blocked": why}))
        else:
            events += plan_lead(lead.id, lead.full_name, -lead.priority, at, new_id)
    transaction.record(campaign_id, events, actor="controller", cause=cause, at=at)
    return len(leads)
