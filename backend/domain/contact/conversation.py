"""One conversation with a person: every message either way, through whichever campaign, with how each is known.

What is shown of a conversation comes from what is on record. Where the log cannot tell how a message is known, nothing is said.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from backend.domain.contact.reconciliation import EXPORT
from backend.domain.model.campaign import DAY
from backend.domain.model.days import OffsetAt, day_and_month, local_time
from backend.domain.model.message import MessageSource, MessageStatus, text_mark

EXCHANGED = (MessageStatus.SENT, MessageStatus.RECEIVED, MessageStatus.FOUND)
"""What passed between the user and a person, for certain."""

POSSIBLY_SENT = (MessageStatus.SENDING, MessageStatus.OUTCOME_UNKNOWN)
"""What may have reached them: the user has its text, or nobody knows what came of it."""

SOURCE_WORDS: dict[MessageSource, str] = {
    MessageSource.SEEN: "seen by Outrider",
    MessageSource.REPORTED: "reported by you",
    MessageSource.EXPORT: "seen in your LinkedIn export",
    MessageSource.CONFIRMED: "reported by you, confirmed by your LinkedIn export",
    MessageSource.UNSETTLED: "not known yet whether it was sent",
    MessageSource.UNKNOWN: "",
}
"""How people are told how a message is known, in the terminal and on the page, which has it generated."""

_USER_WORD = "user_word"


class ConversationMessage(NamedTuple):
    """A message of a conversation, its text cut to what was asked for, `length` that of the whole; `at` in ms UTC."""

    id: str
    lead_id: str
    campaign_id: str
    campaign: str
    kind: str
    text: str
    length: int
    at: int
    step: str
    status: MessageStatus
    reason: str
    reply_kind: str
    reply_rule: str
    source: MessageSource

    @property
    def author(self) -> Literal["us", "them"]:
        """Who wrote it."""
        return "them" if self.kind == "reply" else "us"


def source_of(status: MessageStatus, recorded: str, evidence: str) -> MessageSource:
    """How a message is known; `recorded` by its own row, `evidence` (JSON) by the act that sent it."""
    if status in POSSIBLY_SENT:
        return MessageSource.UNSETTLED
    if status is not MessageStatus.SENT:
        return MessageSource(recorded) if recorded else MessageSource.UNKNOWN
    kinds = {piece.get("kind") for piece in json.loads(evidence)}
    if kinds - {_USER_WORD, EXPORT}:
        return MessageSource.SEEN
    if EXPORT in kinds:
        return MessageSource.CONFIRMED if _USER_WORD in kinds else MessageSource.EXPORT
    return MessageSource.REPORTED if _USER_WORD in kinds else MessageSource.UNKNOWN


def without_copies(messages: Iterable[ConversationMessage]) -> list[ConversationMessage]:
    """The messages, oldest first, without those that two campaigns have on record of one.

    That happens where both read the same conversation before it was known that they are in touch with one person. Two texts
    that were both sent are two, whatever they say.
    """
    ordered = sorted(messages, key=lambda message: (message.at, message.id))
    shown: list[ConversationMessage] = []
    repeated: set[str] = set()
    for message in ordered:
        original = next((other for other in shown if other.id not in repeated and _is_copy(other, message)), None)
        if original is None:
            shown.append(message)
        else:
            repeated.add(original.id)
    return shown


def _is_copy(earlier: ConversationMessage, later: ConversationMessage) -> bool:
    if earlier.lead_id == later.lead_id or earlier.author != later.author or later.at - earlier.at > DAY:
        return False
    if earlier.author == "us" and MessageStatus.FOUND not in (earlier.status, later.status):
        return False
    return {earlier.status, later.status} <= set(EXCHANGED) and text_mark(earlier.text) == text_mark(later.text)


def in_words(message: ConversationMessage, name: str, offset_at: OffsetAt, *, names_campaign: bool) -> str:
    """A message in one line: `12 Nov, You (“Water founders”, reported by you): Hi Wanda …`"""
    campaign = f"“{message.campaign}”" if names_campaign else ""
    origin = ", ".join(part for part in (campaign, SOURCE_WORDS[message.source]) if part)
    author = "You" if message.author == "us" else f"{name} replied"
    text = message.text or "an invitation without a note"
    return f"{day_and_month(local_time(message.at, offset_at))}, {author}{f' ({origin})' if origin else ''}: {text}"


def lines_of(messages: Sequence[ConversationMessage], name: str, offset_at: OffsetAt, campaign_id: str) -> list[str]:
    """A conversation as that campaign shows it, a line for each message; each names its campaign if any is another's."""
    names_campaign = any(message.campaign_id != campaign_id for message in messages)
    return [in_words(message, name, offset_at, names_campaign=names_campaign) for message in messages]
