"""The timeline: both logs, a campaign as it was at any moment, proofs that nobody edited it, and the export."""

import sqlite3
from collections.abc import Callable, Iterator

from flask import Blueprint, Response

from backend.api.exchange import asked, body, reply
from backend.api.files import deliver, write_out
from backend.api.looking_back import OnTheWay
from backend.api.reads import past as past_reads
from backend.api.reads import timeline as reads
from backend.api.reads.log_export import log_lines
from backend.api.services import Services
from backend.api.wire.base import Nothing, Wire
from backend.api.wire.files import Destination
from backend.api.wire.timeline import LogName, PastMoment, PastProgress, PastQuery, TimelineQuery
from backend.domain.errors import OutriderError

MEDIA_TYPE = "application/jsonl"
_NAMES: dict[str, LogName] = {"events": "events", "audit": "audit", "workspace": "workspace"}


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/<id>/timeline…`, `…/past/<seq>…`, `…/proof`."""
    routes = Blueprint("timeline", __name__, url_prefix="/api/campaigns/<campaign_id>")

    @routes.get("/timeline")
    def timeline(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.page(connection, campaign_id, asked(TimelineQuery)))

    @routes.get("/timeline/<log>/<int(max=999999999999999):seq>")
    def entry(campaign_id: str, log: str, seq: int) -> Response:
        if log not in _NAMES:
            raise OutriderError("page_unknown")
        with services.database.read() as connection:
            return reply(reads.entry(connection, campaign_id, _NAMES[log], seq))

    @routes.get("/timeline/export")
    def download(campaign_id: str) -> Response:
        return deliver(services, exported(campaign_id), f"log-{campaign_id}.jsonl", MEDIA_TYPE)

    @routes.post("/timeline/export")
    def write(campaign_id: str) -> Response:
        return write_out(services, body(Destination).ticket, exported(campaign_id))

    def exported(campaign_id: str) -> Iterator[bytes]:
        with services.database.read() as connection:
            reads.head(connection, campaign_id)
        return log_lines(services.database, campaign_id)

    @routes.get("/past/<int(max=999999999999999):seq>")
    def moment(campaign_id: str, seq: int) -> Response:
        offset = services.session.surroundings(campaign_id).offset
        with services.database.read() as connection:
            head = reads.head(connection, campaign_id)
            event = reads.row(connection, campaign_id, "events", seq)
            before, after = reads.turns_around(connection, campaign_id, seq)
        found = services.looking_back.at(
            campaign_id, seq, lambda scratch: past_reads.moment(scratch, campaign_id, event.at, offset)
        )
        progress = PastProgress(**found._asdict()) if isinstance(found, OnTheWay) else None
        view, drafts = (None, []) if isinstance(found, OnTheWay) else found
        return reply(
            PastMoment(
                event=event,
                head=head,
                turn_before=before,
                turn_after=after,
                progress=progress,
                view=view,
                drafts=drafts,
            )
        )

    @routes.get("/past/<int(max=999999999999999):seq>/tasks")
    def tasks(campaign_id: str, seq: int) -> Response:
        query = asked(PastQuery)
        return listed(campaign_id, seq, lambda scratch: past_reads.tasks(scratch, query))

    @routes.get("/past/<int(max=999999999999999):seq>/leads")
    def leads(campaign_id: str, seq: int) -> Response:
        query = asked(PastQuery)
        return listed(campaign_id, seq, lambda scratch: past_reads.leads(scratch, query))

    def listed(campaign_id: str, seq: int, read: Callable[[sqlite3.Connection], Wire]) -> Response:
        with services.database.read() as connection:
            reads.head(connection, campaign_id)
            reads.row(connection, campaign_id, "events", seq)
        found = services.looking_back.at(campaign_id, seq, read)
        if isinstance(found, OnTheWay):
            raise OutriderError("past_on_its_way", seq=seq)
        return reply(found)

    @routes.get("/proof")
    def proof(campaign_id: str) -> Response:
        with services.database.read() as connection:
            reads.head(connection, campaign_id)
        return reply(services.proving.last(campaign_id))

    @routes.post("/proof")
    def prove(campaign_id: str) -> Response:
        body(Nothing)
        with services.database.read() as connection:
            reads.head(connection, campaign_id)
        return reply(services.proving.begin(campaign_id), 202)

    return routes
