"""How a lead stands: the gates of what is due next, and the first reason for which nothing is done now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from backend.domain.contact.inbox import LABELLED
from backend.domain.contact.withdrawals import withdraws_now
from backend.domain.gates import gates
from backend.domain.gates.gates import GateCheck, GateLine, Refusal, first_refusal, gate_lines
from backend.domain.gates.person import HELD, IN_DOUBT, IN_TOUCH_ELSEWHERE, TAKEN_OVER
from backend.domain.model.campaign import Campaign
from backend.domain.model.channel import user_families
from backend.domain.model.lead import BELOW_LEAST_SCORE, Lead
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import ACTING, NEVER, ActionFamily, Task, TaskStatus
from backend.domain.people.past_contact import BEFORE
from backend.domain.turn.assistant_results import AssistantResult, LeadExplained, StatusLine
from backend.situation import situations
from backend.situation.situations import LeadSituation, TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.campaign.tasks import ListedTask
from backend.store.queries.contact import incidents, pending_invitations

_BLOCKED = BEFORE | {
    "do_not_contact": "This person is on the do-not-contact list.",
    LABELLED: "You labelled this person before their sequence began.",
    "skipped": "You skipped this person.",
    "moved": "You moved this person to another campaign.",
    "answered_elsewhere": "They have replied in another campaign; one reply ends every campaign's sequence.",
    "no_profile_url": "The file has no usable profile address, so this person cannot be found.",
    IN_TOUCH_ELSEWHERE: "This person was with another campaign. They are free again and continue by themselves.",
    IN_DOUBT: "It is settled who this person is. They continue by themselves.",
    TAKEN_OVER: "You moved this person to another campaign.",
    "outcome_unknown": "It is not known whether the last message arrived. Outrider looks again, and asks you if it still"
    " cannot tell.",
}
_FAMILY = {"visit": ActionFamily.LOOK, "invitation": ActionFamily.INVITE}
_ASKED_LATER = ("approved", "thread_fresh")
"""Gates that are only asked of a text that is about to be sent."""

_OF_THE_CAMPAIGN = frozenset({"campaign_active", "no_incident", "user_present"})
"""Gates that hold the whole campaign: told once for all of it, not with each task."""

_HOLD = ("not_in_touch_elsewhere", "same_person_settled")
"""Gates that leave a person to another campaign, or hold them until it is settled who they are."""

_NEVER_BEGUN = ("not_ended", "first_contact_allowed", "not_on_do_not_contact", "not_replied", *_HOLD)
"""Gates that keep somebody from being planned at all."""


@dataclass(frozen=True, slots=True)
class WaitReason:
    """Why nothing is done for this person now, and when that may change (ms UTC; None: only when somebody acts)."""

    code: str
    sentence: str
    until: int | None = None


def shut_gates(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> dict[ActionFamily, GateLine]:
    """The families of acts that the account may not do now, each with the first gate that is shut."""
    incident = incidents.open_incident(connection, campaign.account)
    first_shut = {}
    withdraws = campaign.settings.limits.withdrawals_a_day > 0
    for family in ACTING:
        if family is ActionFamily.WITHDRAW and not withdraws:
            continue
        account = situations.account_facts(connection, campaign, inputs, family, incident)
        for gate in gate_lines(gates.check_gates(account, None)):
            if not gate.passes and gate.code not in _OF_THE_CAMPAIGN:
                first_shut[family] = gate
                break
    return first_shut


def coming(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, limit: int) -> list[ListedTask]:
    """What would be done next: what is ready in the order of the loop, then what becomes ready, in working hours."""
    tasks = task_queries.next_doing(connection, campaign.id, inputs.now, limit)
    return [in_working_hours(task, campaign, inputs) for task in tasks]


def in_working_hours(task: ListedTask, campaign: Campaign, inputs: TurnInputs) -> ListedTask:
    """The task with the time from which it may be done, where working hours hold back what it needs."""
    return task._replace(ready_at=_ready_in_hours(task.needs, task.ready_at, campaign, inputs))


def possible_from(
    needs: str, ready_at: int, campaign: Campaign, inputs: TurnInputs, shut: Mapping[ActionFamily, GateLine]
) -> int:
    """When what a task needs may be done, given the account's shut gates (ms UTC; NEVER: not before somebody acts)."""
    ready_at, gate = _ready_in_hours(needs, ready_at, campaign, inputs), shut.get(ActionFamily(needs))
    return ready_at if gate is None else max(ready_at, gate.until or NEVER)


def _ready_in_hours(needs: str, ready_at: int, campaign: Campaign, inputs: TurnInputs) -> int:
    if not inputs.now < ready_at < NEVER:
        return ready_at
    return gates.not_before(campaign.settings.limits, ActionFamily(needs), ready_at, inputs.offset_at)


def checklist(
    connection: DatabaseConnection, campaign: Campaign, situation: LeadSituation, inputs: TurnInputs
) -> tuple[GateCheck, ...]:
    """The gates of the act that is due next; none when nothing is."""
    step = situation.due_step.step
    if situation.lead.finished and _is_to_be_withdrawn(connection, campaign, situation.lead, inputs.now):
        family = ActionFamily.WITHDRAW
    elif situation.lead.answered_elsewhere and not situation.lead.finished:
        family = ActionFamily.MESSAGE
    elif situation.lead.finished or situation.due_step.due is DueAction.FINISH or step is None:
        return ()
    else:
        family = _FAMILY.get(step.kind, ActionFamily.MESSAGE)
    incident = incidents.open_incident(connection, campaign.account)
    account = situations.account_facts(connection, campaign, inputs, family, incident)
    return gates.check_gates(account, situations.lead_facts(connection, campaign, situation, inputs.now))


