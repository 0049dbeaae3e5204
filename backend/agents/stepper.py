"""The process in which an agent decides: it reads a state and a context, calls `step()` once, and writes what that gave.

A program of its own: `-m backend.agents.stepper MODULE CLASS MEGABYTES SECONDS`. The supervisor trusts nothing of what it
writes and ends it when it likes. What is refused here is refused by name, so that a person can be told; the agents are
Outrider's own code, and this is a fence around their mistakes, no sandbox for the code of strangers.
"""

import _thread
import builtins
import importlib.util
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import FrozenInstanceError
from types import CodeType, ModuleType
from typing import Any, BinaryIO, NoReturn

from backend.domain.device.passive_agent import AgentInputs, AnyAgent, Completed, Failed, ToolRequest
from backend.machine.process_limits import set_limits

FILES, THREADS, BLOCKED, SYSTEM = "agent_file_access", "agent_thread", "agent_step_blocked", "agent_system_call"

ALLOWED_IMPORTS = frozenset({"backend.domain.device.passive_agent", "collections.abc", "dataclasses", "enum", "typing"})
_IMPORTS = {
    "asyncio": THREADS, "concurrent": THREADS, "multiprocessing": THREADS, "threading": THREADS, "_thread": THREADS,
    "glob": FILES, "io": FILES, "os": FILES, "pathlib": FILES, "shutil": FILES, "tempfile": FILES,
    "select": BLOCKED, "time": BLOCKED,
}  # fmt: skip
_BUILTINS = {"open": FILES, "input": BLOCKED, "breakpoint": SYSTEM, "exec": SYSTEM, "eval": SYSTEM, "compile": SYSTEM}
_EVENTS = (
    ("open", FILES), ("os.listdir", FILES), ("os.scandir", FILES), ("os.mkdir", FILES), ("os.remove", FILES),
    ("os.stat", FILES), ("os.lstat", FILES), ("os.access", FILES), ("os.readlink", FILES),
    ("os.rename", FILES), ("os.rmdir", FILES), ("os.truncate", FILES), ("shutil.", FILES), ("glob.", FILES),
    ("_thread.", THREADS), ("time.sleep", BLOCKED),
    ("os.", SYSTEM), ("subprocess.", SYSTEM), ("socket.", SYSTEM), ("signal.", SYSTEM), ("ctypes.", SYSTEM),
    ("mmap.", SYSTEM), ("import", SYSTEM), ("compile", SYSTEM), ("sqlite3.", SYSTEM),
)  # fmt: skip
"""What Python announces before it is done, and names of functions, by how they begin; the first that fits counts."""


def _violated(event: str) -> str | None:
    return next((code for begins, code in _EVENTS if event.startswith(begins)), None)


class _Reply:
    """Where the supervisor reads; after a violation nothing is written any more, for the process is over."""

    def __init__(self) -> None:
        self._out = os.dup(1)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)

    def write(self, line: Mapping[str, Any]) -> None:
        unwritten = memoryview(json.dumps(line).encode() + b"\n")
        while unwritten:
            unwritten = unwritten[os.write(self._out, unwritten) :]

    def violation(self, code: str, detail: str) -> NoReturn:
        self.write({"violation": code, "detail": detail})
        os._exit(1)  # no handler of the agent's can go on


