"""Works on the passive agents that are tasks of campaigns, one after the other; what was cut off begins again at the next start."""

from collections.abc import Callable

from backend.agents.passive import passive_agent
from backend.agents.supervisor import NOTHING, Supervisor, found_lines
from backend.commands.agent_tasks import AgentTaskCommands
from backend.domain.device.passive_agent import AgentInputs
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.runtime.jobs.agent_runs import LONGEST_FOUND, checked_agent
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal
from backend.store.log.transaction import Committed
from backend.store.queries.device import agent_runs
from backend.store.queries.device.agent_runs import AgentTask

LOOK_SECONDS = 30.0
"""How often it is looked whether the terminal assigned something."""
NOT_KEPT = "What it found was not kept: somebody else ended the task, or data was erased while it ran."
_TELLING = {"TaskCreated", "TaskUnblocked"}

BuildSupervisor = Callable[[Callable[[], bool]], Supervisor]
"""By what says whether the run is to stop."""


class AgentTasks:
    """One run at a time; `clock` is a campaign's own."""

    def __init__(
        self, journal: Journal, clock: Callable[[str], Clock], workers: Workers, build: BuildSupervisor
    ) -> None:
        self._journal = journal
        self._clock = clock
        self._build = build
        self._worker = workers.add("agent tasks", self._work)
        self._unsubscribe: Callable[[], None] = lambda: None

    def open(self) -> None:
        """Begin with what an earlier launch left."""
        self._unsubscribe = self._journal.subscribe(self._committed)
        self._worker.start()

    def close(self) -> None:
        """End the run that is under way; its task stays open."""
        unsubscribe, self._unsubscribe = self._unsubscribe, lambda: None
        unsubscribe()
        self._worker.stop()
        self._worker.join()

    def assign(self, campaign_id: str, name: str, inputs: AgentInputs) -> AgentTask:
        """Have it run as a task of that campaign; raises `campaign_unknown`, `campaign_not_active`, and as `checked_agent` does."""
        checked_agent(name, inputs)
        return AgentTaskCommands(self._journal, self._clock(campaign_id)).assign(campaign_id, name, inputs)

    def _committed(self, committed: Committed) -> None:
        if any(recorded.event.kind in _TELLING for recorded in committed.events):
            self._worker.wake()

    def _work(self) -> float | None:
        open_tasks = self._journal.database.query(agent_runs.open_tasks)
        for task in open_tasks:
            if self._worker.stopping.is_set():
                break
            self._worker.doing = f"running the agent {task.agent} for a task"
            commands = AgentTaskCommands(self._journal, self._clock(task.campaign_id), "controller")
            run_task(commands, self._build(self._worker.stopping.is_set), task)
        return LOOK_SECONDS


def run_task(commands: AgentTaskCommands, supervisor: Supervisor, task: AgentTask) -> str:
    """Run it to its end; "" if what it found was kept and verified, else why not. Cancelled, it stays open."""
    failed: OutriderError | None
    erasures = commands.erasures()
    try:
        run = supervisor.run(passive_agent(task.agent), AgentInputs(task.directory, task.days))
    except OutriderError as error:  # an agent of another version
        failed = error
    else:
        failed = run.error
        if failed is None:
            summary = "\n".join(found_lines(run))[:LONGEST_FOUND] or NOTHING
            return "" if commands.finish(task, summary, erasures) else NOT_KEPT
    reason = f"{failed.sentence} {failed.remedy}"
    if failed.code != "agent_cancelled":
        commands.fail(task, reason)
    return reason
