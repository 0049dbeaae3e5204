"""Sums up PDF files: how many there are, and how the first of them begin, as far as they can be read within bounds."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from pydantic import ValidationError

from backend.domain.device.agent_tools import TextSummary, ToolAnswer
from backend.domain.model.tools import StrictModel
from backend.domain.values.errors import OutriderError
from backend.ports.line_process import AnswerTimeoutError, ExcessAnswerError, LineProcess, ProcessEndedError

MOST_READ = 30
MOST_LISTED = 200
_START_SECONDS = 60.0


class PdfBeginning(StrictModel):
    """What was read of a file, or why it was not."""

    pages: int = 0
    text: str = ""
    unreadable: str = ""


class PdfSummarizer:
    """The TextSummaryTool (spec 003 §5). `start` begins the process that reads; a file may take `file_seconds` of it."""

    def __init__(
        self, start: Callable[[], LineProcess], *, file_seconds: float = 5.0, all_seconds: float = 60.0
    ) -> None:
        self._start = start
        self._file_seconds = file_seconds
        self._all_seconds = all_seconds

    def summarize(self, params: TextSummary, cancelled: Callable[[], bool]) -> ToolAnswer:
        """The same files give the same words. Raises `agent_cancelled`; a file that cannot be read is named with the reason."""
        read_count, unreadable_count, lines = 0, 0, []
        files = params.files
        for path, beginning in zip(files, self._beginnings(files[:MOST_READ], cancelled), strict=False):
            read_count += not beginning.unreadable
            unreadable_count += bool(beginning.unreadable)
            lines.append(f"- {_name(path)}: {_in_words(beginning)}")
        lines += [f"- {_name(path)}" for path in files[len(lines) : MOST_LISTED]]
        if len(files) > MOST_LISTED:
            lines.append(f"- and {len(files) - MOST_LISTED:,} more")
        head = f"{len(files):,} PDF file{'' if len(files) == 1 else 's'}, {read_count:,} read, {unreadable_count:,} unreadable."
        return ToolAnswer("\n".join([head, *lines]), head)

    def _beginnings(self, files: list[str], cancelled: Callable[[], bool]) -> Iterator[PdfBeginning]:
        """File by file, as long as there is time; the process is begun anew after it was ended."""
        deadline = time.monotonic() + self._all_seconds
        with ExitStack() as ending:
            process: LineProcess | None = None
            for path in files:
                if cancelled():
                    raise OutriderError("agent_cancelled", agent="TextSummaryTool")
                if time.monotonic() > deadline:
                    return
                try:
                    if process is None:
                        process = self._start()
                        ending.callback(process.end)
                        process.first_line(_START_SECONDS)
                    answer = process.ask(json.dumps(path).encode(), self._file_seconds)
                    yield PdfBeginning.model_validate_json(answer)
                except AnswerTimeoutError:
                    process = None
                    yield PdfBeginning(unreadable=f"it takes longer than {self._file_seconds:g} s")
                except (ProcessEndedError, ExcessAnswerError, ValidationError, OSError):
                    process = None
                    yield PdfBeginning(unreadable="reading it broke off")


def _name(path: str) -> str:
    return " ".join(Path(path).name.split())


def _in_words(beginning: PdfBeginning) -> str:
    if beginning.unreadable:
        return f"not read, {beginning.unreadable}"
    pages = f"{beginning.pages:,} page{'' if beginning.pages == 1 else 's'}"
    return f"{pages}. {beginning.text or 'No text on the first ones.'}"
