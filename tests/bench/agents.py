"""What the supervisor of passive agents and the MCP server cost: a step, the end of a runaway step, a call of a tool."""

import json
import time
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from backend.agents.supervisor import AgentPolicy
from backend.app.wiring import Workspace, build_supervisor, start_stepper
from backend.domain.device.agent_tools import ToolAnswer
from backend.domain.device.passive_agent import AgentInputs, AnyAgent
from backend.ports.line_process import LineProcess
from tests.agents.hostile_agents import AsksForEver, LoopsForEver
from tests.bench.page import PATIENCE, App, Folder, Json, create_data_folder, running_app
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import workspace_in
from tests.cli.outrider import COMMAND, ROOT

FEW, MANY = 5, 45
"""Steps of two runs; their difference is the cost of the steps alone, without starting the process."""

LIMIT_SECONDS = 0.3
_GIVEN = AgentInputs("/", 7)
_TOOL = "list_campaigns"
_CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": _TOOL, "arguments": {}}}


def agents(
    times: Annotated[int, typer.Option(min=1, help="Runs of each kind.")] = 10,
    calls: Annotated[int, typer.Option(min=1, help="Calls over MCP.")] = 200,
    leads: Annotated[int, typer.Option(min=1, help="Leads in the database that MCP is asked about.")] = 1_000,
    folder: Folder = None,
    json_: Json = False,
) -> None:
    """A step with its audit entries, how late a step without end is ended, and a call over MCP; all from outside."""
    with workspace_in(folder) as workspace:
        steps = [(_run(workspace, MANY) - _run(workspace, FEW)) / (MANY - FEW) for _ in range(times)]
        late = [_late(workspace) for _ in range(times)]
    with create_data_folder(folder, leads, 0) as (data_dir, _):
        stdio = anyio.run(_stdio, data_dir, calls)
        with running_app(data_dir) as app:
            http = _http(app, calls)
    figures = {"step_ms": steps, "runaway_late_ms": late, "mcp_stdio_ms": stdio, "mcp_http_ms": http}
    report({name: spread(seconds) for name, seconds in figures.items()}, json_)


def _run(workspace: Workspace, steps: int) -> float:
    """Seconds of a run of so many steps, whose tool answers at once."""
    supervisor = build_supervisor(workspace, policy=AgentPolicy(steps=steps))
    instant = replace(supervisor, tools={"FileSearchTool": lambda *_: ToolAnswer((), "ok")})
    began = time.perf_counter()
    run = instant.run(AsksForEver, _GIVEN)
    took = time.perf_counter() - began
    if run.steps != steps:
        raise RuntimeError(f"{run.steps} steps: {run.error}")
    return took


class _Timed:
    """The agent's process, and when it was asked and ended."""

    def __init__(self, process: LineProcess) -> None:
        self._process = process
        self.first_line, self.finish = process.first_line, process.finish
        self.asked = self.ended = 0.0

    def ask(self, line: bytes, seconds: float) -> bytes:
        self.asked = time.perf_counter()
        return self._process.ask(line, seconds)

    def end(self) -> None:
        self._process.end()
        self.ended = time.perf_counter()


def _late(workspace: Workspace) -> float:
    """Seconds from the limit of a step without end until its process is gone."""
    begun: list[_Timed] = []

    def start(agent: AnyAgent, policy: AgentPolicy) -> LineProcess:
        begun.append(_Timed(start_stepper(agent, policy)))
        return begun[-1]

    supervisor = build_supervisor(workspace, policy=AgentPolicy(step_seconds=LIMIT_SECONDS))
    run = replace(supervisor, start=start).run(LoopsForEver, _GIVEN)
    if run.error is None or run.error.code != "agent_step_endless":
        raise RuntimeError(f"not ended as endless: {run.error}")
    return begun[0].ended - begun[0].asked - LIMIT_SECONDS


async def _stdio(data_dir: Path, calls: int) -> list[float]:
    """Seconds of each call from the SDK's own client to `outrider mcp`."""
    asked = [*COMMAND, "mcp", "--data-dir", str(data_dir)]
    server = StdioServerParameters(command=asked[0], args=asked[1:], cwd=str(ROOT))
    took = []
    async with Client(server, read_timeout_seconds=PATIENCE) as client:
        await client.call_tool(_TOOL)
        for _ in range(calls):
            began = time.perf_counter()
            answer = await client.call_tool(_TOOL)
            took.append(time.perf_counter() - began)
            if answer.is_error:
                raise RuntimeError(str(answer))
    return took


def _http(app: App, calls: int) -> list[float]:
    """Seconds of each call to the running app, each by a connection of its own."""
    address: dict[str, Any] = json.loads(app.get("connect", app.token()))["http"]
    headers = {
        address["header"]: address["token"],
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
    }
    request = urllib.request.Request(address["url"], json.dumps(_CALL).encode(), headers)
    took = []
    for _ in range(calls + 1):
        began = time.perf_counter()
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            response = json.loads(answer.read())
        took.append(time.perf_counter() - began)
        if "result" not in response or response["result"].get("isError"):
            raise RuntimeError(str(response))
    return took[1:]  # the first one loads the server
