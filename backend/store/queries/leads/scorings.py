"""The scoring of all leads of a campaign anew."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from backend.store.database import DatabaseConnection


class RunningScoring(NamedTuple):
    """How far scoring all leads anew has come."""

    id: str
    through: str
    done: int
    changed: int


def running_scoring(connection: DatabaseConnection, campaign_id: str) -> RunningScoring | None:
    """The scoring of all leads that is under way."""
    row = connection.execute(
        "SELECT id, through, done, changed FROM scorings WHERE campaign_id=? AND status='running' LIMIT 1",
        (campaign_id,),
    ).fetchone()
    return RunningScoring(*row) if row else None


def campaigns_being_scored(connection: DatabaseConnection) -> list[str]:
    """The campaigns in which a scoring of all leads is under way."""
    return [id_ for (id_,) in connection.execute("SELECT campaign_id FROM scorings WHERE status='running'")]


@dataclass(frozen=True, slots=True)
class ScoringRun:
    """All leads scored by a version of the blueprint: `done` of `leads` so far, `changed` scores among them.

    `finished_at` in ms UTC, None while it runs.
    """

    id: str
    blueprint: int
    status: Literal["running", "done", "superseded"]
    leads: int
    done: int
    changed: int
    finished_at: int | None


def latest_scoring(connection: DatabaseConnection, campaign_id: str) -> ScoringRun | None:
    """The campaign's latest scoring of all leads."""
    row = connection.execute(
        f"SELECT {', '.join(ScoringRun.__annotations__)} FROM scorings WHERE campaign_id=? ORDER BY id DESC LIMIT 1",
        (campaign_id,),
    ).fetchone()
    return ScoringRun(*row) if row else None
