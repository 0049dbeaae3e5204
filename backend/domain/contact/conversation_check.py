"""Compares what the site shows of a person with what is on record, both ways; where they differ the user is asked.

A message of ours that is not on record was written by hand, or its record was lost: with an older database put back, for
example. Whichever it was, nothing more goes to this person until the user has said so.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from backend.domain.contact.replies import Reply
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadBlocked
from backend.domain.events.facts.message import OwnMessageFound
from backend.domain.events.facts.task import InputRequested, TaskBlocked
from backend.domain.events.late_news import with_later_record
from backend.domain.model.campaign import DAY
from backend.domain.model.lead import NOT_ON_RECORD, Lead, LeadStatus
from backend.domain.model.message import MessageSource, folded, text_mark
from backend.domain.model.site import Profile, Relation, Thread, ThreadMessage
from backend.domain.model.task import Task
from backend.domain.turn.task_progress import NewId
from backend.domain.values.canonical_json import Json

WRITTEN_BY_HAND = "I wrote this myself: go on"
COUNTS_AS_STEP = "it was this step's message: go on with the next step"
INVITED_BY_HAND = "I did this myself: go on"
GO_ON = "go on"
STOP = "stop for this person"

SHORTENED_MIN = 40
"""How many characters of a text that a site shortened must be there before it may be taken for one on record."""

_ELLIPSES = ("…", "...")
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class RecordedText:
    """A text of ours that may stand in the conversation, oldest first; `must_show` if it was seen there before."""

    message_id: str
    mark: str
    text: str = ""
    must_show: bool = False


@dataclass(frozen=True, slots=True)
class Differences:
    """What the conversation shows and the record does not, what was seen there and is there no more, and their latest words."""

    unrecorded: tuple[ThreadMessage, ...] = ()
    missing: tuple[RecordedText, ...] = ()
    their_words: str = ""

    def __bool__(self) -> bool:
        return bool(self.unrecorded or self.missing)


def compare(thread: Thread, recorded: Sequence[RecordedText]) -> Differences:
    """Each text on record stands for one copy in the conversation: a second copy of it is not on record.

    A text that is not shown is missing only if none that went after it is shown either: a site may show the latest only.
    """
    free = dict(enumerate(recorded))
    unexplained: list[ThreadMessage] = []
    for shown in (message for message in thread.messages if message.author == "you"):
        mark = text_mark(shown.text)
        if (index := _first(free, lambda record, mark=mark: record.mark == mark)) is None:  # type: ignore[misc]
            unexplained.append(shown)
        else:
            del free[index]
    unrecorded = []
    for shown in unexplained:  # only now, so that a shortened text never takes the place of a whole one
        index = _first(free, lambda record, shown=shown: is_shortened(shown.text, record.text))  # type: ignore[misc]
        if index is None:
            unrecorded.append(shown)
        else:
            del free[index]
    last_shown = max((index for index in range(len(recorded)) if index not in free), default=-1)
    missing = tuple(record for index, record in free.items() if record.must_show and index > last_shown)
    return Differences(tuple(unrecorded), missing, their_latest_words(thread.messages))


def their_latest_words(messages: Iterable[ThreadMessage]) -> str:
    """What this person wrote last in such a conversation, read from its beginning; empty if they wrote nothing."""
    return next((message.text for message in reversed([*messages]) if message.author == "them"), "")


def new_replies(thread: Thread, recorded_replies: Iterable[Reply]) -> list[ThreadMessage]:
    """What they wrote that is not on record. Each reply on record stands for one of the same words that is not a day newer.

    Counting them would not do: a site may show the latest only, and what they took back is not there any more.
    """
    free = [(text_mark(reply.text), reply) for reply in recorded_replies]
    new = []
    for shown in (message for message in thread.messages if message.author == "them"):
        mark = text_mark(shown.text)
        for index, (recorded_mark, reply) in enumerate(free):
            same = recorded_mark == mark or is_shortened(shown.text, reply.text) or is_shortened(reply.text, shown.text)
            if same and shown.at <= reply.at + DAY:
                del free[index]
                break
        else:
            new.append(shown)
    return new


def is_as_seen(before: Profile | Thread, shown: Thread | Relation) -> bool:
    """Whether the page of an act shows nothing that the look before it did not, and still what was the latest there.

    A conversation without what was its end is not read to its end.
    """
    if isinstance(shown, Relation):
        return shown is before.relation
    seen = before.messages if isinstance(before, Thread) else ()
    now = _counted(shown.messages)
    return shown.relation is before.relation and not now - _counted(seen) and not _counted(seen[-1:]) - now


def _counted(messages: Iterable[ThreadMessage]) -> Counter[tuple[str, str]]:
    return Counter((message.author, text_mark(message.text)) for message in messages)


def is_shortened(shown: str, text: str) -> bool:
    """Whether a site shows the beginning of that text, ended by dots."""
    words = folded(shown)
    for dots in _ELLIPSES:
        if words.endswith(dots):
            beginning = words.removesuffix(dots).rstrip()
            return len(beginning) >= SHORTENED_MIN and folded(text).startswith(beginning)
    return False


def is_ours(reply: str, texts: Iterable[str]) -> bool:
    """Whether what the user pasted as a person's reply is a text of ours to them. Words as few as a greeting may be both."""
    if len(folded(reply)) < SHORTENED_MIN:
        return False
    return any(text_mark(reply) == text_mark(text) or is_shortened(reply, text) for text in texts)


