"""A send session: what the user is asked about each person of the day, how they may answer, and what follows from it.

On a channel where the user reads and acts, their word is the observation and the outcome. A text is handed over only after
its intent is on disk, and counts as sent only when they say so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from backend.domain.contact.replies import Reply, progress, received_events, reply_kinds
from backend.domain.contact.sends import SendContext, outcome_events
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadFinished, RepliesRead, looked_at
from backend.domain.events.facts.message import (
    ActionSettled,
    ApprovalReopened,
    ApprovalRevoked,
    MessageCancelled,
    MessageNotSent,
    OwnMessageFound,
)
from backend.domain.events.facts.task import TaskCancelled
from backend.domain.gates.approval import Approval
from backend.domain.gates.gates import not_before
from backend.domain.model.answer import acting_family
from backend.domain.model.campaign import DAY, HOUR, MINUTE, Campaign
from backend.domain.model.days import OffsetAt, day_start, local_day, moment_of
from backend.domain.model.lead import Lead, LeadStatus
from backend.domain.model.message import Message, MessageSource, MessageStatus, SendOutcome
from backend.domain.model.reply_kind import ReplyKind, ends_sequence
from backend.domain.model.send_word import GivenWord, SessionAsk, Word
from backend.domain.model.sequence import DueAction, DueStep, one_step_on
from backend.domain.model.site import Attempt, Evidence, Relation, SiteAnswer
from backend.domain.model.task import ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.turn.task_progress import (
    NewId,
    WaitingText,
    claim_done,
    defer,
    invitation_withdrawn,
    next_step_events,
    withdraw,
    withdraw_all,
)

RETRY_DELAY = HOUR
"""After how long (ms) somebody who was not written to is offered again at the earliest, unless they were skipped."""
MOST_REPLY_CHARACTERS = 8_000


class QueueGroup(StrEnum):
    """The groups of people whom the user writes to by hand, in the order of the queue."""

    REPORTS = "reports"
    """Whose message the user has, and has not said of whether it was sent."""
    ANSWERS = "answers"
    MESSAGES = "messages"
    INVITATIONS = "invitations"
    CHECKS = "checks"


_ALWAYS = (Word.WRONG_PERSON, Word.SKIP)
_WORDS: Mapping[SessionAsk, tuple[Word, ...]] = {
    SessionAsk.ACCEPTED: (Word.CONNECTED, Word.NOT_CONNECTED, Word.REPLIED, *_ALWAYS),
    SessionAsk.CONNECTED: (Word.CONNECTED, Word.NOT_CONNECTED, Word.REPLIED, *_ALWAYS),
    SessionAsk.REPLIED: (Word.NO_REPLY, Word.REPLIED, Word.NOT_CONNECTED, *_ALWAYS),
    SessionAsk.INVITE: (Word.REPLIED, Word.CONNECTED, Word.ALREADY_SENT, *_ALWAYS),
    SessionAsk.WRITE: (Word.REPLIED, Word.ALREADY_SENT, Word.NOT_CONNECTED, *_ALWAYS),
    SessionAsk.WITHDRAW: (Word.WITHDRAWN, Word.CONNECTED, Word.REPLIED, Word.SKIP),
    SessionAsk.OUTCOME: (Word.SENT, Word.NOT_SENT, Word.REPLIED, *_ALWAYS),
}
_ASKS_ABOUT_CONNECTION = frozenset({SessionAsk.ACCEPTED, SessionAsk.CONNECTED, SessionAsk.WITHDRAW})
"""Questions whose answer, whichever it is, lets the sequence go on."""
_WORD_AT_ACT = {"invitation": Word.CONNECTED, "message": Word.NOT_CONNECTED}
"""By kind of message, what the user may find when about to send it: they are connected already, or not at all."""

AT_ONCE = frozenset({Word.REPLIED})
"""Words that take effect at once: who replied is written to no more. Every other one may be taken back until the next."""


UNASKED: Mapping[Word, SessionAsk] = {Word.REPLIED: SessionAsk.REPLIED, Word.CONNECTED: SessionAsk.ACCEPTED}
"""What the user may report without being asked, and the question that it is taken to answer."""


def words_for(ask: SessionAsk, kind: str = "") -> tuple[Word, ...]:
    """What may be said; `kind` is that of the message handed over."""
    words = _WORDS[ask]
    return (*words[:3], _WORD_AT_ACT[kind], *words[3:]) if ask is SessionAsk.OUTCOME else words


def ask_for(due_step: DueStep, lead: Lead, message: Message | None) -> SessionAsk | None:
    """What is asked about a lead to whom nothing was handed over; None if it does not wait for the user's hand."""
    if due_step.due is DueAction.CHECK:
        return SessionAsk.CONNECTED if lead.relation is Relation.NONE else SessionAsk.ACCEPTED
    if due_step.due is DueAction.READ:
        return (
            SessionAsk.WRITE if message is not None and message.status is MessageStatus.APPROVED else SessionAsk.REPLIED
        )
    if due_step.due is DueAction.SEND:
        return SessionAsk.INVITE if due_step.family is ActionFamily.INVITE else SessionAsk.WRITE
    return None


