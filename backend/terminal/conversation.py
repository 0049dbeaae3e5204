"""The last messages of a conversation with a person, through all campaigns, a line each."""

from backend.domain.contact.conversation import ConversationMessage, lines_of
from backend.domain.model.days import OffsetAt
from backend.domain.model.lead import Lead
from backend.store.database import DatabaseConnection
from backend.store.queries.contact import messages
from backend.terminal.output import one_line

MOST, LONGEST = 4, 160
"""Messages, and characters of each."""


def conversation(connection: DatabaseConnection, lead: Lead, offset_at: OffsetAt) -> list[str]:
    """Oldest first."""
    last = [_marked(message) for message in messages.last_exchanged(connection, lead.id, MOST, LONGEST)]
    return [one_line(line) for line in lines_of(last, lead.full_name, offset_at, lead.campaign_id)]


def _marked(message: ConversationMessage) -> ConversationMessage:
    """With a sign where the rest was left out."""
    return message._replace(text=f"{message.text[:-1].rstrip()}…") if message.length > len(message.text) else message
