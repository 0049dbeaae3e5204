"""A script from its text to its answer: checked, approved, kept, run twice on one moment's data, and the answer kept if wanted."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict

from backend.commands.artifacts import ArtifactCommands
from backend.domain.device.builtin_scripts import BUILTIN_SCRIPTS
from backend.domain.device.script import (
    AnalysisResult,
    ScriptLimits,
    ScriptOutcome,
    ScriptStatus,
    check_source,
    kept_result,
    script_sha256,
)
from backend.domain.events.events import AuditEntry
from backend.domain.model.artifact import BY_CONTROLLER, BY_USER, ArtifactType, Maker, MakerKind, text_content
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.ports.script_sandbox import ScriptSandbox
from backend.store.database import DatabaseConnection
from backend.store.log.historical_database import HistoricalDatabase
from backend.store.log.journal import Journal
from backend.store.queries.turn import artifacts, script_data, scripts
from backend.store.queries.turn.script_data import Moment


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """How a run ended; `answer` if there is one, with whether the second run had the same, and `result_id` once it is kept."""

    outcome: ScriptOutcome
    script_sha256: str
    log_position: int = 0
    answer: AnalysisResult | None = None
    result_id: str = ""

    @property
    def result_sha256(self) -> str:
        """Of the answer; empty without one."""
        return self.answer.result_sha256 if self.answer else ""

    @property
    def reproducible(self) -> bool:
        """Whether both runs gave the same answer, byte for byte."""
        return self.answer is not None and self.answer.reproducible


class _Cause(TypedDict):
    actor: str
    cause: str
    at: int


class Verification(NamedTuple):
    """Whether the script gives the kept answer again, on the data as it was."""

    same: bool
    result: AnalysisResult
    outcome: ScriptOutcome


@dataclass(frozen=True, slots=True)
class ScriptRunner:
    """Runs a campaign's scripts; one transaction keeps each step."""

    journal: Journal
    sandbox: ScriptSandbox
    clock: Clock
    artifacts: ArtifactCommands
    builtin: Callable[[str], str | None]
    """The text of a script that comes with Outrider."""

    def check(self, source: str) -> ScriptOutcome:
        """Whether it may be shown for approval. Raises `script_…` for what nobody could read."""
        check_source(source)
        return self.sandbox.check(source)

    def keep(self, campaign_id: str, key: str, source: str, approval: str) -> str:
        """Keep a script that was approved, `approval` being how; its SHA-256. Raises `campaign_unknown`, `script_…`."""
        check_source(source)
        sha256 = script_sha256(source)
        is_stored = self.journal.database.query(scripts.source, campaign_id, sha256) is not None
        if not is_stored:
            content = text_content(ArtifactType.PYTHON_SCRIPT, key, source)
            is_builtin = source in map(self.builtin, (script.key for script in BUILTIN_SCRIPTS))
            made_by = str(BY_CONTROLLER if is_builtin else BY_USER)
            self.artifacts.keep(campaign_id, ArtifactType.PYTHON_SCRIPT, key, content, follows=None, made_by=made_by)
        parameters = {"script_sha256": sha256, "key": key, "approval": approval}
        with self.journal.transaction() as transaction:
            scripts.approve(transaction.connection, campaign_id, sha256, self.clock.now())
            transaction.audit(campaign_id, [_entry("script.approved", parameters)], **self._cause())
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
        """Run an approved script twice on the data as it is now. Raises `script_unknown` and `script_not_approved`.

        `on_first` hears of the first answer before the second is asked for. Nothing is kept but that it ran: see `keep_result`.
        """
        with self.journal.database.read() as connection:
            source, at = scripts.source(connection, campaign_id, sha256), script_data.moment(connection, campaign_id)
            if source is None or at is None:
                raise OutriderError("script_unknown", sha256=sha256)
            if not scripts.is_approved(connection, campaign_id, sha256) or script_sha256(source) != sha256:
                raise OutriderError("script_not_approved")
            self._audit(campaign_id, "script.started", {"script_sha256": sha256, "log_position": at.log_position})
            first, second = self._twice(connection, campaign_id, source, at, limits, cancelled, on_first)
        if first.status is not ScriptStatus.OK:
            self._ended(campaign_id, key, sha256, at, first)
            return ScriptRun(first, sha256, at.log_position)
        same = second is not None and (first.result, first.output) == (second.result, second.output)
        answer = AnalysisResult(sha256, at.log_position, at.now, first.result, first.output, same, entry=at.entry)
        self._ended(campaign_id, key, sha256, at, first, answer)
        return ScriptRun(first, sha256, at.log_position, answer)

    def keep_result(self, campaign_id: str, key: str, answer: AnalysisResult) -> str:
        """Keep an answer as the next version of the artifact `analysis_result` with that key; its id.

        Raises `script_no_result` if something was erased since: the answer may still have the words.
        """
        content = text_content(ArtifactType.ANALYSIS_RESULT, key, answer.text())
        with self.journal.transaction() as transaction:
            if scripts.erased_since(transaction.connection, campaign_id, answer.log_position, answer.entry):
                raise OutriderError("script_no_result")
            latest = artifacts.latest_version(transaction.connection, campaign_id, content.artifact_type, key)
            id_ = transaction.new_id()
            event = artifact_persisted(
                content, id_, Maker(MakerKind.SCRIPT, answer.script_sha256), latest, self.clock.now()
            )
            cause = f"script {answer.script_sha256[:16]}"
            transaction.record(campaign_id, [event], actor="controller", cause=cause, at=self.clock.now())
        return id_

    def verify(self, result_id: str, cancelled: threading.Event | None = None) -> Verification:
        """Run the script of a kept answer again, on the data as of its moment. Raises `script_…`."""
        with self.journal.database.read() as connection:
            saved_result = scripts.result(connection, result_id)
            if saved_result is None:
                raise OutriderError("script_result_unreadable")
            result = kept_result(saved_result.content)
            source = scripts.source(connection, saved_result.campaign_id, result.script_sha256)
            latest = script_data.moment(connection, saved_result.campaign_id)
            approved = scripts.is_approved(connection, saved_result.campaign_id, result.script_sha256)
        if source is None:
            raise OutriderError("script_unknown", sha256=result.script_sha256)
        if not approved:
            raise OutriderError("script_not_approved")
        if latest is None or latest.log_position < result.log_position:
            raise OutriderError("script_data_changed", position=result.log_position)
        past = HistoricalDatabase(self.journal.database, saved_result.campaign_id)
        try:
            while not past.seek_some(result.log_position):
                pass
            with script_data.script_data(
                past.scratch, saved_result.campaign_id, result.now, self.sandbox.questions
            ) as data:
                outcome = self.sandbox.run(source, data, now=result.now, cancelled=cancelled)
        finally:
            past.close()
        same = outcome.status is ScriptStatus.OK and (outcome.result, outcome.output) == (result.result, result.output)
        parameters = {"result": result_id, "script_sha256": result.script_sha256, "same": same, "code": outcome.code}
        self._audit(saved_result.campaign_id, "script.verified", parameters)
        return Verification(same, result, outcome)

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
        with script_data.script_data(connection, campaign_id, at.now, self.sandbox.questions) as data:
            first = self.sandbox.run(source, data, now=at.now, limits=limits, cancelled=cancelled)
            on_first(first)
            if first.status is not ScriptStatus.OK:
                return first, None
            second = self.sandbox.run(source, data, now=at.now, limits=limits, cancelled=cancelled)
        if second.code == "script_cancelled":
            return replace(second, layers=first.layers), None
        return first, second

    def _ended(
        self,
        campaign_id: str,
        key: str,
        sha256: str,
        at: Moment,
        outcome: ScriptOutcome,
        answer: AnalysisResult | None = None,
    ) -> None:
        parameters = {
            "key": key,
            "script_sha256": sha256,
            "log_position": at.log_position,
            "outcome": outcome.status.value,
            "code": outcome.code,
            "message": outcome.told,
            "ms": outcome.ms,
            "layers": list(outcome.layers),
        }
        if answer is not None:
            parameters |= {"result_sha256": answer.result_sha256, "reproducible": answer.reproducible}
        self._audit(campaign_id, "script.ended", parameters)

    def _audit(self, campaign_id: str, action: str, parameters: dict[str, object]) -> None:
        self.journal.record(campaign_id, events=(), audits=(_entry(action, parameters),), **self._cause())

    def _cause(self) -> _Cause:
        return {"actor": "user", "cause": "script", "at": self.clock.now()}


def _entry(action: str, parameters: Mapping[str, object]) -> AuditEntry:
    return AuditEntry(action, {"parameters": parameters, "outcome": str(parameters.get("outcome", "ok"))})
