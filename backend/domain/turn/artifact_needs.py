"""Which artifacts a task's work needs: those that it names, and those of the types that its occasion calls for (spec 000 §8.3).

Whatever is not named here is not shown: an agent never assumes that an artifact exists.
"""

import re
from typing import NamedTuple

from backend.domain.model.artifact import ArtifactType
from backend.domain.model.task import Task, TaskKind

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
