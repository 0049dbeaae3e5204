"""The inbox of all campaigns, by person, and the texts that the user keeps for answers."""

from typing import Annotated

from pydantic import Field, ValidationError

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Page
from backend.api.threads import ThreadLine, ThreadsQuery, line_page
from backend.domain.events.events import WORKSPACE
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.device import configuration
from backend.store.queries.reports import today

MOST_CAMPAIGNS = 200
MOST_SAVED = 9
"""As many as there are keys from 1 to 9."""
NAME = "saved_replies"

routes = Routes("inbox", "/inbox")


class SavedReply(Shape):
    """A text of the user's own, and what they call it."""

    name: Annotated[str, Field(min_length=1, max_length=60)]
    words: Annotated[str, Field(min_length=1, max_length=4_000)]


class SavedReplies(Shape):
    """In their order: the first is inserted by the key 1."""

    replies: Annotated[list[SavedReply], Field(max_length=MOST_SAVED)]


@routes.get()
def list_(services: Services, connection: DatabaseConnection, query: ThreadsQuery) -> Page[ThreadLine]:
    """A page of the newest campaigns' conversations, in the order of a campaign's; raises `bad_request` for a wrong cursor."""
    ids = today.newest_campaigns(connection, MOST_CAMPAIGNS)
    campaigns = [(existing_campaign(connection, campaign_id), services.turn_inputs(campaign_id)) for campaign_id in ids]
    return line_page(connection, campaigns, query)


@routes.get("/saved-replies")
def saved_replies(connection: DatabaseConnection) -> SavedReplies:
    """The texts that the user keeps; none where there are none, or such as only a later version understands."""
    stored = configuration.configuration(connection, NAME)
    try:
        return SavedReplies.model_validate_json(stored) if stored else SavedReplies(replies=[])
    except ValidationError:
        return SavedReplies(replies=[])


@routes.post("/saved-replies")
def save_replies(services: Services, body: SavedReplies) -> SavedReplies:
    """Keep exactly these."""
    services.commands(WORKSPACE).workspace.keep(NAME, body.model_dump())
    return body
