"""What finding an artifact costs the database, beside going through all of them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.app.wiring import Workspace
from backend.domain.events.events import Event
from backend.domain.model.artifact import BY_USER, ArtifactType, text_content
from backend.domain.turn.artifacts import artifact_persisted
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import empty_campaign, fill, workspace_in

_WORDS = (
    "series",
    "growth",
    "Leeds",
    "engineer",
    "remote",
    "budget",
    "pilot",
    "security",
    "retail",
    "health",
    "data",
    "cloud",
)
_TYPES = (ArtifactType.RESEARCH, ArtifactType.NOTE, ArtifactType.JOB_POSTING, ArtifactType.CONTEXT)
_HOUR = 3_600_000


def artifacts_(
    artifacts: Annotated[int, typer.Option(min=1_000)] = 100_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Searching artifacts by words, type and time, page after page; and the same words by going through every text."""
    with workspace_in(folder) as workspace:
        campaign_id = empty_campaign(workspace)
        now = workspace.commands().clock.now()
        fill(workspace, campaign_id, artifacts, lambda n: _artifact(workspace, n, now - (artifacts - n) * _HOUR))
        report(_measure(workspace, campaign_id, artifacts, now), json_)


def _artifact(workspace: Workspace, n: int, at: int) -> Event:
    words = " ".join(_WORDS[(n * step + step) % len(_WORDS)] for step in range(1, 60))
    text = f"About company {n * 7919 % 50_000}.\n{words}\nSeen by person {n}."
    return artifact_persisted(
        text_content(_TYPES[n % len(_TYPES)], f"company-{n}", text), workspace.journal.ids.new(), BY_USER, 0, at
    )


def _measure(workspace: Workspace, campaign_id: str, artifacts: int, now: int) -> dict[str, Any]:
    from backend.store.queries.turn.artifacts import find  # noqa: PLC0415 - only this benchmark

    half, day = artifacts * _HOUR // 2, 24 * _HOUR
    queries: list[dict[str, Any]] = [
        {},
        {"after": artifacts // 2},
        {"artifact_type": ArtifactType.NOTE},
        {"since": now - day},
        {"since": now - half - day, "until": now - half, "artifact_type": ArtifactType.NOTE},
        {"words": "company"},
        {"words": "company 12"},
        {"words": "c"},
        {"words": "leeds growth"},
        {"words": "leeds", "artifact_type": ArtifactType.RESEARCH},
        {"words": "growth", "since": now - half - day, "until": now - half},
        {"words": "company", "until": now - artifacts * _HOUR + day},
        {"words": f"person {artifacts // 2}"},
        {"words": "nowhere"},
    ]
    figures = {
        " ".join(f"{name}={value}" for name, value in query.items()) or "all": _timed(
            workspace, lambda connection, query=query: find(connection, campaign_id, **query)
        )
        for query in queries
    }
    scans = [_timed(workspace, lambda connection, text=text: connection.execute(
        "SELECT id FROM artifacts WHERE campaign_id=? AND (artifact_key LIKE ? OR content LIKE ?) ORDER BY id DESC LIMIT 50",
        (campaign_id, f"%{text}%", f"%{text}%")).fetchall()) for text in (f"person {artifacts // 2}", "nowhere")]  # fmt: skip
    longest_times = [figure["max"] for figure in figures.values()]
    return {"artifacts": artifacts, "find_ms": figures, "worst_ms": max(longest_times), "like_scan_ms": scans}


def _timed(workspace: Workspace, ask: Callable[..., object], times: int = 9) -> dict[str, float]:
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        workspace.database.query(ask)
        spent.append(time.perf_counter() - started)
    return spread(spent)
