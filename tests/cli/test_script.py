"""`outrider script`: checked, approved, run and kept, or refused with a reason; and an answer that is found again."""

from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.domain.model.campaign import Settings
from backend.machine.settings import AppSettings
from tests.cli.outrider import Ended, Outrider


@pytest.fixture
def campaign(outrider: Outrider) -> str:
    outrider.data_dir.mkdir()
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        return workspace.commands().campaigns.create("Test", "goal", site="practice", account="a", settings=Settings())


def run(outrider: Outrider, campaign: str, source: str, *more: str) -> Ended:
    file = outrider.data_dir.parent / "script.py"
    file.write_bytes(source.encode())
    return outrider("script", "run", str(file), "--campaign", campaign, "--json", *more)


def test_a_script_runs_once_it_is_approved_and_its_answer_is_found_again(outrider: Outrider, campaign: str) -> None:
    ended = run(outrider, campaign, "print('hello')\nresult = query('SELECT name FROM campaign')", "--approve")
    result = ended.told
    assert (ended.status, result["status"], result["result"], result["output"]) == (
        0,
        "ok",
        [{"name": "Test"}],
        "hello\n",
    ), result
    assert {"process", "wasi", "restrictedpython"} <= set(result["layers"])
    assert result["reproducible"]
    assert result["ms"] > 0
    verified = outrider("script", "verify", result["result_id"], "--json")
    assert verified.status == 0
    assert verified.told["same"]
    assert verified.told["script_sha256"] == result["script_sha256"]
    assert outrider("log", "verify", "--json").status == 0


def test_nothing_runs_without_approval(outrider: Outrider, campaign: str) -> None:
    ended = run(outrider, campaign, "result = 1")
    assert ended.status == 1
    assert (ended.told["status"], ended.told["code"], ended.told["result"]) == ("failed", "not_interactive", None)


@pytest.mark.parametrize(
    ("source", "status", "code"),
    [
        ("import os\nresult = 1", "denied", "script_denied"),
        ("result = 1 / 0", "failed", "script_failed"),
        ("result = 1  # \u202e", "denied", "script_hides"),
    ],
)
def test_a_bad_script_is_refused_with_a_reason(
    outrider: Outrider, campaign: str, source: str, status: str, code: str
) -> None:
    ended = run(outrider, campaign, source, "--approve")
    assert ended.status == 1
    assert (ended.told["status"], ended.told["code"], ended.told["result"]) == (status, code, None)
    assert ended.told["message"]


def test_a_campaign_or_a_file_that_is_not_there_is_told(outrider: Outrider, campaign: str, tmp_path: Path) -> None:
    ended = outrider("script", "run", str(tmp_path / "none.py"), "--campaign", campaign, "--approve", "--json")
    assert (ended.status, ended.told["status"], ended.told["code"]) == (1, "failed", "script_file_unreadable")
