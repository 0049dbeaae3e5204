"""The command line that every engine's job has, and the one word by which it ends.

`python -m receipts.engines.ENGINE FOLDER WORKFLOW PERSON TEXT VARIANT` starts the workflow, or goes on with the one of that name
that is in FOLDER. The last line that it prints is `done`, or `asked:` with the question that a person has to answer. Anything
else is a failure, after which a supervisor starts it again.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from receipts import site


class Job(NamedTuple):
    """Write `text` to `person`, in the workflow of this name, whose state is in `folder`."""

    folder: Path
    workflow: str
    person: str
    text: str
    variant: str

    @property
    def send(self) -> Callable[[str, str], str]:
        """The tool: in the variant “looks first” it looks before it sends."""
        return site.look_and_send if self.variant == "looks first" else site.send


class Asked(Exception):  # noqa: N818 - a question, not a defect
    """A person has to decide."""


def run(work: Callable[[Job], object]) -> None:
    """Do it, and say how it ended."""
    folder, *words = sys.argv[1:]
    job = Job(Path(folder), *words)
    try:
        work(job)
    except Asked as question:
        print(f"asked: {question}", flush=True)
    else:
        print("done", flush=True)
