"""Leads: the list in windows and as a file, and what the user sets on a lead by hand."""

import json
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Values
from itertools import islice
from time import gmtime, strftime
from typing import Any

from pydantic import Field, ValidationError

from backend.api.exports import BOM, Export, csv_lines
from backend.api.people import PersonNote, person_note
from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.commands.lead_table import NAME as TABLE
from backend.domain.leads.lead_table import LeadTable
from backend.domain.model.campaign import Limits
from backend.domain.model.criteria import LeadFields
from backend.domain.model.lead import LeadStatus
from backend.domain.model.scoring import CriterionScore, explainer
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.domain.model.site import Relation
from backend.domain.model.task import NEVER, ActionFamily, TaskStatus
from backend.domain.model.variables import called, more_of
from backend.domain.people.lead_row import FURTHER_FIELDS
from backend.domain.people.person_name import clean_name
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.situation import wait_reasons
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import configuration
from backend.store.queries.leads import lead_list, scored_leads
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.leads.lead_list import MOST_SKIPPED, LeadListQuery, LeadListRow, LeadQuery, all_lead_ids
from backend.store.queries.leads.leads import ExportedLead, LeadExchange
from backend.store.queries.people import do_not_contact, people

MOST_ROWS = 200
MOST_MATCHING = 100_000
"""Leads that are decided about at once."""
FIELD = "field:"

routes = Routes("leads", "/campaigns/<campaign_id>/leads")


class WindowQuery(LeadQuery):
    """Which stretch of the list: `limit` rows behind `skip` rows behind the cursor `after`."""

    after: str = ""
    skip: int = Field(default=0, ge=0)
    limit: int = Field(default=100, ge=0)


class LeadLine(Shape):
    """A lead in the list. Its columns bear the names they have in events, so that the page folds those into it."""

    id: str
    full_name: str
    job_title: str
    company: str
    status: LeadStatus
    weight_score: int | None
    score_reasons: list[str]
    """What each criterion that counted gave: "+42 job title contains “cto”"."""
    priority_override: int | None
    greeting_name: str
    """What a greeting calls them by the user's word; empty while their name decides."""
    greeted: str
    """What a greeting calls them; empty when that is not sure, so that the user is asked."""
    tags: list[str]
    blocked: str
    below_least_score: bool
    """Whether they are not begun with because the campaign's least score leaves them out."""
    active_at: int | None
    """When something last passed between the two people."""
    step: str
    """The step that comes next, by its key; empty before the lead is planned, and when nothing comes next."""
    step_number: int
    steps: int
    finished: str
    task_status: TaskStatus | None
    needs: ActionFamily | None
    ready_at: int | None
    """From when the task may go on, by hours and limits, too; null: only a person can wake it, or there is none."""
    note: PersonNote
    """Whether the person is with another campaign, or may be somebody that is a lead already."""
    cells: dict[str, str]
    """Of the columns that the user chose, those that the row does not have anyway: e-mail address and custom fields."""


class LeadWindow(Shape):
    """A stretch of the list: the rows after `after` and `skip` more, and where the next stretch begins."""

    rows: list[LeadLine]
    next: str | None
    total: int
    more: bool
    """Whether a search stopped looking: there are more than it found."""


class LeadFacets(Shape):
    """What the list can be filtered by: every status with its number, the tags in use, and who is somebody else's or in doubt."""

    statuses: dict[LeadStatus, int]
    tags: list[str]
    elsewhere: int
    """How many people are with another campaign."""
    in_doubt: int
    """How many may be somebody that is a lead already."""


class LeadTableView(Shape):
    """How the list is shown, and which custom fields could be columns of it."""

    table: LeadTable
    fields: list[str]


class MatchingLeads(Shape):
    """The ids of all leads that match, in their order."""

    ids: list[str]


@routes.get()
def list_(services: Services, connection: DatabaseConnection, campaign_id: str, query: WindowQuery) -> LeadWindow:
    """A stretch of the list; raises `lead_list_changed` for a cursor of another sort."""
    inputs = services.turn_inputs(campaign_id)
    elsewhere = lead_list.with_other_campaign(connection, campaign_id, query, inputs.now)
    list_query = LeadListQuery(campaign_id, query, elsewhere=elsewhere)
    total, more = list_query.count(connection)
    skip, limit = min(query.skip, MOST_SKIPPED), min(query.limit, MOST_ROWS)
    numbers = list_query.numbers(connection, _place(list_query, query.after), skip, limit)
    listed = [lead_list.row_of_number(connection, number) for number in numbers]
    rows = _lines(connection, campaign_id, listed, inputs)
    last = _cursor(list_query.sort_keys(connection, numbers[-1])) if rows else None
    return LeadWindow(rows=rows, next=last, total=total, more=more)


