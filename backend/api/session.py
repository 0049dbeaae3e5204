"""This launch: pairing, presence, what runs, and a second start."""

from pydantic import Field

from backend.api.server.auth import PAIR, PAIR_AGAIN, SHOW_WINDOW
from backend.api.server.endpoint import Routes
from backend.api.server.page_files import build_of
from backend.api.server.services import Services
from backend.api.server.window_activation import ShowWindowRequest, WindowShown
from backend.domain.values.shapes import Id, Shape
from backend.runtime.feed.feed_messages import RunState

routes = Routes("session")


class PairRequest(Shape):
    """The code from the terminal, once, for this launch's token."""

    code: str = Field(max_length=32)


class ComeBack(Shape):
    """The ticket of a page that was loaded again, once, for this launch's token."""

    ticket: str = Field(max_length=64)


class Paired(Shape):
    """The token, which stays in the page's memory, and the ticket by which the page comes back after it was loaded again."""

    token: str
    ticket: str


class Heartbeat(Shape):
    """A page of this launch, in Outrider's window or a browser: whether it is visible, and how long ago (ms) it was used."""

    page: Id
    in_window: bool = False
    visible: bool
    idle_ms: int = Field(ge=0, le=86_400_000)


class SessionView(Shape):
    """This launch of Outrider; a page of another `build` is stale."""

    hidden_browser: bool
    build: str
    runs: list[RunState]


@routes.get("/session")
def view(services: Services) -> SessionView:
    """This launch, and what runs."""
    return SessionView(
        hidden_browser=services.run_service.hidden_browser,
        build=build_of(services.page),
        runs=services.run_service.run_states(),
    )


@routes.post(PAIR.removeprefix("/api"))
def pair(services: Services, body: PairRequest) -> Paired:
    """Spend the code; raises `pairing_expired` and `pairing_refused`."""
    services.pairing.redeem(body.code)
    return Paired(token=services.token.value, ticket=services.pairing.ticket())


@routes.post(PAIR_AGAIN.removeprefix("/api"))
def pair_again(services: Services, body: ComeBack) -> Paired:
    """Spend the ticket; raises `pairing_refused`."""
    services.pairing.come_back(body.ticket)
    return Paired(token=services.token.value, ticket=services.pairing.ticket())


@routes.post(SHOW_WINDOW.removeprefix("/api"))
def show_window(services: Services, body: ShowWindowRequest) -> WindowShown:
    """Show the window, or say by which code a page is opened; raises `show_window_refused`."""
    return services.window_activation.activate(services.authority(), body, services.pairing.new_code)


@routes.post("/presence")
def presence(services: Services, body: Heartbeat) -> None:
    """A page says whether it is seen and used."""
    if body.visible:
        services.presence.report_active(body.page, body.idle_ms, in_window=body.in_window)
        services.visits.note(body.idle_ms)
        services.wake_timers.look()
    else:
        services.presence.hidden(body.page)


@routes.post("/presence/return")
def returned(services: Services) -> None:
    """The user is back and wants to go on."""
    services.presence.resume()
