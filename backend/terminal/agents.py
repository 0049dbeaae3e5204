"""Passive agents in the terminal: which there are, and a run of one."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.adapters import processes
from backend.agents.passive import passive_agent, passive_agents
from backend.agents.supervisor import NOTHING, AgentRun, found_lines
from backend.app.wiring import build_supervisor, open_workspace
from backend.commands.agent_tasks import AgentTaskCommands
from backend.domain.device.agent_task import ARTIFACT_TYPE, report_key
from backend.domain.device.passive_agent import AgentInputs
from backend.domain.model.artifact import text_content
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.jobs.agent_runs import checked_agent
from backend.runtime.jobs.agent_tasks import run_task
from backend.runtime.run.rehearsal import clock_of
from backend.runtime.workspace import Workspace
from backend.terminal.campaign_status import find_campaign
from backend.terminal.output import TerminalOutput, columns


def list_agents(output: TerminalOutput) -> None:
    """Each with the inputs that it needs."""
    agents = passive_agents().values()
    rows = [(agent.name, " ".join(f"--{name}" for name in agent.inputs), agent.does) for agent in agents]
    json_agents = [{"name": agent.name, "does": agent.does, "inputs": agent.inputs} for agent in agents]
    output.result(columns(rows), {"agents": json_agents})


def run_agent(
    output: TerminalOutput,
    settings: AppSettings,
    name: str,
    directory: str | None,
    days: int | None,
    save_to: str | None = None,
) -> int:
    """The exit status: 0 only if it completed; then `save_to` names the campaign that keeps what it found.

    Raises `agent_unknown`, `agent_input_missing`, and before anything is run `campaign_unknown`.
    """
    agent, inputs = passive_agent(name), AgentInputs(directory or "", days or 0)
    for needed in agent.inputs:
        if not getattr(inputs, needed):
            raise OutriderError("agent_input_missing", agent=name, input=needed)
    with _stopped_by_signals() as stop, open_workspace(settings) as workspace:
        campaign_id = _campaign(workspace, save_to) if save_to is not None else None
        run = build_supervisor(workspace, stop.is_set).run(agent, inputs)
        if campaign_id is not None and run.error is None:
            summary = text_content("file_summary", agent.name, "\n".join(found_lines(run)) or NOTHING)
            commands = workspace.commands(clock_of(workspace, campaign_id))
            version = commands.artifacts.keep(campaign_id, summary.artifact_type, summary.key, summary, follows=None)
            output.note(f"Kept with the campaign as {summary.artifact_type} “{summary.key}”, version {version}.")
    if run.error is not None:
        output.error(run.error, _for_a_machine(run))
        return 1
    output.result(found_lines(run), _for_a_machine(run))
    return 0


def run_agent_as_task(
    output: TerminalOutput, settings: AppSettings, name: str, directory: str | None, days: int | None, campaign: str
) -> int:
    """As a task of that campaign; 0 once it is verified. Raises what `checked_agent` does, and `campaign_unknown`."""
    inputs = AgentInputs(str(Path(directory).absolute()) if directory else "", days or 0)
    checked_agent(name, inputs)
    with _stopped_by_signals() as stop, open_workspace(settings) as workspace:
        campaign_id = _campaign(workspace, campaign)
        commands = AgentTaskCommands(workspace.journal, clock_of(workspace, campaign_id))
        task = commands.assign(campaign_id, name, inputs)
        reason = run_task(commands, build_supervisor(workspace, stop.is_set), task)
    key = report_key(task.agent, task.id)
    json_result = {"task": task.id, "done": not reason, "artifact": "" if reason else key, "reason": reason}
    line = reason or f"Task {task.id} is done; what it found is kept as {ARTIFACT_TYPE} “{key}”."
    output.result([line], json_result)
    return 1 if reason else 0


def _campaign(workspace: Workspace, id_or_name: str) -> str:
    return workspace.database.query(find_campaign, id_or_name).id


@contextmanager
def _stopped_by_signals() -> Iterator[threading.Event]:
    """Set by Ctrl-C and its like; what the run has recorded by then is complete."""
    stop = threading.Event()
    earlier_handlers = {number: signal.signal(number, lambda *_: stop.set()) for number in processes.stop_signals()}
    try:
        yield stop
    finally:
        for number, handler in earlier_handlers.items():
            signal.signal(number, handler)


def _for_a_machine(run: AgentRun) -> dict[str, object]:
    """What the agent found stands beside how it ended."""
    findings = {name: value for name, value in run.context.items() if name != "failure"}
    reason = "" if run.error is None else f"{run.error.code}: {run.error.sentence}"
    return {
        "state": run.state,
        "states": run.states,
        **findings,
        "reason": reason,
        "tool_calls": [call._asdict() for call in run.calls],
    }
