"""Messages to and from leads: drafts, what was approved, sent or rejected."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.contact.conversation import EXCHANGED, POSSIBLY_SENT, ConversationMessage, source_of, without_copies
from backend.domain.contact.replies import Reply
from backend.domain.model.message import SENT_BY, Message, MessageStatus, RejectedText
from backend.domain.turn.task_progress import WaitingText
from backend.store.database import DatabaseConnection
from backend.store.queries.contact.approvals import approval_of
from backend.store.queries.people.person_leads import PERSON_LEADS
from backend.store.rows import TableReader, literals

_MESSAGE = "id, lead_id, task_id, step, kind, text, status, variant"


def _message(*row: Any) -> Message:
    return Message(row[0], row[1], row[2], row[3], row[4], row[5], MessageStatus(row[6]), row[7])


_MESSAGES = TableReader(f"SELECT {_MESSAGE} FROM messages", _message)


def message_of_step(connection: DatabaseConnection, lead_id: str, step: str) -> Message | None:
    """The step's current message: the last one written that was not cancelled."""
    where = "WHERE lead_id=? AND step=? AND status<>'cancelled' ORDER BY id DESC LIMIT 1"
    return _MESSAGES.first(connection, where, (lead_id, step))


def latest_of_step(connection: DatabaseConnection, lead_id: str, step: str) -> Message | None:
    """The step's current message; the last one that was cancelled, if it has none."""
    where = "WHERE lead_id=? AND step=? ORDER BY status='cancelled', id DESC LIMIT 1"
    return _MESSAGES.first(connection, where, (lead_id, step))


def sent_at(connection: DatabaseConnection, message_id: str) -> int:
    """When the message was sent (ms UTC)."""
    return int(connection.execute("SELECT sent_at FROM messages WHERE id=?", (message_id,)).fetchone()[0])


def answer_of_task(connection: DatabaseConnection, lead_id: str, task_id: str) -> Message | None:
    """The answer that the task is to send."""
    return _MESSAGES.first(connection, "WHERE lead_id=? AND step LIKE 'answer:%' AND task_id=?", (lead_id, task_id))


_WAITING_ANSWER = "m.step LIKE 'answer:%' AND m.status IN ('draft', 'approved', 'sending', 'outcome_unknown')"


def waiting_answer(connection: DatabaseConnection, lead_id: str) -> Message | None:
    """The answer through this lead that is not sent yet, or of which nobody knows whether it was."""
    return _MESSAGES.first(connection, f"m WHERE lead_id=? AND {_WAITING_ANSWER} ORDER BY id DESC LIMIT 1", (lead_id,))


