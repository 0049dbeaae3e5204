"""The resources of the MCP server: artifacts and a campaign's log, for reading."""

import json
import re
from typing import NamedTuple

from backend.domain.values.errors import OutriderError
from backend.mcp.tools import McpContext
from backend.store.queries.device import logs
from backend.store.queries.reports import campaign_overview
from backend.store.queries.turn import artifacts

MOST_LISTED = 100
LOG_ENTRIES = 200

ARTIFACT = "outrider://campaigns/{campaign}/artifacts/{type}/{key}"
LOG = "outrider://campaigns/{campaign}/log"

_ID = r"([A-Za-z0-9_-]{1,64})"
_ARTIFACT = re.compile(rf"outrider://campaigns/{_ID}/artifacts/([a-z_]{{1,40}})/([a-z0-9][a-z0-9_.-]{{0,63}})")
_LOG = re.compile(rf"outrider://campaigns/{_ID}/log")


class ResourceEntry(NamedTuple):
    """A resource in the list."""

    uri: str
    name: str
    media_type: str


class ResourceText(NamedTuple):
    """What a resource holds."""

    text: str
    media_type: str


def listed(context: McpContext) -> list[ResourceEntry]:
    """The log and the newest artifacts of each campaign, the newest campaign first."""
    entries: list[ResourceEntry] = []
    with context.journal.database.read() as connection:
        for head in campaign_overview.overviews(connection):
            entries.append(ResourceEntry(LOG.format(campaign=head.id), f"Log of “{head.name}”", "application/json"))
            for artifact in artifacts.find(connection, head.id, limit=MOST_LISTED).rows:
                uri = ARTIFACT.format(campaign=head.id, type=artifact.artifact_type, key=artifact.key)
                entries.append(ResourceEntry(uri, f"{artifact.artifact_type} “{artifact.key}”", artifact.media_type))
            if len(entries) >= MOST_LISTED:
                break
    return entries[:MOST_LISTED]


def read(context: McpContext, uri: str) -> ResourceText:
    """Its text; raises `mcp_resource_unknown`, also for an artifact that is no text."""
    if match := _LOG.fullmatch(uri):
        return _log(context, match[1], uri)
    if match := _ARTIFACT.fullmatch(uri):
        campaign, artifact_type, key = match.groups()
        with context.journal.database.read() as connection:
            version = artifacts.latest_version(connection, campaign, artifact_type, key)
            stored = artifacts.stored(connection, campaign, artifact_type, key, version) if version else None
        if stored is not None and not stored.in_file:
            return ResourceText(stored.text, stored.media_type)
    raise OutriderError("mcp_resource_unknown", uri=uri[:300])


def _log(context: McpContext, campaign_id: str, uri: str) -> ResourceText:
    """The last entries of the event log, the newest first: what happened and to what, not the columns, which hold people's data."""
    with context.journal.database.read() as connection:
        if not campaign_overview.exists(connection, campaign_id):
            raise OutriderError("mcp_resource_unknown", uri=uri[:300])
        last = logs.lengths(connection, campaign_id).events
        events = logs.events_between(connection, campaign_id, max(0, last - LOG_ENTRIES), last, LOG_ENTRIES, 0)
    rows = [
        {"seq": event.seq, "at": event.at, "kind": event.kind, "about": event.entity_id, "actor": event.actor}
        for event in reversed(events)
    ]
    return ResourceText(json.dumps(rows), "application/json")
