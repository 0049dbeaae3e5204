"""What a look at the site changes: where the relation stands, what they wrote, and which step that leads to."""

from collections.abc import Iterable

from backend.domain.contact import replies
from backend.domain.contact.conversation_check import new_replies
from backend.domain.contact.replies import Reply
from backend.domain.events.events import Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.lead import LeadAdvanced, LeadProgress, looked_at
from backend.domain.events.facts.message import IncidentOpened
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.message import MessageSource
from backend.domain.model.sequence import step_after_visit
from backend.domain.model.site import IncidentKind, Profile, Relation, Thread, ThreadMessage
from backend.domain.model.task import Task
from backend.domain.turn.task_progress import NewId, next_step_events


def profile_read_events(
    campaign: Campaign, task: Task, lead: Lead, profile: Profile, now: int, new_id: NewId
) -> list[Event]:
    """A profile was read: where the relation stands, and which step that leads to."""
    changes = profile_progress(campaign, lead, profile, now)
    headline, updated_at = (profile.headline, now) if is_news(lead, profile) else (OMITTED, OMITTED)
    updated_lead = lead._replace(**changes)
    return [
        LeadAdvanced(lead.id, **changes, headline=headline, profile_updated_at=updated_at),
        *next_step_events(campaign, task, updated_lead, None, now, new_id),
    ]


def is_news(lead: Lead, profile: Profile) -> bool:
    """Whether the profile says something of the person that was not known."""
    return bool(profile.headline) and profile.headline != lead.headline


def profile_progress(campaign: Campaign, lead: Lead, profile: Profile, now: int) -> LeadProgress:
    """How far the lead is, by what its profile shows: nobody is invited who is invited or connected already."""
    changes = looked_at(lead, now) | _relation_changes(lead, profile.relation, now)
    sequence = campaign.settings.sequence
    position = sequence.next_place(lead.sequence_step, lead.relation, lead.answers)
    kind = sequence.steps[position].kind if position < len(sequence.steps) else ""
    if kind == "visit":
        changes["sequence_step"] = step_after_visit(sequence, position, profile.relation)
    elif kind == "invitation" and profile.relation is not Relation.NONE:
        changes["sequence_step"] = sequence.past(position)
    if profile.relation is Relation.PENDING and (lead.invited_at is None or lead.relation is Relation.NONE):
        changes["invited_at"] = now  # invited by hand, for the first time or again: waiting starts at what we know
    return changes


def _relation_changes(lead: Lead, relation: Relation, now: int) -> LeadProgress:
    if relation is lead.relation:
        return {}
    changes: LeadProgress = {"relation": relation}
    if relation is Relation.CONNECTED and lead.accepted_at is None:
        changes["accepted_at"] = now
    return changes


def thread_read_events(
    lead: Lead, thread: Thread, recorded_replies: Iterable[Reply], in_touch_since: int, now: int, new_id: NewId
) -> tuple[Lead, list[Event]]:
    """A thread was read: what they wrote since, and the lead as it now stands. Replies are kept word by word.

    `in_touch_since` is from when on (ms UTC) what they write may answer us.
    """
    changes: LeadProgress = {"thread_read_at": now, **_relation_changes(lead, thread.relation, now)}
    new = new_replies(thread, recorded_replies)
    answers = [Reply(message.text, message.at) for message in new if _answers(lead, in_touch_since, message)]
    changes |= replies.progress(lead, replies.reply_kinds(answers), now, now)
    events = replies.received_events(
        lead, [Reply(message.text, message.at) for message in new], now, new_id, MessageSource.SEEN
    )
    return lead._replace(**changes), [LeadAdvanced(lead.id, **changes), *events]


def _answers(lead: Lead, in_touch_since: int, message: ThreadMessage) -> bool:
    """Whether it answers us; what stood there before we first looked or were in touch is an old conversation."""
    return lead.thread_read_at is not None or lead.last_sent_at is not None or message.at >= in_touch_since


def incident(
    campaign: Campaign,
    kind: IncidentKind,
    description: str,
    now: int,
    new_id: NewId,
    *,
    evidence: str = "",
    lead_id: str = "",
) -> Event:
    """The account is in trouble until the user clears it; `evidence` is the file that shows it, `lead_id` whose page was open."""
    return IncidentOpened(
        new_id(),
        account=campaign.account,
        kind=kind,
        said=description[:500],
        opened_at=now,
        evidence=evidence or OMITTED,
        lead_id=lead_id or OMITTED,
    )
