"""What the background runner does."""

from typing import Literal

from backend.api.wire.base import ErrorShape, Wire


class Asleep(Wire):
    """Nothing is eligible before `until` (null: before somebody does something), and why."""

    until: int | None
    held: list[str]


class RunState(Wire):
    """What the background runner does; one campaign at a time.

    `once`: one turn and no more. `halt` says how the last run ended, `until` (ms UTC) up to when it had nothing to do.
    """

    phase: Literal["idle", "starting", "running", "stopping"]
    campaign_id: str | None = None
    once: bool = False
    asleep: Asleep | None = None
    until: int | None = None
    halt: str | None = None
    because: tuple[str, ...] = ()
    error: ErrorShape | None = None
    name: str = ""
    away_since: int | None = None
    """Real time, ms UTC: the user was away then, and nothing is done until they say that it goes on."""