FAMILIES = {
    SessionAsk.ACCEPTED: ActionFamily.LOOK,
    SessionAsk.CONNECTED: ActionFamily.LOOK,
    SessionAsk.REPLIED: ActionFamily.LOOK,
    SessionAsk.WITHDRAW: ActionFamily.LOOK,
    SessionAsk.INVITE: ActionFamily.INVITE,
    SessionAsk.WRITE: ActionFamily.MESSAGE,
}
"""Which gates guard what is asked about; of a text that was handed over those of its kind."""


@dataclass(frozen=True, slots=True)
class QueuedPerson:
    """Somebody of the day, as loaded; `sending` is the intent whose text was handed over, `texts` all that waits."""

    campaign: Campaign
    task: Task
    lead: Lead
    message: Message | None
    approval: Approval | None
    ask: SessionAsk
    sending: SendContext | None = None
    texts: tuple[WaitingText, ...] = ()

    @property
    def family(self) -> ActionFamily:
        """Which gates guard what they wait for."""
        ask = self.ask
        if self.sending is not None:
            ask = SessionAsk.INVITE if self.sending.message.kind == "invitation" else SessionAsk.WRITE
        return acting_family(FAMILIES[ask], self.task)

    @property
    def group(self) -> QueueGroup:
        """Where they stand in the queue."""
        match self.ask:
            case SessionAsk.OUTCOME:
                return QueueGroup.REPORTS
            case SessionAsk.INVITE:
                return QueueGroup.INVITATIONS
            case SessionAsk.WRITE:
                return QueueGroup.ANSWERS if self.task.kind is TaskKind.ANSWER else QueueGroup.MESSAGES
            case SessionAsk.ACCEPTED | SessionAsk.CONNECTED | SessionAsk.REPLIED | SessionAsk.WITHDRAW:
                return QueueGroup.CHECKS

    @property
    def action_id(self) -> str:
        """The act whose text was handed over, or ""."""
        return self.sending.action_id if self.sending else ""

    def is_asked(self, given_word: GivenWord) -> bool:
        """Whether that word answers what is asked about them now: the same question, about the same act."""
        return (self.lead.id, self.ask, self.action_id) == (given_word.lead_id, given_word.ask, given_word.action_id)

    @property
    def words(self) -> tuple[Word, ...]:
        """What may be said of them."""
        return words_for(self.ask, self.sending.message.kind if self.sending else "")


_OUTCOMES = {Word.SENT: SendOutcome.SENT, Word.NOT_SENT: SendOutcome.NOT_SENT, Word.SKIP: SendOutcome.NOT_SENT}


def is_on_record(given_word: GivenWord, lead: Lead, status: str, act_text: str, *, sent_later: bool) -> bool:
    """Whether a word that answers nothing any more is known anyway; `status` and `act_text` are of the act that it is about.

    That there was nothing new is not contradicted by what came later, and who was skipped need not be skipped again. An act that no
    store confirmed gave way, unless the user said themselves that it was not sent: `sent_later`, the same text was sent by another.
    """
    if given_word.word is Word.REPLIED:
        return lead.replied_at is not None
    if given_word.word is Word.SENT and sent_later and act_text not in map(_report_text, Word):
        return True
    if given_word.action_id:
        return act_text == _report_text(given_word.word) or status == _OUTCOMES.get(given_word.word)
    match given_word.word:
        case Word.SKIP:
            return True
        case Word.CONNECTED:
            return lead.relation is Relation.CONNECTED
        case Word.ALREADY_SENT:
            return (lead.invited_at if given_word.ask is SessionAsk.INVITE else lead.last_sent_at) is not None
        case Word.WITHDRAWN:
            return lead.relation is Relation.NONE
        case Word.NO_REPLY:
            return lead.replied_at is None or lead.replied_at >= given_word.at
        case Word.NOT_CONNECTED if given_word.ask in _ASKS_ABOUT_CONNECTION:
            return lead.relation is not Relation.CONNECTED or (lead.accepted_at or 0) >= given_word.at
        case Word.WRONG_PERSON | Word.NOT_CONNECTED:
            return lead.finished == _ENDS[given_word.word]
        case _:  # what is said of a text that was handed over
            return False


