"""Skills: installed from what the user chose, read as they are, and switched on by who has read them."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.reads import skills as reads
from backend.api.services import Services
from backend.api.wire.base import Nothing
from backend.api.wire.skills import ApproveSkill, InstallSkill, SkillInstalled
from backend.controller.skill_commands import SkillCommands
from backend.domain.events import WORKSPACE


def blueprint(services: Services) -> Blueprint:
    """`/api/skills…`."""
    routes = Blueprint("skills", __name__, url_prefix="/api/skills")

    def commands() -> SkillCommands:
        return services.session.commands(WORKSPACE).skills

    @routes.get("")
    def all_() -> Response:
        with services.database.read() as connection:
            return reply(reads.skill_list(connection))

    @routes.post("")
    def install() -> Response:
        path, _ = services.files.source(body(InstallSkill).ticket)
        return reply(SkillInstalled(id=commands().install(services.skill_folder(path))), 201)

    @routes.get("/<skill_id>")
    def view(skill_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.skill_view(connection, skill_id))

    @routes.post("/<skill_id>/approve")
    def approve(skill_id: str) -> Response:
        commands().approve(skill_id, shown_hash=body(ApproveSkill).source_hash)
        return Response(status=204)

    @routes.post("/<skill_id>/enable")
    def enable(skill_id: str) -> Response:
        body(Nothing)
        commands().enable(skill_id)
        return Response(status=204)

    @routes.post("/<skill_id>/disable")
    def disable(skill_id: str) -> Response:
        body(Nothing)
        commands().disable(skill_id)
        return Response(status=204)

    @routes.post("/<skill_id>/remove")
    def remove(skill_id: str) -> Response:
        body(Nothing)
        commands().remove(skill_id)
        return Response(status=204)

    @routes.post("/<skill_id>/restore")
    def restore(skill_id: str) -> Response:
        body(Nothing)
        commands().restore(skill_id)
        return Response(status=204)

    return routes
