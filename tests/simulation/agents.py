"""Passive agents in a world: the real supervisor, runs and tasks on a process that only pretends, and the user who starts them."""

import json
import random
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from backend.adapters.sites.user_hands import NoSite
from backend.agents.outreach_tools import PendingInvitationFinder
from backend.agents.supervisor import AgentPolicy, AgentRun, Supervisor
from backend.domain.device.agent_tools import FileSearch, PendingInvitations, TextSummary, ToolAnswer
from backend.domain.device.passive_agent import AgentInputs, AnyAgent, Completed, ToolRequest
from backend.domain.values.errors import OutriderError
from backend.ports.line_process import AnswerTimeoutError, ExcessAnswerError, ProcessEndedError
from backend.runtime.jobs.agent_runs import AgentRuns
from backend.runtime.jobs.agent_tasks import AgentTasks
from backend.turn.gateway import ToolGateway
from tests.simulation.agent_oracle import FOLDER, Asked, RunOnRecord, Summary
from tests.simulation.kept_files import A_WHILE

if TYPE_CHECKING:
    from tests.simulation.machine import Device, Launch
    from tests.simulation.world import World

LOOK_SECONDS = 1_800.0
"""Less often than in life: nobody assigns anything behind this launch's back."""
AGENTS = ("pending-invitations", "recent-pdfs")


