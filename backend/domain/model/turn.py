"""The turn state machine (spec 002): 8 states, 9 events, one pure function."""

from enum import StrEnum
from typing import NamedTuple

from backend.domain.values.errors import OutriderError


class TurnState(StrEnum):
    """Where the one turn in flight stands."""

    BOOTSTRAPPING = "Bootstrapping"
    IDLE = "Idle"
    LOADING_CONTEXT = "LoadingContext"
    INFERRING = "Inferring"
    EXECUTING_ACTIONS = "ExecutingActions"
    PERSISTING = "Persisting"
    SLEEPING = "Sleeping"
    FAULTED = "Faulted"


class TurnEventKind(StrEnum):
    """What can happen to a turn; the value is the letter by which a turn's history is kept in the log."""

    INIT_COMPLETED = "I"
    WAKE_REQUESTED = "W"
    CONTEXT_LOADED = "L"
    INFERENCE_COMPLETED = "P"
    ACTIONS_COMPLETED = "A"
    PERSIST_COMPLETED = "C"
    SLEEP_REQUESTED = "S"
    TURN_FAILED = "F"
    RESET_FAULT = "R"


class TurnEvent(NamedTuple):
    """An event; `reason` belongs to WakeRequested and TurnFailed and is empty elsewhere."""

    kind: TurnEventKind
    reason: str = ""


class Transition(NamedTuple):
    """A legal step of the machine."""

    before: TurnState
    event: TurnEvent
    after: TurnState


_S, _E = TurnState, TurnEventKind

TRANSITIONS: dict[tuple[TurnState, TurnEventKind], TurnState] = {
    (_S.BOOTSTRAPPING, _E.INIT_COMPLETED): _S.IDLE,
    (_S.IDLE, _E.WAKE_REQUESTED): _S.LOADING_CONTEXT,
    (_S.SLEEPING, _E.WAKE_REQUESTED): _S.LOADING_CONTEXT,
    (_S.LOADING_CONTEXT, _E.CONTEXT_LOADED): _S.INFERRING,
    (_S.INFERRING, _E.INFERENCE_COMPLETED): _S.EXECUTING_ACTIONS,
    (_S.EXECUTING_ACTIONS, _E.ACTIONS_COMPLETED): _S.PERSISTING,
    (_S.PERSISTING, _E.PERSIST_COMPLETED): _S.IDLE,
    (_S.IDLE, _E.SLEEP_REQUESTED): _S.SLEEPING,
    # Nothing is eligible: the turn ends before the agent is asked, and counts as none.
    (_S.LOADING_CONTEXT, _E.SLEEP_REQUESTED): _S.SLEEPING,
    # Anything under way can fail; a fault is left only by an explicit reset.
    (_S.BOOTSTRAPPING, _E.TURN_FAILED): _S.FAULTED,
    (_S.LOADING_CONTEXT, _E.TURN_FAILED): _S.FAULTED,
    (_S.INFERRING, _E.TURN_FAILED): _S.FAULTED,
    (_S.EXECUTING_ACTIONS, _E.TURN_FAILED): _S.FAULTED,
    (_S.PERSISTING, _E.TURN_FAILED): _S.FAULTED,
    (_S.FAULTED, _E.RESET_FAULT): _S.IDLE,
}

IN_FLIGHT = frozenset({_S.LOADING_CONTEXT, _S.INFERRING, _S.EXECUTING_ACTIONS, _S.PERSISTING})

STEPS = (
    "load state",
    "select task",
    "invoke agent",
    "validate proposal",
    "execute action",
    "persist logs",
    "update state",
    "repeat",
)
"""The eight steps of spec 001 FR-005a…h, in order."""


def transition(state: TurnState, event: TurnEvent) -> Transition:
    """The one place where a turn's state may change; raises `OutriderError("illegal_transition")` for any other pair."""
    after = TRANSITIONS.get((state, event.kind))
    if after is None:
        raise OutriderError("illegal_transition", state=state.value, event=event.kind.name)
    return Transition(state, event, after)


class TurnMachine:
    """A turn's state and the events that led to it; it can only be moved by dispatching."""

    def __init__(self, state: TurnState) -> None:
        self._state = state
        self._history = ""

    @property
    def state(self) -> TurnState:
        """Where the turn stands."""
        return self._state

    @property
    def history(self) -> str:
        """The letters of the events dispatched, in order."""
        return self._history

    def dispatch(self, kind: TurnEventKind, reason: str = "") -> None:
        """Move by `transition`, or raise its error and stay."""
        self._state = transition(self._state, TurnEvent(kind, reason)).after
        self._history += kind.value


def fault(machine: TurnMachine, reason: str) -> None:
    """Fail from wherever the machine is; at rest, it is woken first, and one that has failed already stays so."""
    if machine.state is TurnState.FAULTED:
        return
    if machine.state in (TurnState.IDLE, TurnState.SLEEPING):
        machine.dispatch(TurnEventKind.WAKE_REQUESTED, reason)
    machine.dispatch(TurnEventKind.TURN_FAILED, reason)
