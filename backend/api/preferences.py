"""How Outrider looks; kept in the workspace, and told to the page before its first paint (page_files.py)."""

from pydantic import ValidationError

from backend.api.server.endpoint import Routes
from backend.api.server.page_files import Preferences
from backend.api.server.services import Services
from backend.domain.events.events import WORKSPACE
from backend.store.database import DatabaseConnection
from backend.store.queries.device import configuration

routes = Routes("preferences", "/preferences")

NAME = "appearance"


@routes.get()
def view(connection: DatabaseConnection) -> Preferences:
    """The user's choice; the defaults where there is none, or one that only a later version understands."""
    return preferences(connection)


@routes.post()
def save(services: Services, body: Preferences) -> Preferences:
    """Keep the user's choice."""
    services.commands(WORKSPACE).workspace.keep(NAME, body.model_dump())
    return body


def preferences(connection: DatabaseConnection) -> Preferences:
    """The user's choice; the defaults where there is none, or one that only a later version understands."""
    stored = configuration.configuration(connection, NAME)
    try:
        return Preferences.model_validate_json(stored) if stored else Preferences()
    except ValidationError:
        return Preferences()
