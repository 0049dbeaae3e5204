"""Diagnostics: the doctor, asked from the page."""

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.runtime.machine_info import Diagnosis

routes = Routes("diagnostics", "/diagnostics")


@routes.post()
def run(services: Services) -> Diagnosis:
    """Examine this machine; it starts a browser, so it takes a while."""
    return services.machine.examine()
