"""Only the worker starts threads, and what a simulation is to drive waits through its clock and scheduler."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STARTS_THREADS = {"Thread", "Timer", "ThreadPoolExecutor", "ThreadPool", "start_new_thread"}

MAY = {
    "backend/runtime/worker.py": "the one place",
    "backend/adapters/browser/session.py": "Playwright belongs to the thread that started it; every call is handed to that one",
    "backend/adapters/llm/stream_reader.py": "a blocking read, which knows no deadline; it ends when the stream is closed",
    "backend/mcp/stdio.py": "writes to a program that may read nothing for as long as it likes",
    "backend/practice/server.py": "a program of its own: its HTTP server, and the wait for its parent's end",
}


def thread_makers(source: str) -> list[str]:
    """What the source names that starts a thread."""
    makers: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="threading" | "futures" | "_thread"), attr=name) if (
                name in STARTS_THREADS
            ):
                makers.append(f"line {node.lineno}: {name}")
            case ast.ImportFrom(
                module="threading" | "concurrent.futures" | "multiprocessing.pool" | "_thread", names=names
            ):
                makers += [f"line {node.lineno}: {alias.name}" for alias in names if alias.name in STARTS_THREADS]
    return makers


def _made_in(path: Path) -> list[str]:
    return thread_makers(path.read_text(encoding="utf-8"))


def test_nothing_but_the_worker_starts_a_thread() -> None:
    paths = sorted((ROOT / "backend").rglob("*.py"))
    makers_by_file = {path.relative_to(ROOT).as_posix(): _made_in(path) for path in paths}
    assert {name: made for name, made in makers_by_file.items() if made and name not in MAY} == {}


@pytest.mark.parametrize("name", MAY)
def test_an_exception_is_still_needed(name: str) -> None:
    assert _made_in(ROOT / name)


@pytest.mark.parametrize(
    "source",
    [
        "import threading\nthreading.Thread(target=print).start()",
        "import threading\nthreading.Timer(1, print)",
        "from threading import Thread",
        "from concurrent.futures import ThreadPoolExecutor",
        "from concurrent import futures\nfutures.ThreadPoolExecutor()",
    ],
)
def test_a_thread_is_found(source: str) -> None:
    assert thread_makers(source)


def test_what_only_waits_is_none() -> None:
    assert thread_makers("import threading\nthreading.Event(), threading.Lock(), threading.current_thread()") == []


MAY_WAIT = {
    "backend/mcp/stdio.py": "another program, until it reads its answers; no workspace's clock knows when",
    "backend/runtime/worker.py": "the scheduler itself",
    "backend/adapters/clocks.py": "the clock itself",
    "backend/api/server/socket.py": "a thread of the HTTP server",
    "backend/runtime/feed/feed.py": "a thread of the HTTP server, which waits for news to send",
    "backend/machine/durable_files.py": "another program that reads the file, on Windows; no workspace's clock knows when it ends",
    "backend/store/database.py": "SQLite waits by itself for any lock but that of the switch to WAL",
    "backend/adapters/browser/chromium.py": "another program, until it says where it listens",
    "backend/adapters/llm/stream_reader.py": "the pause before a request is tried again; injected",
    "backend/practice/pages.py": "a program of its own, which is slow on purpose",
    "backend/practice/server.py": "a program of its own",
    "backend/adapters/files/command_program.py": "a program of its own around one of the user's",
    "backend/adapters/files/outside_checks.py": "a program of the user's, until it ends or is ended",
    "backend/adapters/sandbox/sandbox.py": "a script's process, until it ends or is ended",
    "backend/adapters/sandbox/question_process.py": "a process of ours, until it answers or is ended",
    "backend/adapters/line_process.py": "a process of ours, until it answers or is ended",
    "backend/agents/stepper.py": "takes sleep() away from agents",
    "backend/terminal/run_program.py": "another program, until it ends",
}


def waits(source: str) -> list[str]:
    """Where the source waits by itself, not through a clock or a scheduler, which a simulation could replace."""
    calls: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr="sleep"):
                calls.append(f"line {node.lineno}: sleep")
            case ast.Call(func=ast.Attribute(value=waited, attr="wait" | "wait_for" as name)) if not re.search(
                r"(clock|scheduler)$", ast.unparse(waited)
            ):
                calls.append(f"line {node.lineno}: {name}")
    return calls


def test_whatever_a_simulation_drives_waits_through_its_clock_and_scheduler() -> None:
    paths = sorted((ROOT / "backend").rglob("*.py"))
    waits_by_file = {path.relative_to(ROOT).as_posix(): waits(path.read_text(encoding="utf-8")) for path in paths}
    assert {name: made for name, made in waits_by_file.items() if made and name not in MAY_WAIT} == {}
    assert [name for name in MAY_WAIT if not waits_by_file[name]] == [], "still needed"


@pytest.mark.parametrize("source", ["import time\ntime.sleep(1)", "self.wake.wait(1.0)", "changed.wait_for(print)"])
def test_a_wait_is_found(source: str) -> None:
    assert waits(source)


def test_a_wait_through_a_port_is_none() -> None:
    assert waits("clock.wait(1.0, wake)\nself._scheduler.wait(wake, None)") == []