class SimulatedStepper:
    """Steps the real agent in this process; or it hangs, ends, says two things, lies, or wants what it must not have."""

    def __init__(self, launch: "Launch", agent: AnyAgent) -> None:
        self._launch, self._world, self._agent = launch, launch.device.world, agent
        self._ended = False
        self.run = Asked(agent.name)
        self._world.agents.begins(self.run)

    def first_line(self, seconds: float) -> bytes:
        """Ready."""
        self._launch.moment("look", self._world.latency())
        return b'{"processor_seconds":0.0}'

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The one result of a step, or what a bad one does instead."""
        launch, world = self._launch, self._world
        launch.must_live()
        world.judge(lambda: world.agents.asked(self.run, over=self._ended))
        launch.moment("look", world.chance.choice((0.05, 0.5, 4.0)))
        question = json.loads(line)
        if world.happens("agents", 0.1):
            return self._misbehave(world.chance.choice(_MISDEEDS), question, seconds)
        context = {
            name: tuple(value) if isinstance(value, list) else value for name, value in question["context"].items()
        }
        agent = self._agent(self._agent.states(question["state"]), AgentInputs(**question["inputs"]))
        result = agent.step(self._agent.context(**cast(Any, context)))
        world.agents.completes(self.run, is_done=isinstance(result, Completed))
        answer = {"kind": type(result).__name__, **asdict(result)}
        return _line([str(state) for state in agent.visited], answer)

    def finish(self, seconds: float) -> None:
        """It ends by itself."""
        self._ended = True

    def end(self) -> None:
        """It is ended."""
        self._ended = True

    def _misbehave(self, how: str, question: Any, seconds: float) -> bytes:
        if how == "hangs":
            self._launch.moment("look", seconds)
            raise AnswerTimeoutError(seconds if self._world.chance.random() < 0.5 else 0.0)
        if how == "ends":
            raise ProcessEndedError
        if how == "says two things":
            raise ExcessAnswerError
        self._world.agents.misbehaves(self.run)
        following = [str(state) for state in self._agent.transitions.get(question["state"], ())][:1]
        if how == "leaps to the end":
            return _line(["Completed", "Completed"], {"kind": "Completed"})
        if how == "invents a state":
            return _line(["Sending"], {"kind": "Completed"})
        if how == "is no JSON":
            return b"I have sent all messages. \xff"
        request = _WANTED[how](question["inputs"])
        return _line(following, {"kind": "ToolRequest", "tool": request.tool, "params": request.params})


def _line(visited: list[str], result: dict[str, Any]) -> bytes:
    return json.dumps({"visited": visited, "result": result, "processor_seconds": 0.01}).encode()


_WANTED: dict[str, Callable[[Any], ToolRequest]] = {
    "wants to send": lambda _: ToolRequest("browser.send_message", {"lead_id": "somebody"}),
    "wants another folder": lambda inputs: ToolRequest(
        "FileSearchTool", {"directory": "/etc", "extension": ".pdf", "modified_within_days": inputs["days"] or 1}
    ),
    "wants other files": lambda _: ToolRequest("TextSummaryTool", {"files": ["/etc/passwd"]}),
    "wants more than there is": lambda _: ToolRequest("PendingInvitationsTool", {"older_than_days": -1}),
}
_MISDEEDS = (
    "hangs", "ends", "says two things", "leaps to the end", "invents a state", "is no JSON", *_WANTED,
)  # fmt: skip


class Agents:
    """The agents of one launch."""

    runs: AgentRuns

    def __init__(self, launch: "Launch") -> None:
        self._launch, self._world = launch, launch.device.world
        clock = launch.device.clock
        self.runs = AgentRuns(launch.journal, clock, launch.workers, self._supervisor)
        self.tasks = _Tasks(launch.journal, lambda _: clock, launch.workers, self._supervisor)
        self._invitations = PendingInvitationFinder(launch.database, clock)

    def open(self) -> None:
        """Begin with what an earlier launch left; a launch that could not begin is tried again."""
        self._launch.until_done(self.runs.open)
        self.tasks.open()

    def _supervisor(
        self, cancelled: Callable[[], bool], on_step: Callable[[AgentRun], None] = lambda _: None
    ) -> Supervisor:
        launch = self._launch
        started: list[SimulatedStepper] = []

        def start(agent: AnyAgent, _: AgentPolicy) -> SimulatedStepper:
            started.append(SimulatedStepper(launch, agent))
            return started[-1]

        def used(params: Any, answer: ToolAnswer) -> ToolAnswer:
            parameters = params.model_dump()
            self._world.judge(
                lambda: self._world.agents.uses(started[-1].run, type(params).__name__, parameters, answer.value)
            )
            return answer

        def search(params: FileSearch, _: Callable[[], bool]) -> ToolAnswer:
            launch.moment("look", self._world.latency())
            if self._world.happens("agents", 0.05):
                raise OutriderError("agent_folder_unreadable", directory=params.directory, detail="simulated")
            days = range(self._world.chance.randrange(3))
            files = tuple(f"{params.directory}paper {day}.pdf" for day in days)
            return used(params, ToolAnswer(files, f"{len(files)} files"))

        def summarize(params: TextSummary, _: Callable[[], bool]) -> ToolAnswer:
            launch.moment("look", self._world.latency())
            words = f"{len(params.files)} papers, looked at {self._world.hub.now} µs after the beginning"
            return used(params, ToolAnswer(words, "ok"))

        def find(params: PendingInvitations, stop: Callable[[], bool]) -> ToolAnswer:
            return used(params, self._invitations.find(params, stop))

        return Supervisor(
            start,
            {"FileSearchTool": search, "TextSummaryTool": summarize, "PendingInvitationsTool": find},
            ToolGateway(NoSite(), launch.device.clock.ticks),
            launch.journal,
            launch.device.clock,
            cancelled=cancelled,
            on_step=on_step,
        )

    def whim(self) -> None:
        """The user starts one, assigns one, cancels, or keeps what one found; runs within the launch."""
        world, launch, chance = self._world, self._launch, self._world.chance
        how = chance.choice(("run", "assign", "assign", "keep", "cancel"))
        name, inputs = chance.choice(AGENTS), AgentInputs(FOLDER, chance.randint(1, 9))
        world.tell(f"{launch.name}: an agent is to {how}: {name}")
        if how == "run":
            self.runs.start(name, inputs)
        elif how == "assign":
            self.tasks.assign(world.campaign_id, name, inputs)
        elif how == "cancel":
            self.runs.cancel()
        else:
            self._keep(chance)

    def _keep(self, chance: random.Random) -> None:
        done = [row for row in self.runs.listed(20) if row.state == "Completed" and row.kept_in is None]
        if done:
            row = chance.choice(done)
            self.runs.keep(row.id, self._world.campaign_id, self._launch.commands())


class _Tasks(AgentTasks):
    def _work(self) -> float | None:
        super()._work()
        return LOOK_SECONDS


def _has_open_runs(device: "Device") -> bool:
    with device.launch.database.read() as connection:
        return connection.execute("SELECT 1 FROM agent_runs WHERE ended_at IS NULL").fetchone() is not None


def check_agents(world: "World") -> None:
    """On every device; of people who were erased the summaries do not tell any more."""
    oracle, erased = world.agents, bool(world.oracle.erased_people)
    # A device may have been opened only just now, days after the run was asked for.
    world.hub.run(lambda: not any(map(_has_open_runs, world.devices)), world.hub.now + A_WHILE)
    for device in world.devices:
        with device.launch.database.read() as connection:
            rows = connection.execute("SELECT agent, state, found, ended_at IS NOT NULL FROM agent_runs").fetchall()
            summaries = connection.execute(
                "SELECT artifact_key, content FROM artifacts WHERE artifact_type='file_summary' AND content<>''"
            ).fetchall()
            done = connection.execute(
                "SELECT id, json_extract(metadata, '$.agent') FROM tasks WHERE source='supervisor' AND status='done'"
            ).fetchall()
            kinds = connection.execute("SELECT DISTINCT kind FROM event_log WHERE cause LIKE 'agent %'").fetchall()
        oracle.judge_runs(RunOnRecord(*row) for row in rows if not (erased and row[2]))
        oracle.judge_kept([] if erased else [Summary(*row) for row in summaries], [] if erased else done)
        oracle.judge_events(kind for (kind,) in kinds)
