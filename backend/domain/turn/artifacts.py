"""Which artifacts a task's work needs (spec 000 §8.3), and the event by which one is kept."""

import re
from typing import NamedTuple

from backend.domain.events.events import Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.turn import ArtifactPersisted
from backend.domain.model.artifact import ArtifactContent, ArtifactType, Maker
from backend.domain.model.content_schema import PLAIN
from backend.domain.model.task import Task, TaskKind


def artifact_persisted(content: ArtifactContent, artifact_id: str, made_by: Maker, latest: int, now: int) -> Event:
    """The fact that it is kept as the version after `latest` (0 when there is none)."""
    return ArtifactPersisted(
        artifact_id,
        artifact_type=content.artifact_type,
        artifact_key=content.key,
        made_by=str(made_by),
        content=content.text,
        schema=content.schema,
        version=latest + 1,
        created_at=now,
        sha256=content.sha256,
        bytes=content.size,
        media_type=OMITTED if content.media_type == PLAIN else content.media_type,
        in_file=1 if content.in_file else OMITTED,
    )


FOR_DRAFTING = (ArtifactType.CONTEXT, ArtifactType.JOB_POSTING, ArtifactType.RESEARCH)
"""What somebody who writes to people should have read, in the order of its weight."""

MOST_NAMED = 8
_NAME = re.compile(rf"(?<![\w/])({'|'.join(ArtifactType)})/([a-z0-9](?:[a-z0-9_.-]{{0,62}}[a-z0-9_-])?)(?![\w/])")


class ArtifactNeeds(NamedTuple):
    """(type, key) of those that are named, in their order, and the types whose latest are needed."""

    named: tuple[tuple[str, str], ...] = ()
    types: tuple[ArtifactType, ...] = ()


def artifact_needs(task: Task, *, drafting: bool) -> ArtifactNeeds:
    """What this task's next turn should see; `drafting` says that a text is due."""
    # A lead's task is described by their name, which came from outside: that selects nothing.
    named = () if task.kind in (TaskKind.REACH_LEAD, TaskKind.ANSWER, TaskKind.WITHDRAW) else named_in(task.description)
    return ArtifactNeeds(named, FOR_DRAFTING if drafting else ())


def named_in(text: str) -> tuple[tuple[str, str], ...]:
    """The artifacts that a text names as `type/key`, each once: “compare research/acme with note/plan.md”."""
    return tuple(dict.fromkeys((match[1], match[2]) for match in _NAME.finditer(text)))[:MOST_NAMED]
