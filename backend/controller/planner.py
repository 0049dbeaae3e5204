"""Turns the next leads into tasks, a few ahead of need."""

import sqlite3
from collections.abc import Mapping

from backend.domain.events import Event
from backend.domain.planning import plan_lead
from backend.domain.task import TaskKind, TaskStatus, shortfall
from backend.store import reading
from backend.store.journal import Transaction
from backend.store.reading import NextLead

OPEN = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.VERIFYING)


def plan(transaction: Transaction, campaign_id: str, *, cause: str, at: int) -> int:
    """Plan the next leads if few are waiting and the scoring is done; how many leads were dealt with."""
    connection = transaction.connection
    counts = reading.task_counts(connection, campaign_id)
    wanted = shortfall(counts.get((TaskKind.REACH_LEAD, TaskStatus.PENDING), 0))
    if not wanted or not _scored(connection, campaign_id, counts):
        return 0
    leads = reading.unplanned_leads(connection, campaign_id, wanted)
    events = [event for lead in leads for event in _planned(transaction, lead, at)]
    transaction.record(campaign_id, events, actor="controller", cause=cause, at=at)
    return len(leads)


def plan_sooner(transaction: Transaction, campaign_id: str, lead_id: str, *, cause: str, at: int) -> bool:
    """Plan this lead now if, by its priority, it comes before one that is planned and not begun; whether it was."""
    connection = transaction.connection
    lead = reading.unplanned_lead(connection, campaign_id, lead_id)
    last = reading.last_rank(connection, campaign_id)
    if lead is None or last is None or -lead.priority >= last:
        return False
    if not _scored(connection, campaign_id, reading.task_counts(connection, campaign_id)):
        return False
    transaction.record(campaign_id, _planned(transaction, lead, at), actor="controller", cause=cause, at=at)
    return True


def _scored(connection: sqlite3.Connection, campaign_id: str, counts: Mapping[tuple[str, str], int]) -> bool:
    if any(counts.get((TaskKind.SCORE_LEADS, status)) for status in OPEN):
        return False
    if reading.running_scoring(connection, campaign_id):
        return False  # half of the scores are of another blueprint
    # Left unscored by the user: the leads are planned as they are. While the question is open, nothing is decided.
    blocked = counts.get((TaskKind.SCORE_LEADS, TaskStatus.BLOCKED))
    return not (blocked and reading.open_questions(connection, campaign_id))


def _planned(transaction: Transaction, lead: NextLead, at: int) -> list[Event]:
    why = "do_not_contact" if reading.is_do_not_contact(transaction.connection, lead.member_key) else ""
    if not (why or lead.profile_url):
        why = "no_profile_url"
    if why:
        return [Event("LeadBlocked", lead.id, {"blocked": why})]
    return plan_lead(lead.id, lead.full_name, -lead.priority, at, transaction.new_id)
