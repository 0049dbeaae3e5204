"""Skills: installed from what the user chose, read as they are, and switched on by who has read them."""

import json

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Ticket
from backend.domain.events.events import WORKSPACE
from backend.domain.turn.skill import suspicious_passages
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.turn import skills as skill_queries
from backend.store.queries.turn.skills import SkillLine

routes = Routes("skills", "/skills")


class SkillList(Shape):
    """All that are installed, by name."""

    rows: list[SkillLine]


class Passage(Shape):
    """A passage that whoever reviews should look at twice, and why; its line from 1."""

    line: int
    quote: str
    why: str


class SkillView(Shape):
    """A skill with SKILL.md as it is kept. `others` are files of its folder that are never used."""

    skill: SkillLine
    document: str
    source_hash: str
    others: list[str]
    passages: list[Passage]


class InstallSkill(Shape):
    """Install what lies behind this ticket: a folder, a zip, or a SKILL.md."""

    ticket: Ticket


class SkillAdded(Shape):
    """The skill that was installed or updated; it waits for a review."""

    id: str


@routes.get()
def list_(connection: DatabaseConnection) -> SkillList:
    """Every skill that was not removed, by name; no text is read."""
    return SkillList(rows=skill_queries.listed_skills(connection))


@routes.post(status=201)
def install(services: Services, body: InstallSkill) -> SkillAdded:
    """Install or update a skill; raises `skill_source_…`."""
    path, _ = services.files.source(body.ticket)
    return SkillAdded(id=services.commands(WORKSPACE).skills.install(services.skill_folder(path)))


@routes.get("/<skill_id>")
def view(connection: DatabaseConnection, skill_id: str) -> SkillView:
    """One skill with its exact text; raises `skill_unknown`."""
    skill_document = skill_queries.skill_document(connection, skill_id)
    if skill_document is None:
        raise OutriderError("skill_unknown")
    document = skill_document.document
    return SkillView(
        skill=skill_document.skill,
        document=document,
        source_hash=skill_document.source_hash,
        others=json.loads(skill_document.metadata).get("others", []),
        passages=[
            Passage(
                line=document.count("\n", 0, passage.start) + 1,
                quote=document[passage.start : passage.end].strip(),
                why=passage.description,
            )
            for passage in suspicious_passages(document)
        ],
    )


routes.command("/<skill_id>/approve", "skills.approve")
routes.command("/<skill_id>/enable", "skills.enable")
routes.command("/<skill_id>/disable", "skills.disable")
routes.command("/<skill_id>/remove", "skills.remove")
routes.command("/<skill_id>/restore", "skills.restore")
