"""`outrider agreement`: what the page shows of the rounds, in the terminal."""

import json
from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.terminal.agreement import print_agreement
from backend.terminal.output import TerminalOutput
from tests.api import by_hand


def test_the_rounds_are_told_in_words_and_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = AppSettings(tmp_path / "data", "", 10)
    settings.data_dir.mkdir()
    with open_workspace(settings) as workspace:
        campaign = by_hand.make(workspace, tmp_path)
    print_agreement(TerminalOutput(), settings, campaign[:8])
    assert "No people were put in order yet" in capsys.readouterr().out
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            ids = [id_ for (id_,) in connection.execute("SELECT id FROM leads ORDER BY id")]
        workspace.commands().rankings.save(campaign, ids)
    print_agreement(TerminalOutput(), settings, campaign[:8])
    text = capsys.readouterr().out
    assert "Rounds: 1" in text
    assert "Too little for a suggestion" in text
    print_agreement(TerminalOutput(as_json=True), settings, campaign[:8])
    result = json.loads(capsys.readouterr().out)
    assert result["campaign"] == campaign
    counted = result["agreement"]
    assert counted["agree"] + counted["disagree"] + counted["same"] == len(ids) * (len(ids) - 1) // 2
    with pytest.raises(OutriderError) as unknown:
        print_agreement(TerminalOutput(), settings, "nobody")
    assert unknown.value.code == "campaign_unknown"
