"""A person in every campaign: what is stored of them (shown, given to them, erased), and which campaign may write to them."""

from pydantic import Field

from backend.api.exports import Export
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Done
from backend.commands.people import PersonErased
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.runtime.copies.personal_data import personal_data, personal_data_file
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import leads
from backend.store.queries.people import do_not_contact

routes = Routes("people", "/campaigns/<campaign_id>/people")


class PersonalData(Shape):
    """How much is stored about a person, in how many campaigns, and the files and times (ms UTC) that it came from."""

    campaigns: list[str]
    messages: int
    entries: int
    pictures: int
    came_from: list[str]
    do_not_contact: bool


class ContactAnyway(Shape):
    """Why somebody who is with another campaign may be contacted by this one, too."""

    reason: str = Field(max_length=2_000)


@routes.get("/<lead_id>")
def view(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> PersonalData:
    """What is stored about that lead's person; raises `lead_unknown`."""
    _known(connection, campaign_id, lead_id)
    record = personal_data(connection, lead_id)
    return PersonalData(
        campaigns=[campaign["campaign"] for campaign in record["campaigns"]],
        messages=sum(len(campaign["messages"]) for campaign in record["campaigns"]),
        entries=sum(len(campaign["events"]) for campaign in record["campaigns"]),
        pictures=sum(len(campaign["pictures"]) for campaign in record["campaigns"]),
        came_from=sorted({origin["file"] for campaign in record["campaigns"] for origin in campaign["came_from"]}),
        do_not_contact=do_not_contact.is_do_not_contact(connection, lead_id),
    )


@routes.export("/<lead_id>/export")
def export(services: Services, campaign_id: str, lead_id: str) -> Export:
    """All of it as one JSON file; raises `lead_unknown`."""
    with services.database.read() as connection:
        _known(connection, campaign_id, lead_id)
        content = personal_data_file(connection, lead_id)
    return Export([content], f"person-{lead_id}.json", "application/json")


@routes.post("/<lead_id>/erase")
def erase(services: Services, campaign_id: str, lead_id: str) -> PersonErased:
    """Erase it for good, in every campaign; raises `lead_unknown`, `person_under_way`."""
    erased = services.session.commands(campaign_id).people.erase(campaign_id, lead_id)
    services.remove_erased_files()
    return erased


@routes.post("/<lead_id>/contact-anyway")
def contact_anyway(services: Services, campaign_id: str, lead_id: str, body: ContactAnyway) -> Done:
    """Let this campaign write to somebody who is with another one, or was in touch before.

    Raises `lead_unknown`, `contact_reason_missing`, `person_not_elsewhere`.
    """
    services.session.commands(campaign_id).people.contact_anyway(campaign_id, lead_id, body.reason)
    return Done(campaign_id=campaign_id)


@routes.post("/<lead_id>/leave")
def leave(services: Services, campaign_id: str, lead_id: str) -> Done:
    """Leave them to the other campaign after all; raises `lead_unknown`, `person_under_way`."""
    services.session.commands(campaign_id).people.leave(campaign_id, lead_id)
    return Done(campaign_id=campaign_id)


@routes.post("/<lead_id>/move-here")
def move_here(services: Services, campaign_id: str, lead_id: str) -> Done:
    """Take them over from the campaign that they are with; raises `lead_unknown`, `person_not_elsewhere`, `person_under_way`."""
    services.session.commands(campaign_id).people.move_here(campaign_id, lead_id)
    return Done(campaign_id=campaign_id)


def _known(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> None:
    if leads.lead(connection, campaign_id, lead_id) is None:
        raise OutriderError("lead_unknown", lead=lead_id)
