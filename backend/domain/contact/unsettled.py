"""An act under way, a send or a withdrawal: what follows from its outcome, whichever it is."""

from backend.domain.contact import sends, withdrawals
from backend.domain.contact.sends import SendContext
from backend.domain.contact.withdrawals import WithdrawalContext
from backend.domain.events.events import EVENT_KINDS, Event
from backend.domain.model.message import MessageStatus, SendOutcome
from backend.domain.model.site import Attempt, Relation
from backend.domain.turn.task_progress import NewId

ActUnderWay = SendContext | WithdrawalContext
_UNDER_WAY = (MessageStatus.SENDING, MessageStatus.OUTCOME_UNKNOWN)


def outcome_events(
    act: ActUnderWay,
    outcome: SendOutcome,
    attempt: Attempt,
    relation: Relation | None,
    now: int,
    new_id: NewId,
    *,
    cut_off: bool,
) -> list[Event]:
    """The outcome of an intent that was left open; `relation` is what was seen, None where nothing was.

    A message that another act has settled stays as that act left it, unless it turns out to have been sent after all.
    """
    if isinstance(act, WithdrawalContext):
        return withdrawals.outcome_events(act, outcome, attempt, relation, now, new_id, cut_off=cut_off)
    events = sends.outcome_events(act, outcome, attempt, now, new_id, cut_off=cut_off)
    status = act.message.status
    if status in _UNDER_WAY or (status is MessageStatus.APPROVED and outcome is SendOutcome.SENT):
        return events
    return [event for event in events if EVENT_KINDS[event.kind].entity not in ("message", "approval")]


def ask_what_became_of(act: ActUnderWay, now: int, new_id: NewId) -> list[Event]:
    """Looking has not settled it: the user is asked."""
    if isinstance(act, WithdrawalContext):
        return withdrawals.ask_what_became_of(act, now, new_id)
    return sends.ask_what_became_of(act, now, new_id)
