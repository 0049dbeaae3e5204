"""Today: what waits for the user, what happens next, what is left of each limit and what is wrong, campaign by campaign."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from backend.api import insights, tasks
from backend.api.campaigns import campaign_needs
from backend.api.insights import FunnelStage, Target
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.tasks import Held, TaskRow
from backend.domain.gates import gates
from backend.domain.model.campaign import DAY, Campaign, CampaignStatus
from backend.domain.model.channel import PRACTICE, user_families
from backend.domain.model.days import OffsetSince, day_start, local_day
from backend.domain.model.site import incident_words
from backend.domain.model.task import ActionFamily, TaskStatus
from backend.domain.reports.campaign_state import CampaignState, Need
from backend.domain.values.shapes import Shape
from backend.situation import situations
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import state_of
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.contact import actions, incidents, threads
from backend.store.queries.contact.pending_invitations import OldInvitation, count_old_invitations, old_invitations
from backend.store.queries.people import people
from backend.store.queries.reports import today
from backend.store.queries.reports.today import Happened, LatestReply

MOST_CAMPAIGNS = 20
NEXT, LATEST, MOST_COUNTED = 6, 3, 100
DAYS = 14

routes = Routes("today")


class TodayQuery(Shape):
    """Of which campaign; "" for the newest ones."""

    campaign: str = Field(default="", max_length=64)


class LimitLine(Shape):
    """How much of a family was used today, in seven days and, of invitations with a note, in 30 days, and how much may be.

    Null: no limit for the week, or none for notes that is reached before the daily one.
    """

    family: ActionFamily
    used: int
    limit: int
    week_used: int
    week_limit: int | None
    notes_used: int
    notes_limit: int | None


class CampaignProblem(Shape):
    """Something that keeps the campaign from going on, or that somebody should look at; `said` in its own words.

    Of `unreachable` it is what blocks most of the campaign's people, `count` of them, all of whom are blocked.
    """

    kind: Literal["incident", "error", "blocked", "unknown", "import", "leads", "unreachable"]
    count: int
    said: str


class CampaignToday(Shape):
    """One campaign; times on its own clock, days from the oldest to today, counts end at a bound.

    `limits` are of its account, in all campaigns; all else is the campaign's own.
    """

    id: str
    name: str
    status: CampaignStatus
    status_reason: str
    site: str
    account: str
    now: int
    utc_offsets: list[OffsetSince]
    state: CampaignState
    needs: dict[Need, int]
    put_off: int
    put_off_until: int | None
    latest: list[LatestReply]
    next: list[TaskRow]
    held: list[Held]
    limits: list[LimitLine]
    funnel: list[FunnelStage]
    sent_by_day: list[int]
    replies_by_day: list[int]
    problems: list[CampaignProblem]
    target: Target | None
    old_invitations: list[OldInvitation]
    """The oldest that nobody accepted in the days after which they are to be withdrawn."""
    old_invitation_count: int
    withdraw_after_days: int
    withdrawals_a_day: int
    """How many of them Outrider takes back by itself; 0 where the user does it."""
    first_contact_until: int | None
    """From when on nobody is written to for the first time (ms UTC)."""
    ends_at: int | None
    """From when on every sequence is over."""
    since: Happened | None
    """What happened since the user was last here; null if that is not known, and of a rehearsal: its days are not the user's."""


class TodayView(Shape):
    """One campaign, or the newest ones; `more`: there are others that are not done."""

    campaigns: list[CampaignToday]
    more: bool
    same_person: int
    """How many questions there are in all of them whether people are the same; one may be about people of several campaigns."""
    last_here: int | None
    """When the user was last here before this visit, by this machine's clock (ms UTC)."""


@routes.get("/today")
def view(services: Services, connection: DatabaseConnection, query: TodayQuery) -> TodayView:
    """What waits, what comes next and what is wrong; raises `campaign_unknown`."""
    newest = [] if query.campaign else today.newest_campaigns(connection, MOST_CAMPAIGNS + 1)
    ids = [query.campaign] if query.campaign else newest[:MOST_CAMPAIGNS]
    before = services.visits.before()
    return TodayView(
        campaigns=[_campaign(services, connection, id_) for id_ in ids],
        more=any(
            existing_campaign(connection, id_).status is not CampaignStatus.COMPLETED for id_ in newest[MOST_CAMPAIGNS:]
        ),
        same_person=people.count_open_doubts(connection, ids),
        last_here=before.at if before else None,
    )