class _Fence:
    """Refuses what an agent may not do, from loading it to the end of the process: what it left behind may run at any time."""

    def __init__(self, reply: _Reply) -> None:
        self._reply = reply
        self._loading = False

    def stand(self) -> None:
        for name in filter(lambda name: name.startswith("start"), dir(_thread)):  # under each of its names
            setattr(_thread, name, self._refuser(THREADS, "a thread"))
        time.sleep = self._refuser(BLOCKED, "sleep()")
        system = sys.modules[os.name]
        os.environ.clear()
        vars(system)["environ"].clear()
        for begins, modules in (("os.", (system, os)), ("signal.", (sys.modules["_signal"],))):  # not all is announced
            for name in [name for name, value in vars(modules[0]).items() if type(value) is type(len)]:
                event = "open" if name == "open" else begins + name
                for module in modules if name not in ("write", "_exit") else ():  # which the reply needs
                    setattr(module, name, self._refuser(_violated(event) or SYSTEM, event))
        sys.tracebacklimit = 0  # more would open the sources
        sys.addaudithook(self._announced)

    def load(self, code: CodeType, module_name: str, class_name: str) -> AnyAgent:
        """The agent's own module, made anew with the builtins that an agent has: nothing of a step before is left in it."""
        module = sys.modules[module_name] = ModuleType(module_name)
        vars(module)["__builtins__"] = self.builtins()
        self._loading = True
        exec(code, vars(module))  # noqa: S102 - what an import does, with other builtins
        self._loading = False
        loaded: AnyAgent = getattr(module, class_name)
        return loaded

    def builtins(self) -> dict[str, Any]:
        refused = {name: self._refuser(code, f"{name}()") for name, code in _BUILTINS.items()}
        return {**vars(builtins), **refused, "__import__": self._import}

    def _import(
        self,
        name: str,
        within: Mapping[str, Any] | None = None,
        local: Mapping[str, Any] | None = None,
        names: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if level or name not in ALLOWED_IMPORTS:
            self._reply.violation(_IMPORTS.get(name.partition(".")[0], SYSTEM), f"import {name}")
        return __import__(name, within, local, names or (), level)

    def _announced(self, event: str, _: tuple[Any, ...]) -> None:
        code = _violated(event)
        if code is not None and not (self._loading and event == "compile"):  # as dataclasses do
            self._reply.violation(code, event)

    def _refuser(self, code: str, what: str) -> Any:
        def refuse(*_: Any, **__: Any) -> NoReturn:
            self._reply.violation(code, what)

        return refuse


def _code(module_name: str) -> CodeType:
    spec = importlib.util.find_spec(module_name)
    if spec is None or spec.loader is None:
        raise ImportError(module_name)
    code: CodeType = spec.loader.get_code(module_name)  # type: ignore[attr-defined]  # each loader of a file or an archive has it
    return code


def _limit(megabytes: int, seconds: int) -> None:
    """What the system itself holds it to, where the system can; `seconds` of the processor end it even without a supervisor."""
    set_limits(AS=megabytes << 20, CPU=seconds, FSIZE=0, NOFILE=0, CORE=0)


def _told(result: Any) -> dict[str, Any]:
    """The one result as JSON; raises TypeError for whatever else it is."""
    match result:
        case ToolRequest(tool=str(tool), params=params) if type(result) is ToolRequest:
            return {"kind": "ToolRequest", "tool": tool, "params": dict(params)}
        case Completed() if type(result) is Completed:
            return {"kind": "Completed"}
        case Failed(reason=str(reason)) if type(result) is Failed:
            return {"kind": "Failed", "reason": reason[:1_000]}
    raise TypeError(f"step() returned {type(result).__name__}")


def _step(agent: AnyAgent, asked: Mapping[str, Any], reply: _Reply) -> None:
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in asked["context"].items()
    }

    try:
        context, instance = agent.context(**values), agent(agent.states(asked["state"]), AgentInputs(**asked["inputs"]))
        result = instance.step(context)
    except FrozenInstanceError as error:
        reply.violation("agent_context_changed", str(error))
    except MemoryError:
        reply.violation("agent_memory", "step()")
    except RecursionError:
        reply.violation("agent_step_endless", "it calls itself for ever")
    except BaseException as error:  # noqa: BLE001 - also SystemExit: no way out but a result
        reply.violation("agent_step_raised", f"{type(error).__name__}: {error}"[:500])
    if any(getattr(context, name) is not value for name, value in values.items()):
        reply.violation("agent_context_changed", "")
    try:
        answer = {"visited": [str(state) for state in instance.visited], "result": _told(result)}
        reply.write({**answer, "processor_seconds": time.process_time()})
    except MemoryError:
        reply.violation("agent_memory", "the result")
    except (TypeError, ValueError, RecursionError) as error:
        reply.violation("agent_result", str(error)[:500])


def main() -> None:
    """Answer one line a step until there are no more."""
    module, name, megabytes, seconds = sys.argv[1:]
    lines: BinaryIO = sys.stdin.buffer
    reply = _Reply()
    fence = _Fence(reply)
    code = _code(module)
    _limit(int(megabytes), int(seconds))
    fence.stand()
    fence.load(code, module, name)
    reply.write({"processor_seconds": time.process_time()})
    for line in lines:
        _step(fence.load(code, module, name), json.loads(line), reply)


if __name__ == "__main__":
    main()