@routes.get("/facets")
def facets(services: Services, connection: DatabaseConnection, campaign_id: str) -> LeadFacets:
    """What can be filtered by."""
    now = services.turn_inputs(campaign_id).now
    counts = {LeadStatus(status): n for status, n in lead_queries.lead_counts(connection, campaign_id).items()}
    return LeadFacets(
        statuses=counts,
        tags=lead_list.tags(connection, campaign_id),
        elsewhere=len(people.with_other_campaign(connection, campaign_id, now, lead_list.MOST_FOUND)),
        in_doubt=people.count_in_doubt(connection, campaign_id),
    )


@routes.get("/matching")
def matching(services: Services, connection: DatabaseConnection, campaign_id: str, query: LeadQuery) -> MatchingLeads:
    """Everybody whom the filter finds, to decide about all of them."""
    now = services.turn_inputs(campaign_id).now
    return MatchingLeads(ids=list(islice(all_lead_ids(connection, campaign_id, query, now), MOST_MATCHING)))


@routes.get("/table")
def table(connection: DatabaseConnection, campaign_id: str) -> LeadTableView:
    """How the list is shown: what the user chose, or the usual columns."""
    return LeadTableView(
        table=_table(connection, campaign_id), fields=scored_leads.custom_fields(connection, campaign_id)
    )


@routes.post("/table")
def arrange(services: Services, campaign_id: str, body: LeadTable) -> LeadTable:
    """Show the list like this from now on."""
    services.commands(campaign_id).lead_table.keep(campaign_id, body.model_dump(mode="json"))
    return body


routes.command("/several/tag", "lead_groups.tag")
routes.command("/several/untag", "lead_groups.untag")
routes.command("/several/priority", "lead_groups.prioritise")
routes.command("/several/skip", "lead_groups.skip")
routes.command("/several/take-up", "lead_groups.take_up")
routes.command("/several/do-not-contact", "lead_groups.forbid")
routes.command("/several/contact", "lead_groups.contact_again")
routes.command("/several/move", "lead_groups.move")


def _table(connection: DatabaseConnection, campaign_id: str) -> LeadTable:
    stored = configuration.campaign_value(connection, campaign_id, TABLE)
    try:
        return LeadTable.model_validate_json(stored) if stored else LeadTable()
    except ValidationError:  # of a later version
        return LeadTable()


@routes.export("/export")
def export(services: Services, campaign_id: str, query: LeadQuery) -> Export:
    """The wanted leads in their order, as a spreadsheet."""
    return Export(_csv(services, campaign_id, query), "leads.csv", "text/csv")


@routes.export("/export/exchange")
def export_exchange(services: Services, campaign_id: str, query: LeadQuery) -> Export:
    """The wanted leads with what was sent, what they replied, and when, in columns that other tools know."""
    return Export(_exchange_csv(services, campaign_id, query), "leads with messages.csv", "text/csv")


routes.command("/<lead_id>/priority", "leads.prioritise")
routes.command("/<lead_id>/place", "leads.place")
routes.command("/<lead_id>/note", "leads.note")
routes.command("/<lead_id>/greeting", "leads.choose_greeting")
routes.command("/<lead_id>/invitation-withdrawn", "leads.invitation_withdrawn")
routes.command("/<lead_id>/tags", "leads.tag")
routes.command("/<lead_id>/do-not-contact", "leads.do_not_contact")
routes.command("/<lead_id>/contact", "leads.contact_again")


def _csv(services: Services, campaign_id: str, query: LeadQuery) -> Iterator[bytes]:
    """The wanted leads in their order, as of one moment."""
    yield BOM.encode()
    yield from csv_lines([(*ExportedLead._fields[:-1], FURTHER_FIELDS)])
    with services.database.read() as connection:
        for lead_id in all_lead_ids(connection, campaign_id, query, services.turn_inputs(campaign_id).now):
            *values, tags, extra = lead_queries.exported(connection, lead_id)
            further = extra if json.loads(extra) else ""
            cells = ["" if value is None else str(value) for value in values]
            yield from csv_lines([(*cells, ", ".join(json.loads(tags)), further)])


_EXCHANGE = (
    "email", "first_name", "last_name", "company", "title", "website", "linkedin_url", "reason", "lead_id", "score",
    "status", "tags", "invited_on", "accepted_on", "last_sent_on", "replied_on", "messages", "replies", "exchange",
    "full_name", "connected_on", FURTHER_FIELDS,
)  # fmt: skip
_WEBSITES = ("Website", "Company Website", "CompanyWebsite", "Company Domain")


def _exchange_csv(services: Services, campaign_id: str, query: LeadQuery) -> Iterator[bytes]:
    yield BOM.encode()
    yield from csv_lines([_EXCHANGE])
    with services.database.read() as connection:
        for lead_id in all_lead_ids(connection, campaign_id, query, services.turn_inputs(campaign_id).now):
            yield from csv_lines([_exchange_cells(lead_queries.lead_exchange(connection, lead_id))])


