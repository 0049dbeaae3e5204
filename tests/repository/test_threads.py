"""Only the worker starts threads: whatever works in the background is supervised, shown, and ended in one place."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STARTS_THREADS = {"Thread", "Timer", "ThreadPoolExecutor", "ThreadPool", "start_new_thread"}

MAY = {
    "backend/runtime/worker.py": "the one place",
    "backend/adapters/browser/session.py": "Playwright belongs to the thread that started it; every call is handed to that one",
    "backend/adapters/llm/stream_reader.py": "a blocking read, which knows no deadline; it ends when the stream is closed",
    "backend/practice/server.py": "a program of its own: its HTTP server, and the wait for its parent's end",
}


def thread_makers(source: str) -> list[str]:
    """What the source names that starts a thread."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="threading" | "futures" | "_thread"), attr=name) if (
                name in STARTS_THREADS
            ):
                found.append(f"line {node.lineno}: {name}")
            case ast.ImportFrom(
                module="threading" | "concurrent.futures" | "multiprocessing.pool" | "_thread", names=names
            ):
                found += [f"line {node.lineno}: {one.name}" for one in names if one.name in STARTS_THREADS]
    return found


def _made_in(path: Path) -> list[str]:
    return thread_makers(path.read_text(encoding="utf-8"))


def test_nothing_but_the_worker_starts_a_thread() -> None:
    paths = sorted((ROOT / "backend").rglob("*.py"))
    found = {path.relative_to(ROOT).as_posix(): _made_in(path) for path in paths}
    assert {name: made for name, made in found.items() if made and name not in MAY} == {}


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
