"""A send: the intent before it, and everything that follows from its outcome."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadBlocked, LeadClaimed, LeadProgress, LeadUnblocked
from backend.domain.events.facts.message import (
    ActionHandedOver,
    ActionIntended,
    ActionSettled,
    ApprovalReopened,
    ApprovalUsed,
    MessageCancelled,
    MessageFailed,
    MessageNotSent,
    MessageOutcomeUnknown,
    MessageSending,
    MessageSent,
)
from backend.domain.events.facts.task import TaskAdvanced, TaskCancelled, TaskUnblocked
from backend.domain.events.late_news import with_later_record
from backend.domain.gates.person import WAITING_BLOCKS
from backend.domain.model.campaign import MINUTE, Campaign
from backend.domain.model.lead import LABEL_ENDS, OUTCOME_UNKNOWN, Lead, LeadStatus
from backend.domain.model.message import Message, MessageStatus, SendOutcome, text_mark
from backend.domain.model.site import Attempt, Relation, SiteAnswer
from backend.domain.model.task import ENDED, NEVER, SETTLED, ActionFamily, Task, TaskKind, TaskStatus, counted_family
from backend.domain.turn.task_progress import NewId, block, defer, next_step_events
from backend.domain.values.real_time import RealTime

MAX_ATTEMPTS = 3
"""How often the site may fail to send one message before the user is asked; each new attempt follows an observation that
nothing was sent. An attempt that our own end cut off is not the site's failure and does not count."""

BLOCKED_MEANWHILE = "on the do-not-contact list"
LEFT_OUT = "this person was left out meanwhile"


@dataclass(frozen=True, slots=True)
class SendContext:
    """One send under way: what was loaded about it, and the intent's id."""

    action_id: str
    campaign: Campaign
    task: Task
    lead: Lead
    message: Message
    approval_id: str
    attempts: int
    """How many attempts the site has failed so far."""
    intended_at: int
    """When it was begun (ms UTC): what they wrote since may answer it, whenever it is found out that it arrived."""


def intent_events(
    sending: SendContext,
    *,
    turn: int | None,
    tool: str,
    family: ActionFamily,
    seen_before: int,
    now: int,
    real_time: RealTime,
    despite: Sequence[str] = (),
) -> list[Event]:
    """The intent, on disk before the act; it spends the approval. With no `turn` the user acts, and is handed the text.

    `now` is the campaign's time, which jumps in a rehearsal; `real_time` is what a request under way goes by. `despite` are the
    gates that spoke against it, which the user's hand may pass.
    """
    lead, message = sending.lead, sending.message
    intent = ActionHandedOver if turn is None else ActionIntended
    action = intent(
        sending.action_id,
        turn=turn or 0,
        task_id=sending.task.id,
        lead_id=lead.id,
        message_id=message.id,
        approval_id=sending.approval_id,
        account=sending.campaign.account,
        family=counted_family(family),
        tool=tool,
        params={
            "profile_url": lead.profile_url,
            "name": lead.full_name,
            "text_mark": text_mark(message.text),
            "real_time": [real_time.wall, real_time.monotonic, real_time.boot],
            **({"despite": list(despite)} if despite else {}),
        },
        seen_before=seen_before,
        intended_at=now,
    )
    claims = lead.claimed_at is None and family is not ActionFamily.ANSWER
    return [
        action,
        ApprovalUsed(sending.approval_id),
        MessageSending(message.id),
        *([LeadClaimed(lead.id, claimed_at=now)] if claims else []),
    ]