def _exchange_cells(lead: LeadExchange) -> list[str]:
    first, _, last = clean_name(lead.full_name).partition(" ")
    website = next((lead.extra[name] for name in _WEBSITES if name in lead.extra), "")
    received = sum(text.theirs for text in lead.texts)
    lines = [f"{_day(text.at)} {'they' if text.theirs else 'you'}: {text.text}".strip() for text in lead.texts]
    score = "" if lead.score is None else str(lead.score)
    days = map(_day, (lead.invited_at, lead.accepted_at, lead.last_sent_at, lead.replied_at))
    cells = (lead.email, first, last, lead.company, lead.job_title, website, lead.profile_url, lead.reason, lead.id)
    counts = (str(len(lead.texts) - received), str(received))
    last_cells = (lead.full_name, lead.connected_on or "", json.dumps(lead.extra) if lead.extra else "")
    return [*cells, score, lead.status, ", ".join(lead.tags), *days, *counts, "\n\n".join(lines), *last_cells]


def _day(at: int | None) -> str:
    return "" if at is None else strftime("%Y-%m-%d", gmtime(at // 1_000))


def _cursor(sort_keys: Values[Any]) -> str:
    return json.dumps(sort_keys, separators=(",", ":"))


def _place(query: LeadListQuery, after: str) -> Values[Any]:
    if not after:
        return ()
    sort_keys = cursor.values(after)
    if sort_keys is None or len(sort_keys) != len(query.keys):
        raise OutriderError("lead_list_changed")
    return sort_keys


def _lines(
    connection: DatabaseConnection, campaign_id: str, rows: list[LeadListRow], inputs: TurnInputs
) -> list[LeadLine]:
    """The rows of the list as it shows them; what is the same for all of them is read once."""
    campaign = campaigns.campaign(connection, campaign_id)
    explained = explainer(campaign.settings.blueprint) if campaign else lambda _: ()
    sequence = campaign.settings.sequence if campaign else DEFAULT_SEQUENCE
    live_indexes = [n for n, step in enumerate(sequence.steps) if not step.removed]
    columns = [name for name in _table(connection, campaign_id).columns if name == "email" or name.startswith(FIELD)]

    shut = wait_reasons.shut_gates(connection, campaign, inputs) if campaign else {}

    limits = campaign.settings.limits if campaign else Limits()
    forbidden = do_not_contact.forbidden_among(connection, [row.id for row in rows])

    def line(row: LeadListRow) -> LeadLine:
        note = person_note(connection, row.id, inputs)
        # In other campaigns than that in which the user said so, a lead is blocked no sooner than before the next act.
        if row.id in forbidden and not row.blocked:
            row = row._replace(blocked="do_not_contact")
        if campaign and row.needs and row.ready_at is not None:
            row = row._replace(ready_at=wait_reasons.possible_from(row.needs, row.ready_at, campaign, inputs, shut))
        return _line(row, explained, sequence, live_indexes, columns, note, limits)

    return [line(row) for row in rows]


def _line(
    row: LeadListRow,
    explained: Callable[[LeadFields], tuple[CriterionScore, ...]],
    sequence: Sequence,
    live_indexes: list[int],
    columns: list[str],
    note: PersonNote,
    limits: Limits,
) -> LeadLine:
    """A row of the list; the reasons of its score are worked out anew, and left out while they are not those of it."""
    parts = () if row.weight_score is None else explained(row.fields)
    if sum(part.points for part in parts) != row.weight_score:
        parts = ()
    next_index = len(sequence.steps)
    if row.sequence_step is not None and not row.finished:
        next_index = sequence.next_place(
            row.sequence_step, Relation(row.relation), lead_queries.read_answers(row.answers)
        )
    under_way = next_index < len(sequence.steps)
    return LeadLine.showing(
        row,
        status=LeadStatus(row.status),
        score_reasons=[part.reason for part in parts if part.points],
        greeted=called(row.full_name, more_of(row.extra, row.greeting_name)),
        tags=json.loads(row.tags),
        below_least_score=row.sequence_step is None
        and not limits.begin_with(row.weight_score if row.priority_override is None else row.priority_override),
        active_at=row.active_at or None,
        step=sequence.steps[next_index].key if under_way else "",
        step_number=sum(n <= next_index for n in live_indexes) if under_way else 0,
        steps=len(live_indexes),
        task_status=TaskStatus(row.task_status) if row.task_status else None,
        needs=ActionFamily(row.needs) if row.needs else None,
        ready_at=row.ready_at if row.ready_at is not None and row.ready_at < NEVER else None,
        note=note,
        cells={name: row.fields.get(name.removeprefix(FIELD), "") for name in columns},
    )


def lead_summary(connection: DatabaseConnection, campaign_id: str, lead_id: str, inputs: TurnInputs) -> LeadLine:
    """One lead as the list shows it; raises `lead_unknown`."""
    row = lead_list.row_of_lead(connection, campaign_id, lead_id)
    if row is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    return _lines(connection, campaign_id, [row], inputs)[0]
