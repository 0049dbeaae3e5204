"""A tool is one row: nothing else in the backend names it, and a made-up one needs its row and its handler only."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from backend.adapters.sites.user_hands import NoSite
from backend.domain.model.tools import TOOLS, Reconcile
from backend.turn.execute.carry_out import HANDLERS
from backend.turn.gateway import ToolGateway

BACKEND = Path(__file__).parents[2] / "backend"


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_is_named_in_its_table_only(tool: str) -> None:
    named = [path for path in BACKEND.rglob("*.py") if f'"{tool}"' in path.read_text("utf-8")]
    assert named == [BACKEND / "domain/model/tools.py"]


def test_every_tool_has_a_handler_and_every_handler_a_tool() -> None:
    assert {spec.handler for spec in TOOLS.values()} == HANDLERS.keys()


@pytest.mark.parametrize("tool", [name for name, spec in TOOLS.items() if spec.reconcile is not Reconcile.RETRY_SAFE])
def test_what_cannot_be_repeated_freely_is_no_look(tool: str) -> None:
    gateway = ToolGateway(NoSite(), lambda: 0)
    with pytest.raises(ValueError, match="needs an intent first"):
        gateway._look(tool, None, lambda: None)
    assert TOOLS[tool].sends or TOOLS[tool].handler == "withdraw"


def test_a_made_up_tool_works_once_it_has_its_row_and_its_handler(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.repository.made_up.tool", str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["offered"]
    (sentence,) = report["said"]
    assert sentence.startswith("browser.wave_hello at ")
    assert report["campaign"] == "completed", "the campaign goes on with its other tools"