def is_answer_waiting(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether there is such an answer to this person through any campaign."""
    row = connection.execute(
        f"SELECT 1 FROM {PERSON_LEADS} p CROSS JOIN messages m ON m.lead_id = p.lead_id WHERE {_WAITING_ANSWER} LIMIT 1",
        (lead_id,),
    )
    return row.fetchone() is not None


def unsent_answer(connection: DatabaseConnection, lead_id: str) -> tuple[str, str] | None:
    """(text, why) of the user's last answer to this person if it was not sent after all."""
    row = connection.execute(
        "SELECT status, text, reason FROM messages WHERE lead_id=? AND step LIKE 'answer:%' ORDER BY id DESC LIMIT 1",
        (lead_id,),
    ).fetchone()
    return (row[1], row[2]) if row is not None and row[0] == "cancelled" else None


def unread(connection: DatabaseConnection, lead_id: str, now: int) -> list[tuple[str, str]]:
    """(campaign, lead) of each lead through which this person wrote, or whose conversation came back, since it was last opened."""
    return connection.execute(
        f"SELECT l.campaign_id, l.id FROM {PERSON_LEADS} p CROSS JOIN leads l ON l.id = p.lead_id"
        " WHERE l.replied_at > coalesce(l.replies_read_at, 0)"
        " OR l.snoozed_until <= ?2 AND l.snoozed_until > coalesce(l.replies_read_at, 0) ORDER BY 1, 2",
        (lead_id, now),
    ).fetchall()


def waiting_texts(connection: DatabaseConnection, lead_id: str) -> list[WaitingText]:
    """The texts of this lead's sequence that wait to be approved or sent, of whichever step."""
    where = "WHERE lead_id=? AND step NOT LIKE 'answer:%' AND status IN ('draft', 'approved') ORDER BY id"
    texts = _MESSAGES.every(connection, where, (lead_id,))
    return [WaitingText(text, approval_of(connection, text.id)) for text in texts]


def count_answers(connection: DatabaseConnection, lead_id: str) -> int:
    """How many answers the user wrote to this person, sent or not."""
    row = connection.execute("SELECT count(*) FROM messages WHERE lead_id=? AND step LIKE 'answer:%'", (lead_id,))
    return int(row.fetchone()[0])


REJECTED_BY_USER = "rejected by the user"


def rejected_texts(connection: DatabaseConnection, lead_id: str, step: str) -> tuple[RejectedText, ...]:
    """The texts for this step that the user has rejected, oldest first."""
    rows = connection.execute(
        "SELECT text, rejection_reason FROM messages WHERE lead_id=? AND step=? AND status='cancelled' AND reason=?"
        " ORDER BY id",
        (lead_id, step, REJECTED_BY_USER),
    )
    return tuple(RejectedText(*row) for row in rows)


def is_rejected(connection: DatabaseConnection, message_id: str) -> bool:
    """Whether the user rejected this text."""
    row = connection.execute(
        "SELECT 1 FROM messages WHERE id=? AND status='cancelled' AND reason=?", (message_id, REJECTED_BY_USER)
    )
    return row.fetchone() is not None


def message(connection: DatabaseConnection, campaign_id: str, message_id: str) -> Message | None:
    """The message, if it is this campaign's."""
    return _MESSAGES.first(connection, "WHERE id=? AND campaign_id=?", (message_id, campaign_id))


def written_at(connection: DatabaseConnection, message_id: str) -> int:
    """When it was drafted, ms UTC."""
    row = connection.execute("SELECT created_at FROM messages WHERE id=?", (message_id,)).fetchone()
    return int(row[0])


def attempts(connection: DatabaseConnection, message_id: str) -> int:
    """How often the site has failed to send this message."""
    return int(connection.execute("SELECT attempts FROM messages WHERE id=?", (message_id,)).fetchone()[0])


def drafts(connection: DatabaseConnection, campaign_id: str, limit: int = 200) -> list[Message]:
    """What waits in Review, oldest first."""
    where = "WHERE campaign_id=? AND status='draft' ORDER BY id LIMIT ?"
    return _MESSAGES.every(connection, where, (campaign_id, limit))


def open_drafts(connection: DatabaseConnection, campaign_id: str, limit: int) -> int:
    """How many texts wait in Review, counted up to `limit`."""
    row = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM messages WHERE campaign_id=? AND status='draft' LIMIT ?)",
        (campaign_id, limit),
    ).fetchone()
    return int(row[0])


