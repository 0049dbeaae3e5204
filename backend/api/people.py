"""People in every campaign: found by words; what is stored of one (shown, exported, erased); which campaign may write to them."""

from typing import Annotated

from pydantic import StringConstraints

from backend.api.exports import Export
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.commands.people import PersonErased
from backend.domain.values.shapes import Shape
from backend.runtime.copies.personal_data import personal_data, personal_data_file
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_search, leads
from backend.store.queries.leads.lead_search import FoundPerson

routes = Routes("people", "/campaigns/<campaign_id>/people")


class PersonalData(Shape):
    """How much is stored about a person, in how many campaigns, and the files and times (ms UTC) that it came from."""

    campaigns: list[str]
    messages: int
    entries: int
    pictures: int
    came_from: list[str]


@routes.get("/<lead_id>")
def view(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> PersonalData:
    """What is stored about that lead's person; raises `lead_unknown`."""
    leads.existing_lead(connection, campaign_id, lead_id)
    record = personal_data(connection, lead_id)
    return PersonalData(
        campaigns=[campaign["campaign"] for campaign in record["campaigns"]],
        messages=sum(len(campaign["messages"]) for campaign in record["campaigns"]),
        entries=sum(len(campaign["events"]) for campaign in record["campaigns"]),
        pictures=sum(len(campaign["pictures"]) for campaign in record["campaigns"]),
        came_from=sorted({origin["file"] for campaign in record["campaigns"] for origin in campaign["came_from"]}),
    )


@routes.export("/<lead_id>/export")
def export(services: Services, campaign_id: str, lead_id: str) -> Export:
    """All of it as one JSON file; raises `lead_unknown`."""
    with services.database.read() as connection:
        leads.existing_lead(connection, campaign_id, lead_id)
        content = personal_data_file(connection, lead_id)
    return Export([content], f"person-{lead_id}.json", "application/json")


@routes.post("/<lead_id>/erase")
def erase(services: Services, campaign_id: str, lead_id: str) -> PersonErased:
    """Erase it for good, in every campaign; raises `lead_unknown`, `person_under_way`."""
    erased = services.commands(campaign_id).people.erase(campaign_id, lead_id)
    services.remove_erased_files()
    return erased


routes.command("/<lead_id>/contact-anyway", "people.contact_anyway")
routes.command("/<lead_id>/leave", "people.leave")
routes.command("/<lead_id>/move-here", "people.move_here")


find = Routes("find", "/find")


class FindQuery(Shape):
    """The words to look for; `near` is the campaign whose people come first."""

    words: Annotated[str, StringConstraints(max_length=200)]
    near: str = ""


class FoundPeople(Shape):
    """The likeliest first; there may be more."""

    people: list[FoundPerson]


@find.get("/people")
def people(connection: DatabaseConnection, query: FindQuery) -> FoundPeople:
    """People whose name, company, addresses, notes or tags have these words, in every campaign."""
    return FoundPeople(people=lead_search.find_anywhere(connection, query.words, query.near))
