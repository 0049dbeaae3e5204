"""The resources of the MCP server: artifacts and a campaign's log, for reading."""

import json
import re
from typing import NamedTuple

from backend.domain.errors import OutriderError
from backend.mcp.tools import McpContext
from backend.store.queries import artifacts, campaign_overview, logs

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
    found: list[ResourceEntry] = []
    with context.journal.database.read() as connection:
        for head in campaign_overview.overviews(connection):
            found.append(ResourceEntry(LOG.format(campaign=head.id), f"Log of “{head.name}”", "application/json"))
            for one in artifacts.find(connection, head.id, limit=MOST_LISTED).rows:
                uri = ARTIFACT.format(campaign=head.id, type=one.artifact_type, key=one.key)
                found.append(ResourceEntry(uri, f"{one.artifact_type} “{one.key}”", one.media_type))
            if len(found) >= MOST_LISTED:
                break
    return found[:MOST_LISTED]


def read(context: McpContext, uri: str) -> ResourceText:
    """Its text; raises `mcp_resource_unknown`, also for an artifact that is no text."""
    if match := _LOG.fullmatch(uri):
        return _log(context, match[1], uri)
    if match := _ARTIFACT.fullmatch(uri):
        campaign, artifact_type, key = match.groups()
        with context.journal.database.read() as connection:
            version = artifacts.latest_version(connection, campaign, artifact_type, key)
            kept = artifacts.stored(connection, campaign, artifact_type, key, version) if version else None
        if kept is not None and not kept.in_file:
            return ResourceText(kept.text, kept.media_type)
    raise OutriderError("mcp_resource_unknown", uri=uri[:300])


def _log(context: McpContext, campaign_id: str, uri: str) -> ResourceText:
    """The last entries of the event log, the newest first: what happened and to what, not the columns, which hold people's data."""
    with context.journal.database.read() as connection:
        if not campaign_overview.exists(connection, campaign_id):
            raise OutriderError("mcp_resource_unknown", uri=uri[:300])
        last = logs.lengths(connection, campaign_id).events
        found = logs.events_between(connection, campaign_id, max(0, last - LOG_ENTRIES), last, LOG_ENTRIES, 0)
    rows = [{"seq": e.seq, "at": e.at, "kind": e.kind, "about": e.entity_id, "actor": e.actor} for e in reversed(found)]
    return ResourceText(json.dumps(rows), "application/json")
