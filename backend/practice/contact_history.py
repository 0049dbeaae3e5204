"""What happened between the account and one person; time decides how much of it can be seen yet."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from backend.practice.behaviour import PracticeReply, acceptance, behaviour_of, reply


class PracticeRelation(StrEnum):
    NONE = "none"
    PENDING = "pending"
    CONNECTED = "connected"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class PracticeMessage:
    """A text in a thread; n is its entry in the ledger, or 0 when the person wrote it."""

    n: int
    author: Literal["you", "them"]
    at: int
    text: str


class PastContact(NamedTuple):
    """What passed between the account and one person on another machine's network, as the campaign has it on record."""

    kind: Literal["invitation", "message", "reply"]
    at: int
    text: str


@dataclass(slots=True)
class Invitation:
    n: int
    at: int
    note: str
    accepted_at: int | None
    withdrawn_at: int | None = None


@dataclass(slots=True)
class ContactHistory:
    """The delivered things, in order; acceptances and replies are worked out on delivery and surface in time."""

    seed: str
    slug: str
    connected_at: int | None = None
    viewed: int = 0
    invitations: list[Invitation] = field(default_factory=list)
    messages: list[PracticeMessage] = field(default_factory=list)
    replies: list[PracticeReply] = field(default_factory=list)

    def receive_invitation(self, n: int, at: int, note: str) -> None:
        accepted_at = acceptance(self.seed, self.slug, note, at)
        self.invitations.append(Invitation(n, at, note, accepted_at))
        if note and accepted_at is not None:
            self._answer([note], True, accepted_at)

    def restore(self, n: int, connected_at: int | None, past: Sequence[PastContact]) -> None:
        """Everything is as it is on record, oldest first; what this person has not answered yet is answered from here on."""
        tone = behaviour_of(self.seed, self.slug).tone
        self.connected_at, self.invitations, self.messages = connected_at, [], []
        self.replies = [PracticeReply(contact.at, contact.text, tone) for contact in past if contact.kind == "reply"]
        for contact in past:
            if contact.kind == "invitation":
                accepted_at = (
                    connected_at
                    if connected_at is not None
                    else acceptance(self.seed, self.slug, contact.text, contact.at)
                )
                self.invitations.append(Invitation(n, contact.at, contact.text, accepted_at))
            elif contact.kind == "message":
                self.messages.append(PracticeMessage(n, "you", contact.at, contact.text))
        sent = [contact for contact in past if contact.kind != "reply" and contact.text]
        if sent and past[-1].kind != "reply":
            note = [contact.text for contact in sent if contact.kind == "invitation"][-1:]
            received = note + [contact.text for contact in sent if contact.kind == "message"]
            answered_from = sent[-1].at if sent[-1].kind == "message" else self.invitations[-1].accepted_at
            if answered_from is not None:
                self._answer(received, bool(note), answered_from)

    def withdraw(self, at: int) -> None:
        last = self.invitations[-1]
        last.withdrawn_at, last.accepted_at = at, None
        self.replies = [reply for reply in self.replies if reply.at <= at]

    def receive_message(self, n: int, at: int, text: str) -> None:
        note = self._accepted_note(at)
        self.messages.append(PracticeMessage(n, "you", at, text))
        received = ([note] if note else []) + [message.text for message in self.messages]
        self._answer(received, bool(note), at)

    def _answer(self, received: list[str], had_note: bool, at: int) -> None:
        if answer := reply(self.seed, self.slug, received=received, had_note=had_note, at=at, earlier=self.replies):
            self.replies.append(answer)

    def _accepted_note(self, now: int) -> str:
        return next((sent.note for sent in self.invitations if sent.accepted_at and sent.accepted_at <= now), "")

    def connected_since(self, now: int) -> int | None:
        """When the two became connected, or None while they are not."""
        moments = [self.connected_at, *(sent.accepted_at for sent in self.invitations)]
        return min((at for at in moments if at is not None and at <= now), default=None)

    def relation(self, now: int) -> PracticeRelation:
        if self.connected_since(now) is not None:
            return PracticeRelation.CONNECTED
        if not self.invitations:
            return PracticeRelation.NONE
        return PracticeRelation.PENDING if self.invitations[-1].withdrawn_at is None else PracticeRelation.WITHDRAWN

    def pending(self, now: int) -> Invitation | None:
        return self.invitations[-1] if self.relation(now) is PracticeRelation.PENDING else None

    def thread(self, now: int) -> tuple[PracticeMessage, ...]:
        """Oldest first; an accepted invitation's note opens it."""
        notes = [
            PracticeMessage(sent.n, "you", sent.at, sent.note)
            for sent in self.invitations
            if sent.note and sent.accepted_at is not None and sent.accepted_at <= now
        ]
        answers = [PracticeMessage(0, "them", answer.at, answer.text) for answer in self.replies if answer.at <= now]
        written = [message for message in self.messages if message.at <= now]
        return tuple(sorted(notes + written + answers, key=lambda message: message.at))
