"""The eight faults, each as what is done to a job and to the site; none of them knows the engine."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

PERSON = "anna"
TEXT = "Hello Anna, may I ask you something?"
OTHER_TEXT = "Hello Anna, are you going to the fair?"


class Running(Protocol):
    """A job's process."""

    def kill(self) -> None:
        """It and all that it started, at once (SIGKILL)."""

    def end(self) -> str:
        """Wait, and start it again as a supervisor would as long as it fails: done, asked or stuck."""


class Stage(Protocol):
    """What a fault can do: start jobs, break the site, and see what arrived."""

    @property
    def folder(self) -> Path:
        """Where the engine keeps its state; nothing is there yet."""

    def start(self, folder: Path, workflow: str = "outreach", text: str = TEXT) -> Running:
        """Start the workflow in this folder, or go on with it."""

    def arm(self, fault: str, times: int = 1) -> None:
        """From now on, at the site; "" ends what was armed."""

    def wait_for(self, event: str) -> None:
        """Until the ledger has a line of this kind."""


def killed_after_the_effect(stage: Stage) -> list[str]:
    stage.arm("answer held")
    first = stage.start(stage.folder)
    stage.wait_for("effect")
    first.kill()
    stage.arm("")
    return [stage.start(stage.folder).end()]


def answer_lost(stage: Stage) -> list[str]:
    stage.arm("answer lost")
    return [stage.start(stage.folder).end()]


def arrives_late(stage: Stage) -> list[str]:
    stage.arm("late")
    ending = stage.start(stage.folder).end()
    stage.wait_for("arrived late")
    return [ending]


def _before_the_effect(stage: Stage) -> None:
    """The workflow is begun and waits for its model; its process is killed, so that the folder can be copied whole."""
    stage.arm("model held")
    first = stage.start(stage.folder)
    stage.wait_for("model asked")
    first.kill()
    stage.arm("")


def older_state_restored(stage: Stage) -> list[str]:
    _before_the_effect(stage)
    backup = stage.folder.with_name("backup")
    shutil.copytree(stage.folder, backup)
    stage.start(stage.folder).end()
    shutil.rmtree(stage.folder)
    shutil.copytree(backup, stage.folder)
    return [stage.start(stage.folder).end()]


def folder_copied(stage: Stage) -> list[str]:
    _before_the_effect(stage)
    copy = stage.folder.with_name("copy")
    shutil.copytree(stage.folder, copy)
    stage.arm("two at once")
    both = [stage.start(stage.folder), stage.start(copy)]
    return [each.end() for each in both]


def two_workers(stage: Stage) -> list[str]:
    stage.arm("two at once")
    both = [stage.start(stage.folder), stage.start(stage.folder)]
    return [each.end() for each in both]


def model_fails(stage: Stage) -> list[str]:
    stage.arm("model fails", times=2)
    return [stage.start(stage.folder).end()]


def two_workflows(stage: Stage) -> list[str]:
    first = stage.start(stage.folder, "first", TEXT).end()
    return [first, stage.start(stage.folder, "second", OTHER_TEXT).end()]


class Fault(NamedTuple):
    """Its name in the table, what it is, and how it is brought about."""

    name: str
    description: str
    bring_about: Callable[[Stage], list[str]]


FAULTS = (
    Fault(
        "killed", "the process is killed when the message has arrived and its answer has not", killed_after_the_effect
    ),
    Fault("answer lost", "the message arrives, the connection ends without an answer", answer_lost),
    Fault("late", "the connection ends without an answer, and the message arrives twelve seconds later", arrives_late),
    Fault(
        "older state",
        "the state from before the message is put back after it, and the job is run again",
        older_state_restored,
    ),
    Fault(
        "copied", "the state is copied before the message, and both copies are run at the same moment", folder_copied
    ),
    Fault("two workers", "two processes run the same workflow on the same state at the same moment", two_workers),
    Fault("model fails", "the model fails twice when the message has been sent", model_fails),
    Fault(
        "two workflows",
        "two workflows, one after the other, each with words of its own for the same person",
        two_workflows,
    ),
)