def skipped_until(person: QueuedPerson, now: int, offset_at: OffsetAt) -> int:
    """When who is skipped now comes back (ms UTC): on another day, and no sooner than their act may be done."""
    limits, tomorrow = person.campaign.settings.limits, local_day(now, offset_at) + 1
    if person.ask is SessionAsk.WITHDRAW:  # held back by nothing
        return day_start(tomorrow, offset_at)
    begins = moment_of(tomorrow * DAY + limits.day_starts * MINUTE, offset_at)
    return not_before(limits, person.family, begins, offset_at)


def word_events(
    person: QueuedPerson, word: Word, now: int, new_id: NewId, *, offset_at: OffsetAt, reply: str = ""
) -> list[Event]:
    """What follows from a word that was offered."""
    if person.ask is SessionAsk.WITHDRAW and word is Word.WITHDRAWN:
        return invitation_withdrawn(person.task, person.lead, person.texts, now)
    if person.ask is SessionAsk.WITHDRAW and word is Word.SKIP:
        return [LeadAdvanced(person.lead.id, **looked_at(person.lead, now))]  # by which it is asked again tomorrow
    if word in (Word.SENT, Word.NOT_SENT, Word.SKIP):
        return _act_events(person, word, now, new_id, offset_at)
    if word is Word.ALREADY_SENT:
        return _already_sent_events(person, now, new_id)
    kinds = reply_kinds([Reply(reply, now)]) if reply.strip() else [ReplyKind.HUMAN]
    if word is Word.REPLIED and not ends_sequence(kinds):
        return _automatic_reply_events(person, kinds, reply, now, new_id)
    ended = _cancelling_events(person, word, now)
    lead = person.lead
    changes = looked_at(lead, now)
    if word is Word.NO_REPLY:
        changes["thread_read_at"] = now
    elif word is Word.REPLIED:
        changes |= {"thread_read_at": now, "replied_at": now}
        if lead.status in (LeadStatus.PENDING, LeadStatus.CONTACTED):
            changes["status"] = LeadStatus.RESPONDED
    elif word is Word.CONNECTED:
        changes["relation"] = Relation.CONNECTED
        changes["accepted_at"] = now
        if person.ask not in _ASKS_ABOUT_CONNECTION:  # the invitation is not needed
            changes["sequence_step"] = one_step_on(person.campaign.settings.sequence, lead)
    elif word is Word.NOT_CONNECTED and person.ask not in _ASKS_ABOUT_CONNECTION:
        changes["relation"] = Relation.NONE
    events: list[Event] = [*ended, LeadAdvanced(lead.id, **changes)]
    if word is Word.REPLIED:
        events += _reported_reply_events(lead, reply, kinds, now, new_id)
    return [*events, *_task_events(person, word, lead._replace(**changes), now, new_id)]


def _reported_reply_events(lead: Lead, reply: str, kinds: list[ReplyKind], now: int, new_id: NewId) -> list[Event]:
    """What they wrote, without its words, too: that they wrote is part of the conversation."""
    events = received_events(lead, [Reply(reply if reply.strip() else "", now)], now, new_id, MessageSource.REPORTED)
    if ReplyKind.HUMAN in kinds:
        return events
    return [*events, RepliesRead(lead.id, replies_read_at=now)]  # the user read it, and no answer to it is waited for


def _already_sent_events(person: QueuedPerson, now: int, new_id: NewId) -> list[Event]:
    """Their sequence goes on as if it had been sent now; no act and no limit counts it, as nobody knows when it was."""
    lead, message = person.lead, person.message
    changes = looked_at(lead, now)
    message_events: list[Event] = []
    if person.ask is SessionAsk.INVITE:
        changes |= {"invited_at": now, "relation": Relation.PENDING}
    else:
        changes |= {"last_sent_at": now, "thread_read_at": now}
        if message is not None:  # a later export shows it, and then it is on record
            message_events = [
                OwnMessageFound(
                    new_id(),
                    lead_id=lead.id,
                    kind="message",
                    text=message.text,
                    sent_at=now,
                    created_at=now,
                    source=MessageSource.REPORTED,
                )
            ]
    if person.task.kind is not TaskKind.ANSWER:
        changes["sequence_step"] = one_step_on(person.campaign.settings.sequence, lead)
        if lead.status is LeadStatus.PENDING:
            changes["status"] = LeadStatus.CONTACTED
    ended = withdraw(message, person.approval, _report_text(Word.ALREADY_SENT))
    following = _task_events(person, Word.ALREADY_SENT, lead._replace(**changes), now, new_id)
    return [*ended, *message_events, LeadAdvanced(lead.id, **changes), *following]


