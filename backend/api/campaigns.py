"""Campaigns: the list, the live view, and what the user decides about one as a whole."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from backend.api.campaign_settings import Label
from backend.api.questions import Question, question
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import After, MadeCampaign
from backend.commands.campaigns import DUPLICATE
from backend.domain.events.events import WORKSPACE
from backend.domain.model.campaign import STOPPED_BY_USER, Campaign, CampaignStatus
from backend.domain.model.channel import PRACTICE
from backend.domain.model.days import OffsetSince
from backend.domain.model.lead import LeadStatus, occupation
from backend.domain.model.site import IncidentKind
from backend.domain.model.task import TaskStatus
from backend.domain.model.turn import TurnState
from backend.domain.reports.campaign_state import CampaignState, Need
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Id, Sentence, Shape
from backend.runtime.feed.feed_messages import RunState
from backend.situation import outlook
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import needs_of, state_of
from backend.store.database import DatabaseConnection
from backend.store.last_known import MOST_CAMPAIGNS, KnownCampaign, LastKnown
from backend.store.queries.campaign import campaign_contents, campaigns, questions, tasks
from backend.store.queries.campaign.campaign_contents import CampaignContents
from backend.store.queries.campaign.campaigns import CampaignPosition, existing_campaign
from backend.store.queries.contact import incidents
from backend.store.queries.leads import leads
from backend.store.queries.reports import campaign_overview

A_PAGE = 50

LONGEST_SEARCH = 120

MOST_QUESTIONS = 20

MOST_INCIDENTS = 20
_END = 2**62

routes = Routes("campaigns", "/campaigns")


class CampaignsQuery(After):
    """Which campaigns: those whose name contains `search`; those in the archive, or all others."""

    search: str = Field(default="", max_length=LONGEST_SEARCH)
    archived: bool = False


class CampaignStanding(Shape):
    """How a campaign stands, on every surface alike; `now` is of its own clock, `needs` counts what waits for the user."""

    id: str
    name: str
    status: CampaignStatus
    status_reason: str
    state: CampaignState
    site: str
    leads: dict[LeadStatus, int]
    needs: dict[Need, int]
    now: int


class CampaignSummary(CampaignStanding):
    """A campaign in the list; `missing` is what it needs before it can run, `last_action_at` is of its own clock."""

    created_at: int
    turns: int
    last_action_at: int
    missing: Literal["", "leads", "import", "importing"]


class CampaignList(Shape):
    """A page of campaigns, newest first, and what runs; `next` is where the following page begins."""

    campaigns: list[CampaignSummary]
    next: str | None
    runs: list[RunState]


class Incident(Shape):
    """The account met something that stops everything until the user clears it with a reason."""

    id: str
    kind: IncidentKind
    said: str
    opened_at: int


class Now(Shape):
    """Where the loop stands: the turn machine's state and what it was last about."""

    state: TurnState
    turn: int
    task_id: str | None
    task: str
    task_status: str
    lead_name: str
    lead_headline: str
    action: str
    last_error: str


class CampaignView(CampaignStanding):
    """What every screen of a campaign shares, as of event `seq`: it is loaded often, so it is small and every list bounded.

    `prepared_until`: messages are drafted for as long as that (ms UTC), and none for anybody new before; null while more come.
    """

    goal: str
    archived: bool
    seq: int
    utc_offsets: list[OffsetSince]
    present: bool
    step_titles: dict[str, str]
    position: Now
    task_counts: dict[TaskStatus, int]
    prepared_until: int | None
    questions: list[Question]
    incidents: list[Incident]
    run: RunState


class RenameCampaign(Shape):
    """What it shall be called."""

    name: Label


class DuplicateCampaign(Shape):
    """The same `key` twice is the same campaign; `people`: with those who got nothing yet."""

    key: Id
    name: Label
    people: bool


class Reason(Shape):
    """Why the user clears an incident or recovers a campaign."""

    reason: Sentence


