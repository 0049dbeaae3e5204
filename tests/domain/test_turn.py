"""The turn machine against a table written from spec 002 and the design, not from the code."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.turn import (
    IN_FLIGHT,
    STEPS,
    TurnEvent,
    TurnEventKind,
    TurnMachine,
    TurnState,
    transition,
)
from backend.domain.values.errors import OutriderError
from tests.fakes.folds import run_history

# One row a state, one column an event; a dot is an illegal pair.
GRID = """
                  INIT_COMPLETED WAKE_REQUESTED CONTEXT_LOADED INFERENCE_COMPLETED ACTIONS_COMPLETED PERSIST_COMPLETED SLEEP_REQUESTED TURN_FAILED RESET_FAULT
Bootstrapping     Idle           .              .              .                   .                 .                 .               Faulted     .
Idle              .              LoadingContext .              .                   .                 .                 Sleeping        .           .
LoadingContext    .              .              Inferring      .                   .                 .                 Sleeping        Faulted     .
Inferring         .              .              .              ExecutingActions    .                 .                 .               Faulted     .
ExecutingActions  .              .              .              .                   Persisting        .                 .               Faulted     .
Persisting        .              .              .              .                   .                 Idle              .               Faulted     .
Sleeping          .              LoadingContext .              .                   .                 .                 .               .           .
Faulted           .              .              .              .                   .                 .                 .               .           Idle
"""  # noqa: E501

_COLUMNS, *_ROWS = [line.split() for line in GRID.strip().splitlines()]
EXPECTED = {
    (row[0], event): None if after == "." else after
    for row in _ROWS
    for event, after in zip(_COLUMNS, row[1:], strict=True)
}
LETTERS = dict(zip(_COLUMNS, "IWLPACSFR", strict=True))


def test_there_are_the_eight_states_and_the_nine_events_of_the_specification() -> None:
    assert [state.value for state in TurnState] == [row[0] for row in _ROWS]
    assert [event.name for event in TurnEventKind] == _COLUMNS
    assert (len(TurnState), len(TurnEventKind), len(EXPECTED)) == (8, 9, 72)


@pytest.mark.parametrize(("state", "kind"), list(product(TurnState, TurnEventKind)), ids=str)
def test_every_pair_of_state_and_event_goes_where_the_table_says_or_is_refused(
    state: TurnState, kind: TurnEventKind
) -> None:
    after = EXPECTED[(state.value, kind.name)]
    event = TurnEvent(kind, "because")
    if after is None:
        with pytest.raises(OutriderError) as refused:
            transition(state, event)
        assert refused.value.code == "illegal_transition"
        assert refused.value.facts == {"state": state.value, "event": kind.name}
        assert state.value in refused.value.sentence
        assert kind.name in refused.value.sentence
    else:
        step = transition(state, event)
        assert (step.before, step.event, step.after.value) == (state, event, after)


def test_the_letters_of_a_history_never_change_their_meaning() -> None:
    assert {kind.name: kind.value for kind in TurnEventKind} == LETTERS


def test_a_recorded_turn_replays_to_the_state_it_ended_in() -> None:
    assert run_history(TurnState.BOOTSTRAPPING, "IWLPAC") is TurnState.IDLE
    assert run_history(TurnState.IDLE, "WLPAC") is TurnState.IDLE
    assert run_history(TurnState.IDLE, "WLPF") is TurnState.FAULTED
    assert run_history(TurnState.FAULTED, "RSWS") is TurnState.SLEEPING
    assert run_history(TurnState.PERSISTING, "") is TurnState.PERSISTING


def test_a_recorded_turn_with_an_illegal_step_does_not_replay() -> None:
    with pytest.raises(OutriderError, match="illegal_transition"):
        run_history(TurnState.IDLE, "WPAC")
    with pytest.raises(ValueError, match="X"):
        run_history(TurnState.IDLE, "WX")


def test_the_machine_moves_by_dispatching_and_in_no_other_way() -> None:
    machine = TurnMachine(TurnState.IDLE)
    with pytest.raises(AttributeError):
        machine.state = TurnState.PERSISTING  # type: ignore[misc]
    with pytest.raises(AttributeError):
        machine.history = "WLPAC"  # type: ignore[misc]
    public = {name for name in dir(machine) if not name.startswith("_")}
    assert public == {"state", "history", "dispatch"}
    machine.dispatch(TurnEventKind.WAKE_REQUESTED, "timer")
    assert (machine.state, machine.history) == (TurnState.LOADING_CONTEXT, "W")


def test_a_refused_event_leaves_the_machine_where_it_was() -> None:
    machine = TurnMachine(TurnState.IDLE)
    machine.dispatch(TurnEventKind.WAKE_REQUESTED)
    with pytest.raises(OutriderError, match="illegal_transition"):
        machine.dispatch(TurnEventKind.PERSIST_COMPLETED)
    assert (machine.state, machine.history) == (TurnState.LOADING_CONTEXT, "W")


@given(st.lists(st.sampled_from(TurnEventKind), max_size=40))
def test_whatever_is_dispatched_the_machine_is_where_its_history_leads(events: list[TurnEventKind]) -> None:
    machine = TurnMachine(TurnState.BOOTSTRAPPING)
    for kind in events:
        before, after = machine.state, EXPECTED[(machine.state.value, kind.name)]
        if after is None:
            with pytest.raises(OutriderError, match="illegal_transition"):
                machine.dispatch(kind)
            assert machine.state is before
        else:
            machine.dispatch(kind)
            assert machine.state.value == after
    assert run_history(TurnState.BOOTSTRAPPING, machine.history) is machine.state


@given(st.data())
def test_a_turn_that_completes_has_passed_through_all_its_steps_in_order(data: st.DataObject) -> None:
    """Every walk of the machine: whatever ends with PersistCompleted went load, infer, execute, persist, none skipped."""
    machine, visited = TurnMachine(TurnState.BOOTSTRAPPING), [TurnState.BOOTSTRAPPING]
    for _ in range(data.draw(st.integers(5, 40))):
        legal = [kind for kind in TurnEventKind if EXPECTED[(machine.state.value, kind.name)]]
        machine.dispatch(kind := data.draw(st.sampled_from(legal)))
        visited.append(machine.state)
        if kind is TurnEventKind.PERSIST_COMPLETED:
            assert [state.value for state in visited[-6:-1]][1:] == [
                "LoadingContext",
                "Inferring",
                "ExecutingActions",
                "Persisting",
            ]
            assert visited[-6] in (TurnState.IDLE, TurnState.SLEEPING)
            assert machine.history.endswith("WLPAC")


def test_a_fault_is_left_only_by_an_explicit_reset() -> None:
    leaving = [event for (state, event), after in EXPECTED.items() if state == "Faulted" and after]
    assert leaving == ["RESET_FAULT"]
    for kind in TurnEventKind:
        if kind is not TurnEventKind.RESET_FAULT:
            with pytest.raises(OutriderError):
                transition(TurnState.FAULTED, TurnEvent(kind))


def test_a_turn_is_in_flight_from_loading_to_persisting() -> None:
    assert {state.value for state in IN_FLIGHT} == {"LoadingContext", "Inferring", "ExecutingActions", "Persisting"}


def test_the_eight_steps_are_named_in_their_order() -> None:
    assert STEPS == (
        "load state",
        "select task",
        "invoke agent",
        "validate proposal",
        "execute action",
        "persist logs",
        "update state",
        "repeat",
    )
