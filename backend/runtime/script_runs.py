"""A script from its text to its answer: checked, approved, kept, run twice on one moment's data, and the answer kept with both."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from backend.commands.artifacts import ArtifactCommands
from backend.domain.artifact import ArtifactSource, ArtifactType, text_content
from backend.domain.errors import OutriderError
from backend.domain.events import AuditEntry
from backend.domain.script import (
    AnalysisResult,
    ScriptLimits,
    ScriptOutcome,
    ScriptStatus,
    check_source,
    kept_result,
    script_sha256,
)
from backend.ports.clock import Clock
from backend.ports.script_sandbox import ScriptSandbox
from backend.store.database import DatabaseConnection
from backend.store.log.historical_database import HistoricalDatabase
from backend.store.log.journal import Journal
from backend.store.queries import artifacts, script_data, scripts
from backend.store.queries.script_data import Moment


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """How a run ended; with an answer also where that is kept and whether the second run had the same, byte for byte."""

    outcome: ScriptOutcome
    script_sha256: str
    result_id: str = ""
    result_sha256: str = ""
    log_position: int = 0
    reproducible: bool = False


class Verification(NamedTuple):
    """Whether the script gives the kept answer again, on the data as it was."""

    same: bool
    kept: AnalysisResult
    outcome: ScriptOutcome


@dataclass(frozen=True, slots=True)
class ScriptRunner:
    """Runs a campaign's scripts; one transaction keeps each step."""

    journal: Journal
    sandbox: ScriptSandbox
    clock: Clock
    artifacts: ArtifactCommands

    def check(self, source: str) -> ScriptOutcome:
        """Whether it may be shown for approval. Raises `script_…` for what nobody could read."""
        check_source(source)
        return self.sandbox.check(source)

    def keep(self, campaign_id: str, key: str, source: str, approval: str) -> str:
        """Keep a script that was approved, `approval` being how; its SHA-256. Raises `campaign_unknown`."""
        sha256 = script_sha256(source)
        with self.journal.database.read() as connection:
            known = scripts.source(connection, campaign_id, sha256) is not None
        if not known:
            content = text_content(ArtifactType.PYTHON_SCRIPT, key, source)
            self.artifacts.keep(campaign_id, ArtifactType.PYTHON_SCRIPT, key, content, follows=None)
        self._audit(campaign_id, "script.approved", {"script_sha256": sha256, "key": key, "approval": approval})
        return sha256

    def run(
        self,
        campaign_id: str,
        key: str,
        sha256: str,
        *,
        limits: ScriptLimits | None = None,
        cancelled: threading.Event | None = None,
        on_first: Callable[[ScriptOutcome], object] = lambda _: None,
    ) -> ScriptRun:
        """Run a kept script twice on the data as it is now, and keep its answer. Raises `script_unknown`.

        `on_first` hears of the first answer before the second is asked for.
        """
        with self.journal.database.read() as connection:
            source, at = scripts.source(connection, campaign_id, sha256), script_data.moment(connection, campaign_id)
            if source is None or at is None:
                raise OutriderError("script_unknown", sha256=sha256)
            self._audit(campaign_id, "script.started", {"script_sha256": sha256, "log_position": at.log_position})
            first, second = self._twice(connection, campaign_id, source, at, limits, cancelled, on_first)
        if first.status is not ScriptStatus.OK:
            self._ended(campaign_id, sha256, at, first)
            return ScriptRun(first, sha256, log_position=at.log_position)
        same = second is not None and (first.result, first.output) == (second.result, second.output)
        answer = AnalysisResult(sha256, at.log_position, at.now, first.result, first.output, same)
        kept = self._keep_result(campaign_id, key, answer)
        self._ended(campaign_id, sha256, at, first, answer)
        return ScriptRun(first, sha256, kept, answer.result_sha256, at.log_position, same)

    def verify(self, result_id: str) -> Verification:
        """Run the script of a kept answer again, on the data as of its moment. Raises `script_…`."""
        with self.journal.database.read() as connection:
            found = scripts.result(connection, result_id)
            if found is None:
                raise OutriderError("script_result_unreadable")
            kept = kept_result(found.content)
            source = scripts.source(connection, found.campaign_id, kept.script_sha256)
            latest = script_data.moment(connection, found.campaign_id)
        if source is None:
            raise OutriderError("script_unknown", sha256=kept.script_sha256)
        if latest is None or latest.log_position < kept.log_position:
            raise OutriderError("script_data_changed", position=kept.log_position)
        past = HistoricalDatabase(self.journal.database, found.campaign_id)
        try:
            while not past.seek_some(kept.log_position):
                pass
            with script_data.script_data(past.scratch, found.campaign_id, kept.now) as data:
                outcome = self.sandbox.run(source, data, now=kept.now)
        finally:
            past.close()
        same = outcome.status is ScriptStatus.OK and (outcome.result, outcome.output) == (kept.result, kept.output)
        told = {"result": result_id, "script_sha256": kept.script_sha256, "same": same, "code": outcome.code}
        self._audit(found.campaign_id, "script.verified", told)
        return Verification(same, kept, outcome)

    def _twice(
        self,
        connection: DatabaseConnection,
        campaign_id: str,
        source: str,
        at: Moment,
        limits: ScriptLimits | None,
        cancelled: threading.Event | None,
        on_first: Callable[[ScriptOutcome], object],
    ) -> tuple[ScriptOutcome, ScriptOutcome | None]:
        with script_data.script_data(connection, campaign_id, at.now) as data:
            first = self.sandbox.run(source, data, now=at.now, limits=limits, cancelled=cancelled)
            on_first(first)
            if first.status is not ScriptStatus.OK:
                return first, None
            second = self.sandbox.run(source, data, now=at.now, limits=limits, cancelled=cancelled)
        if second.code == "script_cancelled":
            return replace(second, layers=first.layers), None
        return first, second

    def _keep_result(self, campaign_id: str, key: str, answer: AnalysisResult) -> str:
        content = text_content(ArtifactType.ANALYSIS_RESULT, key, answer.text())
        with self.journal.transaction() as transaction:
            latest = artifacts.latest_version(transaction.connection, campaign_id, content.artifact_type, key)
            id_ = transaction.new_id()
            event = content.persisted(id_, ArtifactSource.PROGRAM, latest, self.clock.now())
            cause = f"script {answer.script_sha256[:16]}"
            transaction.record(campaign_id, [event], actor="controller", cause=cause, at=self.clock.now())
        return id_

    def _ended(
        self, campaign_id: str, sha256: str, at: Moment, outcome: ScriptOutcome, answer: AnalysisResult | None = None
    ) -> None:
        told = {
            "script_sha256": sha256,
            "log_position": at.log_position,
            "outcome": outcome.status.value,
            "code": outcome.code,
            "message": outcome.told,
            "ms": outcome.ms,
            "layers": list(outcome.layers),
        }
        if answer is not None:
            told |= {"result_sha256": answer.result_sha256, "reproducible": answer.reproducible}
        self._audit(campaign_id, "script.ended", told)

    def _audit(self, campaign_id: str, action: str, told: dict[str, object]) -> None:
        entry = AuditEntry(action, {"parameters": told, "outcome": str(told.get("outcome", "ok"))})
        at = self.clock.now()
        self.journal.record(campaign_id, events=(), audits=(entry,), actor="user", cause="scripts.run", at=at)
