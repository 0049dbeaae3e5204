"""Analysis scripts: reviewed, approved by the digest of their text, run, and their answers saved or checked again."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.device.builtin_scripts import BUILTIN_SCRIPTS
from backend.domain.device.script import (
    MAX_SECONDS,
    TABLES,
    ResultShape,
    ScriptOutcome,
    ScriptStatus,
    kept_result,
    script_sha256,
    shape_of,
)
from backend.domain.model.artifact import KEY_PATTERN
from backend.domain.turn.agent_questions import APPROVE_SCRIPT
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import refuse_unshown
from backend.domain.values.shapes import CodePoints, ErrorShape, Id, Shape
from backend.runtime.jobs.script_runs import ScriptRun
from backend.runtime.jobs.script_service import Phase, ScriptTask
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions
from backend.store.queries.turn import scripts
from backend.store.queries.turn.scripts import EndedRun, SavedAnswer, ScriptVersion

MOST_VERSIONS, MOST_RUNS, MOST_RESULTS = 100, 50, 50
MAX_REVIEW_BYTES = 8 * 1024 * 1024
"""A script that is far too long is to be told so, and not that the request is too large."""

_LARGEST_OF_PAGE = 2**53
"""A page has no larger whole number than this and its neighbours."""

routes = Routes("scripts", "/campaigns/<campaign_id>/scripts")

Key = Annotated[str, Field(pattern=KEY_PATTERN)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class BuiltinLine(Shape):
    """A script that comes with Outrider."""

    key: str
    title: str
    tells: str
    source: str


class RunLine(Shape):
    """A run that has ended, from the audit log: which script, which data, and how; `reproducible` is null without an answer."""

    seq: int
    at: int
    key: str
    sha256: str
    log_position: int
    status: str
    code: str
    message: str
    result_sha256: str
    reproducible: bool | None


class ScriptsView(Shape):
    """A campaign's scripts, the latest kept first, its runs and its saved answers; `tables` is what a script may read."""

    scripts: list[ScriptVersion]
    builtins: list[BuiltinLine]
    runs: list[RunLine]
    results: list[SavedAnswer]
    tables: Mapping[str, tuple[str, ...]]
    seconds: int


class ScriptText(Shape):
    """A script that was written or pasted."""

    source: Annotated[str, Field(max_length=MAX_REVIEW_BYTES)]


class ScriptReview(Shape):
    """What was found out about a script before anything of it ran; `refused` is empty for one that may be approved.

    `line` is the script's own; `approved` says whether exactly this text was approved here before.
    """

    sha256: str
    refused: str
    message: str
    line: int | None
    approved: bool


class ApproveScript(Shape):
    """Approve exactly the text with this digest, and run it; `hidden` are the hidden characters that were shown with it."""

    key: Key
    source: Annotated[str, Field(max_length=MAX_REVIEW_BYTES)]
    sha256: Sha256
    hidden: CodePoints = Field(default_factory=list)


class ScriptRunRequest(Shape):
    """Run a script that was approved before, on the data as it is now."""

    sha256: Sha256


class ScriptSource(Shape):
    """A kept script."""

    source: str


class ScriptAnswer(Shape):
    """What a script answered, and as what it is shown; `result` is plain data."""

    shape: ResultShape
    result: Annotated[Any, WithJsonSchema({"typescript": "unknown"})]
    output: str


class ScriptRunView(Shape):
    """The run that is under way, or how the last one ended.

    `status` is empty while it is under way; `line` and `message` are those of its failure. `same` is the answer of a check
    of the saved result `verifies`. `saved` is the result's id once it was saved.
    """

    id: str
    key: str
    sha256: str
    began: int
    phase: Phase
    verifies: str
    status: ScriptStatus | None = None
    code: str = ""
    message: str = ""
    line: int | None = None
    ms: int = 0
    output: str = ""
    answer: ScriptAnswer | None = None
    log_position: int = 0
    result_sha256: str = ""
    reproducible: bool = False
    saved: str = ""
    same: bool | None = None
    error: ErrorShape | None = None


class ScriptState(Shape):
    """The campaign's last run in this launch, null if there was none."""

    run: ScriptRunView | None


class ProposedScriptView(Shape):
    """What the user is asked about: exactly this script, checked before it was asked."""

    key: str
    source: str
    sha256: str


class RunId(Shape):
    """A run of this launch."""

    run_id: Id


