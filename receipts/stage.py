"""One run of one engine: an empty folder, a ledger in a process of its own, and jobs that are started, killed and supervised."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from backend.adapters.child_processes import ProcessTree
from receipts import counting, faults
from receipts.site import arm

ROOT = Path(__file__).parents[1]
PATIENCE_SECONDS = 60.0
"""After so long a job that is not done counts as stuck; every engine's own waiting is shorter."""
RESTART_SECONDS = 1.0
LATE_SECONDS = 12.0
"""So much later than its request a late message arrives: after several attempts of whoever tries again at once."""
_GLANCE_SECONDS = 0.02


@dataclass
class Process:
    """A job's process, with all that it starts in one group."""

    command: Sequence[str]
    surroundings: Mapping[str, str]
    output_file: Path
    patience: float

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.patience
        self._start()

    def _start(self) -> None:
        with self.output_file.open("wb") as output:
            self._process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=dict(self.surroundings),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        ProcessTree(self._process).kill()
        self._process.wait()

    def end(self) -> str:
        while True:
            try:
                status = self._process.wait(max(0.0, self._deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                return counting.STUCK
            finally:
                self.kill()
            last = (self.output_file.read_text("utf-8", "replace").strip().splitlines() or [""])[-1]
            if status == 0 and last.startswith((counting.DONE, counting.ASKED)):
                return last.partition(":")[0]
            if time.monotonic() + RESTART_SECONDS >= self._deadline:
                return counting.STUCK
            time.sleep(RESTART_SECONDS)
            self._start()


@dataclass
class LedgerStage:
    """What the faults are brought about on."""

    folder: Path
    url: str
    ledger: Path
    job: Sequence[str]
    variant: str
    surroundings: Mapping[str, str]
    patience: float = PATIENCE_SECONDS

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.processes: list[Process] = []

    def start(self, folder: Path, workflow: str = "outreach", text: str = faults.TEXT) -> Process:
        command = [*self.job, str(folder), workflow, faults.PERSON, text, self.variant]
        surroundings = {**os.environ, **self.surroundings, "RECEIPTS_LEDGER": self.url, "PYTHONPATH": str(ROOT)}
        output_file = self.folder.with_name(f"job-{len(self.processes)}.txt")
        self.processes.append(Process(command, surroundings, output_file, self.patience))
        return self.processes[-1]

    def arm(self, fault: str, times: int = 1) -> None:
        arm(self.url, fault, times)

    def wait_for(self, event: str) -> None:
        deadline = time.monotonic() + self.patience
        while event not in (line["event"] for line in self.lines()):
            if time.monotonic() > deadline:
                output = "".join(process.output_file.read_text("utf-8", "replace") for process in self.processes)
                raise TimeoutError(f"the ledger never saw: {event}; the job said: {output[-2_000:]}")
            time.sleep(_GLANCE_SECONDS)

    def lines(self) -> list[dict[str, str]]:
        """What the ledger's file has, whole lines only."""
        text = self.ledger.read_text("utf-8")
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def messages(self) -> int:
        """So many arrived at the person."""
        return Counter(line["person"] for line in self.lines() if line["event"] == "effect")[faults.PERSON]


@contextmanager
def opened(
    job: Sequence[str],
    variant: str,
    surroundings: Mapping[str, str],
    patience: float = PATIENCE_SECONDS,
    late_seconds: float = LATE_SECONDS,
) -> Iterator[LedgerStage]:
    """A stage with its ledger running; everything is gone afterwards, killed jobs too."""
    with tempfile.TemporaryDirectory(prefix="receipts-", ignore_cleanup_errors=True) as place:
        path = Path(place) / "ledger.jsonl"
        path.touch()
        program = [sys.executable, "-m", "receipts.ledger", str(path), str(late_seconds)]
        ledger = subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert ledger.stdout is not None
        url = ledger.stdout.readline().strip()
        stage = LedgerStage(Path(place) / "state", url, path, job, variant, surroundings, patience)
        try:
            yield stage
        finally:
            for process in stage.processes:
                process.kill()
            ledger.kill()
            ledger.communicate()


def receipt(stage: LedgerStage, fault: faults.Fault) -> str:
    """The word for this fault on this engine."""
    endings = fault.bring_about(stage)
    return counting.outcome(stage.messages(), endings)
