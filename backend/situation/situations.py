"""What is so about an account, a lead and its message at this moment, as gates and the sequence ask it."""

from functools import cache
from typing import NamedTuple, Self

from backend.domain.contact import withdrawals
from backend.domain.contact.send_session import QueuedPerson
from backend.domain.events.facts.lead import LeadProgress
from backend.domain.gates import gates
from backend.domain.gates.approval import Approval, approval_digest, approval_state
from backend.domain.gates.gates import NOTE_PERIOD, AccountFacts, LeadFacts, Refusal
from backend.domain.gates.person import known
from backend.domain.model.answer import due_answer
from backend.domain.model.campaign import DAY, MINUTE, Campaign
from backend.domain.model.channel import clicks
from backend.domain.model.days import OffsetAt, OffsetSince, local_midnight, utc_offsets
from backend.domain.model.lead import Lead
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.sequence import DueStep, Sequence, due_step, next_step, one_step_on
from backend.domain.model.site import Relation
from backend.domain.model.task import ActionFamily, Task, TaskKind, counted_family
from backend.ports.clock import Clock
from backend.ports.sync_status import LOCAL
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.corrected_times import with_corrected_times
from backend.store.queries.contact import actions, approvals, messages, pending_invitations
from backend.store.queries.leads import leads
from backend.store.queries.people import consents, do_not_contact, people
from backend.store.replication import shared_conflicts

NOTHING_USED = actions.AccountUsage(today=0, week=0, oldest_of_week=None, first_ever=None, last_any=None)


class TurnInputs(NamedTuple):
    """What is not in the database: the time, whether the user is here, and whether this device may act (`ports.sync_status`)."""

    now: int
    offset_at: OffsetAt
    present: bool
    sync_status: str = LOCAL

    @classmethod
    def at(cls, clock: Clock, now: int, present: bool, sync_status: str = LOCAL) -> Self:
        """By the offsets of that clock, each asked once."""
        return cls(now, cache(clock.offset), present, sync_status)

    @property
    def utc_offsets(self) -> list[OffsetSince]:
        """Those by which the page tells days."""
        return utc_offsets(self.now, self.offset_at)

    @property
    def midnight(self) -> int:
        """When this local day began (ms UTC)."""
        return local_midnight(self.now, self.offset_at)


class LeadSituation(NamedTuple):
    """A lead with the message of its current step, that message's approval, and what is due."""

    lead: Lead
    message: Message | None
    approval: Approval | None
    due_step: DueStep


def account_facts(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, family: ActionFamily, incident: str
) -> AccountFacts:
    """What gates ask about the account, for one family of acts."""
    looks = family is ActionFamily.LOOK
    counted = counted_family(family)
    used = NOTHING_USED if looks else actions.usage(connection, campaign.account, counted, inputs.now, inputs.midnight)
    return AccountFacts(
        now=inputs.now,
        offset_at=inputs.offset_at,
        family=family,
        campaign_status=campaign.status,
        limits=campaign.settings.limits,
        incident=incident,
        consented=consents.may_act(connection, campaign),
        present=inputs.present,
        sync_status=inputs.sync_status,
        sent_today=used.today,
        sent_week=used.week,
        oldest_of_week=used.oldest_of_week,
        first_ever=used.first_ever,
        last_any=used.last_any,
        yields=used.last_any is not None
        and clicks(campaign.site)
        and actions.yields(connection, campaign, used.last_any),
    )


def forecast_facts(
    connection: DatabaseConnection,
    campaign: Campaign,
    inputs: TurnInputs,
    family: ActionFamily,
    facts: AccountFacts | None = None,
) -> AccountFacts:
    """What a forecast asks about the account, besides these facts: when each invitation of the week will count no more."""
    facts = facts or account_facts(connection, campaign, inputs, family, "")
    if family is not ActionFamily.INVITE:
        return facts
    week = actions.invitation_times(connection, campaign.account, inputs.now - 7 * DAY, inputs.now)
    return facts._replace(week=tuple(week))


def known_lead(connection: DatabaseConnection, campaign_id: str, lead_id: str, now: int) -> Lead | None:
    """The lead as all that is known of its person has it, its times as they count; None if this campaign has no such lead."""
    lead = leads.lead(connection, campaign_id, lead_id)
    if lead is None:
        return None
    lead, person = with_corrected_times(connection, lead, now), people.several(connection, lead_id, now)
    return lead if person is None else known(lead, person.others)


def lead_situation(connection: DatabaseConnection, campaign: Campaign, lead_id: str, now: int) -> LeadSituation | None:
    """The lead and what is due, or None if this campaign has no such lead."""
    lead = known_lead(connection, campaign.id, lead_id, now)
    if lead is None:
        return None
    settings = campaign.settings
    lead, message = _lead_and_message(connection, settings.sequence, lead)
    approval = approvals.approval_of(connection, message.id, now) if message else None
    step_due = due_step(settings.sequence, lead, message, now, settings.limits.thread_fresh_minutes * MINUTE)
    return LeadSituation(lead, message, approval, step_due)


