"""Passive agents (spec 003): which there are, running one, what it found, and keeping that."""

from typing import Annotated

from pydantic import Field

from backend.agents.passive import passive_agents
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Ticket
from backend.domain.device.passive_agent import AgentInputs
from backend.domain.values.shapes import Id, Shape
from backend.store.queries.device.agent_runs import AgentRunRow

LISTED = 20

routes = Routes("agents", "/agents")


class AgentLine(Shape):
    """An agent: what it does in a sentence, the inputs that it needs, and its states."""

    name: str
    does: str
    inputs: list[str]
    states: list[str]


class AgentsView(Shape):
    """The agents, and the latest runs, the newest first; one without an end is under way."""

    agents: list[AgentLine]
    runs: list[AgentRunRow]


class RunAgent(Shape):
    """The folder by the ticket of the window's dialog, or by its path as the user typed it."""

    agent: Annotated[str, Field(min_length=1, max_length=64)]
    ticket: Ticket | None = None
    directory: Annotated[str, Field(max_length=4_096)] = ""
    days: int = Field(default=0, ge=0, le=1_000_000)


class AssignAgent(RunAgent):
    """The same as a task of a campaign."""

    campaign_id: Id


class AgentAssigned(Shape):
    """The task."""

    task_id: str


class KeepFound(Shape):
    """In which campaign."""

    campaign_id: Id


@routes.get()
def view(services: Services) -> AgentsView:
    """What there is to run, and what was run."""
    agents = [
        AgentLine(
            name=agent.name, does=agent.does, inputs=list(agent.inputs), states=[str(state) for state in agent.states]
        )
        for agent in passive_agents().values()
    ]
    return AgentsView(agents=agents, runs=services.agent_runs.listed(LISTED))


@routes.post("/runs", status=202)
def run(services: Services, body: RunAgent) -> AgentRunRow:
    """Run one in the background; raises `agent_…` for what cannot be run."""
    return services.agent_runs.start(body.agent, _inputs(services, body))


@routes.post("/tasks", status=201)
def assign(services: Services, body: AssignAgent) -> AgentAssigned:
    """Have one run as a task of a campaign, done when what it found is kept; raises `agent_…` for what cannot be run."""
    return AgentAssigned(task_id=services.agent_tasks.assign(body.campaign_id, body.agent, _inputs(services, body)).id)


def _inputs(services: Services, body: RunAgent) -> AgentInputs:
    directory = str(services.files.source(body.ticket).path) if body.ticket is not None else body.directory.strip()
    return AgentInputs(directory, body.days)


@routes.post("/cancel")
def cancel(services: Services) -> None:
    """End the run that is under way."""
    services.agent_runs.cancel()


@routes.post("/runs/<int:number>/keep")
def keep(services: Services, number: int, body: KeepFound) -> None:
    """Keep what it found with a campaign, as an artifact."""
    services.agent_runs.keep(number, body.campaign_id, services.commands(body.campaign_id))