def _automatic_reply_events(
    person: QueuedPerson, kinds: list[ReplyKind], reply: str, now: int, new_id: NewId
) -> list[Event]:
    """A machine answered: no reply, so that nothing ends. Whether a message that was handed over was sent is still asked:

    it is often to that very message that a machine answers.
    """
    changes = progress(person.lead, kinds, now, now)
    lead = person.lead._replace(**changes)
    events: list[Event] = [
        LeadAdvanced(lead.id, **changes),
        *received_events(lead, [Reply(reply, now)], now, new_id, MessageSource.REPORTED),
    ]
    if person.sending is not None:
        return events
    return [*events, *_task_events(person, Word.NO_REPLY, lead, now, new_id)]


def _act_events(person: QueuedPerson, word: Word, now: int, new_id: NewId, offset_at: OffsetAt) -> list[Event]:
    earliest = max(now + RETRY_DELAY, person.lead.paused_until or 0)
    later = not_before(person.campaign.settings.limits, person.family, earliest, offset_at)
    returns_at = skipped_until(person, now, offset_at) if word is Word.SKIP else later
    waits = [defer(person.task, returns_at)] if person.task.status is TaskStatus.IN_PROGRESS else []
    if person.sending is None:
        return waits
    evidence = Evidence("user_word", sha256="", file="", quote=word.value.replace("_", " "))
    attempt = Attempt(SiteAnswer.NO_ANSWER, _report_text(word), evidence=(evidence,), requested=False)
    if word is Word.SENT:
        return outcome_events(person.sending, SendOutcome.SENT, attempt, now, new_id)
    return [*outcome_events(person.sending, SendOutcome.NOT_SENT, attempt, now, new_id, tried=False), *waits]


def _cancelling_events(person: QueuedPerson, word: Word, now: int) -> list[Event]:
    """The text is not to be sent any more, whether it was handed over or not."""
    if word is Word.NO_REPLY or person.ask in _ASKS_ABOUT_CONNECTION:
        return []
    sending = person.sending
    if sending is None:
        return withdraw_all(person.texts, _report_text(word))
    return [
        ActionSettled(sending.action_id, status=SendOutcome.NOT_SENT, said=_report_text(word), settled_at=now),
        MessageNotSent(sending.message.id, reason=_report_text(word), attempts=sending.attempts),
        MessageCancelled(sending.message.id, reason=_report_text(word)),
        ApprovalReopened(sending.approval_id),
        ApprovalRevoked(sending.approval_id),
    ]


_ENDS = {Word.WRONG_PERSON: "wrong person", Word.NOT_CONNECTED: "not connected"}


def _task_events(person: QueuedPerson, word: Word, lead: Lead, now: int, new_id: NewId) -> list[Event]:
    """What becomes of the task; nothing if the user cancelled it or blocked the lead meanwhile."""
    if person.task.status is not TaskStatus.IN_PROGRESS or lead.blocked:
        return []
    if person.task.kind is TaskKind.ANSWER:
        return _answer_task_events(person, word, lead, now, new_id)
    if word in _ENDS and not (word is Word.NOT_CONNECTED and person.ask in _ASKS_ABOUT_CONNECTION):
        return [LeadFinished(lead.id, finished=_ENDS[word]), claim_done(person.task)]
    message = person.message if word is Word.NO_REPLY else None
    return next_step_events(person.campaign, person.task, lead, message, now, new_id)


def _answer_task_events(person: QueuedPerson, word: Word, lead: Lead, now: int, new_id: NewId) -> list[Event]:
    """The text was withdrawn already where the word ends it; a look after it was sent only finds out whether they wrote back."""
    if word is Word.NO_REPLY:
        return next_step_events(person.campaign, person.task, lead, person.message, now, new_id)
    if person.message is not None and person.message.status is MessageStatus.SENT:
        return [claim_done(person.task)]
    return [
        TaskCancelled(person.task.id, reason="they wrote again first" if word is Word.REPLIED else _report_text(word))
    ]


def _report_text(word: Word) -> str:
    return f"you reported: {word.replace('_', ' ')}"
