"""What the process in which an agent decides may answer; it is judged like any other word from outside."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from backend.domain.model.tools import StrictModel

Violation = Literal[
    "agent_file_access",
    "agent_thread",
    "agent_step_blocked",
    "agent_step_endless",
    "agent_system_call",
    "agent_context_changed",
    "agent_memory",
    "agent_step_raised",
    "agent_result",
]
"""What the process itself notices; each is the code of an error."""
VIOLATIONS: tuple[Violation, ...] = get_args(Violation)


class ToolRequested(StrictModel):
    """It asks for a tool."""

    kind: Literal["ToolRequest"]
    tool: Annotated[str, Field(max_length=200)]
    params: dict[str, Any]


class AgentCompleted(StrictModel):
    """It is done."""

    kind: Literal["Completed"]


class AgentFailed(StrictModel):
    """It gives up."""

    kind: Literal["Failed"]
    reason: Annotated[str, Field(max_length=1_000)]


class StepReply(StrictModel):
    """The states it went through, and its one result; `processor_seconds` is what the process says it used so far."""

    visited: Annotated[list[str], Field(max_length=100)]
    result: Annotated[ToolRequested | AgentCompleted | AgentFailed, Field(discriminator="kind")]
    processor_seconds: float


class StepperReady(StrictModel):
    """It has loaded the agent."""

    processor_seconds: float


class StepViolation(StrictModel):
    """It refused what the agent wanted, and is over."""

    violation: Violation
    detail: Annotated[str, Field(max_length=1_000)]
