"""Looks: a page is read, and what was seen changes what is known and what is due."""

from collections.abc import Callable
from time import gmtime, strftime

from backend.domain.contact.observations import incident, is_news, profile_read_events
from backend.domain.contact.sends import SendContext, outcome_events
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadScored
from backend.domain.events.facts.message import ApprovalUsed
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.message import MessageStatus, SendOutcome
from backend.domain.model.scoring import score
from backend.domain.model.site import Attempt, IncidentKind, Profile, SiteAnswer, Thread
from backend.domain.model.task import Task, TaskKind
from backend.domain.model.tools import ToolParams
from backend.domain.turn.proposal_check import ProposalFacts
from backend.domain.turn.task_progress import (
    add_strike,
    answer_stopped,
    block,
    claim_done,
    defer,
    next_step_events,
    withdraw,
)
from backend.store.queries.contact import actions
from backend.store.queries.leads import scored_leads
from backend.turn.execute.execution import Execution, TurnOutcome, outcome_for, present
from backend.turn.execute.record_check import differs_from_record, replies_in
from backend.turn.gateway import SiteProblem, count_copies
from backend.turn.load import TurnContext

RETRY_UNAVAILABLE_MS = 30_000


Look = Callable[[], Profile | Thread | SiteProblem | None]


def open_profile(run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams) -> TurnOutcome:
    """Show the profile to the user."""
    return look(run, context, facts, call.tool, lambda: run.gateway.open_profile(present(facts.lead)))


def read_profile(run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams) -> TurnOutcome:
    """Look at the profile."""
    return look(run, context, facts, call.tool, lambda: run.gateway.read_profile(present(facts.lead)))


def read_thread(run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams) -> TurnOutcome:
    """Look at the conversation."""
    return look(run, context, facts, call.tool, lambda: run.gateway.read_thread(present(facts.lead)))


def check_selectors(run: Execution, context: TurnContext, facts: ProposalFacts, call: ToolParams) -> TurnOutcome:
    """Look whether the site is as expected; what it found is on record, and only a problem changes anything."""

    def check() -> SiteProblem | None:
        report = run.gateway.check_selectors()
        return report if isinstance(report, SiteProblem) else None

    return look(run, context, facts, call.tool, check)


def look(run: Execution, context: TurnContext, facts: ProposalFacts, tool: str, take: Look) -> TurnOutcome:
    """Look once, and say what that changes; `take` is the look itself, None where nothing is learnt from it."""
    task, new_id = present(facts.task), run.journal.ids.new
    if tool not in run.looks:  # after a stale commit the page is not asked again
        run.looks[tool] = take()
    seen = run.looks[tool]
    if isinstance(seen, SiteProblem):
        return site_problem(run, context, task, seen)
    if seen is not None and (differing := differs_after_arrival(run, context, facts, seen)):
        return differing
    if isinstance(seen, Profile):
        events = profile_read_events(context.campaign, task, present(facts.lead), seen, context.inputs.now, new_id)
        events += score_again(run, context.campaign, present(facts.lead), seen, context.inputs.now)
    elif isinstance(seen, Thread):
        events = thread_events(run, context, facts, seen)
    else:
        events = add_strike(facts, task, f"{tool} changes nothing", new_id)
    return outcome_for(task, "accepted", "", events)


def differs_after_arrival(
    run: Execution, context: TurnContext, facts: ProposalFacts, seen: Profile | Thread
) -> TurnOutcome | None:
    """What arrived late after all comes first: it explains what is there."""
    late = already_delivered(run, context, facts, seen) if isinstance(seen, Thread) else None
    return late or differs_from_record(run, context, facts, seen)