class ResultView(Shape):
    """A saved answer with all that it takes to find it again."""

    id: str
    key: str
    sha256: str
    log_position: int
    now: int
    result_sha256: str
    reproducible: bool
    answer: ScriptAnswer


@routes.get()
def view(services: Services, connection: DatabaseConnection, campaign_id: str) -> ScriptsView:
    """What there is; raises `campaign_unknown`."""
    return ScriptsView(
        scripts=scripts.versions(connection, campaign_id, MOST_VERSIONS),
        builtins=[
            BuiltinLine.showing(builtin, source=services.builtin_script(builtin.key) or "")
            for builtin in BUILTIN_SCRIPTS
        ],
        runs=[_run_line(run) for run in scripts.ended_runs(connection, campaign_id, MOST_RUNS)],
        results=scripts.saved_results(connection, campaign_id, MOST_RESULTS),
        tables=TABLES,
        seconds=MAX_SECONDS,
    )


@routes.get("/source/<sha256>")
def source(connection: DatabaseConnection, campaign_id: str, sha256: str) -> ScriptSource:
    """A kept script's text; raises `script_unknown`."""
    return ScriptSource(source=_source(connection, campaign_id, sha256))


@routes.post("/review", most_bytes=MAX_REVIEW_BYTES)
def review(services: Services, campaign_id: str, body: ScriptText) -> ScriptReview:
    """Whether it may be approved; nothing of it runs. Raises `campaign_unknown`, `script_runtime_missing`."""
    sha256 = _digest(body.source)
    approved = services.database.query(scripts.is_approved, campaign_id, sha256)
    try:
        outcome = services.scripts.runner_of(campaign_id).check(body.source)
    except OutriderError as error:
        if error.code == "script_runtime_missing":
            raise
        line = error.facts.get("line")
        number = line if isinstance(line, int) else None
        return ScriptReview(
            sha256=sha256, refused=error.code, message=f"{error.sentence} {error.remedy}", line=number, approved=False
        )
    return ScriptReview(
        sha256=sha256, refused=outcome.code, message=outcome.message, line=outcome.line, approved=approved
    )


@routes.post("/approve", status=202, most_bytes=MAX_REVIEW_BYTES)
def approve(services: Services, campaign_id: str, body: ApproveScript) -> ScriptState:
    """Record the user's approval of exactly this text, keep the script, and run it.

    Raises `script_changed` if the text is not the one with that digest, `text_hides` for a hidden character that was not
    shown, `script_…` for one that may not run, and `script_running`.
    """
    if _digest(body.source) != body.sha256:
        raise OutriderError("script_changed")
    refuse_unshown(body.source, body.hidden)
    runner = services.scripts.runner_of(campaign_id)
    checked = runner.check(body.source)
    if checked.status is not ScriptStatus.OK:
        raise OutriderError("script_denied", message=checked.told)
    runner.keep(campaign_id, body.key, body.source, "on the page")
    return ScriptState(run=_view(services.scripts.begin(campaign_id, body.key, body.sha256)))


@routes.post("/run", status=202)
def run(services: Services, campaign_id: str, body: ScriptRunRequest) -> ScriptState:
    """Run it again, on the data as it is now. Raises `script_unknown`, `script_not_approved`, `script_running`."""
    with services.database.read() as connection:
        key = scripts.key_of(connection, campaign_id, body.sha256)
        if key is None:
            raise OutriderError("script_unknown", sha256=body.sha256)
        if not scripts.is_approved(connection, campaign_id, body.sha256):
            raise OutriderError("script_not_approved")
    return ScriptState(run=_view(services.scripts.begin(campaign_id, key, body.sha256)))


@routes.get("/run")
def state(services: Services, connection: DatabaseConnection, campaign_id: str) -> ScriptState:
    """How the run goes; raises `campaign_unknown`."""
    task = services.scripts.last(campaign_id)
    return ScriptState(run=_view(task) if task else None)


@routes.get("/proposed/<question_id>")
def proposed(connection: DatabaseConnection, campaign_id: str, question_id: str) -> ProposedScriptView:
    """The script that an open question is about; raises `question_unknown`, `approval_text_changed`."""
    payload = questions.existing_proposal(connection, campaign_id, question_id, APPROVE_SCRIPT).payload
    if _digest(payload["source"]) != payload["script_sha256"]:
        raise OutriderError("approval_text_changed")
    return ProposedScriptView(key=payload["artifact_key"], source=payload["source"], sha256=payload["script_sha256"])