def outcome_events(
    sending: SendContext,
    outcome: SendOutcome,
    attempt: Attempt,
    now: int,
    new_id: NewId,
    *,
    tried: bool = True,
    cut_off: bool = False,
    instead: Sequence[Event] | None = None,
) -> list[Event]:
    """The outcome of an intent, and everything that follows from it. Used right after the act and by recovery alike.

    `tried` is False if the site was never asked, `cut_off` True if our own process ended in between: neither is its failure.
    `instead` is what follows in the place of another try, from what the act's own page showed.
    """
    if outcome is SendOutcome.OUTCOME_UNKNOWN:
        return _unknown_events(sending, attempt, now, cut_off=cut_off)
    message, task, lead = sending.message, sending.task, _freed(sending.lead)
    attempts = sending.attempts + (tried and not cut_off)
    shown = _shown(attempt)
    action = ActionSettled(
        sending.action_id,
        status=outcome,
        claim=attempt.claim,
        said=attempt.detail[:500],
        evidence=shown,
        settled_at=now,
    )
    if outcome is SendOutcome.SENT:
        lead, advanced = _one_step_on(sending, lead, now)
        done = MessageSent(message.id, sent_at=now, evidence=shown)
        following = replace(message, status=MessageStatus.SENT) if task.kind is TaskKind.ANSWER else None
        return [action, done, advanced, *_reopen_lead(sending.lead), *_go_on(sending, lead, following, now, new_id)]
    not_sent = MessageNotSent(message.id, reason=attempt.detail[:500], attempts=attempts)
    if task.kind is TaskKind.ANSWER and (
        lead.blocked or task.status is TaskStatus.CANCELLED or attempts >= MAX_ATTEMPTS
    ):
        why = BLOCKED_MEANWHILE if lead.blocked else f"not sent: {attempt.detail[:200]}"
        ended = [] if task.status in SETTLED else [TaskCancelled(task.id, reason=why)]
        return [action, not_sent, MessageCancelled(message.id, reason=why), *_reopen_lead(sending.lead), *ended]
    if lead.blocked:
        # Whom the user said not to contact while it was being sent: their yes to this text does not come back with them.
        cancelled = MessageCancelled(message.id, reason=BLOCKED_MEANWHILE)
        return [action, not_sent, cancelled, *_awake(task), *_stopped(lead, task)]
    if why := _why_step_is_over(sending):
        cancelled = MessageCancelled(message.id, reason=why)
        going_on = _go_on(sending, lead, None, now, new_id)
        return [action, not_sent, cancelled, *_reopen_lead(sending.lead), *going_on]
    if attempts >= MAX_ATTEMPTS:
        failed = MessageFailed(message.id, reason=attempt.detail[:500])
        why = f"{MAX_ATTEMPTS} attempts failed: {attempt.detail[:200]}"
        return [action, failed, *_reopen_lead(sending.lead), *block(now, task, why, new_id)]
    returned = [action, not_sent, ApprovalReopened(sending.approval_id), *_reopen_lead(sending.lead)]
    if instead is not None:
        return [*returned, *instead]
    again = replace(message, status=MessageStatus.APPROVED)
    return [
        *returned,
        *_go_on(sending, lead, again, now, new_id),
        *([] if cut_off else [defer(task, now + _pause(sending.campaign))]),
    ]


def _why_step_is_over(sending: SendContext) -> str:
    """Why its text is not tried again, "" if it is: they replied or were labelled meanwhile, or its step was taken out, or is done
    by the word of the user, or another device ended their sequence."""
    if sending.task.kind is TaskKind.ANSWER:
        return ""
    if labelled := LABEL_ENDS.get(sending.lead.label):
        return labelled
    sequence, key = sending.campaign.settings.sequence, sending.message.step
    if sending.lead.replied_at is not None and sequence.stop_on_reply:
        return "they replied first"
    if any(step.removed for step in sequence.steps if step.key == key):
        return "its step was taken out of the sequence"
    if sequence.place_of(key) < sequence.place_after(sending.lead.sequence_step):
        return "its step is done already"
    return sending.lead.finished if sending.task.status in ENDED else ""


def _unknown_events(sending: SendContext, attempt: Attempt, now: int, *, cut_off: bool) -> list[Event]:
    """Nobody is asked yet: it is looked at again, and until it is settled nothing else is done for this person.

    Of an act that was cut off no answer was seen, and none is recorded.
    """
    reason, unknown = attempt.detail[:500], SendOutcome.OUTCOME_UNKNOWN
    claim: dict[str, SiteAnswer] = {} if cut_off else {"claim": attempt.claim}
    return [
        ActionSettled(
            sending.action_id, status=unknown, said=reason, evidence=_shown(attempt), settled_at=now, **claim
        ),
        MessageOutcomeUnknown(sending.message.id, reason=reason),
        *([] if sending.lead.blocked else [LeadBlocked(sending.lead.id, blocked=OUTCOME_UNKNOWN)]),
        *([] if sending.task.status is TaskStatus.BLOCKED else [defer(sending.task, NEVER)]),
    ]


