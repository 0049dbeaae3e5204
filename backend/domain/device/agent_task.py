"""A passive agent's run as a task of a campaign: begun by the user, done when what it found is kept as an artifact."""

from typing import NamedTuple

from backend.domain.device.passive_agent import AgentInputs
from backend.domain.events.events import Event
from backend.domain.events.facts.task import TaskCreated
from backend.domain.model.task import NEVER, ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.commitments import ArtifactExists
from backend.domain.turn.new_tasks import commitment
from backend.domain.turn.task_progress import NewId

SOURCE = "supervisor"
ARTIFACT_TYPE = "file_summary"


def report_key(agent: str, task_id: str) -> str:
    """The key of this run's artifact: its own, so that no older artifact passes for it."""
    return f"{agent}-{task_id[-6:].lower()}"


class AgentHome(NamedTuple):
    """Where the files are that an agent reads: the device, and the machine that it is on; "" where no project is attached."""

    device: str
    machine: str


def agent_task_events(
    task_id: str, agent: str, inputs: AgentInputs, home: AgentHome, now: int, new_id: NewId
) -> list[Event]:
    """The task, and the promise that makes it done. No proposer is asked about it: the agent's supervisor does it, at `home`."""
    promise = ArtifactExists(
        type="artifact_exists", artifact_type=ARTIFACT_TYPE, artifact_key=report_key(agent, task_id)
    )
    recorded_inputs = {"directory": inputs.directory, "days": inputs.days}
    return [
        TaskCreated(
            task_id,
            kind=TaskKind.CUSTOM,
            description=f"Run the agent {agent} ({task_id[-6:].lower()})",
            status=TaskStatus.IN_PROGRESS,
            needs=ActionFamily.INPUT,
            ready_at=NEVER,
            source=SOURCE,
            metadata={"agent": agent, "inputs": recorded_inputs, **home._asdict()},
            created_at=now,
        ),
        commitment(new_id(), task_id, promise.model_dump(), "user"),
    ]
