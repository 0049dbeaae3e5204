"""The campaign's files for people, written from the database into its folder; nothing ever reads them."""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from backend.domain.events.events import WORKSPACE
from backend.domain.model.artifact import BEGINNING, ArtifactType
from backend.domain.model.task import TaskStatus
from backend.domain.reports import campaign_files
from backend.domain.values.errors import OutriderError
from backend.machine.durable_files import UNFINISHED, move_onto
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign import tasks as task_queries
from backend.store.queries.device import configuration, sealed_secrets
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.turn import artifacts

WRITTEN = (campaign_files.CONTEXT, campaign_files.ENVIRONMENT, campaign_files.TASKS)
"""The names of all that is ever written."""


def render_files(connection: DatabaseConnection, campaign_id: str, variables: Iterable[str]) -> dict[str, str]:
    """The files by name; `variables` are the environment variables that can be set. Raises `campaign_unknown`."""
    campaign = campaigns.existing_campaign(connection, campaign_id)
    counts: dict[str, int] = {}
    for (_, status), n in task_queries.task_counts(connection, campaign_id).items():
        counts[status] = counts.get(status, 0) + n
    tasks = {
        status: task_queries.tasks_with_status(
            connection, campaign_id, status, campaign_files.SHOWN_TASKS, ordered=True
        )
        for status in TaskStatus
    }
    names = campaign_files.SettingNames(
        variables=tuple(variables),
        workspace=configuration.names(connection, WORKSPACE),
        campaign=configuration.names(connection, campaign_id),
        secrets=sealed_secrets.names(connection),
    )
    leads, context = lead_queries.lead_counts(connection, campaign_id), _context(connection, campaign_id)
    return {
        campaign_files.CONTEXT: campaign_files.context_md(campaign, leads, context),
        campaign_files.ENVIRONMENT: campaign_files.environment_md(campaign, names),
        campaign_files.TASKS: campaign_files.tasks_md(campaign, counts, tasks),
    }


def _context(connection: DatabaseConnection, campaign_id: str) -> campaign_files.ContextText | None:
    latest = artifacts.latest_version(connection, campaign_id, ArtifactType.CONTEXT, campaign_files.CONTEXT_KEY)
    artifact = artifacts.stored(connection, campaign_id, ArtifactType.CONTEXT, campaign_files.CONTEXT_KEY, latest)
    if artifact is None:
        return None
    return campaign_files.ContextText(
        latest, artifact.text[:BEGINNING], artifact.sha256, not artifact.in_file and len(artifact.text) <= BEGINNING
    )


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Each is whole or as it was before; raises `export_failed`."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in files.items():
            handle, beside = tempfile.mkstemp(dir=folder, prefix=UNFINISHED)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(text.encode("utf-8", "replace"))
                move_onto(Path(beside), folder / name)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(beside).unlink()
                raise
    except OSError as error:
        raise OutriderError("export_failed", detail=error.strerror or type(error).__name__) from error
