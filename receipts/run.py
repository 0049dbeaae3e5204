"""`python -m receipts.run [ENGINE …]`: every fault on every engine, printed, and written to docs/receipts.md if all were run."""

import datetime
import platform
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from receipts import environment, report
from receipts.faults import FAULTS, Fault
from receipts.rows import ENGINES, LEFT_OUT, Engine
from receipts.stage import ROOT, opened, receipt

PAGE = ROOT / "docs" / "receipts.md"
AT_ONCE = 4


class Run(NamedTuple):
    """One cell of the table."""

    engine: Engine
    variant: str
    fault: Fault
    python: Path
    surroundings: dict[str, str]

    def word(self) -> str:
        job = [str(self.python), "-m", f"receipts.engines.{self.engine.module}"]
        with opened(job, self.variant, self.surroundings) as stage:
            word = receipt(stage, self.fault)
        print(f"{self.engine.name:13} {self.variant:24} {self.fault.name:14} {word}", flush=True)
        return word


def main(modules: Sequence[str]) -> None:
    unknown = set(modules) - {engine.module for engine in ENGINES}
    if unknown:
        sys.exit(f"no such engine: {' '.join(sorted(unknown))}")
    engines = [engine for engine in ENGINES if not modules or engine.module in modules]
    left_out = list(LEFT_OUT)
    ours, theirs, server = Path(sys.executable), environment.python(), environment.restate_server()
    if server is None:
        engines = [engine for engine in engines if engine.module != "restate"]
        left_out.append(
            ("Restate", "its server (npm package `@restatedev/restate-server`) could not be installed here.")
        )
    surroundings = {"RECEIPTS_RESTATE_SERVER": str(server)}
    runs = [
        Run(engine, variant, fault, ours if engine.module == "outrider" else theirs, surroundings)
        for engine in engines
        for variant in engine.variants
        for fault in FAULTS
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        words = list(pool.map(Run.word, runs))
    rows = [
        report.Row(run.engine, run.variant, words[at : at + len(FAULTS)])
        for at, run in enumerate(runs)
        if run.fault is FAULTS[0]
    ]
    print(report.table(rows))
    if not modules:
        packages = [package for engine in engines for package in engine.packages]
        versions = environment.versions(theirs, packages)
        if server is not None:
            versions["restate-server"] = environment.RESTATE_SERVER.rpartition("@")[2]
        PAGE.write_text(report.document(rows, versions, left_out, _made()), "utf-8")


def _made() -> str:
    """When, on what and from which revision."""
    revision = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    day = datetime.datetime.now(datetime.UTC).date()
    system = f"Python {platform.python_version()} on {platform.system()}"
    return f"Made on {day} with {system}; Outrider at revision {revision or 'unknown'}."


if __name__ == "__main__":
    main(sys.argv[1:])
