"""Runs a script in a process of its own, answers its questions, and kills it when its time is over."""

import json
import re
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from backend.adapters.child_processes import own_group
from backend.adapters.sandbox.runtime import Runtime, prepare
from backend.domain.device.script import (
    MAX_MESSAGE,
    MAX_OUTPUT,
    SEED,
    ScriptLimits,
    ScriptOutcome,
    ScriptStatus,
    read_result,
)
from backend.machine import frames
from backend.ports.question_process import StartQuestions
from backend.ports.scheduler import Scheduler
from backend.ports.script_sandbox import ScriptRows

WASI, RESTRICTED, PROCESS = "wasi", "restrictedpython", "process"
"""The layers that there always are; without the first no script runs."""
_BESIDE_BYTES = 512 * 1024 * 1024
"""Memory of the process beside the script's."""
_CODE = Path(__file__).parents[3]
"""Where our own modules are found; never the folder that somebody happens to stand in."""
_MOST_QUERIES = 20_000
_CHECK = ScriptLimits(seconds=20.0, fuel=60_000_000_000)
_CODE_OF_GUEST = re.compile(r"script_[a-z_]{1,40}")
_STATUSES = {status.value for status in ScriptStatus}

_REASONS = {
    "time": ("script_timeout", "It took longer than a run may."),
    "cancelled": ("script_cancelled", "It was cancelled."),
    "fuel": ("script_timeout", "It computed more than a run may."),
    "stack": ("script_too_deep", "It calls itself deeper than a run may."),
    "trap": ("script_crashed", "It broke the interpreter that it ran in, and nothing else."),
    "broken": ("script_crashed", "It broke its connection."),
    "exit": ("script_crashed", "Its interpreter ended before it had an answer."),
    "gone": ("script_crashed", "Its process ended before it had an answer."),
    "queries": ("script_too_many_queries", "It asked more questions than a run may."),
}


class Layers(NamedTuple):
    """What a test may switch off, to see that the others hold by themselves; no setting, command or request reaches it."""

    restricted: bool = True
    confined: bool = True


ALL_LAYERS = Layers()


class WasiSandbox:
    """`folder` is where the compiled interpreter is kept; `command` starts the process, in `environment` and no other.

    `questions` starts the one in which its SQL is asked.
    """

    def __init__(
        self,
        folder: Path,
        scheduler: Scheduler,
        command: Sequence[str],
        environment: Mapping[str, str],
        questions: StartQuestions,
        layers: Layers = ALL_LAYERS,
    ) -> None:
        self._folder = folder
        self._scheduler = scheduler
        self._command = command
        self._environment = environment
        self.questions = questions
        self._layers = layers
        self._runtime: Runtime | None = None

    def prepare(self) -> None:
        """Have the interpreter ready; takes seconds the first time. Raises `script_runtime_missing`."""
        self._runtime = self._runtime or prepare(self._folder)

    def check(self, source: str) -> ScriptOutcome:
        """Whether it is Python that may run; nothing of it runs."""
        return self._run(source, _NoRows(), 0, _CHECK, threading.Event(), check=True)

    def run(
        self,
        source: str,
        rows: ScriptRows,
        *,
        now: int,
        limits: ScriptLimits | None = None,
        cancelled: threading.Event | None = None,
    ) -> ScriptOutcome:
        """Run it once. Raises `script_runtime_missing`."""
        return self._run(source, rows, now, limits or ScriptLimits(), cancelled or threading.Event(), check=False)

    def _run(
        self, source: str, rows: ScriptRows, now: int, limits: ScriptLimits, cancelled: threading.Event, *, check: bool
    ) -> ScriptOutcome:
        self.prepare()
        began = time.monotonic()
        process = subprocess.Popen(  # noqa: S603 - our own program
            list(self._command),
            cwd=_CODE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(self._environment),
            close_fds=True,
            **own_group(),
        )
        watch = _Watch(process, limits.seconds, cancelled, rows.stop)
        watching = self._scheduler.start("script", watch.run)
        try:
            outcome = self._converse(process, watch, self._job(source, now, limits, check=check), rows)
        finally:
            watch.over.set()
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            watching.join()
        return replace(outcome, ms=round((time.monotonic() - began) * 1_000))

    def _job(self, source: str, now: int, limits: ScriptLimits, *, check: bool) -> tuple[bytes, bytes]:
        if self._runtime is None:
            raise TypeError("a job is made once the interpreter is there")
        outer = {
            "module": str(self._runtime.module),
            "fuel": limits.fuel,
            "memory": limits.memory_bytes,
            "beside": _BESIDE_BYTES,
            "seconds": round(limits.seconds) + 1,
            "seed": SEED,
            "now": now,
            "confined": self._layers.confined,
        }
        inner = {
            "source": source,
            "restricted": self._layers.restricted,
            "check": check,
            "seed": SEED,
            "most_output": limits.output,
        }
        guest = b"".join(
            len(part).to_bytes(4, "little") + part for part in (self._runtime.guest, json.dumps(inner).encode())
        )
        return json.dumps(outer).encode(), guest

    def _converse(
        self, process: "subprocess.Popen[bytes]", watch: "_Watch", job: tuple[bytes, bytes], rows: ScriptRows
    ) -> ScriptOutcome:
        """What the script asks is answered until it has an answer of its own, or is gone."""
        questions, layers, ending = _Questions(rows), [PROCESS, WASI], "gone"
        if self._layers.restricted:
            layers.append(RESTRICTED)
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            raise TypeError("the process was started with pipes")
        try:
            for part in job:
                frames.write_frame(stdin, b"J", part)
            while (frame := frames.read_frame(stdout)) is not None:
                if frame.kind == frames.ABOUT:
                    layers += _names(_said(frame.raw).get("layers"))
                elif frame.kind == frames.ENDED:
                    reason = _said(frame.raw).get("how")
                    ending = reason if isinstance(reason, str) and reason in _REASONS else "broken"
                    break
                elif frame.kind != frames.GUEST:
                    ending = "broken"
                    break
                else:
                    guest_message = _said(frame.raw)
                    if guest_message.get("op") == "done":
                        return _outcome(guest_message, tuple(layers))
                    frames.write_frame(stdin, frames.ANSWER, questions.answer(guest_message))
        except (OSError, ValueError, frames.FrameError, RecursionError):
            ending = "broken"
        code, message = _REASONS[watch.why or questions.why or ending]
        return ScriptOutcome(ScriptStatus.KILLED, code, message, layers=tuple(layers))


