"""`outrider script`: a script is shown, approved, run, and its answer told; or an answer is checked."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from backend.app.wiring import open_workspace, script_runner
from backend.domain.device.script import (
    MAX_SOURCE_BYTES,
    ResultShape,
    ScriptOutcome,
    ScriptStatus,
    read_source,
    script_key,
    script_sha256,
    shape_of,
    table_rows,
)
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.jobs.script_runs import ScriptRun
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, columns, require_terminal
from backend.terminal.review import ask_in_terminal

_WIDEST_BAR = 40


def run_script(output: TerminalOutput, settings: AppSettings, file: Path, id_or_name: str, *, approve: bool) -> int:
    """Check, show, ask, run; the exit status is 0 only if the script ran and left an answer."""
    sha256 = ""
    try:
        with open_workspace(settings) as workspace:
            campaign_id = workspace.database.query(campaign_status.find_campaign, id_or_name).id
            runner, source = script_runner(workspace), read_source(_read(file))
            sha256 = script_sha256(source)
            checked = runner.check(source)
            if checked.status is not ScriptStatus.OK:
                return _tell(output, ScriptRun(checked, sha256))
            if not approve:
                _ask(output, source)
            key = script_key(file.name)
            runner.keep(campaign_id, key, source, "--approve" if approve else "in the terminal")
            run = runner.run(campaign_id, key, sha256)
            if run.answer is not None:
                run = replace(run, result_id=runner.keep_result(campaign_id, key, run.answer))
            return _tell(output, run)
    except OutriderError as error:
        status = ScriptStatus.DENIED if error.code.startswith("script_") else ScriptStatus.FAILED
        if error.code in ("script_file_unreadable", "script_runtime_missing"):
            status = ScriptStatus.FAILED
        message = f"{error.sentence} {error.remedy}"
        return _tell(output, ScriptRun(ScriptOutcome(status, error.code, message), sha256))


def verify_result(output: TerminalOutput, settings: AppSettings, result: str) -> int:
    """Run the answer's script again on the data as it was; 0 if the answer is the same."""
    with open_workspace(settings) as workspace:
        verification = script_runner(workspace).verify(result)
    json_result = {
        "same": verification.same,
        "script_sha256": verification.result.script_sha256,
        "log_position": verification.result.log_position,
        "result_sha256": verification.result.result_sha256,
        "status": verification.outcome.status.value,
        "code": verification.outcome.code,
        "message": verification.outcome.told,
    }
    sentence = "The same script on the same data gives the same answer, byte for byte."
    if not verification.same:
        sentence = f"It is not the same answer. {verification.outcome.told}".rstrip()
    output.result([sentence], json_result)
    return 0 if verification.same else 1


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise OutriderError("script_file_unreadable", path=file, detail=error.strerror or error) from error


def _ask(output: TerminalOutput, source: str) -> None:
    """Show the whole script and ask. Raises `script_not_approved` and `not_interactive`."""
    require_terminal(output, "add --approve to approve exactly this file unseen")
    lines = source.replace("\r\n", "\n").rstrip("\n").split("\n")
    output.note("This script would run in the sandbox. It may read this campaign's rows, and nothing else.\n")
    output.note("\n".join(f"{number:>5}  {line}" for number, line in enumerate(lines, start=1)))
    typed = ask_in_terminal("\nRun exactly this? (yes / no) > ") or ""
    if typed.strip().lower() not in ("y", "yes"):
        raise OutriderError("script_not_approved")


def _tell(output: TerminalOutput, run: ScriptRun) -> int:
    outcome = run.outcome
    result = json.loads(outcome.result)
    json_result = {
        "status": outcome.status.value,
        "code": outcome.code,
        "message": outcome.told,
        "result": result,
        "output": outcome.output,
        "ms": outcome.ms,
        "layers": list(outcome.layers),
        "script_sha256": run.script_sha256,
        "result_id": run.result_id,
        "result_sha256": run.result_sha256,
        "log_position": run.log_position,
        "reproducible": run.reproducible,
    }
    lines = outcome.output.rstrip("\n").split("\n") if outcome.output else []
    if outcome.status is ScriptStatus.OK:
        lines += [*_SHOWN[shape_of(result)](result), "", _told_of(run)]
    else:
        lines.append(f"The script was not finished ({outcome.status.value}): {outcome.told} [{outcome.code}]")
    output.result(lines, json_result)
    return 0 if outcome.status is ScriptStatus.OK else 1


def _told_of(run: ScriptRun) -> str:
    same = "both runs gave the same answer" if run.reproducible else "the two runs gave DIFFERENT answers"
    return f"Saved as {run.result_id}: script {run.script_sha256[:12]} on log position {run.log_position}; {same}."


def _table(value: Any) -> list[str]:
    if isinstance(value, dict):
        return columns(list(value.items()))
    names, rows = table_rows(value)
    return columns([names, *[["" if cell is None else cell for cell in row] for row in rows]])


def _chart(value: dict[str, float]) -> list[str]:
    most = max(map(abs, value.values())) or 1
    return columns([(name, "█" * round(abs(each) / most * _WIDEST_BAR), f"{each:g}") for name, each in value.items()])


_SHOWN: dict[ResultShape, Callable[[Any], list[str]]] = {
    ResultShape.NOTHING: lambda _: [],
    ResultShape.NUMBER: lambda value: [f"{value}"],
    ResultShape.TEXT: lambda value: [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)],
    ResultShape.TABLE: _table,
    ResultShape.CHART: _chart,
}
