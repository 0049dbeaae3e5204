"""Log entries that are missing: shown, and gone on without by the user's word."""

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.events.events import WORKSPACE
from backend.runtime.copies.record_loss import RecordLossState

routes = Routes("record_loss", "/record-loss")


@routes.get()
def view(services: Services) -> RecordLossState:
    """What is missing."""
    return services.record_loss.state()


@routes.post("/accept")
def accept(services: Services) -> RecordLossState:
    """Go on without what is missing."""
    services.record_loss.accept(services.clock(WORKSPACE).now())
    return services.record_loss.state()
