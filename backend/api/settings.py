"""Settings: a campaign's limits, this machine, the browser's profile, and whom nobody may contact."""

from flask import Blueprint, Response, request

from backend.api.exchange import body, reply
from backend.api.reads import settings as reads
from backend.api.services import Services
from backend.api.wire.base import Done, Nothing
from backend.api.wire.settings import Allow, EditCampaign, EditedCampaign, Forbid, SettingsView
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE


def blueprint(services: Services) -> Blueprint:
    """`/api/settings…`, `/api/campaigns/<id>/settings`, `/api/do-not-contact…`."""
    routes = Blueprint("settings", __name__, url_prefix="/api")

    @routes.get("/settings")
    def settings() -> Response:
        machine = services.machine
        with services.database.read() as connection:
            sites = reads.sites(connection)
        return reply(
            SettingsView(
                data=machine.data(),
                browser=machine.browser(),
                presence_minutes=services.session.presence_minutes,
                address=services.authority(),
                sites=sites,
                versions=machine.versions(),
            )
        )

    @routes.post("/settings/profile/clear")
    def clear_profile() -> Response:
        body(Nothing)
        services.session.clear_profile()
        return Response(status=204)

    @routes.get("/campaigns/<campaign_id>/settings")
    def campaign_settings(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.campaign_settings(connection, campaign_id))

    @routes.post("/campaigns/<campaign_id>/settings")
    def edit(campaign_id: str) -> Response:
        wanted = body(EditCampaign)
        edited = services.session.commands(campaign_id).campaigns.edit(
            campaign_id,
            version=wanted.version,
            name=wanted.name.strip(),
            goal=wanted.goal.strip(),
            limits=wanted.limits,
        )
        return reply(EditedCampaign(version=edited.version, again=edited.again))

    @routes.get("/do-not-contact")
    def forbidden() -> Response:
        with services.database.read() as connection:
            return reply(reads.forbidden(connection, request.args.get("after", "")))

    @routes.post("/do-not-contact")
    def forbid() -> Response:
        wanted = body(Forbid)
        key = services.member_key(wanted.person)
        if key is None:
            raise OutriderError("person_unclear", given=wanted.person.strip()[:80])
        services.session.commands(WORKSPACE).workspace.forbid(key, wanted.name.strip(), wanted.reason.strip())
        return reply(Done(campaign_id=WORKSPACE), 201)

    @routes.post("/do-not-contact/remove")
    def allow() -> Response:
        services.session.commands(WORKSPACE).workspace.allow(body(Allow).id)
        return reply(Done(campaign_id=WORKSPACE))

    return routes