class _Watch:
    """Kills the process, and stops its question, when its time is over or somebody cancels; from outside."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", seconds: float, cancelled: threading.Event, stop: Callable[[], None]
    ) -> None:
        self.over = threading.Event()
        self.why = ""
        self._process = process
        self._until = time.monotonic() + seconds
        self._cancelled = cancelled
        self._stop = stop

    def run(self) -> None:
        """Until the run is over."""
        while not self.over.wait(0.05):
            self.why = "cancelled" if self._cancelled.is_set() else "time" if time.monotonic() > self._until else ""
            if self.why:
                self._process.kill()
                self._stop()  # the process may be waiting for an answer, and we with it
                return


class _Questions:
    """The script's questions, of which there are only so many."""

    def __init__(self, rows: ScriptRows) -> None:
        self.why = ""
        self._rows = rows
        self._asked = 0

    def answer(self, question: dict[str, Any]) -> bytes:
        """To one question; raises ValueError for what is none."""
        self._asked += 1
        if self._asked > _MOST_QUERIES:
            self.why = "queries"
            raise ValueError("too many questions")
        return self._rows.ask(_question(question))


def _question(guest_message: dict[str, Any]) -> dict[str, Any]:
    """What a script may ask, and nothing beside that."""
    match guest_message:
        case {"op": "query", "sql": str(sql), "params": list() | dict() as params}:
            return {"op": "query", "sql": sql, "params": params}
        case {"op": "table", "name": str(name)}:
            return {"op": "table", "name": name}
        case {"op": "more"}:
            return {"op": "more"}
    raise ValueError("no question")


class _NoRows:
    def ask(self, question: Mapping[str, Any]) -> bytes:
        return b'{"error": "nothing runs while a script is checked"}'

    def stop(self) -> None:
        return


def _said(raw: bytes) -> dict[str, Any]:
    """What the guest said, if it is an object at all; raises ValueError."""
    guest_message = json.loads(raw)
    if not isinstance(guest_message, dict):
        raise ValueError("no object")  # noqa: TRY004 - as for whatever else is no answer
    return guest_message


def _names(value: object) -> list[str]:
    """The names in a list of the process's own; nothing of anything else."""
    return [name[:40] for name in value[:10] if isinstance(name, str)] if isinstance(value, list) else []


def _outcome(guest_message: dict[str, Any], layers: tuple[str, ...]) -> ScriptOutcome:
    """The guest's own word on how it went, taken for no more than that; raises ValueError for what is none."""
    status, line = guest_message.get("status"), guest_message.get("line")
    if not isinstance(status, str) or status not in _STATUSES:
        raise ValueError("no status")
    output = str(guest_message.get("output", ""))[:MAX_OUTPUT].encode("utf-8", "replace").decode()
    line = line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else None
    if status != ScriptStatus.OK:
        code, message = str(guest_message.get("code")), str(guest_message.get("message"))[:MAX_MESSAGE]
        code = code if _CODE_OF_GUEST.fullmatch(code) else "script_failed"
        message = message.encode("utf-8", "replace").decode()
        return ScriptOutcome(ScriptStatus(status), code, message, line, output=output, layers=layers)
    try:
        result = read_result(guest_message.get("result"))
    except (ValueError, UnicodeEncodeError) as error:
        return ScriptOutcome(
            ScriptStatus.FAILED, "script_result_too_large", f"{error}.".capitalize(), output=output, layers=layers
        )
    return ScriptOutcome(ScriptStatus.OK, result=result, output=output, layers=layers)
