"""Settings of this machine: the data folder, the browser and its profile, the sites in use."""

from backend.api.endpoint import Noun
from backend.api.services import Services
from backend.domain.shapes import Wire
from backend.runtime.machine_info import BrowserFacts, DataFacts, Version
from backend.store.database import DatabaseConnection
from backend.store.queries import campaign_overview
from backend.store.queries.campaign_overview import SiteUsage

routes = Noun("settings", "/settings")


class SettingsView(Wire):
    """This machine, as Outrider uses it."""

    data: DataFacts
    browser: BrowserFacts
    presence_minutes: int
    address: str
    sites: list[SiteUsage]
    versions: list[Version]


@routes.get()
def view(services: Services, connection: DatabaseConnection) -> SettingsView:
    """This machine."""
    machine = services.machine
    return SettingsView(
        data=machine.data(),
        browser=machine.browser(),
        presence_minutes=services.session.presence_minutes,
        address=services.authority(),
        sites=campaign_overview.sites(connection),
        versions=machine.versions(),
    )


@routes.post("/profile/clear")
def clear_profile(services: Services) -> None:
    """Remove the browser's profile; raises `profile_in_use`, `profile_kept`."""
    services.session.clear_profile()
