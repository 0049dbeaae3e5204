"""The user's written consent to have LinkedIn read and clicked."""

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.events.events import WORKSPACE
from backend.domain.gates.consent import CONSENT_SENTENCE, CONSENT_TEXT, Consent
from backend.domain.model.channel import DRIVE, find_channel
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.people import consents

routes = Routes("consents", "/consents/linkedin")


class ConsentView(Shape):
    """What has to be read, the sentence that has to be typed, and the consent that holds; null if there is none."""

    text: str
    sentence: str
    given: Consent | None


class GiveConsent(Shape):
    """The sentence, as it was typed."""

    typed: str = Field(max_length=500)


@routes.get()
def view(connection: DatabaseConnection) -> ConsentView:
    """The text, and whether there is consent to it."""
    consent = consents.consent(connection, find_channel(DRIVE).account)
    return ConsentView(text=CONSENT_TEXT, sentence=CONSENT_SENTENCE, given=consent)


@routes.post()
def give(services: Services, body: GiveConsent) -> ConsentView:
    """Consent. Raises `consent_not_typed`."""
    services.commands(WORKSPACE).consents.give(body.typed)
    return _now(services)


@routes.post("/withdraw")
def withdraw(services: Services) -> ConsentView:
    """Withdraw the consent."""
    services.commands(WORKSPACE).consents.withdraw()
    return _now(services)


def _now(services: Services) -> ConsentView:
    return services.database.query(view)