@routes.get()
def list_(services: Services, connection: DatabaseConnection, query: CampaignsQuery) -> CampaignList:
    """A page of the campaigns, newest first."""
    now = services.turn_inputs(WORKSPACE).now
    at, _, after = query.after.partition("-")
    before = (int(at) if at.isdecimal() and len(at) < len(str(_END)) else _END, after)
    rows = campaign_overview.listed(connection, before, query.search.strip(), A_PAGE + 1, archived=query.archived)
    summaries = []
    for row in rows[:A_PAGE]:
        campaign, inputs = existing_campaign(connection, row.id), services.turn_inputs(row.id)
        needs = campaign_needs(services, connection, campaign, inputs)
        summaries.append(
            CampaignSummary.showing(
                row,
                status=CampaignStatus(row.status),
                state=state_of(connection, campaign, inputs, needs),
                turns=row.last_turn,
                leads=_leads(connection, row.id),
                needs=needs,
                now=services.clock(row.id).now() if row.site == PRACTICE else now,
                missing=_missing(needs, importing=services.importer.running(row.id)),
            )
        )
    last = summaries[-1] if len(rows) > A_PAGE else None
    following = f"{last.created_at}-{last.id}" if last else None
    return CampaignList(campaigns=summaries, next=following, runs=services.run_service.run_states())


@routes.get("/<campaign_id>")
def view(services: Services, connection: DatabaseConnection, campaign_id: str) -> CampaignView:
    """One campaign as every screen of it shows it; raises `campaign_unknown`."""
    inputs = services.turn_inputs(campaign_id)
    needs = campaign_needs(services, connection, existing_campaign(connection, campaign_id), inputs)
    return campaign_view(connection, campaign_id, inputs, services.run_service.run_state(campaign_id), needs)


@routes.post("/<campaign_id>/incidents/clear")
def clear_incident(services: Services, campaign_id: str, body: Reason) -> None:
    """Clear the open incident of the campaign's account."""
    services.commands(campaign_id).campaigns.clear_incident(campaign_id, body.reason)


@routes.post("/<campaign_id>/recover")
def recover(services: Services, campaign_id: str, body: Reason) -> None:
    """Pause a campaign that is in error, so that it can be continued."""
    services.commands(campaign_id).campaigns.change_status(campaign_id, CampaignStatus.PAUSED, body.reason)


@routes.post("/<campaign_id>/rename")
def rename(services: Services, campaign_id: str, body: RenameCampaign) -> None:
    """Give the campaign another name; no approval rests on it."""
    services.commands(campaign_id).campaigns.edit(campaign_id, version=None, name=body.name.strip())


@routes.get("/<campaign_id>/contents")
def contents(connection: DatabaseConnection, campaign_id: str) -> CampaignContents:
    """How much the campaign holds of what, before it is duplicated or deleted; raises `campaign_unknown`."""
    return campaign_contents.contents(connection, campaign_id)


@routes.post("/<campaign_id>/duplicate", status=201)
def duplicate(services: Services, campaign_id: str, body: DuplicateCampaign) -> MadeCampaign:
    """Another campaign like it; who got nothing yet is imported in the background. Raises `campaign_unknown`, `import_running`."""
    if body.people and services.importer.busy:
        raise OutriderError("import_running")
    copy_id = services.commands(campaign_id).campaigns.duplicate(campaign_id, body.name.strip(), key=body.key)
    if body.people:
        with services.database.read() as connection:
            people = campaign_contents.people_not_contacted(connection, campaign_id)
            has_leads = bool(leads.lead_counts(connection, copy_id))
        if people and not has_leads:
            services.importer.start(
                copy_id, people, services.clock(copy_id), file=body.name, file_format=DUPLICATE, total=len(people)
            )
    return MadeCampaign(campaign_id=copy_id)


@routes.post("/<campaign_id>/archive")
def archive(services: Services, campaign_id: str) -> None:
    """Take the campaign out of the lists; a run of it ends after its current action. Raises `campaign_acts`."""
    services.run_service.stop(campaign_id)
    services.commands(campaign_id).campaigns.archive(campaign_id)


