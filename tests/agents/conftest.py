"""A supervisor on a real store, with real processes and tools that a test gives."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.agents.supervisor import AgentPolicy, AgentTool, Supervisor
from backend.app.wiring import build_supervisor, open_workspace
from backend.domain.device.agent_tools import ToolAnswer
from backend.domain.device.passive_agent import AgentInputs
from backend.machine.settings import read_settings
from backend.runtime.workspace import Workspace

QUICK = AgentPolicy(steps=6, step_seconds=2.0, run_seconds=60.0, megabytes=256)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(read_settings(data_dir=tmp_path / "data")) as opened:
        yield opened


Supervise = Callable[..., Supervisor]


@pytest.fixture
def supervise(workspace: Workspace) -> Supervise:
    def make(
        tools: Mapping[str, AgentTool] | None = None,
        policy: AgentPolicy = QUICK,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Supervisor:
        real = build_supervisor(workspace, cancelled, policy)
        return replace(real, tools={**real.tools, "FileSearchTool": finds(), **(tools or {})})

    return make


@pytest.fixture
def inputs(tmp_path: Path) -> AgentInputs:
    folder = tmp_path / "folder"
    folder.mkdir()
    return AgentInputs(str(folder), 7)


def finds(*files: str) -> AgentTool:
    return answers(files)


def answers(value: str | tuple[str, ...]) -> AgentTool:
    def tool(params: Any, cancelled: Callable[[], bool]) -> ToolAnswer:
        return ToolAnswer(value, "ok")

    return tool
