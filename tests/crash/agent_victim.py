"""A process that works on every agent task, and kills itself at the n-th step of one.

`main` of a forked process (`tests/forked.py`); without a number it says what it ended with.
"""

import os
from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.agents.supervisor import AgentRun
from backend.app.wiring import build_supervisor, instance_lock, open_workspace
from backend.commands.agent_tasks import AgentTaskCommands
from backend.machine.settings import AppSettings
from backend.runtime.jobs.agent_tasks import run_task
from backend.store.queries.device.agent_runs import open_tasks
from tests.kills import KILL


def main(data_dir: str, at: str = "0") -> None:
    settings, steps = AppSettings(Path(data_dir), "", 10), 0

    def stepped(_: AgentRun) -> None:
        nonlocal steps
        steps += 1
        if steps == int(at):
            os.kill(os.getpid(), KILL)

    with instance_lock(settings), open_workspace(settings) as workspace:
        tasks = workspace.database.query(open_tasks)
        for task in tasks:
            commands = AgentTaskCommands(workspace.journal, SystemClock(), "controller")
            print(run_task(commands, build_supervisor(workspace, on_step=stepped), task) or "done", flush=True)
