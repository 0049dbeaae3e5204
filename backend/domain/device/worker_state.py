"""What a background worker does and what went wrong in it, as `outrider doctor` and Settings show it. Moments are ms UTC."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from backend.domain.values.health_check import OK, WARN, HealthCheck


@dataclass(frozen=True, slots=True)
class WorkerError:
    """A worker's last error: when it happened, since when it has failed in a row, and how often since the launch."""

    code: str
    sentence: str
    at: int
    since: int
    times: int


@dataclass(frozen=True, slots=True)
class WorkerState:
    """What a worker does now ("" while it waits) and since when; `failing` until a round succeeds again."""

    name: str
    doing: str
    since: int
    failing: bool
    error: WorkerError | None
    next_try: int | None


def worker_checks(states: Sequence[WorkerState]) -> list[HealthCheck]:
    """A finding for each worker that does something or had an error, and one that names all the others."""
    checks = [
        HealthCheck(
            code=f"worker_{state.name.replace(' ', '_')}",
            status=WARN if state.failing else OK,
            said=_describe(state),
            remedy="It is tried again by itself; report it if it stays." if state.failing else "",
        )
        for state in states
        if state.doing or state.error
    ]
    waiting = [state.name for state in states if not (state.doing or state.error)]
    if waiting:
        checks.append(HealthCheck("workers", OK, f"These background jobs wait for work: {', '.join(waiting)}."))
    return checks


def _describe(state: WorkerState) -> str:
    sentences = [
        f"The background worker “{state.name}” has been {state.doing or 'waiting'} since {_moment(state.since)}."
    ]
    if error := state.error:
        since = f"It has failed since {_moment(error.since)}" if state.failing else "It goes well again"
        sentences.append(f"{since}; errors: {error.times}, the last at {_moment(error.at)}: {error.sentence}")
    if state.next_try is not None:
        sentences.append(f"Next try: {_moment(state.next_try)}.")
    return " ".join(sentences)


def _moment(at: int) -> str:
    return f"{datetime.fromtimestamp(at // 1_000, UTC):%Y-%m-%d %H:%M:%S} UTC"
