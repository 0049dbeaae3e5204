"""Runs a passive agent: steps it in a process of its own, executes the tools it asks for, and ends it at any violation.

The agent decides nothing but its next result. State, context, limits and the end are the supervisor's (spec 003 §§2, 4, 7).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from backend.domain.device.agent_tools import AGENT_TOOLS, AgentToolParams, ToolAnswer, is_granted
from backend.domain.device.passive_agent import (
    COMPLETED,
    FAILED,
    INIT,
    AgentInputs,
    AnyAgent,
    fits_state,
    undeclared_move,
)
from backend.domain.device.step_reply import AgentFailed, StepperReady, StepReply, StepViolation, ToolRequested
from backend.domain.events.events import WORKSPACE
from backend.domain.values.error_table import ErrorCode
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal
from backend.ports.clock import Clock
from backend.ports.line_process import AnswerTimeoutError, ExcessAnswerError, LineProcess, ProcessEndedError
from backend.store.log.journal import Journal
from backend.turn.gateway import ToolGateway

_SECOND = 1_000_000
_BUSY = 0.02
"""The part of a step's time that the processor works, at least, when the agent loops and does not just wait.

Small, because on a busy machine a loop gets little of it; one that waits gets next to nothing anywhere.
"""

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class AgentPolicy:
    """What an agent may use up. `run_seconds` counts everything, tools too; they have bounds of their own beside."""

    steps: int = 20
    step_seconds: float = 10.0
    start_seconds: float = 60.0
    run_seconds: float = 900.0
    megabytes: int = 768


class ToolCall(NamedTuple):
    """A tool as it was executed; `outcome` is what the audit log says of it."""

    tool: str
    params: Mapping[str, Any]
    outcome: str


@dataclass
class AgentRun:
    """How far an agent is, or how it ended: `error` says why it failed."""

    agent: AnyAgent
    inputs: AgentInputs
    state: str = INIT
    states: list[str] = field(default_factory=lambda: [INIT])
    context: dict[str, Any] = field(default_factory=dict)
    calls: list[ToolCall] = field(default_factory=list)
    error: OutriderError | None = None
    steps: int = 0
    processor_seconds: float = 0.0

    @property
    def completed(self) -> bool:
        """Whether it did what it is for."""
        return self.state == COMPLETED

    def enter(self, *states: str) -> None:
        """It went through these states."""
        self.states.extend(states)
        self.state = self.states[-1]


StartStepper = Callable[[AnyAgent, AgentPolicy], LineProcess]
AgentTool = Callable[[Any, Callable[[], bool]], ToolAnswer]
"""Gets its validated parameters, and what says whether it is to stop; raises `OutriderError`. It knows no other tool."""


@dataclass(frozen=True)
class Supervisor:
    """Runs agents one at a time; `cancelled` is asked before each step and by the tools, `on_step` hears how far it is."""

    start: StartStepper
    tools: Mapping[str, AgentTool]
    gateway: ToolGateway
    journal: Journal
    clock: Clock
    policy: AgentPolicy = AgentPolicy()
    cancelled: Callable[[], bool] = lambda: False
    on_step: Callable[[AgentRun], None] = lambda _: None

    def run(self, agent: AnyAgent, inputs: AgentInputs) -> AgentRun:
        """From `Init` to a terminal state; never raises for what the agent or a tool does."""
        run, started = AgentRun(agent, inputs, context=asdict(agent.context())), self.clock.ticks()
        try:
            with self._stepper(agent, run) as stepper:
                while run.state not in (COMPLETED, FAILED):
                    self._check_limits(run, started)
                    self._step(run, stepper)
                with _named_violations(agent, run, self.policy.step_seconds):
                    stepper.finish(self.policy.step_seconds)
        except OutriderError as error:
            run.error = error
            run.context["failure"] = error.sentence
            if run.state != FAILED:
                run.enter(FAILED)
        if run.completed:
            run.error = None  # of a tool, which the agent could do without
        ended = {"agent": agent.name, "state": run.state, "steps": run.steps, "us": self.clock.ticks() - started}
        outcome = {} if run.error is None else {"code": run.error.code, "reason": run.error.sentence}
        self.gateway.add_audit("agent.run", None, {**ended, **outcome})
        self._record(agent)
        return run

    @contextmanager
    def _stepper(self, agent: AnyAgent, run: AgentRun) -> Iterator[LineProcess]:
        with _named_violations(agent, run, self.policy.start_seconds):
            stepper = self.start(agent, self.policy)
        try:
            with _named_violations(agent, run, self.policy.start_seconds):
                line = stepper.first_line(self.policy.start_seconds)
            run.processor_seconds = _parsed(agent, StepperReady, line).processor_seconds
            yield stepper
        finally:
            stepper.end()

    def _check_limits(self, run: AgentRun, started: int) -> None:
        if self.cancelled():
            raise _violation("agent_cancelled", run.agent)
        if run.steps >= self.policy.steps:
            raise _violation("agent_steps", run.agent, limit=self.policy.steps)
        if self.clock.ticks() - started > self.policy.run_seconds * _SECOND:
            raise _violation("agent_run_time", run.agent, limit=f"{self.policy.run_seconds:g}")

    def _step(self, run: AgentRun, stepper: LineProcess) -> None:
        """One decision of the agent, judged; then the tool that it asked for, if it did."""
        run.steps += 1
        question = {"state": run.state, "context": run.context, "inputs": asdict(run.inputs)}
        with _named_violations(run.agent, run, self.policy.step_seconds):
            answer = stepper.ask(json.dumps(question).encode(), self.policy.step_seconds)
        reply = _parsed(run.agent, StepReply, answer)
        run.processor_seconds = reply.processor_seconds
        self._move(run, reply)
        self.on_step(run)
        match reply.result:
            case ToolRequested() as wanted:
                self._execute(run, wanted)
            case AgentFailed(reason=reason):
                raise run.error or _violation("agent_failed", run.agent, reason=reason)

    def _move(self, run: AgentRun, reply: StepReply) -> None:
        known_states = [str(state) for state in run.agent.states]
        for state in reply.visited:
            if state not in known_states:
                raise _violation("agent_state_unknown", run.agent, state=state[:100])
        if undeclared := undeclared_move(run.agent, run.state, reply.visited):
            raise _violation("agent_transition", run.agent, before=undeclared[0], after=undeclared[1])
        if not reply.visited or not fits_state(reply.result.kind, reply.visited[-1]):
            detail = f"{reply.result.kind} does not belong to the state {(reply.visited or [run.state])[-1]}"
            raise _violation("agent_result", run.agent, detail=detail)
        run.enter(*reply.visited)

    def _execute(self, run: AgentRun, request: ToolRequested) -> None:
        """The runtime alone writes the context: what the tool gave, or why it gave nothing."""
        if request.tool not in run.agent.results or request.tool not in AGENT_TOOLS:
            raise _violation("agent_tool_not_allowed", run.agent, tool=request.tool[:100])
        params = _params(run, request)
        try:
            answer = self.gateway.run_agent_tool(
                request.tool,
                {"agent": run.agent.name, **_for_the_log(params)},
                partial(self.tools[request.tool], params, self.cancelled),
            )
        except (OutriderError, OSError) as error:
            run.error = (
                error
                if isinstance(error, OutriderError)
                else OutriderError("agent_tool_failed", tool=request.tool, detail=error.strerror or error)
            )
            run.context["failure"] = run.error.sentence.encode(
                "utf-8", "backslashreplace"
            ).decode()  # no half characters
            outcome: str = run.error.code
        else:
            run.context[run.agent.results[request.tool]] = answer.value
            run.context["failure"], run.error = "", None  # of an earlier one, which the agent could do without
            outcome = answer.outcome
        finally:
            self._record(run.agent)
        run.calls.append(ToolCall(request.tool, _for_the_log(params), outcome))
        self.on_step(run)

    def _record(self, agent: AnyAgent) -> None:
        with self.gateway.unrecorded_audits() as audits:
            self.journal.record(
                WORKSPACE,
                events=(),
                audits=audits,
                actor="controller",
                cause=f"agent {agent.name}",
                at=self.clock.now(),
            )


def _params(run: AgentRun, request: ToolRequested) -> AgentToolParams:
    try:
        params = AGENT_TOOLS[request.tool].model_validate(request.params)
    except ValidationError as error:
        first = error.errors()[0]
        detail = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:300]
        raise _violation("agent_tool_params", run.agent, tool=request.tool, detail=detail) from error
    if not is_granted(params, run.inputs, run.context):
        raise _violation("agent_tool_params", run.agent, tool=request.tool, detail="the user did not name that")
    return params


def _for_the_log(params: AgentToolParams) -> dict[str, Any]:
    """Lists as their length: the names of a hundred thousand files are in the result, not in the log."""
    return {name: len(value) if isinstance(value, list) else value for name, value in params.model_dump().items()}


def _parsed(agent: AnyAgent, shape: type[Shape], line: bytes) -> Shape:
    """What the process said; a violation that it names is raised as that, and whatever else is none of its answers."""
    try:
        answer = json.loads(line)  # pydantic's own reader refuses the names of files that are no UTF-8
        if "violation" not in answer:
            return shape.model_validate(answer)
        violation = StepViolation.model_validate(answer)
    except (ValueError, TypeError, RecursionError) as error:  # a ValidationError is a ValueError
        raise _violation("agent_result", agent, detail="it is not what a step answers") from error
    raise _violation(violation.violation, agent, detail=violation.detail)


@contextmanager
def _named_violations(agent: AnyAgent, run: AgentRun, seconds: float) -> Iterator[None]:
    """What the process did instead of answering, as an error with its name."""
    try:
        yield
    except AnswerTimeoutError as error:
        used = error.processor_seconds
        busy = used is None or used - run.processor_seconds >= seconds * _BUSY
        code: ErrorCode = "agent_step_endless" if busy else "agent_step_blocked"
        raise _violation(code, agent, detail=f"no result within {seconds:g} s") from error
    except ExcessAnswerError as error:
        raise _violation("agent_second_result", agent) from error
    except (ProcessEndedError, OSError) as error:  # it ended, or could not even be begun
        raise _violation("agent_process_ended", agent) from error


def _violation(code: ErrorCode, agent: AnyAgent, **facts: object) -> OutriderError:
    return OutriderError(code, agent=agent.name, **facts)


LISTED = 200
NOTHING = "Nothing was found."


def found_lines(run: AgentRun) -> list[str]:
    """A heading with a count for each list, its first entries, and texts as they are; empty if nothing was found."""
    lines = []
    for name, value in asdict(run.agent.context(**run.context)).items():
        if name == "failure":
            continue
        if isinstance(value, tuple):
            lines += [f"{len(value):,} {name}", *(f"  {' '.join(reveal(entry).split())}" for entry in value[:LISTED])]
            if len(value) > LISTED:
                lines.append(f"  and {len(value) - LISTED:,} more; `outrider agent run --json` lists them all")
        elif value:
            lines += ["", *reveal(value).splitlines()]
    return lines
