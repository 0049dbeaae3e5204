"""Turns the next leads into tasks, a few ahead of need."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from backend.domain.contact.withdrawals import withdraws_now
from backend.domain.erasure.erasure import is_erased
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadBlocked, LeadUnblocked
from backend.domain.events.facts.task import TaskCancelled, TaskUnblocked
from backend.domain.gates import gates
from backend.domain.gates.person import IN_DOUBT, IN_TOUCH_ELSEWHERE, Person
from backend.domain.model.campaign import DAY, Campaign, Settings
from backend.domain.model.channel import user_families
from backend.domain.model.days import in_utc
from backend.domain.model.lead import Lead
from backend.domain.model.sequence import Sequence, next_step
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus, tasks_to_plan
from backend.domain.people.past_contact import kind_kept
from backend.domain.turn.new_tasks import plan_lead, withdrawal_task
from backend.domain.turn.task_progress import block, wake_events, withdraw_all
from backend.store.database import DatabaseConnection
from backend.store.log.projections import LostRowError
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.campaign.corrected_times import with_corrected_times
from backend.store.queries.contact import messages, pending_invitations
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.leads import scored_leads
from backend.store.queries.leads.leads import NextLead
from backend.store.queries.people import do_not_contact, people

MOST_RELEASED = 200
"""Held leads that go on at a time, and drafts that are withdrawn."""

OPEN = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.VERIFYING)

NO_PROFILE = "no_profile_url"
"""What a lead without the address of a profile is blocked by, once it would be planned or had been."""

NOT_BEGUN_WITH = "answered_elsewhere"
"""What blocks a lead that answered in another campaign before this one began with them."""


def plan(transaction: Transaction, campaign_id: str, *, cause: str, at: int) -> int:
    """Plan the next leads if few are waiting and the scoring is done; how many leads were dealt with."""
    connection = transaction.connection
    counts = tasks.task_counts(connection, campaign_id)
    number_to_plan = tasks_to_plan(counts.get((TaskKind.REACH_LEAD, TaskStatus.PENDING), 0))
    if not number_to_plan or not _scored(connection, campaign_id, counts):
        return 0
    leads = lead_queries.unplanned_leads(connection, campaign_id, number_to_plan)
    reconsidered = 0
    if len(leads) < number_to_plan:
        reconsidered = hold(transaction, campaign_id, held_otherwise(connection, campaign_id, at), cause=cause, at=at)
        leads = lead_queries.unplanned_leads(connection, campaign_id, number_to_plan)
    settings = _settings(connection, campaign_id) if leads else None
    if settings is None or settings.limits.begin_nobody(at):
        return reconsidered
    events = [event for lead in leads for event in _planned(transaction, settings.sequence, lead, at)]
    transaction.record(campaign_id, events, actor="controller", cause=cause, at=at)
    return reconsidered + len(leads)


def hold(transaction: Transaction, campaign_id: str, changed: list[Lead], *, cause: str, at: int) -> int:
    """Hold these leads by what is known now, or let them go on; for how many anything was recorded.

    One whose task goes on needs no planning. Whoever asks until there are none must not be told of leads that stay as they are.
    """
    campaign = _campaign(transaction.connection, campaign_id)
    recorded = 0
    for lead in changed:
        events = hold_events(transaction, campaign, lead, at)
        transaction.record(campaign_id, events, actor="controller", cause=cause, at=at)
        recorded += bool(events)
    return recorded


def plan_sooner(transaction: Transaction, campaign_id: str, lead_id: str, *, cause: str, at: int) -> bool:
    """Plan this lead now if, by its priority, it comes before one that is planned and not begun; whether it was."""
    connection = transaction.connection
    lead = lead_queries.unplanned_lead(connection, campaign_id, lead_id)
    last = tasks.last_rank(connection, campaign_id)
    if lead is None or last is None or -lead.priority >= last:
        return False
    if not _scored(connection, campaign_id, tasks.task_counts(connection, campaign_id)):
        return False
    settings = _settings(connection, campaign_id)
    if settings.limits.begin_nobody(at):
        return False
    planned = _planned(transaction, settings.sequence, lead, at)
    transaction.record(campaign_id, planned, actor="controller", cause=cause, at=at)
    return True


def plan_withdrawals(transaction: Transaction, campaign_id: str, *, cause: str, at: int) -> int:
    """Tasks for invitations that are old enough for Outrider to take them back; how many were planned."""
    connection = transaction.connection
    campaign = _campaign(connection, campaign_id)
    limits = campaign.settings.limits
    if ActionFamily.WITHDRAW in user_families(campaign.site) or not withdraws_now(limits, at):
        return 0
    counts = tasks.task_counts(connection, campaign_id)
    number_to_plan = tasks_to_plan(counts.get((TaskKind.WITHDRAW, TaskStatus.IN_PROGRESS), 0))
    if not number_to_plan:
        return 0
    invitations = pending_invitations.to_withdraw(
        connection, campaign_id, at - limits.withdraw_after_days * DAY, number_to_plan, at
    )
    events = [event for lead, name in invitations for event in withdrawal_task(lead, name, at, transaction.new_id)]
    transaction.record(campaign_id, events, actor="controller", cause=cause, at=at)
    return len(invitations)


def next_withdrawal(connection: DatabaseConnection, campaign: Campaign, now: int) -> int | None:
    """From when on the next invitation may be taken back that has no task for it yet (ms UTC); None if none is to be."""
    limits = campaign.settings.limits
    if ActionFamily.WITHDRAW in user_families(campaign.site) or not withdraws_now(limits, now):
        return None
    oldest = pending_invitations.oldest_to_withdraw(connection, campaign.id, now)
    return None if oldest is None else oldest + limits.withdraw_after_days * DAY


def _scored(connection: DatabaseConnection, campaign_id: str, counts: Mapping[tuple[str, str], int]) -> bool:
    if any(counts.get((TaskKind.SCORE_LEADS, status)) for status in OPEN):
        return False
    if scored_leads.running_scoring(connection, campaign_id):
        return False  # half of the scores are of another blueprint
    # While the scoring is blocked, nothing is decided; if the user drops it, the leads are planned as they are.
    return not counts.get((TaskKind.SCORE_LEADS, TaskStatus.BLOCKED))


def _campaign(connection: DatabaseConnection, campaign_id: str) -> Campaign:
    campaign = campaigns.campaign(connection, campaign_id)
    if campaign is None:
        raise LostRowError(f"the row of campaign {campaign_id} is gone")
    return campaign


def _settings(connection: DatabaseConnection, campaign_id: str) -> Settings:
    return _campaign(connection, campaign_id).settings


def _planned(transaction: Transaction, sequence: Sequence, lead: NextLead, at: int) -> list[Event]:
    person = people.several(transaction.connection, lead.id, at)
    if why := _why_left_alone(transaction.connection, lead, person, at):
        return [LeadBlocked(lead.id, blocked=why)]
    return plan_lead(
        lead.id,
        lead.full_name,
        -lead.priority,
        at,
        transaction.new_id,
        sequence=sequence,
        # By the file, on a day or on one that is unknown; or by whatever another campaign saw.
        connected=bool(lead.connected_on) or (person is not None and person.is_connected),
    )


def _why_left_alone(connection: DatabaseConnection, lead: NextLead, person: Person | None, at: int) -> str:
    """By what this lead is blocked rather than planned; empty if it is planned."""
    if do_not_contact.is_do_not_contact(connection, lead.id):
        return "do_not_contact"
    if gates.reply_refusal(person) is not None:
        return NOT_BEGUN_WITH
    if hold_reason := why_held(connection, lead.id, person, at):
        return hold_reason
    return "" if lead.profile_url else NO_PROFILE


def why_held(connection: DatabaseConnection, lead_id: str, person: Person | None, at: int) -> str:
    """By what a lead is blocked while its person is with another campaign, was in touch before by the lead's own file, or nobody
    knows who they are; empty if none of these."""
    if past := _past(connection, lead_id):
        return past
    if gates.contact_refusal(person, at, in_utc) is not None:
        return IN_TOUCH_ELSEWHERE
    return IN_DOUBT if people.doubt_about(connection, lead_id) is not None else ""


def held_otherwise(connection: DatabaseConnection, campaign_id: str, at: int) -> list[Lead]:
    """Held leads that may go on, or are held for another reason by now: their person is free, or it is settled who they are."""
    held_leads = lead_queries.held_leads(connection, campaign_id)
    changed = (lead for lead in held_leads if _held_now(connection, lead, at) != lead.blocked)
    return list(islice(changed, MOST_RELEASED))


def drafted_in_vain(connection: DatabaseConnection, campaign_id: str, at: int) -> list[Lead]:
    """Whose text waits in Review although their person is with another campaign by now: no turn would come to their task."""
    drafted = lead_queries.leads_with_drafts(connection, campaign_id)
    in_vain = (lead for lead in drafted if _held_now(connection, lead, at) not in ("", IN_DOUBT))
    return list(islice(in_vain, MOST_RELEASED))


def hold_events(transaction: Transaction, campaign: Campaign, lead: Lead, at: int) -> list[Event]:
    """What becomes of a held lead by what is known now: it goes on, or is held for another reason; nothing if for the same."""
    why = _held_now(transaction.connection, lead, at)
    if why == lead.blocked:
        return []
    if not why:
        return contact_again_events(transaction, campaign, lead, at)
    blocked = LeadBlocked(lead.id, blocked=why)
    if why == IN_DOUBT:
        return [blocked]
    texts, stopping = stop_events(
        transaction, campaign, lead.id, at, text_reason=gates.ELSEWHERE, task_reason=gates.ELSEWHERE
    )
    return [blocked, *texts, *stopping]


def stop_events(
    transaction: Transaction, campaign: Campaign, lead_id: str, now: int, *, text_reason: str, task_reason: str
) -> tuple[list[Event], list[Event]]:
    """A lead's text is withdrawn and its task cancelled: the events of each, none where there is nothing to stop.

    A blocked task of which the user is asked something stays theirs to retry or to cancel.
    """
    texts = withdraw_all(messages.waiting_texts(transaction.connection, lead_id), text_reason)
    task = tasks.task_of_lead(transaction.connection, lead_id)
    if task is None or task.status not in (*OPEN, TaskStatus.BLOCKED):
        return list(texts), []
    if task.status is TaskStatus.BLOCKED and questions.open_question(transaction.connection, task.id):
        return list(texts), []
    stopping: list[Event] = [TaskCancelled(task.id, reason=task_reason)]
    for waiting in tasks.dependent_tasks(transaction.connection, campaign.id, task.id):
        stopping += block(now, waiting, f"“{task.description}” was stopped", transaction.new_id)
    return list(texts), stopping


def _held_now(connection: DatabaseConnection, lead: Lead, at: int) -> str:
    if is_erased(lead.full_name):  # what held them ends by itself, and no list tells any more who they are
        return "do_not_contact"
    return why_held(connection, lead.id, people.several(connection, lead.id, at), at)


def _past(connection: DatabaseConnection, lead_id: str) -> str:
    """What keeps the lead from being written to for the first time by its own file, unless the user lets it."""
    (lead,) = people.leads_by_id(connection, [lead_id]).values()
    return "" if lead.contact_anyway or lead.contacted_at is not None else kind_kept(lead.past_words)


def contact_again_events(
    transaction: Transaction, campaign: Campaign, lead: Lead, now: int, *, anyway: bool = False
) -> list[Event]:
    """A lead may be planned again, and its task goes on, unless it has asked the user and waits for that answer.

    Whom a file knows from before is left out for that reason instead, unless the user lets the campaign write `anyway`.
    """
    connection = transaction.connection
    if is_erased(lead.full_name):  # nobody knows any more who that is
        return []
    if not anyway and (past := _past(connection, lead.id)):
        return [] if lead.blocked == past else [LeadBlocked(lead.id, blocked=past)]
    lead = with_corrected_times(connection, lead._replace(blocked=""), now)
    events: list[Event] = [LeadUnblocked(lead.id)]
    task = tasks.task_of_lead(connection, lead.id)
    if task is None or task.status not in (TaskStatus.BLOCKED, TaskStatus.CANCELLED):
        return events
    if questions.open_question(connection, task.id):
        return events
    step = next_step(campaign.settings.sequence, lead)
    message = messages.message_of_step(connection, lead.id, step.key) if step and step.writes else None
    return [*events, TaskUnblocked(task.id), *wake_events(campaign, replace(task, strikes=0), lead, message, now)]
