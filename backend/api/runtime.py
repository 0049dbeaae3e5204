"""The runtime of a campaign's turns (spec 002): its snapshot, its projection, wake requests, and a fault's reset."""

from typing import Annotated

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.commands.runtime import LONGEST_INPUT
from backend.domain.device.configuration import PROTECTED
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.device import runtime_snapshot
from backend.store.queries.device.runtime_snapshot import ProjectionStatus, RuntimeSnapshot
from backend.store.queries.turn import wake_requests
from backend.store.queries.turn.wake_requests import WakeRequest

RECENT = 10

routes = Routes("runtime", "/campaigns/<campaign_id>/runtime")


class ProtectedKey(Shape):
    """A key of the configuration that only a command of its own changes, and where that is."""

    key: str
    changed_in: str


class RuntimeView(Shape):
    """The turn machine as stored, how far its projection is, and the latest wake requests; times in ms UTC."""

    snapshot: RuntimeSnapshot
    projection: ProjectionStatus
    wakes: list[WakeRequest]
    protected: list[ProtectedKey]


class WakeCampaign(Shape):
    """With words for the assistant, if there are any."""

    input: Annotated[str, Field(max_length=LONGEST_INPUT)] = ""


class Timer(WakeCampaign):
    """When (ms UTC)."""

    due_at: int = Field(ge=0, le=2**53)


class TimerArmed(Shape):
    """Its id."""

    id: int


@routes.get()
def view(connection: DatabaseConnection, campaign_id: str) -> RuntimeView:
    """Where the turns of this campaign stand; raises `campaign_unknown`."""
    snapshot = runtime_snapshot.runtime_snapshot(connection, campaign_id)
    return RuntimeView(
        snapshot=snapshot,
        projection=runtime_snapshot.projection_status(connection, campaign_id),
        wakes=wake_requests.recent(connection, campaign_id, RECENT),
        protected=[ProtectedKey(key=key, changed_in=where) for key, where in PROTECTED],
    )


@routes.post("/wake")
def wake(services: Services, campaign_id: str, body: WakeCampaign) -> None:
    """One turn now, or the words of the input to the assistant."""
    services.presence.resume()
    services.wake_timers.wake_now(campaign_id, body.input)


@routes.post("/timers", status=201)
def arm(services: Services, campaign_id: str, body: Timer) -> TimerArmed:
    """Start the campaign at that time, or give the assistant the words; it waits until the user is here."""
    commands = services.workspace.commands().runtime
    wake_id = commands.ask_to_wake(campaign_id, body.due_at, body.input, "timer")
    services.wake_timers.look()
    return TimerArmed(id=wake_id)


@routes.delete("/timers/<int:number>")
def cancel(services: Services, campaign_id: str, number: int) -> None:
    """Cancel an armed timer; raises `wake_unknown`."""
    services.workspace.commands().runtime.settle_wake(campaign_id, number, "cancelled")


routes.command("/reset", "runtime.reset_fault")
