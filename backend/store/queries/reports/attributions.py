"""Conversations with leads as `domain/reports/attribution.py` asks about them: what we sent, what they wrote, and when."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from backend.domain.reports.attribution import Conversation, OurMessage, ReplyTime, TheirMessage, attribute
from backend.store.database import DatabaseConnection
from backend.store.queries.people.person_leads import NOT_ERASED


class LeadConversation(NamedTuple):
    """A lead's conversation; `contacts` are when we were in touch (ms UTC) by the lead's own record: invited by hand, say."""

    lead_id: str
    accepted_at: int | None
    contacts: tuple[int, ...]
    conversation: Conversation


_LEADS = "SELECT id, accepted_at, invited_at, last_sent_at, replied_at {leads}"
_OURS = """
SELECT l.id, m.id, m.step, m.sent_at, m.kind, m.variant FROM (SELECT id {leads}) l CROSS JOIN messages m ON m.lead_id=l.id
WHERE m.status IN ('sent', 'found') AND m.sent_at IS NOT NULL
"""
# Of somebody who has not replied there are at most a machine's messages and an older conversation.
_THEIRS = """
SELECT l.id, m.sent_at, m.created_at, m.reply_kind='automatic', m.text<>'',
  (SELECT i.created_at FROM leads k JOIN imports i ON i.id=k.import_id WHERE k.id=l.id)
FROM (SELECT id, replied_at {leads}) l CROSS JOIN messages m ON m.lead_id=l.id
WHERE l.replied_at IS NOT NULL AND m.kind='reply' AND m.sent_at IS NOT NULL
"""


def lead_exchanges(
    connection: DatabaseConnection, leads: str, parameters: dict[str, object]
) -> Iterator[LeadConversation]:
    """Those with the leads of a query (`FROM leads WHERE …`)."""
    our_messages: dict[str, list[OurMessage]] = {}
    for lead_id, *message in connection.execute(_OURS.format(leads=leads), parameters):
        our_messages.setdefault(lead_id, []).append(OurMessage(*message))
    their_messages: dict[str, list[TheirMessage]] = {}
    imported: dict[str, int | None] = {}
    for lead_id, written_at, noticed_at, automatic, worded, imported_at in connection.execute(
        _THEIRS.format(leads=leads), parameters
    ):
        message = TheirMessage(written_at, noticed_at, bool(automatic), bool(worded))
        their_messages.setdefault(lead_id, []).append(message)
        imported[lead_id] = imported_at
    for lead_id, accepted_at, invited_at, last_sent_at, replied_at in connection.execute(
        _LEADS.format(leads=leads), parameters
    ):
        sent = our_messages.get(lead_id, ())
        contacts = tuple(at for at in (invited_at, last_sent_at) if at is not None)
        written = their_messages.get(lead_id, ())
        since = _in_touch_since(sent, contacts, imported.get(lead_id)) if written else None
        yield LeadConversation(lead_id, accepted_at, contacts, Conversation(sent, written, since, replied_at))


def _in_touch_since(sent: Sequence[OurMessage], contacts: Sequence[int], imported_at: int | None) -> int | None:
    """When they came into the campaign, or got the first thing of it; what the user had written by hand does not matter."""
    imported = [] if imported_at is None else [imported_at]
    return min((*imported, *contacts, *(message.sent_at for message in sent if message.step)), default=None)


_REPLIED = f"FROM leads WHERE campaign_id=:c AND {NOT_ERASED} AND replied_at IS NOT NULL AND replied_at>=:since"


def replied(connection: DatabaseConnection, campaign_id: str, since: int = 0) -> Iterator[LeadConversation]:
    """With everybody whose latest reply was noticed since then (ms UTC)."""
    return lead_exchanges(connection, _REPLIED, {"c": campaign_id, "since": since})


def has_replied(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether anything that this lead wrote is a reply."""
    leads = lead_exchanges(connection, "FROM leads WHERE id=:id", {"id": lead_id})
    return any(attribute(lead.conversation).first_reply is not None for lead in leads)


def first_replies(connection: DatabaseConnection, campaign_id: str, since: int = 0) -> dict[str, ReplyTime]:
    """When each lead first replied, if it was since then (ms UTC)."""
    leads = replied(connection, campaign_id, since)
    replies = ((lead.lead_id, attribute(lead.conversation).first_reply) for lead in leads)
    return {lead_id: reply for lead_id, reply in replies if reply is not None and reply.at >= since}


def earned_replies(connection: DatabaseConnection, campaign_id: str) -> dict[str, ReplyTime]:
    """The replies that messages of the campaign earned, by the message's id."""
    earned: dict[str, ReplyTime] = {}
    for lead in replied(connection, campaign_id):
        earned |= attribute(lead.conversation).earned
    return earned


def count_steps_after_reply(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many texts of the sequence went to somebody who had replied before."""
    return sum(len(attribute(lead.conversation).after_reply) for lead in replied(connection, campaign_id))
