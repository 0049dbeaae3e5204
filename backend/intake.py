"""Lead files on their way into a campaign: looked at before anything is decided, then imported in the background."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from backend.api.wire.base import ErrorShape
from backend.api.wire.intake import ChosenColumn, ChosenFile, ChosenRow, IntakeState, RefusedRow
from backend.controller.importing import import_leads
from backend.domain.errors import OutriderError
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.ports.clock import Clock
from backend.wiring import Workspace, lead_file

SHOWN = 5
SHOWN_REJECTED = 20
CLOSE_SECONDS = 30.0


@dataclass
class _Import:
    """One file on its way in."""

    name: str
    state: IntakeState
    thread: threading.Thread = field(init=False)


class Intake:
    """Imports in the background, one a campaign at a time; what a stop or a crash cuts off is repeated and merges."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._imports: dict[str, _Import] = {}
        self._closing = threading.Event()

    def look(self, path: Path, name: str) -> ChosenFile:
        """What the file holds; reads it to its end, keeps a few rows. Raises `lead_file_*`."""
        source = lead_file(path)
        shown: list[ChosenRow] = []
        refused: list[RefusedRow] = []
        good = rejected = 0
        for row in source:
            if isinstance(row, RejectedRow):
                rejected += 1
                if len(refused) < SHOWN_REJECTED:
                    refused.append(RefusedRow(line=row.line, code=row.code, reason=row.reason))
            else:
                good += 1
                if len(shown) < SHOWN:
                    shown.append(_shown(row))
        named = {column: field for field, columns in source.format.columns.items() for column in reversed(columns)}
        columns = [ChosenColumn(column=cell, field=named.get(cell.strip().lower(), "")) for cell in source.header]
        return ChosenFile(
            name=name,
            format=source.format.name,
            columns=columns,
            good=good,
            rejected=rejected,
            rows=shown,
            refused=refused,
        )

    def begin(self, campaign_id: str, path: Path, name: str, clock: Clock) -> None:
        """Import in the background. Raises `lead_file_*` at once, and `import_running`."""
        source = lead_file(path)
        with self._lock:
            if self.running(campaign_id):
                raise OutriderError("import_running")
            started = _Import(name, IntakeState(file=name, phase="running", rows=0))
            self._imports[campaign_id] = started
            arguments = (started, campaign_id, source, source.format.name, clock)
            started.thread = threading.Thread(target=self._work, args=arguments, name="import")
            started.thread.start()

    def running(self, campaign_id: str) -> bool:
        """Whether a file is on its way into this campaign."""
        found = self._imports.get(campaign_id)
        return found is not None and found.state.phase == "running"

    def state(self, campaign_id: str) -> IntakeState | None:
        """How the last import of this launch stands; None when there was none."""
        found = self._imports.get(campaign_id)
        return found.state if found else None

    def close(self) -> None:
        """Stop at the next row; what is on disk stays and the rest is said to be missing."""
        self._closing.set()
        for one in list(self._imports.values()):
            one.thread.join(CLOSE_SECONDS)

    def _work(
        self, one: _Import, campaign_id: str, rows: Iterable[LeadRow | RejectedRow], file_format: str, clock: Clock
    ) -> None:
        def progress(done: int) -> None:
            one.state = one.state.model_copy(update={"rows": done})

        try:
            imported = import_leads(
                self._workspace.journal,
                clock,
                campaign_id,
                self._until_closing(rows),
                file=one.name,
                file_format=file_format,
                on_progress=progress,
            )
            counts = {name: getattr(imported, name) for name in ("accepted", "merged", "unchanged", "rejected")}
            one.state = one.state.model_copy(update={"phase": "done", **counts})
        except OutriderError as error:
            one.state = _failed(one, error)
        except (sqlite3.Error, OSError):
            one.state = _failed(one, OutriderError("internal_error"))
            raise  # a defect: the interpreter's hook prints it

    def _until_closing(self, rows: Iterable[LeadRow | RejectedRow]) -> Iterator[LeadRow | RejectedRow]:
        for row in rows:
            if self._closing.is_set():
                raise OutriderError("import_cut_off")
            yield row


def _failed(one: _Import, error: OutriderError) -> IntakeState:
    shape = ErrorShape(code=error.code, sentence=error.sentence, remedy=error.remedy)
    return one.state.model_copy(update={"phase": "failed", "error": shape})


def _shown(row: LeadRow) -> ChosenRow:
    return ChosenRow(
        name=row.full_name, company=row.company or "", job_title=row.job_title or "", profile_url=row.profile_url or ""
    )
