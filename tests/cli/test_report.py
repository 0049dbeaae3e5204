"""`outrider report`: a small campaign's exact figures, in a new file of the kind that its name says."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from backend.app.wiring import Workspace, open_workspace
from backend.domain.events.events import Event
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.terminal.campaigns import write_report
from backend.terminal.output import TerminalOutput
from tests.api import by_hand
from tests.fakes.clock import START

NAME = "=HYPERLINK(1) <b>&"


@pytest.fixture
def settings(tmp_path: Path) -> AppSettings:
    return AppSettings(tmp_path / "data", "", 10)


@pytest.fixture
def campaign(settings: AppSettings, tmp_path: Path) -> str:
    """Three people: two invited, one of them accepted and answered; the name is hostile."""
    settings.data_dir.mkdir()
    with open_workspace(settings) as workspace:
        made = by_hand.make(workspace, tmp_path)
        _history(workspace, made)
    return made


def _history(workspace: Workspace, campaign: str) -> None:
    def record(*events: Event) -> None:
        workspace.journal.record(campaign, events=events, actor="agent", cause="t1", at=START)

    record(Event("CampaignEdited", campaign, {"name": NAME}))
    with workspace.database.read() as connection:
        ids = [id_ for (id_,) in connection.execute("SELECT id FROM leads ORDER BY id")]
    for n, lead in enumerate(ids[:2]):
        text = {"lead_id": lead, "step": "invitation", "kind": "invitation", "text": "Hi", "status": "sent"}
        record(Event("OwnMessageFound", f"m{n}", {**text, "sent_at": START, "created_at": START}))
        record(Event("LeadAdvanced", lead, {"status": "contacted", "invited_at": START}))
    record(
        Event("LeadAdvanced", ids[0], {"status": "responded", "accepted_at": START + 1, "replied_at": START + 2}),
    )


def rows(file: Path) -> list[Sequence[str]]:
    with file.open(encoding="utf-8-sig", newline="") as text:
        return list(csv.reader(text))


def test_a_spreadsheet_holds_the_exact_figures_and_no_formula(
    settings: AppSettings, campaign: str, tmp_path: Path
) -> None:
    file = tmp_path / "numbers.CSV"
    write_report(TerminalOutput(), settings, campaign, file)
    cells = rows(file)
    assert ["About", "Campaign", "", "", "", "", "", "", "", f"'{NAME}"] in cells
    assert ["About", "Clock", *[""] * 7, "Real time, local to the campaign"] in cells
    figures = {(row[0], row[1], row[2]): row[3:9] for row in cells if row[2]}
    assert figures["Funnel", "All leads", "Got this far"] == ["3", "3", "1.0000", "", "", ""]
    assert figures["Funnel", "Contacted", "Got this far"] == ["2", "3", "0.6667", "", "", ""]
    assert figures["Funnel", "Replied", "Here now"] == ["1", "3", "0.3333", "", "", ""]
    half = ["1", "2", "0.5000", "0.0945", "0.9055", "few"]
    assert figures["Step by step", "Invitation", "Sent"] == ["2", "", "", "", "", ""]
    assert figures["Step by step", "Invitation", "Accepted"] == half
    assert figures["Step by step", "Invitation", "Replied"] == half
    titles = [key for key in figures if key[0] == "Response by job title"]
    assert len(titles) == 2
    words = [row[-1] for row in cells if row[0] == "Not known"]
    assert "When 1 of those who replied did so; they are not in “Time to reply”." in words


def test_a_page_is_written_once_told_and_recorded(
    settings: AppSettings, campaign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.html"
    write_report(TerminalOutput(as_json=True), settings, campaign[:8], file)
    page = file.read_bytes()
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "bytes": len(page)}
    assert b"<h1>=HYPERLINK(1) &lt;b&gt;&amp;</h1>" in page
    assert CHANNELS[ASSIST].title in page.decode()
    with pytest.raises(OutriderError) as refused:
        write_report(TerminalOutput(), settings, campaign, file)
    assert refused.value.code == "export_failed"
    assert file.read_bytes() == page
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        (written,) = connection.execute("SELECT payload FROM audit_log WHERE cause='report'").fetchall()
    assert "report.html" in written[0]
    with pytest.raises(OutriderError) as unknown:
        write_report(TerminalOutput(), settings, "nobody", tmp_path / "other.html")
    assert unknown.value.code == "campaign_unknown"
