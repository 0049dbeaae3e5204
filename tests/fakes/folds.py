"""What is folded without a database: events into rows, and the letters of a turn into its state."""

from collections.abc import Iterable

from backend.domain.events.events import Event, ProjectedRows, RecordedEvent, Verb, row_changes, row_key
from backend.domain.model.turn import TurnEvent, TurnEventKind, TurnState, transition


def fold(state: ProjectedRows, campaign_id: str, timestamp: int, event: Event) -> ProjectedRows:
    """The state after this fact. Raises KeyError if it alters a row that is not there, ValueError if it makes one twice."""
    after = dict(state)
    for change in row_changes(campaign_id, timestamp, event):
        where = row_key(change)
        if change.verb is Verb.CREATES:
            if where in after:
                raise ValueError(f"{event.kind} makes {where} again")
            after[where] = {**change.key, **change.values}
        else:
            after[where] = {**after[where], **change.values}
    return after


def fold_all(events: Iterable[RecordedEvent]) -> ProjectedRows:
    """The state that a whole log amounts to."""
    state: ProjectedRows = {}
    for recorded in events:
        state = fold(state, recorded.campaign_id, recorded.timestamp, recorded.event)
    return state


def run_history(state: TurnState, history: str) -> TurnState:
    """The state that the letters of a recorded turn lead to."""
    for letter in history:
        state = transition(state, TurnEvent(TurnEventKind(letter))).after
    return state
