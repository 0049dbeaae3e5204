"""Listens to a model without ever waiting longer than agreed, whatever it does: silence, a trickle, a flood."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from backend.domain.connection import Connection, host_of
from backend.domain.errors import OutriderError
from backend.llm.line import Heard, Line, Trouble

GLANCE = 0.1
"""Seconds between two looks at whether the user has stopped."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Time in seconds, chance from 0 to 1, and whether the user has stopped: recorded inputs, so that tests decide them."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = lambda: 0.5
    stopped: Callable[[], bool] = lambda: False


def listen(line: Line, connection: Connection, deadline: float, around: Surroundings) -> Iterator[Heard]:
    """What the line says, until it ends. Raises `Trouble`, or `proposer_timeout` and `proposer_stopped` in one.

    The line is read in a thread of its own, because a blocking read knows only one kind of time-out. When we are done
    with it, it is hung up, and the thread ends with it.
    """
    said: queue.SimpleQueue[Heard | Trouble | None] = queue.SimpleQueue()
    over = threading.Event()
    threading.Thread(target=_read, args=(line, said, over), name="model", daemon=True).start()
    patience, what = connection.first_ms, "to begin"
    try:
        while True:
            heard = _next(said, connection, patience, what, deadline, around)
            if heard is None:
                return
            if isinstance(heard, Trouble):
                raise heard
            yield heard
            patience, what = connection.between_ms, "to go on"
    finally:
        over.set()
        line.hang_up()


def _next(
    said: "queue.SimpleQueue[Heard | Trouble | None]",
    connection: Connection,
    patience_ms: int,
    what: str,
    deadline: float,
    around: Surroundings,
) -> Heard | Trouble | None:
    begun = around.now()
    end = min(begun + patience_ms / 1_000, deadline)
    while True:
        if around.stopped():
            raise Trouble(OutriderError("proposer_stopped"), asked=True)
        left = end - around.now()
        if left <= 0:
            if end == deadline:
                patience_ms, what = connection.whole_ms, "in all"
            facts = {"host": host_of(connection.base_url), "seconds": f"{patience_ms / 1_000:g}", "what": what}
            raise Trouble(OutriderError("proposer_timeout", **facts), asked=True)
        try:
            return said.get(timeout=min(left, GLANCE))
        except queue.Empty:
            continue


def _read(line: Line, said: "queue.SimpleQueue[Heard | Trouble | None]", over: threading.Event) -> None:
    try:
        for heard in line.heard():
            if over.is_set():
                return
            said.put(heard)
        said.put(None)
    except Trouble as trouble:
        said.put(trouble)
    except Exception as error:  # noqa: BLE001 - a thread's last resort: told to who listens, or to nobody if all is over
        said.put(Trouble(OutriderError("proposer_unavailable", why=type(error).__name__), asked=True))
