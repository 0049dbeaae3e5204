"""What lets work run in the background and wait: threads in the app, one thread and one seed in a simulation."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from backend.ports.clock import Wake


class StartedWork(Protocol):
    """Work that was started."""

    def join(self, seconds: float | None = None) -> bool:
        """Wait for its end, at most so long; whether it has ended."""
        ...


class Scheduler(Protocol):
    """Starts background work, and is where it waits."""

    def start(self, name: str, work: Callable[[], None]) -> StartedWork:
        """Begin it beside whatever runs. It does not keep the program from ending."""
        ...

    def wait(self, wake: Wake, seconds: float | None) -> bool:
        """Until `wake` is set or the time is over (None: no limit); whether it is set."""
        ...

    def lock(self) -> AbstractContextManager[Any]:
        """A lock that may be held while its holder waits for something else, such as an answer from outside."""
        ...