@routes.post("/cancel")
def cancel(services: Services, campaign_id: str) -> None:
    """End the run that is under way; nothing of it is kept. Nothing if none is."""
    services.scripts.cancel(campaign_id)


@routes.post("/save")
def save(services: Services, campaign_id: str, body: RunId) -> ScriptState:
    """Keep the last run's answer as an artifact; raises `script_no_result`."""
    return ScriptState(run=_view(services.scripts.save(campaign_id, body.run_id)))


@routes.get("/results/<result_id>")
def result(connection: DatabaseConnection, campaign_id: str, result_id: str) -> ResultView:
    """A saved answer; raises `script_result_unreadable` and `script_result_erased`."""
    stored = scripts.result(connection, result_id)
    if stored is None or stored.campaign_id != campaign_id:
        raise OutriderError("script_result_unreadable")
    analysis = kept_result(stored.content)
    return ResultView.showing(
        analysis,
        id=result_id,
        key=stored.key,
        sha256=analysis.script_sha256,
        answer=_answer(analysis.result, analysis.output),
    )


@routes.post("/results/<result_id>/verify", status=202)
def verify(services: Services, campaign_id: str, result_id: str) -> ScriptState:
    """Run a saved answer's script again on the data as it was. Raises `script_result_…`, `script_running`."""
    saved_result = services.database.query(result, campaign_id, result_id)
    return ScriptState(
        run=_view(services.scripts.verify(campaign_id, saved_result.key, saved_result.sha256, result_id))
    )


def _source(connection: DatabaseConnection, campaign_id: str, sha256: str) -> str:
    source = scripts.source(connection, campaign_id, sha256)
    if source is None:
        raise OutriderError("script_unknown", sha256=sha256[:64])
    return source


def _digest(source: str) -> str:
    """Of the text; raises `script_not_text` for half a character."""
    try:
        return script_sha256(source)
    except UnicodeEncodeError as error:
        raise OutriderError("script_not_text", at=error.start) from error


def _run_line(run: EndedRun) -> RunLine:
    parameters = run.parameters
    return RunLine(
        seq=run.seq,
        at=run.at,
        key=str(parameters.get("key", "")),
        sha256=str(parameters.get("script_sha256", "")),
        log_position=int(parameters.get("log_position", 0)),
        status=str(parameters.get("outcome", "")),
        code=str(parameters.get("code", "")),
        message=str(parameters.get("message", "")),
        result_sha256=str(parameters.get("result_sha256", "")),
        reproducible=parameters.get("reproducible"),
    )


def _view(task: ScriptTask) -> ScriptRunView:
    shown = ScriptRunView(
        id=task.id,
        key=task.key,
        sha256=task.sha256,
        began=task.began,
        phase=task.phase,
        verifies=task.verifies,
        error=task.error,
    )
    if task.verification is not None:
        verification = task.verification
        more: dict[str, Any] = {"same": verification.same, "log_position": verification.result.log_position}
        return shown.model_copy(update=_ended(verification.outcome) | more)
    if task.run is None:
        return shown
    return shown.model_copy(update=_ended(task.run.outcome) | _kept(task.run))


def _ended(outcome: ScriptOutcome) -> dict[str, Any]:
    ok = outcome.status is ScriptStatus.OK
    return {
        "status": outcome.status,
        "code": outcome.code,
        "message": outcome.message,
        "line": outcome.line,
        "ms": outcome.ms,
        "output": outcome.output,
        "answer": _answer(outcome.result, outcome.output) if ok else None,
    }


def _kept(run: ScriptRun) -> dict[str, Any]:
    return {
        "log_position": run.log_position,
        "result_sha256": run.result_sha256,
        "reproducible": run.reproducible,
        "saved": run.result_id,
    }


def _answer(result: str, output: str) -> ScriptAnswer:
    shape = shape_of(json.loads(result))
    value = json.loads(result, parse_int=_exact)
    return ScriptAnswer(shape=ResultShape.TEXT if isinstance(value, str) else shape, result=value, output=output)


def _exact(digits: str) -> int | str:
    """A number as itself, or as a text what the page would round without a word."""
    return int(digits) if abs(int(digits)) <= _LARGEST_OF_PAGE else digits
