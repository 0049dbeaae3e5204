"""Which step of a campaign earned a reply, asked of one conversation: our messages and theirs, in the order of their writing.

A step earns a reply if the first message of theirs after it came before the next thing of ours. What the user wrote, as an answer
or by hand, ends the time in which a step can earn one, and earns nothing itself. A machine's message is no reply.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from backend.domain.model import answer
from backend.domain.model.campaign import MINUTE


class OurMessage(NamedTuple):
    """What we sent, and when (ms UTC); `step` is empty for what the user wrote by hand outside the campaign."""

    id: str
    step: str
    sent_at: int
    kind: str = "message"
    variant: str = ""

    @property
    def is_step(self) -> bool:
        """Whether it is a step of the sequence, and not the user's own words."""
        return bool(self.step) and not self.is_answer

    @property
    def is_answer(self) -> bool:
        """Whether it is the user's answer to a reply."""
        return self.step.startswith(answer.STEP)


class TheirMessage(NamedTuple):
    """What they wrote, and when it came on record (ms UTC); `worded` is false if the user only reported a reply, at that time."""

    written_at: int
    noticed_at: int
    automatic: bool = False
    worded: bool = True


class Conversation(NamedTuple):
    """What passed between us and a person, in no particular order; times in ms UTC.

    What they wrote before `in_touch_since` belongs to an older conversation. `replied_at` is when their latest reply was noticed:
    all that is known of a reply that has no message.
    """

    our_messages: Sequence[OurMessage]
    their_messages: Sequence[TheirMessage]
    in_touch_since: int | None = None
    replied_at: int | None = None


class ReplyTime(NamedTuple):
    """When a reply was written (ms UTC), or noticed if it is not `exact`."""

    at: int
    exact: bool


class Attribution(NamedTuple):
    """What came of a conversation.

    `earned` is the reply that each step earned, by the id of its message. `first_reply` is when they first replied, to whatever of
    ours or unasked; `reply_wait` how long (ms) the first reply to a step took, None if nobody knows when it was written.
    `after_reply` are steps that went to somebody who had replied before.
    """

    earned: Mapping[str, ReplyTime] = MappingProxyType({})
    first_reply: ReplyTime | None = None
    reply_wait: int | None = None
    after_reply: Sequence[OurMessage] = ()


_NO_REPLY = Attribution()


def attribute(conversation: Conversation) -> Attribution:
    """Attribute their replies to our steps."""
    replies = _replies(conversation)
    if not replies:
        return _NO_REPLY
    earned: dict[str, tuple[OurMessage, ReplyTime]] = {}
    after_reply: list[OurMessage] = []
    latest: OurMessage | None = None
    first_reply: ReplyTime | None = None
    for message in _in_order(conversation.our_messages, replies):
        if isinstance(message, TheirMessage):
            reply = ReplyTime(message.written_at, message.worded)
            first_reply = first_reply or reply
            if latest is not None and latest.is_step:
                earned.setdefault(latest.id, (latest, reply))
        else:
            latest = message
            if message.is_step and first_reply is not None:
                after_reply.append(message)
    times = {message_id: reply for message_id, (_, reply) in earned.items()}
    return Attribution(times, first_reply, _wait(next(iter(earned.values()), None)), after_reply)


def _wait(first_earned: tuple[OurMessage, ReplyTime] | None) -> int | None:
    if first_earned is None or not first_earned[1].exact:
        return None
    step, reply = first_earned
    return max(0, reply.at - step.sent_at)


def _in_order(
    our_messages: Sequence[OurMessage], replies: Sequence[TheirMessage]
) -> Iterator[OurMessage | TheirMessage]:
    """Our messages and their replies as one followed the other.

    Of one moment, a reply follows a step and precedes an answer: nobody answers what has not been written.
    """
    first_step = min((message.sent_at for message in our_messages if message.is_step), default=None)
    entries: list[tuple[tuple[int, int, str], OurMessage | TheirMessage]] = []
    entries += [((message.sent_at, 2 if message.is_answer else 0, message.id), message) for message in our_messages]
    entries += [((_came_at(reply, first_step), 1, ""), reply) for reply in replies]
    for _, message in sorted(entries, key=lambda entry: entry[0]):
        yield message


def _replies(conversation: Conversation) -> list[TheirMessage]:
    """What they themselves wrote in this conversation, each once, oldest first."""
    since = conversation.in_touch_since
    recent = [
        message for message in conversation.their_messages if since is None or message.written_at > since - MINUTE
    ]
    if not recent and conversation.replied_at is not None:
        return [TheirMessage(conversation.replied_at, conversation.replied_at, worded=False)]
    personal = [message for message in recent if not message.automatic]
    return sorted(message for message in personal if not _has_become_known(message, personal))


def _has_become_known(report: TheirMessage, replies: Sequence[TheirMessage]) -> bool:
    """Whether what was reported without its words is on record by now, with when it was written: by an export, for example."""
    return not report.worded and any(
        message.worded and message.noticed_at >= report.noticed_at and message.written_at <= report.written_at
        for message in replies
    )


def _came_at(message: TheirMessage, first_step: int | None) -> int:
    """When it came at the latest: a site may tell only the minute, so that it seems older than what it answers."""
    at = message.written_at
    if at % MINUTE == 0:
        at = max(at, min(at + MINUTE - 1, message.noticed_at))
    if first_step is not None and first_step - MINUTE < at < first_step:
        return first_step
    return at