def ask_what_became_of(sending: SendContext, now: int, new_id: NewId) -> list[Event]:
    """Looking has not settled it: the user is asked, and their answer or a later look ends it."""
    why = f"it is not known whether “{sending.message.step}” was sent"
    return block(now, sending.task, why, new_id, sending.action_id)


def _shown(attempt: Attempt) -> list[dict[str, str]]:
    return [asdict(replace(piece, quote=piece.quote[:500])) for piece in attempt.evidence]


def _pause(campaign: Campaign) -> int:
    """How long (ms) to leave a site in peace that has just failed to send."""
    return max(campaign.settings.limits.spacing_seconds * 1_000, MINUTE // 2)


def _freed(lead: Lead) -> Lead:
    return lead._replace(blocked="") if lead.blocked == OUTCOME_UNKNOWN else lead


def _reopen_lead(lead: Lead) -> list[Event]:
    return [LeadUnblocked(lead.id)] if lead.blocked == OUTCOME_UNKNOWN else []


def _go_on(sending: SendContext, lead: Lead, message: Message | None, now: int, new_id: NewId) -> list[Event]:
    """What becomes of the task; one that was blocked over this send is taken up again first, for a lead that is not.

    One that ended meanwhile, by a reply that was found, say, has ended.
    """
    task = sending.task
    if task.status in ENDED:
        return []
    if task.status is not TaskStatus.BLOCKED:
        awake = _awake(task)
        task = replace(task, ready_at=0) if awake else task
        return [*awake, *next_step_events(sending.campaign, task, lead, message, now, new_id)]
    if lead.blocked:
        return _stopped(lead, task)
    resumed = TaskUnblocked(task.id)
    return [resumed, *next_step_events(sending.campaign, replace(task, strikes=0), lead, message, now, new_id)]


def _stopped(lead: Lead, task: Task) -> list[Event]:
    """What becomes of a task that was blocked over a send, once nobody is asked about that any more, and the lead is left out.

    For somebody who must not be contacted it goes on, and the gate before the next act ends it. For one that is held it waits until
    that is over. Whoever else was left out meanwhile (by the user, or by what a file says) has nothing to wait for.
    """
    if task.status is not TaskStatus.BLOCKED or lead.blocked in WAITING_BLOCKS:
        return []
    if lead.blocked == "do_not_contact":
        return [TaskUnblocked(task.id), TaskAdvanced(task.id, ready_at=0)]
    return [TaskCancelled(task.id, reason=LEFT_OUT)]


def _awake(task: Task) -> list[Event]:
    """A task that waited to know what became of its send waits no more."""
    waited = task.ready_at == NEVER and task.status is not TaskStatus.BLOCKED
    return [TaskAdvanced(task.id, ready_at=0)] if waited else []


def _one_step_on(sending: SendContext, lead: Lead, now: int) -> tuple[Lead, Event]:
    message = sending.message
    sequence = sending.campaign.settings.sequence
    if sending.task.kind is TaskKind.ANSWER:
        progress: LeadProgress = {"last_sent_at": now}
        return lead._replace(**progress), LeadAdvanced(lead.id, **progress)
    # Steps may have been moved meanwhile: nobody is sent back behind one that they had.
    index = max(sequence.place_of(message.step), sequence.place_after(lead.sequence_step) - 1)
    changes: LeadProgress = {"sequence_step": sequence.past(index)}
    if lead.status is LeadStatus.PENDING:
        changes["status"] = LeadStatus.CONTACTED
    if message.kind == "invitation":
        # Another device may have invited them again before it was known what became of this.
        changes |= with_later_record({"invited_at": sending.intended_at}, lead, now)
        if lead.relation is Relation.NONE:
            changes["relation"] = Relation.PENDING
    else:
        changes["last_sent_at"] = now
    return lead._replace(**changes), LeadAdvanced(lead.id, **changes)
