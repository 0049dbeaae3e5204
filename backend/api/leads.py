"""Leads: the list in windows, one lead, what the user sets on it by hand, and the list as a file."""

import json
from collections.abc import Iterator

from flask import Blueprint, Response, request

from backend.api.csv_text import BOM, csv_lines
from backend.api.exchange import body, reply
from backend.api.files import deliver, write_out
from backend.api.reads import lead_list
from backend.api.reads import leads as reads
from backend.api.reads.texts import texts_for
from backend.api.services import Services
from backend.api.wire.base import Done, Nothing
from backend.api.wire.files import Destination
from backend.api.wire.leads import ContactRefused, DoNotContact, Note, Place, Prioritise, Prioritised, Tags, TagsKept
from backend.domain.errors import OutriderError

_EXPORTED = (
    "full_name", "job_title", "company", "email", "profile_url", "connected_on", "status", "weight_score",
    "priority_override", "headline", "blocked", "finished", "notes",
)  # fmt: skip


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/leads…`."""
    routes = Blueprint("leads", __name__, url_prefix="/api/campaigns/<campaign_id>/leads")

    @routes.get("")
    def window(campaign_id: str) -> Response:
        want = lead_list.wanted(request.args.to_dict())
        skip, limit = _number("skip", 0), _number("limit", 100)
        with services.database.read() as connection:
            return reply(
                lead_list.window(
                    connection, campaign_id, want, after=request.args.get("after", ""), skip=skip, limit=limit
                )
            )

    @routes.get("/facets")
    def facets(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(lead_list.facets(connection, campaign_id))

    @routes.get("/export")
    def download(campaign_id: str) -> Response:
        want = lead_list.wanted(request.args.to_dict())
        return deliver(services, _csv(services, campaign_id, want), "leads.csv", "text/csv")

    @routes.post("/export")
    def save(campaign_id: str) -> Response:
        want = lead_list.wanted(request.args.to_dict())
        return write_out(services, body(Destination).ticket, _csv(services, campaign_id, want))

    @routes.get("/<lead_id>")
    def lead(campaign_id: str, lead_id: str) -> Response:
        around = services.session.surroundings(campaign_id)
        with services.database.read() as connection:
            return reply(reads.lead_detail(connection, campaign_id, lead_id, around))

    @routes.get("/<lead_id>/texts")
    def texts(campaign_id: str, lead_id: str) -> Response:
        with services.database.read() as connection:
            return reply(texts_for(connection, campaign_id, lead_id))

    @routes.post("/<lead_id>/priority")
    def prioritise(campaign_id: str, lead_id: str) -> Response:
        leads = services.session.commands(campaign_id).leads
        now, before = leads.prioritise(campaign_id, lead_id, body(Prioritise).priority)
        return reply(Prioritised(lead_id=lead_id, priority=now, before=before))

    @routes.post("/<lead_id>/place")
    def place(campaign_id: str, lead_id: str) -> Response:
        to = body(Place)
        leads = services.session.commands(campaign_id).leads
        now, before = leads.place(campaign_id, lead_id, to.above, to.below, upwards=to.upwards)
        return reply(Prioritised(lead_id=lead_id, priority=now, before=before))

    @routes.post("/<lead_id>/note")
    def note(campaign_id: str, lead_id: str) -> Response:
        services.session.commands(campaign_id).leads.note(campaign_id, lead_id, body(Note).text)
        return reply(Done(campaign_id=campaign_id))

    @routes.post("/<lead_id>/tags")
    def tags(campaign_id: str, lead_id: str) -> Response:
        kept = services.session.commands(campaign_id).leads.tag(campaign_id, lead_id, body(Tags).tags)
        return reply(TagsKept(lead_id=lead_id, tags=kept))

    @routes.post("/<lead_id>/do-not-contact")
    def do_not_contact(campaign_id: str, lead_id: str) -> Response:
        leads = services.session.commands(campaign_id).leads
        stopped, texts = leads.do_not_contact(campaign_id, lead_id, body(DoNotContact).reason)
        return reply(ContactRefused(lead_id=lead_id, task_stopped=stopped, texts_withdrawn=texts))

    @routes.post("/<lead_id>/contact")
    def contact(campaign_id: str, lead_id: str) -> Response:
        body(Nothing)
        services.session.commands(campaign_id).leads.contact_again(campaign_id, lead_id)
        return reply(Done(campaign_id=campaign_id))

    return routes


def _number(name: str, otherwise: int) -> int:
    given = request.args.get(name, "")
    if given and not (given.isascii() and given.isdigit() and len(given) <= len("1000000")):
        raise OutriderError("bad_request", detail=f"{name} is not a number")
    return int(given or otherwise)


def _csv(services: Services, campaign_id: str, want: lead_list.Wanted) -> Iterator[bytes]:
    """The wanted leads in their order, as of one moment."""
    yield BOM.encode()
    yield from csv_lines([(*_EXPORTED, "tags", "further fields")])
    sql = f"SELECT {', '.join(_EXPORTED)}, tags, extra FROM leads WHERE id=?"
    with services.database.read() as connection:
        for lead_id in lead_list.every(connection, campaign_id, want):
            *values, tags, extra = connection.execute(sql, (lead_id,)).fetchone()
            further = "; ".join(f"{name}: {value}" for name, value in json.loads(extra).items())
            cells = ["" if value is None else str(value) for value in values]
            yield from csv_lines([(*cells, ", ".join(json.loads(tags)), further)])
