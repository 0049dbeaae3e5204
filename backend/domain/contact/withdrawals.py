"""Taking back an invitation that nobody accepted for long, by Outrider itself: the intent before it, what follows after it.

It has a task of its own, because a sequence is mostly over by then. One attempt that the site did not carry out asks the user.
"""

from dataclasses import asdict, dataclass, replace

from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadProgress, looked_at
from backend.domain.events.facts.message import ActionIntended, ActionSettled
from backend.domain.events.facts.task import TaskAdvanced, TaskUnblocked
from backend.domain.model.campaign import DAY, MINUTE, Campaign, Limits
from backend.domain.model.lead import Lead
from backend.domain.model.message import Message, SendOutcome
from backend.domain.model.sequence import DueAction, DueStep
from backend.domain.model.site import Attempt, Relation, SiteAnswer
from backend.domain.model.task import ENDED, NEVER, ActionFamily, Task, TaskStatus
from backend.domain.turn.task_progress import (
    NewId,
    WaitingText,
    block,
    claim_done,
    defer,
    invitation_withdrawn,
    next_step_events,
)
from backend.domain.values.real_time import RealTime

LAST_DAY_OVER = "the campaign's last day is over"
"""Why a sequence or a withdrawal ended; a withdrawal is planned again if the user moves that day."""
DUE = DueStep(DueAction.WITHDRAW, ActionFamily.WITHDRAW)
"""What a task of this kind always calls for; the gate `withdrawal_due` says whether it is still wanted."""


@dataclass(frozen=True, slots=True)
class WithdrawalContext:
    """One withdrawal under way: what was loaded about it, and the intent's id.

    `outreach` is the task of the lead's sequence, which ends with the invitation; `message` the text of its next step.
    """

    action_id: str
    campaign: Campaign
    task: Task
    lead: Lead
    outreach: Task | None = None
    message: Message | None = None
    texts: tuple[WaitingText, ...] = ()


def withdraws_now(limits: Limits, now: int) -> bool:
    """Whether Outrider takes back old invitations by itself; the user switches it on by a number a day."""
    return limits.withdrawals_a_day > 0 and not limits.are_over(now)


def withdraw_from(limits: Limits, lead: Lead) -> int | None:
    """From when on the lead's invitation may be taken back (ms UTC); None if none waits, or none is taken back by itself."""
    if not limits.withdrawals_a_day or lead.relation is not Relation.PENDING or lead.invited_at is None:
        return None
    return lead.invited_at + limits.withdraw_after_days * DAY


def intent_events(withdrawal: WithdrawalContext, *, turn: int, tool: str, now: int, real_time: RealTime) -> list[Event]:
    """The intent, on disk before the act. It has no text, so no message and no approval."""
    lead = withdrawal.lead
    return [
        ActionIntended(
            withdrawal.action_id,
            turn=turn,
            task_id=withdrawal.task.id,
            lead_id=lead.id,
            message_id="",
            approval_id="",
            account=withdrawal.campaign.account,
            family=ActionFamily.WITHDRAW,
            tool=tool,
            params={
                "profile_url": lead.profile_url,
                "name": lead.full_name,
                "real_time": [real_time.wall, real_time.monotonic, real_time.boot],
            },
            seen_before=1,
            intended_at=now,
        ),
        LeadAdvanced(lead.id, **looked_at(lead, now)),
    ]


def outcome_events(
    withdrawal: WithdrawalContext,
    outcome: SendOutcome,
    attempt: Attempt,
    relation: Relation | None,
    now: int,
    new_id: NewId,
    *,
    tried: bool = True,
    cut_off: bool = False,
) -> list[Event]:
    """The outcome of an intent, and what follows from it: right after the act, by recovery, or by the user's word.

    `relation` is what was seen afterwards; None where nothing was. `tried` is False if the site was never asked, `cut_off`
    True if our own process ended in between: then it is simply done again.
    """
    task, reason = withdrawal.task, attempt.detail[:500]
    shown = [asdict(replace(piece, quote=piece.quote[:500])) for piece in attempt.evidence]
    claim: dict[str, SiteAnswer] = (
        {} if cut_off and outcome is SendOutcome.OUTCOME_UNKNOWN else {"claim": attempt.claim}
    )
    settled = ActionSettled(withdrawal.action_id, status=outcome, said=reason, evidence=shown, settled_at=now, **claim)
    if outcome is SendOutcome.OUTCOME_UNKNOWN:
        return [settled, *([] if task.status is TaskStatus.BLOCKED else [defer(task, NEVER)])]
    if outcome is SendOutcome.SENT:
        ended = invitation_withdrawn(withdrawal.outreach, withdrawal.lead, withdrawal.texts, now)
        return [settled, *ended, *_ended(task)]
    if relation is Relation.CONNECTED:
        return [settled, *found_gone_events(withdrawal, relation, now, new_id)]
    if task.status in ENDED:
        return [settled]
    if tried and not cut_off:
        asked = [] if task.status is TaskStatus.BLOCKED else block(now, task, f"not withdrawn: {reason[:200]}", new_id)
        return [settled, *asked]
    if task.status is TaskStatus.BLOCKED:
        return [settled, TaskUnblocked(task.id), TaskAdvanced(task.id, ready_at=0)]
    pause = max(withdrawal.campaign.settings.limits.spacing_seconds * 1_000, MINUTE // 2)
    return [settled, defer(task, now if cut_off else now + pause)]


def found_gone_events(withdrawal: WithdrawalContext, relation: Relation, now: int, new_id: NewId) -> list[Event]:
    """The page shows no invitation that waits: they accepted after all, or declined, or the user took it back by hand."""
    lead, outreach = withdrawal.lead, withdrawal.outreach
    changes: LeadProgress = {"visited_at": now, "relation": relation}
    if relation is Relation.CONNECTED and lead.accepted_at is None:
        changes["accepted_at"] = now
    events: list[Event] = [LeadAdvanced(lead.id, **changes)]
    if outreach is not None and outreach.status is TaskStatus.IN_PROGRESS and not lead.finished and not lead.blocked:
        lead = lead._replace(**changes)
        events += next_step_events(withdrawal.campaign, outreach, lead, withdrawal.message, now, new_id)
    return [*events, *_ended(withdrawal.task)]


def ask_what_became_of(withdrawal: WithdrawalContext, now: int, new_id: NewId) -> list[Event]:
    """Looking has not settled it: the user is asked, and their answer or a later look ends it."""
    why = "it is not known whether the invitation was withdrawn"
    return block(now, withdrawal.task, why, new_id, withdrawal.action_id, done="withdrawn")


def _ended(task: Task) -> list[Event]:
    if task.status in ENDED:
        return []
    resumed: list[Event] = [TaskUnblocked(task.id)] if task.status is TaskStatus.BLOCKED else []
    return [*resumed, claim_done(task)]
