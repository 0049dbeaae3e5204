"""What becomes of a task: it goes on, waits, claims to be done, or is blocked and the user is asked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from backend.domain.events.events import Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.lead import ConditionAnswered, InvitationWithdrawn, LeadBlocked, LeadFinished
from backend.domain.events.facts.message import (
    ApprovalExpired,
    ApprovalRevoked,
    MessageCancelled,
    MessageWithdrawn,
)
from backend.domain.events.facts.task import (
    InputRequested,
    RequestAsked,
    RequestEnded,
    TaskAdvanced,
    TaskBlocked,
    TaskCancelled,
    TaskClaimed,
    TaskDeferred,
    TaskReopened,
    TaskStarted,
)
from backend.domain.gates.approval import Approval, ApprovalStatus
from backend.domain.gates.gates import Refusal
from backend.domain.gates.person import IN_DOUBT, IN_TOUCH_ELSEWHERE
from backend.domain.model.answer import due_answer
from backend.domain.model.campaign import DAY, MINUTE, Campaign
from backend.domain.model.connection import SCRIPTED
from backend.domain.model.lead import ANSWERED_ELSEWHERE, LABEL_ENDS, Lead
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.sequence import DueAction, answered, due_step
from backend.domain.model.task import MAX_STRIKES, NEVER, SETTLED, ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.proposals import COULD_NOT_BE_READ, UNREADABLE

INVITATION_WITHDRAWN = "invitation withdrawn"
"""How a sequence ends for somebody whose invitation was taken back."""

NewId = Callable[[], str]
"""Where new ids come from: chance is an input, too."""


def advance(task: Task, needs: ActionFamily, ready_at: int) -> list[Event]:
    """The task goes on; a productive turn forgives earlier strikes. What stays as it is, is no event."""
    advanced = TaskAdvanced(
        task.id,
        strikes=0 if task.strikes else OMITTED,
        needs=OMITTED if needs is task.needs else needs,
        ready_at=OMITTED if ready_at == task.ready_at else ready_at,
    )
    return [advanced] if advanced.changes else []


def claim_done(task: Task) -> Event:
    """Somebody says it is done: that moves it to verification and proves nothing."""
    return TaskClaimed(task.id)


def defer(task: Task, until: int) -> Event:
    """Try again at `until` (ms UTC)."""
    return TaskDeferred(task.id, ready_at=until)


def gate_refused(facts: ProposalFacts, task: Task, refusal: Refusal, new_id: NewId) -> list[Event]:
    """What a shut gate leads to: another time, another approval, or the end of this lead. Never a strike."""
    if task.kind is TaskKind.ANSWER and refusal.code in ("approved", "not_on_do_not_contact"):
        return answer_stopped(task, facts.message, facts.approval, refusal.recorded)
    if task.kind is TaskKind.WITHDRAW and refusal.until is None and refusal.code in _END_A_WITHDRAWAL:
        return [TaskCancelled(task.id, reason=refusal.recorded)]
    if refusal.code == "approved" and facts.message is not None:
        back = MessageWithdrawn(facts.message.id)
        return [back, *_spent(facts), *advance(task, ActionFamily.APPROVAL, NEVER)]
    if refusal.code == "not_on_do_not_contact" and facts.lead is not None:
        blocked = LeadBlocked(facts.lead.id, blocked="do_not_contact")
        withdrawn = withdraw(facts.message, facts.approval, "on the do-not-contact list")
        return [*withdrawn, blocked, *block(facts.now, task, refusal.recorded, new_id)]
    if refusal.code == "not_replied" and facts.lead is not None:
        withdrawn = withdraw(facts.message, facts.approval, refusal.recorded)
        by_reply = ANSWERED_ELSEWHERE if facts.lead.replied_at is None else "replied"
        reason = LABEL_ENDS.get(facts.lead.label, by_reply)
        return [*withdrawn, LeadFinished(facts.lead.id, finished=reason), claim_done(task)]
    if refusal.code == "not_in_touch_elsewhere" and facts.lead is not None:
        withdrawn = withdraw(facts.message, facts.approval, refusal.recorded)
        blocked = LeadBlocked(facts.lead.id, blocked=IN_TOUCH_ELSEWHERE)
        return [*withdrawn, blocked, TaskCancelled(task.id, reason=refusal.recorded)]
    if refusal.code == "same_person_settled" and facts.lead is not None:
        blocked = LeadBlocked(facts.lead.id, blocked=IN_DOUBT)
        return [*waits_in_review(facts.message, facts.approval), blocked, TaskBlocked(task.id, reason=refusal.recorded)]
    if refusal.code == "no_open_conflict":
        return block(
            facts.now, task, refusal.recorded, new_id
        )  # on the other device, too: it does not know of the conflict
    if refusal.code == "user_present":
        return []  # stopped, or gone, while the model was replying: whoever continues goes on with this very task
    again = facts.now + (
        DAY if refusal.code == "note_quota" else MINUTE
    )  # more notes than none are only the user's to allow
    return [defer(task, refusal.until if refusal.until is not None else again)]


_END_A_WITHDRAWAL = frozenset(
    {"not_ended", "not_on_do_not_contact", "not_replied", "withdrawal_due", "lead_not_blocked"}
)
"""The gates that only somebody else's decision opens again: until then nothing is taken back."""


