"""The agent of spec 003, state by state, with its real tools on real folders."""

import os
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfWriter

from backend.agents.passive import passive_agent
from backend.agents.passive.recent_pdfs import RecentPdfs, RecentPdfsContext, RecentPdfsState
from backend.app.wiring import build_supervisor
from backend.domain.device.agent_tools import FileSearch, TextSummary, ToolAnswer
from backend.domain.device.passive_agent import AgentInputs, Completed, Failed, ToolRequest
from backend.domain.values.errors import OutriderError
from backend.runtime.workspace import Workspace
from tests.agents.conftest import Supervise, answers, finds

S = RecentPdfsState
GIVEN = AgentInputs("/folder", 3)


def stepped(state: RecentPdfsState, **context: Any) -> tuple[list[str], Any]:
    agent = RecentPdfs(state, GIVEN)
    result = agent.step(RecentPdfsContext(**context))
    return [str(state_) for state_ in agent.visited], result


def test_it_has_the_six_states_and_no_others() -> None:
    assert [str(state) for state in S] == [
        "Init",
        "RequestFileSearch",
        "ProcessFileResults",
        "RequestSummary",
        "Completed",
        "Failed",
    ]


def test_its_context_holds_files_summary_and_failure_only() -> None:
    assert set(RecentPdfsContext.__dataclass_fields__) == {"files", "summary", "failure"}


def test_from_init_it_requests_the_file_search() -> None:
    visited, result = stepped(S.INIT)
    assert visited == ["RequestFileSearch"]
    params = {"directory": "/folder", "extension": ".pdf", "modified_within_days": 3}
    assert result == ToolRequest("FileSearchTool", params)


def test_without_files_it_completes_directly() -> None:
    assert stepped(S.REQUEST_FILE_SEARCH) == (["ProcessFileResults", "Completed"], Completed())


def test_with_files_it_goes_on_to_the_summary_without_a_tool_between() -> None:
    for files in (("/folder/a.pdf",), ("/folder/a.pdf", "/folder/b.pdf")):
        visited, result = stepped(S.REQUEST_FILE_SEARCH, files=files)
        assert visited == ["ProcessFileResults", "RequestSummary"]
        assert result == ToolRequest("TextSummaryTool", {"files": files})


def test_with_the_summary_it_completes() -> None:
    assert stepped(S.REQUEST_SUMMARY, files=("/folder/a.pdf",), summary="one") == (["Completed"], Completed())


@pytest.mark.parametrize("state", [S.REQUEST_FILE_SEARCH, S.REQUEST_SUMMARY])
def test_a_tool_that_failed_makes_it_fail_with_the_reason(state: RecentPdfsState) -> None:
    assert stepped(state, failure="gone") == (["Failed"], Failed("gone"))


def test_the_runtime_writes_into_the_context_what_the_tools_gave(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise({"FileSearchTool": finds("/a.pdf", "/b.pdf"), "TextSummaryTool": answers("two files")}).run(
        RecentPdfs, inputs
    )
    assert run.states == ["Init", "RequestFileSearch", "ProcessFileResults", "RequestSummary", "Completed"]
    assert run.context == {"files": ("/a.pdf", "/b.pdf"), "summary": "two files", "failure": ""}
    assert [call.tool for call in run.calls] == ["FileSearchTool", "TextSummaryTool"]
    assert run.completed


def test_after_completion_nothing_more_is_executed(supervise: Supervise, inputs: AgentInputs) -> None:
    run = supervise().run(RecentPdfs, inputs)
    assert (run.states[-1], run.steps, len(run.calls)) == ("Completed", 2, 1)


def test_after_a_failure_nothing_more_is_executed(supervise: Supervise, inputs: AgentInputs) -> None:
    def gone(params: FileSearch, *_: Any) -> ToolAnswer:
        raise OutriderError("agent_folder_missing", directory=params.directory)

    run = supervise({"FileSearchTool": gone}).run(RecentPdfs, inputs)
    assert run.states == ["Init", "RequestFileSearch", "Failed"]
    assert run.error is not None
    assert run.error.code == "agent_folder_missing"
    assert run.context["failure"] == run.error.sentence


def test_an_agent_that_is_not_known_is_refused_with_the_names_of_those_that_are() -> None:
    with pytest.raises(OutriderError) as refused:
        passive_agent("recent_pdf")
    assert refused.value.code == "agent_unknown"
    assert "recent-pdfs" in refused.value.remedy


def test_it_sums_up_a_folder_of_whatever_kinds_of_pdf(workspace: Workspace, inputs: AgentInputs) -> None:
    folder = Path(inputs.directory)
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(folder / "plain.pdf")
    writer.encrypt("secret")
    (folder / "sub").mkdir()
    writer.write(folder / "sub" / "encrypted.PDF")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n" + os.urandom(1_000))
    (folder / "text.pdf").write_text("no PDF at all")
    (folder / "empty.pdf").touch()
    (folder / "notes.txt").touch()
    (folder / "old.pdf").touch()
    os.utime(folder / "old.pdf", (0, 0))
    run = build_supervisor(workspace).run(RecentPdfs, inputs)
    assert run.error is None
    assert [Path(path).name for path in run.context["files"]] == [
        "broken.pdf", "empty.pdf", "plain.pdf", "encrypted.PDF", "text.pdf",
    ]  # fmt: skip
    assert run.context["summary"].splitlines() == [
        "5 PDF files, 1 read, 4 unreadable.",
        "- broken.pdf: not read, it is broken",
        "- empty.pdf: not read, it is empty",
        "- plain.pdf: 1 page. No text on the first ones.",
        "- encrypted.PDF: not read, it is encrypted",
        "- text.pdf: not read, it is no PDF",
    ]


def test_a_summary_takes_names_and_nothing_else() -> None:
    assert set(TextSummary.model_fields) == {"files"}
    assert set(FileSearch.model_fields) == {"directory", "extension", "modified_within_days"}
