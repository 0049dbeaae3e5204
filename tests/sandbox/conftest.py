"""Sandboxes on one compiled interpreter, and a world that a script may look at."""

import json
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import filelock
import pytest

from backend.adapters import processes
from backend.adapters.sandbox.runtime import usual_folder
from backend.adapters.sandbox.sandbox import ALL_LAYERS, Layers, WasiSandbox
from backend.app.wiring import start_questions
from backend.domain.device.script import ScriptLimits, ScriptOutcome
from backend.runtime.worker import THREADS

NOW = 1_700_000_000_000
QUICK = ScriptLimits(seconds=20, fuel=20_000_000_000, memory_bytes=128 * 1024 * 1024)
"""Limits that an attempt at exhaustion runs into within seconds."""
FOREVER = "SELECT ltrim(printf('%999999d', 1), replace(printf('%60000d', 1), ' ', 'x') || ' ')"
"""Minutes on a fast machine, and no interruption is looked at in them: each of the one's characters is sought in the other."""

Run = Callable[..., ScriptOutcome]


questions = partial(start_questions, THREADS)
"""Starts the real process in which a script's SQL is asked."""


def sandbox(layers: Layers = ALL_LAYERS) -> WasiSandbox:
    """A sandbox that starts real processes."""
    folder = usual_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = WasiSandbox(
        folder,
        THREADS,
        processes.command(processes.SANDBOX),
        processes.bare_environment(),
        questions,
        layers,
    )
    with filelock.FileLock(folder.parent / "making-sandbox.lock"):  # it takes long, and they run beside each other
        made.prepare()
    return made


class TwoLeads:
    """The answer to every question of a script."""

    def ask(self, question: Mapping[str, Any]) -> bytes:
        rows = [["l1", "Ada Byron", "Analytical"], ["l2", "Grace Hopper", "Navy"]]
        return json.dumps({"columns": ["id", "full_name", "company"], "rows": rows, "more": False}).encode()

    def stop(self) -> None:
        """It is never asked for long."""


def runner(layers: Layers = ALL_LAYERS) -> Run:
    """Runs a script within quick limits."""
    made = sandbox(layers)

    def run(source: str, limits: ScriptLimits = QUICK, cancelled: threading.Event | None = None) -> ScriptOutcome:
        return made.run(source, TwoLeads(), now=NOW, limits=limits, cancelled=cancelled)

    return run


@pytest.fixture(scope="session")
def run() -> Run:
    return runner()