routes.command("/<campaign_id>/unarchive", "campaigns.unarchive")


@routes.delete("/<campaign_id>")
def delete(services: Services, campaign_id: str) -> None:
    """Delete the campaign with the personal data in it, for good. Raises `campaign_active`, `campaign_acts`."""
    with services.database.read() as connection:
        campaign = existing_campaign(connection, campaign_id)
    if services.run_service.is_running(campaign_id):
        raise OutriderError("campaign_active", campaign=campaign.name)
    if campaign.status is CampaignStatus.ACTIVE:  # it ran when Outrider was closed: there is nothing to stop
        services.commands(campaign_id).campaigns.change_status(campaign_id, CampaignStatus.PAUSED, STOPPED_BY_USER)
    services.delete_campaign(campaign_id)


def _missing(needs: Mapping[Need, int], *, importing: bool) -> Literal["", "leads", "import", "importing"]:
    if importing:
        return "importing"
    if needs[Need.IMPORT_AGAIN]:
        return "import"
    return "leads" if needs[Need.ADD_LEADS] else ""


def campaign_view(
    connection: DatabaseConnection, campaign_id: str, inputs: TurnInputs, run: RunState, needs: dict[Need, int]
) -> CampaignView:
    """One campaign as every screen of it shows it; raises `campaign_unknown`."""
    position = campaigns.existing_position(connection, campaign_id)
    campaign = position.campaign
    return CampaignView.showing(
        campaign,
        state=state_of(connection, campaign, inputs, needs),
        seq=position.seq,
        now=inputs.now,
        utc_offsets=inputs.utc_offsets,
        present=inputs.present,
        step_titles=campaign.settings.sequence.titles,
        position=_now(connection, position),
        leads=_leads(connection, campaign_id),
        task_counts=_task_counts(connection, campaign_id),
        needs=needs,
        prepared_until=outlook.prepared_until(connection, campaign, inputs),
        questions=[question(row) for row in questions.list_open(connection, campaign_id, MOST_QUESTIONS, own=True)],
        incidents=[
            Incident.showing(incident)
            for incident in incidents.open_incidents(connection, campaign.account, MOST_INCIDENTS)
        ],
        run=run,
    )


def campaign_needs(
    services: Services, connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs
) -> dict[Need, int]:
    """How much waits for the user in a campaign of the running app."""
    refused, importing = services.send_session.refusals(), services.importer.running(campaign.id)
    return needs_of(connection, campaign, inputs, refused=refused, importing=importing)


def _leads(connection: DatabaseConnection, campaign_id: str) -> dict[LeadStatus, int]:
    return {LeadStatus(status): n for status, n in leads.lead_counts(connection, campaign_id).items()}


def _task_counts(connection: DatabaseConnection, campaign_id: str) -> dict[TaskStatus, int]:
    counts: dict[TaskStatus, int] = {}
    for (_, status), n in tasks.task_counts(connection, campaign_id).items():
        counts[TaskStatus(status)] = counts.get(TaskStatus(status), 0) + n
    return counts


def _now(connection: DatabaseConnection, position: CampaignPosition) -> Now:
    work = campaigns.current_work(connection, position.campaign.id)
    return Now.showing(
        work,
        state=TurnState(position.state),
        turn=position.last_turn,
        lead_headline=occupation(work.headline, work.job_title, work.company),
        last_error=position.last_error,
    )


def last_known(services: Services, connection: DatabaseConnection) -> LastKnown:
    """The newest campaigns by their names and counts."""
    listed = list_(services, connection, CampaignsQuery()).campaigns[:MOST_CAMPAIGNS]
    return LastKnown(
        campaigns=[
            KnownCampaign.showing(
                row,
                state=row.state.name,
                leads={status.value: count for status, count in row.leads.items()},
                needs={need.value: count for need, count in row.needs.items()},
            )
            for row in listed
        ]
    )
