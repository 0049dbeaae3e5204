"""The stored state of a campaign's turn machine, and how far the turns' projection is (spec 002)."""

from dataclasses import dataclass

from backend.domain.model.turn import TurnState
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection

LOOKED_THROUGH = 10_000
"""Events, from the end of the log, among which the last turn is looked for."""


@dataclass(frozen=True, slots=True)
class RuntimeSnapshot:
    """Where the turn machine stands, as it survives a restart."""

    state: TurnState
    turn_lock: bool
    loop_enabled: bool
    last_turn: int
    last_error: str


def runtime_snapshot(connection: DatabaseConnection, campaign_id: str) -> RuntimeSnapshot:
    """The campaign's snapshot; raises `campaign_unknown`."""
    row = connection.execute(
        "SELECT state, turn_lock, loop_enabled, last_turn, last_error FROM runtime_snapshot WHERE campaign_id=?",
        (campaign_id,),
    ).fetchone()
    if row is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return RuntimeSnapshot(TurnState(row[0]), bool(row[1]), bool(row[2]), *row[3:])


@dataclass(frozen=True, slots=True)
class ProjectionStatus:
    """How far `turn_projection` is: its last turn, the log's, and the log's length.

    `lag` is how many turns its last one is behind the log's; `rebuilt_at` (ms UTC) is when all projections were last made again.
    """

    position: int
    log_turn: int
    log_events: int
    lag: int
    rebuilt_at: int | None
    rebuilt_from: int | None


def projection_status(connection: DatabaseConnection, campaign_id: str) -> ProjectionStatus:
    """Asked of the log itself, not of what the projection says of itself."""
    (events,) = connection.execute(
        "SELECT coalesce(max(event_seq), 0) FROM log_heads WHERE campaign_id=?", (campaign_id,)
    ).fetchone()
    (position,) = connection.execute(
        "SELECT coalesce(max(number), 0) FROM turn_projection WHERE campaign_id=?", (campaign_id,)
    ).fetchone()
    logged = connection.execute(
        "SELECT entity_id FROM event_log WHERE campaign_id=? AND seq>? AND entity_type='turn' ORDER BY seq DESC LIMIT 1",
        (campaign_id, events - LOOKED_THROUGH),
    ).fetchone()
    log_turn = int(logged[0]) if logged else position
    rebuilt = connection.execute("SELECT rebuilt_at, events FROM projection_rebuild").fetchone() or (None, None)
    return ProjectionStatus(position, log_turn, events, log_turn - position, *rebuilt)


def keep_rebuild(connection: DatabaseConnection, at: int, events: int) -> None:
    """Every projection was made again at this time, from so many events."""
    connection.execute("INSERT OR REPLACE INTO projection_rebuild VALUES (1,?,?)", (at, events))
