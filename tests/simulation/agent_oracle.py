"""What must hold of passive agents, told from what their processes were asked and said, and from what their tools were given.

No code of the product is used here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.simulation.oracle import Violation

FOLDER = "/"
"""The folder that the user names: one that is there on every machine. Nobody looks into it."""
MOST_STEPS = 20
MAY_USE = {
    "pending-invitations": {"PendingInvitations"},
    "recent-pdfs": {"FileSearch", "TextSummary"},
}
MAY_RECORD = frozenset({"ArtifactPersisted", "TaskClaimed", "TaskBlocked", "InputRequested"})
"""The kinds of event that a run's end may record."""


@dataclass(eq=False)
class Asked:
    """A process of an agent: how often it was asked, and what its tools gave."""

    agent: str
    steps: int = 0
    found: list[str] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    lied: bool = False
    """It wanted what it must not have, or said nonsense; it must be over with that."""
    done: bool = False


class Summary(NamedTuple):
    """What is kept of a run: under which key, and its text."""

    key: str
    text: str


class RunOnRecord(NamedTuple):
    """A run as a device has it."""

    agent: str
    state: str
    found: str
    is_over: bool


@dataclass
class AgentOracle:
    """Hears of every process, and of all that tools are given."""

    runs: list[Asked] = field(default_factory=list)

    def begins(self, run: Asked) -> None:
        """A process is there."""
        self.runs.append(run)

    def asked(self, run: Asked, *, over: bool) -> None:
        """It is to decide once more."""
        run.steps += 1
        if over:
            raise Violation(f"{run.agent} is asked after its end")
        if run.lied or run.done:
            raise Violation(f"{run.agent} goes on after {'what ends it' if run.lied else 'it was done'}")
        if run.steps > MOST_STEPS:
            raise Violation(f"{run.agent} took {run.steps} steps")

    def misbehaves(self, run: Asked) -> None:
        """What it says now must end it."""
        run.lied = True

    def completes(self, run: Asked, *, is_done: bool) -> None:
        """It says that it has done what it is for."""
        run.done = is_done

    def uses(self, run: Asked, tool: str, parameters: Mapping[str, Any], value: str | tuple[str, ...]) -> None:
        """A tool was run for it."""
        if run.lied:
            raise Violation(f"{run.agent} is given {tool} with {parameters}, which it must not have")
        if tool not in MAY_USE[run.agent]:
            raise Violation(f"{run.agent} uses {tool}")
        if parameters.get("directory", FOLDER) != FOLDER:
            raise Violation(f"{run.agent} looks into {parameters['directory']}")
        if not run.files.issuperset(parameters.get("files", ())):
            raise Violation(f"{run.agent} reads what it never found: {parameters['files']}")
        if isinstance(value, tuple):
            run.files.update(value)
            run.found += value
        else:
            run.found.append(value)

    def judge_runs(self, rows: Iterable[RunOnRecord]) -> None:
        """None is said to have done what it did not, or to be still at it."""
        for row in rows:
            if not row.is_over:
                raise Violation(f"a run of {row.agent} never ended")
            if row.state == "Completed":
                self._found_by(row.agent, row.found)

    def judge_kept(self, summaries: Iterable[Summary], done: Iterable[tuple[str, str]]) -> None:
        """Each summary is what one run of that agent found; a task, by id and agent, is done with its own summary."""
        keys = set[str]()
        for key, text in summaries:
            keys.add(key)
            self._found_by(next(name for name in MAY_USE if key.startswith(name)), text)
        for task, agent in done:
            if f"{agent}-{task[-6:].lower()}" not in keys:
                raise Violation(f"the task of {agent} is done, and nothing is kept of it")

    @staticmethod
    def judge_events(kinds: Iterable[str]) -> None:
        """Nothing else follows from a run."""
        if more := sorted(set(kinds) - MAY_RECORD):
            raise Violation(f"an agent's run recorded {', '.join(more)}")

    def _found_by(self, agent: str, text: str) -> None:
        """Word for word what some run of it was given that ended well."""
        lines = [line.strip() for line in text.splitlines()[1:] if line.strip()]
        finished = [run for run in self.runs if run.agent == agent and run.done and not run.lied]
        if not any([" ".join(finding.split()) for finding in run.found] == lines for run in finished):
            raise Violation(f"no run of {agent} found {text[:200]!r}")