def leads_of_drafts(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[str]:
    """For whom the first `limit` texts in Review are, one lead for each text."""
    rows = connection.execute(
        "SELECT lead_id FROM messages WHERE campaign_id=? AND status='draft' LIMIT ?", (campaign_id, limit)
    )
    return [lead_id for (lead_id,) in rows]


_MAY_GO_OUT = (  # the first condition is the index's own
    "m.status IN ('approved', 'outcome_unknown') AND m.status='approved'"
    " AND EXISTS (SELECT 1 FROM approvals a WHERE a.message_id = m.id AND a.status='open' AND a.expires_at>:now)"
)


def count_approved(connection: DatabaseConnection, campaign_id: str, now: int) -> int:
    """How many texts are approved and may still go out."""
    row = connection.execute(
        f"SELECT count(*) FROM messages m WHERE m.campaign_id=:campaign AND {_MAY_GO_OUT}",
        {"campaign": campaign_id, "now": now},
    ).fetchone()
    return int(row[0])


_OF_EACH_KIND = ", ".join(f"count(*) FILTER (WHERE kind='{kind}')" for kind in SENT_BY)
_WAITING = " UNION ALL ".join(
    f"SELECT {_OF_EACH_KIND} FROM messages WHERE campaign_id=?1 AND status='{status}' AND {indexed}"
    for status, indexed in (("draft", "true"), ("approved", "status IN ('approved', 'outcome_unknown')"))
)


def waiting_by_kind(connection: DatabaseConnection, campaign_id: str) -> dict[str, int]:
    """How many messages of each kind wait to be approved, or to be sent; a kind of which none waits is left out."""
    counts = map(sum, zip(*connection.execute(_WAITING, (campaign_id,)), strict=True))
    return {kind: count for kind, count in zip(SENT_BY, counts, strict=True) if count}


def approved_of_account(
    connection: DatabaseConnection, account: str, kind: str, now: int, *, with_text: bool = False
) -> int:
    """How many messages of that kind (or those `with_text`) are approved and may still go out, in the account's campaigns."""
    row = connection.execute(
        f"SELECT count(*) FROM campaigns c CROSS JOIN messages m ON m.campaign_id = c.id AND {_MAY_GO_OUT}"
        " WHERE c.account=:account AND m.kind=:kind AND (NOT :with_text OR m.text<>'')"
        " AND c.archived_at IS NULL AND c.deleted_at IS NULL",
        {"account": account, "kind": kind, "with_text": with_text, "now": now},
    ).fetchone()
    return int(row[0])


def approved(connection: DatabaseConnection, campaign_id: str) -> list[Message]:
    """What is approved and not sent yet, found by the tasks that wait to send it."""
    rows = connection.execute(
        f"SELECT {', '.join(f'm.{name}' for name in _MESSAGE.split(', '))} FROM tasks t"
        " JOIN messages m ON m.lead_id = t.lead_id AND m.status='approved'"
        " WHERE t.campaign_id=? AND t.status='in_progress' AND (t.needs IN ('invite', 'message') AND t.kind<>'answer'"
        " AND m.step NOT LIKE 'answer:%' OR t.needs='answer' AND m.task_id = t.id) ORDER BY m.id",
        (campaign_id,),
    )
    return [_message(*row) for row in rows]


def has_replied(connection: DatabaseConnection, lead_id: str) -> bool:
    """Whether the person wrote, through whichever campaign, word for word or by what the user said."""
    row = connection.execute(
        f"SELECT 1 FROM {PERSON_LEADS} p CROSS JOIN leads l ON l.id = p.lead_id WHERE l.replied_at IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM messages m WHERE m.lead_id = l.id AND m.step='' AND m.kind='reply') LIMIT 1",
        (lead_id,),
    )
    return row.fetchone() is not None


def replies(connection: DatabaseConnection, lead_id: str) -> list[Reply]:
    """What the person wrote, through whichever campaign it is on record."""
    rows = connection.execute(
        f"SELECT m.text, m.sent_at FROM {PERSON_LEADS} p CROSS JOIN messages m ON m.lead_id = p.lead_id"
        " WHERE m.step='' AND m.kind='reply'",
        (lead_id,),
    )
    return [Reply(*row) for row in rows]


def replies_after_found(connection: DatabaseConnection, lead_id: str) -> list[Reply]:
    """What they wrote after the first of the messages of ours that were found in the conversation last, oldest first."""
    rows = connection.execute(_AFTER_FOUND, {"lead": lead_id})
    return [Reply(*row) for row in rows]


_AFTER_FOUND = """
SELECT text, sent_at FROM messages WHERE lead_id=:lead AND status='received' AND sent_at >=
  (SELECT min(sent_at) FROM messages WHERE lead_id=:lead AND status='found' AND created_at =
    (SELECT max(created_at) FROM messages WHERE lead_id=:lead AND status='found'))
ORDER BY sent_at, id
"""


def reply_times(connection: DatabaseConnection, lead_id: str, text: str) -> set[int]:
    """When (ms UTC) they wrote that very reply, as it is recorded; usually never or once."""
    rows = connection.execute(
        "SELECT sent_at FROM messages WHERE lead_id=? AND kind='reply' AND text=?", (lead_id, text)
    )
    return {sent_at for (sent_at,) in rows}


class AddressedMessage(NamedTuple):
    """A message, and whom it is for."""

    id: str
    kind: str
    text: str
    recipient: str
    profile_url: str
    from_template: int


def addressed(
    connection: DatabaseConnection, campaign_id: str, status: MessageStatus, limit: int = -1
) -> list[AddressedMessage]:
    """The campaign's messages of that status, oldest first; -1 is no limit, as SQLite has it."""
    # The status in the text: as a parameter, which index serves it would be planned anew each time.
    rows = connection.execute(
        "SELECT m.id, m.kind, m.text, l.full_name, l.profile_url, m.from_template FROM messages m JOIN leads l ON l.id = m.lead_id"
        f" WHERE m.campaign_id=? AND m.status='{MessageStatus(status).value}' ORDER BY m.id LIMIT ?",
        (campaign_id, limit),
    )
    return [AddressedMessage(*row) for row in rows]


class ContactOnRecord(NamedTuple):
    """Something that passed between the account and a lead, or (with an empty kind) that they are connected."""

    profile_url: str
    connected_at: int | None
    kind: str
    at: int
    text: str


def past_contacts(connection: DatabaseConnection, campaign_id: str) -> list[ContactOnRecord]:
    """All that is known to have passed with the campaign's leads, lead by lead, oldest first."""
    rows = connection.execute(
        "SELECT l.profile_url, CASE l.relation WHEN 'connected' THEN coalesce(l.accepted_at, l.visited_at, 0) END,"
        " coalesce(m.kind, ''),"
        " coalesce(m.sent_at, m.created_at, 0) AS at, coalesce(m.text, '')"
        " FROM leads l LEFT JOIN messages m ON m.lead_id = l.id AND m.status IN ('sent', 'received', 'found')"
        " WHERE l.campaign_id=? AND (m.id IS NOT NULL OR l.relation = 'connected') ORDER BY l.id, at, m.id",
        (campaign_id,),
    )
    return [ContactOnRecord(*row) for row in rows]


def count_of_status(connection: DatabaseConnection, campaign_id: str, status: MessageStatus) -> int:
    """How many of the campaign's messages have that status; looks at all that have."""
    row = connection.execute("SELECT count(*) FROM messages WHERE campaign_id=? AND status=?", (campaign_id, status))
    return int(row.fetchone()[0])


class SequenceProof(NamedTuple):
    """How much keeps a lead's sequence from being proven: messages still open, and sent ones that were never seen."""

    open: int
    unproven: int


def sequence_proof(connection: DatabaseConnection, lead_id: str) -> SequenceProof:
    """Counted over all messages to this lead."""
    row = connection.execute(
        "SELECT coalesce(sum(status IN ('draft', 'approved', 'sending', 'outcome_unknown')), 0),"
        " coalesce(sum(status = 'sent' AND NOT EXISTS ("
        "   SELECT 1 FROM actions a WHERE a.message_id = m.id AND a.status = 'sent')), 0)"
        " FROM messages m WHERE lead_id=? AND step NOT LIKE 'answer:%'",
        (lead_id,),
    ).fetchone()
    return SequenceProof(*row)


def is_proven_sent(connection: DatabaseConnection, campaign_id: str, lead_id: str, step: str) -> bool:
    """Whether the step's message was seen at its recipient."""
    row = connection.execute(
        "SELECT 1 FROM messages m JOIN actions a ON a.message_id = m.id AND a.status = 'sent'"
        " WHERE m.campaign_id=? AND m.lead_id=? AND m.step=? AND m.status='sent'",
        (campaign_id, lead_id, step),
    )
    return row.fetchone() is not None


_AT = "coalesce(m.sent_at, m.created_at)"
_EXCHANGED = f"m.status IN ({literals(EXCHANGED)})"
_POSSIBLY_SENT = f"m.status IN ({literals(POSSIBLY_SENT)})"
_OF_PERSON = (
    f"FROM {PERSON_LEADS} p CROSS JOIN messages m ON m.lead_id = p.lead_id CROSS JOIN campaigns c ON c.id = m.campaign_id"
    " WHERE c.deleted_at IS NULL AND"
)
# A campaign's text for the person is shown where it waits; the others' only once it may have reached them.
_IN_THREAD = f"({_EXCHANGED} OR {_POSSIBLY_SENT} OR m.lead_id = ?1 AND m.status <> 'cancelled')"
_PASSED = f"({_EXCHANGED} OR {_POSSIBLY_SENT} AND m.lead_id <> ?1)"
_CONVERSATION = f"""
SELECT m.id, m.lead_id, m.campaign_id, c.name, m.kind, substr(m.text, 1, ?2), length(m.text), latest.at, m.step, m.status,
  m.reason, m.reply_kind, m.reply_rule, m.source, coalesce((
    SELECT a.evidence FROM actions a WHERE a.message_id = m.id AND a.status = 'sent' ORDER BY a.id DESC LIMIT 1), m.evidence)
FROM (SELECT m.id, {_AT} AS at {_OF_PERSON} {{shown}} ORDER BY at DESC, m.id DESC LIMIT ?3) latest
CROSS JOIN messages m ON m.id = latest.id CROSS JOIN campaigns c ON c.id = m.campaign_id ORDER BY latest.at, m.id
"""


def last_exchanged(connection: DatabaseConnection, lead_id: str, limit: int, longest: int) -> list[ConversationMessage]:
    """The last messages that passed with this person, or may have, through whichever campaign, oldest first.

    Of this lead's own texts none that waits or is being sent: it is shown by itself.
    """
    rows = connection.execute(_CONVERSATION.format(shown=_PASSED), (lead_id, longest, limit))
    return without_copies(_conversation_message(row) for row in rows)


class StoredThread(NamedTuple):
    """The latest messages of a conversation, oldest first; `earlier` is how many older ones are left out."""

    messages: list[ConversationMessage]
    earlier: int


def thread(connection: DatabaseConnection, lead_id: str, limit: int, longest: int) -> StoredThread:
    """What passed with this person through whichever campaign, and this lead's texts that were not cancelled."""
    rows = connection.execute(_CONVERSATION.format(shown=_IN_THREAD), (lead_id, longest, limit)).fetchall()
    counting = f"SELECT count(*) {_OF_PERSON} {_IN_THREAD}"
    earlier = connection.execute(counting, (lead_id,)).fetchone()[0] - len(rows) if len(rows) == limit else 0
    return StoredThread(without_copies(_conversation_message(row) for row in rows), earlier)


def _conversation_message(row: tuple[Any, ...]) -> ConversationMessage:
    *fields, source, evidence = row
    status = fields[9] = MessageStatus(fields[9])
    return ConversationMessage._make([*fields, source_of(status, source, evidence)])


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text to or from a lead; `reason` is why it was written as it is; times in ms UTC."""

    id: str
    step: str
    variant: str
    kind: str
    status: str
    text: str
    reason: str
    created_at: int
    sent_at: int | None


_WRITTEN = TableReader(f"SELECT {', '.join(WrittenText.__annotations__)} FROM messages", WrittenText)


def texts_of_lead(connection: DatabaseConnection, lead_id: str, limit: int) -> list[WrittenText]:
    """The lead's texts by step, cancelled ones too."""
    return _WRITTEN.every(connection, "WHERE lead_id=? ORDER BY step, id LIMIT ?", (lead_id, limit))


def texts_for_task(
    connection: DatabaseConnection, campaign_id: str, lead_id: str | None, limit: int
) -> list[WrittenText]:
    """The latest texts to and from the task's lead, oldest first."""
    rest = "WHERE lead_id=? AND campaign_id=? ORDER BY id DESC LIMIT ?"
    return _WRITTEN.every(connection, rest, (lead_id, campaign_id, limit))[::-1]


_PAGE = "SELECT id FROM messages WHERE campaign_id=? AND {} AND id>? ORDER BY id LIMIT ?"


def draft_ids(connection: DatabaseConnection, campaign_id: str, after: str, limit: int) -> list[str]:
    """What waits in Review behind that message, oldest first."""
    rows = connection.execute(_PAGE.format("status='draft'"), (campaign_id, after, limit))
    return [id_ for (id_,) in rows]


class WaitingKind(NamedTuple):
    """How many drafts of a kind, with or without a text (an invitation may have none)."""

    kind: str
    has_text: bool
    texts: int


def drafts_until(connection: DatabaseConnection, campaign_id: str, last: str) -> list[WaitingKind]:
    """What waits in Review up to and including that message, counted; the user's own answers are left out."""
    rows = connection.execute(
        "SELECT kind, text<>'', count(*) FROM messages WHERE campaign_id=? AND status='draft' AND id<=?"
        " AND step NOT LIKE 'answer:%' GROUP BY 1, 2",
        (campaign_id, last),
    )
    return [WaitingKind(kind, bool(has_text), texts) for kind, has_text, texts in rows]


def outgoing_ids(connection: DatabaseConnection, campaign_id: str, after: str, limit: int) -> list[str]:
    """What was approved, or whose outcome is not known, behind that message, oldest first."""
    rows = connection.execute(_PAGE.format("status IN ('approved', 'outcome_unknown')"), (campaign_id, after, limit))
    return [id_ for (id_,) in rows]


class ReviewRecord(NamedTuple):
    """What Review shows of a message beside its text; times in ms UTC, None without an approval."""

    headline: str
    score: int | None
    created_at: int
    reason: str
    from_template: int
    variant: str
    approved_by: str | None
    approved_at: int | None
    expires_at: int | None


def review_record(connection: DatabaseConnection, message_id: str, approval_id: str) -> ReviewRecord:
    """Of that message, with that approval ("" for none)."""
    row = connection.execute(
        "SELECT l.headline, l.weight_score, m.created_at, m.reason,"
        " m.from_template, m.variant, a.given_by, a.created_at, a.expires_at FROM messages m"
        " JOIN leads l ON l.id = m.lead_id LEFT JOIN approvals a ON a.id = ? WHERE m.id = ?",
        (approval_id, message_id),
    ).fetchone()
    return ReviewRecord(*row)


def count_unapproved(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many of our texts went out without an approval that was used for them; looks at all messages."""
    row = connection.execute(
        "SELECT count(*) FROM messages m WHERE m.campaign_id=? AND m.status IN ('sent', 'outcome_unknown') AND m.kind<>'reply'"
        " AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.message_id=m.id AND a.status='used')",
        (campaign_id,),
    )
    return int(row.fetchone()[0])
