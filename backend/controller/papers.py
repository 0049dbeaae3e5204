"""The campaign's files for people, written from the database into its folder; nothing ever reads them."""

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from backend.domain import papers
from backend.domain.artifact import BEGINNING, ArtifactType
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.domain.task import TaskStatus
from backend.store import artifacts, reading


def written(connection: sqlite3.Connection, campaign_id: str, variables: Iterable[str]) -> dict[str, str]:
    """The files by name; `variables` are the environment variables that can be set. Raises `campaign_unknown`."""
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    counts: dict[str, int] = {}
    for (_, status), n in reading.task_counts(connection, campaign_id).items():
        counts[status] = counts.get(status, 0) + n
    tasks = {
        status: reading.tasks_with_status(connection, campaign_id, status, papers.SHOWN_TASKS, ordered=True)
        for status in TaskStatus
    }
    names = papers.Names(
        variables=tuple(variables),
        workspace=_names(connection, "SELECT id FROM config_kv WHERE campaign_id=?", WORKSPACE),
        campaign=_names(connection, "SELECT id FROM config_kv WHERE campaign_id=?", campaign_id),
        secrets=_names(connection, "SELECT key_name FROM configuration WHERE encrypted_value<>?", ""),
    )
    leads, kept = reading.lead_counts(connection, campaign_id), _context(connection, campaign_id)
    return {
        papers.CONTEXT: papers.context_md(campaign, leads, kept),
        papers.ENVIRONMENT: papers.environment_md(campaign, names),
        papers.TASKS: papers.tasks_md(campaign, counts, tasks),
    }


def _names(connection: sqlite3.Connection, sql: str, value: str) -> tuple[str, ...]:
    return tuple(row[0] for row in connection.execute(sql, (value,)))


def _context(connection: sqlite3.Connection, campaign_id: str) -> papers.Kept | None:
    latest = reading.latest_version(connection, campaign_id, ArtifactType.CONTEXT, papers.CONTEXT_KEY)
    found = artifacts.stored(connection, campaign_id, ArtifactType.CONTEXT, papers.CONTEXT_KEY, latest)
    if found is None:
        return None
    return papers.Kept(latest, found.text[:BEGINNING], found.sha256, not found.in_file and len(found.text) <= BEGINNING)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Each is whole or as it was before; raises `export_failed`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in files.items():
            handle, beside = tempfile.mkstemp(dir=folder, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(text.encode("utf-8", "replace"))
                Path(beside).replace(folder / name)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(beside).unlink()
                raise
    except OSError as error:
        raise OutriderError("export_failed", detail=error.strerror or type(error).__name__) from error