def waits_in_review(message: Message | None, approval: Approval | None) -> list[Event]:
    """An approved message waits in Review again: it is not for sure any more whom it goes to."""
    if message is None or message.status is not MessageStatus.APPROVED:
        return []
    revoked = [ApprovalRevoked(approval.id)] if approval is not None and approval.status is ApprovalStatus.OPEN else []
    return [MessageWithdrawn(message.id), *revoked]


def _spent(facts: ProposalFacts) -> list[Event]:
    """The approval that does not serve any more is closed, so that only one can ever be open."""
    approval = facts.approval
    if approval is None or approval.status is not ApprovalStatus.OPEN:
        return []
    if facts.now >= approval.expires_at:
        return [ApprovalExpired(approval.id)]
    return [ApprovalRevoked(approval.id)]


NO_OTHER_WORDING = "Outrider has no other wording. Write this message yourself, or skip them."


def add_strike(facts: ProposalFacts, task: Task, why: str, new_id: NewId, code: str = "") -> list[Event]:
    """An unproductive turn; after three in a row the task is blocked and the user is asked.

    `code` is that of a rejected proposal: a template writes the same for ever, so the user is asked at once.
    """
    if code == "text_refused_before" and facts.campaign.proposer == SCRIPTED:
        return block(facts.now, task, NO_OTHER_WORDING, new_id)
    strikes = task.strikes + 1
    if strikes < MAX_STRIKES:
        return [TaskAdvanced(task.id, strikes=strikes)]
    reason = COULD_NOT_BE_READ if code in UNREADABLE else why
    return block(facts.now, task, f"Tried {strikes} times without success: {reason}", new_id)


def block(
    now: int, task: Task, reason: str, new_id: NewId, unknown_action: str = "", done: str = "sent"
) -> list[Event]:
    """Blocked with its reason, and the user is asked what to do, or what became of an action nobody saw the end of.

    `done` is what such an action would have been: sent, or withdrawn. Another device may have done the task meanwhile, without
    knowing of the action: it stays done, and only what became of the action is asked.
    """
    if task.kind is TaskKind.ASSIST:
        return [end_request(task, reason)]
    is_done = task.status is TaskStatus.DONE
    if is_done and not unknown_action:
        return []
    asked = InputRequested(
        new_id(),
        task_id=task.id,
        kind="outcome_unknown" if unknown_action else "unblock",
        question=f"“{task.description}” is {'done, but' if is_done else 'blocked:'} {reason}",
        choices=[f"it was {done}", f"it was not {done}"] if unknown_action else ["try again", "leave it"],
        payload={"action_id": unknown_action} if unknown_action else {},
        created_at=now,
    )
    return [asked] if is_done else [TaskBlocked(task.id, reason=reason), asked]


def end_request(task: Task, reason: str) -> Event:
    """A request of the user ends without being done; told in its conversation, where they may simply ask again."""
    return RequestEnded(task.id, reason=reason)


def next_step_events(
    campaign: Campaign, task: Task, lead: Lead, message: Message | None, now: int, new_id: NewId
) -> list[Event]:
    """What becomes of a lead's task after something was learnt or done: the next need, a claim, or a block."""
    settings = campaign.settings
    if task.kind is TaskKind.ANSWER:
        next_due = due_answer(settings.sequence, lead, message)
        return [claim_done(task)] if next_due.due is DueAction.FINISH else advance(task, next_due.family, next_due.at)
    answered_leads, next_due = answered(
        settings.sequence, lead, message, now, settings.limits.thread_fresh_minutes * MINUTE
    )
    answers: list[Event] = [
        ConditionAnswered(answered_lead.id, answers=list(answered_lead.answers)) for answered_lead in answered_leads
    ]
    if next_due.due is DueAction.FINISH:
        return [*answers, LeadFinished(lead.id, finished=next_due.reason), claim_done(task)]
    if next_due.due is DueAction.STUCK:
        return [*answers, *block(now, task, next_due.reason, new_id)]
    return [*answers, *advance(task, next_due.family, next_due.at)]


