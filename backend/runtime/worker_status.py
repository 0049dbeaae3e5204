"""Keeps on disk what a launch's workers do, so that `outrider doctor` can show it from a process of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from backend.adapters.worker_status_file import WorkerStatusFile
from backend.runtime.worker import Workers

DELAY_SECONDS = 1.0
"""What changes within so long is written once."""


@contextmanager
def published_worker_status(workers: Workers, file: WorkerStatusFile, is_ours: Callable[[], bool]) -> Iterator[None]:
    """Write the file now and after each change, by a worker of its own; on leaving, it is gone.

    Unless the folder that it is in is not this launch's any more.
    """

    def write() -> None:
        if is_ours():
            file.write(workers.states())

    worker = workers.add("worker status", write)
    worker.start()
    workers.on_change = partial(worker.wake, DELAY_SECONDS)
    try:
        yield
    finally:
        worker.stop()
        worker.join(DELAY_SECONDS)
        with suppress(OSError):
            if is_ours():
                file.remove()
