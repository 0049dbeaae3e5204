"""A passive agent: a state machine that the runtime steps, and that can do nothing but ask for a tool (spec 003).

Only the standard library is imported here: this is also what the process imports in which an agent decides, and it is to
start quickly. How an agent is added: CONTRIBUTING.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

INIT, COMPLETED, FAILED = "Init", "Completed", "Failed"
"""The states that every agent has; the last two are terminal."""

State = TypeVar("State", bound=StrEnum)
Context = TypeVar("Context", bound="AgentContext")


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """The runtime is to run this tool, and to write into the context what it gave."""

    tool: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Completed:
    """The agent has done what it is for."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The agent gives up."""

    reason: str


StepResult = ToolRequest | Completed | Failed


@dataclass(frozen=True, slots=True)
class AgentInputs:
    """What the user gives an agent to begin with; an agent names those that it needs."""

    directory: str = ""
    days: int = 0


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What an agent knows: read by the agent, written by the runtime alone. An agent's own adds its tools' results."""

    failure: str = ""


class PassiveAgent(Generic[State, Context]):
    """One agent at one step. It is made anew for each, so it remembers nothing but its state and the context."""

    name: ClassVar[str]
    does: ClassVar[str]
    """One sentence for the user."""
    states: ClassVar[type[StrEnum]]
    transitions: ClassVar[Mapping[str, tuple[str, ...]]]
    """Which states may follow which; the terminal ones have none."""
    context: ClassVar[type[AgentContext]]
    results: ClassVar[Mapping[str, str]]
    """The tools that it may ask for, each with the field of the context that the runtime fills with what it gave."""
    inputs: ClassVar[tuple[str, ...]]
    """The fields of `AgentInputs` that the user must give."""

    def __init__(self, state: State, inputs: AgentInputs) -> None:
        self.given = inputs
        self.visited: list[State] = []
        self._state = state

    @property
    def state(self) -> State:
        """Where it stands."""
        return self._state

    def enter(self, state: State) -> None:
        """Move on; the runtime checks afterwards that each move was declared."""
        self.visited.append(state)
        self._state = state

    def step(self, context: Context) -> StepResult:
        """Decide once, by the state: exactly one result."""
        raise NotImplementedError


AnyAgent = type[PassiveAgent[Any, Any]]


def undeclared_move(agent: AnyAgent, state: str, visited: Sequence[str]) -> tuple[str, str] | None:
    """The first move that the agent did not declare, as (from, to); None if there is none."""
    for following in visited:
        if following not in agent.transitions.get(state, ()):
            return state, following
        state = following
    return None


def fits_state(result_kind: str, state: str) -> bool:
    """Whether that result belongs to that state: the terminal states have their own, every other one asks for a tool."""
    return result_kind == (state if state in (COMPLETED, FAILED) else ToolRequest.__name__)
