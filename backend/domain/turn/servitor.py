"""A servitor: a task with a name, done only when what it promises is verified (spec 004, "Working", "Verifying", "Done")."""

import re
from collections.abc import Collection, Mapping

from backend.domain.events.events import Event
from backend.domain.events.facts.task import TaskCreated
from backend.domain.model.task import NEVER, ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.assistant_results import StatusLine
from backend.domain.turn.commitments import ArtifactExists
from backend.domain.turn.new_tasks import commitment
from backend.domain.turn.request import result
from backend.domain.turn.task_progress import NewId
from backend.domain.values.hidden_characters import as_it_looks

SOURCE = "servitor"
MOST = 1_000
LONGEST_NAME = 60
LONGEST_ASSIGNMENT = 500

STATES: Mapping[TaskStatus, str] = {
    TaskStatus.PENDING: "Working",
    TaskStatus.IN_PROGRESS: "Working",
    TaskStatus.BLOCKED: "Working",  # it waits for the user, and is not done
    TaskStatus.VERIFYING: "Verifying",
    TaskStatus.DONE: "Done",
}
"""What a task's status is called of a servitor; one that was cancelled is dismissed, and none any more."""

_NAMES = "Ada Bede Clio Dora Egon Fina Gwen Hugo Iris Jona Kira Levi Mira Nils Olga Piet".split()  # noqa: SIM905


def generated_name(taken: Collection[str]) -> str:
    """The first name that nobody has."""
    number = 0
    while True:
        number += 1
        for name in _NAMES:
            candidate = name if number == 1 else f"{name} {number}"
            if candidate not in taken:
                return candidate


def is_name(name: str) -> bool:
    """Whether it can be seen whole, on one line."""
    return len(name) <= LONGEST_NAME and as_it_looks(name) == name.strip() != "" and name.isprintable()


def report_key(name: str, servitor_id: str) -> str:
    """The key of the note that a servitor without other commitments has to leave."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    return f"{words or 'servitor'}-{servitor_id[-6:].lower()}"


def summoned(servitor_id: str, name: str, assignment: str, now: int, new_id: NewId) -> list[Event]:
    """A working servitor, with the promise that makes it done: its report, a note. Without an assignment it waits for one."""
    promise = ArtifactExists(type="artifact_exists", artifact_type="note", artifact_key=report_key(name, servitor_id))
    return [
        TaskCreated(
            servitor_id,
            kind=TaskKind.CUSTOM,
            description=f"{name}: {assignment or 'waits for an assignment'}",
            status=TaskStatus.IN_PROGRESS,
            needs=ActionFamily.THINK if assignment else ActionFamily.INPUT,
            ready_at=0 if assignment else NEVER,
            source=SOURCE,
            metadata={"servitor": name, "assignment": assignment},
            created_at=now,
        ),
        commitment(new_id(), servitor_id, promise.model_dump(), "controller"),
    ]


def verified(line_id: str, servitor_id: str, line: int, name: str, failed: str, now: int) -> Event:
    """The line that tells the user and the assistant what the verification of a servitor found, good or bad."""
    sentence = f"{name} is not done: {failed}" if failed else f"{name} is done, and its result was checked."
    return result(line_id, servitor_id, line, None, StatusLine(sentence=sentence), now)