def score_again(run: Execution, campaign: Campaign, lead: Lead, seen: Profile, now: int) -> list[Event]:
    """What was not known before may change the score, where the blueprint asks for it."""
    blueprint = campaign.settings.blueprint
    if not is_news(lead, seen) or not {"headline", "profile_updated_at"} & set(blueprint.fields):
        return []
    scored = run.journal.database.query(scored_leads.scored_lead, campaign.id, lead.id)
    if scored is None or scored.score is None:
        return []
    today = strftime("%Y-%m-%d", gmtime(now // 1_000))
    points = score(blueprint, {**scored.fields, "headline": seen.headline, "profile_updated_at": today})
    return [] if points == scored.score else [LeadScored(lead.id, weight_score=points)]


def thread_events(run: Execution, context: TurnContext, facts: ProposalFacts, thread: Thread) -> list[Event]:
    """What a read thread changes: replies kept, a draft withdrawn if they answered first, and what is due now."""
    new_id, now = run.journal.ids.new, context.inputs.now
    lead, events = replies_in(run, present(facts.lead), thread, now)
    task = present(facts.task)
    if task.kind is TaskKind.ANSWER and any(event.kind == "ReplyReceived" for event in events):
        # Sent already: they wrote back, and it is done. Not sent yet: they wrote first, and the user reads that before.
        stopped = answer_stopped(task, facts.message, facts.approval, "they wrote again first")
        sent = facts.message is not None and facts.message.status is MessageStatus.SENT
        return [*events, *([claim_done(task)] if sent else stopped)]
    next_events = next_step_events(context.campaign, task, lead, facts.message, now, new_id)
    if any(event.kind == "LeadFinished" for event in next_events):
        why = "they replied first" if lead.replied_at is not None else "not connected any more"
        events += withdraw(facts.message, facts.approval, why)
    return [*events, *next_events]


def site_problem(run: Execution, context: TurnContext, task: Task, trouble: SiteProblem) -> TurnOutcome:
    """The site is in the way: an incident latches, a silence is tried again later, who has no page waits for the user."""
    now, new_id = context.inputs.now, run.journal.ids.new
    if trouble.nobody_there:
        return outcome_for(task, "nobody_there", trouble.detail, block(now, task, trouble.detail, new_id))
    if trouble.kind is None:
        return outcome_for(task, "unavailable", trouble.detail, [defer(task, now + RETRY_UNAVAILABLE_MS)])
    evidence, lead_id = trouble.evidence, task.lead_id or ""
    opened = incident(context.campaign, trouble.kind, trouble.detail, now, new_id, evidence=evidence, lead_id=lead_id)
    # What one person's page showed must not stop everybody again once the user has cleared it.
    about_one = trouble.kind in (IncidentKind.WRONG_PERSON, IncidentKind.UNKNOWN_PAGE) and task.lead_id
    block_events = block(now, task, trouble.detail, new_id) if about_one else []
    return outcome_for(task, f"incident:{trouble.kind}", trouble.detail, [opened, *block_events])


def already_delivered(
    run: Execution, context: TurnContext, facts: ProposalFacts, seen: Profile | Thread
) -> TurnOutcome | None:
    """An attempt that was believed not sent may be there by now: then it was sent, and is not sent again."""
    task, message, approval = present(facts.task), facts.message, facts.approval
    if message is None or approval is None or message.status is not MessageStatus.APPROVED:
        return None
    with run.journal.database.read() as connection:
        lost = actions.lost_attempt(connection, message.id)
        begun = actions.intended_at(connection, lost[0]) if lost is not None else 0
    if lost is None or count_copies(seen, message.text) <= lost[1]:
        return None
    sending = SendContext(lost[0], context.campaign, task, present(facts.lead), message, approval.id, 0, begun)
    attempt = Attempt(SiteAnswer.NO_ANSWER, "it had arrived after all", evidence=seen.evidence)
    events = [
        ApprovalUsed(approval.id),
        *outcome_events(sending, SendOutcome.SENT, attempt, context.inputs.now, run.journal.ids.new),
    ]
    return outcome_for(task, "superseded", attempt.detail, events)