def _campaign(services: Services, connection: DatabaseConnection, campaign_id: str) -> CampaignToday:
    campaign = existing_campaign(connection, campaign_id)
    inputs, before = services.turn_inputs(campaign_id), services.visits.before()
    coming = tasks.next_up(connection, campaign, inputs, NEXT)
    needs = campaign_needs(services, connection, campaign, inputs)
    replies = today.unread_replies(connection, campaign_id, LATEST)
    snoozed = today.put_off(connection, campaign_id, inputs.now, MOST_COUNTED)
    day = local_day(inputs.now, inputs.offset_at)
    days = range(day - DAYS + 1, day + 1)
    since = day_start(days[0], inputs.offset_at)
    answered = today.replies_per_day(connection, campaign_id, since, inputs.offset_at)
    sent = actions.count_per_day_in(connection, campaign_id, since, inputs.offset_at)
    cutoff = inputs.now - campaign.settings.limits.withdraw_after_days * DAY
    by_hand = ActionFamily.WITHDRAW in user_families(campaign.site)
    withdrawals = 0 if by_hand else campaign.settings.limits.withdrawals_a_day
    return CampaignToday.showing(
        campaign,
        now=inputs.now,
        utc_offsets=inputs.utc_offsets,
        state=state_of(connection, campaign, inputs, needs),
        needs=needs,
        put_off=snoozed.people,
        put_off_until=snoozed.until,
        latest=replies,
        next=coming,
        held=tasks.held(connection, campaign, inputs),
        limits=[
            _limit(connection, campaign, inputs, family)
            for family in (ActionFamily.INVITE, ActionFamily.MESSAGE, *([ActionFamily.WITHDRAW] if withdrawals else []))
        ],
        funnel=insights.funnel(connection, campaign_id),
        sent_by_day=[sent.get(day, 0) for day in days],
        replies_by_day=[answered.get(day, 0) for day in days],
        problems=_problems(services, connection, campaign, needs, is_idle=not any(task.lead_id for task in coming)),
        old_invitations=old_invitations(connection, campaign_id, cutoff, NEXT),
        old_invitation_count=count_old_invitations(connection, campaign_id, cutoff, MOST_COUNTED),
        withdraw_after_days=campaign.settings.limits.withdraw_after_days,
        withdrawals_a_day=withdrawals,
        target=insights.target(connection, campaign, services.clock(campaign_id)),
        first_contact_until=campaign.settings.limits.first_contact_until,
        ends_at=campaign.settings.limits.ends_at,
        since=today.happened_since(connection, campaign_id, before.events.get(campaign_id, 0))
        if before and campaign.site != PRACTICE
        else None,
    )


def _limit(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs, family: ActionFamily) -> LimitLine:
    facts = situations.account_facts(connection, campaign, inputs, family, "")
    limits, invites = campaign.settings.limits, family is ActionFamily.INVITE
    notes = limits.notes_a_month if invites and limits.notes_are_scarce else None
    return LimitLine(
        family=family,
        used=facts.sent_today,
        limit=gates.allowance_today(facts),
        week_used=facts.sent_week,
        week_limit=limits.invitations_a_week if invites else None,
        notes_used=0
        if notes is None
        else actions.notes_since(connection, campaign.account, inputs.now - gates.NOTE_PERIOD, inputs.now)[0],
        notes_limit=notes,
    )


def _problems(
    services: Services, connection: DatabaseConnection, campaign: Campaign, needs: Mapping[Need, int], *, is_idle: bool
) -> list[CampaignProblem]:
    """What is wrong, the worst first; `is_idle`: nothing comes next for anybody."""
    problems = [
        CampaignProblem(kind="incident", count=1, said=incident_words(incident.kind, incident.said))
        for incident in incidents.open_incidents(connection, campaign.account, 1)
    ]
    if campaign.status is CampaignStatus.ERROR:
        problems.append(CampaignProblem(kind="error", count=1, said=campaign.status_reason))
    unknown = len(threads.threads(connection, campaign.id, ["unknown"], threads.NEWEST, MOST_COUNTED))
    blocked = sum(
        n
        for (_, status), n in task_queries.task_counts(connection, campaign.id).items()
        if status == TaskStatus.BLOCKED
    )
    if unknown:
        problems.append(CampaignProblem(kind="unknown", count=unknown, said=""))
    if blocked:
        problems.append(CampaignProblem(kind="blocked", count=blocked, said=""))
    if services.importer.running(campaign.id):
        return problems
    if needs[Need.IMPORT_AGAIN]:
        problems.append(CampaignProblem(kind="import", count=1, said=""))
    elif needs[Need.ADD_LEADS]:
        problems.append(CampaignProblem(kind="leads", count=1, said=""))
    elif is_idle and campaign.status is not CampaignStatus.COMPLETED:
        nobody = today.unreachable(connection, campaign.id)
        if nobody is not None:
            problems.append(CampaignProblem(kind="unreachable", count=nobody.people, said=nobody.blocked))
    return problems