def wake_events(campaign: Campaign, task: Task, lead: Lead, message: Message | None, now: int) -> list[Event]:
    """A lead's task is eligible again, for what is due now."""
    settings = campaign.settings
    if task.kind is TaskKind.ANSWER:
        next_due = due_answer(settings.sequence, lead, message)
        return [claim_done(task)] if next_due.due is DueAction.FINISH else advance(task, next_due.family, next_due.at)
    if task.kind is TaskKind.WITHDRAW:
        return advance(task, ActionFamily.WITHDRAW, 0)
    next_due = due_step(settings.sequence, lead, message, now, settings.limits.thread_fresh_minutes * MINUTE)
    return advance(task, next_due.family, next_due.at)


def answer_stopped(task: Task, message: Message | None, approval: Approval | None, why: str) -> list[Event]:
    """An answer that is not sent after all: its task ends, and the text is the user's again."""
    ended = [] if task.status in SETTLED else [TaskCancelled(task.id, reason=why)]
    return [*withdraw(message, approval, why), *ended]


def withdraw(
    message: Message | None, approval: Approval | None, reason: str, rejection_reason: str = OMITTED
) -> list[Event]:
    """A text that is not to be sent any more, and the approval that would have let it."""
    if message is None or message.status not in (MessageStatus.DRAFT, MessageStatus.APPROVED):
        return []
    events: list[Event] = [MessageCancelled(message.id, reason=reason, rejection_reason=rejection_reason)]
    if approval is not None and approval.status is ApprovalStatus.OPEN:
        events.append(ApprovalRevoked(approval.id))
    return events


class WaitingText(NamedTuple):
    """A text of a sequence that waits to be approved or sent, and the approval that it has."""

    message: Message
    approval: Approval | None


def withdraw_all(texts: Iterable[WaitingText], reason: str) -> list[Event]:
    """All that waits for a lead, of whichever step: what another campaign learnt may have taken the lead past it."""
    return [event for text in texts for event in withdraw(text.message, text.approval, reason)]


def sequence_ended(task: Task, lead: Lead, texts: Iterable[WaitingText], reason: str) -> list[Event]:
    """A sequence that was going on, or only planned, is over: its texts are withdrawn and nothing follows."""
    begun: list[Event] = [TaskStarted(task.id)] if task.status is TaskStatus.PENDING else []
    return [*withdraw_all(texts, reason), *begun, LeadFinished(lead.id, finished=reason), claim_done(task)]


def resumed(
    campaign: Campaign, task: Task, lead: Lead, message: Message | None, now: int, new_id: NewId
) -> list[Event]:
    """The task of a sequence whose end was taken back: it goes on where it stood, or ends for what else is known by now."""
    if task.status not in (TaskStatus.VERIFYING, TaskStatus.DONE):
        return []
    reopened: list[Event] = [TaskReopened(task.id)]
    if lead.blocked:  # whoever lets them be contacted again takes up what was cancelled
        return [*reopened, TaskCancelled(task.id, reason="Nothing goes to this person.")]
    return [*reopened, *next_step_events(campaign, replace(task, strikes=0), lead, message, now, new_id)]


def invitation_withdrawn(task: Task | None, lead: Lead, texts: Iterable[WaitingText], now: int) -> list[Event]:
    """The invitation was taken back on the site: nothing more goes to them."""
    events: list[Event] = [InvitationWithdrawn(lead.id, withdrawn_at=now)]
    if task is not None and task.status is TaskStatus.IN_PROGRESS and not lead.finished:
        events += sequence_ended(task, lead, texts, INVITATION_WITHDRAWN)
    return events


def ask(
    now: int,
    task: Task,
    new_id: NewId,
    *,
    kind: str,
    question: str,
    choices: Iterable[str] = (),
    payload: Mapping[str, Any] | None = None,
) -> list[Event]:
    """Ask the user; the task waits for the answer. About a request of theirs, they are asked in its conversation."""
    fact = RequestAsked if task.kind is TaskKind.ASSIST else InputRequested
    return [
        fact(
            new_id(),
            task_id=task.id,
            kind=kind,
            question=question,
            choices=list(choices),
            payload=dict(payload or {}),
            created_at=now,
        ),
        # A question forgives no strikes: asking again and again leads nowhere, too.
        TaskAdvanced(task.id, needs=ActionFamily.INPUT, ready_at=NEVER),
    ]
