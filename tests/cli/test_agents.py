"""`outrider agent` ends with one JSON line and a status that says whether the agent completed."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.domain.model.campaign import Settings
from backend.machine.settings import read_settings
from backend.store.queries.turn import artifacts
from tests.cli.outrider import COMMAND, ROOT, Outrider
from tests.posix import make_pipe

RUN = ("agent", "run", "recent-pdfs", "--json", "--days", "7", "--directory")


def test_a_folder_with_a_pdf_leads_to_completed(outrider: Outrider, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    name = os.fsdecode(b"odd\xff\n.pdf")
    (tmp_path / "in" / name).write_bytes(b"%PDF-1.4 broken")
    ended = outrider(*RUN, str(tmp_path / "in"))
    assert ended.status == 0
    result = ended.told
    assert result["state"] == "Completed"
    assert result["states"] == ["Init", "RequestFileSearch", "ProcessFileResults", "RequestSummary", "Completed"]
    assert result["files"] == [str(tmp_path / "in" / name)]
    assert result["summary"].startswith("1 PDF file, 0 read, 1 unreadable.")
    assert result["reason"] == ""
    assert [call["tool"] for call in result["tool_calls"]] == ["FileSearchTool", "TextSummaryTool"]


def test_an_empty_folder_completes_without_a_summary(outrider: Outrider, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    ended = outrider(*RUN, str(tmp_path / "in"))
    assert (ended.status, ended.told["files"], ended.told["summary"]) == (0, [], "")
    assert ended.told["states"] == ["Init", "RequestFileSearch", "ProcessFileResults", "Completed"]


def test_a_folder_that_is_not_there_fails_with_the_reason(outrider: Outrider, tmp_path: Path) -> None:
    ended = outrider(*RUN, str(tmp_path / "nowhere"))
    assert (ended.status, ended.code) == (1, "agent_folder_missing")
    assert ended.told["state"] == "Failed"
    assert ended.told["reason"].startswith("agent_folder_missing: ")


@pytest.mark.parametrize(
    ("wrong", "code"),
    [(("recent-pdf", "--days", "1"), "agent_unknown"), (("recent-pdfs", "--days", "1"), "agent_input_missing")],
)
def test_what_is_no_run_is_refused(outrider: Outrider, wrong: tuple[str, ...], code: str) -> None:
    ended = outrider("agent", "run", *wrong, "--json")
    assert (ended.status, ended.code) == (1, code)


def test_what_lies_in_the_folder_in_which_it_is_started_is_not_run(outrider: Outrider, tmp_path: Path) -> None:
    folder = tmp_path / "downloads"
    folder.mkdir()
    for name in ("backend", "json", "pypdf", "encodings"):
        (folder / f"{name}.py").write_text("open('ran', 'w').close(); raise SystemExit(9)")
    (folder / "a.pdf").write_bytes(b"%PDF-1.4")
    path = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    command = [*COMMAND, *RUN, ".", "--data-dir", str(outrider.data_dir)]
    done = subprocess.run(command, cwd=folder, env=path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (folder / "ran").exists()


@pytest.mark.posix
def test_ctrl_c_ends_a_run_as_failed(outrider: Outrider, tmp_path: Path) -> None:
    fifo = make_pipe(tmp_path / "started")
    script = (
        "import time\nfrom backend.adapters.files.file_search import FileSearcher\nreal = FileSearcher.search\n"
        f"def slow(self, params, cancelled):\n    open({str(fifo)!r}, 'w').close()\n"
        "    while not cancelled(): time.sleep(0.01)\n    return real(self, params, cancelled)\n"
        "FileSearcher.search = slow\n" + COMMAND[-1]
    )
    command = [*COMMAND[:-1], script, *RUN, str(tmp_path), "--data-dir", str(outrider.data_dir)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    fifo.read_text()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, '"state": "Failed"' in out, "[agent_cancelled]" in err) == (1, True, True)


def test_the_agents_are_listed_with_what_they_need(outrider: Outrider) -> None:
    agents = outrider("agent", "list", "--json").told["agents"]
    assert {agent["name"]: agent["inputs"] for agent in agents} == {
        "pending-invitations": ["days"],
        "recent-pdfs": ["directory", "days"],
    }


def test_what_was_found_is_kept_with_a_campaign(outrider: Outrider, tmp_path: Path) -> None:
    with open_workspace(read_settings(data_dir=outrider.data_dir)) as workspace:
        campaign = workspace.commands().campaigns.create(
            "Talk", "A talk", site="practice", account="a", settings=Settings()
        )
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").touch()
    assert outrider(*RUN, str(tmp_path / "in"), "--save-to", "nowhere").code == "campaign_unknown"
    assert outrider(*RUN, str(tmp_path / "in"), "--save-to", campaign).status == 0
    with (
        open_workspace(read_settings(data_dir=outrider.data_dir)) as workspace,
        workspace.database.read() as connection,
    ):
        artifact = artifacts.stored(connection, campaign, "file_summary", "recent-pdfs", 1)
    assert artifact is not None
    assert "- a.pdf: not read, it is empty" in artifact.text


def test_a_folder_whose_name_is_no_utf8_is_told_as_it_is(outrider: Outrider, tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff\xfe")
    assert outrider(*RUN, str(folder)).code == "agent_folder_missing"
    folder.mkdir()
    (folder / "a.pdf").touch()
    assert outrider(*RUN, str(folder)).told["files"] == [str(folder / "a.pdf")]