def _is_to_be_withdrawn(connection: DatabaseConnection, campaign: Campaign, lead: Lead, now: int) -> bool:
    """Whether Outrider takes back their invitation by itself, now or later."""
    if ActionFamily.WITHDRAW in user_families(campaign.site) or not withdraws_now(campaign.settings.limits, now):
        return False
    return pending_invitations.is_to_be_withdrawn(connection, campaign.id, lead.id)


def wait_reason(
    campaign: Campaign, inputs: TurnInputs, situation: LeadSituation, task: Task | None, checks: tuple[GateCheck, ...]
) -> WaitReason | None:
    """The first reason for which nothing is sent now, in the order in which a lead meets them."""
    lead, due, at = situation.lead, situation.due_step.due, situation.due_step.at
    if lead.blocked:
        return _blocked(lead.blocked, checks)
    if lead.finished:
        end_sentence = f"Sequence ended: {lead.finished}."
        if not checks:
            return WaitReason("finished", end_sentence)
        closed = first_refusal(checks)
        why = "Outrider withdraws it." if closed is None else f"Outrider withdraws it later: {closed.sentence}"
        return WaitReason(
            "withdrawal", f"{end_sentence} The invitation still waits. {why}", closed.until if closed else None
        )
    if task is None:
        return _not_begun(campaign, lead, checks)
    if task.status is TaskStatus.BLOCKED:
        return WaitReason("task_blocked", f"The task is blocked: {task.reason}")
    if task.status is TaskStatus.CANCELLED:
        return WaitReason("task_cancelled", f"You cancelled the task: {task.reason}")
    if due is DueAction.APPROVE:
        return WaitReason("approval", "The message waits in Review for your approval.")
    for code, shut in checks:
        # What holds no longer than until the step is due anyway is not what they wait for.
        if isinstance(shut, Refusal) and code not in _ASKED_LATER and (shut.until or NEVER) > task.ready_at:
            return WaitReason(code, shut.sentence, shut.until)
    if task.status is TaskStatus.PENDING:
        return WaitReason("planned", "Planned: starts once the people before are under way.")
    if due is DueAction.CHECK:
        return WaitReason("acceptance", "Waits until the invitation is accepted.", None if at >= NEVER else at)
    return _later(campaign, inputs, task) if task.ready_at else None


def explain_lead(
    connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, lead_id: str, *, to_user: bool = False
) -> AssistantResult:
    """How that lead stands, what is due, and every gate with its sentence.

    Only the user is told which other campaign is in touch with them: models and connected programs see one campaign.
    """
    situation = situations.lead_situation(connection, campaign, lead_id, inputs.now)
    if situation is None:
        return StatusLine(sentence="This lead is not in the campaign any more.", code="nothing_found")
    task = task_queries.task_of_lead(connection, lead_id)
    checks = checklist(connection, campaign, situation, inputs)
    checks = checks if to_user else gates.without_other_campaigns(checks)
    reason = wait_reason(campaign, inputs, situation, task, checks)
    return LeadExplained(
        lead_id=lead_id,
        name=situation.lead.full_name,
        status=situation.lead.status,
        sentences=tuple(_sentences(situation, reason, campaign.settings.sequence.titles)),
        gates=tuple(gate_lines(checks)),
    )


def _sentences(situation: LeadSituation, reason: WaitReason | None, titles: Mapping[str, str]) -> Iterator[str]:
    if reason is not None:
        yield reason.sentence
    step = situation.due_step.step
    if step is not None and not situation.lead.finished and step.key in titles:
        yield f"Next step: {titles[step.key]}."
    if reason is None:
        yield "Nothing is in the way."


def _later(campaign: Campaign, inputs: TurnInputs, task: Task) -> WaitReason:
    if task.ready_at >= NEVER:
        return WaitReason("later", "Waits for you, or for what became of the last step.")
    until = gates.not_before(campaign.settings.limits, task.needs, task.ready_at, inputs.offset_at)
    return WaitReason("later", "Waits until the next step is due.", until)


def _blocked(code: str, checks: tuple[GateCheck, ...]) -> WaitReason:
    """Whoever is held waits for what the gate says, which names the other campaign and when that is over."""
    for gate, verdict in checks if code in HELD else ():
        if gate in _HOLD and isinstance(verdict, Refusal):
            return WaitReason(code, verdict.sentence, verdict.until)
    return WaitReason(code, _BLOCKED.get(code, f"Left out: {code.replace('_', ' ')}."))


def _not_begun(campaign: Campaign, lead: Lead, checks: tuple[GateCheck, ...]) -> WaitReason:
    for code, shut in checks:
        if code in _NEVER_BEGUN and isinstance(shut, Refusal):
            return WaitReason(code, shut.sentence, shut.until)
    if lead.weight_score is None:
        return WaitReason("not_scored", "Waits to be scored; nobody is contacted before everyone is.")
    least = campaign.settings.limits.least_score
    if not campaign.settings.limits.begin_with(lead.priority):
        by = "score" if lead.priority_override is None else "priority"
        return WaitReason(
            BELOW_LEAST_SCORE,
            f"Their {by} of {lead.priority} is below this campaign's least score of {least}. Give them a priority of {least} or"
            " more to take them up, or lower the least score in Setup.",
        )
    return WaitReason("not_planned", "People with a higher priority come first.")
