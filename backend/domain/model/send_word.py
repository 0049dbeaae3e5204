"""What the user says of a person they write to by hand: what they are asked, and the word they give."""

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from backend.domain.model.days import OffsetAt, local_day

LAST_WORD = "send_session_last_word"
"""Under this name the campaign's configuration has the word that can still be taken back."""


class SessionAsk(StrEnum):
    """What the user is asked about a person."""

    ACCEPTED = "accepted"
    """Whether they accepted the invitation."""
    CONNECTED = "connected"
    """Whether they are a contact already; nobody invited them."""
    REPLIED = "replied"
    """Whether they replied."""
    INVITE = "invite"
    """To take the note."""
    WRITE = "write"
    """To look for a reply first, and to take the text if there is none."""
    WITHDRAW = "withdraw"
    """To take back an invitation that nobody accepted for long; after everything else, and held back by nothing."""
    OUTCOME = "outcome"
    """What happened to the text that was handed over."""


class Word(StrEnum):
    """What the user says."""

    SENT = "sent"
    NOT_SENT = "not_sent"
    NO_REPLY = "no_reply"
    REPLIED = "replied"
    ALREADY_SENT = "already_sent"
    """What is to be sent is there: by a record that was lost, or by the user's own hand."""
    CONNECTED = "connected"
    NOT_CONNECTED = "not_connected"
    WRONG_PERSON = "wrong_person"
    WITHDRAWN = "withdrawn"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class GivenWord:
    """What the user said: of whom, asked what, about which act ("" if nothing was handed over), and when (ms UTC)."""

    lead_id: str
    ask: SessionAsk
    word: Word
    action_id: str
    at: int

    @property
    def stored(self) -> str:
        """As the campaign's configuration has it."""
        return json.dumps([self.lead_id, self.ask, self.word, self.action_id, self.at])

    def is_over(self, now: int, offset_at: OffsetAt) -> bool:
        """Whether it holds no longer, though it never took effect: who was skipped is asked about again on another day."""
        return self.word is Word.SKIP and local_day(now, offset_at) > local_day(self.at, offset_at)

    @classmethod
    def read(cls, stored: str) -> Self | None:
        """As it was stored; None if no word stands there, or what another version wrote."""
        try:
            lead_id, ask, word, action_id, at = json.loads(stored)
            return cls(str(lead_id), SessionAsk(ask), Word(word), str(action_id), int(at))
        except (TypeError, ValueError):
            return None


def taken_back(given_word: GivenWord) -> str:
    """What the configuration has in its place: another value than after it took effect, so that a rebase tells the two apart."""
    return json.dumps({"taken_back": [given_word.lead_id, given_word.at]})
