"""What a turn for the user's request may find out or do: each tool a typed call, a typed finding, or a question to the user."""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from backend.controller.context import Context
from backend.domain.calendar import span
from backend.domain.events import Event
from backend.domain.findings import ArtifactsFound, Finding
from backend.domain.proposals import LookUp, SearchArtifacts, ShowArtifact
from backend.store import artifact_search
from backend.store.artifact_search import Wanted


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, and the events of what was done."""

    finding: Finding
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """Only the user can say which: a question with choices made by the controller, and what each stands for."""

    kind: str
    question: str
    choices: tuple[str, ...]
    payload: dict[str, Any] = field(default_factory=dict)


def look_up(connection: sqlite3.Connection, context: Context, call: LookUp) -> Found | Ask:
    """Carry the call out on this moment's state."""
    return _LOOKUPS[call.tool](connection, context, call)


def _search(connection: sqlite3.Connection, context: Context, call: Any) -> Found:
    total, found = artifact_search.newest(connection, context.campaign.id, _wanted(context, call))
    return Found(ArtifactsFound(total=total, found=tuple(found)))


def _wanted(context: Context, call: SearchArtifacts | ShowArtifact) -> Wanted:
    after, before = span(call.day, call.since, call.until, context.around.now, context.around.offset)
    words = tuple(word for word in re.split(r"[^a-z0-9]+", call.words.lower()) if word)
    want = Wanted(words, call.artifact_type or "", after=after, before=before)
    if isinstance(call, ShowArtifact):
        want = want._replace(key=call.artifact_key or "", version=call.version)
    return want


_LOOKUPS: dict[str, Callable[[sqlite3.Connection, Context, Any], Found | Ask]] = {
    "artifacts.search": _search,
}