def _lead_and_message(connection: DatabaseConnection, sequence: Sequence, lead: Lead) -> tuple[Lead, Message | None]:
    """The lead and the message of its current step. Behind a message that is on record as sent, though the lead's progress is not,
    because of what another device recorded, comes the next step."""
    step = next_step(sequence, lead)
    message = messages.message_of_step(connection, lead.id, step.key) if step and step.writes else None
    if message is None or message.status is not MessageStatus.SENT:
        return lead, message
    sent_at = messages.sent_at(connection, message.id)
    changes: LeadProgress = {"sequence_step": one_step_on(sequence, lead)}
    if message.kind == "message":
        changes["last_sent_at"] = max(sent_at, lead.last_sent_at or 0)
    elif lead.relation is Relation.NONE:
        changes |= {"relation": Relation.PENDING, "invited_at": sent_at}
    return _lead_and_message(connection, sequence, lead._replace(**changes))


def task_situation(
    connection: DatabaseConnection, campaign: Campaign, task: Task | None, now: int
) -> LeadSituation | None:
    """The lead of a task and what is due: its sequence's step, or the answer or withdrawal that the task is for."""
    if task is None or task.lead_id is None:
        return None
    if task.kind not in (TaskKind.ANSWER, TaskKind.WITHDRAW):
        return lead_situation(connection, campaign, task.lead_id, now)
    lead = known_lead(connection, campaign.id, task.lead_id, now)
    if lead is None:
        return None
    if task.kind is TaskKind.WITHDRAW:
        return LeadSituation(lead, None, None, withdrawals.DUE)
    message = messages.answer_of_task(connection, task.lead_id, task.id)
    approval = approvals.approval_of(connection, message.id, now) if message else None
    return LeadSituation(lead, message, approval, due_answer(campaign.settings.sequence, lead, message))


def person_facts(connection: DatabaseConnection, campaign: Campaign, lead: Lead, now: int) -> LeadFacts:
    """What gates ask about a person, whatever they are sent."""
    withdraw_from = withdrawals.withdraw_from(campaign.settings.limits, lead)
    if withdraw_from is not None and not pending_invitations.is_sent_here(connection, lead.id):
        withdraw_from = None
    return LeadFacts(
        do_not_contact=do_not_contact.is_do_not_contact(connection, lead.id),
        replied=lead.replied_at is not None,
        stop_on_reply=campaign.settings.sequence.stop_on_reply,
        label=lead.label,
        paused_until=lead.paused_until,
        person=people.several(connection, lead.id, now),
        doubt=people.doubt_about(connection, lead.id),
        in_conflict=shared_conflicts.is_person_in_conflict(connection, campaign.id, lead.id),
        blocked=lead.blocked,
        contacted=lead.invited_at is not None or lead.last_sent_at is not None,
        withdrawn_at=lead.withdrawn_at,
        withdraw_from=withdraw_from,
    )


def look_facts(connection: DatabaseConnection, lead: Lead) -> LeadFacts:
    """What gates ask about a person whose page is only looked at."""
    return LeadFacts(do_not_contact=do_not_contact.is_do_not_contact(connection, lead.id), blocked=lead.blocked)


def lead_facts(
    connection: DatabaseConnection, campaign: Campaign, situation: LeadSituation | QueuedPerson, now: int
) -> LeadFacts:
    """What gates ask about one lead and its message."""
    lead, message = situation.lead, situation.message
    digest = "" if message is None else digest_of(campaign, lead, message)
    limits, notes, oldest = campaign.settings.limits, None, None
    if message is not None and message.kind == "invitation" and message.text and limits.notes_are_scarce:
        notes, oldest = actions.notes_since(connection, campaign.account, now - NOTE_PERIOD, now)
    return person_facts(connection, campaign, lead, now)._replace(
        thread_read_at=lead.thread_read_at,
        notes_used=notes,
        oldest_note=oldest,
        approval=approval_state(situation.approval, digest, now),
    )


def person_refusal(connection: DatabaseConnection, lead_id: str, inputs: TurnInputs) -> Refusal | None:
    """Why nothing is even drafted for this person, whatever it says; None if they may be written to."""
    if do_not_contact.is_do_not_contact(connection, lead_id):
        return Refusal("not_on_do_not_contact", "This person is on the do-not-contact list.")
    person = people.several(connection, lead_id, inputs.now)
    return gates.reply_refusal(person) or hold_refusal(connection, lead_id, inputs)


def hold_refusal(connection: DatabaseConnection, lead_id: str, inputs: TurnInputs) -> Refusal | None:
    """Why this person is left to another campaign, or held until it is settled who they are; None if neither."""
    person = people.several(connection, lead_id, inputs.now)
    doubt = people.doubt_about(connection, lead_id)
    return gates.contact_refusal(person, inputs.now, inputs.offset_at) or gates.doubt_refusal(doubt)


def digest_of(campaign: Campaign, lead: Lead, message: Message) -> str:
    """What an approval of this message is bound to."""
    return approval_digest(
        campaign_id=campaign.id,
        channel=campaign.site,
        step=message.step,
        kind=message.kind,
        profile_url=lead.profile_url,
        text=message.text,
    )
