"""Runs passive agents in the background, one at a time, and keeps how each ended."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from backend.agents.passive import passive_agent
from backend.agents.supervisor import NOTHING, AgentRun, Supervisor, found_lines
from backend.commands.user_commands import Commands
from backend.domain.device.agent_tools import MOST_DAYS
from backend.domain.device.passive_agent import COMPLETED, FAILED, INIT, AgentInputs, AnyAgent
from backend.domain.erasure.erasure import ERASED
from backend.domain.model.artifact import text_content
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.hidden_characters import reveal
from backend.ports.clock import Clock
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal
from backend.store.queries.device import agent_runs, erased_things
from backend.store.queries.device.agent_runs import AgentRunRow, AgentToolCall

LONGEST_FOUND = 60_000
"""Characters of what was found that are kept; an artifact of text takes no more."""
LONGEST_TOLD = 300

BuildSupervisor = Callable[[Callable[[], bool], Callable[[AgentRun], None]], Supervisor]
"""By what says whether the run is to stop, and what hears how far it is."""


def checked_agent(name: str, inputs: AgentInputs) -> AnyAgent:
    """The agent, if it has what it needs. Raises `agent_unknown`, `agent_input_missing`, `agent_folder_missing`, `agent_days`."""
    agent = passive_agent(name)
    for field_name in agent.inputs:
        if not getattr(inputs, field_name):
            raise OutriderError("agent_input_missing", agent=name, input=field_name)
    if "directory" in agent.inputs and not Path(inputs.directory).is_dir():
        raise OutriderError("agent_folder_missing", directory=inputs.directory)
    if "days" in agent.inputs and not 1 <= inputs.days <= MOST_DAYS:
        raise OutriderError("agent_days", most=MOST_DAYS)
    return agent


class AgentRuns:
    """One run at a time; another one is refused while it lasts."""

    def __init__(self, journal: Journal, clock: Clock, workers: Workers, build: BuildSupervisor) -> None:
        self._journal = journal
        self._clock = clock
        self._build = build
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self.idle = threading.Event()
        """Set while no run is under way."""
        self.idle.set()
        self._pending_request: tuple[AgentRunRow, AgentInputs] | None = None
        self._current: AgentRunRow | None = None
        self._ended: AgentRunRow | None = None  # how the run ended, until that is on record
        self._erasures = 0  # so many there were when it began
        self._worker = workers.add("agents", self._work)

    def open(self) -> None:
        """What an earlier launch left in the middle has failed."""
        cut_off = OutriderError("agent_interrupted")
        with self._journal.database.write() as connection:
            agent_runs.end_interrupted(connection, FAILED, cut_off.code, cut_off.sentence, self._clock.now())

    def close(self) -> None:
        """End the run that is under way, and wait for that."""
        self._worker.stop()
        self._stop.set()
        self._worker.join()

    def start(self, name: str, inputs: AgentInputs) -> AgentRunRow:
        """Run it. Raises `agent_unknown`, `agent_input_missing`, `agent_folder_missing`, `agent_days`, `agent_running`."""
        agent = checked_agent(name, inputs)
        inputs_text = reveal(", ".join(f"{field_name}: {getattr(inputs, field_name)}" for field_name in agent.inputs))
        with self._lock:
            if self._current is not None:
                raise OutriderError("agent_running", agent=self._current.agent)
            self._worker.start(None)
            now = self._clock.now()
            with self._journal.database.write() as connection:
                run_id = agent_runs.begin(connection, name, inputs_text, INIT, now)
            self._stop.clear()
            self.idle.clear()
            self._current = AgentRunRow(run_id, name, inputs_text, INIT, [INIT], [], "", "", "", now, None, None)
            self._pending_request = (self._current, inputs)
        self._worker.start()
        return self._current

    def cancel(self) -> None:
        """End the run that is under way; nothing if there is none."""
        self._stop.set()

    def listed(self, limit: int) -> list[AgentRunRow]:
        """The latest first; the one under way as far as it is."""
        current = self._current
        rows = self._journal.database.query(agent_runs.recent, limit)
        return [current if current is not None and row.id == current.id else row for row in rows]

    def keep(self, run_id: int, campaign_id: str, commands: Commands) -> int:
        """Keep what it found as a `file_summary` of the campaign; its version. Raises `agent_run_unknown`, `campaign_unknown`."""
        run = self._journal.database.query(agent_runs.run, run_id)
        if run is None or run.state != COMPLETED:
            raise OutriderError("agent_run_unknown")
        content = text_content("file_summary", run.agent, run.found or NOTHING)
        version = commands.artifacts.keep(campaign_id, content.artifact_type, content.key, content, follows=None)
        with self._journal.database.write() as connection:
            agent_runs.keep(connection, run_id, campaign_id)
        return version

    def _work(self) -> None:
        request, self._pending_request = self._pending_request, None
        try:
            if request is not None:
                self._carry_out(*request)
        finally:
            self._record()  # also what could not be recorded a moment ago, because the disk was full, say

    def _carry_out(self, row: AgentRunRow, inputs: AgentInputs) -> None:
        self._worker.doing = f"running the agent {row.agent}"
        ended = row
        try:
            self._erasures = self._journal.database.query(erased_things.erasure_count)
            supervisor = self._build(self._stop.is_set, lambda run: self._show(_as_far_as(row, run)))
            run = supervisor.run(passive_agent(row.agent), inputs)
            ended = _as_far_as(row, run)
            if run.error is None:
                ended = replace(ended, found="\n".join(found_lines(run))[:LONGEST_FOUND])
            else:
                ended = replace(ended, code=run.error.code, reason=f"{run.error.sentence} {run.error.remedy}")
        except BaseException as defect:
            failed = as_told(defect)
            ended = replace(ended, state=FAILED, code=failed.code, reason=failed.sentence)
            raise
        finally:
            self._ended = replace(ended, ended_at=self._clock.now())

    def _record(self) -> None:
        with self._lock:
            if self._ended is None:
                return
            with self._journal.database.write() as connection:
                if self._ended.found and erased_things.erasure_count(connection) != self._erasures:
                    self._ended = replace(self._ended, found=ERASED)  # it may have the words still
                agent_runs.end(connection, self._ended)
            self._current = self._ended = None
            self.idle.set()

    def _show(self, row: AgentRunRow) -> None:
        with self._lock:
            self._current = row


def _as_far_as(row: AgentRunRow, run: AgentRun) -> AgentRunRow:
    calls = [AgentToolCall(call.tool, _told(call.params), call.outcome) for call in run.calls]
    return replace(row, state=run.state, states=[str(state) for state in run.states], calls=calls)


def _told(params: Mapping[str, object]) -> str:
    words = reveal(", ".join(f"{name}: {value}" for name, value in params.items()))
    return words if len(words) <= LONGEST_TOLD else f"{words[:LONGEST_TOLD]}…"
