"""A campaign as it was, read from the scratch database of its past with the same reads as the campaign as it is."""

from collections.abc import Callable
from typing import NamedTuple

from backend.api.campaigns import CampaignView, campaign_view
from backend.api.drafts import Draft, draft_page
from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import After, Page, PageQuery, Row
from backend.api.timeline import TimelineRow, Word, timeline_item
from backend.domain.model.days import OffsetAt
from backend.domain.model.lead import LeadStatus
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.runtime.copies.time_travel import PastProgress
from backend.runtime.feed.feed_messages import RunState
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import needs_of
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.reports import past, timeline
from backend.store.queries.reports.past import PastTask

PAGE = 100
_MOMENT = "/<int(max=999999999999999):seq>"

routes = Routes("past", "/campaigns/<campaign_id>/past")


class PastMoment(Shape):
    """The campaign as it was after `event`: `view` and the first drafts that waited, or how far it is on the way there.

    `turn_before` and `turn_after` are the events with which the neighbouring turns ended.
    """

    event: TimelineRow
    head: int
    turn_before: int | None
    turn_after: int | None
    progress: PastProgress | None
    view: CampaignView | None
    drafts: list[Draft]


class PastQuery(After):
    """Which rows of a list as it was: of one status, or all."""

    status: Word = ""


class PastLead(Shape):
    """A lead as it was; `step` counts from 0."""

    id: str
    full_name: str
    job_title: str
    company: str
    status: LeadStatus
    score: int | None
    step: int | None
    finished: str
    blocked: str


class PastContent(NamedTuple):
    """What the page showed of a moment."""

    view: CampaignView
    drafts: list[Draft]


@routes.get(_MOMENT)
def view(services: Services, connection: DatabaseConnection, campaign_id: str, seq: int) -> PastMoment:
    """The campaign as it was after that event, or how far it is on the way there; raises `entry_unknown`."""
    offset_at = services.clock(campaign_id).offset
    head = timeline.last_seq(connection, "events", campaign_id)
    event = timeline_item(connection, campaign_id, "events", seq)
    before, after = timeline.turns_around(connection, campaign_id, seq)
    content = services.time_travel.at(
        campaign_id, seq, lambda scratch: _content(scratch, campaign_id, event.at, offset_at)
    )
    progress = content if isinstance(content, PastProgress) else None
    shown, drafts = (None, []) if isinstance(content, PastProgress) else content
    return PastMoment(
        event=event,
        head=head,
        turn_before=before,
        turn_after=after,
        progress=progress,
        view=shown,
        drafts=drafts,
    )


@routes.get(f"{_MOMENT}/tasks")
def tasks(
    services: Services, connection: DatabaseConnection, campaign_id: str, seq: int, query: PastQuery
) -> Page[PastTask]:
    """Tasks as they were, in the order in which they were made; raises `past_on_its_way`."""
    return _at(services, connection, campaign_id, seq, lambda scratch: _tasks(scratch, query))


@routes.get(f"{_MOMENT}/leads")
def leads(
    services: Services, connection: DatabaseConnection, campaign_id: str, seq: int, query: PastQuery
) -> Page[PastLead]:
    """Leads as they were, in the order of import; raises `past_on_its_way`."""
    return _at(services, connection, campaign_id, seq, lambda scratch: _leads(scratch, query))


def _at(
    services: Services,
    connection: DatabaseConnection,
    campaign_id: str,
    seq: int,
    read: Callable[[DatabaseConnection], Page[Row]],
) -> Page[Row]:
    timeline_item(connection, campaign_id, "events", seq)
    page = services.time_travel.at(campaign_id, seq, read)
    if isinstance(page, PastProgress):
        raise OutriderError("past_on_its_way", seq=seq)
    return page


def _content(scratch: DatabaseConnection, campaign_id: str, at: int, offset_at: OffsetAt) -> PastContent:
    """What the live page would have shown, at that time, with nobody present and nothing running."""
    inputs = TurnInputs(now=at, offset_at=offset_at, present=False)
    drafts = draft_page(scratch, campaign_id, inputs, PageQuery(limit=PAGE)).rows
    campaign, idle = existing_campaign(scratch, campaign_id), RunState(phase="idle", campaign_id=campaign_id)
    needs = needs_of(scratch, campaign, inputs)
    return PastContent(campaign_view(scratch, campaign_id, inputs, idle, needs), drafts)


def _tasks(scratch: DatabaseConnection, query: PastQuery) -> Page[PastTask]:
    """A page of the tasks as they were."""
    rows = past.tasks(scratch, query.after, query.status, PAGE + 1)
    return Page(rows=rows[:PAGE], next=rows[PAGE - 1].id if len(rows) > PAGE else None)


def _leads(scratch: DatabaseConnection, query: PastQuery) -> Page[PastLead]:
    """A page of the leads as they were."""
    lead_rows = past.leads(scratch, _place(query.after), query.status, PAGE + 1)
    rows = [
        PastLead.showing(lead, status=LeadStatus(lead.status), score=lead.weight_score, step=lead.sequence_step)
        for lead in lead_rows[:PAGE]
    ]
    last = lead_rows[PAGE - 1] if len(lead_rows) > PAGE else None
    return Page(rows=rows, next=f"{last.position}:{last.id}" if last else None)


def _place(after: str) -> tuple[int, str]:
    if not after:
        return -1, ""
    position_text, _, id_ = after.partition(":")
    if (position := cursor.whole(position_text)) is None:
        raise OutriderError("bad_request", detail="after: it is not a cursor")
    return position, id_