def _first(free: dict[int, RecordedText], fits: Callable[[RecordedText], bool]) -> int | None:
    return next((index for index, record in free.items() if fits(record)), None)


def is_unrecorded_relation(lead: Lead, relation: Relation, *, invited_before: bool, records_lost: bool) -> bool:
    """Whether somebody invited this person, or was accepted, without it being on record.

    `invited_before`: an invitation to them is on record, in whichever campaign. Who is connected at the first look is an
    old contact, unless records of this campaign were lost.
    """
    if invited_before or lead.invited_at is not None or relation is Relation.NONE:
        return False
    if relation is Relation.PENDING:
        return True
    return records_lost if lead.visited_at is None else lead.relation is Relation.NONE


def found_events(
    lead: Lead, unrecorded: Iterable[ThreadMessage], now: int, new_id: NewId, source: MessageSource
) -> list[Event]:
    """They are on record from now on, as found: a later look does not ask about them again."""
    return [
        OwnMessageFound(
            new_id(),
            lead_id=lead.id,
            kind="message",
            text=message.text,
            sent_at=message.at,
            created_at=now,
            source=source,
        )
        for message in unrecorded
    ]


def step_counted(lead: Lead, sequence_step: int, sent_at: int) -> tuple[Lead, Event]:
    """The message of the current step went out then, by the user's word: the next one follows after its usual time."""
    changes = with_later_record({"sequence_step": sequence_step, "last_sent_at": sent_at}, lead, sent_at)
    if lead.status is LeadStatus.PENDING:
        changes["status"] = LeadStatus.CONTACTED
    return lead._replace(**changes), LeadAdvanced(lead.id, **changes)


def ask_about_messages(
    lead: Lead, task: Task, differences: Differences, step: str, now: int, new_id: NewId
) -> list[Event]:
    """Nothing more goes to this person until the user has said what the difference means, and read what they answered then."""
    wrote = f" {lead.full_name} wrote: “{_cut(differences.their_words)}”" if differences.their_words else ""
    if differences.unrecorded:
        count, latest = len(differences.unrecorded), differences.unrecorded[-1].text
        what = "a message of yours" if count == 1 else f"{count} messages of yours"
        question = (
            f"The conversation with {lead.full_name} holds {what} that Outrider has no record of. The latest reads:"
            f" “{_cut(latest)}”{wrote} Outrider sends nothing more to this person until you have decided."
        )
        choices = [WRITTEN_BY_HAND, *([COUNTS_AS_STEP] if step else []), STOP]
    else:
        question = (
            f"The conversation with {lead.full_name} no longer shows a message that was seen there:"
            f" “{_cut(differences.missing[-1].text)}”{wrote} Outrider sends nothing more to this person until you have decided."
        )
        choices = [GO_ON, STOP]
    payload = {"missing": [record.message_id for record in differences.missing], "step": step}
    return _blocked(lead, task, question, choices, payload, now, new_id)


def ask_about_relation(lead: Lead, task: Task, relation: Relation, now: int, new_id: NewId) -> list[Event]:
    """As for messages: an invitation of which there is no record may be one that Outrider sent."""
    state = "an invitation of yours is waiting" if relation is Relation.PENDING else "you are connected by now"
    question = (
        f"With {lead.full_name} {state}, and Outrider has no record of an invitation."
        " It sends nothing more to this person until you have decided."
    )
    return _blocked(lead, task, question, [INVITED_BY_HAND, STOP], {"relation": relation}, now, new_id)


def _blocked(
    lead: Lead, task: Task, question: str, choices: list[str], payload: dict[str, Json], now: int, new_id: NewId
) -> list[Event]:
    input_request = InputRequested(
        new_id(),
        task_id=task.id,
        kind=NOT_ON_RECORD,
        question=question,
        choices=choices,
        payload=payload,
        created_at=now,
    )
    return [
        LeadBlocked(lead.id, blocked=NOT_ON_RECORD),
        TaskBlocked(task.id, reason="what the site shows is not what is on record"),
        input_request,
    ]


def _cut(text: str) -> str:
    words = folded(text)
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "…"
