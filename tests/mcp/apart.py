"""Run a coroutine where no other event loop runs: the browser's tests keep one in the main thread."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import anyio


def run_apart(run: Callable[[], Awaitable[None]]) -> None:
    """Run it to its end in a thread of its own; raises what it raises."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(anyio.run, run).result()
