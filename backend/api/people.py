"""What is stored about a person, in every campaign: shown, given to them as one file, erased."""

from backend.api.endpoint import Noun
from backend.api.exports import Export
from backend.api.services import Services
from backend.commands.people import PersonErased
from backend.domain.errors import OutriderError
from backend.domain.shapes import Wire
from backend.runtime.personal_data import personal_data, personal_data_file
from backend.store.database import DatabaseConnection
from backend.store.queries import do_not_contact, leads

routes = Noun("people", "/campaigns/<campaign_id>/people")


class PersonalData(Wire):
    """How much is stored about a person, in how many campaigns, and the files and times (ms UTC) that it came from."""

    campaigns: list[str]
    messages: int
    entries: int
    pictures: int
    came_from: list[str]
    do_not_contact: bool


@routes.get("/<lead_id>")
def view(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> PersonalData:
    """What is stored about that lead's person; raises `lead_unknown`."""
    _known(connection, campaign_id, lead_id)
    told = personal_data(connection, lead_id)
    return PersonalData(
        campaigns=[one["campaign"] for one in told["campaigns"]],
        messages=sum(len(one["messages"]) for one in told["campaigns"]),
        entries=sum(len(one["events"]) for one in told["campaigns"]),
        pictures=sum(len(one["pictures"]) for one in told["campaigns"]),
        came_from=sorted({origin["file"] for one in told["campaigns"] for origin in one["came_from"]}),
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


def _known(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> None:
    if leads.lead(connection, campaign_id, lead_id) is None:
        raise OutriderError("lead_unknown", lead=lead_id)
