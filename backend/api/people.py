"""People in every campaign: found by words; what is stored of one (shown, exported, erased); which campaign may write to them."""

from typing import Annotated

from pydantic import StringConstraints

from backend.api.exports import Export
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.commands.people import PersonErased
from backend.domain.gates.gates import contact_refusal
from backend.domain.gates.person import with_campaign
from backend.domain.people.identity import DOUBT_SENTENCES
from backend.domain.values.shapes import Shape
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_index, leads
from backend.store.queries.leads.lead_index import FoundPerson
from backend.store.queries.people import people as person_queries
from backend.store.queries.people.person_entries import personal_data, personal_data_file

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
    return FoundPeople(people=lead_index.find_anywhere(connection, query.words, query.near))


class PersonNote(Shape):
    """What is to be known of a person before this campaign writes to them; a text is empty where there is nothing.

    `elsewhere` says which campaign they are with, since when, and how far it came, `here` if it is this very one, by another lead;
    `before`: they are with none, but the user was in touch with them earlier, by a file or through a campaign that is gone.
    `anyway` is the user's reason to write all the same. `doubt` says why they may be the same person as another lead. `held`:
    nothing goes out because of it.
    """

    elsewhere: str = ""
    anyway: str = ""
    doubt: str = ""
    here: bool = False
    before: bool = False
    held: bool = False


def person_note(connection: DatabaseConnection, lead_id: str, inputs: TurnInputs) -> PersonNote:
    """The note on that lead's person; most have none."""
    person, doubt = person_queries.several(connection, lead_id), person_queries.doubt_about(connection, lead_id)
    sentence = "" if doubt is None else DOUBT_SENTENCES[doubt]
    if person is None:
        return PersonNote(doubt=sentence, held=bool(doubt))
    refusal, holder = contact_refusal(person, inputs.now, inputs.offset_at), person.elsewhere(inputs.now)
    elsewhere = refusal.sentence if refusal is not None else ""
    if holder is not None:
        elsewhere = with_campaign(holder, person.lead, inputs.offset_at)
    return PersonNote(
        elsewhere=elsewhere,
        anyway=person.lead.contact_anyway,
        doubt=sentence,
        here=holder is not None and holder.campaign_id == person.lead.campaign_id,
        before=refusal is not None and holder is None,
        held=refusal is not None or doubt is not None,
    )
