"""Finds the PDF files of a folder that were modified in the last days, and sums them up (spec 003)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from backend.domain.device.passive_agent import AgentContext, Completed, Failed, PassiveAgent, StepResult, ToolRequest


class RecentPdfsState(StrEnum):
    """Spec 003 §3; no others."""

    INIT = "Init"
    REQUEST_FILE_SEARCH = "RequestFileSearch"
    PROCESS_FILE_RESULTS = "ProcessFileResults"
    REQUEST_SUMMARY = "RequestSummary"
    COMPLETED = "Completed"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class RecentPdfsContext(AgentContext):
    """Spec 003 §4: the files found, their summary, and why it failed."""

    files: tuple[str, ...] = ()
    summary: str = ""


_S = RecentPdfsState


class RecentPdfs(PassiveAgent[RecentPdfsState, RecentPdfsContext]):
    """Spec 003 §6, a case a state."""

    name = "recent-pdfs"
    does = "Finds the PDF files of a folder that were modified in the last days, and sums them up."
    states = RecentPdfsState
    context = RecentPdfsContext
    results: ClassVar = {"FileSearchTool": "files", "TextSummaryTool": "summary"}
    inputs = ("directory", "days")
    transitions: ClassVar = {
        _S.INIT: (_S.REQUEST_FILE_SEARCH,),
        _S.REQUEST_FILE_SEARCH: (_S.PROCESS_FILE_RESULTS, _S.FAILED),
        _S.PROCESS_FILE_RESULTS: (_S.COMPLETED, _S.REQUEST_SUMMARY),
        _S.REQUEST_SUMMARY: (_S.COMPLETED, _S.FAILED),
    }

    def step(self, context: RecentPdfsContext) -> StepResult:
        """A decision takes no tool, so it is part of the step that has the results."""
        match self.state:
            case _S.INIT:
                self.enter(_S.REQUEST_FILE_SEARCH)
                window = {"extension": ".pdf", "modified_within_days": self.given.days}
                return ToolRequest("FileSearchTool", {"directory": self.given.directory, **window})
            case _S.REQUEST_FILE_SEARCH | _S.REQUEST_SUMMARY if context.failure:
                self.enter(_S.FAILED)
                return Failed(context.failure)
            case _S.REQUEST_FILE_SEARCH:
                self.enter(_S.PROCESS_FILE_RESULTS)
                if context.files:
                    self.enter(_S.REQUEST_SUMMARY)
                    return ToolRequest("TextSummaryTool", {"files": context.files})
        self.enter(_S.COMPLETED)
        return Completed()
