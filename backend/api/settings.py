"""Settings of this machine: the data folder, the browser and its profile, and the doctor asked from the page."""

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.device.retention import RetentionPolicy
from backend.domain.events.events import WORKSPACE
from backend.domain.values.shapes import Shape
from backend.runtime.jobs.retention import Removed
from backend.runtime.machine_info import BrowserChoices, BrowserFacts, DataFacts, Diagnosis, Version
from backend.store.database import DatabaseConnection
from backend.store.queries.device import retained_files

routes = Routes("settings", "/settings")


class SettingsView(Shape):
    """This machine, as Outrider uses it."""

    data: DataFacts
    free_in_database: int
    retention: RetentionPolicy
    browser: BrowserFacts
    presence_minutes: int
    updates: str
    """Who is asked for newer versions when the user wants to know; "": nobody."""
    address: str
    versions: list[Version]


@routes.get()
def view(services: Services, connection: DatabaseConnection) -> SettingsView:
    """This machine."""
    machine = services.machine
    return SettingsView(
        data=machine.data(),
        free_in_database=retained_files.free_bytes(connection),
        retention=retained_files.policy(connection),
        browser=machine.browser(),
        presence_minutes=services.workspace.settings.presence_minutes,
        updates=releases.address if (releases := services.workspace.settings.updates) else "",
        address=services.authority(),
        versions=machine.versions(),
    )


@routes.post("/retention")
def keep_for(services: Services, body: RetentionPolicy) -> Removed:
    """Keep files for so long, and remove at once what is older."""
    services.commands(WORKSPACE).workspace.keep(retained_files.POLICY, body.model_dump())
    return services.retention.apply()


@routes.post("/replaced/remove")
def remove_replaced(services: Services) -> Removed:
    """Remove every database that a restore replaced."""
    return services.retention.remove_replaced()


@routes.post("/compact")
def compact(services: Services) -> None:
    """Write the database anew without what erasing has emptied; raises `database_full`."""
    services.database.compact()


class ChosenBrowser(Shape):
    """A browser by the whole path of its program; "" leaves the choice to Outrider."""

    program: str = Field(max_length=1_000)


class StartedBrowser(Shape):
    """The browser that was started, by what it calls itself."""

    version: str


@routes.get("/browsers")
def browsers(services: Services) -> BrowserChoices:
    """Which browser campaigns run in, and which others there are."""
    return services.machine.browsers()


@routes.post("/browser")
def choose_browser(services: Services, body: ChosenBrowser) -> BrowserChoices:
    """Use this browser on this device from its next start; raises `browser_unusable`."""
    return services.machine.choose_browser(body.program.strip())


@routes.post("/browser/try")
def try_browser(services: Services) -> StartedBrowser:
    """Start the browser in use out of sight, as a campaign would; raises `browser_*`."""
    return StartedBrowser(version=services.machine.try_browser())


@routes.post("/profile/clear")
def clear_profile(services: Services) -> None:
    """Remove the browser's profile; raises `profile_in_use`, `profile_kept`."""
    with services.run_service.without_browser():
        services.machine.clear_profile()


diagnostics = Routes("diagnostics", "/diagnostics")


@diagnostics.post()
def run(services: Services) -> Diagnosis:
    """Examine this machine; it starts a browser, so it takes a while."""
    return services.machine.examine()
